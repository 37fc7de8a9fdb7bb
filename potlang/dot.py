"""Traces of the Diagram of Thought: read, checked, verified, glued, built and converted.

    report = potlang.dot.verify(Path("trace.dot.txt"))

Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from potlang.convert.deductions import NotEntailed
    from potlang.convert.derivation_to_trace import Derived, derivation_to_trace
    from potlang.convert.trace_to_program import trace_to_pot
    from potlang.generate.traces import Difficulty, Sample, synthesize
    from potlang.languages.dot.glue import Glued, GlueError, Shared, glue
    from potlang.languages.dot.read.trace import Trace
    from potlang.languages.dot.report import TraceReport
    from potlang.languages.dot.results import TraceVerdict
    from potlang.languages.dot.solve.literals import entailed_literals
    from potlang.languages.dot.solve.verify import CheckedTrace, MalformedTrace, check, read, verify
    from potlang.languages.dot.write.builder import BuildError, TraceBuilder

_HOMES = {
    **dict.fromkeys(
        ("CheckedTrace", "MalformedTrace", "check", "read", "verify"), "potlang.languages.dot.solve.verify"
    ),
    **dict.fromkeys(("GlueError", "Glued", "Shared", "glue"), "potlang.languages.dot.glue"),
    "TraceReport": "potlang.languages.dot.report",
    "TraceVerdict": "potlang.languages.dot.results",
    **dict.fromkeys(("BuildError", "TraceBuilder"), "potlang.languages.dot.write.builder"),
    "trace_to_pot": "potlang.convert.trace_to_program",
    **dict.fromkeys(("Derived", "derivation_to_trace"), "potlang.convert.derivation_to_trace"),
    "NotEntailed": "potlang.convert.deductions",
    "entailed_literals": "potlang.languages.dot.solve.literals",
    **dict.fromkeys(("Difficulty", "Sample", "synthesize"), "potlang.generate.traces"),
    "Trace": "potlang.languages.dot.read.trace",
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
