"""Numbers that grow with ω, against the same computations at one large ω."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_support import certificate, program, theory_of

from potlang.certify import Outcome, check
from potlang.certify.evaluate import ModelEvaluation
from potlang.certify.growing import MOST_PARTS, Growing, total
from potlang.certify.models import CertificateModel
from potlang.certify.operators import NoValue, compute
from potlang.certify.sorts import INT, REAL
from potlang.certify.tokens import Invalid, StepBudget, tree

OMEGA = math.lcm(*range(1, 13)) ** 8
"""Large for the factors here, a square, and divisible by what they are divided by."""
FACTORS = st.fractions(-9, 9, max_denominator=4)
REALS = st.dictionaries(st.integers(-2, 2), FACTORS, max_size=3).map(lambda each: total(each.items()))
WHOLE = st.dictionaries(st.integers(1, 2), FACTORS, max_size=2)
INTEGERS = st.tuples(WHOLE, st.integers(-9, 9)).map(
    lambda each: total([*each[0].items(), (0, Fraction(each[1]))])
)


def at(value: Any) -> Any:
    """A number that grows, at one large ω."""
    if not isinstance(value, Growing):
        return value
    return sum((factor * Fraction(OMEGA) ** int(power) for power, factor in value.parts), Fraction(0))


def whole(value: Any) -> int:
    found = Fraction(at(value))
    assert found.denominator == 1
    return found.numerator


@given(REALS, REALS, st.sampled_from(["<", "<=", "=", "+", "-", "*", "/", "distinct"]))
def test_reals(one: Any, other: Any, op: str) -> None:
    """[CERT-FAMILY] What the table of operators says of families is so at a large ω, or there is no value."""
    found = compute(op, [one, other], [REAL, REAL])
    expected = compute(op, [Fraction(at(one)), Fraction(at(other))], [REAL, REAL])
    if isinstance(found, NoValue):
        assert op == "/"
        assert other == 0 or (isinstance(other, Growing) and len(other.parts) > 1)
        return
    assert at(found) == expected


@given(REALS, st.sampled_from(["neg", "abs", "to_int"]))
def test_one_real(one: Any, op: str) -> None:
    """[CERT-FAMILY]"""
    assert at(compute(op, [one], [REAL])) == compute(op, [Fraction(at(one))], [REAL])


@given(INTEGERS, INTEGERS, st.sampled_from(["<", "<=", "=", "+", "-", "*", "div", "mod"]))
def test_integers(one: Any, other: Any, op: str) -> None:
    """[CERT-FAMILY]"""
    given_ = [each if isinstance(each, Growing) else int(each) for each in (one, other)]
    found = compute(op, given_, [INT, INT])
    if isinstance(found, NoValue):
        assert op in ("div", "mod")
        assert other == 0 or isinstance(other, Growing)
        return
    assert at(found) == compute(op, [whole(one), whole(other)], [INT, INT])


@given(INTEGERS)
def test_an_integer_as_a_real(one: Any) -> None:
    """[CERT-FAMILY]"""
    assert at(compute("to_real", [one if isinstance(one, Growing) else int(one)], [INT])) == at(one)


def test_out_of_proportion() -> None:
    """[CERT-FAMILY] A number of too many powers has no value."""
    many = total([(number, Fraction(1)) for number in range(MOST_PARTS)])
    found = compute("*", [many, total([(100, Fraction(1)), (0, Fraction(1))])], [REAL, REAL])
    assert isinstance(found, NoValue)
    assert isinstance(compute("+", [many, total([(-1, Fraction(1))])], [REAL, REAL]), NoValue)


# --- formulas in families ------------------------------------------------------------------------

CONSTANTS = ('(declare constant "i" () Int)', '(declare constant "r" () Real)')


def truth(formula: str, *lines: str) -> object:
    theory = theory_of(*CONSTANTS, '(declare function "f" (Int) Real)', f'(assert "0" "" fact {formula})')
    model = CertificateModel(theory)
    for line in lines:
        model.read(tree(line))
    return ModelEvaluation(model, StepBudget(100_000)).truth(theory.assertions["0"].formula)


def itself(value: Any) -> Any:
    return value


def written(value: Any, *, real: bool) -> str:
    if isinstance(value, Growing):
        return f"(powers {' '.join(f'({power} {written(each, real=True)})' for power, each in value.parts)})"
    number = Fraction(value)
    return f"(lit Real {number.numerator}/{number.denominator})" if real else str(whole(number))


class Drawing:
    """Formulas over one integer, one real and a function between them, as text of the IR."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def growing(self, low: int) -> Any:
        """A number with powers from `low`; constant parts are integers where it is 0."""
        draw = self.rng
        parts = {power: Fraction(draw.randint(-4, 4), draw.choice((1, 2, 3))) for power in range(low, 3)}
        constant = Fraction(draw.randint(-4, 4), 1 if low == 0 else 2)
        return total([*((p, f) for p, f in parts.items() if p and draw.random() < 0.6), (0, constant)])

    def number(self, depth: int, sort: str) -> str:
        draw = self.rng
        if depth == 0 or draw.random() < 0.2:
            constant = draw.randint(-3, 3)
            leaves = ("i", str(constant)) if sort == "Int" else ("r", f"(lit Real {constant}/2)", "(f i)")
            return draw.choice(leaves)
        one = self.number(depth - 1, sort)
        other = self.number(depth - 1, sort)
        common = [f"(+ {one} {other})", f"(- {one} {other})", f"(* {one} {other})", f"(abs {one})",
                  f"(ite {self.formula(depth - 1)} {one} {other})", f"(neg {one})"]  # fmt: skip
        if sort == "Int":
            divisor = draw.choice((-3, -2, 2, 5))
            common += [f"(div {one} {divisor})", f"(mod {one} {divisor})",
                       f"(to_int {self.number(depth - 1, 'Real')})"]  # fmt: skip
        else:
            common += [f"(/ {one} {other})", f"(to_real {self.number(depth - 1, 'Int')})"]
        return draw.choice(common)

    def formula(self, depth: int) -> str:
        draw = self.rng
        sort = draw.choice(("Int", "Real"))
        atom = f"({draw.choice(('<', '<=', '='))} {self.number(depth, sort)} {self.number(depth, sort)})"
        if depth == 0 or draw.random() < 0.5:
            return atom
        return f"({draw.choice(('and', 'or', '=>', 'iff'))} {atom} {self.formula(depth - 1)})"


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_a_family_and_one_of_its_members(start: int) -> None:
    """[CERT-FAMILY] A formula has the value in a family that it has in a member far out."""
    decided = 0
    for seed in range(start, start + 100):
        draw = Drawing(seed)
        i, r, default, entry = draw.growing(0), draw.growing(-2), draw.growing(-2), draw.growing(-2)
        formula = draw.formula(3)
        values = []
        for member in (itself, at):
            lines = [
                f"(constant i {written(member(i), real=False)})",
                f"(constant r {written(member(r), real=True)})",
                f"(function f (default {written(member(default), real=True)})"
                f" ({written(member(i), real=False)} {written(member(entry), real=True)}))",
            ]
            values.append(truth(formula, *lines))
        if not isinstance(values[0], NoValue):
            assert values[0] is values[1], (seed, formula)
            decided += 1
    assert decided > 60


@pytest.mark.parametrize(
    "line",
    [
        "(constant i (powers (1 (lit Real 1/1)) (0 (lit Real 1/2))))",
        "(constant i (powers (1 (lit Real 1/1)) (-1 (lit Real 1/1))))",
        "(constant i (powers (0 (lit Real 3/1))))",
        "(constant i (powers))",
        "(constant i (powers (1 1)))",
        "(constant i (powers (1 (powers (1 (lit Real 1/1))))))",
        "(constant r (powers (1/2 (lit Real 1/1))))",
        "(constant r (powers (1 (lit Real 1/1)) (1 (lit Real -1/1))))",
        "(constant r (powers (1 r)))",
        "(constant r (powers 1))",
        "(constant r (powers (1 (lit Int 1))))",
    ],
)
def test_what_is_no_number_that_grows(line: str) -> None:
    """[CERT-FAMILY]"""
    with pytest.raises(Invalid):
        truth("true", line)


# --- answers that rest on families ---------------------------------------------------------------


def answered(constraint: str, objective: str, direction: str, *lines: str) -> Outcome:
    """The outcome for one objective over x: Real and n: Int."""
    text = program(
        '(declare free "x" () Real)', '(declare free "n" () Int)', '(optimize "lexicographic")',
        f'(constraint "c" "" constraint {constraint})', f'(objective "o" "{direction}" {objective})',
        '(objective "p" "maximize" x)',
    )  # fmt: skip
    return check(certificate(text, *lines), text)


def family(x: str, n: str = "0") -> tuple[str, ...]:
    def value(text: str) -> str:
        parts = [f"({power} (lit Real {factor}))" for power, factor in map(str.split, text.split(","))]
        return f"(powers {' '.join(parts)})"

    shown = [each if each == "0" or each.startswith("(lit") else value(each) for each in (x, n)]
    return "(model m)", f"(constant x {shown[0]})", f"(constant n {shown[1]})"


BEYOND = ('(result "objective 0" unbounded)', "(sat beyond m)", '(result "objective 1" undefined)')


@pytest.mark.parametrize(
    ("constraint", "objective", "direction", "model", "fits"),
    [
        ("(<= (lit Real 0/1) x)", "x", "maximize", family("1 1/1"), True),
        ("(<= (lit Real 0/1) x)", "x", "minimize", family("1 -1/1"), False),
        ("(<= (lit Real 0/1) x)", "x", "maximize", family("1 -1/1"), False),
        ("(<= (lit Real 0/1) x)", "x", "minimize", family("1 1/1"), False),
        ("(<= x (lit Real 9/1))", "x", "minimize", family("1 -1/1"), True),
        ("(<= x (lit Real 9/1))", "x", "maximize", family("1 1/1"), False),
        ("(<= (lit Real 0/1) x)", "x", "maximize", family("(lit Real 1000000000000/1)"), False),
        ("(<= (lit Real 0/1) x)", "x", "maximize", family("-1 1/1"), False),
        ("(= (mod n 7) 3)", "n", "maximize", family("(lit Real 0/1)", "1 1/3,0 3/1"), True),
        ("(= (mod n 7) 3)", "n", "maximize", family("(lit Real 0/1)", "1 1/3,0 4/1"), False),
        ("(= x (to_real n))", "(* x x)", "maximize", family("1 1/1", "1 1/1"), True),
        ("(= x (to_real n))", "(* x x)", "maximize", family("1 1/1", "1 2/1"), False),
        ("(< (* x x) (lit Real 2/1))", "x", "maximize", family("1 1/1"), False),
    ],
)
def test_unbounded(
    constraint: str, objective: str, direction: str, model: tuple[str, ...], fits: bool
) -> None:
    """[CERT-LIMIT] [CERT-FAMILY] A family in which the objective passes every bound, and none else."""
    found = answered(constraint, objective, direction, "(objective)", "(objective)", *model, *BEYOND)
    assert found.status == ("VALID" if fits else "INVALID"), found
    if fits:
        assert (found.open, dict(found.verdicts)) == (
            (),
            {"objective 0": "unbounded", "objective 1": "undefined"},
        )
    else:
        assert "is false in m" in found.message


def limit(value: str, *model: str) -> tuple[str, ...]:
    return (
        f"(objective (lit Real {value}))", "(objective)", '(refutation s reached "objective 0")',
        '(instance 1 "c")', "(instance 2 goal)", "(empty)", *model, '(result "objective 0" unattained)',
        "(unsat reached s)", "(sat approached m)", '(result "objective 1" undefined)',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("constraint", "direction", "lines", "reason"),
    [
        ("(< x (lit Real 5/1))", "maximize", limit("5/1", *family("0 5/1,-1 -1/1")), ""),
        ("(< (lit Real 5/1) x)", "minimize", limit("5/1", *family("0 5/1,-2 7/3")), ""),
        ("(< x (lit Real 5/1))", "maximize", limit("5/1", *family("0 9/2,-1 -1/1")), "is false in m"),
        ("(< x (lit Real 5/1))", "maximize", limit("5/1", *family("(lit Real 4/1)")), "is false in m"),
        ("(< x (lit Real 5/1))", "maximize", limit("5/1", *family("0 5/1,-1 1/1")), "is false in m"),
        ("(< x (lit Real 5/1))", "maximize", limit("9/2", *family("0 5/1,-1 -1/1")), "by unit propagation"),
        ("(< x (lit Real 5/1))", "minimize", limit("5/1", *family("0 5/1,-1 -1/1")), "by unit propagation"),
    ],
)
def test_unattained(constraint: str, direction: str, lines: tuple[str, ...], reason: str) -> None:
    """[CERT-LIMIT] [CERT-FAMILY] [CERT-UNDEFINED] A family that comes as near as one likes."""
    found = answered(constraint, "x", direction, *lines)
    assert (found.status, reason in found.message) == ("INVALID" if reason else "VALID", True), found
    assert found.open == ()


def test_undefined_is_behind_what_has_no_optimum() -> None:
    """[CERT-UNDEFINED] Only there, without evidence, and open where what is before is."""
    lines = ("(objective)", "(objective)", *family("1 1/1"))
    bound = "(<= (lit Real 0/1) x)"
    unknown = answered(bound, "x", "maximize", *lines, '(result "objective 0" unknown)', BEYOND[2])
    assert (unknown.status, "does not follow" in unknown.message) == ("INVALID", True)
    first = answered(bound, "x", "maximize", *lines, '(result "objective 0" undefined)', BEYOND[2])
    assert (first.status, "does not follow" in first.message) == ("INVALID", True)
    more = answered(bound, "x", "maximize", *lines, *BEYOND, '(agreed unsat feasible () "z3")')
    assert (more.status, "does not follow" in more.message) == ("INVALID", True)
    said = answered(bound, "x", "maximize", *lines, BEYOND[0], '(agreed sat beyond "z3")', BEYOND[2])
    assert (said.status, said.open) == ("VALID_WITH_HOLES", ("objective 0", "objective 1"))


def test_different_powers_are_different() -> None:
    """[CERT-FAMILY]"""
    lines = ("(constant i (powers (1 (lit Real 1/1))))", "(constant r (powers (2 (lit Real 1/1))))")
    for left, right in itertools.product(("(to_real i)", "r"), repeat=2):
        assert truth(f"(= {left} {right})", *lines) is (left == right)
