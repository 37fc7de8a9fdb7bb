"""A graph as SVG: well-formed XML without scripts and without anything from elsewhere.

Alone it has its own style, title and legend. On a page it has none of these, and its vertices are links to
their rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import hypot
from typing import NamedTuple

from potlang.diag.wording import counted
from potlang.drawing.colours import DARK, LIGHT, Palette
from potlang.drawing.graph import DrawnGraph, Legend, Line, Vertex
from potlang.drawing.layout import CORNER, GraphLayout, Link, PlacedBox, Point, layout
from potlang.drawing.measure import FONT, shortened, text_width, wrapped
from potlang.report.html import Html, element, joined

_SIZE = 12
_NARROW, _WIDE = 96, 216
_PADDING, _LINE = 9, 16
_LABEL_LINES = 3
_MARK = 18
_MARGIN = 16
_TONES = {"proved": "✓", "assumed": "~", "refuted": "✗", "unknown": "?", "none": ""}
_LABEL = (30, 18)
"""The label of an inclusion."""


class Drawing(NamedTuple):
    """A graph with its places: the lines of text in each box, and the layout."""

    graph: DrawnGraph
    labels: tuple[tuple[str, ...], ...]
    layout: GraphLayout


def placed(graph: DrawnGraph) -> Drawing:
    """The graph with a place for everything in it. Raises LayoutError."""
    number = {vertex.id: at for at, vertex in enumerate(graph.vertices)}
    labels = tuple(
        tuple(wrapped(vertex.label, _WIDE - 2 * _PADDING, _SIZE, _LABEL_LINES)) for vertex in graph.vertices
    )
    sizes = [_box_size(vertex, lines) for vertex, lines in zip(graph.vertices, labels, strict=True)]
    links = [
        Link(number[line.source], number[line.target], _LABEL if line.kind == "inclusion" else (0, 0))
        for line in graph.lines
    ]
    return Drawing(graph, labels, layout(sizes, links))


def _box_size(vertex: Vertex, lines: tuple[str, ...]) -> tuple[float, float]:
    mark = _MARK if vertex.mark else 0
    widest = max(
        text_width(vertex.title, _SIZE, bold=True) + mark, *(text_width(line, _SIZE) for line in lines), 0
    )
    width = min(max(widest * 1.04 + 2 * _PADDING, _NARROW), _WIDE)
    return round(width), 2 * _PADDING + _LINE * (1 + len(lines)) - 4


def svg(graph: DrawnGraph) -> str:
    """The drawing as a document, with its own style for light and dark backgrounds. Raises LayoutError."""
    drawing = placed(graph)
    width = max(drawing.layout.width, 480.0)
    legend, top = _legend(graph, width)
    height = top + drawing.layout.height
    left = (width - drawing.layout.width) / 2
    return (
        element(
            "svg",
            element("title", _title(graph)),
            element("desc", _description(graph)),
            element("style", Html(style())),
            element("rect", class_="ground", width=f"{width:g}", height=f"{height:g}"),
            legend,
            element("g", *_content(drawing, "", False), transform=f"translate({left:g} {top:g})"),
            xmlns="http://www.w3.org/2000/svg",
            class_="graph",
            width=f"{width:g}",
            height=f"{height:g}",
            viewBox=f"0 0 {width:g} {height:g}",
            role="img",
        )
        + "\n"
    )


def inline_svg(drawing: Drawing, prefix: str) -> Html:
    """The drawing for a page on which the row of a vertex has the id `row-` and the vertex's.

    Ids in it begin with `prefix`.
    """
    found = drawing.layout
    return element(
        "svg",
        *_content(drawing, prefix, True),
        class_="graph",
        width=f"{found.width:g}",
        height=f"{found.height:g}",
        viewBox=f"0 0 {found.width:g} {found.height:g}",
        role="group",
        aria_label=_title(drawing.graph),
    )


def _title(graph: DrawnGraph) -> str:
    return f"A graph of {counted(len(graph.vertices), 'node')} and {counted(len(graph.lines), 'line')}"


def _description(graph: DrawnGraph) -> str:
    """The vertices that are not as they should be, in words."""
    wrong = [vertex.title for vertex in graph.vertices if vertex.is_wrong]
    more = f"; {len(wrong) - 20:,} more" if len(wrong) > 20 else ""
    said = [graph.note, f"Marked: {'; '.join(wrong[:20])}{more}" if wrong else ""]
    return ". ".join(each for each in said if each)


def _content(drawing: Drawing, prefix: str, linked: bool) -> Iterator[Html]:
    graph, found = drawing.graph, drawing.layout
    yield element("defs", *(_marker(prefix, tone) for tone in LIGHT.tone))
    for line, route in zip(graph.lines, found.routes, strict=True):
        yield _line(line, route.points, route.label, prefix)
    for vertex, lines, box in zip(graph.vertices, drawing.labels, found.boxes, strict=True):
        yield _vertex(vertex, lines, box, prefix, linked)


# --- style -----------------------------------------------------------------------------------------


def style() -> str:
    """The style of drawings; rules begin at `svg.graph`, so a page around it is left alone."""
    rules = (
        f"{{font-family:{FONT};font-size:{_SIZE}px}}",
        " .name{font-weight:700}",
        " .mark{font-weight:700;font-size:14px}",
        " path{fill:none;stroke-width:1.3}",
        " marker path{stroke:none}",
        " .refine{stroke-width:2.6}",
        " .critique{stroke-dasharray:2 4}",
        " .inclusion{stroke-width:2;stroke-dasharray:8 4}",
        " .wrong{stroke-width:3.5}",
    )
    plain = "".join(f"svg.graph{rule}" for rule in rules)
    light, dark = ("".join(map("svg.graph ".__add__, _rules(palette))) for palette in (LIGHT, DARK))
    return f"{plain}{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _rules(palette: Palette) -> Iterator[str]:
    yield f"text{{fill:{palette.text}}}"
    yield f".ground,svg.graph .back{{fill:{palette.background}}}"
    for status, (fill, stroke) in palette.status.items():
        yield f".s-{status}{{fill:{fill};stroke:{stroke}}}"
    yield f".wrong{{stroke:{palette.tone['refuted']}}}"
    for tone, colour in palette.tone.items():
        yield f".t-{tone}{{stroke:{colour}}}"
        yield f"text.t-{tone}{{fill:{colour};stroke:none}}"
        yield f".h-{tone} path{{fill:{colour}}}"


def _marker(prefix: str, tone: str) -> Html:
    return element(
        "marker",
        element("path", d="M0 0L8 4L0 8z"),
        id=f"{prefix}head-{tone}",
        class_=f"h-{tone}",
        viewBox="0 0 8 8",
        refX="7",
        refY="4",
        markerWidth="8",
        markerHeight="8",
        markerUnits="userSpaceOnUse",
        orient="auto",
    )


def _legend(graph: DrawnGraph, width: float) -> tuple[Html, float]:
    """Meanings of colours and marks in as many rows as they need, and where they end."""
    parts: list[Html] = []
    x, y = float(_MARGIN), 22.0
    for status, word in graph.used_legend():
        wide = text_width(word, _SIZE) * 1.04 + (17 if status else 0)
        if x > _MARGIN and x + wide > width - _MARGIN:
            x, y = float(_MARGIN), y + 20
        if status is not None:
            parts.append(_swatch(f"s-{status}", x, y - 10))
        parts.append(element("text", word, x=f"{x + (17 if status else 0):g}", y=f"{y:g}"))
        x += wide + 18
    for line in wrapped(graph.note, width - 2 * _MARGIN, _SIZE, 3):
        y += 20
        parts.append(element("text", line, x=_MARGIN, y=f"{y:g}"))
    return element("g", *parts), y + 12


def legend_html(legend: Legend) -> Html:
    """The meanings of colours and marks as a list."""
    items = (
        element("li", element("span", class_=f"swatch s-{status}") if status else None, word)
        for status, word in legend
    )
    return element("ul", *items, class_="legend")


def _swatch(class_: str, x: float, y: float) -> Html:
    return element("rect", class_=class_, x=f"{x:g}", y=f"{y:g}", width="12", height="12", rx="3")


# --- vertices --------------------------------------------------------------------------------------


def _vertex(vertex: Vertex, lines: tuple[str, ...], box: PlacedBox, prefix: str, linked: bool) -> Html:
    text = partial(element, "text", x=f"{box.x + _PADDING:g}")
    room = box.width - 2 * _PADDING - (_MARK if vertex.mark else 0)
    mark = element("text", vertex.mark, class_="mark", x=f"{box.x + box.width - 20:g}", y=f"{box.y + 20:g}")
    parts = (
        element("title", vertex.about()),
        element(
            "rect",
            class_=f"s-{vertex.status}{' wrong' if vertex.is_wrong else ''}",
            x=f"{box.x:g}",
            y=f"{box.y:g}",
            width=f"{box.width:g}",
            height=f"{box.height:g}",
            rx=_corner(vertex.role),
        ),
        text(shortened(vertex.title, room * 1.05, _SIZE, bold=True), class_="name", y=f"{box.y + 20:g}"),
        mark if vertex.mark else None,
        *(text(line, y=f"{box.y + 20 + _LINE * at:g}") for at, line in enumerate(lines, 1)),
    )
    if not linked:
        return element("g", *parts)
    return element(
        "a",
        *parts,
        class_="node",
        id=f"{prefix}{vertex.id}",
        href=f"#row-{vertex.id}",
        data_id=str(vertex.id),
    )


def _corner(role: str) -> int:
    """Critics are rounder than propositions."""
    return {"critic": 18, "problem": 12}.get(role, 4)


# --- lines -----------------------------------------------------------------------------------------


def _line(line: Line, points: tuple[Point, ...], label: Point, prefix: str) -> Html:
    is_inclusion = line.kind == "inclusion"
    path = element(
        "path",
        class_=f"{line.kind} t-{line.tone}",
        d=rounded_path(points),
        marker_end=f"url(#{prefix}head-{line.tone})",
    )
    said = (
        f"{line.source} ≤ {line.target}: {line.tone}"
        if is_inclusion
        else f"{line.source} {line.kind} {line.target}"
    )
    return element(
        "g",
        element("title", said),
        path,
        _line_label(line, label) if is_inclusion else None,
        class_="line",
        data_from=str(line.source),
        data_to=str(line.target),
    )


def _line_label(line: Line, middle: Point) -> Html:
    (x, y), (width, height) = middle, _LABEL
    back = element(
        "rect", class_="back", x=f"{x - width / 2:g}", y=f"{y - height / 2:g}", width=width, height=height
    )
    words = f"≤ {_TONES[line.tone]}".rstrip()
    text = element("text", words, class_=f"t-{line.tone}", x=f"{x:g}", y=f"{y + 4:g}", text_anchor="middle")
    return joined((back, text))


def rounded_path(points: tuple[Point, ...]) -> str:
    """The path along a line with its corners rounded, each within the triangle that it cuts off."""
    (x, y), *rest = points
    path = [f"M{x:g} {y:g}"]
    for at, corner in enumerate(points[1:-1], 1):
        before, after = _towards(corner, points[at - 1]), _towards(corner, points[at + 1])
        path.append(f"L{_pair(before)}Q{_pair(corner)} {_pair(after)}")
    return "".join([*path, f"L{_pair(rest[-1])}"])


def _towards(corner: Point, other: Point) -> Point:
    """The point near a corner on the way to another one."""
    across, along = other[0] - corner[0], other[1] - corner[1]
    length = hypot(across, along) or 1
    part = min(CORNER, length / 2) / length
    return corner[0] + across * part, corner[1] + along * part


def _pair(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
