"""Traces of the Diagram of Thought: read, checked, verified, glued, built and converted.

    report = potlang.dot.verify(Path("trace.dot.txt"))

Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from potlang.deductions import NotEntailed
    from potlang.dot.builder import BuildError, TraceBuilder
    from potlang.dot.convert import trace_to_pot
    from potlang.dot.derived import Derived, derivation_to_trace
    from potlang.dot.gluing import Glued, GlueError, Shared, glue
    from potlang.dot.literals import entailed_literals
    from potlang.dot.meaning import CheckedTrace, MalformedTrace, check, read, verify
    from potlang.dot.report import TraceReport, TraceVerdict
    from potlang.dot.synthetic import Difficulty, Sample, synthesize
    from potlang.languages.dot.trace import Trace

_HOMES = {
    **dict.fromkeys(("CheckedTrace", "MalformedTrace", "check", "read", "verify"), "potlang.dot.meaning"),
    **dict.fromkeys(("GlueError", "Glued", "Shared", "glue"), "potlang.dot.gluing"),
    **dict.fromkeys(("TraceReport", "TraceVerdict"), "potlang.dot.report"),
    **dict.fromkeys(("BuildError", "TraceBuilder"), "potlang.dot.builder"),
    "trace_to_pot": "potlang.dot.convert",
    **dict.fromkeys(("Derived", "derivation_to_trace"), "potlang.dot.derived"),
    "NotEntailed": "potlang.deductions",
    "entailed_literals": "potlang.dot.literals",
    **dict.fromkeys(("Difficulty", "Sample", "synthesize"), "potlang.dot.synthetic"),
    "Trace": "potlang.languages.dot.trace",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'potlang.dot' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "BuildError",
    "CheckedTrace",
    "Derived",
    "Difficulty",
    "GlueError",
    "Glued",
    "MalformedTrace",
    "NotEntailed",
    "Sample",
    "Shared",
    "Trace",
    "TraceBuilder",
    "TraceReport",
    "TraceVerdict",
    "check",
    "derivation_to_trace",
    "entailed_literals",
    "glue",
    "read",
    "synthesize",
    "trace_to_pot",
    "verify",
]
