"""potlang: compiles the reasoning that language models write down and answers with checked verdicts.

Names are imported on first use: a solver process needs none of them, and start-up time matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from potlang.version import __version__

if TYPE_CHECKING:
    from potlang.api import Checked, CompileError, Program, Session, check, compile, explain, verify
    from potlang.diag import Diagnostic
    from potlang.languages.pot.report import Report
    from potlang.models.loop import reason
    from potlang.report.results import Limits, Verdict

_HOMES = {
    **dict.fromkeys(
        ("Checked", "CompileError", "Program", "Session", "check", "compile", "explain", "verify"),
        "potlang.api",
    ),
    "Diagnostic": "potlang.diag",
    "reason": "potlang.models.loop",
    "Report": "potlang.languages.pot.report",
    **dict.fromkeys(("Limits", "Verdict"), "potlang.report.results"),
}
_MODULES = {"api": "potlang.api", "tool": "potlang.tool"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(_MODULES[name])
    else:
        raise AttributeError(f"module 'potlang' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Checked",
    "CompileError",
    "Diagnostic",
    "Limits",
    "Program",
    "Report",
    "Session",
    "Verdict",
    "__version__",
    "check",
    "compile",
    "explain",
    "reason",
    "verify",
]
