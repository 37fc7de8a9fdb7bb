"""Checking a trace: its form, and the names and sorts of its propositions; no solver is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from potlang import diag
from potlang.diag import Diagnostic, Severity, Sink
from potlang.languages.dot.lower.typing import TraceTheory, TypedPropositions, read_propositions
from potlang.languages.dot.mend.mending import with_mends
from potlang.languages.dot.read.lookalike import report_unread
from potlang.languages.dot.read.raw import Source
from potlang.languages.dot.read.reader import ReadOptions
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.read.reply import read_reply, report_left_out
from potlang.languages.dot.read.rules import located
from potlang.languages.dot.read.trace import Trace
from potlang.languages.pot.check import Source as ProgramSource
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.program import Program
from potlang.source import Document

TraceSource: TypeAlias = Trace | Source
"""A trace that was read, its text, its bytes, or a file's path."""
Theory: TypeAlias = Program | ProgramSource
"""A PoT program, compiled or not: its declarations and assumptions are the semantic space."""


class CheckedTrace(NamedTuple):
    """A trace with what is wrong with its form and with the sorts of its propositions."""

    trace: Trace
    propositions: TypedPropositions
    diagnostics: tuple[Diagnostic, ...]

    @property
    def document(self) -> Document:
        """The document that places in the trace are in."""
        return self.trace.document

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not any(each.severity is Severity.ERROR for each in self.diagnostics)

    def located(self) -> tuple[dict[str, Any], ...]:
        """The diagnostics as JSON values with lines and columns."""
        return located(self.diagnostics, self.trace.document)


class MalformedTrace(ValueError):
    """A trace is not well formed. `diagnostics` says what, where, and which rule."""

    def __init__(self, diagnostics: Iterable[Diagnostic], trace: Trace) -> None:
        self.diagnostics = tuple(diagnostics)
        self.trace = trace
        super().__init__(diag.render_all(self.diagnostics, trace.document).rstrip())


def read(
    source: Source,
    *,
    profile: Profile = "paper",
    budget: int | None = None,
    require_end: bool = False,
    name: str | None = None,
) -> Trace:
    """The trace in a text, in bytes or in a file. Raises `MalformedTrace` if it is not well formed.

    `budget` bounds the records that are no status; with `require_end` the trace needs its end. What stands
    around the trace of a reply is left out ([DOT-REPLY]).
    """
    trace, sink = opened(source, profile, budget, name, require_end)
    if sink.has_errors:
        raise MalformedTrace(sink.diagnostics(), trace)
    return trace


def check(
    source: TraceSource,
    *,
    profile: Profile = "paper",
    theory: Theory | None = None,
    budget: int | None = None,
    require_end: bool = False,
    name: str | None = None,
) -> CheckedTrace:
    """The form of a trace, and the names and sorts of its propositions; no solver is asked.

    `budget` and `require_end` are those of `read`.

    Never raises for what the trace contains. Raises `potlang.CompileError` if the theory does not compile.
    """
    program = compiled(theory)
    trace, sink = opened(source, profile, budget, name, require_end)
    report_left_out(trace, sink)
    report_unread(trace, sink)
    propositions = read_propositions(trace, sink, None if program is None else TraceTheory(program.tree))
    how = ReadOptions(trace.profile, budget, require_end)
    return CheckedTrace(trace, propositions, with_mends(trace, sink, how))


def opened(
    source: TraceSource, profile: Profile, budget: int | None, name: str | None, require_end: bool = False
) -> tuple[Trace, Sink]:
    """The trace, read where it is not yet, and the sink with the errors of its form."""
    if isinstance(source, Trace) and source.is_well_formed and budget is None and not require_end:
        return source, Sink(source.document)
    if isinstance(source, Trace):
        # What is wrong with it is not in it: its text is read once more.
        profile, name, source = source.profile, source.document.name, source.raw.data
    return read_reply(source, ReadOptions(profile, budget, require_end), name)


def compiled(theory: Theory | None) -> Program | None:
    """The compiled theory. Raises `CompileError` for one that does not compile."""
    return theory if theory is None or isinstance(theory, Program) else compile_program(theory)
