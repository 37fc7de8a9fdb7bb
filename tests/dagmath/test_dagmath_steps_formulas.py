"""The reader of formulas: what it reads, what it refuses, and that it never hangs ([STEP-FORMULAS])."""

from __future__ import annotations

import random
import time
from fractions import Fraction

import pytest
from formula_strategies import numbers, polynomials, relations, spaced, statements, terms
from hypothesis import strategies as st
from statements import Property

from potlang.languages.dagmath.lower.exact import NotExact, truth, value
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.syntax import Num, Op, Term, Unreadable, Variable, number, text

READ = {
    "3r * 4": "3*r*4",
    "12r : r": "12*r : r",
    "d=vt": "d = v*t",
    "x**2 + 1": "x^{2} + 1",
    r"\frac12x + \dfrac{3}{4}": r"\frac{1}{2}*x + \frac{3}{4}",
    r"x = \pm 3": r"x = \pm 3",
    "a = b = c": "a = b and b = c",
    "x<y<=z": "x < y and y <= z",
    r"k \in [1,300]": r"k \in [1, 300]",
    r"\left\lfloor \frac{999}{2} \right\rfloor = 499": r"\lfloor \frac{999}{2} \rfloor = 499",
    "|x-3| < 2|y|": r"\lvert x - 3 \rvert < 2*\lvert y \rvert",
    r"\boxed{12:1}": "12 : 1",
    r"a \equiv b \pmod{7}": r"a \equiv b \pmod{7}",
    r"17 \bmod 5 = 2": r"17 \bmod 5 = 2",
    r"\binom{5}{2} = 10": r"\binom{5}{2} = 10",
    r"20\% \cdot 50 = 10": r"20\%*50 = 10",
    r"2\log(x-1) = \log k": r"2*\log(x - 1) = \log(k)",
    r"x=2 \text{ or } x=3": "x = 2 or x = 3",
    "x = 2, 3": "x = 2 or x = 3",
    "x,y>0": "x > 0 and y > 0",
    r"\sum_{i=1}^{n} i": r"(\sum_{i = 1}^{n} i)",
    r"60\text{ km/h}": r"60 \text{km/h}",
    "1,000+2": "1000 + 2",
    r"10{,}000": "10000",
    "-x^2": "-x^{2}",
    "3 - -4": "3 - (-4)",
    "AB = 28": r"\operatorname{AB} = 28",
    "f(3)=9": "f(3) = 9",
    "a(b+c)": "a*(b + c)",
    r"\alpha_1 + x'": r"\alpha_{1} + x'",
    "6 ÷ 2 × 3 ≤ 9": r"\frac{6}{2}*3 <= 9",
    r"(7 \bmod 3) + 1 = -(x \bmod 2)": r"(7 \bmod 3) + 1 = -(x \bmod 2)",
    "9^9^9^9": "9^{9^{9^{9}}}",
    r"\sqrt{2} \approx 1.410": r"\sqrt{2} \approx 1.410",
    r"-2x ≈ -3.0\%": r"-2*x \approx -3.0\%",
    r"2x \approx 3 \text{ cm}": r"2*x \approx 3 \text{cm}",
}
REFUSED = {
    "": "empty",
    "1/2x": "either side",
    r"2\frac{1}{2}": "mixed number",
    "2 3": "without a sign",
    r"\frac{dy}{dx}": "derivative",
    r"\int_0^1 x": "\\int",
    r"1 + x + \ldots + n": "ellipsis",
    r"\pi \approx 3.14": "what is rounded",
    r"\sqrt{2} \approx x": "only numbers",
    "x +": "expects",
    "(x": "expects",
    r"\frac{1}{2": "expects",
    "x = 2, y = 3 or x = 3, y = 2": "commas",
    "101_2": "cannot stand here",
    "f^{-1}(x)": "inverse",
    r"\sin x y": "how far",
    "x \x00 y": "no part",
    "import os": "words",
    "__import__('os').system('true')": "no part",
}


@pytest.mark.parametrize("source", READ)
def test_reads(source: str) -> None:
    """LaTeX and plain text, as they are written ([STEP-FORMULAS])."""
    assert text(read_formula(source)) == READ[source]


@pytest.mark.parametrize("source", REFUSED)
def test_refuses(source: str) -> None:
    """What is no formula, or has two readings, is refused with the reason ([STEP-FORMULAS])."""
    with pytest.raises(Unreadable, match=REFUSED[source].replace("\\", r"\\")):
        read_formula(source)


def _round_trip(pair: tuple[Term, int]) -> None:
    """A formula's text is read as the same tree, whatever spaces are in it ([STEP-FORMULAS])."""
    term, seed = pair
    rng = random.Random(seed)
    assert read_formula(text(term)) == term
    assert read_formula(spaced(text(term), rng)) == term


def test_a_ratio_is_the_degree_of_a_root() -> None:
    """[STEP-FORMULAS] What stands in the brackets of a root is read like what stands in others."""
    term = Op("root", (Op("ratio", (number(1), number(2))), Variable("n")))
    _round_trip((term, 0))


BINARY = ("+", "*", "/", "^", "mod", "pm", "mp", "ratio")
UNARY = ("neg", "!", "%", "sqrt", "abs", "floor", "ceil")
BETWEEN = ("=", "!=", "<", "<=", ">", ">=", "divides")
CONNECTING = ("and", "or", "=>", "<=>")
X, Y, Z = map(Variable, "xyz")


def nested(outer: str) -> list[Term]:
    """Terms with an operation that has others in each of its places."""
    inner: list[Term] = [*(Op(op, (X, Y)) for op in BINARY), *(Op(op, (X,)) for op in UNARY)]
    if outer in UNARY:
        return [Op(outer, (each,)) for each in inner]
    if outer in (*CONNECTING, "not"):
        both = Op("=", (X, Y)), Op("<", (X, Y))
        inner = [Op("not", (both[0],)), *(Op(op, both) for op in CONNECTING)]
        if outer == "not":
            return [Op(outer, (each,)) for each in inner]
        return [Op(outer, pair) for each in inner for pair in ((each, both[0]), (both[0], each))]
    return [Op(outer, pair) for each in inner for pair in ((each, Z), (Z, each))]


@pytest.mark.parametrize("outer", [*BINARY, *UNARY, *BETWEEN, *CONNECTING, "not"])
def test_operations_in_operations(outer: str) -> None:
    """[STEP-FORMULAS] An operation in any place of another has brackets where it needs them."""
    for term in nested(outer):
        assert read_formula(text(term)) == term


@pytest.mark.parametrize(
    ("opening", "closing", "most"), [("(", ")", 19), ("-", "", 39), (r"\sqrt{", "}", 19)]
)
def test_how_deep_formulas_are_read(opening: str, closing: str, most: int) -> None:
    """[STEP-BOUNDS]"""
    read_formula(opening * most + "x" + closing * most)
    read_formula("(" * 19 + "--x" + ")" * 19)
    with pytest.raises(Unreadable, match="nested more than 40 deep"):
        read_formula(opening * (most + 1) + "x" + closing * (most + 1))


# What stands before a bracket and in it, and whether it is a function of that or a factor.
CALLS = {
    "f(x + 1)": True,
    "P(x + 1)": True,
    "AB(x + 1)": True,
    "y(x)": True,
    "y(1)": True,
    "y(-x)": True,
    "y'(x)": True,
    "y(x + 1)": False,
    "y(-x + 1)": False,
    "y((x))": False,
    "y(-(x))": False,
    "y_1(x + 1)": False,
    "\\pi(x + 1)": False,
}


@pytest.mark.parametrize("source", CALLS)
def test_functions_and_factors(source: str) -> None:
    """[STEP-FORMULAS]"""
    term = read_formula(source)
    assert isinstance(term, Op)
    assert term.op.startswith("call:") is CALLS[source]
    assert term.op == "*" or CALLS[source]


test_round_trip, test_round_trip_slow = Property(
    _round_trip, st.tuples(st.one_of(terms(), statements()), st.integers(0, 1 << 32)), quick=100
).tests()


HOSTILE = {
    "nested brackets": "(" * 3_000 + "x" + ")" * 3_000,
    "nested fractions": r"\frac{1}{" * 400 + "2" + "}" * 400,
    "nested roots": r"\sqrt{" * 600 + "2" + "}" * 600,
    "minus signs": "-" * 3_000 + "x",
    "powers": "^".join("9" * 1_500),
    "a long sum": "+".join("x" * 1_900),
    "a long number": "9" * 3_900,
    "many bars": "|" * 3_000,
    "very long": "x" * 100_000,
    "unended commands": "\\frac" * 700,
    "slashes": "/".join("x" * 1_900),
    "relations": "=".join("x" * 1_900),
    "subscripts": "x_" * 1_900,
    "primes": "x" + "'" * 3_000,
}


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_formulas(title: str) -> None:
    """Deep, long and broken formulas are read or refused at once ([STEP-BOUNDS])."""
    began = time.monotonic()
    try:
        text(read_formula(HOSTILE[title]))
    except Unreadable as error:
        assert str(error)
    assert time.monotonic() - began < 60  # A bound on hanging, no measurement.


@pytest.mark.parametrize(
    "source",
    [
        "9^{9^{9^{9}}}",
        "2^{100000000}",
        "(10^{300})^{300}",
        "100000!",
        r"\binom{10^{9}}{5}",
        "(((2^{900})^{900})^{900})",
        r"\sum_{k=1}^{10^{9}} k",
        r"\prod_{k=1}^{1999} (10^{400})",
        "0^{-1}",
        r"\frac{1}{0}",
        r"17 \bmod 0",
        "0^0",
        r"\sqrt{-1}",
        r"\log_{1}(5)",
    ],
)
def test_values_that_are_refused(source: str) -> None:
    """What is too large, or not defined, is refused before it is computed ([STEP-BOUNDS])."""
    with pytest.raises(NotExact):
        value(read_formula(source))


@pytest.mark.parametrize(
    ("value_", "shown"),
    [
        (Fraction(1, 3), r"\frac{1}{3}"),
        (Fraction(-22, 7), r"-\frac{22}{7}"),
        (Fraction(5, 8), "0.625"),
        (Fraction(-1, 200), "-0.005"),
        (Fraction(1, 10**300), "0." + "0" * 299 + "1"),
    ],
)
def test_numbers_without_decimals(value_: Fraction, shown: str) -> None:
    """A number that no number of decimals is enough for is shown as a fraction, and has its value."""
    assert text(Num(value_)) == shown
    assert value(read_formula(shown)) == value_


def _python_value(term: Term) -> Fraction:
    """A term's value by Python's own arithmetic."""
    assert isinstance(term, Op) or hasattr(term, "value")
    if not isinstance(term, Op):
        return term.value  # type: ignore[union-attr]
    args = [_python_value(arg) for arg in term.args]
    match term.op:
        case "+":
            return sum(args, Fraction(0))
        case "neg":
            return -args[0]
        case "/":
            return args[0] / args[1]
        case "^":
            return args[0] ** int(args[1])
    found = Fraction(1)
    for each in args:
        found *= each
    return found


def _computes(term: Term) -> None:
    """Terms have the value, and relations the truth, that Python's fractions have ([STEP-ARITHMETIC])."""
    assert isinstance(term, Op)
    compare = {"=": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
    left, right = (_python_value(arg) for arg in term.args)
    try:
        assert truth(term) is getattr(left, compare[term.op])(right)
    except NotExact:
        assert "^" in text(term)  # 0^0, which Python takes for 1.


test_computes, test_computes_slow = Property(
    _computes, relations(polynomials(numbers())), quick=60, passed_over=(ZeroDivisionError,)
).tests()
