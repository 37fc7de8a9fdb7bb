"""potlang: compiles the reasoning that language models write down and answers with checked verdicts."""

from potlang.api import Checked, CompileError, Program, Session, check, compile, explain, verify
from potlang.diag import Diagnostic
from potlang.report import Limits, Report, Verdict
from potlang.version import __version__

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
    "verify",
]
