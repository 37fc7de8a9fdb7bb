"""Stems, numbers in words, readings that say nothing, and what the children of SymPy answer, one by one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
import sympy

from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.phrases import NUMERALS, is_generic, stem, stems
from potlang.languages.dagmath.lower.readings import NO_CONTEXT, Context, Reading, Schema
from potlang.languages.dagmath.lower.syntax import number
from potlang.languages.dagmath.relations.model import Side
from potlang.languages.dagmath.relations.numbers import (
    Numbers,
    is_word_problem,
    left_out,
    may_round,
    numbers_in,
)
from potlang.languages.dagmath.solve.answer_worker import judge
from potlang.languages.dagmath.solve.budget import Budget
from potlang.languages.dagmath.solve.child import SympyService
from potlang.languages.dagmath.solve.identities import Identities
from potlang.languages.dagmath.solve.identity_worker import are_equal, identities
from potlang.processes.process import Died
from potlang.report.results import Limits

STEMS = {
    "running": "run", "runs": "run", "ran": "run", "cycling": "cycl", "cycles": "cycl", "cycle": "cycl",
    "bike": "cycl", "travelled": "travel", "studies": "study", "flies": "fly", "dies": "die", "used": "used",
    "added": "add", "ended": "end", "seeing": "see", "going": "going", "king": "king", "class": "class",
    "bus": "bus", "gas": "gas", "ride": "ride", "rides": "ride", "drive": "driv", "driving": "driv",
    "rolling": "roll", "missed": "miss", "stopped": "stop", "agreeing": "agre", "cactus": "cactus",
    "analysis": "analysis", "cars": "car", "feet": "foot", "people": "person", "mice": "mous", "was": "was",
    "velocity": "speed", "pace": "speed", "morning": "morning", "wedding": "wedding", "needed": "need",
    "bed": "bed", "tied": "tied", "lying": "lying", "eying": "eying",
}  # fmt: skip
PHRASES = {
    "the speed of the boat": ("boat", "speed"),
    "boat's speed": ("boat", "speed"),
    "the boat’s speed": ("boat", "speed"),
    "his mother's age": ("age", "mother"),
    "the ratio of x to y": ("ratio", "of", "x", "to", "y"),
    "apples in baskets": ("appl", "basket"),
    "apples in baskets of Ann": ("appl", "in", "basket", "of", "ann"),
    "apples and more apples": ("appl", "and", "more", "appl"),
    "cars cars": ("car",),
    "the": (),
    "": (),
}
GENERIC = {"the final answer": True, "result of the expression": True, "the boat": False, "": True}


def test_stems() -> None:
    """[STEP-QUANTITIES] A stem is its own; words of which it would be none are kept."""
    assert {each: stem(each) for each in STEMS} == STEMS
    assert all(stem(each) == each for each in STEMS.values())
    assert {each: stems(each) for each in PHRASES} == PHRASES
    assert {each: is_generic(stems(each)) for each in GENERIC} == GENERIC


TENS = {"ten": 1, "twenty": 2, "thirty": 3, "forty": 4, "fifty": 5, "sixty": 6, "seventy": 7, "eighty": 8,
        "ninety": 9}  # fmt: skip
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
seventeen eighteen nineteen"
)


def test_numerals() -> None:
    """[STEP-QUANTITIES]"""
    expected = {word: Fraction(at) for at, word in enumerate(ONES.split())}
    assert expected | {word: Fraction(10 * tens) for word, tens in TENS.items()} == NUMERALS


def test_a_reading_says_nothing_by_itself() -> None:
    """[STEP-SENTENCES]"""
    assert not any(Reading())
    assert Reading().shown() == ""
    schema = Schema(read_formula("d = vt"), ())
    assert Reading(schema=schema).shown() == "d = v*t"
    assert Reading(values=(number(1),), schema=schema).shown() == "1"
    assert Reading(claims=(number(2), number(3)), values=(number(1),)).shown() == "2; 3"
    assert [name for name, each in NO_CONTEXT._asdict().items() if each] == [
        "is_usual", "is_field", "is_commutative", "is_real", "is_decimal",
    ]  # fmt: skip
    assert Context(attributes=(("d", "distance"), ("v", "speed"))).letters == {"d", "v"}


# --- numbers -------------------------------------------------------------------------------------

IN_TEXT: dict[str, list[int | Fraction]] = {
    "2 and 3.5 and .5": [2, Fraction(7, 2), Fraction(1, 2)],
    "1,000 and 1{,}000": [1000, 1000],
    "1,00": [1, 0],
    "Two dozen eggs": [2, 12],
    "step 5 gives 7": [7],
    "equation (3), case 4, parts 5": [],
    "twice a week": [2, 7],
    "Half": [2],
}


def test_numbers_of_texts() -> None:
    """[REL-FITS]"""
    assert {each: numbers_in(each) for each in IN_TEXT} == {
        each: Counter(Fraction(one) for one in found) for each, found in IN_TEXT.items()
    }
    assert numbers_in("Two dozen 5", in_words=False) == {5: 1}


def unknown(source: str, *given: str) -> list[Fraction]:
    """The numbers of a calculation that nothing has given."""
    found = Numbers(is_asked=True)
    for each in given:
        found.add(each)
    return found.unknown([Side(source, read_formula(source))])


UNKNOWN = {
    ("17 + 19", "17"): [19],
    ("17 + 19", "17 and 19"): [],
    ("17 + 17", ""): [17],
    ("-17", "17"): [],
    ("0.17", "17"): [],
    ("1700", "17"): [],
    ("0.83", "0.17"): [],
    ("1.17", "0.17"): [],
    ("83", "0.17"): [83],
    ("83", "17"): [],
    ("117", "17"): [],
    ("116", "17"): [116],
    ("84", "17"): [84],
    ("0.375", "3/8"): [],
    ("0.375", r"\frac{3}{8}"): [],
    ("0.375", r"\dfrac{3}{8}"): [],
    ("0.375", "3 8"): [Fraction(3, 8)],
    ("17", "17/0"): [],
    ("0.2", "a fifth"): [],
    ("5", "a fifth"): [],
    ("12", ""): [],
    ("3600", ""): [],
    ("3601", ""): [3601],
    ("x", ""): [],
    ("19", "9" * 401): [19],
    ("19", "19" + "/" + "9" * 399): [],
}


def test_numbers_from_nowhere() -> None:
    """[REL-FITS] Known is also what a number leaves of a whole, of one, or of a hundred."""
    assert {each: unknown(*each) for each in UNKNOWN} == UNKNOWN
    common = (0, 1, 2, 7, 10, 12, 24, 30, 52, 60, 90, 100, 180, 360, 365, 1000, 3600)
    assert [each for each in (*common, *(one + 1 for one in common)) if unknown(str(each))] == [
        3, 8, 11, 13, 25, 31, 53, 61, 91, 101, 181, 361, 366, 1001, 3601,
    ]  # fmt: skip
    assert Numbers(is_asked=False).unknown([Side("?", None)]) == []


WORD_PROBLEMS = {
    ("Ann has 3 eggs.",): True,
    ("Ann has three eggs.",): True,
    ("Ann has eggs.",): False,
    ("Let $x = 3$.",): False,
    ("It costs $3$.",): True,
    ("", "Ann has 3 eggs."): True,
    ("", "So 3 * 4 = 12."): False,
    ("Ann has 3 eggs.", "So 3 * 4 = 12."): True,
    (" ", "So $3 * $4 = 12."): False,
    ("",): False,
}
LEFT_OUT = {
    ("In total $3 + $4 = $7", "It costs $3, $4 and $5."): ["$5"],
    ("In total $3 + $4 = $7", "It costs $3 and $4."): [],
    ("In total $3 + $4 + $5 = $12", "It costs $3, $4 and $5."): [],
    ("Then $3 + $4 = $7", "It costs $3, $4 and $5."): [],
    ("In total $3 and $4: $7", "It costs $3, $4 and $5."): [],
    ("In total $3 = $7 +", "It costs $3, $4 and $5."): [],
    ("In total $3 + $6 = $9", "It costs $3, $4 and $5."): [],
    ("Altogether $3 + $4 = $7", "It costs $3, $4 and $1,000.5."): ["$1000.5"],
}


def test_word_problems() -> None:
    """[REL-FITS]"""
    assert {each: is_word_problem(each[0], each[1:]) for each in WORD_PROBLEMS} == WORD_PROBLEMS
    assert {each: left_out(each[0], each[1:]) for each in LEFT_OUT} == LEFT_OUT
    assert may_round(["It is exact.", "It is about 3."])
    assert not may_round(["It is exact."])


# --- the children --------------------------------------------------------------------------------


def fails(error: BaseException) -> SympyService:
    """A service that raises."""

    def answer(_: object) -> dict[str, object]:
        raise error

    return SympyService(answer)


def test_what_a_child_raises_is_answered() -> None:
    """[STEP-SYMPY]"""
    assert SympyService(lambda message: {"got": message["x"]}).answer({"x": 1}) == {"got": 1}
    assert fails(MemoryError()).answer({}) == {"failed": "out of memory"}
    assert fails(RecursionError()).answer({}) == {"failed": "nested too deeply"}
    assert fails(ValueError("x")).answer({}) == {"failed": "ValueError"}


EQUAL = {
    ("(x + 1)^2", "x^2 + 2x + 1"): True,
    ("x", "x + 1"): False,
    (r"\log x + \log y", r"\log(xy)"): True,
    (r"\ln x + \ln y", r"\ln(xy)"): True,
    (r"\ln(x) + \log(x)", r"\log(x) + \ln(x)"): False,
    (r"\log(x^2)", r"2 \log x"): True,
    (r"\sqrt{x^2} + \log(x^2)", r"x + \log(x^2)"): False,
    (r"\sqrt{x^2} + \log x", r"x + \log x"): True,
    (r"\log(x^2) + \log x", r"3 \log x"): True,
    (r"\log_2(x^2) + \log_2(x)", r"3 \log_2(x)"): True,
    (r"\sqrt{x^2}", "x"): False,
    (r"\sin^2 x + \cos^2 x", "1"): True,
    (r"(-1)^{2n}", "1"): True,
    (r"(-1)^{2m}", "1"): False,
    (r"\log(\text{speed}) + \log 2", r"\log(2 \cdot \text{speed})"): True,
}


def test_identities_of_sympy() -> None:
    """[STEP-SYMPY]"""
    found = {
        each: are_equal(sympy, read_formula(each[0]), read_formula(each[1]), frozenset("n")) for each in EQUAL
    }
    assert found == EQUAL
    names: dict[str, object] = {"functions": [], "variables": [], "integers": ["n"]}
    service = identities()
    assert service.answer({"left": "x + x", "right": "2x", **names}) == {"equal": True}
    assert service.answer({"left": "x + x", "right": "3x", **names}) == {"equal": False}
    assert service.answer({"left": "(-1)^{2n}", "right": "1", **names}) == {"equal": True}
    answer = service.answer({"left": "x +", "right": "2x", **names})
    assert str(answer["failed"]).startswith("expects")
    assert service.answer({"left": "x"}) == {"failed": "KeyError"}


JUDGED = {
    (r"\frac{1}{2}", "0.5"): True,
    (r"$\frac{1}{2}$.", "0.5"): True,
    (r"\frac{1}{2}", "0.6"): False,
    (r"\sin 2x", r"2 \sin x \cos x"): True,
    (r"\sin 2x", r"2 \sin x"): False,
    (r"\sin 2x", r"2 \sin y \cos y"): False,
    (r"\tan x", r"\frac{\sin x}{\cos x}"): True,
}


def test_answers_by_a_library() -> None:
    """[DAG-EQUAL]"""
    pytest.importorskip("math_verify")
    service = judge()
    found = {each: service.answer({"given": each[0], "expected": each[1]}) for each in JUDGED}
    assert {each: answer.get("equal") for each, answer in found.items()} == JUDGED
    assert service.answer({"given": "1", "expected": ""}) == {"failed": "no parser reads the expected answer"}
    assert service.answer({"given": "", "expected": "1"}) == {"failed": "no parser reads the answer"}


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (Died("crash", "it was killed"), "it was killed"),
        (Died("crash", ""), "SymPy ended"),
        (Died("timeout", "it was late"), "SymPy took longer than 0.5 s"),
    ],
)
def test_why_sympy_did_not_tell(error: Died, note: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[STEP-SYMPY]"""

    class Dying:
        def ask(self, *_: object, **__: object) -> None:
            raise error

    monkeypatch.setattr("potlang.languages.dagmath.solve.identities.shared_children", Dying)
    limits = Limits(check_ms=5_000, total_ms=60_000)
    identities_ = Identities(seconds=0.5)
    term = read_formula("x + x"), read_formula("2x")
    for _ in range(4):
        assert not identities_.hold(*term, frozenset(), NO_CONTEXT, Budget(60_000, limits))
    assert identities_.note == note
