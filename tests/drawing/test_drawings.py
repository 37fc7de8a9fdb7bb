"""Drawings and pages: well formed whatever the trace says, and nothing of it is taken for more than text."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given, settings
from view_support import HOSTILE, TEXTS, full, large, with_texts

from potlang.drawing.graph import DrawnGraph, graph_of
from potlang.drawing.graphviz import graphviz
from potlang.drawing.mermaid import escape, mermaid
from potlang.drawing.page import LONGEST_TEXT, page
from potlang.drawing.svg import shortened, svg
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import TraceVerdict

SVG = "{http://www.w3.org/2000/svg}"


def elements(text: str, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(SVG + name))


# --- Mermaid -------------------------------------------------------------------------------------

_LABEL = r'"(?:[\w ,]|#\d+;|<br/>)*"'
_VERTEX = re.compile(rf"  n\d+(?:\(\[|\[\[|\[|\{{\{{)({_LABEL})(?:\]\)|\]\]|\]|\}}\}}):::[a-z]+")
_LINE = re.compile(rf"  n\d+ (?:-->|==>|-\.->)(?:\|{_LABEL}\|)? n\d+")
_STYLE = re.compile(r"  (?:classDef [a-z]+|linkStyle [\d,]+) [a-z0-9#:,-]+")
_COMMENT = re.compile(r"  %%[\w ,]*")


def read_mermaid(text: str) -> list[str]:
    """The labels of a chart; every line must be of a kind that is written."""
    first, *lines = text.removesuffix("\n").split("\n")
    assert first == "flowchart TD"
    labels = []
    for line in lines:
        if vertex := _VERTEX.fullmatch(line):
            labels.append(re.sub(r"#(\d+);", lambda found: chr(int(found[1])), vertex[1][1:-1]))
        else:
            assert _LINE.fullmatch(line) or _STYLE.fullmatch(line) or _COMMENT.fullmatch(line), line
    return labels


def labels_of(graph: DrawnGraph, separator: str) -> list[str]:
    return [separator.join(vertex.lines()) for vertex in graph.vertices]


@settings(max_examples=60)
@given(TEXTS)
def test_mermaid_labels_read_back(text: str) -> None:
    """[VIEW-TEXT]"""
    for report in (full(text), with_texts([text, text])):
        graph = graph_of(report)
        assert read_mermaid(mermaid(graph)) == labels_of(graph, "<br/>")


def test_mermaid_escapes_what_has_a_meaning() -> None:
    assert escape('a1, 論"#&<`_*%;') == "a1, 論#34;#35;#38;#60;#96;#95;#42;#37;#59;"


# --- Graphviz ------------------------------------------------------------------------------------

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|[A-Za-z_]\w*|\d+|->|[{}\[\];,=]|(\s+)', re.DOTALL)


def read_graphviz(text: str) -> list[str]:
    """The labels of the vertices; the text must be tokens of Graphviz, its brackets in order."""
    labels, at, depth, node = [], 0, "", True
    previous = ""
    while at < len(text):
        token = _TOKEN.match(text, at)
        assert token is not None, text[at : at + 40]
        if token[1] is not None and previous == "label" and node:
            labels.append(token[1])
        if token[0] in ("{", "["):
            depth += token[0]
        elif token[0] in ("}", "]"):
            assert depth[-1:] == {"}": "{", "]": "["}[token[0]]
            depth = depth[:-1]
        if token[0] == "->":
            node = False
        elif token[0] == ";":
            node = True
        if token[0] not in ("=",) and token[2] is None:
            previous = token[0]
        at = token.end()
    assert depth == ""
    return labels


def decoded(label: str) -> str:
    """A label as Graphviz shows it: its escapes, then its entities."""
    shown = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), label)
    return shown.replace("&amp;", "&")


@settings(max_examples=60)
@given(TEXTS)
def test_graphviz_labels_read_back(text: str) -> None:
    """[VIEW-TEXT]"""
    for report in (full(text), with_texts([text, text])):
        graph = graph_of(report)
        labels = [decoded(label) for label in read_graphviz(graphviz(graph))]
        assert labels == labels_of(graph, "\n")


# --- SVG -----------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(TEXTS)
def test_svg_is_well_formed_and_has_no_script(text: str) -> None:
    """[VIEW-TEXT], [VIEW-ALONE]"""
    root = ElementTree.fromstring(svg(graph_of(full(text))))
    names = {str(each.tag).removeprefix(SVG) for each in root.iter()}
    assert names <= {"svg", "title", "style", "defs", "marker", "path", "rect", "text", "g"}
    assert {
        name for each in root.iter() for name in each.attrib if "href" in name or name[:2] == "on"
    } == set()
    shown = "".join(root.itertext())
    assert not [char for char in shown if not char.isprintable() and char != "\n"]


def test_svg_shows_each_node_and_line() -> None:
    """[VIEW-MARKS]"""
    text = svg(graph_of(full()))
    classes = [each.get("class") for each in elements(text, "rect")]
    assert classes.count("s-validated wrong") == 1
    assert classes.count("s-invalidated wrong") == 1
    assert sum("marker-end" in each.attrib for each in elements(text, "path")) == len(full().edges) + 4
    marks = [each.text for each in elements(text, "text") if each.get("class") == "mark"]
    assert marks == ["✗", "✓", "~", "!", "?"]


def test_boxes_do_not_overlap_and_are_inside_the_drawing() -> None:
    text = svg(graph_of(large(300)))
    root = ElementTree.fromstring(text)
    boxes = [
        tuple(float(each.attrib[name]) for name in ("x", "y", "width", "height"))
        for each in elements(text, "rect")
        if "rx" in each.attrib and float(each.attrib["width"]) > 100
    ]
    assert len(boxes) == 300
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    assert all(x >= 0 and y >= 0 and x + w <= wide and y + h <= high for x, y, w, h in boxes)
    places = sorted((y, x) for x, y, _, _ in boxes)
    width, height = boxes[0][2:]
    for (y, x), (below, right) in pairwise(places):
        assert below >= y + height or right >= x + width


def test_texts_are_cut_to_their_boxes() -> None:
    assert shortened("日本語日本語", 7) == "日本語…"
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab…"


# --- the page ------------------------------------------------------------------------------------


class _Page(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "strong", "div", "pre", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "footer"),
    *("svg", "defs", "marker", "path", "rect", "text", "g"),
}


@settings(max_examples=60)
@given(TEXTS)
def test_a_page_is_one_file_that_runs_and_loads_nothing(text: str) -> None:
    """[VIEW-TEXT], [VIEW-ALONE]"""
    written = page(full(text), text)
    written.encode("utf-8")
    found = _Page(written)
    assert found.tags <= _TAGS
    names = {name for name, _ in found.attributes}
    assert not [
        name for name in names if name.startswith("on") or name in ("href", "src", "srcset", "action")
    ]
    assert set(re.findall(r"url\(([^)]*)\)", written)) <= {
        f"#head-{tone}" for tone in (*("none", "proved", "assumed", "refuted", "unknown"),)
    } | set(re.findall(r"url\(([^)]*)\)", text))
    assert not [char for char in found.text if not char.isprintable() and char != "\n"]


def test_a_page_says_what_the_report_holds() -> None:
    """[VIEW-PAGE]"""
    found = _Page(page(full("<b> & 'x'"), "trace & co.dot.txt"))
    for words in (
        *(
            "trace & co.dot.txt",
            "rejected",
            "<b> & 'x'",
            "error POT5024",
            "4:1",
            "summary of 2, 6: inconsistent",
        ),
        *(
            "validated, but the theory refutes it",
            "summarizer 8: unfaithful",
            "6 ≤ 2  EQ  refuted",
            "ab" * 32,
        ),
    ):
        assert words in found.text


def test_long_texts_are_cut_on_the_page() -> None:
    """[VIEW-LARGE]"""
    written = page(with_texts(["x" * 10_000_000, "short"]))
    assert len(written) < 5 * LONGEST_TEXT + 20_000
    assert f"{10_000_000 - LONGEST_TEXT:,} more characters" in written


def test_large_and_empty_traces_are_drawn() -> None:
    """[VIEW-LARGE]: what is left out is said."""
    drawings: list[Callable[[DrawnGraph], str]] = [svg, mermaid, graphviz]
    report, empty = large(100_000), TraceReport(TraceVerdict.REJECTED)
    graph = graph_of(report)
    for drawn in (page(report), *(draw(graph) for draw in drawings)):
        assert "2,000 of 100,000 nodes are drawn" in drawn
        assert len(drawn) < 3_000_000
    assert all((page(empty), *(draw(graph_of(empty)) for draw in drawings)))


def test_hostile_texts_are_all_there() -> None:
    """The texts that the properties start from reach the page, with what cannot be seen as escapes."""
    found = _Page(page(with_texts(HOSTILE)))
    assert "<script>alert(1)</script>" in found.text
    assert "\\u202eright to left" in found.text
    assert "\\u0000\\u0001\\u001b[31m" in found.text
