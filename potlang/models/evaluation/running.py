"""Runs an evaluation: outcomes for all questions, several at a time, those of earlier runs reused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from potlang.languages.dagmath.read.samples import LINE_LIMITS
from potlang.models.evaluation.outcomes import QuestionOutcome, SolverSettings, find_outcome, key_of
from potlang.models.evaluation.questions import Question
from potlang.models.evaluation.reasoners import Reasoner
from potlang.models.journal import Journal, in_parallel

USUAL = SolverSettings()
Progress = Callable[[QuestionOutcome], object]


class Run(NamedTuple):
    """The outcomes in the order of the questions; `reused` of them were found in the results file.

    `unreadable` lines of that file were passed over.
    """

    outcomes: tuple[QuestionOutcome, ...]
    reused: int
    unreadable: int


def run(
    questions: Sequence[Question],
    reasoner: Reasoner,
    settings: SolverSettings = USUAL,
    *,
    results: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Run:
    """Outcomes for questions with different ids, `jobs` at a time.

    Each is appended to `results` as it comes; one that is there already, of the same question, attempts,
    settings and versions, is taken from there, unless a call failed. `progress` is called for each in
    the caller's thread. Raises OSError for the results file.
    """
    found: dict[str, QuestionOutcome] = {}
    with Journal(results, _entry, limits=LINE_LIMITS) as file:
        waiting: list[Question] = []
        for question in questions:
            known = file.entries.get(key_of(question, reasoner, settings))
            if known is None or known.failure:
                waiting.append(question)
            else:
                found[question.id] = known
                if progress is not None:
                    progress(known)
        reused = len(found)

        def one(question: Question) -> QuestionOutcome:
            outcome = find_outcome(question, reasoner, settings)
            # In the worker: it is kept even if the run is interrupted before the result is taken.
            file.append(outcome.key, outcome, outcome.to_dict())
            return outcome

        for outcome in in_parallel(one, waiting, jobs):
            found[outcome.id] = outcome
            if progress is not None:
                progress(outcome)
    return Run(tuple(found[each.id] for each in questions), reused, file.unreadable)


def _entry(value: Any) -> tuple[str, QuestionOutcome]:
    outcome = QuestionOutcome.from_dict(value)
    return outcome.key, outcome
