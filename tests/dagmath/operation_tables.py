"""Operations and relations of formulas with their values, and which rows a reader of them gets wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from potlang.languages.dagmath.lower.exact import truth, value
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.numeric import approximation
from potlang.languages.dagmath.lower.polynomials import difference_of
from potlang.languages.dagmath.lower.syntax import Op, Variable, free_names, number, parts
from potlang.languages.dagmath.lower.to_sympy import to_sympy
from potlang.languages.dagmath.solve.theory import StepTheory
from potlang.report.results import Verdict

HALF = Fraction(1, 2)
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
    (r"x \in \{1, 2\} \cup \{3\}", 3, True),
    (r"x \in \{1, 2\} \cup \{3\}", 4, False),
    (r"x \in [0, 5] \setminus \{3\}", 3, False),
    (r"x \in [0, 5] \setminus \{3\}", 2, True),
    (r"x \in [0, 5] \setminus \{3\}", 6, False),
    (r"x \in [0, 5] \cap [4, 9]", 4, True),
    (r"x \in [0, 5] \cap [4, 9]", 3, False),
    (r"x \in (-\infty, 3)", 2, True),
    (r"x \in (-\infty, 3)", 3, False),
    (r"x \in [3, \infty)", 3, True),
    (r"x \in [3, \infty)", 2, False),
    (r"\sum_{k=3}^{2} k = x", 0, True),
    (r"\prod_{k=3}^{2} k = x", 1, True),
    (r"\prod_{k=3}^{2} k = x", 0, False),
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
    ("|x| = 2", 2, True),
    ("-x = 2", -2, True),
    ("-x = 2", 2, False),
    ("x\\% = 1/2", 50, True),
    ("x\\% = 1/2", 40, False),
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


# Values that are no rational numbers, each from another function than the one that is asked.
IRRATIONAL: dict[str, float] = {
    r"\sqrt{2}": 2**0.5,
    r"\sqrt[3]{2}": 2 ** (1 / 3),
    r"\sqrt[3]{-2}": -(2 ** (1 / 3)),
    r"\sqrt[4]{2}": 2**0.25,
    r"2^{1/3}": math.cbrt(2),
    r"\overline{\sqrt{5}}": 5**0.5,
    r"\exp(2)": math.e**2,
    r"\ln(2)": math.log1p(1),
    r"\log_{3}(2)": math.log(2, 3),
    r"\sin(1)": math.sin(1),
    r"\cos(1)": math.sin(math.pi / 2 - 1),
    r"\tan(1)": math.sin(1) / math.cos(1),
    r"\cot(1)": math.cos(1) / math.sin(1),
    r"\sec(1)": 1 / math.cos(1),
    r"\csc(1)": 1 / math.sin(1),
    r"\arcsin(1/3)": math.atan2(1, 8**0.5),
    r"\arccos(1/3)": math.atan2(8**0.5, 1),
    r"\arctan(1/3)": math.atan2(1, 3),
    r"\sinh(1)": (math.e - 1 / math.e) / 2,
    r"\cosh(1)": (math.e + 1 / math.e) / 2,
    r"\tanh(1)": 1 - 2 / (math.e**2 + 1),
    r"\sin(30^\circ)": 0.5,
    r"\pi": math.pi,
    r"|-\pi|": math.pi,
}


NOT_NUMERIC = frozenset(("sum", "prod", "gcd", "lcm", "mod"))
"""Operations with exact values alone."""
NOT_IN_SYMPY = frozenset(("gcd", "lcm", "max", "min", "unit:degree"))
OTHERWISE_IN_SYMPY = frozenset(("(-8)^{1/3}", r"\sqrt[3]{-27}", r"\sqrt[3]{-2}"))
"""Roots of negative numbers, of which SymPy takes the principal one; it is not asked for these."""
REFUSED_TO_SYMPY = frozenset(("(-1)^{10^{9}}", r"17 \bmod (-5)", r"\overline{\sqrt{5}}"))


def operations(source: str) -> frozenset[str]:
    """The operations and relations in a formula."""
    return frozenset(part.op for part in parts(read_formula(source)) if isinstance(part, Op))


def is_near(found: complex, expected: float | Fraction) -> bool:
    return abs(found - float(expected)) <= 1e-9 * max(1.0, abs(float(expected)))


def inexact(sources: Iterable[str]) -> list[str]:
    """Operations whose exact value is another than that of the table."""
    return [each for each in sources if value(read_formula(each)) != VALUES[each]]


def misjudged(rows: Iterable[tuple[str, int | Fraction, bool]]) -> list[str]:
    """Relations that exact arithmetic judges otherwise than the table."""
    found = []
    for source, at, expected in rows:
        formula = read_formula(source)
        if truth(formula, {Variable(name): Fraction(at) for name in free_names(formula)}) is not expected:
            found.append(source)
    return found


def misencoded(theory: StepTheory, rows: Iterable[tuple[str, int | Fraction, bool]]) -> list[str]:
    """Relations that are not entailed where they hold, or not refuted where they do not."""
    found = []
    for source, at, expected in rows:
        whole = number(abs(Fraction(at).numerator))
        written = Op("/", (Op("neg", (whole,)) if at < 0 else whole, number(Fraction(at).denominator)))
        formula = read_formula(source)
        told = [theory.encoder.statement(Op("=", (Variable(name), written))) for name in free_names(formula)]
        theory.budget.begin_step()
        answer = theory.ask(told, theory.encoder.statement(formula))
        if answer.verdict is not (Verdict.ENTAILED if expected else Verdict.REFUTED):
            found.append(source)
    return found


def off_in_doubles(sources: Iterable[str]) -> list[str]:
    """Operations whose approximate value is not near that of the tables."""
    table = {**VALUES, **IRRATIONAL}
    return [each for each in sources if not is_near(approximation(read_formula(each)).value, table[each])]


def off_in_sympy(sources: Iterable[str]) -> list[str]:
    """Operations whose value by SymPy is not near that of the tables."""
    table = {**VALUES, **IRRATIONAL}
    values = ((each, to_sympy(read_formula(each)).doit().evalf()) for each in sources)
    return [each for each, found in values if not is_near(complex(found), table[each])]


def unequal(sources: Iterable[str]) -> list[str]:
    """Operations that, as quotients of polynomials, differ from the table's value."""
    return [each for each in sources if difference_of(read_formula(each), number(VALUES[each]))]
