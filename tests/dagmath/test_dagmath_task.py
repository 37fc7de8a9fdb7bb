"""Task DAGs: the transition rule, classes of walks, the paper's two examples, exact probabilities."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from statements import Property

from potlang.languages.dagmath.check.metrics import Class, classify, shape_of
from potlang.languages.dagmath.read.records import Step
from potlang.score.task import Illegal, Outcomes, TaskDag, TaskError, TooManyStates, two_chains

LOGARITHMS = TaskDag(
    {
        "v1": [],
        "v2": [],
        "v3": [],
        "v4": ["v1"],
        "v5": ["v1"],
        "v6": ["v1"],
        "v7": ["v6"],
        "v8": ["v4", "v5", "v7"],
        "v9": ["v7"],
        "v10": ["v2", "v3", "v5", "v8"],
        "v11": ["v2", "v3", "v9"],
    },
    correct=["v10"],
)
"""The logarithmic count problem. Parents of v4, v8 and v10 are those of appendix C; the others are
reconstructed from what the text says of the nodes: the figure alone has them."""
PERFECT = ["v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v10"]
IMPERFECT = ["v1", "v2", "v3", "v4", "v5", "v6", "v7", "v9", "v8", "v10"]
WRONG = ["v1", "v2", "v3", "v6", "v7", "v9", "v11"]


def test_logarithms_are_the_papers_graph() -> None:
    """[DAG-TASK]: sources, sinks, and what comes after v1 to v5 (section 2)."""
    assert LOGARITHMS.sources == ("v1", "v2", "v3")
    assert LOGARITHMS.sinks == ("v10", "v11")
    assert LOGARITHMS.available(["v1", "v2", "v3", "v4", "v5"]) == ["v6"]
    assert LOGARITHMS.available([]) == ["v1", "v2", "v3"]
    assert LOGARITHMS.available(PERFECT) == []


@pytest.mark.parametrize(
    ("walk", "kind"),
    [(PERFECT, Class.PERFECT), (IMPERFECT, Class.IMPERFECT), (WRONG, Class.WRONG)],
    ids=["perfect", "imperfect", "wrong"],
)
def test_the_papers_trajectories(walk: list[str], kind: Class) -> None:
    """[DAG-TASK]: the three trajectories of section 2.2 have the class that the paper says."""
    assert LOGARITHMS.illegal(walk) is None
    assert LOGARITHMS.classify(walk) is kind


def test_over_and_under_reasoning_are_named() -> None:
    """[DAG-OVER], [DAG-UNDER]"""
    assert LOGARITHMS.surplus(IMPERFECT) == ["v9"]
    assert LOGARITHMS.surplus(PERFECT) == LOGARITHMS.omitted(PERFECT) == []
    short = [node for node in PERFECT if node not in ("v4", "v6")]
    assert LOGARITHMS.omitted(short) == ["v4", "v6"]
    assert LOGARITHMS.classify(short) is Class.MALFORMED


@pytest.mark.parametrize(
    ("walk", "expected"),
    [
        (["v4"], Illegal(0, "v4", "premises", ("v1",))),
        (["v1", "v0"], Illegal(1, "v0", "unknown")),
        (["v1", "v1"], Illegal(1, "v1", "repeated")),
        ([*PERFECT, "v9"], Illegal(9, "v9", "absorbed")),
        (["v1", "v2"], Illegal(2, None, "unfinished")),
        ([], Illegal(0, None, "unfinished")),
        (["v1", "v6", "v7", "v8"], Illegal(3, "v8", "premises", ("v4", "v5"))),
    ],
)
def test_the_first_illegal_transition_is_named(walk: list[str], expected: Illegal[str]) -> None:
    """[DAG-TASK]"""
    assert LOGARITHMS.illegal(walk) == expected
    assert LOGARITHMS.classify(walk) is Class.MALFORMED


def test_what_is_no_task_is_refused() -> None:
    """[DAG-TASK]"""
    with pytest.raises(TaskError, match="cycle"):
        TaskDag({"a": ["b"], "b": ["a"]}, [])
    with pytest.raises(TaskError, match="no node"):
        TaskDag({"a": ["b"]}, [])
    with pytest.raises(TaskError, match="no sink"):
        TaskDag({"a": [], "b": ["a"]}, ["a"])
    with pytest.raises(TaskError, match="source and a sink"):
        two_chains(1)


@pytest.mark.parametrize("length", range(2, 16))
def test_prr_of_the_two_chains_halves_with_each_step(length: int) -> None:
    """[DAG-TOY]: PRR = (1/2)^(L − 1) where L counts the shared source, and PASS@1 stays a half (figure 2)."""
    outcomes = two_chains(length).outcomes()
    assert outcomes.perfect == Fraction(1, 2) ** (length - 1)
    assert outcomes.correct == Fraction(1, 2)
    assert sum(outcomes) == 1


@pytest.mark.parametrize("length", [2, 3, 4])
def test_prr_of_the_two_chains_in_simulation(length: int) -> None:
    """[DAG-TOY]: within four standard deviations."""
    task, random, count = two_chains(length), Random(length), 4_000
    perfect = sum(task.classify(task.sample(random)) is Class.PERFECT for _ in range(count))
    share = 0.5 ** (length - 1)
    assert abs(perfect / count - share) < 4 * (share * (1 - share) / count) ** 0.5


@st.composite
def tasks(draw: DrawFn) -> TaskDag[int]:
    random = draw(st.randoms(use_true_random=False))
    count = draw(st.integers(1, 7))
    parents = {at: random.sample(range(at), random.randint(0, min(2, at))) for at in range(count)}
    used = {each for premises in parents.values() for each in premises}
    sinks = [at for at in range(count) if at not in used]
    return TaskDag(parents, random.sample(sinks, random.randint(0, len(sinks))))


def walks(task: TaskDag[int]) -> list[tuple[list[int], Fraction]]:
    """All walks with their probabilities, one by one."""
    found = []
    waiting: list[tuple[list[int], Fraction]] = [([], Fraction(1))]
    while waiting:
        walk, chance = waiting.pop()
        following = task.available(walk)
        if not following:
            found.append((walk, chance))
        waiting += [([*walk, node], chance / len(following)) for node in following]
    return found


def check_outcomes(task: TaskDag[int]) -> None:
    """[DAG-TASK]: dynamic programming gives what all walks together give."""
    chances = dict.fromkeys(Class, Fraction(0))
    for walk, chance in walks(task):
        chances[task.classify(walk)] += chance
    assert chances[Class.MALFORMED] == 0
    expected = Outcomes(chances[Class.WRONG], chances[Class.IMPERFECT], chances[Class.PERFECT])
    assert task.outcomes() == expected


def check_walks(given: tuple[TaskDag[int], Random]) -> None:
    """[DAG-TASK]: sampled walks are legal, and classed like their own graphs ([DAG-CLASS])."""
    task, random = given
    walk = task.sample(random, weight=lambda _, node: node + 1)
    assert task.illegal(walk) is None
    graph = task.graph(walk)
    steps = [
        Step(at, "", parents, str(node))
        for at, (node, parents) in enumerate(zip(walk, graph.parents, strict=True))
    ]
    assert task.classify(walk) is classify(shape_of(steps), walk[-1] in task.correct)
    assert (not task.surplus(walk)) == graph.closed()
    assert task.omitted(walk) == []


OUTCOMES = Property(check_outcomes, tasks(), quick=40)
WALKS = Property(check_walks, st.tuples(tasks(), st.randoms(use_true_random=False)), quick=60)
test_outcomes, test_outcomes_deep = OUTCOMES.tests()
test_walks, test_walks_deep = WALKS.tests()


@given(st.integers(1, 9))
@settings(max_examples=9, deadline=None)
def test_weights_change_the_odds(weight: int) -> None:
    """[DAG-TASK]: with the right chain w times as likely, PRR is (w / (w + 1))^(L − 1)."""
    task = two_chains(5)
    outcomes = task.outcomes(weight=lambda _, node: 1 if node.endswith("′") else weight)
    assert outcomes.perfect == Fraction(weight, weight + 1) ** 4


def test_samples_are_the_same_for_the_same_seed() -> None:
    """[DAG-TASK]"""
    one, other = ([LOGARITHMS.sample(Random(3)) for _ in range(5)] for _ in range(2))
    assert one == other


def test_too_many_states_are_refused() -> None:
    """[DAG-TASK]"""
    wide = TaskDag({**{at: [] for at in range(30)}, 30: list(range(30))}, [30])
    with pytest.raises(TooManyStates):
        wide.outcomes(most=1_000)
