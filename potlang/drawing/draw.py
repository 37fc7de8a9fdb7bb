"""A report as a page, or as a drawing alone in one of three languages ([VIEW-FORMS])."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dot.report import TraceReport
from potlang.languages.pot.report import Report
from potlang.report.results import Verdict

if TYPE_CHECKING:
    from potlang.drawing.graph import Graph

Form = Literal["html", "svg", "mermaid", "graphviz"]
"""A page, or a drawing alone in one of three languages."""


class ViewError(ValueError):
    """There is nothing to draw, or no drawing of that form."""


def draw(report: Report | TraceReport | SolutionReport, to: Form = "html", name: str | None = None) -> str:
    """The page or the drawing of a report; `name` is what its input is called.

    Raises ViewError for a trace without nodes, a solution that is no graph, a program that does not compile
    and one in another form than `html`; TypeError for anything but a report.
    """
    from potlang.drawing import page as pages

    if isinstance(report, Report):
        if report.verdict is Verdict.REJECTED:
            raise ViewError("there is no program to show")
        if to != "html":
            raise ViewError(f"a program has a page and no drawing: `html`, not `{to}`")
        return pages.program_page(report, name or "program")
    graph: Callable[[int], Graph]
    if isinstance(report, TraceReport):
        from potlang.drawing.graph import graph_of

        if not report.nodes:
            raise ViewError("there is no trace to draw")
        if to == "html":
            return pages.page(report, name or "trace")
        graph = partial(graph_of, report)
    elif isinstance(report, SolutionReport):
        from potlang.drawing.steps import graph_of_solution

        if report.graph is None:
            raise ViewError("there is no solution to draw")
        if to == "html":
            return pages.solution_page(report, name or "solution")
        graph = partial(graph_of_solution, report)
    else:
        raise TypeError(f"a view is of a report, not of {type(report).__name__}")
    return _drawing(graph, to)


def _drawing(graph: Callable[[int], Graph], to: Form) -> str:
    """The text of a drawing; `graph` gives the graph of at most so many vertices."""
    from potlang.drawing.graph import MOST_NODES

    match to:
        case "mermaid":
            from potlang.drawing import mermaid

            return mermaid.mermaid(graph(mermaid.MOST_NODES))
        case "graphviz":
            from potlang.drawing.graphviz import graphviz

            return graphviz(graph(MOST_NODES))
        case "svg":
            from potlang.drawing.svg import svg

            return svg(graph(MOST_NODES))
    raise ViewError(f"no drawing `{to}`: one of html, svg, mermaid, graphviz")
