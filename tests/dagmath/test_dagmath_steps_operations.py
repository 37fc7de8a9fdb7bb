"""Each operation and relation of formulas, in exact arithmetic and in the IR, by a table of values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from operation_tables import (
    IRRATIONAL,
    NOT_IN_SYMPY,
    NOT_NUMERIC,
    OTHERWISE_IN_SYMPY,
    REFUSED_TO_SYMPY,
    RELATIONS,
    VALUES,
    inexact,
    misencoded,
    misjudged,
    off_in_doubles,
    off_in_sympy,
    operations,
    unequal,
)

from potlang.ir.pool import Pool
from potlang.languages.dagmath.lower.encoding import Encoder, is_unambiguous
from potlang.languages.dagmath.lower.exact import (
    DividesByZero,
    NotExact,
    is_by_the_hundred,
    is_nearly,
    truth,
    value,
)
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.numeric import NotNumeric, approximation
from potlang.languages.dagmath.lower.syntax import Unreadable
from potlang.languages.dagmath.lower.to_sympy import to_sympy
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.budget import Budget
from potlang.languages.dagmath.solve.checking import check_steps
from potlang.languages.dagmath.solve.theory import StepTheory
from potlang.report.results import Limits


@pytest.mark.parametrize("source", VALUES)
def test_values(source: str) -> None:
    """An operation has its value by exact arithmetic ([STEP-ARITHMETIC])."""
    assert not inexact([source])
    assert not unequal([source])


NO_DOUBLES = {"(-8)^{1/3}", *(each for each in VALUES if operations(each) & NOT_NUMERIC)}


@pytest.mark.parametrize("source", [*VALUES, *IRRATIONAL])
def test_values_in_doubles(source: str) -> None:
    """An operation has the same value in doubles, or none there ([REL-NUMERIC])."""
    if source in NO_DOUBLES:
        with pytest.raises(NotNumeric):
            approximation(read_formula(source))
    else:
        assert not off_in_doubles([source])


@pytest.mark.parametrize("source", sorted({*VALUES, *IRRATIONAL} - OTHERWISE_IN_SYMPY))
def test_values_by_sympy(source: str) -> None:
    """SymPy is given what it means as we do ([STEP-SYMPY])."""
    if source in REFUSED_TO_SYMPY or operations(source) & NOT_IN_SYMPY:
        with pytest.raises(Unreadable):
            to_sympy(read_formula(source))
    else:
        assert not off_in_sympy([source])


NOT_COMPUTED = {
    r"\frac{1}{0}": DividesByZero,
    r"1 : 0": DividesByZero,
    "0^{-1}": DividesByZero,
    r"5 \bmod 0": DividesByZero,
    "0^0": NotExact,
    r"\frac{1}{2} \bmod 2": NotExact,
    r"\sqrt{2}": NotExact,
    r"\sqrt{-4}": NotExact,
    r"\sqrt[0]{4}": NotExact,
    r"\sqrt[65]{1}": NotExact,
    r"\log_{1}(1)": NotExact,
    r"\log_{2}(3)": NotExact,
    r"\log_{2}(0)": NotExact,
    r"\log_{-2}(4)": NotExact,
    "(-1)!": NotExact,
    "1501!": NotExact,
    r"\binom{-1}{2}": NotExact,
    r"\binom{3}{-1}": NotExact,
    r"\gcd(\frac{1}{2}, 2)": NotExact,
    r"\sin(0)": NotExact,
    r"\sum_{k=1}^{2} \sum_{j=1}^{2} k": NotExact,
    "1 : 2 : 3": NotExact,
    "x": NotExact,
}


@pytest.mark.parametrize("source", NOT_COMPUTED)
def test_values_that_are_not_computed(source: str) -> None:
    """What has no rational value, or one that is not looked for, has none ([STEP-ARITHMETIC])."""
    with pytest.raises(NotExact) as raised:
        value(read_formula(source))
    assert raised.type is NOT_COMPUTED[source]


MINE = [pytest.param(*row, id=f"{row[0]} at {row[1]}") for row in RELATIONS]


@pytest.mark.parametrize(("source", "at", "expected"), MINE)
def test_relations_in_exact_arithmetic(source: str, at: int | Fraction, expected: bool) -> None:
    """A relation has its truth at a value ([STEP-ARITHMETIC])."""
    assert not misjudged([(source, at, expected)])


@pytest.fixture(scope="module")
def theory() -> Iterator[StepTheory]:
    """One session for all rows: n is an integer."""
    # All tests that use it share the time.
    limits = Limits(check_ms=5_000, total_ms=1_000_000_000)
    with StepTheory(frozenset("n"), limits, "solver", None, Budget(10_000, limits)) as found:
        yield found


@pytest.mark.parametrize(("source", "at", "expected"), MINE)
def test_relations_in_the_ir(theory: StepTheory, source: str, at: int | Fraction, expected: bool) -> None:
    """A relation is entailed where it holds, and refuted where it does not ([STEP-ENCODING])."""
    assert not misencoded(theory, [(source, at, expected)])


NOT_ENCODED = {
    r"3 = \pm 3": "two values",
    r"x < \pm 3": "which of two values",
    r"\frac{1}{0} = x": "divides by zero",
    "0^0 = x": "power of zero",
    r"x \bmod 2 = 0": "not known to be a whole number",
    r"x \mid 4": "not known to be a whole number",
    r"n \bmod 0 = x": "divides by zero",
    r"0 \in \mathbb{N}": "natural to some",
    r"x \in \mathbb{Q}": "does not check membership",
    r"\sqrt{-2} = x": "even root of a negative number",
    r"\sqrt[17]{x} = 2": "root of this degree",
    r"\sum_{k=1}^{m} k = x": "ends are not numbers",
    r"\sum_{k=1}^{300} k x = 1": "too many terms",
    r"\neg \frac{1}{x} = 1": "may not be defined",
    r"\gcd(n, 4) = 2": "does not check gcd",
}


@pytest.mark.parametrize("source", NOT_ENCODED)
def test_statements_that_the_ir_has_no_words_for(source: str) -> None:
    """They are refused with the reason ([STEP-ENCODING], [STEP-DEFINED])."""
    with pytest.raises(Unreadable, match=NOT_ENCODED[source]):
        Encoder(Pool(), frozenset("n")).statement(read_formula(source))


CONDITIONS = {
    r"\frac{1}{x} = 2": ("x != 0",),
    r"\frac{y}{x - 1} = 2": ("x - 1 != 0",),
    "x^0 = 1": ("x != 0",),
    "x^{-1} = 1": ("x^{1} != 0",),
    r"\sqrt{x} = 2": ("x >= 0",),
    r"\sqrt[3]{x} = 2": (),
    r"\log x = 2": ("x > 0",),
    r"4 \bmod n = 0": ("n != 0",),
    r"n \mid 4": ("n != 0",),
    r"\frac{1}{x} = 2 and \frac{1}{y} = 3": ("x != 0", "y != 0"),
    r"\frac{1}{x} = 2 or x = 0": (),
    r"\frac{1}{2} = x": (),
}


@pytest.mark.parametrize("source", CONDITIONS)
def test_conditions_of_being_defined(source: str) -> None:
    """A claim is taken to be defined, below a connective it says so itself ([STEP-DEFINED])."""
    sides = Encoder(Pool(), frozenset("n")).statement(read_formula(source)).sides
    assert tuple(sides.values()) == CONDITIONS[source]


AMBIGUOUS = {
    "x = 15": True,
    "x = 1.5": False,
    r"x = 15\%": False,
    r"x\% = 15\%": True,
    r"2x \approx 3": False,
    "i = 1": False,
    "x + 2i = 1": False,
    "x^{0.5} = 2": True,
    "x = 1 and y = 2.5": False,
}


@pytest.mark.parametrize("source", AMBIGUOUS)
def test_what_may_mean_something_else(source: str) -> None:
    """Decimals, percent signs on one side and `i` keep a statement from refuting ([STEP-UNAMBIGUOUS])."""
    assert is_unambiguous(read_formula(source)) is AMBIGUOUS[source]


def test_rounding() -> None:
    """A number is rounded to its last digit; what may be rounded otherwise is open ([STEP-FORMULAS])."""
    assert truth(read_formula(r"\frac{2}{3} \approx 0.67"))
    assert truth(read_formula(r"\frac{1}{8} \approx 0.12"))
    with pytest.raises(NotExact, match="rounded in another way"):
        truth(read_formula(r"\frac{2}{3} \approx 0.66"))
    assert is_nearly(read_formula(r"\frac{2}{3} = 0.66"))
    assert is_nearly(read_formula(r"\frac{2}{3} = 67\%"))
    assert not is_nearly(read_formula(r"\frac{2}{3} = 0.5"))
    assert not is_nearly(read_formula(r"\frac{2}{3} = 1"))
    assert not is_nearly(read_formula(r"0.66 > \frac{2}{3}"))
    assert is_by_the_hundred(read_formula(r"100 - 20 = 80\%"))
    assert not is_by_the_hundred(read_formula(r"100 - 20 = 81\%"))


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("source", [r"\max(3) = 3", r"\min(x) = x", r"\binom(5) = 5", r"\binom(5, 2, 1) = 5"])
def test_wrong_numbers_of_arguments(source: str) -> None:
    """Functions of too many arguments or too few are no error of the caller ([STEP-FORMULAS])."""
    (found,) = check_steps(Solution((Step(1, "", (), f"${source}$."),))).steps
    assert found.verdict is (StepVerdict.NOT_CHECKABLE if "binom" in source else StepVerdict.PROVED)
