"""Runs an evaluation: outcomes for all questions, several at a time, those of earlier runs reused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from potlang.models.evaluation.outcomes import Outcome, Settings, find_outcome, key_of
from potlang.models.evaluation.questions import Question
from potlang.models.evaluation.reasoners import Reasoner
from potlang.models.evaluation.results import ResultsFile

USUAL = Settings()
Progress = Callable[[Outcome], object]


class Run(NamedTuple):
    """The outcomes in the order of the questions; `reused` of them were found in the results file.

    `unreadable` lines of that file were passed over.
    """

    outcomes: tuple[Outcome, ...]
    reused: int
    unreadable: int


def run(
    questions: Sequence[Question],
    reasoner: Reasoner,
    settings: Settings = USUAL,
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
    found: dict[str, Outcome] = {}
    with ResultsFile(results) as file:
        waiting: list[Question] = []
        for question in questions:
            known = file.find(key_of(question, reasoner, settings))
            if known is None or known.failure:
                waiting.append(question)
            else:
                found[question.id] = known
                if progress is not None:
                    progress(known)
        reused = len(found)

        def one(question: Question) -> Outcome:
            outcome = find_outcome(question, reasoner, settings)
            file.append(outcome)
            return outcome

        for outcome in _in_parallel(one, waiting, jobs):
            found[outcome.id] = outcome
            if progress is not None:
                progress(outcome)
    return Run(tuple(found[each.id] for each in questions), reused, file.unreadable)


def _in_parallel(
    work: Callable[[Question], Outcome], questions: Sequence[Question], jobs: int
) -> Iterator[Outcome]:
    """The outcomes as they come."""
    if jobs <= 1:
        yield from map(work, questions)
        return
    rest = iter(questions)
    with ThreadPoolExecutor(jobs, "evaluation") as pool:
        pending: set[Future[Outcome]] = set()
        try:
            while True:
                # Only as many as are worked on: whoever interrupts waits for these alone.
                while len(pending) < jobs and (question := next(rest, None)) is not None:
                    pending.add(pool.submit(work, question))
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for each in done:
                    yield each.result()
        finally:
            for each in pending:
                each.cancel()
