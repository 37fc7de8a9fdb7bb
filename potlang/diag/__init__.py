"""Diagnostics: values, the register of codes, the sink, near names, fixes, renderers, pages."""

from .explain import codes, page
from .fixes import RawEdit, apply_fix, apply_fixes, raw_edits
from .model import Applicability, Diagnostic, Edit, Fix, Label, Patch, Place, Replace, Severity
from .near import NearNames, nearest
from .patching import FixError
from .register import CODES, Code
from .render_json import diagnostic_to_json, diagnostics_to_json, render_json
from .render_sarif import diagnostics_to_sarif, render_sarif
from .render_text import fix_text, render_text, summary
from .sink import Sink
from .wording import shorten, shown, visible

__all__ = [
    "CODES",
    "Applicability",
    "Code",
    "Diagnostic",
    "Edit",
    "Fix",
    "FixError",
    "Label",
    "NearNames",
    "Patch",
    "Place",
    "RawEdit",
    "Replace",
    "Severity",
    "Sink",
    "apply_fix",
    "apply_fixes",
    "codes",
    "diagnostic_to_json",
    "diagnostics_to_json",
    "diagnostics_to_sarif",
    "fix_text",
    "nearest",
    "page",
    "raw_edits",
    "render_json",
    "render_sarif",
    "render_text",
    "shorten",
    "shown",
    "summary",
    "visible",
]
