"""Answers are compared as mathematics, in a process that may die, and as text where it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from answer_judges import end_of_judges as end_of_judges
from answer_judges import shared_judge as _judge
from hypothesis import given, settings
from hypothesis import strategies as st
from statements import Property

from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.solve import answers
from potlang.languages.dagmath.solve.answer_worker import _numeral
from potlang.languages.dagmath.solve.answers import (
    AnswerChecker,
    Judged,
    normal_text,
    plain_number,
    quick_judgement,
)
from potlang.processes.process import Process

pytest.importorskip("math_verify")


@pytest.fixture(scope="module")
def judge() -> Iterator[AnswerChecker]:
    with AnswerChecker(seconds=20) as found:
        yield found


@pytest.mark.parametrize(
    ("given", "expected", "correct", "by"),
    [
        ("588", "588", True, "text"),
        (r"$588$.", r"\boxed{588}", True, "text"),
        (r"\dfrac{1}{2}", r"\frac{1}{2}", True, "text"),
        (r"\left( 1,\, 2 \right)", "(1,2)", True, "text"),
        ("12 : 1", "12:1", True, "text"),
        ("yes", "yes", True, "text"),
        ("6/8", r"\frac{3}{4}", True, "math"),
        ("-0", "0", True, "math"),
        ("12", "21", False, "math"),
        ("0.5", r"\frac12", True, "math"),
        ("1,000", "1000", True, "math"),
        (r"\sqrt{8}", r"2\sqrt{2}", True, "math"),
        ("x + 1", "1 + x", True, "math"),
        (r"\{1, 2\}", r"\{2, 1\}", True, "math"),
        ("(1, 2)", "(2, 1)", False, "math"),
        (r"\pi r^2", r"r^2 \pi", True, "math"),
        (r"x = 3", "3", True, "math"),
        (r"\frac{1}{", "2", False, "text"),
        ("", "2", False, "text"),
        ("", "", False, "text"),
    ],
)
def test_judgements(judge: AnswerChecker, given: str, expected: str, correct: bool, by: str) -> None:
    """[DAG-EQUAL]"""
    found = judge.judge(given, expected)
    assert (found.correct, found.by) == (correct, by)
    assert bool(found.note) == (by == "text" and not correct)


def test_an_answer_that_is_not_there_is_wrong(judge: AnswerChecker) -> None:
    r"""[DAG-FINAL-RIGHT]: no box in the last step, or one that never ends; a box elsewhere does not count."""
    steps = (Step(1, "", None, r"$\boxed{3}$"), Step(2, "", (1,), "The final answer is $3$."))
    assert judge.judge_solution(Solution(steps, answer="3")) == Judged(
        False, "text", "there is no boxed answer"
    )
    assert judge.judge_solution(Solution(steps)) is None
    right = Solution((steps[0],), answer=r"The final answer is $\boxed{3}$.")
    assert judge.judge_solution(right) == Judged(True, "text")


NUMERALS = st.integers(2 - 10**15, 10**15 - 2) | st.integers(-9, 9)


@st.composite
def numbers(draw: st.DrawFn) -> tuple[str, Fraction]:
    """A number in one of its writings, and its value."""
    above, below = draw(NUMERALS), draw(st.integers(1, 12) | st.integers(1, 10**6))
    sign, size = "-" if above < 0 else "", abs(above)
    return draw(
        st.sampled_from(
            [
                (f"{above}", Fraction(above)),
                (f" ${above}$. ", Fraction(above)),
                (f"{above}/{below}", Fraction(above, below)),
                (rf"{sign}\frac{{{size}}}{{{below}}}", Fraction(above, below)),
                (rf"{sign}\dfrac{{{size}}}{{ {below} }}", Fraction(above, below)),
            ]
        )
    )


@given(numbers())
@settings(max_examples=300)
def test_plain_numbers_are_read_exactly(number: tuple[str, Fraction]) -> None:
    """[DAG-QUICK]"""
    text, value = number
    assert plain_number(normal_text(text)) == value


@pytest.mark.parametrize(
    "text", ["007", "+1", "1.0", "1e3", "1/0", "1,000", r"\frac{1}{0}", "-", "9" * 16, "１", "1 2"]
)
def test_what_is_no_plain_number(text: str) -> None:
    """[DAG-QUICK]"""
    assert plain_number(normal_text(text)) is None


def the_quick_way_agrees(pair: tuple[tuple[str, Fraction], tuple[str, Fraction]]) -> None:
    """[DAG-QUICK]: what is decided without the library is what the library says."""
    (one, value), (other, expected) = pair
    quick = quick_judgement(normal_text(one), normal_text(other))
    assert quick is not None
    assert quick.correct == (value == expected)
    assert library(one, other) == quick.correct


def library(given: str, expected: str) -> bool:
    answer = _judge()._ask(given, expected)
    assert "equal" in answer, answer
    return bool(answer["equal"])


def neighbours(one: tuple[str, Fraction]) -> st.SearchStrategy[tuple[str, Fraction]]:
    """The same value, and the nearest values with the same denominator."""
    above, below = one[1].numerator, one[1].denominator
    return st.sampled_from([(f"{above + by}/{below}", Fraction(above + by, below)) for by in (-1, 0, 1)])


NEAR = numbers().flatmap(lambda one: st.tuples(st.just(one), numbers() | neighbours(one)))
test_quick, test_quick_deep = Property(the_quick_way_agrees, NEAR, quick=60).tests()


# --- the process ---------------------------------------------------------------------------------


def idle(judge: AnswerChecker) -> list[Process]:
    """The processes that wait for the next answer."""
    return [each for kept in judge._children._workers._idle.values() for each in kept]


def test_one_process_serves_many_answers_and_each_is_asked_once(judge: AnswerChecker) -> None:
    """[DAG-EQUAL]"""
    judge.judge("0.25", r"\frac14")
    (process,) = idle(judge)
    asked = process._count
    for _ in range(3):
        assert judge.judge("0.75", r"\frac34") == Judged(True, "math")
    assert idle(judge) == [process]
    assert process._count == asked + 1


def test_an_answer_that_takes_too_long_is_compared_as_text() -> None:
    """[DAG-LIMIT]: the process is ended, and the next answer is judged by another."""
    with AnswerChecker(seconds=20) as judge:
        assert judge.judge("0.5", r"\frac12").correct
        (process,) = idle(judge)
        judge.seconds = 0.5
        late = judge.judge("9^{9^{9^9}}!", "3")
        assert (late.correct, late.by) == (False, "text")
        assert "took too long" in late.note or "memory" in late.note
        assert not process.alive()
        judge.seconds = 20
        assert judge.judge("0.25", r"\frac14") == Judged(True, "math")


@pytest.mark.parametrize(
    ("service", "note"),
    [
        ("exits", "exit code 3"),
        ("runs_out_of_memory", "ran out of memory"),
        ("prints_garbage", "garbled"),
    ],
)
def test_a_process_that_dies_leaves_text(monkeypatch: pytest.MonkeyPatch, service: str, note: str) -> None:
    """[DAG-LIMIT]: after three starts that fail there is no fourth."""
    monkeypatch.setattr(answers, "_WORKER", (f"dying_services:{service}",))
    with AnswerChecker() as judge:
        found = [judge.judge(f"{at}.5", "7") for at in range(4)]
        assert all((each.correct, each.by) == (False, "text") for each in found)
        assert all(note in each.note for each in found[:3])
        assert "does not start" in found[3].note
        assert judge.judge("2.5", "2.5") == Judged(True, "text")


def test_without_the_library_answers_are_compared_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DAG-LIMIT]: and the result says so."""
    monkeypatch.setattr(answers, "_library_is_there", lambda: False)
    with AnswerChecker() as judge:
        found = judge.judge("0.5", r"\frac12")
        assert (found.correct, found.by) == (False, "text")
        assert found.note == "math-verify is not installed (`potc doctor` says how): compared as text"
        assert judge.judge("1/2", r"\frac{2}{4}") == Judged(True, "math")
        assert not idle(judge)


def test_nothing_of_an_answer_is_run(judge: AnswerChecker, tmp_path: Path) -> None:
    """[DAG-DATA]"""
    target = tmp_path / "run"
    code = f"__import__('pathlib').Path('{target}').touch()"
    for text in (code, rf"\text{{{code}}}", rf"\operatorname{{{code}}}(3)", f"x={code}", f"${code}$"):
        assert not judge.judge(text, "3.5").correct
    assert not target.exists()


@pytest.mark.parametrize(
    "code", ["", "3", "Integer (3 )+1", "Integer (x )", "Symbol ('x')", "Float ('1e99999')"]
)
def test_only_numerals_are_read(code: str) -> None:
    """[DAG-DATA]"""
    with pytest.raises(ValueError, match="not a numeral"):
        _numeral(code, None, None)


@given(st.text(max_size=30), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_texts_get_a_judgement(given: str, expected: str) -> None:
    found = _judge().judge(given, expected)
    if normal_text(given) and normal_text(given) == normal_text(expected):
        assert found.correct


def test_the_old_name_of_the_checker_warns() -> None:
    """[DAG-EQUAL]: `Judge` still works in this release."""
    import potlang.dagmath

    with pytest.warns(DeprecationWarning, match="AnswerChecker"):
        assert getattr(potlang.dagmath, "Judge") is AnswerChecker  # noqa: B009 - no static name
