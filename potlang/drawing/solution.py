"""The graph of one solution, unclosed steps in orange (DAG-MATH paper, figure 6), with Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from potlang.drawing.layout import GraphLayout, Link, Point, layout
from potlang.languages.dagmath.check.graph import Graph as Steps
from potlang.score.plots import new_figure
from potlang.utils.extra import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS = {
    "open": ("#E69F00", "#8A5A00", "no later step uses it"),
    "last": ("#009E73", "#00573F", "last step"),
    "source": ("#DDE7F0", "#0072B2", "given"),
    "derived": ("#FFFFFF", "#444444", "derived"),
}
"""Fill, border and meaning of a step, by the first kind that fits."""
_RADIUS = 0.26
_INCH = 72
"""Points of the layout."""


def solution_figure(graph: Steps, ids: Sequence[int]) -> Figure:
    """A drawing of a solution: its steps by their ids, arrows from premise to conclusion.

    Raises MissingExtraError and LayoutError.
    """
    found = _layout(graph)
    wide, tall = found.width / _INCH, found.height / _INCH
    figure = new_figure(max(wide, 4.6), tall + 0.7)
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_aspect("equal")
    kinds = _kinds(graph)
    for step, box in enumerate(found.boxes):
        x, y = _inches((box.x + box.width / 2, box.y + box.height / 2))
        _circle(axes, (x, y), kinds[step])
        size = 9 if len(str(ids[step])) < 4 else 6
        colour = "#FFFFFF" if kinds[step] == "last" else "#000000"
        axes.text(x, y, str(ids[step]), ha="center", va="center", fontsize=size, color=colour, zorder=4)
    for route in found.routes:
        _arrow(axes, [_inches(point) for point in route.points])
    half = max(wide, 4.2) / 2
    axes.set_xlim(wide / 2 - half, wide / 2 + half)
    axes.set_ylim(-tall, 0)
    _legend(figure, set(kinds))
    return figure


def _layout(graph: Steps) -> GraphLayout:
    """The places of all steps and arrows."""
    parents = graph.parents
    side = 2 * _RADIUS * _INCH
    links = [Link(parent, step) for step in range(len(parents)) for parent in parents[step]]
    return layout([(side, side)] * len(parents), links)


def _inches(point: Point) -> Point:
    return point[0] / _INCH, -point[1] / _INCH


def _kinds(graph: Steps) -> list[str]:
    unclosed = set(graph.unclosed())
    last = len(graph.parents) - 1
    return [
        "open"
        if step in unclosed
        else "last"
        if step == last
        else "derived"
        if graph.parents[step]
        else "source"
        for step in range(len(graph.parents))
    ]


def _circle(axes: Axes, place: Point, kind: str) -> None:
    fill, border, _ = _KINDS[kind]
    axes.add_patch(needed("matplotlib.patches").Circle(place, _RADIUS, fc=fill, ec=border, lw=1.4, zorder=3))


def _arrow(axes: Axes, points: Sequence[Point]) -> None:
    """An arrow along a line."""
    patches, path = needed("matplotlib.patches"), needed("matplotlib.path")
    arrow = patches.FancyArrowPatch(
        path=path.Path(points), arrowstyle="-|>", mutation_scale=9, color="#777777", lw=0.8, zorder=1
    )
    axes.add_patch(arrow)


def _legend(figure: Figure, kinds: set[str]) -> None:
    lines = needed("matplotlib.lines")
    handles = [
        lines.Line2D([], [], ls="", marker="o", ms=9, mfc=fill, mec=border, label=meaning)
        for kind, (fill, border, meaning) in _KINDS.items()
        if kind in kinds
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)
