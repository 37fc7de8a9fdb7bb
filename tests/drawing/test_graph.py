"""The graph that is drawn: what is in it, and which part of a large trace."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from view_support import TEXTS, full, large, with_texts

from potlang.drawing.graph import LABEL, MARKS, MOST_NODES, graph_of
from potlang.drawing.svg import layout_of
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


def test_of_a_large_trace_the_part_around_what_matters_is_drawn() -> None:
    """[VIEW-LARGE]: the disagreement and the summarizer with their neighbours, and a note."""
    graph = graph_of(large(100_000))
    ids = {each.id for each in graph.vertices}
    assert len(graph.vertices) == MOST_NODES
    assert {50, 51, 52, 25, 99_988, 99_989, 99_990, 99_991} <= ids
    assert all(line.source in ids and line.target in ids for line in graph.lines)
    assert graph.note.startswith("2,000 of 100,000 nodes are drawn")
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


@st.composite
def drawn(draw: st.DrawFn) -> TraceReport:
    count = draw(st.integers(1, 40))
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = draw(st.lists(ends, max_size=80))
    arrows = draw(st.lists(ends, max_size=20))
    return TraceReport(
        TraceVerdict.ACCEPTED,
        nodes=tuple(NodeResult(i, "proposer", "active") for i in range(count)),
        edges=tuple(EdgeResult(min(a, b), max(a, b), "use") for a, b in edges if a != b),
        arrows=tuple(ArrowResult(a, b, "LE", 0, None, "assumed") for a, b in arrows),
    )


@settings(max_examples=100)
@given(drawn())
def test_every_vertex_has_a_place_of_its_own_below_its_sources(report: TraceReport) -> None:
    graph = graph_of(report)
    found = layout_of(graph)
    assert sorted(id_ for row in found.rows for id_ in row) == [each.id for each in graph.vertices]
    assert len(set(found.places.values())) == len(graph.vertices)
    for line in graph.lines:
        if line.kind == "use":
            assert found.places[line.source][0] < found.places[line.target][0]


def test_ordering_takes_lines_apart_that_would_cross() -> None:
    nodes = tuple(NodeResult(i, "proposer", "active") for i in range(6))
    edges = (EdgeResult(0, 5, "use"), EdgeResult(1, 4, "use"), EdgeResult(2, 3, "use"))
    found = layout_of(graph_of(TraceReport(TraceVerdict.ACCEPTED, nodes=nodes, edges=edges)))
    assert found.rows == ((0, 1, 2), (5, 4, 3))


def test_wide_rows_are_broken() -> None:
    nodes = tuple(NodeResult(i, "proposer", "active") for i in range(2_000))
    found = layout_of(graph_of(TraceReport(TraceVerdict.ACCEPTED, nodes=nodes)))
    assert max(len(row) for row in found.rows) < 100
    assert len(found.rows) < 100
