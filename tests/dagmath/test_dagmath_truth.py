"""The truth of single relations, on both sides of each condition that it hangs on."""

from __future__ import annotations

import unicodedata

import pytest
from relations_support import shown_chains, truths

from potlang.languages.dagmath.lower.canonical import same_terms
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.relations.comparisons import compares_with_zero, comparisons, equates
from potlang.languages.dagmath.relations.find import find_chains
from potlang.languages.dagmath.relations.model import Side
from potlang.languages.dagmath.relations.sameness import (
    FormalRelation,
    atoms_of,
    composed,
    is_congruence,
    is_rearranged,
    is_same_side,
    is_worked_out,
)
from potlang.languages.dagmath.relations.truth import RelationTruth, is_cut_off, truth_of

# --- relations in prose --------------------------------------------------------------------------

IN_PROSE = {
    # Between units.
    "60 minutes > 1 hour": "unclear",
    "61 minutes > 1 hour": "unclear",
    "60 minutes = 1 hour": "true",
    "1 hour = 60 minutes": "true",
    "1 hour = 61 minutes": "rounded",
    "1 hour = 63 minutes": "rounded",
    "1 hour = 64 minutes": "false",
    "1.5 hours = 91 minutes": "false",
    "1 hour = 60.5 minutes": "false",
    "It takes 1 hour = 64 minutes": "unclear",
    "1 day = 23 hours": "unclear",
    "1 day = 24 hours": "true",
    "5 meters = 5 seconds": "unclear",
    "2 * 3 feet = 0 inches": "false",
    "2 * 3 feet = 72 feet": "false",
    "2 * 3 cats = 72 dogs": "false",
    "2 * 3 = 72 inches": "false",
    "2 * 36 inches = 6 feet": "unclear",
    "2 * 36 inches < 6 feet": "false",
    # A number, and what corresponds to it.
    "5 quarters = 2 * 3": "unclear",
    "2 * 3 quarters = 5": "false",
    "2 * 3 = 5 quarters": "false",
    "5 = 2 * 3 quarters": "false",
    "5 = 2 * 3": "false",
    "5 = 6": "unclear",
    "5 = 6 apples": "unclear",
    "5 apples = 6": "unclear",
    "5 apples > 6 apples": "unclear",
    "2 * 3 < 5": "false",
    "2 * 3 > 5": "true",
    # Percent.
    "1/3 = 33%": "rounded",
    "1/3 = 34%": "rounded",
    "1/3 = 35%": "false",
    "33% = 1/3": "rounded",
    "20% + 30% = 60": "unclear",
    "20% + 30% = 2": "unclear",
    "20% + 30% = 0.6": "false",
    "20% + 0.3 = 60": "false",
    "60 = 20% + 30%": "unclear",
    "20% = 0.2 * 100": "true",
    "0.2 * 100 = 21%": "false",
    "2 * 50% = 10000%": "false",
    "33% of 10 = 3": "rounded",
    "33% of 10 = 5": "false",
    # Rounding.
    "3 = 10 / 3": "rounded",
    "7 * 3 = 20": "false",
    "2.5 * 3 = 7": "false",
    "50.1 * 2 = 100": "rounded",
    "2 * 1.3 = 2.5": "false",
    "2 * 1.33 = 2.6": "rounded",
    "10 / 3 = 3.34": "rounded",
    "10 / 3 = 3.35": "false",
    "0.333 * 3000 = 1008": "rounded",
    "0.333 * 3000 = 1012": "false",
    "1008 = 0.333 * 3000": "rounded",
    "0.333 = 0.334": "unclear",
    "1,000 / 3 = 333.3": "rounded",
    # Approximations.
    "3 * 5 ≈ 20": "true",
    "3 * 5 ≈ 10": "true",
    "3 * 7 ≈ 30": "rounded",
    "10000 * 1 ≈ 10004": "true",
    "10000 * 1 ≈ 10006": "false",
    "2 * 3 ≈ 3 + 2": "unclear",
    "2 * 3 ≈ 3 + 1": "false",
    "50 * 2 ≈ 49 + 50": "true",
    "2 * 3 ≈ 3 + 2.6": "rounded",
    "2 * 3 feet ≈ 90 inches": "unclear",
    "2 * 3 feet ≈ 90 feet": "false",
    "2 * 3 ≈ 90 feet": "false",
    "twice 2 * 3 ≈ 90": "unclear",
    "of 2 * 3 ≈ 90": "false",
    "1 / 0 ≈ 3": "open",
    "2 * 3 ≈ 0.5 * 13": "true",
    "2 * 3 ≈ 0.5 * 18": "rounded",
    "3 - 1 ≈ 0": "rounded",
    "9 - 1 ≈ 0": "false",
    "1 / 3 ≈ 0": "true",
    "10000 - 9999 ≈ 4": "rounded",
    "10000 - 9999 ≈ 8": "false",
    "1 / 3 ≈ 33%": "true",
    "1 / 3 ≈ 34%": "rounded",
    "1 / 3 ≈ 50%": "rounded",
    "1 / 3 ≈ 55%": "unclear",
    "20% + 30% ≈ 50%": "true",
    "20% + 30% ≈ 95%": "false",
    "2 * 3 ≈ x": "open",
}


@pytest.mark.parametrize("text", IN_PROSE)
def test_relations_in_prose(text: str) -> None:
    """[REL-TRUE]"""
    assert truths(text) == [IN_PROSE[text]]


# How many of one unit another has; below, numbers that nobody has between units.
FACTORS = {
    "pints in a quart": 2, "feet in a yard": 3, "quarts in a gallon": 4, "working days": 5,
    "days in a week": 7, "hours at work": 8, "millimeters": 10, "inches in a foot": 12,
    "days in two weeks": 14, "ounces in a pound": 16, "hundredweights in a ton": 20, "hours in a day": 24,
    "cents in a quarter": 25, "days in February": 28, "days in a month": 30, "days in May": 31,
    "inches in a yard": 36, "cents in half a dollar": 50, "weeks in a year": 52, "minutes in an hour": 60,
    "centimeters in a meter": 100, "square inches in a square foot": 144, "hours in a week": 168,
    "days in a year": 365, "days in a leap year": 366, "meters in a kilometer": 1000,
    "minutes in a day": 1440, "yards in a mile": 1760, "pounds in a ton": 2000, "seconds in an hour": 3600,
    "feet in a mile": 5280, "square centimeters in a square meter": 10_000, "square meters": 1_000_000,
}  # fmt: skip


def test_conversions_that_may_be_meant() -> None:
    """[REL-TRUE] Between different units, a number of one that the other has is no error."""
    for what, factor in FACTORS.items():
        assert truths(f"2 * 3 feet = {6 * factor} inches") == ["unclear"], what
    for factor in (6, 9, 11, 13, 15, 17, 21, 26, 29, 32, 37, 51, 53, 61, 101, 145, 169, 367, 1001, 1441,
                   1761, 2001, 3601, 5281, 10_001, 1_000_001):  # fmt: skip
        assert truths(f"2 * 3 feet = {6 * factor} inches") == ["false"], factor


# --- relations in formulas -----------------------------------------------------------------------

IN_FORMULAS = {
    # Irrational numbers.
    r"\sqrt{2} < 2": "true",
    r"\sqrt{2} > 2": "false",
    r"\sqrt{2} \le 1": "false",
    r"\sqrt{2} \ge 1": "true",
    r"1 \le \sqrt{2}": "true",
    r"\sqrt{8} \le 2\sqrt{2}": "true",
    r"\sqrt{8} \ge 2\sqrt{2}": "true",
    r"\sqrt{8} < 2\sqrt{2}": "unclear",
    r"\sqrt{8} > 2\sqrt{2}": "unclear",
    r"\sqrt{2} \ne \sqrt{2}": "unclear",
    r"\sqrt{2} \ne 2": "true",
    r"\sqrt{-2} < 1": "open",
    r"1 < \sqrt{-2}": "open",
    r"\sqrt{-2} \ne 1": "true",
    r"\sqrt{2} < 1.41421356": "unclear",
    r"\sqrt{2} \le 1.41421356": "unclear",
    r"\sqrt{2} = 1.41421356": "rounded",
    r"\sqrt{2} = 1.4": "rounded",
    r"\sqrt{2} = 1.5": "rounded",
    r"\sqrt{2} = 1.6": "false",
    r"\sqrt{2} = 1": "false",
    r"1.5 = \sqrt{2}": "rounded",
    r"\sqrt{2} = \frac{141}{100}": "false",
    r"\sqrt{2} = \sqrt{2.01}": "rounded",
    r"\sqrt{2} = \sqrt{2.2}": "false",
    r"10^{10} + \sqrt{2} - 10^{10} = 5": "open",
    r"10^{10} + \sqrt{2} - 10^{10} = \sqrt{2}": "true",
    r"\sqrt{2} \cdot \sqrt{2} - 2 = 0": "true",
    r"\sqrt{\frac{37065600}{121}} = \frac{6096}{11}": "false",
    r"\sqrt{\frac{37065600}{121}} > \frac{6096}{11}": "false",
    r"\sqrt{\frac{37161216}{121}} = \frac{6096}{11}": "true",
    r"\sqrt{2} \text{ cm} = 3 \text{ inches}": "unclear",
    r"\sqrt{2} \text{ cm} = 3 \text{ cm}": "false",
    r"\sqrt{2} = 3 \text{ cm}": "false",
    r"\sqrt{2} \text{ cm} = 3": "false",
    # Angles.
    r"\sin(30^\circ) = \frac{1}{3}": "false",
    r"\sin(\pi) = \frac{1}{3}": "false",
    r"\cos(60) = \frac{1}{2}": "unclear",
    r"\frac{1}{2} = \cos(60)": "unclear",
    r"\arctan(1) = 45": "unclear",
    r"\sin(30) \approx 0.5": "unclear",
    r"\arctan(1) \approx 45": "unclear",
    r"\exp(1) = 3": "false",
    # Remainders and congruences.
    r"13 + 15 = 28 \bmod 19": "unclear",
    r"28 \bmod 19 = 28": "false",
    r"7 \equiv 1": "unread",
    r"x \equiv 1 \pmod{3}": "open",
    r"7 \equiv y \pmod{3}": "open",
    r"7 \equiv 1 \pmod{n}": "open",
    r"\frac{1}{2} \equiv 1 \pmod{3}": "false",
    r"\frac{1}{2} \equiv 2 \pmod{3}": "true",
    r"\frac{1}{3} \equiv 2 \pmod{3}": "open",
    r"7 \not\equiv 1 \pmod{3}": "false",
    r"7 \not\equiv 2 \pmod{3}": "true",
    # What is bound.
    r"f(2) = 3": "open",
    r"\text{speed} = 3": "open",
    r"\pi = 3.14": "rounded",
    r"\pi = 4": "false",
    r"e = 2.718": "open",
    r"e^{2} = 9": "false",
    r"e^{2} + x = 9": "open",
    r"e + 1 = 9": "open",
    r"\frac{1}{0} = 1": "open",
    r"2 + 3 = 5": "true",
    r"50\% \text{ of } 3 = 7": "unread",
    r"50 \cdot 2 \approx 70\%": "unclear",
    r"50\% + 20\% \approx 70\%": "true",
    r"50\% + 20\% \approx 80\%": "rounded",
    r"50\% + 20\% \approx 96\%": "false",
    r"3 \mid 12": "true",
    r"3 \mid 13": "unclear",
    r"3 \mid 6 + 7": "false",
}


@pytest.mark.parametrize("source", IN_FORMULAS)
def test_relations_in_formulas(source: str) -> None:
    """[REL-TRUE] [REL-NUMERIC]"""
    assert truths(f"${source}$") == [IN_FORMULAS[source]]


def side(source: str, **more: object) -> Side:
    """A side with the formula read."""
    return Side(source, read_formula(source), **more)  # type: ignore[arg-type]


def test_what_stands_before_a_side_leaves_its_error_open() -> None:
    """[REL-TRUE]"""
    plain, cut = side("2 + 3"), side("2 + 3", is_cut=True)
    for link in ("=", "<", "approx"):
        assert truth_of(plain, link, side("4 - 9")) is RelationTruth.FALSE
        assert truth_of(cut, link, side("4 - 9")) is RelationTruth.UNCLEAR
        assert truth_of(plain, link, side("4 - 9", is_cut=True)) is RelationTruth.UNCLEAR
    assert truth_of(side(r"\sqrt{2}"), "=", side("3", is_cut=True)) is RelationTruth.UNCLEAR
    assert truth_of(side(r"\sqrt{2}", is_cut=True), "=", side("3")) is RelationTruth.UNCLEAR
    assert truth_of(plain, "=", side("6 + 0", inner=("feet", "inches"))) is RelationTruth.UNCLEAR
    assert truth_of(plain, "=", side("6 + 0", inner=("feet", "feet"))) is RelationTruth.FALSE
    assert truth_of(plain, "=", side("6 + 0", unit="remainder")) is RelationTruth.UNCLEAR


def test_percent_behind_a_formula() -> None:
    """[REL-FORMULAS] The sign belongs to the last side."""
    assert truths("It is $0.2 + 0.3 = 0.4 + 0.1 = 50$%.") == ["true", "true"]
    assert truths("It is $0.2 + 0.3 = 0.4 + 0.1 = 51$%.") == ["true", "false"]


def test_whole_numbers_that_are_cut_off() -> None:
    """[REL-TRUE]"""
    assert is_cut_off(side("601 / 2"), side("300"))
    assert not is_cut_off(side("601 / 2", is_cut=True), side("300"))
    assert not is_cut_off(side("601 / 2"), side("300", is_cut=True))
    assert not is_cut_off(side("60.1 / 2"), side("30"))
    assert not is_cut_off(side("601 / 2"), side("300.5"))
    assert not is_cut_off(side("601 / 2"), side("299 + 1"))
    assert not is_cut_off(side("601"), side("300"))
    assert not is_cut_off(Side("?", None), side("300"))
    assert not is_cut_off(side("601 / 2"), Side("?", None))


# --- fractions in words and signs ----------------------------------------------------------------

SHARES = {
    "half of 10": 5, "a third of 12": 4, "One quarter of 12": 3, "one fourth of 12": 3, "a fifth of 10": 2,
    "one sixth of 12": 2, "an eighth of 16": 2, "a tenth of 20": 2, "two thirds of 12": 8,
    "Two-thirds of $12": 8, "three quarters of 12": 9, "three fourths of 12": 9, "four fifths of 10": 8,
    "two tenths of 20": 4, "three eighths of 16": 6,
}  # fmt: skip


def test_shares() -> None:
    """[REL-PROSE] Fractions in words, and in one sign."""
    for text, expected in SHARES.items():
        assert truths(f"So {text} = {expected}.") == ["true"], text
        assert len(find_chains(text).text) == len(text)
    for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞":
        assert truths(f"{sign} of 120 = {round(120 * unicodedata.numeric(sign))}") == ["true"], sign
    assert shown_chains("2½ + 1 = 3.5") == ["(2 + 1/2) + 1 = 3.5"]


def test_texts_of_the_largest_size_are_read() -> None:
    """[REL-FIND] [STEP-BOUNDS]"""
    text = "5 + 6 = 11"
    assert len(find_chains(text.rjust(20_000)).chains) == 1
    assert find_chains(text.rjust(20_001)).chains == ()


# --- comparisons in words ------------------------------------------------------------------------

COMPARED = {
    "x is at least 3": [">="],
    "at most 3 of them": ["<="],
    "x is no less than 3": [">="],
    "x is not fewer than 3": [">="],
    "x is no more than 3": ["<="],
    "x is not greater than 3": ["<="],
    "x is more than 3": [">"],
    "x is less than 3": ["<"],
    "x is greater than or equal to 3": [">="],
    "x is less than or equal to 3": ["<="],
    "x cannot exceed 3": ["<="],
    "x does not exceed 3": ["<="],
    "x exceeds 3": [">"],
    "x does not equal 3": ["!="],
    "x is not equal to 3": ["!="],
    "x differs from 3": ["!="],
    "x is different from 3": ["!="],
    "x is not 3": ["!="],
    "x is not there": [],
    "x cannot be 3": ["!="],
    "x ≠ 3": ["!="],
    r"x \neq 3": ["!="],
    r"x \ne 3": ["!="],
    "x != 3": ["!="],
    "x ≥ 3": [">="],
    r"x \geq 3": [">="],
    r"x \ge 3": [">="],
    r"x \geqslant 3": [">="],
    "x >= 3": [">="],
    "x <= 3": ["<="],
    "x ≤ 3": ["<="],
    r"x \leq 3": ["<="],
    "x > 3": [">"],
    r"x \gt 3": [">"],
    r"x \lt 3": ["<"],
    "x < 3": ["<"],
    "2 < x < 5": ["<", "<"],
    "Ann is taller than Bob": [">"],
    "Ann is younger than Bob": ["<"],
    "Ann has fewer than Bob": ["<"],
    # What adds, and compares nothing.
    "3 more than x": [],
    "5 apples fewer than Bob": [],
    "it is 3 more than x": [],
    "two more than x": [],
    "how many more than x": [],
    "3 is more than x": [">"],
    "x more than 3": [">"],
    "$3 less than x": [],
    "$ less than x": [],
    "3 greater than x": [],
    "3 larger than x": [],
    "3 bigger than x": [">"],
    "3 inches taller than Bob": [">"],
    "x equals 3": [],
}
EQUATING = {
    "x = 3": True,
    "x <= 3": False,
    "x >= 3": False,
    "x != 3": False,
    "x is 3": True,
    "x is at least 3": False,
    "x equals 3": True,
    "there were 3": True,
    "x and 3": False,
    "it makes 3": True,
    "this 3": False,
    "x is less than 3": False,
}
WITH_ZERO = {
    ("x is positive", ">"): True,
    ("x is positive", "<"): False,
    ("x is positive", ">="): False,
    ("x is negative", "<"): True,
    ("x is non-negative", ">="): True,
    ("x is nonnegative", ">="): True,
    ("x is nonnegative", "<"): False,
    ("x is nonzero", "!="): True,
    ("x is non-zero", "!="): True,
    ("x is nonzero", "="): False,
    ("x is zero", "="): False,
}


def test_comparisons_in_words() -> None:
    """[STEP-FORMAL-RELATION]"""
    assert {each: [found.op for found in comparisons(each)] for each in COMPARED} == COMPARED
    assert {each: equates(each) for each in EQUATING} == EQUATING
    assert {each: compares_with_zero(*each) for each in WITH_ZERO} == WITH_ZERO
    (found,) = comparisons("so x is at least 3")
    assert (found.start, found.end) == (5, 16)


# --- relations that are the same -----------------------------------------------------------------

COMPOSED = {
    "=": "=",
    "= =": "=",
    "<": "<",
    "= <": "<",
    "< <": "<",
    "< <=": "<",
    "<= <": "<",
    "<= <=": "<=",
    ">= = >": ">",
    ">= >=": ">=",
    "< >": None,
    "<= >=": None,
    "!=": "!=",
    "= !=": "!=",
    "!= !=": None,
    "< !=": None,
    "approx": "approx",
    "< <= >": None,
}
SAME = {
    ("7", "7"): True,
    ("7", "8"): False,
    ("3 + 4", "7"): False,
    ("3 + 4", "4 + 3"): True,
    ("3 + 4", "5 + 2"): False,
    ("0.5", "1/2"): True,
    ("50\\%", "0.5"): True,
    ("20\\% * 50", "0.2 * 50"): True,
    ("20 / 100 * 50", "0.2 * 50"): True,
    ("0.3 * 50", "0.2 * 75"): False,
    ("-(1/2)", "-0.5"): True,
    ("x + 1", "1 + x"): True,
    ("2(x + 1)", "2x + 2"): True,
    ("x + 1", "x + 2"): False,
    ("x + y - y", "x"): False,
    ("x", "3"): False,
    ("0x + 3", "3"): False,
    ("3 \\text{ cm}", "3"): True,
    (r"\sqrt{2}", r"\sqrt{2}"): True,
    (r"\sqrt{2}", r"\sqrt{3}"): False,
    ("1/0", "2"): False,
    ("10 * 3", "30 * 1"): True,
}
REARRANGED = {
    ("x - 3 = 0", "=", "x", "3"): True,
    ("2x = 6", "=", "x", "3"): True,
    ("x = 3", "=", "x", "4"): False,
    ("x = 3", "!=", "x", "3"): False,
    ("x != 3", "!=", "3", "x"): True,
    ("x < 3", "<", "x", "3"): True,
    ("x < 3", ">", "3", "x"): True,
    ("x < 3", "<", "3", "x"): False,
    ("-x < -3", ">", "x", "3"): True,
    ("-x < -3", "<", "x", "3"): False,
    ("2 = 3", "=", "2", "3"): False,
    ("1/x = 2", "=", "1", "2x"): False,
    ("x = y", "=", "y", "x"): True,
    ("x = y", "=", "x", "2y"): False,
    ("x + y = 1", "=", "x + y + z", "1 + z"): True,
    ("x + y = 1", "=", "x", "1"): False,
    ("x < 3", "approx", "x", "3"): False,
}


def relation(source: str) -> FormalRelation:
    """The only relation of a formula."""
    (found,) = atoms_of(read_formula(source))
    return found


def test_relations_that_are_the_same() -> None:
    """[STEP-FORMAL-SAYS]"""
    assert {each: composed(each.split()) for each in COMPOSED} == COMPOSED
    found = {each: is_same_side(read_formula(each[0]), read_formula(each[1])) for each in SAME}
    assert found == SAME
    for (formula, op, left, right), expected in REARRANGED.items():
        assert is_rearranged(relation(formula), op, side(left), side(right)) is expected, formula
    nothing = Side("?", None)
    assert not is_rearranged(relation("x = 3"), "=", nothing, side("3"))
    assert not is_rearranged(relation("x = 3"), "=", side("x"), nothing)


ATOMS = {
    "x = 1": ["x = 1"],
    r"\neg x = 1": ["x != 1"],
    r"\neg x < 1": ["x >= 1"],
    r"\neg x > 1": ["x <= 1"],
    r"\neg x <= 1": ["x > 1"],
    r"\neg x >= 1": ["x < 1"],
    r"\neg \neg x = 1": ["x = 1"],
    "x = 1 and y = 2": ["x = 1", "y = 2"],
    "x = 1 or y != 2": ["x = 1", "y != 2"],
    r"x = 1 \implies y = 2": ["x = 1", "y = 2 after"],
    r"x = 1 \implies (y = 2 and z = 3)": ["x = 1", "y = 2 after", "z = 3 after"],
    r"\neg(x = 1 and y < 2)": ["x != 1", "y >= 2"],
    r"x = 1 \iff y = 2": ["x = 1", "y = 2"],
    "x + 1": [],
    r"3 \mid x": [],
}


@pytest.mark.parametrize("source", ATOMS)
def test_relations_of_formulas(source: str) -> None:
    """[STEP-FORMAL-SAYS]"""
    found = [f"{each}{' after' * each.after}" for each in atoms_of(read_formula(source))]
    assert found == ATOMS[source]


def test_remainders_and_congruences() -> None:
    """[STEP-FORMAL-SAYS] `x mod 5 = 2` is a congruence of x and 2, whichever side has the remainder."""
    seven, two, five = side("x + 7"), side("2"), side("5")
    assert is_congruence(relation(r"(x + 7) \bmod 5 = 2"), seven, two, five)
    assert is_congruence(relation(r"2 = (x + 7) \bmod 5"), seven, two, five)
    assert is_congruence(relation(r"(x + 7) \bmod 5 = 2 \bmod 5"), seven, two, five)
    assert not is_congruence(relation(r"(x + 7) \bmod 6 = 2"), seven, two, five)
    assert not is_congruence(relation(r"(x + 7) \bmod 5 = 3"), seven, two, five)
    assert not is_congruence(relation(r"(x + 8) \bmod 5 = 2"), seven, two, five)
    assert not is_congruence(relation("x + 7 = 2"), seven, two, five)
    assert not is_congruence(relation(r"(x + 7) \bmod 5 = 2"), seven, two, Side("?", None))
    assert not is_congruence(relation(r"(x + 7) \bmod 5 = 2"), Side("?", None), two, five)


def test_what_is_worked_out() -> None:
    """[STEP-FORMAL-SAYS]"""
    assert is_worked_out(side("2 + 3"), "=", side("5"), None)
    assert is_worked_out(side("10 / 3"), "=", side("3.33"), None)
    assert not is_worked_out(side("2 + 3"), "=", side("6"), None)
    assert not is_worked_out(side("x"), "=", side("x"), None)
    assert not is_worked_out(side("2"), "=", side("x - x + 2"), None)
    assert not is_worked_out(Side("?", None), "=", side("5"), None)
    assert not is_worked_out(side("5"), "=", Side("?", None), None)
    assert is_worked_out(side("7"), "congruent", side("2"), side("5"))


CANONICAL = {
    (r"\{1, 2\}", r"\{2, 1, 1\}"): True,
    (r"\{1, 2\}", r"\{1, 3\}"): False,
    (r"a \equiv b \pmod 7", r"b \equiv a \pmod 7"): True,
    (r"a \equiv b \pmod 7", r"a \equiv 7 \pmod b"): False,
    ("x + y", "y + x"): True,
    ("x - y", "y - x"): False,
    ("x : y", "y : x"): False,
    (r"\max(x, y)", r"\max(y, x)"): True,
    (r"\gcd(x, y)", r"\gcd(y, x)"): True,
    ("x < y", "y < x"): False,
    ("f(x, y)", "f(y, x)"): False,
    (r"\frac{-x}{y}", r"-\frac{x}{y}"): True,
    ("x = y", "y = x"): True,
    ("x = 1 and y = 2", "y = 2 and x = 1"): True,
}


def test_terms_that_are_written_otherwise() -> None:
    """[STEP-CANONICAL]"""
    found = {each: same_terms(read_formula(each[0]), read_formula(each[1])) for each in CANONICAL}
    assert found == CANONICAL
