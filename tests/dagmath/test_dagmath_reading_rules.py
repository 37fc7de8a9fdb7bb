"""Small tables for the rules of reading steps that no larger test shows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from dagmath_support import judged_lines

from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.lower.solutions import read_solution_steps
from potlang.languages.dagmath.lower.syntax import text
from potlang.languages.dagmath.lower.units import measure
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps

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


READ = {
    # Formulas without marks: letters that are words elsewhere.
    "We get x = a.": "x = a",
    "We get x + A = 3.": "x + A = 3",
    "We have 2 * x + a = 4.": "2*x + a = 4",
    "x = a": "x = a",
    "Then x = 5!": "x = 5!",
    # Several formulas.
    "Thus, $x = 1$ or $y = 2$ or $z = 3$.": "x = 1 or y = 2 or z = 3",
    "Thus, $x = 1$ and $y = 2$ and $z = 3$.": "x = 1 and y = 2 and z = 3",
    "Thus, $x = 1$ or $x = 2$ and $x = 3$.": "x = 1 or x = 2 or x = 3",
    "Thus, $x = 1$ or $y = 2$ and $z = 3$.": "! it is not clear how the formulas are connected",
    # A value of what nothing names.
    "Thus, we get $5$.": "5",
    "So it is x.": "x",
    "Substituting $x = 3$ gives $5$.": "! it is not clear of what 'substituting' gives the value",
    "Using $x = 3$, we get $5$.": "! it is not clear of what 'get' gives the value",
    "There are 5 cats.": "! the word 'cats' is not understood",
    "So cats + dogs = 7.": "! '+' stands outside of formulas",
}


@pytest.mark.parametrize("sentence", READ)
def test_what_sentences_say(sentence: str) -> None:
    """[STEP-SENTENCES] [STEP-CHUNKS] Their claims or values, or behind a mark why they are not read."""
    steps = (Step(1, "", None, sentence),)
    (found,) = read_solution_steps(Solution(steps)).readings
    terms = "; ".join(map(text, (*found.claims, *found.values)))
    assert (terms if found.reason is None else f"! {found.reason}") == READ[sentence]


# Arithmetic in a given step: only what is false however it is read is refuted.
GIVEN = {
    "$1 + 1 = 2$.": StepVerdict.GIVEN,
    "$1 + 1 = 3$.": R,
    r"$100 - 20 = 80\%$.": StepVerdict.GIVEN,
    r"$100 - 20 = 70\%$.": R,
    r"$\frac{2}{3} = 0.66$.": StepVerdict.GIVEN,
    r"$\frac{2}{3} = 0.5$.": R,
    "$x = 3$.": StepVerdict.GIVEN,
}


@pytest.mark.parametrize("node", GIVEN)
def test_arithmetic_that_is_given(node: str) -> None:
    """[STEP-GIVEN]"""
    (found,) = check_steps(Solution((Step(1, "", None, node),))).steps
    assert found.verdict is GIVEN[node]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("$x = 1$.", "$x = 2$.", (1, 2)),
        ("$x = 1.5$.", "$x = 2$.", ()),
        (r"$x = 15\%$.", "$x = 2$.", ()),
        ("$x = 1$.", "$x = 1$.", ()),
        ("$t = 2$ hours.", "$t = 3$ hours.", (1, 2)),
        ("$t = 2$ hours.", "$t = 3$.", ()),
    ],
)
def test_given_steps_that_contradict(first: str, second: str, expected: tuple[int, ...]) -> None:
    """[STEP-GIVEN] [STEP-UNAMBIGUOUS] Decimals may be rounded."""
    report = check_steps(Solution((Step(1, "", None, first), Step(2, "", None, second))))
    assert report.contradiction == expected


def test_units_are_measured_in_the_smallest() -> None:
    """[STEP-UNITS]"""
    sizes = {
        "s": 1, "min": 60, "h": 3600, "mm": 1, "cm": 10, "m": 1000, "km": 1_000_000, "cm^2": 100,
        "square m": 1_000_000, "cubic cm": 1000, "g": 1000, "inch": 1, "ft": 12, "yd": 36, "mi": 63_360,
        "oz": 1, "lb": 16, "pint": 2, "quart": 4, "gallon": 16, "month": 1, "year": 12, "cent": 1,
        "dollar": 100, "km/h": Fraction(2500, 9), "mph": Fraction(88, 5),
    }  # fmt: skip
    for unit, size in sizes.items():
        found = measure(unit)
        assert found is not None and found.size == size, unit
    assert measure("euro") is measure("cats") is None


def test_the_premises_are_those_of_the_parents() -> None:
    """[STEP-PREMISES] [STEP-DEFINITIONS]: other steps say what letters mean, no more."""
    given = ("Let $r$ be the speed of the train.", "The speed of the train is $5$.")
    lines = [(EDGE, "$r = 5$.", P), (EDGE, "$r = 6$.", R)]
    assert judged_lines(given, lines) == lines
    assert judged_lines(("$x = 4$.",), [(EDGE, "$y = x + 1$.", None)])[0][2] is None
