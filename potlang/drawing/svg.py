"""A graph as SVG: well-formed XML without scripts and without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from potlang.diag.snippet import columns
from potlang.drawing.colours import DARK, LIGHT, Palette
from potlang.drawing.graph import DrawnGraph, Line, Vertex
from potlang.drawing.layout import GraphLayout, layout

WIDTH, HEIGHT = 184, 62
_GAP_X, _GAP_Y, _MARGIN, _LEGEND = 28, 56, 24, 44
_LINE = 27
"""Columns of a line of a vertex's label."""
_SIDE = 18
_NARROWEST = 1_040
"""The width of the legend."""
_TONES = {"proved": "✓", "assumed": "~", "refuted": "✗", "unknown": "?", "none": ""}


class Canvas(NamedTuple):
    """A layout in points: the middle of each row, and where the first row begins."""

    layout: GraphLayout
    middle: float
    width: float
    height: float

    def corner(self, id_: int) -> tuple[float, float]:
        """The upper left corner of a vertex."""
        row, column = self.layout.places[id_]
        left = self.middle + column * (WIDTH + _GAP_X) - WIDTH / 2
        return left, _LEGEND + _MARGIN + row * (HEIGHT + _GAP_Y)


def svg(graph: DrawnGraph) -> str:
    """The drawing as an `<svg>` element with its own style for light and dark backgrounds."""
    canvas = _canvas(layout_of(graph))
    title = f"{len(graph.vertices)} nodes, {len(graph.lines)} lines"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="trace" width="{canvas.width:.0f}" '
        f'height="{canvas.height:.0f}" viewBox="0 0 {canvas.width:.0f} {canvas.height:.0f}" role="img">',
        f"<title>{xml(title)}</title>",
        f"<style>{style()}</style>",
        f"<defs>{_markers()}</defs>",
        f'<rect class="ground" width="{canvas.width:.0f}" height="{canvas.height:.0f}"/>',
        *_legend(graph),
        *(_line(line, canvas) for line in graph.lines),
        *(_vertex(vertex, canvas) for vertex in graph.vertices),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def layout_of(graph: DrawnGraph) -> GraphLayout:
    """The places of all vertices. Inclusions follow the vertices and do not place them."""
    lines = ((line.source, line.target) for line in graph.lines if line.kind != "inclusion")
    return layout([vertex.id for vertex in graph.vertices], lines)


def xml(text: str) -> str:
    """Text in XML, as content and in attributes; its characters are visible ones already."""
    return escape(text, quote=True)


def style() -> str:
    """The style of drawings; classes begin at `svg.trace`, so a page around it is left alone."""
    dark = "".join(f"svg.trace {rule}" for rule in _palette_rules(DARK))
    return (
        "svg.trace{font-family:system-ui,sans-serif;font-size:12px}"
        "svg.trace .name{font-weight:600}svg.trace .mark{font-weight:700;font-size:15px}"
        "svg.trace path{fill:none;stroke-width:1.3}svg.trace marker path{stroke:none}"
        "svg.trace .refine{stroke-width:2.6}svg.trace .critique{stroke-dasharray:2 4}"
        "svg.trace .inclusion{stroke-width:2;stroke-dasharray:8 4}"
        "svg.trace .wrong{stroke-width:4}"
        + "".join(f"svg.trace {rule}" for rule in _palette_rules(LIGHT))
        + f"@media (prefers-color-scheme:dark){{{dark}}}"
    )


def _palette_rules(palette: Palette) -> Iterator[str]:
    yield f"text{{fill:{palette.text}}}"
    yield f".ground{{fill:{palette.background}}}"
    for status, (fill, stroke) in palette.status.items():
        yield f".s-{status}{{fill:{fill};stroke:{stroke}}}"
    yield f".wrong{{stroke:{palette.tone['refuted']}}}"
    for tone, colour in palette.tone.items():
        yield f".t-{tone}{{stroke:{colour}}}"
        yield f"text.t-{tone}{{fill:{colour};stroke:none}}"
        yield f"#head-{tone} path{{fill:{colour}}}"


def _markers() -> str:
    return "".join(
        f'<marker id="head-{tone}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>'
        for tone in LIGHT.tone
    )


def _canvas(found: GraphLayout) -> Canvas:
    widest = max((len(row) for row in found.rows), default=0)
    width = max(widest * (WIDTH + _GAP_X) + 2 * _MARGIN, _NARROWEST)
    height = _LEGEND + 2 * _MARGIN + len(found.rows) * (HEIGHT + _GAP_Y)
    return Canvas(found, width / 2, width, height)


def _legend(graph: DrawnGraph) -> Iterator[str]:
    x = _MARGIN
    for status, word in graph.legend:
        if status is not None:
            yield f'<rect class="s-{status}" x="{x}" y="10" width="12" height="12" rx="3"/>'
            x += 17
        yield f'<text x="{x}" y="20">{xml(word)}</text>'
        # No font is at hand to measure with: a letter is taken to be seven points wide.
        x += 7 * len(word) + 18
    if graph.note:
        yield f'<text x="{_MARGIN}" y="40">{xml(graph.note)}</text>'


# --- vertices ------------------------------------------------------------------------------------


def _vertex(vertex: Vertex, canvas: Canvas) -> str:
    x, y = canvas.corner(vertex.id)
    name = shortened(vertex.title, _LINE - 3)
    about = [vertex.title, *vertex.words, vertex.label]
    box = f"s-{vertex.status}{' wrong' if vertex.is_wrong else ''}"
    mark = f'<text class="mark" x="{x + WIDTH - 18:g}" y="{y + 18:g}">{vertex.mark}</text>'
    texts = (
        f'<text x="{x + 8:g}" y="{y + 35 + 16 * number:g}">{xml(line)}</text>'
        for number, line in enumerate(_wrapped(vertex.label))
    )
    return (
        f"<g><title>{xml(': '.join(word for word in about if word))}</title>"
        f'<rect class="{box}" x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" '
        f'rx="{_corner(vertex.role)}"/>'
        f'<text class="name" x="{x + 8:g}" y="{y + 18:g}">{xml(name)}</text>'
        f"{mark if vertex.mark else ''}{''.join(texts)}</g>"
    )


def _corner(role: str) -> int:
    """Critics are rounder than propositions."""
    return {"critic": 20, "problem": 12}.get(role, 4)


def shortened(text: str, width: int) -> str:
    """A text cut to so many columns of a terminal."""
    if columns(text) <= width:
        return text
    kept = next(end for end in range(min(len(text), width), -1, -1) if columns(text[:end]) < width)
    return text[:kept] + "…"


def _wrapped(text: str) -> list[str]:
    """The two lines of a label."""
    first = shortened(text, _LINE)
    if first == text:
        return [text] if text else []
    kept = len(first) - 1
    space = text.rfind(" ", 0, kept + 1)
    kept = space if space > kept // 2 else kept
    return [text[:kept], shortened(text[kept:].lstrip(), _LINE)]


# --- lines ---------------------------------------------------------------------------------------


def _line(line: Line, canvas: Canvas) -> str:
    path, (x, y) = _path(line, canvas)
    said = f" {_TONES[line.tone]}" if line.kind == "inclusion" else ""
    what = (
        f"{line.source} ≤ {line.target}: {line.tone}" if said else f"{line.source} {line.kind} {line.target}"
    )
    text = f'<text class="t-{line.tone}" x="{x:g}" y="{y:g}">≤{said}</text>' if said else ""
    return (
        f'<g><title>{xml(what)}</title><path class="{line.kind} t-{line.tone}" d="{path}" '
        f'marker-end="url(#head-{line.tone})"/>{text}</g>'
    )


def _path(line: Line, canvas: Canvas) -> tuple[str, tuple[float, float]]:
    """The curve of a line, and where its label stands."""
    (left, top), (other_left, other_top) = canvas.corner(line.source), canvas.corner(line.target)
    # Inclusions in both directions between two nodes would otherwise lie upon each other.
    side = 0 if line.kind != "inclusion" else _SIDE if line.source < line.target else -_SIDE
    x, other_x = left + WIDTH / 2 + side, other_left + WIDTH / 2 + side
    if line.source == line.target:
        edge, out, upper, lower = left + WIDTH, left + WIDTH + 26, top + 16, top + 46
        loop = f"M{edge:g} {upper:g}C{out:g} {upper:g} {out:g} {lower:g} {edge:g} {lower:g}"
        return loop, (edge + 4, top + 12)
    # In one row a straight line would run through the boxes between: it bows below them.
    if top == other_top:
        y, bow = top + HEIGHT, top + HEIGHT + _GAP_Y * 0.7
        curve = f"M{x:g} {y:g}C{x:g} {bow:g} {other_x:g} {bow:g} {other_x:g} {y:g}"
        return curve, ((x + other_x) / 2, y + _GAP_Y * 0.5)
    down = other_top > top
    y, other_y = (top + HEIGHT, other_top) if down else (top, other_top + HEIGHT)
    return _curve(x, y, other_x, other_y, abs(other_y - y) > _GAP_Y)


def _curve(
    x: float, y: float, other_x: float, other_y: float, is_long: bool
) -> tuple[str, tuple[float, float]]:
    """From the edge of one box to that of another; a long one between boxes in line goes around them."""
    bend = (other_y - y) * 0.4
    out = WIDTH * 0.8 if is_long and abs(x - other_x) < WIDTH / 2 else 0
    d = f"M{x:g} {y:g}C{x + out:g} {y + bend:g} {other_x + out:g} {other_y - bend:g} {other_x:g} {other_y:g}"
    return d, ((x + other_x) / 2 + out * 0.75 + 4, (y + other_y) / 2)
