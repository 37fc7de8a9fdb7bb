"""Answers in other forms: found equal where they are, and never where their values differ."""

from __future__ import annotations

import string
from collections.abc import Iterator
from fractions import Fraction
from time import process_time

import pytest
from answer_judges import end_of_judges as end_of_judges
from answer_judges import shared_judge as _judge
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.languages.dagmath.solve import answers
from potlang.languages.dagmath.solve.answer_forms import pieces_of
from potlang.languages.dagmath.solve.answers import AnswerChecker, normal_text

pytest.importorskip("math_verify")


@pytest.fixture(scope="module")
def judge() -> Iterator[AnswerChecker]:
    with AnswerChecker(seconds=20) as found:
        yield found


EQUAL = [
    (r"\frac{1}{\sin x \cos x} - \tan x", r"\cot x"),
    (r"2 \sin x \cos x", r"\sin 2x"),
    ("f(y) = 1", "f(x) = 1"),
    ("f(y) = y^2 + a", "f(x) = x^2 + a"),
    ("f(x, y) = x - y", "f(y, x) = y - x"),
    (r"f(t) = \frac{t}{\sqrt{t}}", r"f(x) = \frac{x}{\sqrt{x}}"),
    (r"\frac{1}{2} \le x \le 8", r"\left[\frac12, 8\right]"),
    (r"8 \geq t \geq 1/2", "[0.5, 8]"),
    ("1 < x ≤ 4", "(1, 4]"),
    (r"x \in (1, 2)", r"1 < x < 2"),
    ("x > 3", r"(3, \infty)"),
    ("3 < x", r"(3, +\infty)"),
    (r"x \leq -2", r"(-\infty, -2]"),
    ("(f(n), g(n)) = (n, 1)", "f(n) = n, g(n) = 1"),
    ("(f(m), g(m)) = (m, 1)", r"g(n) = 1 \text{ and } f(n) = n"),
    ("y = 2, x = 1", "(x, y) = (1, 2)"),
    ("x = 2, x = 1", "x = 1, x = 2"),
    (r"\15", "15"),
    (r"-\3", "-3"),
    ("17.5", r"17.5\%"),
    ("17.5 %", "17.5"),
    ("0.175", r"17.5\%"),
    ("18 dollars", "18"),
    ("18", r"18 \text{ dollars}"),
    (r"\$18", "18 dollars"),
    (r"\$1{,}200", "1200"),
    ("1,200 dollars", "1200"),
    ("1.5 hours", "90 minutes"),
    ("18 meters", r"18\text{ m}"),
    (r"18 \text{ cm}^2", "18 cm^{2}"),
]
DIFFERENT = [
    (r"\frac{1}{\sin x \cos x} + \tan x", r"\cot x"),
    (r"2 \sin x \cos x", r"\sin 3x"),
    (r"\sin x", r"\sin y"),
    ("f(y) = 1", "f(x) = 2"),
    ("f(y) = 1", "g(x) = 1"),
    ("f(y) = x", "f(x) = x"),
    ("f(a) = a + b", "f(b) = b + b"),
    ("f(x) = x + b", "f(b) = b + b"),
    ("f(x, y) = x - y", "f(y, x) = x - y"),
    ("f(1) = 2", "f(2) = 2"),
    ("f(0) = 1", "f(x) = 1"),
    (r"\frac{1}{2} \le x \le 8", "[1/3, 8]"),
    (r"\frac{1}{2} \le x \le 8", "[8, 1/2]"),
    (r"\frac{1}{2} < x \le 8", "[1/2, 8]"),
    (r"\frac{1}{2} \le x \le 8", "(1/2, 8)"),
    (r"1 \le x \geq 8", "[1, 8]"),
    ("1 < x < 2", "(1, 2)"),
    ("x > 3", r"[3, \infty)"),
    ("x > 3", r"(-\infty, 3)"),
    ("x < 3", r"(3, \infty)"),
    ("(f(n), g(n)) = (n, 1)", "f(n) = 1, g(n) = n"),
    ("(f(n), g(n)) = (n, 1)", "f(n) = n"),
    ("(f(n), g(n)) = (n, 1)", "f(n) = n, h(n) = 1"),
    ("(f(n), g(n)) = (n, 1)", "f(n) = n, g(n) = 1, h(n) = 2"),
    ("x = 1, y = 2", "(x, y) = (2, 1)"),
    ("x = 1, x = 2", "(x, y) = (1, 2)"),
    ("x = 1, x = 2", "x = 1, y = 2"),
    (r"\15", "5"),
    (r"\15", "1/5"),
    ("17.5", r"1.75\%"),
    ("1.75", r"17.5\%"),
    ("17.5 %", "17.5 dollars"),
    ("18 dollars", "18 cents"),
    ("18 dollars", "19"),
    ("18 million", "18"),
    (r"18 \text{ dozen}", "216 cents"),
    (r"\$18", r"18 \text{ cm}"),
    ("1.5 hours", "1.5 minutes"),
    ("1.5 hours", "91 minutes"),
    ("18 km", "18 m"),
    (r"18 \text{ cm}^2", "18 cm"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_forms_that_are_equal(judge: AnswerChecker, one: str, other: str) -> None:
    """[DAG-FORMS]: whichever of the two is expected."""
    assert judge.judge(one, other).correct
    assert judge.judge(other, rf"\boxed{{{one}}}").correct


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_forms_that_are_not(judge: AnswerChecker, one: str, other: str) -> None:
    """[DAG-FORMS]: the twins of those above."""
    assert not judge.judge(one, other).correct
    assert not judge.judge(other, one).correct


VALUES = st.builds(Fraction, st.integers(-30, 30), st.sampled_from([1, 2, 4, 5, 10]))
UNITS = ("dollars", "cm", "minutes", "pounds")


def written(value: Fraction) -> st.SearchStrategy[str]:
    sign, size = "-" if value < 0 else "", abs(value)
    fraction = f"{sign}{size}", rf"{sign}\frac{{{size.numerator}}}{{{size.denominator}}}"
    return st.sampled_from([f"{float(value)}", *fraction])


@st.composite
def said(draw: st.DrawFn) -> tuple[object, str]:
    """An answer, with what it means for each kind of form."""
    value, other = draw(VALUES), draw(VALUES)
    text, second = draw(written(value)), draw(written(other))
    kind = draw(st.sampled_from(["amount", "interval", "function", "pair"]))
    if kind == "amount":
        unit = draw(st.sampled_from(UNITS))
        return ("amount", value), draw(st.sampled_from([text, f"{text} {unit}", rf"{text}\text{{ {unit}}}"]))
    if kind == "interval":
        ends = draw(st.sampled_from(["[]", "[)", "(]"]))
        low, high = (r"\le" if each in "[]" else "<" for each in ends)
        chain = rf"{text} {low} {draw(st.sampled_from('xt'))} {high} {second}"
        brackets = f"{ends[0]}{text}, {second}{ends[1]}"
        return ("interval", ends, value, other), draw(st.sampled_from([chain, brackets]))
    if kind == "function":
        name = draw(st.sampled_from("xyab"))
        return ("function", value, other), f"f({name}) = ({text}){name} + {second}"
    tuples = f"(u, v) = ({text}, {second})"
    return ("pair", value, other), draw(st.sampled_from([tuples, f"v = {second}, u = {text}"]))


@settings(max_examples=40, deadline=None)
@given(said(), st.data())
def test_only_equal_values_are_equal(one: tuple[object, str], data: st.DataObject) -> None:
    """[DAG-FORMS]: units aside, two answers of these kinds are equal exactly if what they mean is."""
    other = data.draw(said() | st.just(one))
    units = [next((unit for unit in UNITS if unit in text), "") for _, text in (one, other)]
    if one[0][0] != other[0][0] or (all(units) and units[0] != units[1]):  # type: ignore[index]
        assert not _judge().judge(one[1], other[1]).correct
    else:
        assert _judge().judge(one[1], other[1]).correct == (one[0] == other[0])


PIECES = (
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    "=",
    "<",
    r"\le ",
    r"\in ",
    "f(x)=",
    "18",
    ".5",
    " and ",
    "cm",
    "%",
)


@given(*[st.lists(st.sampled_from((*PIECES, *string.ascii_letters[:4], "\\", "$"))).map("".join)] * 2)
@settings(max_examples=300)
def test_any_texts_have_pieces_or_none(one: str, other: str) -> None:
    """[DAG-FORMS]: pieces get simpler, so that taking to pieces ends."""
    for pair in ((one, other), (other, one)):
        found = pieces_of(*map(normal_text, pair))
        assert found is None or all(len("".join(each)) < len("".join(pair)) + 40 for each in found.pairs)


@pytest.mark.parametrize("piece", ["f(x)=", "(", "[1,", "1<", "x=1,", "1,000", " and ", "\\text{", "18 "])
def test_long_answers_take_no_time(piece: str) -> None:
    """[DAG-FORMS]"""
    text = piece * (9_000 // len(piece))
    begin = process_time()
    pieces_of(text, text)
    pieces_of(text, "18")
    assert process_time() - begin < 2


def test_how_long_amounts_are_read() -> None:
    """[DAG-FORMS]"""
    for length, is_read in ((199, True), (200, False)):
        found = pieces_of("1" * (length - 3) + " cm", "1")
        assert found is not None and bool(found.pairs) is is_read


def test_which_judgements_are_kept() -> None:
    """[DAG-FORMS]: those of answers of at most 1,000 characters together."""
    with AnswerChecker() as judge:
        for length, is_kept in ((500, True), (501, False)):
            pair = "1" * length, "2" * 500
            assert (judge.judge(*pair) is judge.judge(*pair)) is is_kept


# Forms, and how many pairs they are taken to: none where an end, a side or a unit is not there.
PAIRS = {
    ("(1, 2)", "1 < x < 2"): 0,
    ("[1, 2)", r"1 \le x < 2"): 2,
    ("(1, 2]", r"1 < x \le 2"): 2,
    (r"(1, \infty)", "x > 1"): 2,
    (r"(-\infty, 1)", "x < 1"): 2,
    (r"x \in (1, 2)", "1 < x < 2"): 2,
    ("(1, 2)", r"1 \le x < 2"): None,
    ("[1, 2]", "1 < 2"): 0,
    ("[1, 2]", "y + 1 < x < 2"): 0,
    ("5 cm", "5"): 1,
    ("5", "5 cm"): 1,
    ("5", "5"): 0,
    ("5 m", "5"): 0,
    ("5 cm", "x"): 0,
    ("x", "5 cm"): 0,
    ("x = 1", "y = 2, x = 1"): 0,
    ("x = 1, y = 2", "x = 1"): 0,
    ("x = 1, y = 2", "(y, x) = (2, 1)"): 2,
}


@pytest.mark.parametrize("pair", PAIRS)
def test_pieces(pair: tuple[str, str]) -> None:
    """[DAG-FORMS]"""
    found = pieces_of(*map(normal_text, pair))
    assert (None if found is None else len(found.pairs)) == PAIRS[pair]


def test_without_the_library_forms_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DAG-FORMS]"""
    monkeypatch.setattr(answers, "_library_is_there", lambda: False)
    with AnswerChecker() as judge:
        assert judge.judge("18 dollars", "18").correct
        assert judge.judge(r"1/2 \le x \le 8", r"[\frac{2}{4}, 8]").correct
        assert not judge.judge("18 dollars", "18 cents").correct


# --- pieces --------------------------------------------------------------------------------------

TAKEN_APART: dict[tuple[str, str], list[tuple[str, str]] | None] = {
    # Amounts.
    ("18 dollars", "18"): [("18", "18")],
    ("-18 dollars", "-18"): [("-18", "-18")],
    ("18 m", "18"): [],
    ("18", "18 m"): [],
    ("18 m", "18 meters"): [("18", "18")],
    ("18 foos", "18"): [],
    ("18", "19"): [],
    (r"\$18 dollars", "18"): [],
    ("2 hours", "90 minutes"): [("7200", "5400")],
    ("-2 hours", "90 minutes"): [("-7200", "5400")],
    (r"\frac{1}{2} hours", "30 minutes"): [("1800", "1800")],
    ("1,200 dollars", "1200"): [("1200", "1200")],
    ("5%", "5"): [("5", "5")],
    ("5%", "5 m"): None,
    ("5 m", "5%"): None,
    ("5%", r"5\%"): [("5", "5")],
    ("5 m", "5 kg"): None,
    ("5 foos", "5 kg"): [],
    ("9" * 190 + " dollars", "9" * 190): [("9" * 190, "9" * 190)],
    ("9" * 192 + " dollars", "9" * 192): [],
    # Intervals.
    ("[1,2]", "1<=x<=2"): [("1", "1"), ("2", "2")],
    ("[1,2]", "2>=x>=1"): [("1", "1"), ("2", "2")],
    ("[1,2]", "[1,2]"): [],
    ("1<x<2", "1<y<2"): [],
    ("(1,2)", "1<x<2"): [],
    (r"x\in (1,2)", "1<x<2"): [("1", "1"), ("2", "2")],
    ("(1,2]", "1<x<2"): None,
    ("[1,2)", "1<x<=2"): None,
    (r"(1,\infty)", "x>1"): [("1", "1"), (r"\infty", r"\infty")],
    (r"(-\infty,1)", "x<1"): [(r"-\infty", r"-\infty"), ("1", "1")],
    (r"(-\infty,1)", "1>x"): [(r"-\infty", r"-\infty"), ("1", "1")],
    (r"[1,+\infty)", "1<=x"): [("1", "1"), (r"\infty", r"\infty")],
    ("[1,2,3]", "1<x<2"): [],
    ("[1,]", "1<x<2"): [],
    ("[1,2]", "1<x>2"): [],
    ("[1,2]", "1<x<2<3"): [],
    ("[1,2]", "1<xy<2"): [],
    ("[1,2]", "a<=x<=2"): [],
    ("[1,2]", "1,5<=x<=2"): [],
    ("[1,2]", "<=x<=2"): [],
    ("[1,2]", "3<=4"): [],
    # Functions of another name for their argument.
    ("f(y)=y+1", "f(x)=x+1"): [("x+1", "x+1")],
    ("f(y)=y+x", "f(x)=x+x"): [],
    ("f(y)=yz", "f(x)=xz"): [("xz", "xz")],
    ("f(y)=\\sin y", "f(x)=\\sin x"): [("\\sin x", "\\sin x")],
    ("f(y)=sin y", "f(x)=sin x"): [],
    ("f(y)=\\text{the y}", "f(x)=x"): [],
    ("f(y)=abc", "f(x)=abc"): [],
    ("f(y)=\\text{y}", "f(x)=\\text{x}"): [],
    ("f(y,z)=y-z", "f(x)=x"): [],
    ("f(y,y)=y", "f(x,z)=x"): [],
    ("f(y,z)=y", "f(x,x)=x"): [],
    ("f(y,z)=y-z", "f(z,y)=z-y"): [("z-y", "z-y")],
    ("f(y)=1", "g(x)=1"): [],
    ("f(1)=2", "f(1)=3"): [],
    ("f(1)=2", "f(2)=2"): None,
    ("f(1)=2", "g(2)=2"): [],
    # Slips.
    (r"\15", "15"): [("15", "15")],
    (r"-\3", r"\3"): [("-3", "3")],
}  # fmt: skip


@pytest.mark.parametrize(("given_", "expected"), TAKEN_APART)
def test_pieces_of_two_answers(given_: str, expected: str) -> None:
    """[DAG-FORMS]"""
    found = pieces_of(given_, expected)
    assert (None if found is None else list(found.pairs)) == TAKEN_APART[given_, expected]


ONLY = {("18 dollars", "18"): False, ("18 m", "18 meters"): True, ("2 hours", "90 minutes"): True}


def test_whether_pieces_are_all_that_counts() -> None:
    """[DAG-FORMS] A number with its unit left out may be meant in another way."""
    for pair, is_only in ONLY.items():
        found = pieces_of(*pair)
        assert found is not None and found.only is is_only, pair
