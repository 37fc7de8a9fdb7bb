"""potlang: compiles the reasoning that language models write down and answers with checked verdicts.

`check`, `lint`, `compile`, `verify`, `view` and `fix` take a program, a trace or a solution; `potlang.dot`
and `potlang.dagmath` have more for these two, `potlang.aio` the same verbs for asyncio, `potlang.tool` the
tool that a model calls. Names are imported on first use: a solver process needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names
from potlang.version import __version__ as __version__

if TYPE_CHECKING:
    from potlang import aio as aio
    from potlang import api as api
    from potlang import dagmath as dagmath
    from potlang import dot as dot
    from potlang import tool as tool
    from potlang.api import check as check
    from potlang.api import compile as compile
    from potlang.api import explain as explain
    from potlang.api import fix as fix
    from potlang.api import lint as lint
    from potlang.api import verify as verify
    from potlang.api import view as view
    from potlang.batch.many import verify_many as verify_many
    from potlang.diag import Diagnostic as Diagnostic
    from potlang.languages.pot.program import CompileError as CompileError
    from potlang.languages.pot.program import Program as Program
    from potlang.languages.pot.program import Session as Session
    from potlang.languages.pot.report import Report as Report
    from potlang.models.programs.loop import reason as reason
    from potlang.report.results import Interrupted as Interrupted
    from potlang.report.results import Limits as Limits
    from potlang.report.results import Verdict as Verdict

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.api": "check compile explain fix lint verify view",
        "potlang.batch.many": "verify_many",
        "potlang.diag": "Diagnostic",
        "potlang.languages.pot.program": "CompileError Program Session",
        "potlang.languages.pot.report": "Report",
        "potlang.models.programs.loop": "reason",
        "potlang.report.results": "Interrupted Limits Verdict",
    },
    modules="aio api dagmath dot tool",
    moved={"Checked": "potlang.api.Checked"},
)
__all__ += ["__version__"]
