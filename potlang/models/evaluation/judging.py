"""Outcomes as answers to their questions, as the paper reads them and by verdicts ([EVAL-READINGS])."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Final, NamedTuple

from potlang.models.evaluation.confusion import Counts
from potlang.models.evaluation.outcome import ClaimOutcome, QuestionOutcome
from potlang.models.evaluation.questions import Asks, Option, Question, Truth
from potlang.report.results import AskOutcome, Verdict


class AnswerReading(StrEnum):
    """The way from a program's result to an answer."""

    PAPER = "paper"
    """Assumptions and claim together: SAT is true, UNSAT is false."""
    VERDICT = "verdict"
    """Entailed is true, refuted is false, undetermined is uncertain; others are no answer."""


class Grade(StrEnum):
    """The grade of a question."""

    RIGHT = "right"
    WRONG = "wrong"
    ABSTAINED = "abstained"
    """It compiled, and gives no answer under the reading."""
    FAILED = "failed"
    """No attempt compiles."""


Answer = Truth | None
"""None: no answer."""
Case = tuple[Truth, Answer]
"""A claim: what is right, and what is answered."""

_PAPER: Final = {"SAT": Verdict.ENTAILED, "UNSAT": Verdict.REFUTED}
_TRUTH: Final = {
    Verdict.ENTAILED: Truth.TRUE,
    Verdict.REFUTED: Truth.FALSE,
    Verdict.UNDETERMINED: Truth.UNCERTAIN,
}
_CELLS: Final[dict[Case, str]] = {
    (Truth.TRUE, Truth.TRUE): "tp",
    (Truth.FALSE, Truth.TRUE): "fp",
    (Truth.TRUE, Truth.FALSE): "fn",
    (Truth.FALSE, Truth.FALSE): "tn",
    (Truth.UNCERTAIN, Truth.TRUE): "uncertain_as_true",
    (Truth.UNCERTAIN, Truth.FALSE): "uncertain_as_false",
}


class Graded(NamedTuple):
    """A question's status and claims under one reading. Of options each is a claim: one versus all."""

    status: Grade
    cases: tuple[Case, ...]

    def counts(self) -> Counts:
        """As numbers to be added up."""
        found = Counter(_CELLS.get(case, f"silent_{case[0]}") for case in self.cases)
        return Counts(**found, **{str(self.status): 1})


def judge(question: Question, outcome: QuestionOutcome, reading: AnswerReading) -> Graded:
    """The outcome under a reading. The question must have an answer ([EVAL-REJECT] has the others)."""
    assert question.answer is not None
    rights = [right for right, _ in question.claims()]
    if outcome.used is None:
        return Graded(Grade.FAILED, tuple((right, None) for right in rights))
    verdicts = [_verdict_read(outcome.claim(name), reading) for _, name in question.claims()]
    answers = [None if verdict is None else _TRUTH.get(verdict) for verdict in verdicts]
    if question.asks is Asks.YES_NO:
        # What is neither yes nor no is no answer to such a question.
        answers = [None if each is Truth.UNCERTAIN else each for each in answers]
    if question.options:
        # How the paper reads a program leaves no room for modes.
        by_mode = reading is AnswerReading.VERDICT
        found = [outcome.claim(each.verification) if by_mode else None for each in question.options]
        answers = [_choice(*each) for each in zip(question.options, verdicts, found, strict=True)]
        chosen = [
            each.label for each, answer in zip(question.options, answers, strict=True) if answer is Truth.TRUE
        ]
        # None chosen is no answer; several chosen are a wrong one.
        is_answered, is_right = bool(chosen), chosen == [question.answer]
    else:
        is_answered, is_right = answers != [None], answers == rights
    status = Grade.RIGHT if is_right else Grade.WRONG if is_answered else Grade.ABSTAINED
    return Graded(status, tuple(zip(rights, answers, strict=True)))


def _choice(option: Option, verdict: Verdict | None, claim: ClaimOutcome | None) -> Answer:
    """TRUE for an option that counts as chosen; None where its verification gives no answer."""
    if claim is not None and claim.outcome is not None:
        return {AskOutcome.HOLDS: Truth.TRUE, AskOutcome.FAILS: Truth.FALSE}.get(claim.outcome)
    if verdict is None or verdict not in _TRUTH:
        return None
    return Truth.TRUE if verdict in option.accept else Truth.FALSE


def _verdict_read(claim: ClaimOutcome | None, reading: AnswerReading) -> Verdict | None:
    """The verdict that a claim has; under the paper's reading the one that SAT or UNSAT is taken for."""
    if claim is None:
        return None
    if reading is AnswerReading.VERDICT:
        return claim.verdict
    return None if claim.paper is None else _PAPER[claim.paper]
