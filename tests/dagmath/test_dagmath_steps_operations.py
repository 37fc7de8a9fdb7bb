"""Each operation and relation of formulas, in exact arithmetic and in the IR, by a table of values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

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
from potlang.languages.dagmath.lower.syntax import Name, Op, Unreadable, free_names, number
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps
from potlang.languages.dagmath.solve.theory import StepTheory
from potlang.report.results import Limits, Verdict

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
VALUES: dict[str, int | Fraction] = {
    "2 + 3 + 4": 9,
    "2 - 3": -1,
    "-(2 - 3)": 1,
    "2 * 3 * 4": 24,
    r"\frac{3}{6}": HALF,
    "6 : 4": Fraction(3, 2),
    "2^3": 8,
    "2^{-1}": HALF,
    "8^{2/3}": 4,
    "(-8)^{1/3}": -2,
    "(-1)^{3}": -1,
    "(-1)^{10^{9}}": 1,
    "50\\%": HALF,
    r"\sqrt{\frac{9}{4}}": Fraction(3, 2),
    r"\sqrt[3]{27}": 3,
    r"\sqrt[3]{-27}": -3,
    "|2 - 5|": 3,
    "|5 - 2|": 3,
    r"\lfloor \frac{7}{2} \rfloor": 3,
    r"\lfloor -\frac{7}{2} \rfloor": -4,
    r"\lceil \frac{7}{2} \rceil": 4,
    r"\lceil -\frac{7}{2} \rceil": -3,
    r"17 \bmod 5": 2,
    r"(-17) \bmod 5": 3,
    r"17 \bmod (-5)": 2,
    "5!": 120,
    "0!": 1,
    r"\binom{5}{2}": 10,
    r"\binom{2}{5}": 0,
    r"\log_{2}(8)": 3,
    r"\log_{2}(\frac{1}{8})": -3,
    r"\log_{\frac{1}{2}}(8)": -3,
    r"\gcd(12, 18)": 6,
    r"\gcd(12, 18, 4)": 2,
    r"lcm(4, 6)": 12,
    r"\max(1, 3, 2)": 3,
    r"\min(2, 1, 3)": 1,
    r"\max(3)": 3,
    r"\sum_{k=1}^{4} k^2": 30,
    r"\prod_{k=1}^{4} k": 24,
    r"\sum_{k=3}^{2} k": 0,
    r"\prod_{k=3}^{2} k": 1,
}


@pytest.mark.parametrize("source", VALUES)
def test_values(source: str) -> None:
    """An operation has its value by exact arithmetic ([STEP-ARITHMETIC])."""
    assert value(read_formula(source)) == VALUES[source]


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


# A relation over x (any number) and n (an integer), the value, and whether the relation holds there.
RELATIONS: list[tuple[str, int | Fraction, bool]] = [
    ("x = 1", 1, True),
    ("x = 1", 2, False),
    ("x != 1", 1, False),
    ("x != 1", 2, True),
    ("x < 1", 0, True),
    ("x < 1", 1, False),
    ("x <= 1", 1, True),
    ("x <= 1", 2, False),
    ("x > 1", 2, True),
    ("x > 1", 1, False),
    ("x >= 1", 1, True),
    ("x >= 1", 0, False),
    (r"x \in [0, 1]", 0, True),
    (r"x \in [0, 1]", 1, True),
    (r"x \in [0, 1]", 2, False),
    (r"x \in [0, 1]", -1, False),
    (r"x \in [0, 1)", 0, True),
    (r"x \in [0, 1)", 1, False),
    (r"x \in (0, 1]", 0, False),
    (r"x \in (0, 1]", 1, True),
    (r"x \in (0, 1)", HALF, True),
    (r"x \in (0, 1)", 0, False),
    (r"x \in (0, 1)", 1, False),
    (r"x \in \{1, 2\}", 2, True),
    (r"x \in \{1, 2\}", 3, False),
    (r"x \in \mathbb{Z}", 3, True),
    (r"x \in \mathbb{Z}", HALF, False),
    (r"x \in \mathbb{N}", 3, True),
    (r"x \in \mathbb{N}", -3, False),
    (r"x \in \mathbb{N}", HALF, False),
    (r"x \in \mathbb{R}", HALF, True),
    ("(x, 2) = (1, 2)", 1, True),
    ("(x, 2) = (1, 3)", 1, False),
    ("(x, 2) = (2, 2)", 1, False),
    ("(x, 2) != (1, 2)", 1, False),
    ("(x, 2) != (1, 3)", 1, True),
    ("x : 2 : 4 = 1 : 1 : 2", 2, True),
    ("x : 2 : 4 = 1 : 1 : 2", 3, False),
    (r"x = \pm 3", 3, True),
    (r"x = \pm 3", -3, True),
    (r"x = \pm 3", 2, False),
    (r"x = 1 \mp 2", 3, True),
    (r"x \ne \pm 3", 3, False),
    (r"x \ne \pm 3", -3, False),
    (r"x \ne \pm 3", 2, True),
    (r"n \mid 12", 4, True),
    (r"n \mid 12", 5, False),
    (r"5 \mid n", 15, True),
    (r"5 \mid n", 14, False),
    (r"n \equiv 2 \pmod{5}", 7, True),
    (r"n \equiv 2 \pmod{5}", 8, False),
    (r"n \equiv 2 \pmod{5}", -3, True),
    (r"n \bmod 5 = 0", 10, True),
    (r"n \bmod 5 = 0", 7, False),
    (r"n \bmod 5 = 2", 7, True),
    (r"n \bmod 5 = 2", -3, True),
    (r"\lfloor x \rfloor = 2", Fraction(5, 2), True),
    (r"\lfloor x \rfloor = 2", 3, False),
    (r"\lfloor x \rfloor = -3", Fraction(-5, 2), True),
    (r"\lceil x \rceil = 3", Fraction(5, 2), True),
    (r"\lceil x \rceil = 2", 2, True),
    (r"\lceil x \rceil = -2", Fraction(-5, 2), True),
    (r"\lfloor n \rfloor = 2", 2, True),
    (r"\lceil n \rceil = 2", 2, True),
    (r"\max(x, 2) = 3", 3, True),
    (r"\max(x, 2) = 2", 1, True),
    (r"\max(x, 2) = 3", 1, False),
    (r"\min(x, 2) = 1", 1, True),
    (r"\min(x, 2) = 3", 3, False),
    ("|x| = 2", -2, True),
    ("|x| = -2", -2, False),
    ("x^3 = 8", 2, True),
    ("x^3 = 4", 2, False),
    ("x^1 = 2", 2, True),
    ("x^0 = 1", 2, True),
    ("x^{-2} = 1/4", 2, True),
    (r"\sqrt{x} = 3", 9, True),
    (r"\sqrt{x} = -3", 9, False),
    (r"\sqrt[3]{x} = -2", -8, True),
    (r"x^{1/2} = 2", 4, True),
    (r"x^{3/2} = 8", 4, True),
    (r"x^{1/3} = 2", 8, True),
    (r"\sum_{k=1}^{3} k x = 12", 2, True),
    (r"\prod_{k=1}^{3} (k + x) = 60", 2, True),
    ("x + 2 - 1 = 3", 2, True),
    ("2x : 3 = 2", 3, True),
    (r"x = 1 \implies x > 0", 1, True),
    (r"x = 1 \implies x > 1", 1, False),
    (r"x = 2 \implies x > 5", 1, True),
    (r"x = 1 \iff x > 0", 1, True),
    (r"x = 1 \iff x > 0", 2, False),
    (r"x = 1 \iff x > 3", 2, True),
    (r"x = 1 \iff x > 1", 1, False),
    ("x = 1 and x > 0", 1, True),
    ("x = 1 and x > 1", 1, False),
    ("x = 1 or x > 5", 1, True),
    ("x = 2 or x > 5", 1, False),
    (r"\neg x = 1", 2, True),
    (r"\neg x = 1", 1, False),
]
MINE = [pytest.param(*row, id=f"{row[0]} at {row[1]}") for row in RELATIONS]


@pytest.mark.parametrize(("source", "at", "expected"), MINE)
def test_relations_in_exact_arithmetic(source: str, at: int | Fraction, expected: bool) -> None:
    """A relation has its truth at a value ([STEP-ARITHMETIC])."""
    formula = read_formula(source)
    assert truth(formula, {Name(name): Fraction(at) for name in free_names(formula)}) is expected


@pytest.fixture(scope="module")
def theory() -> Iterator[StepTheory]:
    """One session for all rows: n is an integer."""
    with StepTheory(frozenset("n"), Limits(check_ms=5_000, total_ms=600_000), "solver", None) as found:
        yield found


@pytest.mark.parametrize(("source", "at", "expected"), MINE)
def test_relations_in_the_ir(theory: StepTheory, source: str, at: int | Fraction, expected: bool) -> None:
    """A relation is entailed where it holds, and refuted where it does not ([STEP-ENCODING])."""
    whole = number(abs(Fraction(at).numerator))
    written = Op("/", (Op("neg", (whole,)) if at < 0 else whole, number(Fraction(at).denominator)))
    formula = read_formula(source)
    told = [theory.encoder.statement(Op("=", (Name(name), written))) for name in free_names(formula)]
    found = theory.ask(told, theory.encoder.statement(formula))
    assert found.verdict is (Verdict.ENTAILED if expected else Verdict.REFUTED)


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
    assert is_by_the_hundred(read_formula(r"100 - 20 = 80\%"))
    assert not is_by_the_hundred(read_formula(r"100 - 20 = 81\%"))


@pytest.mark.parametrize("source", [r"\max(3) = 3", r"\min(x) = x", r"\binom(5) = 5", r"\binom(5, 2, 1) = 5"])
def test_wrong_numbers_of_arguments(source: str) -> None:
    """Functions of too many arguments or too few are no error of the caller ([STEP-FORMULAS])."""
    (found,) = check_steps(Solution((Step(1, "", (), f"${source}$."),))).steps
    assert found.verdict is (StepVerdict.NOT_CHECKABLE if "binom" in source else StepVerdict.PROVED)
