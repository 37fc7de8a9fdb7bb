"""The drawing of a trace or a solution on its page: an overview first if it is large."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from potlang.drawing.graph import MOST_NODES, DrawnGraph
from potlang.drawing.layout import LayoutError
from potlang.drawing.page import Section, folded
from potlang.drawing.svg import inline_svg, legend_html, placed
from potlang.report.html import Html, element, joined

OVERVIEW = 40
"""Nodes of a graph that can be taken in at one glance; of a larger one so many are drawn first."""


def graph_section(graph: Callable[[int], DrawnGraph], count: int) -> Section:
    """The section with the graph, which `graph` gives with at most so many nodes; there are `count`."""
    return Section("graph", "Graph", joined(_figures(graph, count)) if count else Html(""))


def _figures(graph: Callable[[int], DrawnGraph], count: int) -> Iterator[Html]:
    if count <= OVERVIEW:
        yield _figure(graph(OVERVIEW), "node-")
        return
    yield _figure(graph(OVERVIEW), "near-")
    whole = graph(MOST_NODES)
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
