"""A graph in the language of Mermaid, as Markdown renderers draw it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from potlang.drawing.colours import LIGHT
from potlang.drawing.graph import DrawnGraph, Line, Tone, Vertex

MOST_NODES = 120
"""Vertices of a chart: Mermaid draws no more than 500 lines and 50,000 characters, unless told otherwise."""
_SPECIAL = re.compile(r"[^\w ,]|_")
_SHAPES = {
    "problem": ("([", "])"),
    "proposer": ("[", "]"),
    "critic": ("{{", "}}"),
    "summarizer": ("[[", "]]"),
}
_WRONG = "wrong"
_LINES = {"use": "-->", "refine": "==>", "critique": "-.->", "inclusion": "-->"}


def mermaid(graph: DrawnGraph) -> str:
    """The text of a flow chart. Only letters, digits and commas of the trace stand in it unescaped."""
    lines = ["flowchart TD"]
    if graph.note:
        lines.append(f"  %% {_SPECIAL.sub(' ', graph.note)}")
    lines += [_vertex(vertex) for vertex in graph.vertices]
    lines += [_line(line) for line in graph.lines]
    lines += _styles(graph)
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """A label's text: each character that means something to Mermaid or to HTML as an entity code."""
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", text)


def _vertex(vertex: Vertex) -> str:
    opening, closing = _SHAPES.get(vertex.role, ("[", "]"))
    words = "<br/>".join(escape(line) for line in vertex.lines())
    return f'  n{vertex.id}{opening}"{words}"{closing}:::{_class(vertex)}'


def _class(vertex: Vertex) -> str:
    return vertex.status + (_WRONG if vertex.is_wrong else "")


def _line(line: Line) -> str:
    label = f'|"{escape(f"≤ {line.tone}")}"|' if line.kind == "inclusion" else ""
    return f"  n{line.source} {_LINES[line.kind]}{label} n{line.target}"


def _styles(graph: DrawnGraph) -> Iterator[str]:
    used = dict.fromkeys(_class(vertex) for vertex in graph.vertices)
    for name in used:
        fill, stroke = LIGHT.status[name.removesuffix(_WRONG)]
        is_wrong = name.endswith(_WRONG)
        width = "stroke:" + (f"{LIGHT.tone['refuted']},stroke-width:4px" if is_wrong else stroke)
        yield f"  classDef {name} fill:{fill},{width},color:{LIGHT.text}"
    # Lines have no classes: Mermaid knows them by their numbers alone.
    tones: dict[Tone, list[int]] = {}
    for number, line in enumerate(graph.lines):
        if line.tone != "none":
            tones.setdefault(line.tone, []).append(number)
    for tone, numbers in tones.items():
        yield f"  linkStyle {','.join(map(str, numbers))} stroke:{LIGHT.tone[tone]},stroke-width:2px"
