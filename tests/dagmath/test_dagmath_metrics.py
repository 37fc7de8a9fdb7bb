"""The metrics of solutions and of sets: each rule as a property, and beside something independent."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import networkx as nx
import pytest
from dagmath_support import Judged, digraph, graphs, judged_samples, other_order, steps_of
from hypothesis import strategies as st
from statements import Mutation, Property

from potlang.languages.dagmath.check.graph import BrokenGraphError, Graph
from potlang.languages.dagmath.check.metrics import (
    LEVELS,
    Class,
    Shape,
    classify,
    pass_at,
    shape_of,
    surplus,
    trapezoid,
)
from potlang.languages.dagmath.read.records import Step
from potlang.score import scores as scores_module
from potlang.score import tally as tally_module
from potlang.score.scores import CLASSES, Score, score_of
from potlang.score.tally import Tally


def check_closed(graph: Graph) -> None:
    """[DAG-CLOSED]: all but the last have a child iff it is the only sink iff all are its ancestors."""
    shape = shape_of(steps_of(graph))
    known = digraph(graph)
    last = len(graph.parents) - 1
    children = all(known.out_degree(step) > 0 for step in range(last))
    only_sink = [step for step in known if known.out_degree(step) == 0] == [last]
    ancestors = nx.ancestors(known, last) == set(range(last))
    assert shape.is_closed == children == only_sink == ancestors == graph.closed() == (not surplus(graph))


def check_shape(graph: Graph) -> None:
    """[DAG-SHAPE]: the one pass over steps counts what networkx counts, and what `Graph` does."""
    known = digraph(graph)
    shape = shape_of(steps_of(graph))
    nodes = known.number_of_nodes()
    assert shape == Shape(
        nodes,
        known.number_of_edges(),
        max(degree for _, degree in known.in_degree()),
        max(degree for _, degree in known.out_degree()),
        nodes - 1 - len(graph.unclosed()),
    )
    assert math.isclose(float(shape.density), 2 * nx.density(known))
    statistics = graph.statistics()
    assert statistics[:2] == shape[:2] and statistics[3:] == shape[2:4]
    assert math.isclose(statistics.density, float(shape.density))


def check_invariance(given: tuple[Graph, Random]) -> None:
    """[DAG-INVARIANT]: neither numbers nor the order of steps matter, as long as the last is the last."""
    graph, random = given
    shape = shape_of(steps_of(graph))
    ids = random.sample(range(1_000), len(graph.parents))
    assert shape_of(steps_of(graph, ids)) == shape
    assert shape_of(steps_of(other_order(graph, random))) == shape
    doubled = [step._replace(parents=(step.parents or ()) * 2) for step in steps_of(graph)]
    assert shape_of(doubled) == shape


def check_level(graph: Graph) -> None:
    """[DAG-SHARE] [DAG-AUC]: the level is the last k with 100 · closed ≥ k · (N − 1), in whole numbers."""
    shape = shape_of(steps_of(graph))
    assert shape.level == max(k for k in LEVELS if 100 * shape.closed >= k * (shape.nodes - 1))
    assert (shape.level == 100) == shape.is_closed
    assert shape.share == (Fraction(shape.closed, shape.nodes - 1) if shape.nodes > 1 else 1)


RANDOM_GRAPHS = st.tuples(graphs(), st.randoms(use_true_random=False))
test_closed, test_closed_deep = Property(check_closed, graphs(), quick=100).tests()
test_shape, test_shape_deep = Property(check_shape, graphs(), quick=60).tests()
test_invariance, test_invariance_deep = Property(check_invariance, RANDOM_GRAPHS, quick=60).tests()
test_level, test_level_deep = Property(check_level, graphs(most=40), quick=60).tests()


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [Step(1, "", None, "a"), Step(1, "", None, "b")],
        [Step(1, "", (1,), "a")],
        [Step(1, "", (2,), "a"), Step(2, "", None, "b")],
        [Step(1, "", None, "a"), Step(2, "", (7,), "b")],
        [Step(1, "", None, "a"), Step(2, "", (1,), "b"), Step(1, "", (2,), "c")],
    ],
)
def test_what_is_no_graph_is_said_to_be_none(steps: list[Step]) -> None:
    """[DAG-SHAPE]"""
    with pytest.raises(BrokenGraphError):
        shape_of(steps)
    with pytest.raises(BrokenGraphError):
        Graph.from_ids((step.id, step.parents or ()) for step in steps)


def test_one_right_step_by_itself_is_perfect() -> None:
    """[DAG-CLASS]: closure says nothing of premises that are missing."""
    shape = shape_of([Step(1, "", None, "42")])
    assert shape == Shape(1, 0, 0, 0, 0)
    assert (shape.share, shape.density, shape.level) == (1, 0, 100)
    assert classify(shape, True) is Class.PERFECT
    assert classify(shape, False) is Class.WRONG
    assert classify(None, True) is Class.MALFORMED


def test_seven_of_ten_meets_seventy_per_cent() -> None:
    """[DAG-AUC]: a float comparison of 7/10 with 0.7 · 1 would err elsewhere; whole numbers never do."""
    for count in range(1, 200):
        for closed in range(count + 1):
            level = Shape(count + 1, 0, 0, 0, closed).level
            assert level == math.floor(Fraction(100 * closed, count))


@pytest.mark.parametrize("samples", range(1, 8))
def test_pass_at_k_is_the_share_of_subsets_with_a_right_one(samples: int) -> None:
    """[DAG-PASS]: the estimate is the mean over all k-subsets of the samples."""
    for correct in range(samples + 1):
        right = [at < correct for at in range(samples)]
        for k in range(1, samples + 1):
            chosen = list(combinations(right, k))
            assert pass_at(k, samples, correct) == Fraction(sum(map(any, chosen)), len(chosen))
    assert pass_at(samples + 1, samples, 1) is None
    with pytest.raises(ValueError, match="at least 1"):
        pass_at(0, samples, 1)


def test_trapezoids_of_a_line_are_its_area() -> None:
    """[DAG-AUC]"""
    line = [Fraction(k, 100) for k in LEVELS]
    assert trapezoid(line) == Fraction(1, 2)
    assert trapezoid([Fraction(1, 3)] * 101) == Fraction(1, 3)


# --- sets of samples ---------------------------------------------------------------------------------


def tallied(samples: list[Judged]) -> Tally:
    tally = Tally()
    for each in samples:
        shape = None if each.graph is None else shape_of(steps_of(each.graph))
        tally.add(shape, each.correct, group=each.group, problem=each.problem, difficulty=each.difficulty)
    return tally


def mean(values: Any) -> Fraction:
    kept = [Fraction(each) for each in values]
    return sum(kept, Fraction(0)) / len(kept)


def accuracy(samples: list[Judged], level: int) -> Fraction:
    """A(k/100) as it is defined: a mean over problems of means over samples."""
    problems: dict[str, list[bool]] = defaultdict(list)
    for each in samples:
        good = False
        if each.graph is not None and each.correct:
            rest = len(each.graph.parents) - 1
            closed = rest - len(each.graph.unclosed())
            good = 100 * closed >= level * rest
        problems[each.problem].append(good)
    return mean(mean(each) for each in problems.values())


def check_scores(samples: list[Judged]) -> None:
    """[DAG-PRR] [DAG-SCORE]: the sums give what the definitions give, group by group."""
    tally = tallied(samples)
    for group in tally.groups():
        mine = [each for each in samples if each.group == group]
        score = score_of(tally, group, pass_k=(1, 2))
        assert score.curve == tuple(accuracy(mine, level) for level in LEVELS)
        assert (score.curve[0], score.curve[-1]) == (score.pass_1, score.prr)
        assert score.pass_k[1] == score.pass_1
        assert score.malformed == sum(each.graph is None for each in mine)
        check_exact_area(mine, score)
        check_classes(mine, score)


def check_exact_area(samples: list[Judged], score: Score) -> None:
    shares: dict[str, list[Fraction]] = defaultdict(list)
    for each in samples:
        right = each.correct and each.graph is not None
        shares[each.problem].append(shape_of(steps_of(each.graph)).share if right else Fraction(0))
    expected = mean(mean(each) for each in shares.values())
    assert 0 <= expected - score.auc_exact < Fraction(1, 1 << 60)
    assert abs(score.auc - expected) <= Fraction(1, 100)


def check_classes(samples: list[Judged], score: Score) -> None:
    for name, kinds in CLASSES.items():
        found = [
            each.graph.statistics()
            for each in samples
            if each.graph is not None and classify(shape_of(steps_of(each.graph)), each.correct) in kinds
        ]
        means = score.classes[name]
        assert means.samples == len(found)
        for at, field in enumerate(("nodes", "edges", "density", "max_in", "max_out")):
            value = getattr(means, field)
            assert value is None if not found else math.isclose(value, mean(each[at] for each in found))


def check_endpoints(samples: list[Judged]) -> None:
    """[DAG-AUC]: the curve falls from PASS@1 to R̂, and its area is between them."""
    tally = tallied(samples)
    for group in tally.groups():
        score = score_of(tally, group)
        assert score.curve[0] == score.pass_1 >= score.auc >= score.prr == score.curve[-1]
        assert list(score.curve) == sorted(score.curve, reverse=True)
        assert score.prr - Fraction(1, 1 << 60) <= score.auc_exact <= score.pass_1


def check_merging(given: tuple[list[Judged], Random]) -> None:
    """[DAG-TALLY]: neither the order of samples nor how tallies are merged changes anything."""
    samples, random = given
    parts: list[list[Judged]] = [[] for _ in range(3)]
    for each in random.sample(samples, len(samples)):
        random.choice(parts).append(each)
    merged = Tally()
    for part in parts:
        merged.merge(tallied(part))
    whole = tallied(samples)
    assert list(merged.groups()) == list(whole.groups())
    assert merged.samples == whole.samples == len(samples)
    for group in whole.groups():
        assert score_of(merged, group, (1, 3)) == score_of(whole, group, (1, 3))
        assert merged.bins(group) == whole.bins(group)
        for level in whole.bins(group):
            one, other = (each.class_tally(group, Class, [level]) for each in (merged, whole))
            assert all(getattr(one, name) == getattr(other, name) for name in one.__slots__)


SCORES = Property(check_scores, judged_samples(), quick=40)
ENDPOINTS = Property(check_endpoints, judged_samples(), quick=40)
MERGING = Property(check_merging, st.tuples(judged_samples(), st.randoms(use_true_random=False)), quick=40)
test_scores, test_scores_deep = SCORES.tests()
test_endpoints, test_endpoints_deep = ENDPOINTS.tests()
test_merging, test_merging_deep = MERGING.tests()


def test_memory_does_not_grow_with_samples() -> None:
    """[DAG-TALLY]: what a tally holds depends on groups, problems and sizes."""

    def held(count: int) -> int:
        tally = Tally()
        for at in range(count):
            shape = Shape(10, 12 + at % 3, 2, 3, at % 10)
            tally.add(shape, at % 2 == 0, problem=str(at % 4), difficulty=at % 5)
        problems = sum(len(each.levels) for of in tally.problems.values() for each in of.values())
        counts = ("nodes", "edges", "densities", "max_in", "max_out")
        return problems + sum(len(getattr(each, name)) for each in tally.classes.values() for name in counts)

    assert held(4_000) == held(400)


def _curve_by_samples(problems: Any) -> Any:
    """The curve over all samples and not by problem: a usual mistake."""
    samples = sum(each.samples for each in problems)
    counts = [sum(each.levels.get(level, 0) for each in problems) for level in LEVELS]
    return tuple(Fraction(sum(counts[level:]), samples) for level in LEVELS)


def _closed_if_any(shape: Shape | None, correct: bool) -> Class:
    return Class.MALFORMED if shape is None else Class.PERFECT if correct else Class.WRONG


MUTATIONS = [
    Mutation("scores", "a mean over samples", (scores_module,), "_curve", _curve_by_samples),
    Mutation("scores", "closure is not looked at", (tally_module,), "classify", _closed_if_any),
]


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_mutation_is_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.check_caught(SCORES, monkeypatch)
