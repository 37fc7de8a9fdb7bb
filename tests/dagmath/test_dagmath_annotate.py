"""Dependencies of prose by a model, and how far parsers agree, against independent computations."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import networkx
import pytest
from building_support import NATASCHA, edges_reply, parents_reply, reasons_reply
from hypothesis import strategies as st
from statements import Property

from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.models.annotation.agreement import DifferentSteps, agreement, compare_parsers, edges_of
from potlang.models.annotation.dependencies import annotate, split_steps
from potlang.models.endpoint import EndpointError, Recorded, Sampling

PROSE = "\n\n".join(step.node for step in NATASCHA.steps)
NODES = [step.node for step in NATASCHA.steps]


def test_prose_becomes_a_solution() -> None:
    """[DAG-PROSE]: the steps are those of the text, the dependencies those of the model."""
    model = Recorded([parents_reply()])
    found = annotate(NATASCHA.problem or "", PROSE, model, answer="12:1")
    assert found.solution is not None
    assert [(s.id, s.parents, s.node) for s in found.solution.steps] == [
        (s.id, s.parents, s.node) for s in NATASCHA.steps
    ]
    assert (found.solution.answer, found.reason, len(found.attempts)) == ("12:1", "", 1)
    assert not any(step.edge for step in found.solution.steps)


def test_reasons_become_edges() -> None:
    """[DAG-PROSE]: of a model that does not think first they are wanted, and a reply without is rejected."""
    model = Recorded([parents_reply(), reasons_reply()])
    found = annotate("p", PROSE, model, mode="reasons")
    assert found.solution is not None
    assert found.attempts[0].problem == "step 1 has no `reason`"
    assert found.solution.steps[4].edge == "Because 5."
    assert model.asked[0].settings["schema"]["properties"]["steps"]["items"]["required"][1] == "reason"


def test_nothing_is_repaired() -> None:
    """[DAG-PROSE]: steps that nothing uses stay unclosed."""
    found = annotate("p", NODES, Recorded([parents_reply(step_9=(5, 6))]))
    assert found.solution is not None
    assert Graph.of(found.solution).unclosed() == [1]


def test_replies_that_are_not_accepted() -> None:
    """[DAG-PROSE]: as many tries as allowed, and then the reason."""
    found = annotate("p", PROSE, Recorded([edges_reply(), "?", "[]"]), sampling=Sampling(3))
    assert (found.solution, found.reason, len(found.attempts)) == (None, "no dependencies are accepted", 3)
    found = annotate("p", PROSE, Recorded([EndpointError("timeout", "")]))
    assert (found.solution, found.failure, found.reason) == (None, "timeout", "timeout")
    assert "0 steps" in annotate("p", " \n", Recorded([])).reason
    assert "1001 steps" in annotate("p", ["x"] * 1001, Recorded([])).reason


@pytest.mark.parametrize(
    ("prose", "steps"),
    [
        ("One thing.\n\nAnother\nthing.\n\n\n", ["One thing.", "Another thing."]),
        ("Intro\n\n**Step 1:** First.\nMore.\n\n### Step 2\nSecond.", ["First. More.", "Second."]),
        ("Step 1. We set $x = 1$.\nStep 2. Then $x + 1 = 2$.", ["We set $x = 1$.", "Then $x + 1 = 2$."]),
        ("Plan:\r\n1. First.\r\n   More.\r\n2) Second.\r\n", ["First. More.", "Second."]),
        ("As in Step 1 of the book.\n\nDone.", ["As in Step 1 of the book.", "Done."]),
        ("1. Only one item.\n\nThen more.", ["1. Only one item.", "Then more."]),
        ("", []),
    ],
)
def test_steps_of_a_text(prose: str, steps: list[str]) -> None:
    """[DAG-PROSE]: headings, else a list, else paragraphs."""
    assert split_steps(prose) == steps


@pytest.mark.parametrize(
    "text", ["#" * 100_000, "* " * 50_000, "Step " * 40_000, "\n \t" * 60_000, "1. " * 60_000]
)
def test_splitting_takes_linear_time(text: str) -> None:
    """[DAG-PROSE]: the parts hold all words of the text, or all but what marks steps."""
    assert sum(map(len, split_steps(text))) <= len(text)


# --- agreement --------------------------------------------------------------------------------------


def _solution(random: Random, count: int, share: float) -> Solution:
    steps = []
    for id_ in range(1, count + 1):
        parents = tuple(each for each in range(1, id_) if random.random() < share)
        steps.append(Step(id_, "", parents or None, "x"))
    return Solution(tuple(steps))


def _check_agreement(random: Random) -> None:
    """[DAG-AGREE]: Jaccard by networkx, F1 and kappa from the table of both, kappa also by statsmodels."""
    sizes = [random.randint(1, 8) for _ in range(random.randint(1, 4))]
    share = random.choice([0.0, 0.2, 0.5, 1.0])
    ours = [_solution(random, size, share) for size in sizes]
    theirs = [_solution(random, size, random.choice([share, 0.3])) for size in sizes]
    found = agreement(ours, theirs)
    table = [[0, 0], [0, 0]]
    for one, other in zip(ours, theirs, strict=True):
        mine, yours = _graph(one), _graph(other)
        for a in mine:
            for b in mine:
                if a < b:
                    table[mine.has_edge(a, b)][yours.has_edge(a, b)] += 1
    (neither, second), (first, both) = table
    union = both + first + second
    assert found.jaccard == (Fraction(both, union) if union else 1)
    assert found.f1 == (Fraction(2 * both, union + both) if union else 1)
    assert found.possible == neither + union
    # Imported here: it takes seconds, which every worker would spend that only collects.
    from statsmodels.stats.inter_rater import cohens_kappa

    kappa = None
    if neither + union and not _certain(table):
        kappa = cohens_kappa(table, return_results=False)
    assert (found.kappa is None) == (kappa is None)
    if kappa is not None:
        assert math.isclose(float(found.kappa or 0), kappa, abs_tol=1e-9)
    assert agreement(theirs, ours).kappa == found.kappa
    assert agreement(ours, ours).jaccard == 1


def _certain(table: list[list[int]]) -> bool:
    """Whether both sides always say the same one thing, so that kappa is 0/0."""
    total = sum(map(sum, table))
    return total in (table[0][0], table[1][1])


def _graph(solution: Solution) -> networkx.DiGraph:
    graph = networkx.DiGraph()
    graph.add_nodes_from(step.id for step in solution.steps)
    graph.add_edges_from(edges_of(solution))
    return graph


AGREEMENT = Property(_check_agreement, st.randoms(use_true_random=False), quick=100)
test_agreement, test_agreement_deeply = AGREEMENT.tests()


def test_parsers_side_by_side() -> None:
    """[DAG-AGREE]: each by itself, and each two."""
    closed = NATASCHA
    steps = [step._replace(parents=(5, 6)) if step.id == 9 else step for step in closed.steps]
    open_ = closed._replace(steps=tuple(steps))
    found = compare_parsers({"self": [closed, closed], "one": [closed, open_], "other": [open_, open_]})
    assert [(p.solutions, p.closed) for p in found.parsers.values()] == [(2, 2), (2, 1), (2, 0)]
    assert found.parsers["one"].share == (1 + Fraction(11, 12)) / 2
    assert list(found.pairs) == [("self", "one"), ("self", "other"), ("one", "other")]
    edges = len(edges_of(closed))
    assert found.pairs["self", "one"].jaccard == Fraction(2 * edges - 1, 2 * edges)


def test_different_steps_are_not_compared() -> None:
    """[DAG-AGREE]."""
    shorter = NATASCHA._replace(steps=NATASCHA.steps[:-1])
    with pytest.raises(DifferentSteps, match="solution 1"):
        agreement([NATASCHA], [shorter])
    with pytest.raises(DifferentSteps, match="1 solutions"):
        agreement([NATASCHA], [])
