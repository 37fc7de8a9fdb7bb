"""The graph of a solution that is drawn: steps by what was found of them, and how the rest is marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from potlang.drawing.graph import (
    LABEL,
    MARKS,
    MOST_NODES,
    DrawnGraph,
    Legend,
    Line,
    Status,
    Vertex,
    graph_around,
)
from potlang.languages.dagmath.render import says, verdict_word
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import StepEntry, StepVerdict
from potlang.report.results import Verdict

_MARKS: dict[StepVerdict, tuple[Status, Verdict | None]] = {
    StepVerdict.PROVED: ("validated", Verdict.ENTAILED),
    StepVerdict.REFUTED: ("invalidated", Verdict.REFUTED),
    StepVerdict.NOT_ENTAILED: ("active", Verdict.UNDETERMINED),
    StepVerdict.NOT_CHECKABLE: ("none", None),
    StepVerdict.GIVEN: ("initial", None),
    StepVerdict.UNKNOWN: ("none", Verdict.UNKNOWN),
}
"""Colour and mark of each verdict."""
_LEGEND: Legend = (
    *(
        (status, f"{MARKS[mark]} {verdict}".strip())
        for verdict, (status, mark) in _MARKS.items()
    ),
    (None, "thick border: no later step uses it"),
)  # fmt: skip


def marks_of(step: StepEntry) -> tuple[Status, Verdict | None]:
    """The colour of a step, and the solver's verdict whose mark it has."""
    if step.result is None:
        return "initial" if step.parents is None else "none", None
    return _MARKS[step.result.verdict]


def graph_of_solution(report: SolutionReport, most: int = MOST_NODES) -> DrawnGraph:
    """The graph of a solution, of at most `most` steps and three times as many lines; empty if it is none."""
    if report.graph is None:
        return DrawnGraph((), (), legend=_LEGEND)
    unclosed = {each.id for each in report.unclosed}
    last = report.steps[-1].id
    near = "refuted steps, steps that do not follow, unclosed ones and the last"
    return graph_around(
        report.steps,
        lambda step: _vertex(step, step.id in unclosed, last),
        list(_lines(report)),
        _focus(report),
        most,
        "steps",
        near,
        _LEGEND,
    )


def _vertex(step: StepEntry, is_unclosed: bool, last: int) -> Vertex:
    status, mark = marks_of(step)
    role = "summarizer" if step.id == last else "problem" if step.parents is None else "proposer"
    title = f"{step.id} {verdict_word(step)}".rstrip()
    words = ("no later step uses it",) if is_unclosed else ()
    return Vertex(step.id, role, title, says(step, LABEL), status, mark, is_unclosed, words)


def _lines(report: SolutionReport) -> Iterator[Line]:
    for step in report.steps:
        yield from (Line(parent, step.id, "use") for parent in dict.fromkeys(step.parents or ()))


def _focus(report: SolutionReport) -> Iterable[int]:
    """The steps that a reader looks for, the most important first."""
    for wanted in (StepVerdict.REFUTED, StepVerdict.NOT_ENTAILED):
        yield from (step.id for step in report.steps if step.result and step.result.verdict is wanted)
    yield from (each.id for each in report.unclosed)
    yield report.steps[-1].id
