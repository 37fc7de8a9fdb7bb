"""The graph of one solution, unclosed steps in orange (DAG-MATH paper, figure 6), with Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from typing import TYPE_CHECKING

from potlang.drawing.layout import layout
from potlang.languages.dagmath.check.graph import Graph as Steps
from potlang.score.plots import new_figure
from potlang.utils.extra import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

_KINDS = {
    "open": ("#E69F00", "#8A5A00", "no later step uses it"),
    "last": ("#009E73", "#00573F", "last step"),
    "source": ("#DDE7F0", "#0072B2", "given"),
    "derived": ("#FFFFFF", "#444444", "derived"),
}
"""Fill, border and meaning of a step, by the first kind that fits."""
_RADIUS = 0.26
_ROW = 0.95
"""Inches between rows; between columns it is one."""
_BENDS = (0.0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45)
_POINTS = 24

Point = tuple[float, float]


def solution_figure(graph: Steps, ids: Sequence[int]) -> Figure:
    """A drawing of a solution: its steps by their ids, arrows from premise to conclusion.

    Raises MissingExtraError.
    """
    places = _places(graph)
    wide = max(x for x, _ in places) - min(x for x, _ in places)
    tall = -min(y for _, y in places)
    figure = new_figure(max(wide + 1.4, 4.6), tall + 1.5)
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_aspect("equal")
    kinds = _kinds(graph)
    circles = [_circle(axes, place, kind) for place, kind in zip(places, kinds, strict=True)]
    for step, (x, y) in enumerate(places):
        size = 9 if len(str(ids[step])) < 4 else 6
        colour = "#FFFFFF" if kinds[step] == "last" else "#000000"
        axes.text(x, y, str(ids[step]), ha="center", va="center", fontsize=size, color=colour, zorder=4)
        for parent in graph.parents[step]:
            bend = _bend(places[parent], places[step], places)
            _arrow(axes, (places[parent], places[step]), (circles[parent], circles[step]), bend)
    middle = sum(x for x, _ in places) / len(places)
    half = max(wide + 1.0, 4.2) / 2
    axes.set_xlim(
        min(middle - half, min(x for x, _ in places) - 0.5),
        max(middle + half, max(x for x, _ in places) + 0.5),
    )
    axes.set_ylim(-tall - 0.5, 0.5)
    _legend(figure, set(kinds))
    return figure


def _places(graph: Steps) -> list[Point]:
    """The middle of each step in inches, rows downwards."""
    steps = range(len(graph.parents))
    lines = ((parent, step) for step in steps for parent in graph.parents[step])
    found = layout(steps, lines).places
    return [(found[step][1], -_ROW * found[step][0]) for step in steps]


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


def _circle(axes: Axes, place: Point, kind: str) -> Patch:
    fill, border, _ = _KINDS[kind]
    circle: Patch = needed("matplotlib.patches").Circle(place, _RADIUS, fc=fill, ec=border, lw=1.4, zorder=3)
    return axes.add_patch(circle)


def _arrow(axes: Axes, places: tuple[Point, Point], circles: tuple[Patch, Patch], bend: float) -> None:
    """An arrow from one circle to another, with the style of Matplotlib's `arc3`."""
    axes.annotate(
        "",
        xy=places[1],
        xytext=places[0],
        arrowprops={
            "arrowstyle": "-|>",
            "mutation_scale": 9,
            "color": "#777777",
            "lw": 0.8,
            "patchA": circles[0],
            "patchB": circles[1],
            "shrinkA": 0,
            "shrinkB": 1,
            "connectionstyle": f"arc3,rad={bend}",
        },
        zorder=1,
    )


def _bend(start: Point, end: Point, others: Sequence[Point]) -> float:
    """The least bend with which an arrow touches the fewest of the other steps."""
    near = [each for each in others if each not in (start, end) and end[1] < each[1] + _RADIUS < start[1] + 1]
    return min(_BENDS, key=lambda bend: _touched(start, end, bend, near))


def _touched(start: Point, end: Point, bend: float, near: Sequence[Point]) -> int:
    """How many circles a curve touches, by points along it (Matplotlib's `arc3`, a quadratic one)."""
    across, down = end[0] - start[0], end[1] - start[1]
    middle = (start[0] + end[0]) / 2 + bend * down, (start[1] + end[1]) / 2 - bend * across
    curve = []
    for at in range(1, _POINTS):
        t = at / _POINTS
        one, two, three = (1 - t) ** 2, 2 * t * (1 - t), t**2
        curve.append([one * a + two * b + three * c for a, b, c in zip(start, middle, end, strict=True)])
    return sum(any(dist(point, each) < 1.15 * _RADIUS for point in curve) for each in near)


def _legend(figure: Figure, kinds: set[str]) -> None:
    lines = needed("matplotlib.lines")
    handles = [
        lines.Line2D([], [], ls="", marker="o", ms=9, mfc=fill, mec=border, label=meaning)
        for kind, (fill, border, meaning) in _KINDS.items()
        if kind in kinds
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)
