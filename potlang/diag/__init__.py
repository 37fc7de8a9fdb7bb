"""Diagnostics: values, the register of codes, the sink, near names.

Fixes, renderers and pages are imported from their own modules: most programs need none of them.
"""

from .model import Applicability, Diagnostic, Edit, Fix, Label, Patch, Place, Replace, Severity
from .near import NearNames, nearest
from .register import CODES, Code
from .sink import Sink
from .wording import shorten, shown, visible

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
