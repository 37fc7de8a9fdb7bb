"""Runs over small data sets whose outcomes are known: attempts, readings, options, resuming, threads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from potlang.models.evaluation import (
    AnswerReading,
    Grade,
    Option,
    Question,
    QuestionOutcome,
    RecordedPrograms,
    SolverSettings,
    Truth,
    judge,
    run,
    summarize,
    to_json,
)
from potlang.models.evaluation.outcomes import key_of
from potlang.models.evaluation.reasoners import Answered
from potlang.models.evaluation.results_file import ResultsFile
from potlang.models.loop.journal import BadJournal
from potlang.report.results import Limits, Verdict

BASE: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [
        {"name": name, "domain": ["Person"], "range": "Bool"}
        for name in ("human", "mortal", "rich", "winged")
    ],
    "constants": {"people": {"sort": "Person", "members": ["plato"]}},
    "knowledge_base": ["human(plato)"],
    "rules": [
        {"forall": [{"name": "x", "sort": "Person"}], "implies": {"antecedent": "human(x)", "consequent": c}}
        for c in ("mortal(x)", "Not(winged(x))")
    ],
}


def asking(*claims: str, **more: Any) -> dict[str, Any]:
    named = [{"name": f"c{at}", "constraint": claim} for at, claim in enumerate(claims)]
    return {**BASE, **more, "verifications": named}


BROKEN = asking("mortal(socrates)")
CONTRADICTION = asking("mortal(plato)", knowledge_base=["human(plato)", "winged(plato)"])


def question(id: str, answer: Truth | str | None, *attempts: Any, **more: Any) -> Question:
    return Question(id, "", answer, more.pop("family", "f"), more.pop("group", id), recorded=attempts, **more)


def judged(question: Question, outcome: QuestionOutcome) -> tuple[Grade, Grade]:
    return judge(question, outcome, AnswerReading.PAPER).status, judge(
        question, outcome, AnswerReading.VERDICT
    ).status


CASES = [
    (
        question("entailed", Truth.TRUE, asking("mortal(plato)")),
        1,
        (Grade.RIGHT, Grade.RIGHT),
    ),
    (
        question("refuted", Truth.FALSE, asking("winged(plato)")),
        1,
        (Grade.RIGHT, Grade.RIGHT),
    ),
    (
        question("open", Truth.UNCERTAIN, asking("rich(plato)")),
        1,
        (Grade.WRONG, Grade.RIGHT),
    ),
    (
        question("claimed", Truth.FALSE, asking("rich(plato)")),
        1,
        (Grade.WRONG, Grade.WRONG),
    ),
    (question("clash", Truth.TRUE, CONTRADICTION), 1, (Grade.WRONG, Grade.ABSTAINED)),
    (
        question("second", Truth.TRUE, BROKEN, asking("mortal(plato)")),
        2,
        (Grade.RIGHT, Grade.RIGHT),
    ),
    (question("reply", Truth.TRUE, "Sorry", f"```\n{json.dumps(asking('mortal(plato)'))}\n```"), 2, None),
    (question("never", Truth.TRUE, BROKEN, "no", {}), 3, None),
    (question("nothing", Truth.TRUE), None, (Grade.FAILED, Grade.FAILED)),
    (question("reject", None, BROKEN), None, None),
]


@pytest.fixture(scope="module")
def outcomes() -> tuple[QuestionOutcome, ...]:
    return run([each for each, _, _ in CASES], RecordedPrograms()).outcomes


def test_the_first_attempt_that_compiles_is_the_program(outcomes: Iterable[QuestionOutcome]) -> None:
    """[EVAL-REASONER] [EVAL-OUTCOME]"""
    assert [each.used for each in outcomes] == [used for _, used, _ in CASES]


def test_two_readings(outcomes: Iterable[QuestionOutcome]) -> None:
    """[EVAL-READINGS]"""
    for (asked, _, expected), outcome in zip(CASES, outcomes, strict=True):
        if expected is not None:
            assert judged(asked, outcome) == expected, asked.id


def test_a_program_without_a_claim_gives_no_answer(outcomes: tuple[QuestionOutcome, ...]) -> None:
    """[EVAL-OUTCOME]: `{}` is a program."""
    at = next(at for at, (each, _, _) in enumerate(CASES) if each.id == "never")
    assert outcomes[at].claims == ()
    assert judged(CASES[at][0], outcomes[at]) == (Grade.ABSTAINED, Grade.ABSTAINED)


def test_the_summary(outcomes: tuple[QuestionOutcome, ...]) -> None:
    """[EVAL-SUMMARY], [EVAL-REJECT]"""
    (found,) = summarize([each for each, _, _ in CASES], outcomes)
    assert (found.questions, found.compiled, found.to_reject, found.rejected) == (9, 8, 1, 1)
    # `{}` has no claim to be answered.
    assert found.executed == 7
    assert found.paper.counts.confusion == (3, 1, 1, 1)
    assert found.verdict.counts.confusion == (3, 0, 0, 1)
    assert [(each.attempt, each.right, each.wrong) for each in found.verdict.attempts] == [
        (1, 3, 1),
        (2, 2, 0),
        (3, 0, 0),
    ]
    # Seven attempts at what compiled at once or was repaired, and those at the others.
    assert found.cost.calls == sum(len(each.recorded) for each, _, _ in CASES)
    assert sum(found.verdicts.values()) == found.claims == 9
    assert json.loads(json.dumps(to_json([found])))[0]["paper"]["counts"]["tp"] == 3


OPTIONS = (
    Option("A", "c0", frozenset({Verdict.ENTAILED})),
    Option("B", "c1", frozenset({Verdict.ENTAILED})),
    Option("C", "c2", frozenset({Verdict.ENTAILED})),
)


def test_options_are_one_versus_all() -> None:
    """[EVAL-OPTIONS]"""
    program = asking("winged(plato)", "mortal(plato)", "rich(plato)")
    asked = question("o", "B", program, options=OPTIONS)
    (outcome,) = run([asked], RecordedPrograms()).outcomes
    # SAT of `rich(plato)` makes the paper's reading choose two.
    assert judged(asked, outcome) == (Grade.WRONG, Grade.RIGHT)
    assert judge(asked, outcome, AnswerReading.PAPER).counts().confusion == (1, 1, 0, 1)
    assert judge(asked, outcome, AnswerReading.VERDICT).counts().confusion == (1, 0, 0, 2)


def test_options_accept_other_verdicts() -> None:
    """[EVAL-OPTIONS]: "which could be true", "which must be false"."""
    program = asking("winged(plato)", "mortal(plato)", "rich(plato)")
    could = tuple(each._replace(accept=frozenset({Verdict.UNDETERMINED})) for each in OPTIONS)
    must_not = tuple(each._replace(accept=frozenset({Verdict.REFUTED})) for each in OPTIONS)
    first = question("1", "C", program, options=could)
    second = question("2", "A", program, options=must_not)
    third = question("3", "A", asking("mortal(plato)"), options=must_not)
    found = run([first, second, third], RecordedPrograms()).outcomes
    assert judged(first, found[0]) == (Grade.ABSTAINED, Grade.RIGHT)
    assert judged(second, found[1]) == (Grade.RIGHT, Grade.RIGHT)
    assert judged(third, found[2]) == (Grade.ABSTAINED, Grade.ABSTAINED)


def test_a_program_that_says_what_it_asks_is_judged_by_that() -> None:
    """[EVAL-OPTIONS]"""
    program = asking()
    claims = ("winged(plato)", "mortal(plato)", "rich(plato)")
    options = [{"name": f"c{at}", "constraint": claim} for at, claim in enumerate(claims)]
    # Plato is mortal, has no wings, and may be rich.
    for ask, right in (("must", "B"), ("cannot", "A")):
        asked = question(
            ask, right, {**program, "verifications": [{"ask": ask, "options": options}]}, options=OPTIONS
        )
        (outcome,) = run([asked], RecordedPrograms()).outcomes
        assert QuestionOutcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome
        assert judged(asked, outcome)[1] is Grade.RIGHT
    several = question(
        "s", "C", {**program, "verifications": [{"ask": "could", "options": options}]}, options=OPTIONS
    )
    (outcome,) = run([several], RecordedPrograms()).outcomes
    assert judged(several, outcome)[1] is Grade.WRONG


def timeless(outcomes: Iterable[QuestionOutcome]) -> list[QuestionOutcome]:
    return [each._replace(reasoning_ms=0.0, verifying_ms=0.0) for each in outcomes]


QUESTIONS = [each for each, _, _ in CASES]


def test_threads_change_nothing(outcomes: tuple[QuestionOutcome, ...]) -> None:
    """[EVAL-OUTCOME]"""
    found = run(QUESTIONS, RecordedPrograms(), jobs=3)
    assert timeless(found.outcomes) == timeless(outcomes)


class Counting(RecordedPrograms):
    """Says which questions it was asked, and fails at some."""

    def __init__(self, failing: Iterable[str] = ()) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.failing = set(failing)

    def answer(self, question: Question, settings: SolverSettings, results: ResultsFile) -> Answered:
        self.asked.append(question.id)
        if question.id in self.failing:
            return Answered((), (), 0.0, "rate limit")
        return super().answer(question, settings, results)


def is_outcome(line: bytes) -> bool:
    with suppress(ValueError):
        return bool(json.loads(line)["kind"] == "outcome")
    return False


def test_a_run_goes_on_wherever_it_was_cut_off(tmp_path: Path, outcomes: tuple[QuestionOutcome, ...]) -> None:
    """[EVAL-RESUME]: after any number of bytes, the whole outcomes are reused and the others asked for."""
    whole = tmp_path / "whole.jsonl"
    run(QUESTIONS, RecordedPrograms(), results=whole)
    data = whole.read_bytes()
    for cut in [*range(0, len(data), 197), len(data) - 1, len(data)]:
        path = tmp_path / "cut.jsonl"
        path.write_bytes(data[:cut])
        reasoner = Counting()
        found = run(QUESTIONS, reasoner, results=path)
        # A last line that lacks its end alone is an outcome all the same.
        kept = sum(map(is_outcome, data[:cut].split(b"\n")))
        assert (found.reused, len(reasoner.asked)) == (kept, len(QUESTIONS) - kept)
        assert timeless(found.outcomes) == timeless(outcomes)
        again = Counting()
        assert run(QUESTIONS, again, results=path).reused == len(QUESTIONS)
        assert again.asked == []


def test_other_settings_and_other_attempts_are_other_outcomes() -> None:
    """[EVAL-RESUME]"""
    asked = QUESTIONS[0]
    key = key_of(asked, RecordedPrograms(), SolverSettings())
    assert key == key_of(asked._replace(answer=Truth.FALSE, family="g"), RecordedPrograms(), SolverSettings())
    others = {
        key_of(asked, RecordedPrograms(), SolverSettings(route="z3")),
        key_of(asked, RecordedPrograms(), SolverSettings(limits=Limits(check_ms=1))),
        key_of(asked, RecordedPrograms({asked.id: (BROKEN,)}), SolverSettings()),
        key_of(asked._replace(text="?"), RecordedPrograms(), SolverSettings()),
    }
    assert len(others | {key}) == 5


def test_failed_calls_are_made_again(tmp_path: Path) -> None:
    """[EVAL-RESUME]"""
    path = tmp_path / "results.jsonl"
    first = run(QUESTIONS[:3], Counting({"refuted"}), results=path)
    assert [each.failure for each in first.outcomes] == ["", "rate limit", ""]
    again = Counting()
    second = run(QUESTIONS[:3], again, results=path)
    assert again.asked == ["refuted"]
    assert not any(each.failure for each in second.outcomes)


@pytest.mark.parametrize("key", ["made", "reasoning_ms", "verifying_ms"])
@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "-1"])
def test_numbers_that_count_nothing_are_passed_over(key: str, number: str, tmp_path: Path) -> None:
    """[EVAL-RESUME]"""
    path = tmp_path / "results.jsonl"
    outcome = run(QUESTIONS[:1], RecordedPrograms()).outcomes[0].to_dict()
    bad = json.dumps({**outcome, key: "HERE"}).replace('"HERE"', number)
    path.write_text(f"{json.dumps({**outcome, 'key': 'other'})}\n{bad}\n", "utf-8")
    found = run(QUESTIONS[:1], RecordedPrograms(), results=path)
    assert (found.reused, found.unreadable) == (0, 1)


def test_lines_of_others_are_passed_over(tmp_path: Path) -> None:
    """[EVAL-RESUME]"""
    path = tmp_path / "results.jsonl"
    outcome = run(QUESTIONS[:1], RecordedPrograms()).outcomes[0].to_dict()
    bad = [{}, [], {**outcome, "used": 7}, {**outcome, "claims": [["c", "perhaps", None]]}]
    lines = "".join(json.dumps(each) + "\n" for each in bad) + "\x00\n" + "[" * 99_999
    path.write_text(lines, "utf-8")
    with pytest.raises(BadJournal, match="no results file"):
        run(QUESTIONS[:1], RecordedPrograms(), results=path)
    assert path.read_text("utf-8") == lines
    path.write_text(json.dumps({**outcome, "key": "other"}) + "\n" + lines, "utf-8")
    found = run(QUESTIONS[:1], RecordedPrograms(), results=path)
    assert (found.reused, found.unreadable) == (0, 6)
    assert run(QUESTIONS[:1], RecordedPrograms(), results=path).reused == 1
