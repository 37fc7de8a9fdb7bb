"""Traces of the Diagram of Thought: read, checked, verified, glued, built and converted.

    report = potlang.dot.verify(Path("trace.dot.txt"))

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.convert.deductions import NotEntailed as NotEntailed
    from potlang.convert.derivation_to_trace import Derived as Derived
    from potlang.convert.derivation_to_trace import derivation_to_trace as derivation_to_trace
    from potlang.convert.trace_to_program import trace_to_pot as trace_to_pot
    from potlang.generate.solved import synthesize_from_programs as synthesize_from_programs
    from potlang.generate.traces import Difficulty as Difficulty
    from potlang.generate.traces import Sample as Sample
    from potlang.generate.traces import synthesize as synthesize
    from potlang.languages.dot.check import CheckedTrace as CheckedTrace
    from potlang.languages.dot.check import MalformedTrace as MalformedTrace
    from potlang.languages.dot.check import check as check
    from potlang.languages.dot.check import read as read
    from potlang.languages.dot.diagram import NoDiagram as NoDiagram
    from potlang.languages.dot.diagram import TraceDiagram as TraceDiagram
    from potlang.languages.dot.diagram import diagram as diagram
    from potlang.languages.dot.glue import Glued as Glued
    from potlang.languages.dot.glue import GlueError as GlueError
    from potlang.languages.dot.glue import Shared as Shared
    from potlang.languages.dot.glue import glue as glue
    from potlang.languages.dot.read.trace import Trace as Trace
    from potlang.languages.dot.report import TraceReport as TraceReport
    from potlang.languages.dot.results import TraceVerdict as TraceVerdict
    from potlang.languages.dot.solve.literals import entailed_literals as entailed_literals
    from potlang.languages.dot.solve.verify import verify as verify
    from potlang.languages.dot.stream.registers import Budgets as Budgets
    from potlang.languages.dot.stream.registers import TraceGoal as TraceGoal
    from potlang.languages.dot.stream.validator import Validator as Validator
    from potlang.languages.dot.write.builder import BuildError as BuildError
    from potlang.languages.dot.write.builder import TraceBuilder as TraceBuilder
    from potlang.models.traces.loop import reason as reason
    from potlang.models.traces.masked_writing import BadLogits as BadLogits
    from potlang.models.traces.masked_writing import WrittenTrace as WrittenTrace
    from potlang.models.traces.masked_writing import write as write
    from potlang.models.traces.reasoned import ReasonedTrace as ReasonedTrace

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.convert.deductions": "NotEntailed",
        "potlang.convert.derivation_to_trace": "Derived derivation_to_trace",
        "potlang.convert.trace_to_program": "trace_to_pot",
        "potlang.generate.solved": "synthesize_from_programs",
        "potlang.generate.traces": "Difficulty Sample synthesize",
        "potlang.languages.dot.diagram": "NoDiagram TraceDiagram diagram",
        "potlang.languages.dot.glue": "GlueError Glued Shared glue",
        "potlang.languages.dot.read.trace": "Trace",
        "potlang.languages.dot.report": "TraceReport",
        "potlang.languages.dot.results": "TraceVerdict",
        "potlang.languages.dot.solve.literals": "entailed_literals",
        "potlang.languages.dot.check": "CheckedTrace MalformedTrace check read",
        "potlang.languages.dot.solve.verify": "verify",
        "potlang.languages.dot.stream.registers": "Budgets TraceGoal",
        "potlang.languages.dot.stream.validator": "Validator",
        "potlang.languages.dot.write.builder": "BuildError TraceBuilder",
        "potlang.models.traces.reasoned": "ReasonedTrace",
        "potlang.models.traces.loop": "reason",
        "potlang.models.traces.masked_writing": "BadLogits WrittenTrace write",
    },
)
