"""Graphs of steps for tests: strategies, and what they are compared with."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import networkx as nx
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps


@st.composite
def graphs(draw: DrawFn, most: int = 12) -> Graph:
    """Any graph of steps; closed ones are common."""
    random = draw(st.randoms(use_true_random=False))
    count = draw(st.integers(1, most))
    parents = [set(random.sample(range(at), random.randint(0, min(at, 3)))) for at in range(count)]
    if random.random() < 0.5:
        for at in range(count - 1):
            if not any(at in each for each in parents):
                parents[random.randint(at + 1, count - 1)].add(at)
    return Graph(tuple(tuple(sorted(each)) for each in parents))


class Judged(NamedTuple):
    """A sample as a test says it is."""

    graph: Graph | None
    correct: bool
    problem: str
    group: tuple[str, ...]
    difficulty: float | None


def judged_samples(least: int = 1) -> st.SearchStrategy[list[Judged]]:
    """Samples of few problems and groups, some of them malformed."""
    one = st.builds(
        Judged,
        st.none() | graphs() | graphs(),
        st.booleans(),
        st.sampled_from("abc"),
        st.sampled_from([("m",), ("n",)]),
        st.sampled_from([None, 0.5, 1.0, 1.5, 6.0]),
    )
    return st.lists(one, min_size=least, max_size=25)


def steps_of(graph: Graph, ids: list[int] | None = None) -> tuple[Step, ...]:
    """The steps of a graph, numbered from 1 unless ids are given."""
    names = ids if ids is not None else list(range(1, len(graph.parents) + 1))
    return tuple(
        Step(names[at], "", tuple(names[each] for each in parents) or None, f"step {names[at]}")
        for at, parents in enumerate(graph.parents)
    )


def solution_of(graph: Graph, **metadata: object) -> Solution:
    """A solution with this graph."""
    return Solution(steps_of(graph), **metadata)  # type: ignore[arg-type]


def digraph(graph: Graph) -> nx.DiGraph:
    """The graph for networkx."""
    found = nx.DiGraph()
    found.add_nodes_from(range(len(graph.parents)))
    found.add_edges_from((parent, step) for step, parents in enumerate(graph.parents) for parent in parents)
    return found


def other_order(graph: Graph, random: Random) -> Graph:
    """The same graph in another topological order that ends in the same step."""
    last = len(graph.parents) - 1
    waiting = {step: set(parents) for step, parents in enumerate(graph.parents) if step != last}
    order: list[int] = []
    while waiting:
        step = random.choice([each for each, parents in waiting.items() if parents <= set(order)])
        order.append(step)
        del waiting[step]
    order.append(last)
    at = {step: position for position, step in enumerate(order)}
    return Graph(tuple(tuple(sorted(at[each] for each in graph.parents[step])) for step in order))


Line = tuple[str, str, StepVerdict | None]
"""Edge and node of a step, and its verdict; None: neither proved nor refuted."""


def judged_lines(given: tuple[str, ...], lines: list[Line]) -> list[Line]:
    """The lines with the verdicts that they have as steps whose parents are all the given ones."""
    steps = [Step(at, "It is given.", None, node) for at, node in enumerate(given, start=1)]
    parents = tuple(range(1, len(given) + 1))
    steps += [Step(len(given) + at, edge, parents, node) for at, (edge, node, _) in enumerate(lines, start=1)]
    report = check_steps(Solution(tuple(steps)))
    assert report.contradiction == ()
    firm = (StepVerdict.PROVED, StepVerdict.REFUTED)
    found = [each.verdict if each.verdict in firm else None for each in report.steps[len(given) :]]
    return [(edge, node, verdict) for (edge, node, _), verdict in zip(lines, found, strict=True)]
