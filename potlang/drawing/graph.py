"""The graph that is drawn: vertices and lines with their marks, and no word of any drawing language.

It is that of a trace or of a solution. Of a large one it holds the part around what matters ([VIEW-LARGE]).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from potlang.diag.wording import shown, visible
from potlang.drawing.formulas import text_without_formulas
from potlang.languages.dagmath import render as solutions
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import StepEntry, StepVerdict
from potlang.languages.dot import render as traces
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import NodeResult
from potlang.report.results import Verdict

MOST_NODES = 1_000
"""Vertices of a drawing; it has three times as many lines at most."""
LABEL = 80
"""Characters of what a vertex says in its box."""
LONGEST_TITLE = 400
"""Characters of what a vertex says when it is pointed at."""
_READ = 4 * LONGEST_TITLE

Status = Literal["initial", "active", "validated", "invalidated", "none"]
LineKind = Literal["use", "refine", "critique", "inclusion"]
Tone = Literal["proved", "assumed", "refuted", "unknown", "none"]

MARKS: dict[Verdict | None, str] = {
    Verdict.ENTAILED: "✓",
    Verdict.REFUTED: "✗",
    Verdict.UNDETERMINED: "~",
    Verdict.INCONSISTENT: "!",
    Verdict.UNKNOWN: "?",
    None: "",
}
"""The mark of a solver's verdict, beside the colour of the status."""

Legend = tuple[tuple[Status | None, str], ...]
"""Meanings of the colours, the marks and the lines; a status stands for its colour."""

_DASHED = "dashed: inclusion ≤"
_THICK = "thick border: no later step uses it"
TRACE_LEGEND: Legend = (
    ("initial", "initial"),
    ("active", "active"),
    ("validated", "validated"),
    ("invalidated", "invalidated"),
    *((None, f"{mark} {verdict}") for verdict, mark in MARKS.items() if verdict is not None),
    (None, _DASHED),
)


class Vertex(NamedTuple):
    """A node of a trace or a step: `title` names it, `label` is what it says, both on one line.

    `status` is its colour, of a node the critics' judgement; `verdict` is the solver's. `is_wrong`: it has a
    border of its own, as a node of which the two contradict each other. `words` are said of it besides;
    `text` is what the node says at length.
    """

    id: int
    role: str
    title: str
    label: str
    status: Status
    verdict: Verdict | None
    is_wrong: bool = False
    words: tuple[str, ...] = ()
    text: str = ""

    @property
    def mark(self) -> str:
        """The solver's verdict as one character; empty if nothing was claimed."""
        return MARKS[self.verdict]

    def lines(self) -> list[str]:
        """The lines of its label: the title with the mark, and what it says."""
        return [f"{self.title} {self.mark}".rstrip(), *([self.label] if self.label else [])]

    def about(self) -> str:
        """All that is said of it on one line."""
        return ": ".join(word for word in (self.title, *self.words, self.text or self.label) if word)


class Line(NamedTuple):
    """An edge of the trace, or an inclusion `source ≤ target`, which alone has a tone."""

    source: int
    target: int
    kind: LineKind
    tone: Tone = "none"


class DrawnGraph(NamedTuple):
    """The graph of a drawing: all its lines join its vertices. `note` says what is left out."""

    vertices: tuple[Vertex, ...]
    lines: tuple[Line, ...]
    note: str = ""
    legend: Legend = TRACE_LEGEND

    def used_legend(self) -> Legend:
        """The meanings of what occurs in it."""
        used: set[str | None] = {vertex.mark for vertex in self.vertices}
        used |= {vertex.status for vertex in self.vertices}
        used |= {_DASHED} if any(line.kind == "inclusion" for line in self.lines) else set()
        used |= {_THICK} if any(vertex.is_wrong for vertex in self.vertices) else set()
        return tuple(
            (status, words) for status, words in self.legend if {status, words, words.split()[0]} & used
        )


# --- traces --------------------------------------------------------------------------------------


def graph_of(report: TraceReport, most: int = MOST_NODES) -> DrawnGraph:
    """The graph of a trace, of at most `most` vertices and three times as many lines, in linear time."""
    near = "summarizers, judgements that the theory contradicts, and conflicts"
    lines = list(_trace_lines(report))
    return _graph_around(report.nodes, _node_vertex, lines, _trace_focus(report), most, "nodes", near)


def _node_vertex(node: NodeResult) -> Vertex:
    judged = f" {node.status}" if node.role == "proposer" and node.status is not None else ""
    wrong = traces.disagreement(node)
    words = (str(node.verdict or ""), wrong or "")
    text = text_without_formulas(node.text[:_READ])
    proposition = node.proposition
    if proposition is None:
        label, about = f"“{_cut(text, LABEL - 2)}”" if text.strip() else "", text
    else:
        label, about = shown(proposition, LABEL), f"{proposition[:_READ]} {text}"
    return Vertex(
        node.id,
        node.role,
        f"{node.id} {node.role}{judged}",
        label,
        node.status or "none",
        node.verdict,
        wrong is not None,
        words,
        _cut(about, LONGEST_TITLE),
    )


def _trace_lines(report: TraceReport) -> Iterator[Line]:
    """The edges in order, then the inclusions."""
    for edge in report.edges:
        yield Line(edge.source, edge.target, edge.kind)
    for arrow in report.arrows:
        yield Line(arrow.source, arrow.target, "inclusion", arrow.state)


def _trace_focus(report: TraceReport) -> Iterable[int]:
    """The nodes that a reader looks for, the most important first."""
    yield from (node.id for node in report.nodes if traces.disagreement(node) is not None)
    for arrow in report.arrows:
        if arrow.state == "refuted" or arrow.vacuous:
            yield from (arrow.source, arrow.target)
    lines = {found.get("line") for found in report.located} - {None}
    yield from (node.id for node in report.nodes if node.line in lines)
    yield from (node.id for node in report.nodes if node.role == "summarizer")
    yield from report.summary.nodes


# --- solutions -----------------------------------------------------------------------------------

_MARKS: dict[StepVerdict, tuple[Status, Verdict | None]] = {
    StepVerdict.PROVED: ("validated", Verdict.ENTAILED),
    StepVerdict.REFUTED: ("invalidated", Verdict.REFUTED),
    StepVerdict.NOT_ENTAILED: ("active", Verdict.UNDETERMINED),
    StepVerdict.NOT_CHECKABLE: ("none", None),
    StepVerdict.GIVEN: ("initial", None),
    StepVerdict.UNKNOWN: ("none", Verdict.UNKNOWN),
}
"""Colour and mark of each verdict."""
_SOLUTION_LEGEND: Legend = (
    *((status, f"{MARKS[mark]} {verdict}".strip()) for verdict, (status, mark) in _MARKS.items()),
    (None, _THICK),
)


def marks_of(step: StepEntry) -> tuple[Status, Verdict | None]:
    """The colour of a step, and the solver's verdict whose mark it has."""
    if step.result is None:
        return "initial" if step.parents is None else "none", None
    return _MARKS[step.result.verdict]


def graph_of_solution(report: SolutionReport, most: int = MOST_NODES) -> DrawnGraph:
    """The graph of a solution, of at most `most` steps and three times as many lines; empty if it is none."""
    if report.graph is None:
        return DrawnGraph((), (), legend=_SOLUTION_LEGEND)
    unclosed = {each.id for each in report.unclosed}
    last = report.steps[-1].id
    lines = [
        Line(parent, step.id, "use") for step in report.steps for parent in dict.fromkeys(step.parents or ())
    ]
    near = "refuted steps, steps that do not follow, unclosed ones and the last"
    return _graph_around(
        report.steps,
        lambda step: _step_vertex(step, step.id in unclosed, last),
        lines,
        _step_focus(report),
        most,
        "steps",
        near,
        _SOLUTION_LEGEND,
    )


def _step_vertex(step: StepEntry, is_unclosed: bool, last: int) -> Vertex:
    status, mark = marks_of(step)
    role = "summarizer" if step.id == last else "problem" if step.parents is None else "proposer"
    title = f"{step.id} {solutions.verdict_word(step)}".rstrip()
    words = ("no later step uses it",) if is_unclosed else ()
    text = text_without_formulas(step.node[:_READ])
    label, about = _cut(text, LABEL), _cut(text, LONGEST_TITLE)
    return Vertex(step.id, role, title, label, status, mark, is_unclosed, words, about)


def _step_focus(report: SolutionReport) -> Iterable[int]:
    """The steps that a reader looks for, the most important first."""
    for wanted in (StepVerdict.REFUTED, StepVerdict.NOT_ENTAILED):
        yield from (step.id for step in report.steps if step.result and step.result.verdict is wanted)
    yield from (each.id for each in report.unclosed)
    yield report.steps[-1].id


def _cut(text: str, longest: int) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return visible(line if len(line) <= longest else f"{line[: longest - 1]}…")


# --- the part that is drawn of a large graph -------------------------------------------------------


EntryT = TypeVar("EntryT", NodeResult, StepEntry)


def _graph_around(
    entries: Sequence[EntryT],
    vertex: Callable[[EntryT], Vertex],
    lines: Sequence[Line],
    focus: Iterable[int],
    most: int,
    noun: str,
    near: str,
    legend: Legend = TRACE_LEGEND,
) -> DrawnGraph:
    """The graph of nodes or steps: of more than `most` the part around `focus`, in linear time.

    Its note says how many of what are drawn, and what they are `near` to.
    """
    ids = [entry.id for entry in entries]
    kept = set(ids) if len(ids) <= most else _around(ids, lines, focus, most)
    vertices = tuple(vertex(entry) for entry in entries if entry.id in kept)
    inside = [line for line in lines if line.source in kept and line.target in kept]
    notes = []
    if len(vertices) < len(ids):
        notes.append(f"{len(vertices):,} of {len(ids):,} {noun} are drawn: those nearest to {near}")
    if len(inside) > 3 * most:
        notes.append(f"{len(inside) - 3 * most:,} lines are not drawn")
    return DrawnGraph(vertices, tuple(inside[: 3 * most]), "; ".join(notes), legend)


def _around(ids: Sequence[int], lines: Iterable[Line], focus: Iterable[int], most: int) -> set[int]:
    """The vertices nearest to what matters: a search in all directions from there, then the last ones."""
    # Breadth first, so that each vertex in focus gets its neighbours before any gets theirs.
    known = set(ids)
    neighbours: dict[int, list[int]] = {}
    for line in lines:
        neighbours.setdefault(line.source, []).append(line.target)
        neighbours.setdefault(line.target, []).append(line.source)
    kept: set[int] = set()
    queue = deque(dict.fromkeys(each for each in focus if each in known))
    rest = reversed(ids)
    while len(kept) < most:
        node = queue.popleft() if queue else next(rest)
        if node in kept:
            continue
        kept.add(node)
        queue.extend(each for each in neighbours.get(node, ()) if each not in kept and each in known)
    return kept
