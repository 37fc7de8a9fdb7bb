"""The graph that is drawn: what is in it, and which part of a large trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from view_support import TEXTS, full, large, with_texts

from potlang.drawing.graph import LABEL, MARKS, MOST_NODES, graph_of
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import ArrowResult, EdgeResult, NodeResult, TraceVerdict
from potlang.report.results import Verdict


def test_status_verdict_and_disagreement_are_marked() -> None:
    """[VIEW-MARKS]"""
    vertices = {each.id: each for each in graph_of(full()).vertices}
    assert [vertices[i].status for i in range(1, 6)] == [
        *("initial", "validated", "none", "invalidated", "active")
    ]
    assert [vertices[i].mark for i in range(2, 8)] == ["✗", "", "✓", "~", "!", "?"]
    assert {each.id for each in vertices.values() if each.is_wrong} == {2, 4}
    assert set(MARKS) == {*set(Verdict) - {Verdict.REJECTED}, None}


def test_edges_and_inclusions_are_lines() -> None:
    lines = graph_of(full()).lines
    assert [(each.source, each.target, each.kind, each.tone) for each in lines] == [
        (1, 2, "use", "none"),
        (2, 3, "critique", "none"),
        (3, 4, "refine", "none"),
        (1, 5, "use", "none"),
        (2, 8, "use", "none"),
        (6, 8, "use", "none"),
        (2, 6, "inclusion", "proved"),
        (6, 2, "inclusion", "refuted"),
        (5, 4, "inclusion", "assumed"),
        (7, 7, "inclusion", "unknown"),
    ]


@given(TEXTS)
def test_labels_are_one_short_line_of_visible_characters(text: str) -> None:
    """[VIEW-TEXT]"""
    vertex = graph_of(with_texts([text])).vertices[0]
    assert vertex.label.isprintable()
    assert len(vertex.label) <= 10 * LABEL


@pytest.mark.slow
def test_of_a_large_trace_the_part_around_what_matters_is_drawn() -> None:
    """[VIEW-LARGE]: the disagreement and the summarizer with their neighbours, and a note."""
    graph = graph_of(large(100_000))
    ids = {each.id for each in graph.vertices}
    assert len(graph.vertices) == MOST_NODES
    assert {50, 51, 52, 25, 99_988, 99_989, 99_990, 99_991} <= ids
    assert all(line.source in ids and line.target in ids for line in graph.lines)
    assert graph.note.startswith("1,000 of 100,000 nodes are drawn")
    assert [each.id for each in graph.vertices] == sorted(ids)


def test_a_trace_of_the_stated_size_is_drawn_whole() -> None:
    """[VIEW-LARGE]"""
    graph = graph_of(large(MOST_NODES))
    assert (len(graph.vertices), graph.note) == (MOST_NODES, "")


def test_lines_are_limited_too() -> None:
    """[VIEW-LARGE]"""
    nodes = tuple(NodeResult(i, "proposer", "validated") for i in range(4))
    arrows = tuple(ArrowResult(0, 1, "LE", 0, None, "proved") for _ in range(50))
    report = TraceReport(TraceVerdict.ACCEPTED, nodes=nodes, arrows=arrows)
    graph = graph_of(report, 4)
    assert (len(graph.lines), graph.note) == (12, "38 lines are not drawn")


def test_lines_to_nodes_that_are_not_there_are_left_out() -> None:
    """A broken trace may have them."""
    nodes = (NodeResult(1, "proposer", "active"),)
    report = TraceReport(TraceVerdict.REJECTED, nodes=nodes, edges=(EdgeResult(0, 1, "use"),))
    assert graph_of(report).lines == ()


def test_the_legend_has_what_occurs() -> None:
    """[VIEW-MARKS], [VIEW-SVG]"""
    words = [word for _, word in graph_of(full()).used_legend()]
    assert words[:4] == ["initial", "active", "validated", "invalidated"]
    assert words[4:] == [
        "✓ entailed",
        "✗ refuted",
        "~ undetermined",
        "! inconsistent",
        "? unknown",
        "dashed: inclusion ≤",
    ]
    few = TraceReport(TraceVerdict.ACCEPTED, nodes=(NodeResult(1, "proposer", "active"),))
    assert graph_of(few).used_legend() == (("active", "active"),)
