"""Diagnostics: values, the register of codes, the sink, near names, and their forms as text, JSON and SARIF.

Names are imported on first use; fixes and pages are imported from their own modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.diag.model import Applicability as Applicability
    from potlang.diag.model import Diagnostic as Diagnostic
    from potlang.diag.model import Edit as Edit
    from potlang.diag.model import Fix as Fix
    from potlang.diag.model import Label as Label
    from potlang.diag.model import Patch as Patch
    from potlang.diag.model import Place as Place
    from potlang.diag.model import Replace as Replace
    from potlang.diag.model import Severity as Severity
    from potlang.diag.near import NearNames as NearNames
    from potlang.diag.near import nearest as nearest
    from potlang.diag.register import CODES as CODES
    from potlang.diag.register import Code as Code
    from potlang.diag.render_json import diagnostic_to_json as diagnostic_to_json
    from potlang.diag.render_sarif import diagnostics_to_sarif as diagnostics_to_sarif
    from potlang.diag.render_sarif import sarif_log as sarif_log
    from potlang.diag.render_text import render_all as render_all
    from potlang.diag.render_text import render_located as render_located
    from potlang.diag.render_text import render_one as render_one
    from potlang.diag.sink import Sink as Sink
    from potlang.diag.wording import shorten as shorten
    from potlang.diag.wording import shown as shown
    from potlang.diag.wording import visible as visible

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.diag.model": "Applicability Diagnostic Edit Fix Label Patch Place Replace Severity",
        "potlang.diag.near": "NearNames nearest",
        "potlang.diag.register": "CODES Code",
        "potlang.diag.render_json": "diagnostic_to_json",
        "potlang.diag.render_sarif": "diagnostics_to_sarif sarif_log",
        "potlang.diag.render_text": "render_all render_located render_one",
        "potlang.diag.sink": "Sink",
        "potlang.diag.wording": "shorten shown visible",
    },
)
