"""Formulas, subscripts, units, arrays and lists: each way to write them, and each that is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from potlang.languages.dagmath.lower.arrays import Array, NotArray, worked_out
from potlang.languages.dagmath.lower.exact import value
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    Variable,
    number,
    shown,
    substituted,
    text,
)
from potlang.languages.dagmath.lower.tokens import tokens
from potlang.languages.dagmath.lower.unit_normalisation import check_comparable, units_of, without_units
from potlang.languages.dagmath.relations.congruences import Congruences, NotModular, residue
from potlang.languages.dagmath.relations.model import Side

READ = {
    # Statements and lists.
    "x = 1 and y = 2": "x = 1 and y = 2",
    r"x = 1 \land y = 2": "x = 1 and y = 2",
    "2 and 3": "2, 3",
    "x = 1 and 2": "x = 1 or x = 2",
    "x = 1, and 2": "x = 1 or x = 2",
    "x = 1, y = 2": "x = 1 and y = 2",
    "x = 1,": "x = 1",
    "x = 1 or y = 2": "x = 1 or y = 2",
    "2 or 3": "2, 3",
    r"\neg x = 1": r"\neg x = 1",
    r"x = 1 \implies y = 2 \implies z = 3": "x = 1 => (y = 2 => z = 3)",
    r"x = 1 \iff y = 2": "x = 1 <=> y = 2",
    "x = y < z": "x = y and y < z",
    "2 | 6": r"2 \mid 6",
    "2|x|": r"2*\lvert x \rvert",
    "|2 | + 1|": None,
    "||x| - 1|": r"\lvert \lvert x \rvert - 1 \rvert",
    r"\lvert x \rvert": r"\lvert x \rvert",
    r"a \equiv b \equiv c \pmod 7": r"a \equiv b \pmod{7} and b \equiv c \pmod{7}",
    r"a \equiv b \bmod 7": r"a \equiv b \pmod{7}",
    r"x \in \{1, 2\}": r"x \in \{1, 2\}",
    r"x \in \emptyset": r"x \in \{\}",
    r"x \in (0, 1]": r"x \in (0, 1]",
    r"x \in [0, 1)": r"x \in [0, 1)",
    r"A \cup B \cup C": r"A \cup B \cup C",
    r"A \setminus B": r"A \setminus B",
    # Rounding.
    r"\frac{2}{3} \approx 0.70": r"\frac{2}{3} \approx 0.70",
    r"\frac{2}{3} \approx -5": r"\frac{2}{3} \approx -5",
    r"\frac{2}{3} \approx 66.7\%": r"\frac{2}{3} \approx 66.7\%",
    # Terms.
    "+x": "x",
    "-x + y": "-x + y",
    r"\pm x": r"\pm x",
    r"x \pm y \mp z": r"x \pm y \mp z",
    "a - b + c": "a - b + c",
    r"2 \cdot 3 \times 4": "2*3*4",
    "6 / 2 / 3": r"\frac{\frac{6}{2}}{3}",
    "6 / 2 * x": r"\frac{6}{2}*x",
    r"7 \bmod 3": r"7 \bmod 3",
    "2^-1": "2^{-1}",
    "2^{x+1}": "2^{x + 1}",
    "2^3^2": "2^{3^{2}}",
    "x^23": "x^{23}",
    r"\frac12": r"\frac{1}{2}",
    r"\frac123": None,
    r"\sqrt2": r"\sqrt{2}",
    r"\sqrt(x + 1)": r"\sqrt{x + 1}",
    r"\sqrt[3]{x}": r"\sqrt[3]{x}",
    r"\binom(5, 2)": r"\binom{5}{2}",
    r"\binom52": r"\binom{5}{2}",
    "5!": "5!",
    "x!": "x!",
    "50\\%": r"50\%",
    "(x + 1)!": "(x + 1)!",
    "(x!)^2": "x!^{2}",
    "(50\\%)^2": r"50\%^{2}",
    "(x^2)!": "(x^{2})!",
    "(x^2)^3": "(x^{2})^{3}",
    "(-x)^2": "(-x)^{2}",
    r"\overline{x + i}": r"\overline{x + i}",
    r"\mathbb{Z}": r"\mathbb{Z}",
    r"\infty": r"\infty",
    r"\log_2 8": r"\log_{2}(8)",
    r"\log 2x": r"\log(2*x)",
    r"\log x": r"\log(x)",
    r"\sin^2 x": r"\sin(x)^{2}",
    r"\sin^{-1} x": r"\arcsin(x)",
    r"\sinh(x)": r"\sinh(x)",
    r"\max\{1, 2\}": r"\max(1, 2)",
    r"\min[1, 2]": r"\min(1, 2)",
    r"\sum_{k=1}^n k": r"(\sum_{k = 1}^{n} k)",
    r"\prod_{k=1}^3 k^2": r"(\prod_{k = 1}^{3} k^{2})",
    # Degrees and units.
    "90^\\circ": r"90 \text{degree}",
    r"90^{\circ}": r"90 \text{degree}",
    r"90\degree": r"90 \text{degree}",
    r"\$5": r"5 \text{dollar}",
    "3 km": r"3 \text{km}",
    "3 km/h": r"3 \text{km/h}",
    "3 cm^2": r"3 \text{cm^2}",
    r"3 \text{ cm}^2": r"3 \text{cm^2}",
    r"3 \text{ cm}^3": r"3 \text{cm^3}",
    r"3 \text{ apples}": r"3 \text{apples}",
    r"3 \mathrm{m}": r"3 \text{m}",
    "x km": r"x \text{km}",
    "(x + 1) km": r"(x + 1) \text{km}",
    # Names.
    "x_1": "x_{1}",
    "x_n": "x_{n}",
    "x_12": "x_{12}",
    "x_{12}": "x_{12}",
    "x_{n+1}": "x_{n+1}",
    "x_{n-1}": "x_{n-1}",
    "x_{i,j}": "x_{i,j}",
    r"x_{\text{last}}": "x_{last}",
    "x''": "x''",
    "x'_1": "x'_{1}",
    "AB": r"\operatorname{AB}",
    "vt": "v*t",
    "xyz": "x*y*z",
    r"\operatorname{foo}": r"\operatorname{foo}",
    r"\mathbf{v}": r"\vec{v}",
    r"\vec{v}": r"\vec{v}",
    r"\vec{AB}": r"\vec{AB}",
    r"\hat i": r"\hat{i}",
    r"\angle ABC": r"\operatorname{angleABC}",
    r"\triangle ABC": r"\operatorname{triangleABC}",
    r"\text{speed of light}": r"\text{light speed}",
    r"\text{speed}(AB)": r"\text{ab speed}",
    r"\text{speed}(x)": "speed(x)",
    "f(x, y)": "f(x, y)",
    "f'(x)": "f'(x)",
    # Numbers.
    "1,000": "1000",
    "1,000,000.5": "1000000.5",
    "[1,300]": "[1, 300]",
    r"\left[1,300\right]": "[1, 300]",
    r"\{1,300\}": r"\{1, 300\}",
    "(1,300)": "(1, 300)",
    "(1,300 + 2)": "1300 + 2",
    ".5": "0.5",
    r"0.\overline{3}": r"\frac{1}{3}",
    r"0.1\overline{6}": r"\frac{1}{6}",
    r".\bar{3}": r"\frac{1}{3}",
    r"1.2\overline{34}": r"\frac{611}{495}",
    # Signs that say nothing.
    r"x \, y": "x*y",
    r"\left( x \right)": "x",
    r"\left. x \right.": "x",
    r"\displaystyle x": "x",
    "x & y": "x*y",
    "x ~ y": "x*y",
    "$x$": "x",
    r"\boxed{x}": "x",
    "x == 1": "x = 1",
    "x ** 2": "x^{2}",
    "x ≤ 1": "x <= 1",
    "½": r"\frac{1}{2}",
    "√2": r"\sqrt{2}",
    "90°": r"90 \text{degree}",
    "x²": "x^{2}",
    r"\text{and}": None,
    r"x = 1 \text{ and } y = 2": "x = 1 and y = 2",
    # Matrices.
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}": r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
    r"\begin{pmatrix} 1 \\ 2 \\ \end{pmatrix}": r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
    r"\langle 1, 2 \rangle": r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
    r"\begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix}": r"\det(\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix})",
    "(1, 2)": "(1, 2)",
    "[1, 2]": "[1, 2]",
    "(x)": "x",
    r"{n \choose k}": r"\binom{n}{k}",
    r"{1 \over 2}": r"\frac{1}{2}",
    # What an ellipsis leaves out.
    r"1 + 2 + \ldots + 10": r"(\sum_{k' = 0}^{9} (1 + 1*k'))",
}
REFUSED = {
    r"\neg 3": "negated by a word",
    "(x = 1) = 2": "a statement stands",
    "1 = (x = 2)": "a statement stands",
    r"a \equiv b = c \pmod 7": "mixed with another",
    r"a \equiv b": "expects pmod",
    r"x \in y": "it is not clear which set",
    r"A \cup B \cap C": "which operation on sets",
    r"\pi \approx 3": "open what is rounded",
    r"\text{speed} \approx 3": "open what is rounded",
    r"\frac{2}{3} \approx x": "only numbers",
    r"1 + x \bmod 3": "what the remainder is taken",
    r"x \bmod 3 + 1": "what the remainder is taken",
    "6/2x": "either side",
    "x 2": "without a sign",
    "(x) 2": "without a sign",
    r"2\frac12": "mixed number",
    r"\text{speed} x": "before 'x'",
    r"3 \text{red big cats}": "the words",
    r"3 \text{cm} x": "not understood|without|either|how",
    r"3 \text{ dozen}": "after a number",
    "x!!": "double factorial",
    r"\text{km}": "without a number",
    r"\text{the}": "the words",
    "f^2(x)": "inverse",
    "f^{2}(x)": "inverse",
    "f^{-1}": "inverse",
    "f^n": "inverse",
    "x_(1)": "subscript",
    "x_{(1)}": "subscript",
    "x_{1*2}": "subscript",
    r"\sin^{-2} x": "inverse",
    r"\log x y": "how far",
    r"\log 2 x y": "how far",
    r"\binom(5)": "of two numbers",
    r"\overline{12}": "line over a number",
    r"\mathbb{X}": "expects",
    r"3 \text{ cm}^4": "power of a unit",
    r"3 \text{ km/h}^2": "power of a unit",
    r"\frac{dy}{dx}": "derivative",
    r"\frac{d^2 y}{d x^2}": "derivative",
    r"\text{a{b}}": "plain text in braces",
    r"\foo": r"\\foo is not known",
    r"\begin{foo} 1 \end{foo}": "is not known",
    r"\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}": "differ in length",
    r"\pmod 3": "cannot stand here",
    "#": "no part of a formula",
    "x = 1 or 2 = y or 3": "alternatives",
    r"\max 3": "expects",
    "(1, 2": "expects",
    "[1, 2": "expects",
    "|x": "expects",
    r"\lfloor x": "expects",
    "x )": "cannot stand here",
    r"\frac{1}": "expects",
    r"\ldots": "ellipsis",
}


@pytest.mark.parametrize("source", READ)
def test_what_is_read(source: str) -> None:
    """[STEP-FORMULAS]"""
    expected = READ[source]
    if expected is None:
        with pytest.raises(Unreadable):
            read_formula(source)
    else:
        assert text(read_formula(source)) == expected


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_refused(source: str) -> None:
    """[STEP-FORMULAS]"""
    with pytest.raises(Unreadable, match=REFUSED[source]):
        read_formula(source)


def test_the_longest_numbers_and_formulas() -> None:
    """[STEP-BOUNDS]"""
    assert read_formula("9" * 400) == Num(Fraction("9" * 400))
    assert len(tokens("x" + " " * 3999)) == 2
    assert read_formula("0." + "0" * 396 + r"\overline{3}")
    for source, reason in (
        ("9" * 401, "more than 400 digits"),
        ("x" + " " * 4000, "more than 4000 characters"),
        ("0." + "0" * 399 + r"\overline{3}", "more than 400 digits"),
    ):
        with pytest.raises(Unreadable, match=reason):
            read_formula(source)


def test_declared_letters() -> None:
    """[STEP-FORMULAS] Functions and capitals that a context declares."""
    assert read_formula("u(x + 1)", frozenset("u")) == Op("call:u", (read_formula("x + 1"),))
    assert text(read_formula("P(x + 1)", variables=frozenset("P"))) == "P*(x + 1)"
    with pytest.raises(Unreadable, match="inverse"):
        read_formula("u^2", frozenset("u"))
    assert text(read_formula("f^2")) == "f^{2}"
    assert text(read_formula("f^{2}")) == "f^{2}"


def test_quantities_are_shown_in_their_words() -> None:
    """[STEP-QUANTITIES]"""
    term = Op("=", (Quantity(("boat", "speed"), "the boat's speed"), number(3)))
    assert shown(term) == r"\text{the boat's speed} = 3"
    assert text(term) == r"\text{boat speed} = 3"
    assert shown(Quantity(("x",))) == r"\text{the x}"


def test_an_index_hides_a_variable() -> None:
    """[STEP-FORMULAS]"""
    term = read_formula(r"k + \sum_{k=1}^{n} k n")
    values: dict[Term, Term] = {Variable("k"): number(5), Variable("n"): number(7)}
    assert text(substituted(term, values)) == r"5 + (\sum_{k = 1}^{7} k*7)"


# --- arrays --------------------------------------------------------------------------------------

ARRAYS = {
    "(1, 2) + (3, 4)": [4, 6],
    "(1, 2) - (3, 4)": [-2, -2],
    "3(1, 2)": [3, 6],
    r"(1, 2) \cdot 3": [3, 6],
    "(2, 4) / 2": [1, 2],
    r"(1, 2) \cdot (3, 4)": [11],
    r"\begin{pmatrix} 1 & 2 \end{pmatrix} \begin{pmatrix} 3 \\ 4 \end{pmatrix}": [11],
    r"\begin{pmatrix} 2 \end{pmatrix}^{-1}": [Fraction(1, 2)],
    r"\begin{pmatrix} 1 & 1 \\ 0 & 1 \end{pmatrix}^{5}": [1, 5, 0, 1],
    r"\begin{pmatrix} 2 \end{pmatrix}^{12}": [4096],
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}^{-2}":
        [Fraction(11, 2), Fraction(-5, 2), Fraction(-15, 4), Fraction(7, 4)],
    r"\det \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}": [-2],
    r"\det \begin{pmatrix} 2 & 0 & 0 & 0 \\ 0 & 0 & 1 & 0 \\ 0 & 1 & 0 & 0 \\ 0 & 0 & 0 & 3 \end{pmatrix}":
        [-6],
    r"\left| \begin{pmatrix} 3 & 4 \end{pmatrix} \right|": [5],
    r"\lvert \{1, 2\} \cup \{3\} \rvert": [3],
    r"\max(1, |(3, 4)|)": [5],
    "2^3": [8],
}  # fmt: skip
NO_ARRAYS = (
    "(1, 2) + 3", "(1, 2) + (1, 2, 3)", r"A \cdot (1, 2)", "((1, 2), 3)", "2^{(1, 2)}", "(1, 2) / (1, 2)",
    r"\begin{pmatrix} 2 \end{pmatrix}^{13}", r"\begin{pmatrix} 1 & 1 \\ 0 & 1 \end{pmatrix}^0",
    r"\begin{pmatrix} 1 & 1 \\ 0 & 1 \end{pmatrix}^{x}", "(1, 2)^2", r"\det (1, 2)", r"\det 3",
    r"\left| \begin{pmatrix} 1 & 1 \\ 0 & 1 \end{pmatrix} \right|", r"\lvert [0, 1) \cup \{3\} \rvert",
    r"\begin{pmatrix} 1 & 2 \end{pmatrix} \begin{pmatrix} 3 & 4 \end{pmatrix}", r"\{1, 2\}", r"\mathbb{Z}",
    r"\max((1, 2), 3)",
    r"\det \begin{pmatrix} " + r" \\ ".join(["1 & 2 & 3 & 4 & 5"] * 5) + r" \end{pmatrix}",
    r"\begin{pmatrix} " + r" \\ ".join(["1 & 0 & 0 & 2"] * 4) + r" \end{pmatrix}^{-1}",
    r"\begin{pmatrix} " + r" \\ ".join(["1"] * 65) + r" \end{pmatrix}", r"[1, 2] + 1", r"(0, 1] + 1",
)  # fmt: skip


@pytest.mark.parametrize("source", ARRAYS)
def test_arrays_that_are_worked_out(source: str) -> None:
    """[REL-ARRAYS]"""
    found = worked_out(read_formula(source))
    components = found.components if isinstance(found, Array) else (found,)
    assert [value(each) for each in components] == ARRAYS[source]


@pytest.mark.parametrize("source", NO_ARRAYS)
def test_arrays_that_are_not_worked_out(source: str) -> None:
    """[REL-ARRAYS]"""
    with pytest.raises(NotArray):
        worked_out(read_formula(source))


def test_the_largest_array() -> None:
    """[REL-ARRAYS] [STEP-BOUNDS]"""
    found = worked_out(read_formula(r"\begin{pmatrix} " + r" \\ ".join(["1"] * 64) + r" \end{pmatrix}"))
    assert isinstance(found, Array)
    assert found.shape == (64, 1)


# --- units ---------------------------------------------------------------------------------------

UNITS = {
    "3 km + 2 km = 5 km": "3 + 2 = 5",
    "3 km = x": "3 = x",
    "3 km + 500 cm = 300500 cm": None,
    r"12 \text{ boxes} = 12": "12 = 12",
    r"2 \cdot 3 \text{ apples} = 6 \text{ apples}": "2*3 = 6",
    "5": "5",
    r"\sin(30) = 0.5": r"\sin(30) = 0.5",
    "3 cm * 2 cm = 6 cm^2": "3*2 = 6",
    "(3 cm)^2 = 9 cm^2": "3^{2} = 9",
    r"\frac{6 cm}{3 cm} = 2": r"\frac{6}{3} = 2",
    "3 cm < 5 cm": "3 < 5",
    "3 cm = 3": "3 = 3",
    "3 + 4 cm = 9": "3 + 4 = 9",
}
MIXED_UNITS = {
    r"1 \text{ box} = 12": "beside one without",
    r"12 = 1 \text{ box}": "beside one without",
    r"3 \text{ apples} + 2 \text{ pears} = 5": "different things",
    r"3 \text{ apples} + 2 \text{ km} = 5": "different things",
    "8 cm * 3 cm = 24 cm": "does not measure the same",
    "3 cm + 2 kg = 5 cm": "different units|does not measure",
    "(8 cm)^2 = 64 cm": "does not measure the same",
    r"\frac{8 cm}{2 cm} = 4 cm": "does not measure the same",
    r"\sin(30^\circ) = 0.5": "angle in degrees",
    r"30^\circ = \frac{\pi}{6}": "degrees and radians",
    r"2 \text{ h} \cdot 60 = 100 \text{ minutes}": "different units",
}


@pytest.mark.parametrize("source", UNITS)
def test_formulas_without_their_units(source: str) -> None:
    """[STEP-UNITS]"""
    found, expected = without_units(read_formula(source)), UNITS[source]
    assert expected is None or text(found) == expected


@pytest.mark.parametrize("source", MIXED_UNITS)
def test_units_that_stand_in_the_way(source: str) -> None:
    """[STEP-UNITS]"""
    with pytest.raises(Unreadable, match=MIXED_UNITS[source]):
        without_units(read_formula(source))


def test_units_of_several_formulas() -> None:
    """[STEP-UNITS]"""
    assert units_of(read_formula("3 km + x")) == {"km"}
    check_comparable(map(read_formula, ("3 km = x", "4 km = y")))
    check_comparable(map(read_formula, ("3 km = x", "4 = y")))
    with pytest.raises(Unreadable, match="in different units: cm, km"):
        check_comparable(map(read_formula, ("3 km = x", "4 cm = y")))


# --- residues ------------------------------------------------------------------------------------

RESIDUES = {
    ("17", 5): 2,
    ("-17", 5): 3,
    ("3 + 4 * 5", 7): 2,
    ("3^{1000}", 7): 4,
    ("3^{-1}", 7): 5,
    (r"\frac{1}{3}", 7): 5,
    (r"\frac{6}{3}", 3): 2,
    (r"\frac{2^{100}}{3}", 7): 3,
    ("0.5", 7): 4,
    ("x", 5): 3,
    ("x^2 + x", 5): 2,
    (r"\binom{5}{2}", 7): 3,
    ("5!", 7): 1,
}
NO_RESIDUES = (
    ("y", 5), (r"\frac{1}{5}", 5), ("5^{-1}", 5), ("x^{y}", 5), (r"3^{\frac{1}{2}}", 5), (r"\sqrt{2}", 5),
    ("0.2", 5), (r"\frac{x}{x - x}", 7),
)  # fmt: skip


def test_residues() -> None:
    """[REL-CONGRUENCE]"""
    found = {each: residue(read_formula(each[0]), each[1], {"x": 8}) for each in RESIDUES}
    assert found == RESIDUES
    for source, modulus in NO_RESIDUES:
        with pytest.raises(NotModular):
            residue(read_formula(source), modulus, {"x": 8})


def side(source: str) -> Side:
    """A side with the formula read."""
    return Side(source, read_formula(source))


def congruent(known: str, asked: str, modulus: str, *, of: str = "7", is_given: bool = True) -> bool | None:
    """Whether a congruence follows from another, the sides of each between `=`."""
    found = Congruences()
    for each in filter(None, known.split(";")):
        left, right = map(side, each.split("="))
        found.note(1, left, right, side(of), is_given=is_given)
    left, right = map(side, asked.split("="))
    return found.holds(left, right, side(modulus), frozenset({1}))


FOLLOWING = {
    ("x = 3", "x = 3", "7"): True,
    ("x = 3", "x = 10", "7"): True,
    ("x = 3", "x = 4", "7"): False,
    ("x = 3", "x^2 = 2", "7"): True,
    ("x = 3", "y = 3", "7"): None,
    ("x = 3", "x = 3", "14"): None,
    ("2x = 6", "x = 3", "7"): True,
    ("7x = 14", "x = 2", "7"): None,
    ("x + y = 3", "2x + 2y = 6", "7"): True,
    ("x + y = 3", "x + y = 10", "7"): True,
    ("x + y = 3", "x + y = 4", "7"): None,
    ("x + y = 3", "x + 2y = 3", "7"): None,
    ("x^2 = 2", "x = 3", "7"): None,
    ("x = 3; x = 4", "x = 5", "7"): None,
    ("", "7x = 0", "7"): True,
    ("", "x = x + 14", "7"): True,
    ("", "x = x + 1", "7"): None,
    ("x/2 = 3", "x = 6", "7"): True,
    ("x = 3", "x = 3", "1"): None,
    ("x = 3", "x = 3", "0"): None,
    ("x = 3", "x = 3", "7/2"): None,
    ("x = 3", "x = 3", "y"): None,
    ("5 = 12", "x = 3", "7"): None,
}


def test_congruences_that_follow() -> None:
    """[REL-CONGRUENCE]"""
    assert {each: congruent(*each) for each in FOLLOWING} == FOLLOWING
    assert congruent("x = 3", "x = 4", "7", of="14") is False
    assert congruent("x = 3", "x = 4", "7", is_given=False) is None
    assert congruent("x = 3", "x = 3", "7", is_given=False) is True
    assert congruent("x = 3", "x = 3", str(10**12), of=str(10**12)) is True
    assert congruent("x = 3", "x = 3", str(10**12 + 1), of=str(10**12 + 1)) is None


def test_congruences_are_forgotten() -> None:
    """[REL-CONGRUENCE] A name that is introduced again is another one; other steps are not asked."""
    found = Congruences()
    found.note(1, side("x"), side("3"), side("7"), is_given=True)
    found.note(1, side("y"), side("3"), None, is_given=True)
    found.note(1, Side("?", None), side("3"), side("7"), is_given=True)
    assert found.holds(side("x"), side("3"), side("7"), frozenset({2})) is None
    assert found.holds(Side("?", None), side("3"), side("7"), frozenset({1})) is None
    assert found.holds(side("x"), side("3"), Side("?", None), frozenset({1})) is None
    found.forget(frozenset("y"))
    assert found.holds(side("x"), side("3"), side("7"), frozenset({1})) is True
    found.forget(frozenset("xy"))
    assert found.holds(side("x"), side("3"), side("7"), frozenset({1})) is None
