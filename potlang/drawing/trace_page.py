"""The page on a trace: its graph, what is said of it, and its nodes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import islice

from potlang.drawing.figure import graph_section
from potlang.drawing.formulas import text_with_formulas
from potlang.drawing.graph import graph_of
from potlang.drawing.line_listing import LineListing, line_listing
from potlang.drawing.page import (
    Lead,
    Section,
    chip,
    code_text,
    cut,
    diagnostics_section,
    document,
    graph_link,
    lines_section,
    notes_section,
    version_words,
)
from potlang.languages.dot.render import (
    arrow_lines,
    disagreement,
    established_lines,
    summary_lines,
    verdict_words,
)
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import NodeResult
from potlang.languages.dot.sentences import trace_sentences
from potlang.report.html import Html, element, table, text_html
from potlang.report.text import LONGEST_LIST, evidence_lines
from potlang.utils.style import PLAIN


def trace_page(report: TraceReport, name: str = "trace", topos: Iterable[str] = ()) -> str:
    """The page for a report; `name` is what the trace is called. All text of the trace is escaped.

    `topos` are the lines of its diagram in a topos, if that was asked for.
    """
    first, *others = trace_sentences(report)
    graph = graph_of(report)
    kept = {vertex.id for vertex in graph.vertices}
    shown = [node for node in report.nodes if node.id in kept]
    starts = {node.id: node.line for node in shown if node.line is not None}
    listing = line_listing(report.document, starts, "node")
    rows = (_row(node, listing) for node in shown)
    nodes = table(_HEAD, rows, class_="cards") if kept else Html("")
    sections = (
        diagnostics_section(report.located),
        notes_section(report.notes),
        graph_section(graph, partial(graph_of, report)),
        lines_section("established", "Established", established_lines(report)),
        lines_section("summary", "Summary", summary_lines(report, PLAIN)),
        lines_section("inclusions", "Inclusions", islice(arrow_lines(report, PLAIN), 1, None)),
        _words_section(others),
        lines_section("topos", "In the topos", iter(topos)),
        Section("nodes", "Nodes", nodes),
        listing.section,
    )
    lead = Lead(f"Trace, profile {report.profile}", verdict_words(report), [first])
    return document(name, lead, sections, f"hash {report.hash}, {version_words(report.version)}")


def _words_section(sentences: list[str]) -> Section:
    shown = [element("li", text_html(each)) for each in sentences[:_MOST_SENTENCES]]
    if len(sentences) > _MOST_SENTENCES:
        shown.append(element("li", f"… {len(sentences) - _MOST_SENTENCES:,} more"))
    return Section("words", "In words", element("ul", *shown) if shown else Html(""))


_MOST_SENTENCES = 2 * LONGEST_LIST
_HEAD = ("node", "role", "status", "verdict", "says")


def _row(node: NodeResult, listing: LineListing) -> Html:
    wrong = disagreement(node)
    says = [
        element("div", wrong, class_="wrong") if wrong else None,
        code_text(node.proposition) if node.proposition is not None else None,
        element("div", text_with_formulas(cut(node.text)), class_="text") if node.text else None,
    ]
    if wrong and node.result is not None:
        lines = "\n".join(evidence_lines(node.result, PLAIN))
        says.append(element("pre", text_html(lines)) if lines else None)
    status = element("span", node.status, class_=f"status s-{node.status}") if node.status else None
    return element(
        "tr",
        element(
            "th", graph_link(node.id, "node"), " ", listing.link(node.line), scope="row", data_name="node"
        ),
        element("td", node.role, data_name="role"),
        element("td", status, data_name="status"),
        element("td", chip(str(node.verdict)) if node.verdict is not None else None, data_name="verdict"),
        element("td", *says, data_name="says"),
        id=f"row-{node.id}",
        tabindex="-1",
    )
