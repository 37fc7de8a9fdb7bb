"""A report as a page, or as a drawing alone in one of three languages ([VIEW-FORMS])."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Literal

from potlang.drawing import mermaid
from potlang.drawing.graph import MOST_NODES, DrawnGraph, graph_of, graph_of_solution
from potlang.drawing.graphviz import graphviz
from potlang.drawing.layout import LayoutError
from potlang.drawing.program_page import program_page
from potlang.drawing.solution_page import solution_page
from potlang.drawing.svg import svg
from potlang.drawing.trace_page import trace_page
from potlang.drawing.transcript_page import transcript_page
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dot.report import TraceReport
from potlang.languages.pot.program import Program
from potlang.languages.pot.report import Report
from potlang.models.loop.results import Transcript
from potlang.models.loop.transcripts import ReadTranscript, read_transcript
from potlang.report.results import Verdict

Form = Literal["html", "svg", "mermaid", "graphviz"]
"""A page, or a drawing alone in one of three languages."""
_DRAWINGS: Final[Mapping[str, tuple[Callable[[DrawnGraph], str], int]]] = {
    "svg": (svg, MOST_NODES),
    "mermaid": (mermaid.mermaid, mermaid.MOST_NODES),
    "graphviz": (graphviz, MOST_NODES),
}
"""The writers of drawings, and how many vertices each draws at most."""


class ViewError(ValueError):
    """There is nothing to draw, or no drawing of that form."""


_NAMELESS: Final = ("", "-", "<stdin>", "<value>", "<string>", "<bytes>")
"""The name that is shown for an input without one."""


def _title(name: str | None, report: Report) -> str:
    """The title of a program's page: the program's name, else that of its only claim."""
    if name is not None and name not in _NAMELESS:
        return name
    return report.results[0].name if len(report.results) == 1 else "program"


def draw(
    report: Report | TraceReport | SolutionReport | Transcript | ReadTranscript,
    to: Form = "html",
    name: str | None = None,
    program: Program | None = None,
) -> str:
    """The page or the drawing of a report, or the page on a transcript; `name` is what its input is called.

    With the `program` that a report is on, its page has its text and the derivations of its claims. Raises
    ViewError for a trace without nodes, a solution that is no graph, a program that does not compile and
    one in another form than `html`, and for a drawing without a layout; TypeError for anything but a report.
    """
    match report:
        case Report():
            if report.verdict is Verdict.REJECTED:
                raise ViewError("there is no program to show")
            if to != "html":
                raise ViewError(f"a program has a page and no drawing: `html`, not `{to}`")
            return program_page(report, _title(name, report), program)
        case Transcript() | ReadTranscript():
            if to != "html":
                raise ViewError(f"a transcript has a page and no drawing: `html`, not `{to}`")
            read = report if isinstance(report, ReadTranscript) else read_transcript(report.to_dict())
            return transcript_page(read, "transcript" if name is None or name in _NAMELESS else name)
        case TraceReport():
            noun, is_empty = "trace", not report.nodes
            whole, graph = partial(trace_page, report), partial(graph_of, report)
        case SolutionReport():
            noun, is_empty = "solution", report.graph is None
            whole, graph = partial(solution_page, report), partial(graph_of_solution, report)
        case _:
            raise TypeError(f"a view is of a report, not of {type(report).__name__}")
    if to != "html" and to not in _DRAWINGS:
        raise ViewError(f"no drawing `{to}`: one of html, {', '.join(_DRAWINGS)}")
    if is_empty:
        raise ViewError(f"there is no {noun} to draw")
    if to == "html":
        return whole(name or noun)
    write, most = _DRAWINGS[to]
    try:
        return write(graph(most))
    except LayoutError as error:
        raise ViewError(f"{error}; `--to graphviz` needs no layout") from error
