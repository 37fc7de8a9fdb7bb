"""Drawings and pages: well formed whatever the trace says, and nothing of it is taken for more than text."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from view_support import HOSTILE, TEXTS, full, large, with_texts

import potlang.drawing
from potlang.drawing.graph import DrawnGraph, graph_of
from potlang.drawing.graphviz import graphviz
from potlang.drawing.mermaid import escape, mermaid
from potlang.drawing.page import LONGEST_TEXT
from potlang.drawing.svg import svg
from potlang.drawing.trace_page import trace_page
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
    assert names <= {"svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "g"}
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


def test_an_svg_says_what_it_is_and_what_is_wrong() -> None:
    """[VIEW-SVG]"""
    text = svg(graph_of(full("a long text")))
    assert elements(text, "title")[0].text == "A graph of 8 nodes and 10 lines"
    assert elements(text, "desc")[0].text == "Marked: 2 proposer validated; 4 proposer invalidated"
    about = [each.text for each in elements(text, "title")]
    assert (
        "2 proposer validated: refuted: validated, but the theory refutes it: a long text a long text"
        in about
    )


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
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "script",
        "body",
        "header",
        "nav",
        "main",
        "section",
        "footer",
    ),
    *("h1", "h2", "p", "strong", "b", "div", "span", "pre", "code", "a", "ul", "li", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"),
    *("svg", "defs", "marker", "path", "rect", "text", "g"),
}


@settings(max_examples=60)
@given(TEXTS)
def test_a_page_is_one_file_that_loads_nothing(text: str) -> None:
    """[VIEW-TEXT], [VIEW-ALONE]"""
    written = trace_page(full(text), text)
    written.encode("utf-8")
    found = _Page(written)
    assert found.tags <= _TAGS
    assert not [
        name for name, _ in found.attributes if name[:2] == "on" or name in ("src", "srcset", "style")
    ]
    links = [value or "" for name, value in found.attributes if name == "href"]
    assert all(re.fullmatch(r"#[a-z0-9-]+", link) for link in links)
    assert written.count("<script") == 1
    shown = found.text.replace(_file("page.js"), "").replace(_file("page.css"), "")
    assert not [char for char in shown if not char.isprintable() and char != "\n"]


def _file(name: str) -> str:
    return Path(potlang.drawing.__file__).with_name(name).read_text(encoding="utf-8")


def test_a_page_allows_its_own_script_and_style_alone() -> None:
    """[VIEW-ALONE]: by their hashes; no other source, no base, no form."""
    written = trace_page(full())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', written)
    assert policy is not None
    hashes = [
        b64encode(sha256(found.encode()).digest()).decode()
        for tag in ("script", "style")
        for found in re.findall(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL)
    ]
    script, style = hashes
    assert unescape(policy[1]) == (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_a_page_says_what_the_report_holds() -> None:
    """[VIEW-PAGE]"""
    found = _Page(trace_page(full("<b> & 'x'"), "trace & co.dot.txt"))
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
    written = trace_page(with_texts(["x" * 10_000_000, "short"]))
    assert len(written) < 8 * LONGEST_TEXT + 40_000
    assert f"{10_000_000 - LONGEST_TEXT:,} more characters" in written


@pytest.mark.slow
def test_large_and_empty_traces_are_drawn() -> None:
    """[VIEW-LARGE]: what is left out is said."""
    drawings: list[Callable[[DrawnGraph], str]] = [svg, mermaid, graphviz]
    report, empty = large(20_000), TraceReport(TraceVerdict.REJECTED)
    graph = graph_of(report)
    for drawn in (trace_page(report), mermaid(graph), graphviz(graph)):
        assert "1,000 of 20,000 nodes are drawn" in drawn
        assert len(drawn) < 3_000_000
    assert all((trace_page(empty), *(draw(graph_of(empty)) for draw in drawings)))


def test_hostile_texts_are_all_there() -> None:
    """The texts that the properties start from reach the page, with what cannot be seen as escapes."""
    found = _Page(trace_page(with_texts(HOSTILE)))
    assert "<script>alert(1)</script>" in found.text
    assert "\\u202eright to left" in found.text
    assert "\\u0000\\u0001\\u001b[31m" in found.text
