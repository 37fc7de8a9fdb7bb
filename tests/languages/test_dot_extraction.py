"""The extraction map: graph, inclusions, index category with its hom-sets, and isomorphisms of diagrams."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from dot_support import APPENDIX_A, ROOT, read
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.diagrams import isomorphic

from potlang.languages.dot.lower.extract import Extraction, extract
from potlang.languages.dot.lower.index import GeneratingArrow, Object, Relation, index_category


def extracted(data: bytes) -> Extraction:
    trace, found = read(data)
    assert found == []
    return extract(trace)


# --- what a trace says ------------------------------------------------------------------------------


def test_appendix_a() -> None:
    """[DOT-EXTR-3]"""
    found = extracted(APPENDIX_A)
    assert found.proposers == (2, 4, 6, 8)
    assert found.edges == ()
    assert [(edge.src, edge.dst) for edge in found.critiques] == [(2, 3), (4, 5), (6, 7), (8, 9)]
    assert found.inclusions == ()
    assert {id_: found.state(id_) for id_ in (1, 2, 3, 6, 10)} == {
        1: "initial",
        2: "validated",
        3: None,
        6: "invalidated",
        10: None,
    }
    assert found.diagram() == {2: ('{"gt":[4,2]}',), 4: ('{"gt":[6,5]}',), 8: ('{"lt":[4,10]}',)}
    assert found.index.arrows == () and set(found.index.objects) == {2, 4, 6, 8}


def test_the_example_with_an_arrow_and_a_refinement() -> None:
    """[DOT-EXTR-3]"""
    found = extracted((ROOT / "examples" / "refinement.dot.txt").read_bytes())
    assert [(i.lower, i.upper, i.schema) for i in found.inclusions] == [(4, 6, "LE")]
    assert [(arrow.source, arrow.target) for arrow in found.index.arrows] == [(4, 6)]
    assert [(edge.src, edge.dst, edge.kind) for edge in found.edges] == [(4, 6, "use")]


NODES = b"".join(b"@node id=%d role=proposer\n" % i for i in range(1, 6))


def judged(*marks: str) -> bytes:
    """Critics with the ids 11, 12, … that give these marks to the nodes 1, 2, …"""
    lines = [
        f"@node id={10 + i} role=critic\n" + (f"@status target={i} mark={mark}\n" if mark else "")
        for i, mark in enumerate(marks, 1)
    ]
    return "".join(lines).encode()


def inclusions(data: bytes) -> list[tuple[int, int, str]]:
    return [(i.lower, i.upper, i.schema) for i in extracted(data).inclusions]


@pytest.mark.parametrize("mark", ["validated", "invalidated", ""])
def test_le_counts_if_its_source_is_validated(mark: str) -> None:
    """[DOT-EXTR-5] [DOT-EXTR-8]"""
    data = NODES + judged(mark, "") + b"@entails src=1 dst=2\n@entails src=2 dst=1\n"
    assert inclusions(data) == ([(1, 2, "LE")] if mark == "validated" else [])


@pytest.mark.parametrize("first", ["validated", "invalidated", ""])
@pytest.mark.parametrize("second", ["validated", "invalidated", ""])
def test_eq_counts_if_both_ends_are_validated(first: str, second: str) -> None:
    """[DOT-EXTR-4] [DOT-EXTR-8]"""
    found = extracted(NODES + judged(first, second) + b"@eq src=1 dst=2\n")
    counts = first == second == "validated"
    assert [(i.lower, i.upper) for i in found.inclusions] == ([(1, 2), (2, 1)] if counts else [])
    assert (found.of[1] == found.of[2]) == counts
    assert len(found.index.objects) == (4 if counts else 5)


@pytest.mark.parametrize("mark", ["validated", "invalidated", ""])
def test_tr_reverses_a_refine_edge_from_a_validated_proposition(mark: str) -> None:
    """[DOT-EXTR-8]"""
    more = b"@node id=20 role=proposer\n@edge src=1 dst=20 kind=refine\n@edge src=2 dst=20 kind=use\n"
    more += b"@edge src=11 dst=20 kind=refine\n"
    assert inclusions(NODES + judged(mark, "validated") + more) == (
        [(20, 1, "TR")] if mark == "validated" else []
    )


def test_the_status_at_the_end_counts() -> None:
    """[DOT-EXTR-2] [DOT-EXTR-9]"""
    early = NODES + b"@node id=9 role=critic\n@entails src=1 dst=2 witness=9 rank=3\n@eq src=1 dst=3\n"
    found = extracted(early + judged("validated", "", "validated"))
    assert [(i.lower, i.upper, i.schema, i.rank) for i in found.inclusions] == [
        (1, 2, "LE", 3),
        (1, 3, "EQ", 0),
        (3, 1, "EQ", 0),
    ]


def test_arrows_between_equal_objects_and_cycles() -> None:
    """[DOT-EXTR-5] [DOT-EXTR-7]"""
    data = (
        NODES
        + judged("validated", "validated", "validated")
        + (
            b"@entails src=1 dst=2\n@entails src=2 dst=3\n@entails src=3 dst=1\n@entails src=1 dst=4\n"
            b"@eq src=1 dst=2\n"
        )
    )
    found = extracted(data)
    assert found.index.objects[1].members == (1, 2)
    assert [(arrow.source, arrow.target) for arrow in found.index.arrows] == [(1, 1), (1, 3), (3, 1), (1, 4)]
    assert [(arrow.source, arrow.target) for arrow in found.index.validated().arrows] == [
        (1, 1),
        (1, 3),
        (3, 1),
    ]
    assert not found.index.hom(1, 3).complete
    assert found.index.hom(4, 1) == ((), True)


# --- hom-sets --------------------------------------------------------------------------------------


def category(count: int, arrows: list[tuple[int, int]], related: list[tuple[int, int]]) -> Any:
    objects = {i: Object(i, (i,), True) for i in range(count)}
    made = [GeneratingArrow(s, t) for s, t in arrows]
    return index_category(objects, made, [Relation(s, t) for s, t in related])


def paths_of(arrows: dict[int, tuple[int, int]], source: int, target: int) -> list[tuple[int, ...]]:
    """All paths of an acyclic graph."""
    found = [()] if source == target else []
    for name, (start, end) in arrows.items():
        if start == source:
            found += [(name, *rest) for rest in paths_of(arrows, end, target)]
    return found


@settings(max_examples=150)
@given(st.data())
def test_hom_sets_are_the_paths_modulo_the_congruence(data: st.DataObject) -> None:
    """[DOT-EXTR-6] On acyclic graphs, against rewriting parts of paths until nothing new is equal."""
    count = data.draw(st.integers(2, 5))
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).map(lambda p: (min(p), max(p)))
    arrows = data.draw(st.lists(pair.filter(lambda p: p[0] < p[1]), max_size=8))
    related = data.draw(st.lists(pair, max_size=3))
    made = category(count, arrows, related)
    every = dict(enumerate(arrows))
    for source, target in product(range(count), repeat=2):
        hom = made.hom(source, target)
        assert hom.complete
        paths = paths_of(every, source, target)
        groups = {path: {path} for path in paths}
        for path in paths:
            visits = [source, *(every[name][1] for name in path)]
            for i, k in related:
                for s, t in product(range(len(visits)), repeat=2):
                    if s <= t and visits[s] == i and visits[t] == k:
                        for middle in paths_of(every, i, k):
                            other = (*path[:s], *middle, *path[t:])
                            joined = groups[path] | groups[other]
                            for each in joined:
                                groups[each] = joined
        wanted = {
            frozenset(tuple(made.classes[name] for name in path) for path in some) for some in groups.values()
        }
        assert {frozenset(some) for some in hom.arrows} == wanted


def test_parallel_arrows_are_one_class_only_by_a_relation() -> None:
    """[DOT-EXTR-6]"""
    assert category(2, [(0, 1), (0, 1)], []).classes == (0, 1)
    assert category(2, [(0, 1), (0, 1)], [(0, 1)]).classes == (0, 0)
    assert len(category(2, [(0, 1), (0, 1)], []).hom(0, 1).arrows) == 2


def test_a_relation_on_one_object_makes_loops_identities() -> None:
    loop = category(1, [(0, 0)], [(0, 0)]).hom(0, 0)
    assert loop.complete and len(loop.arrows) == 1 and () in loop.arrows[0]
    around = category(2, [(0, 0), (0, 1)], [(0, 0)]).hom(0, 1)
    assert len(around.arrows) == 1 and not around.complete
    free = category(1, [(0, 0)], []).hom(0, 0, most=5)
    assert not free.complete and len(free.arrows) == 5


def test_hom_sets_with_very_many_paths_are_cut() -> None:
    diamonds = [(i, i + 1) for i in range(40) for _ in range(2)]
    hom = category(41, diamonds, []).hom(0, 40, most=100)
    assert not hom.complete
    assert category(41, diamonds, [(i, i + 1) for i in range(40)]).hom(0, 40) == (
        ((tuple(range(0, 80, 2)),),),
        True,
    )


def test_hom_of_what_is_no_object() -> None:
    with pytest.raises(KeyError):
        category(1, [], []).hom(0, 7)


# --- isomorphism of diagrams -------------------------------------------------------------------------


def test_a_diagram_ignores_what_is_not_validated_and_who_said_it() -> None:
    """[DOT-EXTR-7]"""
    base = NODES + judged("validated", "validated") + b"@entails src=1 dst=2\n"
    other = NODES + judged("validated", "validated", "invalidated") + b"@entails src=2 dst=1 witness=12\n"
    assert isomorphic(extracted(base), extracted(other))
    assert not isomorphic(extracted(base), extracted(NODES + judged("validated", "validated")))
    both = base + b"@entails src=2 dst=1\n"
    twice = base + b"@entails src=1 dst=2\n"
    assert not isomorphic(extracted(both), extracted(twice))
    assert not isomorphic(extracted(twice), extracted(twice + b"@coeq src=1 dst=2\n"))


def test_what_objects_say_counts() -> None:
    def diagram(text: str) -> Extraction:
        return extracted(
            b"@node id=1 role=proposer\n@prop id=1 " + text.encode() + b"\n" + judged("validated")
        )

    assert isomorphic(diagram('{"gt": [4, 2]}'), diagram('{ "gt" : [4,2] }'))
    assert not isomorphic(diagram('{"gt": [4, 2]}'), diagram('{"gt": [4, 3]}'))
