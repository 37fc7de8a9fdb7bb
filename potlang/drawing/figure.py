"""The drawing of a trace or a solution on its page: an overview first if it is large."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from potlang.drawing.graph import DrawnGraph
from potlang.drawing.layout import LayoutError
from potlang.drawing.page import Section, folded
from potlang.drawing.svg import inline_svg, legend_html, placed
from potlang.report.html import Html, element, joined

OVERVIEW = 40
"""Nodes of a graph that can be taken in at one glance; of a larger one so many are drawn first."""


def graph_section(whole: DrawnGraph, part: Callable[[int], DrawnGraph]) -> Section:
    """The section with a graph; `part` gives what matters of it, at most so many nodes."""
    return Section("graph", "Graph", joined(_figures(whole, part)) if whole.vertices else Html(""))


def _figures(whole: DrawnGraph, part: Callable[[int], DrawnGraph]) -> Iterator[Html]:
    if len(whole.vertices) <= OVERVIEW:
        yield _figure(whole, "node-")
        return
    yield _figure(part(OVERVIEW), "near-")
    yield folded(whole.note or f"All {len(whole.vertices):,} nodes", _figure(whole, "node-"))


def _figure(graph: DrawnGraph, prefix: str) -> Html:
    """One drawing with its legend, or why there is none."""
    note = element("p", graph.note, class_="note") if graph.note else None
    try:
        drawing = inline_svg(placed(graph), prefix)
    except LayoutError as error:
        return element("p", f"There is no drawing: {error}. The table below has all nodes.", class_="note")
    return element(
        "figure",
        note,
        element("div", drawing, class_="canvas", role="region", aria_label="Graph", tabindex="0"),
        element("figcaption", legend_html(graph.used_legend())),
        class_="graph-figure",
    )
