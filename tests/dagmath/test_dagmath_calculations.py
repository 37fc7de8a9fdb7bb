"""Calculations in prose: each word, sign and mark of the tables they are read by, and where they end."""

from __future__ import annotations

import pytest
from relations_support import shown_chains, truths

from potlang.dagmath import Solution, Step
from potlang.languages.dagmath.lower.phrases import NUMERALS
from potlang.languages.dagmath.lower.readings import NO_CONTEXT
from potlang.languages.dagmath.lower.syntax import words
from potlang.languages.dagmath.relations.claims import StepRelations
from potlang.languages.dagmath.relations.find import find_chains
from potlang.languages.dagmath.relations.prose import prose_tokens
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps

READ = {
    # Brackets, and factors beside them.
    "2(3) = 6": "2 * ( 3 ) = 6",
    "2 (3) = 6": "(3) = 6",
    "(2)(3) = 6": "(2) * ( 3 ) = 6",
    "(2)3 = 6": "(2) * 3 = 6",
    "50% (20) = 10": r"50 \% * ( 20 ) = 10",
    "(2 + 3 apples) * 2 = 10": "(2 + 3) * 2 = 10",
    "((2 + 3) * 2)% = 0.1": r"((2 + 3) * 2) \% = 0.1",
    # Fractions and mixed numbers.
    "3 / 1/2 = 6": "3 / (1/2) = 6",
    "3 ÷ 1/2 = 6": "3 / (1/2) = 6",
    "3/1/2 = 6": "3 / 1 / 2 = 6",
    "3 /1/2 = 6": "3 / 1 / 2 = 6",
    "3 / 1 /2 = 6": "3 / 1 / 2 = 6",
    "3 / 1/x = 6": "3 / 1 / x = 6",
    "3 * 1/2 = 1.5": "3 * 1 / 2 = 1.5",
    "1 1/2 + 1 = 2.5": "(1 + 1/2) + 1 = 2.5",
    "1.5 1/2 + 1 = 2": "1 / 2 + 1 = 2",
    "1 1 /2 = 2": "1 / 2 = 2",
    "1 1/x = 2": "1 / x = 2",
    # A variable, or a sign of multiplication.
    "2x + 3x = 5x": "2 x + 3 x = 5 x",
    "2x3 = 6": "2 * 3 = 6",
    "2 X 3 = 6": "2 * 3 = 6",
    "2 x $3 = 6": "2 * 3 = 6",
    "2 x (3 + 1) = 8": "2 * ( 3 + 1 ) = 8",
    "4 - x = 3": "4 - x = 3",
    "(2) x = 6": "x = 6",
    "a + I = 3": "a + I = 3",
    "I have a 5 = 5": "5 = 5",
    # Money and percent.
    "50$ + 20$ = 70$": "50 + 20 = 70",
    "50$+20$=70$": "50 + 20 = 70",
    "They cost 50$ and 20$, so 50$ + 20$ = 70$.": "50 + 20 = 70",
    "US$50 + $20 = $70": "50 + 20 = 70",
    "50 $20 = 20": "20 = 20",
    "$50/day * 2 = $100": "50 * 2 = 100",
    "50% of 20 = 10": r"50 \% * 20 = 10",
    "1/2 of 10 = 5": "1 / 2 * 10 = 5",
    "2 of 10 = 10": "10 = 10",
    # Signs, dashes, factorials.
    "5! = 120": "5 ! = 120",
    "5! - 20 = 100": "5 ! - 20 = 100",
    "(5!) = 120": "(5 !) = 120",
    "120 = 5!": "120 = 5 !",
    "So 5! 6 = 6": "6 = 6",
    "Great! = 6": " = 6",
    "5 ! = 6": "5 ! = 6",
    "2 - -3 = 5": "2 - - 3 = 5",
    "-3 + 5 = 2": "- 3 + 5 = 2",
    "Yams - 6 * 2 = 12": "6 * 2 = 12",
    "Yams -6 * 2 = -12": "- 6 * 2 = - 12",
    "The sum is -48 + 21 = -27": "- 48 + 21 = - 27",
    "5 apples - 3 = 2": "5 - 3 = 2",
    "5 apples -3 = -3": "- 3 = - 3",
    "5 apples-3 = 2": "5 - 3 = 2",
    # Clauses.
    "2, 3 + 4 = 7": "3 + 4 = 7",
    "2 • 3 = 3": "3 = 3",
    "2 → 3 = 3": "3 = 3",
    "2 * (3 + 1)% = 0.08": r"2 * ( 3 + 1 ) \% = 0.08",
    "2 * (3 + 1 apples) = 8": "2 * ( 3 + 1 ) = 8",
    "2 * (3 + 1 apples = 8": "3 + 1 = 8",
    "2 * ((3 + 1) * 2) = 16": "2 * ( ( 3 + 1 ) * 2 ) = 16",
    "(2 + 3) (4) = 20": "(2 + 3) * ( 4 ) = 20",
    "2 $x$ = 4": "2 * (x) = 4",
    "$x$ $y$ = 4": "(x) * (y) = 4",
    "- $x$ = 4": "(x) = 4",
    "-$x$ + 3 = 4": "- (x) + 3 = 4",
    "(2 = 2": "2 = 2",
    # Words behind numbers.
    "5 apples x 3 = 15": "5 * 3 = 15",
    "5 apples times 3 = 15": "5 * 3 = 15",
    "5 apples of 3 = 15": "3 = 15",
    "2 big red fat old raw apples * 3 = 6": "2 * 3 = 6",
    "2 big red fat old raw sour apples * 3 = 6": "3 = 6",
    "2 km/h * 3 = 6": "2 * 3 = 6",
    "2 km / 3 = 6": "2 / 3 = 6",
    "2 km/x = 6": "2 / x = 6",
    "6 divided by 2 = 3": "6 / 2 = 3",
    "6 divided 2 = 3": "2 = 3",
    "6 multiplied = 6": "6 multiplied = 6",
    "7 plus = 7": "7 plus = 7",
    "seven + 1 = 8": "7 + 1 = 8",
    "3 * seven = 21": "3 * 7 = 21",
    "3 dozen eggs = 36": "3 = 36",
    "2 hundred + 1 = 201": "2 * 100 + 1 = 201",
    "x_1 + 2 = 3": "x_1 + 2 = 3",
    "a_n + x_12 = 3": "a_n + x_12 = 3",
    "x1 + 2 = 3": "+ 2 = 3",
    "a1 + 2 = 3": "+ 2 = 3",
    "60 km/h * 3 h = 180 km": "60 * 3 = 180",
    "6 m/s + 3 m/s = 9 m/s": "6 + 3 = 9",
    "6 / h * 3 = 180": "6 / h * 3 = 180",
    "5x = 10": "5 x = 10",
    "5 x = 10": "x = 10",
    "3 x/2 = 6": "x / 2 = 6",
    "50 $ = 50": "50 = 50",
    "5 - = 3": "5 - = 3",
    "5 = ": "5 = ",
    "5 =": "5 = ",
    # Nothing behind an operator.
    "x = 5 * his": "x = 5",
    "x = 5 -": "x = 5",
}


def test_a_side_begins_behind_the_last_sign() -> None:
    """[REL-PROSE]"""
    assert shown_chains("2 = 2 & cats = 3") == ["2 = 2", "2 & cats = 3"]
    assert shown_chains("2 & cats = 3") == ["2 & cats = 3"]


@pytest.mark.parametrize("text", READ)
def test_where_calculations_begin_and_end(text: str) -> None:
    """[REL-PROSE]"""
    assert shown_chains(text) == [READ[text]]


def test_texts_that_end_anywhere() -> None:
    """[REL-PROSE] A text may end behind any of its tokens, or begin there."""
    for text in READ:
        for token in prose_tokens(text):
            find_chains(text[: token.end])
            find_chains(text[token.start :])


# The words between two numbers, and what they mean.
OPERATORS = {
    "+": "+ plus", "-": "- − – minus", "*": "* x X × · ∗ times|multiplied by", "/": "/ ÷ over|divided by",
    "^": "^ **",
}  # fmt: skip
RESULTS = {"+": 14, "-": 10, "*": 24, "/": 6, "^": 144}


@pytest.mark.parametrize("op", OPERATORS)
def test_operators(op: str) -> None:
    """[REL-PROSE]"""
    row, _, phrase = OPERATORS[op].partition("|")
    for word in [*row.split(), *filter(None, [phrase])]:
        assert truths(f"So 12 {word} 2 = {RESULTS[op]}.") == ["true"], word


def test_words_for_numbers() -> None:
    """[REL-PROSE]"""
    for word, number in NUMERALS.items():
        assert truths(f"{word} + 1 = {number + 1}") == ["true"]
    for power, word in {2: "hundred", 3: "thousand", 6: "million", 9: "billion"}.items():
        assert truths(f"2 {word} + 1 = {2 * 10**power + 1}") == ["true"]


def test_determiners() -> None:
    """[REL-PROSE]"""
    for word in words("his her its their the a an another additional my our your about only"):
        assert shown_chains(f"3 * {word} 5 = 15") == ["3 * 5 = 15"], word
    assert shown_chains("3 * big 5 = 5") == ["5 = 5"]


PULLING = words(
    "half twice double triple thrice quarter third thirds fourth fourths fifth fifths sixth tenth dozen "
    "hundred thousand million squared cubed root power average mean remainder ratio product difference "
    "divided multiplied"
)


@pytest.mark.parametrize("word", sorted(PULLING))
def test_words_before_a_calculation(word: str) -> None:
    """[REL-TRUE] What they belong to is open: a wrong result is not refuted, and a right one is right."""
    for text in (f"{word} 2 + 3", f"{word} the 2 + 3", f"{word} by 2 + 3"):
        assert truths(f"{text} = 6") == ["unclear"]
        assert truths(f"{text} = 5") == ["true"]


BESIDE = {
    # Before the calculation.
    "of 2 + 3 = 6": "false",
    "apples 2 + 3 = 6": "false",
    "big of 2 + 3 = 6": "false",
    "twice, 2 + 3 = 6": "false",
    "twice that, so 2 + 3 = 6": "false",
    "5 of 2 + 3 = 6": "unclear",
    "5 and 2 + 3 = 6": "false",
    "5% the 2 + 3 = 6": "unclear",
    "& 2 + 3 = 6": "unclear",
    "x1 + 2 = 6": "unclear",
    "a1 + 2 = 6": "unclear",
    "(2 + 3 = 6": "false",
    # Behind its result.
    "2 + 3 = 6 7": "unclear",
    "2 + 3 = 6 (7": "unclear",
    "2 + 3 = 6 & 7": "unclear",
    "2 + 3 = 6 $7": "unclear",
    "2 + 3 = 6 * his": "unclear",
    "2 + 3 = 6, 7": "false",
    "2 + 3 = 6) 7": "false",
    "2 + 3 = 6 y": "unclear",
    "2 + 3 = 6 r 4": "unclear",
    "2 + 3 = 6 R4": "unclear",
    "2 + 3 = 6 remainder 4": "unclear",
    "2 + 3 = 6 more than 4": "unclear",
    "2 + 3 = 6 apples of 4": "unclear",
    "2 + 3 = 6 apples by 4": "unclear",
    "2 + 3 = 6 apples 7": "false",
    "2 + 3 = 6 apples (7)": "false",
    "2 + 3 = 6 apples than, 7": "false",
    "2 + 3 = 6 hours 30": "unclear",
    "2 + 3 = 6 hours and 30 minutes": "unclear",
    "2 + 3 = 6 hours, 30": "false",
}


@pytest.mark.parametrize("text", BESIDE)
def test_what_stands_beside_a_calculation(text: str) -> None:
    """[REL-TRUE] It may be part of it, or not."""
    assert truths(text) == [BESIDE[text]]


@pytest.mark.parametrize("rest", ["remainder 1", "R1", "r 1", "with remainder 1"])
def test_a_quotient_with_its_remainder_is_no_wrong_number(rest: str) -> None:
    """[REL-TRUE]"""
    (found,) = StepRelations([f"601 / 2 = 300 {rest}"], NO_CONTEXT, is_exact=True).of(0, ())
    assert found.truth == "rounded"


@pytest.mark.parametrize("subject", ["the total /", "the total -", "the total times", "big *", "half the"])
def test_a_sentence_is_not_refuted_where_its_calculation_is_cut(subject: str) -> None:
    """[REL-VERDICT] The total may be 8, and its half is 4."""
    steps = Step(1, "", None, "The total is $8$."), Step(2, "", (1,), f"So {subject} 2 = 4.")
    assert check_steps(Solution(steps)).steps[-1].verdict is StepVerdict.NOT_CHECKABLE
    steps = steps[0], Step(2, "", (1,), "So 1 + 1 = 4.")
    assert check_steps(Solution(steps)).steps[-1].verdict is StepVerdict.REFUTED
