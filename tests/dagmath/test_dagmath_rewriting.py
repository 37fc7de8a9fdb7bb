"""Expressions written in another way: small tables of what differs, what divides what, and what is known."""

from __future__ import annotations

import pytest
from relations_support import truths

from potlang.dagmath import Solution, Step
from potlang.languages.dagmath.lower.exact import difference
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.polynomials import Polynomial, difference_of, divides
from potlang.languages.dagmath.lower.readings import NO_CONTEXT
from potlang.languages.dagmath.relations.find import find_chains
from potlang.languages.dagmath.relations.formulas import read_side
from potlang.languages.dagmath.relations.rewriting import conditions, differ_everywhere, is_same_subject
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps


def polynomial(source: str) -> Polynomial:
    return difference_of(read_formula(source), read_formula("0"))


# A polynomial, and the ones that it divides, and others.
DIVIDES = {
    "x + y": ("5x + 5y; x^2 + xy; x^2 - y^2; 0", "x - y; x; 5; x^2 + y^2; x + y + 1; y"),
    "x": ("x; xy; x^2 + 3x", "1; y; x + 1; 2y + x"),
    "2x": ("x; 3x^2", "x + 1"),
    "3": ("x; 5; x + y; 0", ""),
    "x^2 + x": ("x^3 + x^2; 2x^2 + 2x", "x; x + 1; x^3 + x"),
    "0": ("0", "x; 1"),
}


@pytest.mark.parametrize("first", DIVIDES)
def test_divisors(first: str) -> None:
    """[REL-REWRITTEN]"""
    for expected, row in zip((True, False), DIVIDES[first], strict=True):
        for each in filter(None, row.split("; ")):
            assert divides(polynomial(first), polynomial(each)) is expected, each


# Two expressions, and where they differ: `difference` names a point, or has none.
DIFFERENT = {
    ("x + 1", "x + 2"): "x + 1 and x + 2 are not the same: where x = 2 they are 3 and 4",
    ("x + y", "xy"): "x + y and x*y are not the same: where x = 2, y = 3 they are 5 and 6",
    (r"\frac{1}{x - 2}", "x"): r"\frac{1}{x - 2} and x are not the same: where x = 3 they are 1 and 3",
    ("(x - 2)(x - 3)", "x - 2"): "(x - 2)*(x - 3) and x - 2 are not the same: where x = 3 they are 0 and 1",
    ("x^2 - 1", "(x - 1)(x + 1)"): None,
    ("2", "3"): None,
    ("x", "y"): None,
    ("x", "x + y"): None,
    ("x + |x|", "2x"): None,
    ("2x", "x + |x|"): None,
    ("x + x^y", "y + x"): None,
    ("x + x^{1/2}", "2x"): None,
    ("x : 2", "x"): "x : 2 and x are not the same: where x = 2 they are 1 and 2",
    ("x : 2 : 3", "x"): None,
}


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_where_expressions_differ(old: str, new: str) -> None:
    """[STEP-REWRITING]"""
    assert difference(read_formula(old), read_formula(new)) == DIFFERENT[old, new]


def test_a_refuted_rewriting_names_what_was_before_first() -> None:
    """[STEP-REWRITING]"""
    steps = Step(1, "", None, "Let $y = (x+1)^2$."), Step(2, "", (1,), "Simplifying, $y = x^2 + 1$.")
    found = check_steps(Solution(steps)).steps[-1]
    assert found.reason == "(x + 1)^{2} and x^{2} + 1 are not the same: where x = 2 they are 9 and 5"


# Expressions that are equal for some numbers only, one pair for each kind of points that are tried.
EQUAL_FOR = {
    "positive numbers": (r"|x|", "x"),
    "negative numbers": (r"|x|", "-x"),
    "small positive numbers": (r"\lfloor x \rfloor", "0"),
    "small negative numbers": ("|x(x + 10)|", "-x(x + 10)"),
    "large negative numbers": ("|x + 10|", "-x - 10"),
    "odd numbers": (r"x \bmod 2", "1"),
    "whole numbers": (r"\lfloor x \rfloor", "x"),
    "increasing numbers": ("|x - y|", "y - x"),
    "decreasing numbers": ("|x - y|", "x - y"),
}
DIFFERENT_EVERYWHERE = [("x", "x + 1"), ("x^2", "-x^2"), ("xy", "x + y"), (r"\sqrt{x}", "-x")]
NEVER_COMPARED = [(r"\frac{x}{0}", "x"), ("f(x)", "x")]


@pytest.mark.parametrize("kind", EQUAL_FOR)
def test_expressions_that_are_equal_for_some_numbers(kind: str) -> None:
    """[REL-REWRITTEN]"""
    left, right = (read_side(each, NO_CONTEXT) for each in EQUAL_FOR[kind])
    assert not differ_everywhere(left, right)


def test_expressions_that_are_different_everywhere() -> None:
    """[REL-REWRITTEN]"""
    for pair in DIFFERENT_EVERYWHERE:
        assert differ_everywhere(*(read_side(each, NO_CONTEXT) for each in pair)), pair
    for pair in NEVER_COMPARED:
        assert not differ_everywhere(*(read_side(each, NO_CONTEXT) for each in pair)), pair


SAME_SUBJECT = {
    ("x + 1", "x"): True,
    ("x", "x + 1"): False,
    ("x + y", "x"): False,
    ("x + 1", "2"): False,
    ("1 + 1", "2"): False,
    ("x + 1", "words about x"): False,
    ("words about x", "x + 1"): False,
    (r"x + \text{price of it}", "x"): False,
    ("x + 1", r"x + \text{price of it}"): False,
}


@pytest.mark.parametrize(("left", "right"), SAME_SUBJECT)
def test_expressions_in_the_same_variables(left: str, right: str) -> None:
    """[REL-REWRITTEN]"""
    found = is_same_subject(read_side(left, NO_CONTEXT), read_side(right, NO_CONTEXT))
    assert found is SAME_SUBJECT[left, right]


# A chain of relations, and the polynomials that it says are zero; `?` for one that is open.
CONDITIONS = {
    "$x^2 = 4$": ["x^2 - 4"],
    "$x = 2x - 3$": ["x - (2x - 3)"],
    "$A = x = 2x - 3$": ["A - x", "x - (2x - 3)"],
    "$A = x + x = 3x$": ["A - (x + x)"],
    "$A = x + x = 3y$": ["A - (x + x)", "x + x - 3y"],
    "$(x + 1)^2 = x^2 + 2x + 1$": [],
    "$x < 4$": [],
    r"$\sin x = 4$": ["?"],
    r"$x \equiv 4 \pmod{7}$": ["?"],
    "It grows = $x$": ["?"],
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_what_a_chain_says_of_its_variables(text: str) -> None:
    """[REL-REWRITTEN]"""
    (chain,) = find_chains(text).chains
    found = [each.polynomial for each in conditions(chain)]
    assert found == [None if each == "?" else polynomial(each) for each in CONDITIONS[text]]


def test_sides_that_differ_by_a_number() -> None:
    """[REL-POLYNOMIAL] Not where a unit or a word stands beside one of them."""
    assert truths("$x + 3 = x + 4$") == ["false"]
    assert truths(r"$x + 3 = x + 4 \text{ cm}$") == ["open"]
    assert truths(r"$x + 3 \text{ cm} = x + 4$") == ["open"]
    assert truths(r"$x + 3 \text{ cm} = x + 4 \text{ cm}$") == ["open"]
    assert truths("x + 3 = x + 4") == ["false"]
    assert truths("twice x + 3 = x + 4") == ["open"]
    assert truths("x + 3 = x + 4 more than 5") == ["open"]


NOT_REFUTED = [
    ("$y = x + 1$.", "Simplifying, $z = 2x$."),
    ("$y = x + 1$.", "Simplifying, $w + z = 2x$."),
    ("Let $y = 3$.", "Simplifying, $x = x^2$."),
    ("$x > 3$.", "Simplifying, $x + 1 = 5$."),
]


@pytest.mark.parametrize(("given_", "step"), NOT_REFUTED)
def test_equations_that_rewrite_nothing(given_: str, step: str) -> None:
    """[STEP-REWRITING] A new equation, of another subject, is no expression in another form."""
    steps = Step(1, "", None, given_), Step(2, "It follows from Step 1.", (1,), step)
    found = check_steps(Solution(steps)).steps[-1]
    assert found.verdict not in (StepVerdict.REFUTED, StepVerdict.PROVED)


def test_an_inequality_has_no_multiples() -> None:
    """[STEP-PREMISES]"""
    for given_, verdict in (("$x > 3$.", StepVerdict.REFUTED), ("$x = 3$.", StepVerdict.PROVED)):
        steps = Step(1, "", None, given_), Step(2, "It follows from Step 1.", (1,), "Then $2x = 6$.")
        assert check_steps(Solution(steps)).steps[-1].verdict is verdict
