"""The canonical form and its hash: equal exactly for the same typed records, whatever ids, order and text."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest
from dot_support import HEAD, read, trace_of
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.diagrams import find_isomorphism

from potlang.languages.dot.lower.canon import canonical_order
from potlang.languages.dot.lower.canonical import digest, is_numbered
from potlang.languages.dot.lower.labelled import Colouring, LabelledGraph
from potlang.languages.dot.read.records import Edge, Node, Record, Status
from potlang.testing.traces import prop, shuffle

Edges = list[tuple[int, int, int]]


# --- labelled graphs -----------------------------------------------------------------------------


def numbered(count: int, labels: list[int], edges: Edges) -> tuple[Any, Any] | None:
    """The graph in its canonical order; None where not all of it can be ordered."""
    colouring = Colouring(LabelledGraph.of_edges(count, edges, 2), labels)
    colouring.refine()
    order = canonical_order(colouring)
    if order.unordered:
        return None
    place = {vertex: i for i, vertex in enumerate(order.vertices)}
    return tuple(labels[v] for v in order.vertices), sorted(
        (place[a], place[b], name) for a, b, name in edges
    )


def are_isomorphic(count: int, a: tuple[list[int], Edges], b: tuple[list[int], Edges]) -> bool:
    return any(
        all(a[0][v] == b[0][image[v]] for v in range(count))
        and sorted((image[s], image[t], name) for s, t, name in a[1]) == sorted(b[1])
        for image in permutations(range(count))
    )


@st.composite
def graphs(draw: st.DrawFn, count: int) -> tuple[list[int], Edges]:
    labels = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    vertex = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 1)), max_size=2 * count))
    return labels, edges


@settings(max_examples=300)
@given(st.data())
def test_small_graphs_have_one_form_exactly_if_they_are_isomorphic(data: st.DataObject) -> None:
    """[DOT-CANON-3]"""
    count = data.draw(st.integers(1, 5))
    a = data.draw(graphs(count))
    image = data.draw(st.permutations(range(count)))
    moved = [a[0][image.index(v)] for v in range(count)], [(image[s], image[t], n) for s, t, n in a[1]]
    assert numbered(count, *a) == numbered(count, *moved)
    b = data.draw(st.one_of(graphs(count), st.just((a[0], [*a[1][1:], *a[1][:1]])), graphs(count)))
    assert (numbered(count, *a) == numbered(count, *b)) == are_isomorphic(count, a, b)


@settings(max_examples=200)
@given(st.data())
def test_a_stable_colouring_is_stable_and_the_coarsest(data: st.DataObject) -> None:
    """Against plain colour refinement, round by round over all vertices."""
    count = data.draw(st.integers(1, 12))
    labels, edges = data.draw(graphs(count))
    colouring = Colouring(graph := LabelledGraph.of_edges(count, edges, 2), labels)
    colouring.refine()
    plain: list[Any] = list(labels)
    for _ in range(count):
        seen = [
            (plain[v], tuple(sorted((e % graph.width, plain[e // graph.width]) for e in graph.incident[v])))
            for v in range(count)
        ]
        ranks = {each: i for i, each in enumerate(sorted(set(seen)))}
        plain = [ranks[each] for each in seen]
    assert {(a, b) for a in range(count) for b in range(count) if plain[a] == plain[b]} == {
        (a, b) for a in range(count) for b in range(count) if colouring.colour[a] == colouring.colour[b]
    }
    sizes = {c: colouring.colour.count(c) for c in colouring.colour}
    assert colouring.size == sizes
    assert all(
        sorted(colouring.members(c)) == [v for v in range(count) if colouring.colour[v] == c] for c in sizes
    )


def cycles(*lengths: int) -> tuple[int, list[int], Edges]:
    edges: Edges = []
    first = 0
    for length in lengths:
        edges += [(first + i, first + (i + 1) % length, 0) for i in range(length)]
        first += length
    return first, [0] * first, edges


def test_what_refinement_cannot_tell_apart_is_told_apart() -> None:
    assert numbered(*cycles(3, 3)) != numbered(*cycles(6))
    assert numbered(*cycles(3, 4, 5)) == numbered(*cycles(5, 3, 4))
    assert numbered(*cycles(4, 4)) != numbered(*cycles(3, 5))


def strongly_regular(shifts: list[tuple[int, int]]) -> tuple[int, list[int], Edges]:
    """Sixteen vertices on a torus, joined by shifts: the rook's and the Shrikhande graph are made so."""
    vertices = [(i, k) for i in range(4) for k in range(4)]
    place = {v: n for n, v in enumerate(vertices)}
    edges = [(place[i, k], place[(i + a) % 4, (k + b) % 4], 0) for i, k in vertices for a, b in shifts]
    return 16, [0] * 16, edges


def test_strongly_regular_graphs_of_the_same_parameters_are_told_apart() -> None:
    """[DOT-CANON-4]"""
    rook = strongly_regular([(a, b) for a in range(4) for b in range(4) if (a == 0) != (b == 0)])
    shrikhande = strongly_regular([(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)])
    forms = numbered(*rook), numbered(*shrikhande)
    assert None not in forms
    assert forms[0] != forms[1]
    a, b = (LabelledGraph.of_edges(16, each[2], 1) for each in (rook, shrikhande))
    assert find_isomorphism(a, [0] * 16, b, [0] * 16) is None
    assert find_isomorphism(a, [0] * 16, a, [0] * 16) is not None


def cubic(count: int, random: Random) -> tuple[int, list[int], Edges]:
    """A cycle with a random matching: refinement sees one cell, and there is hardly a symmetry."""
    ends = list(range(count))
    random.shuffle(ends)
    edges = [(i, (i + 1) % count, 0) for i in range(count)]
    edges = [*edges, *((t, s, 0) for s, t, _ in edges)]
    for s, t in zip(ends[::2], ends[1::2], strict=True):
        edges += [(s, t, 0), (t, s, 0)]
    return count, [0] * count, edges


@pytest.mark.slow
def test_a_part_that_is_too_regular_is_left_unordered_and_still_matched() -> None:
    """[DOT-CANON-4]"""
    count, labels, edges = cubic(600, Random(4))
    image = list(range(count))
    Random(5).shuffle(image)
    moved = [(image[s], image[t], n) for s, t, n in edges]
    assert numbered(count, labels, edges) is None
    assert numbered(count, labels, moved) is None
    first, second = LabelledGraph.of_edges(count, edges, 1), LabelledGraph.of_edges(count, moved, 1)
    mapping = find_isomorphism(first, labels, second, labels)
    assert mapping is not None
    assert sorted((mapping[a], mapping[b], n) for a, b, n in edges) == sorted(moved)


@pytest.mark.parametrize("count", [10, 20, 40])
def test_irregular_cubic_graphs_have_one_form(count: int) -> None:
    random = Random(count)
    for _ in range(5):
        _, labels, edges = cubic(count, random)
        image = list(range(count))
        random.shuffle(image)
        moved = [(image[s], image[t], n) for s, t, n in edges]
        form = numbered(count, labels, edges)
        assert form is not None
        assert form == numbered(count, labels, moved)
        assert form != numbered(*cubic(count, random))


@pytest.mark.parametrize("count", [3, 8, 15])
def test_very_symmetric_graphs_are_ordered(count: int) -> None:
    """Every vertex joined to every other by a vertex of its own, as arrows between alike nodes are."""
    edges: Edges = []
    middle = count
    for a in range(count):
        for b in range(count):
            if a != b:
                edges += [(middle, a, 0), (middle, b, 1)]
                middle += 1
    labels = [0] * count + [1] * (middle - count)
    assert numbered(middle, labels, edges) is not None
    assert numbered(middle, labels, edges) == numbered(middle, labels, list(reversed(edges)))
    assert numbered(2_000, [0] * 2_000, cycles(2_000)[2]) is not None


def test_independent_copies_cost_no_more_than_their_number() -> None:
    count, labels, edges = cycles(*[3] * 2_000)
    assert numbered(count, labels, edges) is not None


def test_refinement_takes_steps_in_proportion_also_where_it_needs_many_rounds() -> None:
    """[DOT-CANON-5] A path whose ends alone are told apart at first: as many rounds as half its length."""
    steps = []
    for count in (2_000, 4_000, 8_000):
        colouring = Colouring(
            LabelledGraph.of_edges(count, [(i, i + 1, 0) for i in range(count - 1)], 1), [0] * count
        )
        colouring.refine()
        assert colouring.is_discrete
        steps.append(colouring.steps)
    assert steps[1] <= 2.2 * steps[0] and steps[2] <= 2.2 * steps[1]


# --- what the hash tells apart -----------------------------------------------------------------------

PAIR = HEAD + b"@node id=2 role=proposer\n@node id=3 role=proposer\n@node id=4 role=critic\n"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (b"@edge src=2 dst=4 kind=critique\n", b""),
        (b"@edge src=2 dst=4 kind=critique\n" * 2, b"@edge src=2 dst=4 kind=critique\n"),
        (
            b"@edge src=2 dst=4 kind=critique\n" * 2,
            b"@edge src=2 dst=4 kind=critique\n@edge src=3 dst=4 kind=critique\n",
        ),
        (b"@status target=2 mark=validated\n", b"@status target=2 mark=invalidated\n"),
        (b"@status target=2 mark=validated\n", b"@status target=2 mark=validated just=4\n"),
        (b"@status target=2 mark=validated just=1\n", b"@status target=2 mark=validated just=4\n"),
        (b"@entails src=2 dst=3\n", b"@entails src=2 dst=3 witness=4\n"),
        (b"@entails src=2 dst=3\n", b"@entails src=2 dst=3 rank=0\n"),
        (b"@entails src=2 dst=3\n", b"@entails src=2 dst=2\n"),
        (b"@entails src=2 dst=3\n@entails src=3 dst=2\n", b"@entails src=2 dst=3\n@entails src=2 dst=3\n"),
        (b"@eq src=2 dst=3\n", b"@coeq src=2 dst=3\n"),
        (b'@prop id=4 {"gt": [4, 2]}\n', b'@prop id=4 {"gt": [2, 4]}\n'),
        (b'@prop id=4 {"gt": [4, 2]}\n', b'@prop id=4 {"gt": [4.0, 2]}\n'),
        (b"@node id=5 role=critic\n", b"@node id=5 role=proposer\n"),
        (
            b"@status target=2 mark=validated\n@node id=5 role=critic\n@edge src=2 dst=5 kind=critique\n",
            b"@node id=5 role=critic\n@edge src=2 dst=5 kind=critique\n@status target=2 mark=validated\n",
        ),
    ],
)
def test_other_typed_records_have_another_hash(a: bytes, b: bytes) -> None:
    """[DOT-CANON-1] The last pair: the same records, emitted by another block."""
    (first, found_a), (second, found_b) = read(PAIR + a), read(PAIR + b)
    assert found_a == found_b == []
    assert digest(first) != digest(second)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (b"@entails src=2 dst=3\n", b"@entails src=3 dst=2\n"),
        (b"@edge src=2 dst=4 kind=critique\n", b"@edge src=3 dst=4 kind=critique\n"),
        (b'@prop id=4 {"gt":[4,2]}\n', b'@prop id=4  { "gt" : [ 4 , 2 ] }\n'),
        (b'@prop id=4 ["p", 0.50]\n', b'@prop id=4 ["p", 5e-1]\n'),
        (b"text\n", b"@@len=1@@x\n"),
    ],
)
def test_what_is_alike_has_one_hash(a: bytes, b: bytes) -> None:
    """[DOT-CANON-1] [DOT-CANON-3] Nodes 2 and 3 are alike, so it does not matter which of them a record
    names.
    """
    (first, found_a), (second, found_b) = read(PAIR + a), read(PAIR + b)
    assert found_a == found_b == []
    assert digest(first) == digest(second)


def test_traces_of_many_alike_nodes_are_numbered() -> None:
    """Many copies of one branch, and many propositions in one summary."""
    found: list[Record] = [Node(0, "problem")]
    for i in range(300):
        target, critic = 2 * i + 1, 2 * i + 2
        found += [Node(target, "proposer"), Edge(0, target, "use"), prop(target, "p")]
        found += [
            Node(critic, "critic"),
            Edge(target, critic, "critique"),
            Status(target, "validated", critic, critic),
        ]
    found += [Node(601, "summarizer"), *(Edge(2 * i + 1, 601, "use") for i in range(300))]
    trace = trace_of(found)
    assert trace.is_well_formed and is_numbered(trace)
    assert digest(trace) == digest(trace_of(shuffle(found, Random(7)).records))
