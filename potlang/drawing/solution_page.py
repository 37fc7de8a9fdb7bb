"""The page on a solution: its graph, its steps, and what is said of them."""

from __future__ import annotations

from functools import partial

from potlang.drawing.figure import graph_section
from potlang.drawing.formulas import text_with_formulas
from potlang.drawing.graph import graph_of_solution
from potlang.drawing.line_listing import LineListing, line_listing
from potlang.drawing.page import (
    Lead,
    Section,
    chip,
    cut,
    diagnostics_section,
    document,
    graph_link,
    lines_section,
    version_words,
)
from potlang.languages.dagmath.render import detail_lines, extent, parents_word, remarks, verdict_word
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import StepEntry
from potlang.languages.dagmath.sentences import solution_sentences
from potlang.report.html import Html, element, joined, table, text_html
from potlang.utils.style import PLAIN


def solution_page(report: SolutionReport, name: str = "solution") -> str:
    """The page for a report on a solution; `name` is what it is called. All its text is escaped."""
    graph = graph_of_solution(report)
    kept = {vertex.id for vertex in graph.vertices}
    first, *others = solution_sentences(report)
    answer = others[-1:] if report.answer is not None else []
    shown = [step for step in report.steps if step.id in kept]
    starts = {step.id: step.line for step in shown if step.line is not None}
    listing = line_listing(report.document, starts, "step")
    steps = table(_HEAD, (_row(step, listing) for step in shown), class_="cards")
    sections = (
        diagnostics_section(report.located),
        graph_section(graph, partial(graph_of_solution, report)),
        Section("steps", "Steps", steps if kept else Html("")),
        lines_section("summary", "Summary", detail_lines(report, PLAIN)),
        listing.section,
    )
    lead = Lead(
        "Solution", [str(report.verdict)], [*filter(None, [_sentence(extent(report))]), first, *answer]
    )
    return document(name, lead, sections, version_words(report.version))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


_HEAD = ("step", "rests on", "verdict", "says")


def _row(step: StepEntry, listing: LineListing) -> Html:
    said = [element("div", text_html(line), class_="remark") for line in remarks(step)]
    word = verdict_word(step)
    return element(
        "tr",
        element(
            "th", graph_link(step.id, "step"), " ", listing.link(step.line), scope="row", data_name="step"
        ),
        element("td", _parents(step), data_name="rests on"),
        element("td", chip(word) if word else None, data_name="verdict"),
        element(
            "td", element("div", text_with_formulas(cut(step.node)), class_="text"), *said, data_name="says"
        ),
        id=f"row-{step.id}",
        tabindex="-1",
    )


def _parents(step: StepEntry) -> Html | str:
    """The steps that it rests on, each a link to its row."""
    if step.links:
        return parents_word(step)
    return joined((element("a", str(each), href=f"#row-{each}") for each in step.parents or ()), ", ")
