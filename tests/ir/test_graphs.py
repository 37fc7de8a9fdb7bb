"""The graph algorithms against networkx, and what they say of order."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.ir.graphs import ProofForest, UnionFind, components, ordered, reachable_from

SIZE = 9
EDGES = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=20)


def digraph(edges: list[tuple[int, int]]) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(SIZE))
    graph.add_edges_from(edges)
    return graph


def successors(edges: list[tuple[int, int]]) -> list[list[int]]:
    return [[b for a, b in edges if a == node] for node in range(SIZE)]


@given(EDGES)
def test_components_are_those_of_networkx_each_after_what_it_leads_to(edges: list[tuple[int, int]]) -> None:
    component, found = components(successors(edges))
    assert sorted(map(tuple, found)) == sorted(
        tuple(sorted(each)) for each in nx.strongly_connected_components(digraph(edges))
    )
    assert all(component[node] == at for at, members in enumerate(found) for node in members)
    assert all(component[b] <= component[a] for a, b in edges)


@given(EDGES)
def test_reachable_nodes_are_those_of_networkx(edges: list[tuple[int, int]]) -> None:
    after = successors(edges)
    assert reachable_from([0, 1], lambda node: after[node]) == {0, 1} | nx.descendants(
        digraph(edges), 0
    ) | nx.descendants(digraph(edges), 1)


@given(EDGES)
def test_an_order_follows_all_edges_or_names_a_cycle(edges: list[tuple[int, int]]) -> None:
    cycles: list[list[int]] = []
    needed = successors(edges)
    order = ordered(range(SIZE), lambda node: needed[node], cycles.append)
    assert sorted(order) == list(range(SIZE))
    assert bool(cycles) is not nx.is_directed_acyclic_graph(digraph(edges))
    for cycle in cycles:
        assert all(b in needed[a] for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    if not cycles:
        assert all(order.index(b) < order.index(a) for a, b in edges)


def test_what_needs_nothing_stays_in_the_order_it_is_given_in() -> None:
    assert ordered([3, 1, 2], lambda node: [2] if node == 1 else [], lambda cycle: None) == [3, 2, 1]


def test_a_cycle_can_be_refused() -> None:
    def refuse(cycle: list[int]) -> None:
        raise ValueError(cycle)

    with pytest.raises(ValueError, match=r"\[1, 2\]"):
        ordered([0], lambda node: [(1, 2, 1)[node]], refuse)


@given(EDGES)
def test_classes_are_the_connected_components(edges: list[tuple[int, int]]) -> None:
    classes = UnionFind(range(SIZE))
    for a, b in edges:
        apart = classes.find(a) != classes.find(b)
        assert classes.join(a, b) is apart
    found = classes.classes()
    assert sorted(map(tuple, found)) == sorted(
        tuple(sorted(each)) for each in nx.connected_components(digraph(edges).to_undirected())
    )
    assert found == sorted(map(sorted, found))


@given(EDGES)
def test_a_proof_forest_explains_a_class_by_its_own_equations(edges: list[tuple[int, int]]) -> None:
    classes, forest = UnionFind(range(SIZE)), ProofForest[int, int]()
    for label, (a, b) in enumerate(edges):
        if classes.join(a, b):
            forest.link(a, b, label)
    for a in range(SIZE):
        for b in range(SIZE):
            if classes.find(a) == classes.find(b):
                here = a
                for there, label in forest.path(a, b):
                    assert {here, there} == set(edges[label])
                    here = there
                assert here == b


@pytest.mark.slow
def test_long_chains_need_no_recursion() -> None:
    size = 100_000
    after = [[node + 1] for node in range(size - 1)] + [[0]]
    assert components(after) == ([0] * size, [list(range(size))])
    assert (
        ordered([0], lambda node: after[node] if node < size - 1 else [], lambda cycle: None)[0] == size - 1
    )
    forest = ProofForest[int, int]()
    for node in range(size - 1):
        forest.link(node + 1, node, node)
    assert len(forest.path(0, size - 1)) == size - 1
