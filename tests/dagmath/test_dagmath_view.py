"""Solutions drawn: steps by verdict, unclosed ones marked; nothing that they say is more than text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from reports_support import HEPTAGON, NATASCHA, TEXTS, full, large, potc
from statements import Property

from potlang import dagmath
from potlang.dagmath import StepVerdict
from potlang.drawing.graph import LABEL, Vertex, graph_of_solution, marks_of
from potlang.drawing.graphviz import graphviz
from potlang.drawing.mermaid import MOST_NODES, mermaid
from potlang.drawing.solution_page import solution_page
from potlang.drawing.svg import svg
from potlang.languages.dagmath.read.records import Solution
from potlang.testing.solutions import solutions

SVG = "{http://www.w3.org/2000/svg}"


def vertices_of(path: Path) -> dict[int, Vertex]:
    return {each.id: each for each in graph_of_solution(dagmath.verify(path)).vertices}


def test_steps_have_the_colour_and_the_mark_of_their_verdict() -> None:
    """[DAGR-VIEW]"""
    graph = graph_of_solution(full())
    found = {each.title.partition(" ")[2]: (each.status, each.mark) for each in graph.vertices}
    assert found == {
        "proved": ("validated", "✓"),
        "refuted": ("invalidated", "✗"),
        "not entailed": ("active", "~"),
        "not checkable": ("none", ""),
        "given": ("initial", ""),
        "unknown": ("none", "?"),
    }
    assert {each.id for each in graph.vertices if each.is_wrong} == {5}
    words = [word for _, word in graph.legend]
    assert all(any(word.endswith(verdict) for word in words) for verdict in StepVerdict)


def test_the_heptagon_is_drawn_with_its_unclosed_steps() -> None:
    """[DAGR-VIEW]"""
    found = vertices_of(HEPTAGON)
    assert {id_ for id_, each in found.items() if each.is_wrong} == {1, 6, 8, 13, 16, 18, 26, 30}
    assert found[5].status == "validated"
    assert [found[id_].role for id_ in (2, 5, 33)] == ["problem", "proposer", "summarizer"]


def test_steps_that_were_not_checked_are_given_or_not() -> None:
    """[DAGR-VIEW]"""
    report = dagmath.verify(NATASCHA, steps=False)
    assert [marks_of(step)[0] for step in report.steps[3:6]] == ["initial", "none", "initial"]


def _drawn_as_it_is(found: Solution) -> None:
    """[DAGR-VIEW]: each step and each edge once, from premise to conclusion, in every form."""
    report = dagmath.verify(found, steps=False)
    graph = graph_of_solution(report)
    assert [each.id for each in graph.vertices] == [step.id for step in found.steps]
    edges = {(parent, step.id) for step in found.steps for parent in step.parents or ()}
    assert len(graph.lines) == len(edges)
    assert {(each.source, each.target) for each in graph.lines} == edges
    root = ElementTree.fromstring(svg(graph))
    boxes = [each for each in root.iter(SVG + "rect") if "rx" in each.attrib and each.get("width") != "12"]
    assert len(boxes) == len(found.steps)
    chart = mermaid(graph)
    assert {(int(a), int(b)) for a, b in re.findall(r"n(\d+) --> n(\d+)", chart)} == edges
    dot = graphviz(graph)
    assert {(int(a), int(b)) for a, b in re.findall(r"^  n(\d+) -> n(\d+)", dot, re.MULTILINE)} == edges
    HTMLParser().feed(solution_page(report))


test_drawn_as_it_is, test_drawn_as_it_is_deeply = Property(
    _drawn_as_it_is, solutions(formatted=False)
).tests()


@settings(max_examples=60)
@given(TEXTS)
def test_what_steps_say_is_text(text: str) -> None:
    """[DAGR-VIEW]: no element, script or reference comes of it, and nothing in it is hidden."""
    report = full(text)
    graph = graph_of_solution(report)
    root = ElementTree.fromstring(svg(graph))
    names = {str(each.tag).removeprefix(SVG) for each in root.iter()}
    assert names <= {"svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "g"}
    shown = "".join(root.itertext())
    assert not [char for char in shown if not char.isprintable() and char != "\n"]
    assert all(len(each.label) <= 10 * LABEL and "\n" not in each.label for each in graph.vertices)
    tags: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.add(tag)

    written = solution_page(report, text)
    written.encode("utf-8")
    Tags().feed(written)
    assert not tags & {"img", "iframe", "link", "object", "form", "input", "base"}
    assert written.count("<script") == 1
    drawn = len(graph.vertices) + len(graph.lines)
    assert graphviz(graph).count("\n") == 3 + drawn
    chart = mermaid(graph).splitlines()
    assert len(chart) == 1 + drawn + sum(line.startswith("  classDef") for line in chart)


def test_of_a_large_solution_the_part_around_what_matters_is_drawn() -> None:
    """[DAGR-VIEW]"""
    graph = graph_of_solution(large(3_000), MOST_NODES)
    kept = {each.id for each in graph.vertices}
    assert len(kept) == MOST_NODES
    assert {2_960, 51, 2_999} <= kept
    assert all(each.source in kept and each.target in kept for each in graph.lines)
    assert graph.note.startswith(f"{MOST_NODES} of 3,000 steps are drawn")


@pytest.mark.parametrize(
    ("ending", "begin"),
    [
        ("html", "<!DOCTYPE"),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (("svg", "<svg"), ("mmd", "flowchart"), ("gv", "digraph"))
        ),
    ],
)
def test_drawings_are_written(tmp_path: Path, ending: str, begin: str) -> None:
    """[DAGR-VIEW]"""
    path = tmp_path / f"out.{ending}"
    done = potc("view", HEPTAGON, "-o", path, "--answer", "588")
    assert (done.returncode, done.stdout) == (0, b"")
    assert path.read_text(encoding="utf-8").startswith(begin)


def test_a_page_has_all_parts() -> None:
    """[DAGR-VIEW]"""
    text = solution_page(dagmath.verify(HEPTAGON), "heptagon")
    for words in (
        "<h1>heptagon</h1>",
        "<svg",
        "POT7020",
        "no later step uses",
        '<h2 id="steps-title">Steps</h2>',
        "imperfect",
    ):
        assert words in text
    assert text.count('<tr id="row-') == 33


def test_what_is_no_graph_is_not_drawn() -> None:
    """[DAGR-VIEW]"""
    done = potc("view", "-", given=json.dumps({"steps": [{"step_id": 1}]}))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"there is no solution to draw" in done.stderr
