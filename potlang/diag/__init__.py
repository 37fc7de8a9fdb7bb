"""Diagnostics: values, the register of codes, the sink, near names.

Fixes, renderers and pages are imported from their own modules: most programs need none of them.
"""

from potlang.diag.model import Applicability, Diagnostic, Edit, Fix, Label, Patch, Place, Replace, Severity
from potlang.diag.near import NearNames, nearest
from potlang.diag.register import CODES, Code
from potlang.diag.sink import Sink
from potlang.diag.wording import shorten, shown, visible

__all__ = [
    "CODES",
    "Applicability",
    "Code",
    "Diagnostic",
    "Edit",
    "Fix",
    "Label",
    "NearNames",
    "Patch",
    "Place",
    "Replace",
    "Severity",
    "Sink",
    "nearest",
    "shorten",
    "shown",
    "visible",
]
