"""The result of solving a problem: report, answer, votes, and the whole transcript.

The form is that of `schemas/reasoned-solution-1.json`. Nothing here asks a model or a solver; answers are
compared by a judge that is handed in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from potlang.diag.wording import visible
from potlang.languages.dagmath.read.boxed import boxed_answer
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import SolutionVerdict
from potlang.languages.dagmath.solve.answers import AnswerJudge
from potlang.models.loop.asking import Attempt
from potlang.models.loop.results import Transcript, missing, nothing_written, sample_parts

_VERDICTS: Final = list(SolutionVerdict)
UNSOUND: Final = frozenset({SolutionVerdict.REFUTED, SolutionVerdict.INCONSISTENT})
"""Verdicts with which a solution has a vote only where no other has."""


class SolutionSample(NamedTuple):
    """The attempts at one solution, and the report on the one that stands, None if there is none."""

    attempts: tuple[Attempt, ...]
    report: SolutionReport | None = None

    @property
    def solution(self) -> str | None:
        """The solution that the report is on, as JSON text."""
        return None if self.report is None else self.report.document.text

    @property
    def verdict(self) -> SolutionVerdict:
        """That of the report, `unknown` without one."""
        return SolutionVerdict.UNKNOWN if self.report is None else self.report.verdict

    @property
    def answer(self) -> str | None:
        """The answer of the last step, from its box."""
        return None if self.report is None else boxed_answer(self.report.steps[-1].node)

    @property
    def problem(self) -> str:
        """The reason for which there is no solution; empty if there is one."""
        return missing(self.attempts, self.report)

    @property
    def rank(self) -> tuple[int, float]:
        """The place among others, the best first: by the verdict, then by the share of settled steps."""
        if self.report is None:
            return len(_VERDICTS), 0.0
        return _VERDICTS.index(self.report.verdict), -(self.report.checkable_share or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "problem": self.problem,
            "answer": self.answer,
            "solution": self.solution,
            **sample_parts("solution", self.attempts, self.report),
        }


class AnswerVotes(NamedTuple):
    """An answer as the first of its `samples` writes it; those are the numbers of all that give it."""

    answer: str
    samples: tuple[int, ...]


class SolutionElection(NamedTuple):
    """The result of a vote; the parts are those of `ReasonedSolution`."""

    chosen: SolutionSample | None
    votes: tuple[AnswerVotes, ...]
    reason: str = ""


def elect_answer(samples: Sequence[SolutionSample], judge: AnswerJudge) -> SolutionElection:
    """The best solution with the answer that most give; equal values are one answer ([LOOP-DAG-VOTE])."""
    sound = [at for at, each in enumerate(samples) if each.verdict not in UNSOUND]
    votes = _votes(samples, sound, judge) or _votes(samples, range(len(samples)), judge)
    if not votes:
        # Without an answer a solution can still be shown.
        chosen = min((each for each in samples if each.report is not None), key=_rank, default=None)
        last = samples[-1]
        nothing = nothing_written("solution", last.attempts, last.problem)
        return SolutionElection(chosen, (), nothing if chosen is None else "the solution gives no answer")
    best = [min((samples[at] for at in vote.samples), key=_rank) for vote in votes]
    places = [(-len(vote.samples), each.rank[0]) for vote, each in zip(votes, best, strict=True)]
    if places.count(min(places)) > 1:
        counts = ", ".join(f"{len(vote.samples)} {vote.answer}" for vote in votes)
        return SolutionElection(None, votes, f"the solutions do not agree: {counts}")
    return SolutionElection(best[places.index(min(places))], votes)


def _votes(
    samples: Sequence[SolutionSample], voting: Sequence[int], judge: AnswerJudge
) -> tuple[AnswerVotes, ...]:
    """The answers of the samples that vote, most votes first."""
    found: list[AnswerVotes] = []
    for at in voting:
        answer = samples[at].answer
        if not answer:
            continue
        same = next((i for i, each in enumerate(found) if judge.judge(answer, each.answer).correct), None)
        if same is None:
            found.append(AnswerVotes(answer, (at,)))
        else:
            found[same] = found[same]._replace(samples=(*found[same].samples, at))
    return tuple(sorted(found, key=lambda each: -len(each.samples)))


def _rank(sample: SolutionSample) -> tuple[int, float]:
    return sample.rank


class ReasonedSolutionValues(NamedTuple):
    """The answer to a problem by solutions; `ReasonedSolution` is this with its face.

    `chosen` is the best solution with the answer that has most `votes`; None where there is no solution, or
    answers have as many votes and are as well founded: then there is a `reason`. `question` is the problem.
    """

    question: str
    model: str
    system: str
    chosen: SolutionSample | None
    votes: tuple[AnswerVotes, ...]
    reason: str
    samples: tuple[SolutionSample, ...]
    version: str = ""


class ReasonedSolution(ReasonedSolutionValues, Transcript):
    """The answer by solutions: the values of `ReasonedSolutionValues` with the face of `Transcript`."""

    __slots__ = ()

    @property
    def report(self) -> SolutionReport | None:
        """The report on the chosen solution."""
        return None if self.chosen is None else self.chosen.report

    @property
    def solution(self) -> str | None:
        """The chosen solution, as JSON text."""
        return None if self.chosen is None else self.chosen.solution

    @property
    def answer(self) -> str | None:
        """The answer of the chosen solution; None without one."""
        return None if self.chosen is None else self.chosen.answer

    @property
    def verdict(self) -> SolutionVerdict:
        """The verdict on the chosen solution."""
        return SolutionVerdict.UNKNOWN if self.report is None else self.report.verdict

    def to_dict(self) -> dict[str, Any]:
        """The whole transcript as JSON values, in the form of `schemas/reasoned-solution-1.json`."""
        return self._framed(
            "reasoned-solution",
            {
                "verdict": str(self.verdict),
                "answer": self.answer,
                "reason": self.reason,
                "votes": [{"answer": each.answer, "samples": list(each.samples)} for each in self.votes],
            },
        )

    def _summary(self) -> Iterator[str]:
        if self.report is None:
            yield f"verdict: unknown ({visible(self.reason)})"
        if self.answer is not None:
            yield f"answer: {visible(self.answer)}"
        if len(self.samples) > 1:
            counts = (f"{len(each.samples)} {visible(each.answer)}" for each in self.votes)
            yield f"votes: {', '.join(counts) or 'none'}"
