"""Small tables for the rules of reading steps that no larger test shows."""

from __future__ import annotations

from typing import Any

import pytest
from dagmath_support import judged_lines

from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict

P, R = StepVerdict.PROVED, StepVerdict.REFUTED
EDGE = "It follows from Step 1."


def solution(*steps: dict[str, Any]) -> dict[str, Any]:
    named = [{"step_id": at, "edge": EDGE, **step} for at, step in enumerate(steps, 1)]
    return {"steps": named}


def checked(*steps: dict[str, Any]) -> Solution:
    found = check(solution(*steps)).solution
    assert found is not None
    return found


def test_a_step_has_four_parts_and_perhaps_a_proposition() -> None:
    """[DAG-STEP] [DAG-LAST]"""
    found = checked(
        {"direct_dependent_steps": None, "node": "$x = 1$."},
        {"direct_dependent_steps": [1], "node": r"$\\boxed{1}$.", "prop": "x == 1"},
    )
    assert found.steps[0] == Step(1, EDGE, None, "$x = 1$.")
    assert (found.steps[-1].parents, found.steps[-1].formal) == ((1,), "x == 1")


def test_a_parent_that_is_named_twice_is_one_edge() -> None:
    """[DAG-GRAPH]"""
    graph = check(
        solution(
            {"direct_dependent_steps": None, "node": "$x = 1$."},
            {"direct_dependent_steps": [1, 1], "node": r"$\boxed{1}$."},
        )
    ).graph
    assert graph is not None
    assert [tuple(parents) for parents in graph.parents] == [(), (0,)]


TABLES: dict[str, tuple[str, list[tuple[str, StepVerdict | None]]]] = {
    "formulas between any delimiters, and without": (
        "$x = 4$.",
        [
            ("$x + 1 = 5$.", P),
            (r"\(x + 1 = 5\)", P),
            (r"\[x + 1 = 6\]", R),
            (r"$\boxed{x + 1 = 6}$", R),
            ("x + 1 = 5.", P),
            ("By Step 1, $x + 1 = 5$", P),
        ],
    ),
    "annotations, money and products": (
        "$x = 4$.",
        [
            ("8 * 5 = <<8*5=40>>40.", P),
            ("8 * 5 = <<8*5=41>>40.", P),
            ("8 x 5 = 40.", P),
            ("8 x 5 = 41.", R),
            ("$5 + $4.50 = $9.50.", P),
            ("$5 + $4 = $8.", R),
        ],
    ),
    "names of quantities": (
        "The cycling speed is $12$.",
        [
            ("The speed of cycling is $12$.", P),
            ("The time of cycling is $12$.", None),
            ("The result is $12$.", P),
        ],
    ),
    "names that keep their order": (
        "The distance from A to B is $12$.",
        [("The distance from A to B is $12$.", P), ("The distance from B to A is $12$.", None)],
    ),
    "whole numbers where a step says so": ("Let $n$ be a positive integer.", [(r"$n \geq 1$.", P)]),
    "real numbers otherwise": ("$x > 0$.", [(r"$x \geq 1$.", None)]),
}


@pytest.mark.parametrize("title", TABLES)
def test_readings(title: str) -> None:
    """[STEP-CHUNKS] [STEP-QUANTITIES] [STEP-PREMISES]"""
    given, nodes = TABLES[title]
    lines = [(EDGE, node, verdict) for node, verdict in nodes]
    assert judged_lines((given,), lines) == lines


def test_the_premises_are_those_of_the_parents() -> None:
    """[STEP-PREMISES] [STEP-DEFINITIONS]: other steps say what letters mean, no more."""
    given = ("Let $r$ be the speed of the train.", "The speed of the train is $5$.")
    lines = [(EDGE, "$r = 5$.", P), (EDGE, "$r = 6$.", R)]
    assert judged_lines(given, lines) == lines
    assert judged_lines(("$x = 4$.",), [(EDGE, "$y = x + 1$.", None)])[0][2] is None
