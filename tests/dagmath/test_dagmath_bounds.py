"""Exact values, polynomials, doubles and sets, at their bounds and one beyond them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from potlang.languages.dagmath.lower.exact import (
    DividesByZero,
    NotExact,
    common_part,
    difference,
    has_decimals,
    is_by_the_hundred,
    is_nearly,
    prime_factors,
    truth,
    value,
)
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.numeric import (
    Approximation,
    NotNumeric,
    approximation,
    are_near,
    may_agree,
    may_be_identical,
)
from potlang.languages.dagmath.lower.polynomials import (
    NotRational,
    Polynomial,
    atom_of,
    clash,
    content_of,
    difference_of,
    divides,
    follows,
    inverse,
    is_combination,
    plus,
    quotient,
    raised,
    share_a_factor,
    substituted,
    times,
)
from potlang.languages.dagmath.lower.regions import contains, count, region
from potlang.languages.dagmath.lower.syntax import Op, Term, number

# --- exact values --------------------------------------------------------------------------------

LARGEST = {
    r"\sum_{k=1}^{2000} k": 2001000,
    r"\sum_{k=-5}^{1994} 1": 2000,
    r"\prod_{k=2}^{3} (k + 1)": 12,
    "1500!": math.factorial(1500),
    r"\sqrt[64]{1}": 1,
    r"\sqrt[1]{7}": 7,
    r"\sqrt[3]{-\frac{8}{27}}": Fraction(-2, 3),
    r"\sqrt{0}": 0,
    r"\binom{20000}{1}": 20000,
    r"\binom{0}{0}": 1,
    r"\log_{2}(2^{64})": 64,
    r"\log_{2}(\frac{1}{2^{64}})": -64,
    r"\log_{7}(1)": 0,
    r"\log_{\frac{2}{3}}(\frac{4}{9})": 2,
    "2^{10000}": 2**10000,
    "2^{-10000}": Fraction(1, 2**10000),
    "(1/2)^{10000}": Fraction(1, 2**10000),
    "2^{10000} * 2^{9999}": 2**19999,
    "0^{30000}": 0,
    "(-1)^{30001}": -1,
    "(-1)^{30000}": 1,
    "1^{30001}": 1,
    r"\lfloor -3 \rfloor": -3,
    r"\gcd(0, 0)": 0,
    "5\\%\\%": Fraction(1, 2000),
}
BEYOND = (
    r"\sum_{k=1}^{2001} k", r"\sum_{k=\frac{1}{2}}^{2} k", r"\sum_{k=1}^{\frac{3}{2}} k", "1501!",
    r"\sqrt[65]{1}", r"\sqrt[-1]{4}", r"\sqrt[\frac{1}{2}]{4}", r"\sqrt[4]{-1}", r"\sqrt{\frac{4}{3}}",
    r"\binom{20001}{1}", r"\binom{5}{-1}", r"\binom{\frac{5}{2}}{1}", r"\log_{2}(2^{65})", r"\log_{0}(1)",
    r"\log_{2}(-2)", "2^{10001}", "(1/2)^{10001}", "2^{10000} * 2^{10000}",
    "2^{10000} + 2^{10000} * 2^{9999} * 2",
    r"\prod_{k=1}^{2} \prod_{j=1}^{2} k", r"\sum_{k=\sum_{j=1}^{2} j}^{3} k",
    r"\sum_{k=1}^{\sum_{j=1}^{2} j} k",
    r"\frac{1}{2}!",
)  # fmt: skip


@pytest.mark.parametrize("source", LARGEST)
def test_the_largest_that_are_computed(source: str) -> None:
    """[STEP-ARITHMETIC] [STEP-BOUNDS]"""
    assert value(read_formula(source)) == LARGEST[source]


@pytest.mark.parametrize("source", BEYOND)
def test_one_more_is_not_computed(source: str) -> None:
    """[STEP-ARITHMETIC] [STEP-BOUNDS]"""
    with pytest.raises(NotExact):
        value(read_formula(source))


def test_zero_to_a_power() -> None:
    """[STEP-ARITHMETIC] A negative one divides by zero; the power zero is not defined."""
    for source in ("0^{-1}", "0^{-2}", r"\frac{1}{0}", r"1 \bmod 0"):
        with pytest.raises(DividesByZero):
            value(read_formula(source))
    with pytest.raises(NotExact, match="power of zero"):
        value(read_formula("0^0"))


STATEMENTS = {
    r"0 \mid 0": True,
    r"0 \mid 4": False,
    r"4 \mid 0": True,
    r"3 \in \mathbb{Q}": True,
    r"1 = 1 and 2 = 2": True,
    r"1 = 2 or 2 = 3": False,
    r"1 = 2 \implies 1 = 3": True,
    r"1 = 1 \iff 1 = 2": False,
    r"1 = 2 \iff 3 = 2": True,
    r"\neg 1 = 2": True,
}


@pytest.mark.parametrize("source", STATEMENTS)
def test_statements(source: str) -> None:
    """[STEP-ARITHMETIC]"""
    assert truth(read_formula(source)) is STATEMENTS[source]


@pytest.mark.parametrize("source", [r"1 \in \mathbb{C}", "1 + 1", "x = 1", r"0 \in \mathbb{N}", "1 / 0 = 1"])
def test_statements_without_a_truth(source: str) -> None:
    """[STEP-ARITHMETIC]"""
    with pytest.raises(NotExact):
        truth(read_formula(source))


NEARLY = {
    "0.95 = 1": True,
    "1 = 0.95": True,
    "0.94 = 1": False,
    "95\\% = 1": True,
    "94\\% = 1": False,
    "19 = 20": False,
    "0.95 < 0.9": False,
    "1 = 1 and 0.95 = 1": True,
    "0.95 = 1 and 1 = 2": False,
    "0.5 = 0.5": True,
}
BY_THE_HUNDRED = {
    "80\\% = 80": True,
    "80 = 80\\%": True,
    "80\\% = 81": False,
    "1 = 1 and 80\\% = 80": True,
    "1 = 2 and 80\\% = 80": False,
    "80\\% = 0.8": True,
}


def test_what_is_nearly_true() -> None:
    """[STEP-ROUNDING] Within a twentieth of the larger side, where decimals or percent are about."""
    assert {each: is_nearly(read_formula(each)) for each in NEARLY} == NEARLY
    assert {each: is_by_the_hundred(read_formula(each)) for each in BY_THE_HUNDRED} == BY_THE_HUNDRED
    assert has_decimals(read_formula("x + 0.5"))
    assert not has_decimals(read_formula("x + 5/2"))


DIFFERENCES = {
    ("x", "2x"): "x and 2*x are not the same: where x = 2 they are 2 and 4",
    ("x^2", "2x"): "x^{2} and 2*x are not the same: where x = 3 they are 9 and 6",
    (r"\frac{1}{x - 2}", r"\frac{2}{x - 2}"): "where x = 3 they are 1 and 2",
    ("x + y", "2x + y - y"): "where x = 2, y = 3 they are 5 and 4",
    ("x : 2", "x"): "where x = 2 they are 1 and 2",
    ("x", "x"): None,
    ("x(x + 1)", "x^2 + x"): None,
    ("x", "y"): None,
    ("2", "3"): None,
    ("x", "x + y - y + 1"): None,
    ("x^{1/2}", "x"): None,
    ("2^{x}", "x"): None,
    ("x : 2 : 3", "x"): None,
    ("|x|", "x"): None,
    ("x", r"\sqrt{x}"): None,
    ("x\\%", "x"): None,
}


@pytest.mark.parametrize(("old", "new"), DIFFERENCES)
def test_where_expressions_differ(old: str, new: str) -> None:
    """[STEP-REWRITING]"""
    found, expected = difference(read_formula(old), read_formula(new)), DIFFERENCES[old, new]
    assert found == expected or (found is not None and expected is not None and found.endswith(expected))


def test_parts_of_numbers() -> None:
    """[REL-IDENTITY]"""
    pairs = [(Fraction(1, 2), Fraction(1, 3)), (Fraction(4), Fraction(6)), (Fraction(0), Fraction(3)),
             (Fraction(3, 4), Fraction(9, 2))]  # fmt: skip
    found = [common_part(one, other) for one, other in pairs]
    assert found == [Fraction(1, 6), 2, 3, Fraction(3, 4)]
    factors = {
        Fraction(12): {2: 2, 3: 1},
        Fraction(3, 4): {3: 1, 2: -2},
        Fraction(1): {},
        Fraction(997): {997: 1},
        Fraction(1009): {1009: 1},
        Fraction(1, 1009): {1009: -1},
        Fraction(2 * 1009 * 1013, 9): {2: 1, 1009 * 1013: 1, 3: -2},
    }
    assert {each: prime_factors(each) for each in factors} == factors


# --- doubles -------------------------------------------------------------------------------------

DOUBLES: dict[str, complex] = {
    "i": 1j,
    "(1 + i)^2": 2j,
    r"\sqrt{-4}": 2j,
    "(-2)^3": -8,
    "4^{1/2}": 2,
    r"\sqrt[3]{-8}": -2,
    r"\sqrt[3]{8}": 2,
    "i^2": -1,
    "180^\\circ": math.pi,
    "0^2": 0,
    "0!": 1,
    r"\lfloor -\sqrt{2} \rfloor": -2,
    r"\lceil -\sqrt{2} \rceil": -1,
    r"\binom{1001}{1}": 1001,
    r"\overline{2 + i}": 2 - 1j,
    "10^{99}": 1e99,
    r"\ln(-1)": math.pi * 1j,
    r"|3 + 4i|": 5,
    "50\\%": 0.5,
}
NO_DOUBLE = (
    "10^{100}", "0^0", r"\frac{1}{0}", "(-8)^{1/3}", r"\frac{5}{2}!", "(-1)!", r"\lfloor i \rfloor", "x",
    r"\max(i, 1)", r"\min(i, 1)", r"\sqrt[3]{i}", r"\binom{-1}{1}", r"\text{some words}", "i!",
)  # fmt: skip


def test_values_in_doubles() -> None:
    """[REL-NUMERIC]"""
    for source, expected in DOUBLES.items():
        found = approximation(read_formula(source)).value
        assert abs(found - expected) <= 1e-9 * max(1.0, abs(expected)), source
    for source in NO_DOUBLE:
        with pytest.raises(NotNumeric):
            approximation(read_formula(source))


def test_values_of_names() -> None:
    """[REL-NUMERIC] A name that has a value is no constant."""
    assert approximation(read_formula("e + x"), {"e": 2, "x": 3}) == Approximation(5, 5)
    assert approximation(read_formula(r"\text{the speed} \cdot 2"), {"speed": 3}).value == 6
    assert approximation(read_formula("100 - 99")) == Approximation(1, 100)


def test_near_is_relative_to_what_was_computed() -> None:
    """[REL-NUMERIC]"""

    def near(left: float, right: float, largest: float) -> bool:
        return are_near(Approximation(left, largest), Approximation(right, 0.0))

    assert near(1.0, 1.0 + 5e-10, 1.0)
    assert not near(1.0, 1.0 + 5e-9, 1.0)
    assert near(1.0, 1.0 + 5e-9, 10.0)
    assert near(0.0, 1e-12, 0.0)
    assert not near(0.0, 2e-12, 0.0)


IDENTICAL = {
    ("(x + 1)^2", "x^2 + 2x + 1"): True,
    ("x", "2x"): False,
    ("x + y", "2x"): False,
    ("x + y", "y + x"): True,
    (r"\sin(\pi n)", "0"): False,
    (r"\sin(\pi m)", "0"): True,
    ("(m + 1)!", "(m + 1) m!"): True,
    ("(n + 1)!", "n!"): False,
    ("e^x", "x"): False,
    (r"\text{speed of light}", r"2 \cdot \text{speed of light}"): False,
    (r"\text{speed of light}", r"\text{speed of sound}"): False,
    ("(-2)^{1/3}", "7"): True,
    ("x^2 - x", "0"): False,
}
AGREE = {
    (r"\sqrt{x^2}", "|x|"): True,
    ("|x|", "x"): False,
    (r"\sqrt{x^2}", "x"): False,
    (r"(\sqrt{x})^2", "x"): True,
    ("x + y", "2x"): False,
    ("xy", "yx"): True,
    ("e", "2.718281828459045"): True,
    ("e", "2.7"): False,
    ("i", "1"): False,
}


def test_expressions_at_points() -> None:
    """[STEP-SYMPY] [REL-IDENTITY] Expressions that differ somewhere are not the same."""

    def terms(pair: tuple[str, str]) -> tuple[Term, Term]:
        return read_formula(pair[0]), read_formula(pair[1])

    assert {each: may_be_identical(*terms(each), frozenset("m")) for each in IDENTICAL} == IDENTICAL
    assert {each: may_agree(*terms(each)) for each in AGREE} == AGREE
    assert may_agree(*terms(("i^2", "-1")), is_complex=True)
    assert not may_agree(*terms(("i^2", "1")), is_complex=True)
    assert not may_agree(*terms(("i^2", "-1")))


# --- polynomials ---------------------------------------------------------------------------------


def poly(source: str) -> Polynomial:
    """The numerator of an expression."""
    return difference_of(read_formula(source), number(0))


def powers(name: str, count: int) -> Polynomial:
    """1 + x + x^2 + ..., of so many terms."""
    return {((name, at),) if at else (): Fraction(1) for at in range(count)}


def test_sizes_of_polynomials() -> None:
    """[REL-POLYNOMIAL] [STEP-BOUNDS]"""
    assert len(times(powers("x", 20), powers("y", 20))) == 400
    assert len(times(powers("x", 200), powers("x", 100))) == 299
    half: Polynomial = {(): Fraction(2**3998)}
    assert times(half, {(): Fraction(2)}) == plus(half, half) == {(): Fraction(2**3999)}
    small: Polynomial = {(): Fraction(1, 2**3998)}
    assert times(small, {(): Fraction(1, 2)}) == {(): Fraction(1, 2**3999)}
    beyond: list[tuple[Polynomial, Polynomial]] = [
        (powers("x", 401), {(("y", 1),): Fraction(1)}),
        (powers("x", 339), powers("x", 59)),
        ({(): Fraction(2**3999)}, {(): Fraction(2)}),
        ({(): Fraction(1, 2**3999)}, {(): Fraction(1, 2)}),
    ]
    for first, second in beyond:
        with pytest.raises(NotRational):
            times(first, second)
    with pytest.raises(NotRational):
        plus({(): Fraction(2**3999)}, {(): Fraction(2**3999)})
    assert quotient(read_formula("x^{24}")).over == {(("x", 24),): 1}
    assert quotient(read_formula("x^{25}")).over == {(("x^{25}", 1),): 1}
    assert quotient(read_formula("x^{1/2}")).over != {(("x", 1),): 1}


# Two polynomials: whether they clash, the second follows from the first, the first divides the second, and
# whether they have a common factor.
PAIRS = {
    ("x - 1", "x - 2"): (True, False, False, False),
    ("x - 1", "x^2 - 1"): (False, True, True, True),
    ("x^2 - 1", "x - 1"): (False, False, False, True),
    ("x^2 - 1", "x^2 - 4"): (True, False, False, False),
    ("x^2 - 3x + 2", "x^2 - 4x + 3"): (False, False, False, True),
    ("x + y - 1", "x + y - 2"): (True, False, False, False),
    ("x + y - 1", "2x + 2y - 2"): (False, True, True, True),
    ("x + y - 1", "2x + 2y - 3"): (True, False, False, False),
    ("x + y", "x + y + 1"): (True, False, False, False),
    ("x + y", "x + y + xy"): (False, False, False, False),
    ("x + y", "x - y"): (False, False, False, False),
    ("x + y", "x^2 - y^2"): (False, False, True, True),
    ("x", "y"): (False, False, False, False),
    ("x", "xy"): (False, False, True, True),
    ("x^2", "x"): (False, False, False, True),
    ("2", "3"): (False, False, True, False),
    ("2x", "3x"): (False, True, True, True),
    ("2x + 1", "4x + 2"): (False, True, True, True),
    ("2x + 1", "2x"): (True, False, False, False),
    ("x^2 + 1", "x^2 + 2"): (True, False, False, False),
    ("x", "0"): (False, True, True, False),
    ("0", "x"): (False, False, False, False),
    ("0", "0"): (False, True, True, False),
}


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_polynomials(one: str, other: str) -> None:
    """[REL-POLYNOMIAL]"""
    first, second = poly(one), poly(other)
    found = (
        clash(first, second),
        follows(first, second),
        divides(first, second),
        share_a_factor(first, second),
    )
    assert found == PAIRS[one, other]


def test_combinations() -> None:
    """[REL-POLYNOMIAL] Sums of multiples of others by numbers; from what is impossible nothing is taken."""
    basis = [poly("x + y - 1"), poly("x - y - 3")]
    assert is_combination(poly("x - 2"), basis)
    assert is_combination(poly("y + 1"), basis)
    assert is_combination(poly("0"), [])
    assert not is_combination(poly("x - 3"), basis)
    assert not is_combination(poly("x"), [])
    assert not is_combination(poly("x"), [*basis, poly("x - y - 4")])
    assert is_combination(poly("x - 2"), [*basis, poly("2x + 2y - 2")])


def test_parts_of_polynomials() -> None:
    """[REL-POLYNOMIAL]"""
    assert content_of(poly("6x + 4")) == 2
    assert content_of({(): Fraction(9, 2), (("x", 1),): Fraction(-3, 4)}) == Fraction(3, 4)
    names = {"x": "x", "2x": None, "x^2": None, "x + 1": None, "1/x": None, "xy": None, "1": None}
    assert {each: atom_of(quotient(read_formula(each))) for each in names} == names
    assert substituted(poly("x^2 + y"), {"x": quotient(read_formula("a + 1"))}) == poly("a^2 + 2a + 1 + y")
    assert raised(quotient(read_formula("x")), -2) == inverse(quotient(read_formula("x^2")))
    assert raised(quotient(read_formula("x")), 0) == quotient(number(1))
    for power in (0, -1):
        with pytest.raises(NotRational):
            raised(quotient(number(0)), power)


# --- sets ----------------------------------------------------------------------------------------

CONTAINED = {
    ("[0, 2]", "(0, 2)"): True,
    ("(0, 2)", "[0, 2]"): False,
    ("(0, 2]", "[0, 2)"): False,
    ("[0, 2)", "[0, 1]"): True,
    (r"\mathbb{R}", r"(-\infty, 3)"): True,
    (r"(-\infty, 3)", r"\mathbb{R}"): False,
    (r"(-\infty, \infty)", r"\mathbb{R}"): True,
    (r"[0, 1) \cup (1, 2]", "[0, 2]"): False,
    (r"[0, 1) \cup \{1\} \cup (1, 2]", "[0, 2]"): True,
    (r"[0, 1] \cup [3, 4]", r"\{0, 1, 3, 4\}"): True,
    (r"[0, 1] \cup [3, 4]", r"\{2\}"): False,
    (r"[0, 4] \setminus (1, 3)", r"\{1, 3\}"): True,
    (r"[0, 4] \setminus [1, 3]", r"\{1\}"): False,
    (r"[0, 4] \setminus [1, 3]", r"\{3\}"): False,
    (r"[0, 3] \cap [1, 5]", "[1, 3]"): True,
    (r"[0, 3] \cap [1, 5]", r"\{0\}"): False,
    (r"[0, 3] \cap [1, 5]", r"\{5\}"): False,
    (r"\{1\}", r"\{1\} \cap \{2\}"): True,
    (r"[0, 2) \cup [1, 3)", "[0, 3)"): True,
    (r"[0, 3] \cup [1, 2]", "[0, 3]"): True,
}
COUNTS = {r"\{1, 2, 2\}": 2, r"\{1\} \cap \{2\}": 0, r"[0, 1] \cap [1, 2]": 1, r"[0, 1) \cap [1, 2]": 0}


def test_sets_in_sets() -> None:
    """[REL-SETS]"""
    found = {each: contains(*(region(read_formula(source)) for source in each)) for each in CONTAINED}
    assert found == CONTAINED
    assert {each: count(region(read_formula(each))) for each in COUNTS} == COUNTS
    assert count(region(Op("set", tuple(map(number, range(500)))))) == 500


@pytest.mark.parametrize(
    "term",
    [
        Op("set", tuple(map(number, range(501)))),
        read_formula("[1, 1]"),
        read_formula("[2, 1)"),
        read_formula(r"[-\infty, 1)"),
        read_formula(r"(1, \infty]"),
        read_formula(r"\mathbb{Z}"),
        read_formula("(1, 2, 3)"),
        read_formula(r"\{x\}"),
    ],
)
def test_sets_that_are_not_worked_out(term: Term) -> None:
    """[REL-SETS]"""
    with pytest.raises(NotExact):
        region(term)


@pytest.mark.parametrize("source", ["[0, 1]", r"\{1\} \cup (2, 3)", r"(0, 1) \cup \{5\}"])
def test_infinitely_many_are_not_counted(source: str) -> None:
    """[REL-SETS]"""
    with pytest.raises(NotExact, match="infinitely many"):
        count(region(read_formula(source)))
