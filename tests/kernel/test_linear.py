"""Sums of comparisons: what the kernel accepts is contradictory, by z3 and by all small numbers."""

from __future__ import annotations

import itertools

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_support import theory_of

from potlang.certify import Invalid, Refutation
from potlang.certify.refutation import MOST_STEPS
from potlang.certify.tokens import StepBudget

DECLARED = (
    *(f'(declare constant "{name}" () Int)' for name in "ijk"),
    *(f'(declare constant "{name}" () Real)' for name in "xyz"),
    '(declare constant "p" () Bool)',
    '(declare function "g" (Int) Int)',
    '(declare defined "same" (Int) Bool)',
    "(define same (?i.0) (vars (?i.0 Int)) (= ?i.0 i))",
)


def accepted(statement: str, steps: int = MOST_STEPS) -> Refutation:
    """A refutation that begins with this axiom. Raises Invalid."""
    theory = theory_of(*DECLARED, '(assert "0" "" fact true)')
    work = Refutation(theory, "assumptions", None, StepBudget(steps))
    work.statement(f"(axiom 1 {statement})")
    return work


@pytest.mark.parametrize(
    ("axiom", "clauses"),
    [
        ("linear (1 (< i j)) (1 (< j i))", [(-1, -2)]),
        ("linear (1 (< i j)) (1 (not (< i j)))", []),
        ("linear (1 (< x y)) (1 (not (< x y)))", []),
        ("linear (2 (< i 3)) (1 (not (< (* 2 i) 6)))", [(-1, 2)]),
        ("linear (1 (= (+ y (lit Real 1/1)) x)) (1 (< x y))", [(-1, -2)]),
        ("linear (1 (= (+ y y) x)) (1 (< x (* y (lit Real 2/1))))", [(-1, -2)]),
        ("linear (1 (not (< (* x x) (* y y)))) (1 (< (* x x) (* y y)))", []),
        ("linear (1 (< i (- i 0)))", [(-1,)]),
        ("linear (1 (= (to_real i) (lit Real 1/2))) (1 (not (< (to_real i) (lit Real 1/1))))", [(-1, 2)]),
        ("linear (1 (< (+ (* 2 i) (* 2 j)) 4)) (2 (not (< (+ i j) 2)))", [(-1, 2)]),
        ("linear (2 (not (< (- i j) 1))) (1 (= (* 2 i) (+ (* 2 j) 1)))", [(1, -2)]),
        ("compare i j", [(1, 2, 3)]),
        ("compare i 3", [(1, -2, 3)]),
        ("compare x x", []),
        ("arithmetic (abs i)", [(1, 2), (-1, 3)]),
        ("arithmetic (div i 3)", [(-1,), (2,)]),
        ("arithmetic (mod i -3)", [(-1,), (2,), (3,)]),
        ("arithmetic (to_int x)", [(-1,), (2,)]),
    ],
)
def test_what_arithmetic_says(axiom: str, clauses: list[tuple[int, ...]]) -> None:
    """[CERT-LINEAR] [CERT-COMPARE] [CERT-ARITHMETIC]"""
    assert accepted(axiom).clauses == clauses


@pytest.mark.parametrize(
    ("axiom", "reason"),
    [
        ("linear", "no contradiction"),
        ("linear (1 (< i j))", "no contradiction"),
        ("linear (1 (< i j)) (1 (not (< j i)))", "no contradiction"),
        ("linear (1 (not (< x y))) (1 (not (< y x)))", "no contradiction"),
        ("linear (1 (< i j)) (2 (< j i))", "no contradiction"),
        ("linear (1 (= i j))", "no contradiction"),
        ("linear (1 (= x (+ y (lit Real 1/1)))) (1 (< x y))", "no contradiction"),
        ("linear (1 (= x (lit Real 2/1))) (1 (< x (lit Real 2/1)))", "no contradiction"),
        ("linear (1 (< (* x y) (* x z))) (1 (< z y))", "no contradiction"),
        ("linear (1 (< (+ x y) (lit Real 4/1))) (1 (not (< (+ x y) (lit Real 3/1))))", "no contradiction"),
        ("linear (1 (< (+ (* 2 i) (* 3 j)) 4)) (2 (not (< (+ i j) 2)))", "no contradiction"),
        ("linear (0 (< i j)) (1 (< j i))", "positive factors"),
        ("linear (-1 (< i j)) (1 (< i j))", "positive factors"),
        ("linear (1 (not (= i j)))", "comparisons"),
        ("linear (1 (not (not (= i j))))", "comparisons"),
        ("linear (1 (same j))", "comparisons"),
        ("linear (1 (= p p))", "comparisons"),
        ("linear (1 p)", "comparisons"),
        ("linear (1 (< 1 2))", "comparisons"),
        ("linear (1 ())", "has arguments"),
        ("linear (< i j)", "group of two"),
        ("linear (1 2 3)", "group of two"),
        ("compare i", "axiom"),
        ("compare i x", "does not take"),
        ("compare p p", "does not take"),
        ("arithmetic i", "operator"),
        ("arithmetic (div i j)", "operator"),
        ("arithmetic (mod i 0)", "operator"),
        ("arithmetic 3", "operator"),
    ],
)
def test_what_is_no_axiom_of_arithmetic(axiom: str, reason: str) -> None:
    """[CERT-LINEAR] [CERT-COMPARE] [CERT-ARITHMETIC]"""
    with pytest.raises(Invalid, match=reason):
        accepted(axiom)


# --- against z3, and against all small numbers --------------------------------------------------------

NUMBERS = st.integers(-3, 3)
COMPARISON = st.tuples(
    st.sampled_from(["<", "not <", "="]), st.tuples(NUMBERS, NUMBERS), NUMBERS, st.integers(1, 3)
)


def written(kind: str, factors: tuple[int, int], constant: int, names: str) -> str:
    """Some comparison of a form with 0."""
    one, other = (f"(* {_numeral(each, names)} {name})" for each, name in zip(factors, names, strict=True))
    compared = f"(+ {one} {other} {_numeral(constant, names)}) {_numeral(0, names)}"
    return f"(not (< {compared}))" if kind == "not <" else f"({kind} {compared})"


def _numeral(number: int, names: str) -> str:
    return str(number) if names == "ij" else f"(lit Real {number}/1)"


def solved(kind: str, factors: tuple[int, int], constant: int, names: str) -> z3.BoolRef:
    """The same for z3."""
    one, other = map(z3.Int if names == "ij" else z3.Real, names)
    form = factors[0] * one + factors[1] * other + constant
    return form < 0 if kind == "<" else form >= 0 if kind == "not <" else form == 0


@settings(max_examples=300)
@given(st.lists(COMPARISON, min_size=1, max_size=4), st.sampled_from(["ij", "xy"]))
def test_a_sum_that_is_accepted_is_contradictory(
    drawn: list[tuple[str, tuple[int, int], int, int]], names: str
) -> None:
    """[CERT-LINEAR] z3 finds no numbers either."""
    parts = [f"({factor} {written(*rest, names)})" for *rest, factor in drawn]
    try:
        accepted(f"linear {' '.join(parts)}")
    except Invalid:
        return
    solver = z3.Solver()
    solver.add(*(solved(*rest, names) for *rest, _ in drawn))
    assert solver.check() == z3.unsat


@pytest.mark.parametrize("operator", ["div", "mod"])
def test_what_is_said_of_division_is_so(operator: str) -> None:
    """[CERT-ARITHMETIC] And of no other value than SMT-LIB's."""
    for divisor, whole in itertools.product([-3, -1, 2, 5], range(-7, 8)):
        quotient = whole // divisor if divisor > 0 else -(whole // -divisor)
        value = quotient if operator == "div" else whole - divisor * quotient
        for claimed in range(value - 2, value + 3):
            assert _is_possible(operator, whole, divisor, claimed) is (claimed == value)


def _is_possible(operator: str, whole: int, divisor: int, claimed: int) -> bool:
    """Whether z3 finds the facts that the kernel states of an operator to fit a value."""
    facts = accepted(f"arithmetic ({operator} i {divisor})")
    i, found, quotient = z3.Ints("i value quotient")
    rest = i - divisor * quotient
    solver = z3.Solver()
    solver.add(i == whole, rest >= 0, rest < abs(divisor), found == (quotient if operator == "div" else rest))
    solver.add(found == claimed)
    # The clauses are units: a denial, a comparison, and of a remainder the equation.
    assert len(facts.clauses) == (2 if operator == "div" else 3)
    return bool(solver.check() == z3.sat)


def test_sums_that_are_nothing_take_steps_too() -> None:
    """[CERT-OUTCOME] A defined number costs a name, and a hundred sums each time that it is looked at."""
    zero = "(- i i)"
    for _ in range(100):
        zero = f"(- {zero} (- i i))"
    theory = theory_of(
        *DECLARED,
        '(declare defined "zero" () Int)',
        f"(define zero () {zero})",
        '(assert "0" "" fact true)',
    )
    line = f"(axiom 1 linear {' '.join(['(1 (< zero 0))'] * 50)})"
    with pytest.raises(Invalid, match="steps"):
        Refutation(theory, "assumptions", None, StepBudget(5_000)).statement(line)
    work = Refutation(theory, "assumptions", None, StepBudget(200_000))
    work.statement(line)
    assert 200_000 - work.steps.left > 50 * 100


def test_products_of_large_sums_are_bounded() -> None:
    """[CERT-OUTCOME] A product of sums spends the budget of steps, and takes no memory for it."""
    base = "(+ i j k 1)"
    power = f"(* {' '.join([base] * 60)})"
    with pytest.raises(Invalid, match="steps"):
        accepted(f"linear (1 (< {power} i))", 1_000_000)
