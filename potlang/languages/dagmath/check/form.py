"""Reads a solution and checks its form: what is no graph is an error, all else a warning ([DAG-READ])."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from potlang import diag
from potlang.diag import Diagnostic, Label, Severity, Sink
from potlang.languages.dagmath.check.formals import check_formals
from potlang.languages.dagmath.check.format import check_format
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.check.reasons import PHRASES, Unclosed, unclosed_steps
from potlang.languages.dagmath.read.reader import ReadSolution, Source, read_solution
from potlang.languages.dagmath.read.records import Solution
from potlang.source import DEFAULT_LIMITS, Document, InputLimits

_MAY_BE_GOLD = ("POT7026", "POT7032", "POT7033")


@dataclass(frozen=True, slots=True)
class CheckedSolution:
    """A solution as read, its graph, its unclosed steps with their likely reasons, and what was reported.

    `solution` and `graph` are None where an error was reported.
    """

    read: ReadSolution
    graph: Graph | None
    unclosed: tuple[Unclosed, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def solution(self) -> Solution | None:
        """The solution; None where an error was reported."""
        return self.read.solution

    @property
    def document(self) -> Document:
        """The document that places in the solution are in."""
        return self.read.document

    @property
    def ok(self) -> bool:
        """Whether the steps are a graph, whatever warnings there are."""
        return self.read.solution is not None

    def located(self) -> tuple[dict[str, Any], ...]:
        """The diagnostics as JSON values (`schemas/diagnostics-1.json`)."""
        return tuple(diag.diagnostic_to_json(each, self.read.document) for each in self.diagnostics)


class MalformedSolution(ValueError):
    """A solution is no graph of steps, or has an answer that never ends; `diagnostics` says where."""

    def __init__(self, checked: CheckedSolution) -> None:
        self.diagnostics = checked.diagnostics
        super().__init__(diag.render_all(checked.diagnostics, checked.read.document).rstrip())


def is_gold(checked: CheckedSolution, correct: bool) -> bool:
    """Whether a solution keeps the format to the letter, is closed, and its answer is right ([DAG-GOLD]).

    `correct` is the judgement of its answer. No error may have been reported of it, and no warning but of
    a `formal`, and of a citation of several steps at once, which the authors' own edges have (appendix D.3).
    """
    quiet = all(each.severity is Severity.NOTE or each.code in _MAY_BE_GOLD for each in checked.diagnostics)
    return correct and quiet and checked.graph is not None and checked.graph.closed()


def read(source: Source, *, name: str | None = None, limits: InputLimits = DEFAULT_LIMITS) -> Solution:
    """The solution in a text, in bytes, in a file or in a JSON value. Raises MalformedSolution."""
    checked = check(source, name=name, limits=limits)
    if checked.solution is None:
        raise MalformedSolution(checked)
    return checked.solution


def check(
    source: Source, *, name: str | None = None, limits: InputLimits = DEFAULT_LIMITS
) -> CheckedSolution:
    """The form of a solution; no step is checked, and no answer judged.

    Never raises for what the solution contains. Raises TypeError for a source of another type.
    """
    if not isinstance(source, str | bytes | bytearray | memoryview | os.PathLike | Document | dict | list):
        raise TypeError(f"a solution is text, bytes, a path or a JSON value, not {type(source).__name__}")
    sink = Sink()
    read = read_solution(source, sink, limits=limits, name=name)
    if read.links is None:
        check_format(read, sink)
    check_formals(read, sink)
    graph: Graph | None = None
    unclosed: list[Unclosed] = []
    if read.solution is not None:
        graph = Graph.of(read.solution)
        unclosed = unclosed_steps(read.steps, graph)
        for each in unclosed if read.links is None else ():
            _report(each, read, sink)
    return CheckedSolution(read, graph, tuple(unclosed), tuple(sink.diagnostics()))


def _report(found: Unclosed, read: ReadSolution, sink: Sink) -> None:
    branch = [Label(read.places.part(at, "node"), "of the same strategy") for at in found.branch[-4:-1]]
    sink.report(
        "POT7020",
        read.places.part(found.step, "node"),
        labels=branch,
        notes=(f"likely {PHRASES[found.reason]}",),
        id=read.steps[found.step].id,
    )
