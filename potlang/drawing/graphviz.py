"""A graph in the language of Graphviz, for `dot` and its relatives."""

from __future__ import annotations

from potlang.drawing.colours import LIGHT
from potlang.drawing.graph import DrawnGraph, Line, Vertex

_SHAPES = {"problem": "ellipse", "proposer": "box", "critic": "hexagon", "summarizer": "note"}
_LINES = {"use": "solid", "refine": "bold", "critique": "dotted", "inclusion": "dashed"}


def graphviz(graph: DrawnGraph) -> str:
    """The text of a digraph; every label is a quoted string."""
    lines = ["digraph trace {", '  node [style=filled, fontname="sans-serif"];']
    if graph.note:
        lines.append(f"  label={quote(graph.note)};")
    lines += [_vertex(vertex) for vertex in graph.vertices]
    lines += [_line(line) for line in graph.lines]
    return "\n".join([*lines, "}"]) + "\n"


def quote(*lines: str) -> str:
    """A quoted string of Graphviz with these lines: no escape and no entity of theirs is taken as one."""
    return '"' + "\\n".join(_escape(line) for line in lines) + '"'


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", " ")


def _vertex(vertex: Vertex) -> str:
    fill, stroke = LIGHT.status[vertex.status]
    wrong = f', penwidth=3, color="{LIGHT.tone["refuted"]}"' if vertex.is_wrong else f', color="{stroke}"'
    shape = _SHAPES.get(vertex.role, "box")
    return f'  n{vertex.id} [shape={shape}, label={quote(*vertex.lines())}, fillcolor="{fill}"{wrong}];'


def _line(line: Line) -> str:
    attributes = [f"style={_LINES[line.kind]}", f'color="{LIGHT.tone[line.tone]}"']
    if line.kind == "inclusion":
        # The arrows claim inclusions in either direction; the trace's own edges alone give the ranks.
        attributes += [f"label={quote(f'≤ {line.tone}')}", "constraint=false"]
    return f"  n{line.source} -> n{line.target} [{', '.join(attributes)}];"
