"""The result of reasoning about a question: verdict, votes, and the whole transcript.

The form is that of `schemas/reasoned-1.json`. Nothing here asks or decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from potlang.diag.wording import visible
from potlang.ir.module import Ask
from potlang.languages.pot.report import Report
from potlang.models.loop.asking import Attempt
from potlang.models.loop.results import Transcript, missing, sample_parts
from potlang.models.programs.consistency import ProseCheck
from potlang.report.results import AskOutcome, OptimizationStatus, Verdict

Answer = Verdict | OptimizationStatus
"""A verdict, or how the optimization of a program without claims ended."""


class Elected(NamedTuple):
    """A vote for an option, or, without one, the reason for which none is elected, in brackets."""

    label: str | None
    why: str = ""

    def __str__(self) -> str:
        return self.why if self.label is None else self.label


Ballot = Answer | Elected
"""The vote of a sample: its verdict, or an option."""


class ProgramSample(NamedTuple):
    """The attempts at one program, and the report on the `program` that stands, None if there is none.

    `around` is the prose around it in the reply. `at_odds`: it orders things against the words of the
    question ([ORDER-CONFLICT]).
    """

    attempts: tuple[Attempt, ...]
    report: Report | None = None
    program: str | None = None
    around: str = ""
    at_odds: bool = False

    @property
    def answer(self) -> Answer:
        """The report's verdict, `unknown` without one."""
        return Verdict.UNKNOWN if self.report is None else self.report.verdict

    @property
    def problem(self) -> str:
        """The reason for which there is no report; empty if there is one."""
        return missing(self.attempts, self.report)

    @property
    def claims(self) -> dict[str, Verdict]:
        """The verdicts of the verifications by name."""
        results = () if self.report is None else self.report.results
        return {each.name: each.verdict for each in results if each.kind == "verification"}

    def ballot(self, options: Sequence[str] = ()) -> Ballot:
        """The option that the program elects, of its own question or of these; without options its answer."""
        if self.report is None:
            return Verdict.UNKNOWN
        if elections := self.report.elections:
            first = elections[0]
            return Elected(None, f"({first.outcome})") if first.elected is None else Elected(first.elected)
        if not options:
            return self.answer
        outcomes = {each.name: each.outcome for each in self.report.results if each.name in options}
        holding = [name for name, outcome in outcomes.items() if outcome is AskOutcome.HOLDS]
        if len(holding) > 1:
            return Elected(None, "(several)")
        if AskOutcome.OPEN in outcomes.values():
            return Elected(None, "(open)")
        return Elected(holding[0]) if holding else Elected(None, "(none)")

    @property
    def asks(self) -> dict[str, Ask]:
        """The modes of verifications that are asked about otherwise than whether they must be true."""
        results = () if self.report is None else self.report.results
        return {each.name: each.ask for each in results if each.ask != "must"}

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "verdict": str(self.answer),
            "problem": self.problem,
            "program": self.program,
            **sample_parts("program", self.attempts, self.report),
        }


class Vote(NamedTuple):
    """An answer that most samples have, `unknown` where two have as many, and how many have which."""

    answer: Answer
    counts: dict[str, int]


class ReasonedValues(NamedTuple):
    """The answer to a question; `Reasoned` is this with its face.

    `verdict` and, of options, the `elected` one are those of most samples; `votes` counts them. `claims` has
    the votes on each verification of `chosen`, which is a sample with that answer, and of those the one that
    agrees in most claims; None after a tie. An unknown verdict has a `reason`.
    """

    question: str
    model: str
    system: str
    verdict: Answer
    elected: str | None
    reason: str
    votes: dict[str, int]
    claims: dict[str, Vote]
    chosen: ProgramSample | None
    samples: tuple[ProgramSample, ...]
    consistency: ProseCheck | None = None
    version: str = ""
    strategy: str = "plain"


class Reasoned(ReasonedValues, Transcript):
    """The answer to a question: the values of `ReasonedValues` with the face of `Transcript`."""

    __slots__ = ()

    @property
    def answer(self) -> str:
        """The option that is elected, or else the verdict."""
        return str(self.verdict) if self.elected is None else self.elected

    @property
    def report(self) -> Report | None:
        """The report on the chosen program."""
        return None if self.chosen is None else self.chosen.report

    @property
    def program(self) -> str | None:
        """The chosen program, as JSON text."""
        return None if self.chosen is None else self.chosen.program

    def to_dict(self) -> dict[str, Any]:
        """The whole transcript as JSON values, in the form of `schemas/reasoned-1.json`."""
        claims = {
            name: {"verdict": str(answer), "votes": votes} for name, (answer, votes) in self.claims.items()
        }
        return self._framed(
            "reasoned",
            {
                "strategy": self.strategy,
                "verdict": str(self.verdict),
                "elected": self.elected,
                "reason": self.reason,
                "votes": self.votes,
                "claims": claims,
                "consistency": None if self.consistency is None else self.consistency._asdict(),
            },
        )

    def _summary(self) -> Iterator[str]:
        if self.elected is not None:
            yield f"answer: {visible(self.elected)}"
        elif self.report is None or len(self.samples) > 1:
            yield f"verdict: {self.verdict}{f' ({visible(self.reason)})' if self.reason else ''}"
        if len(self.samples) > 1:
            yield f"votes: {_counts(self.votes)}"
            for name, vote in self.claims.items():
                yield f"  {visible(name) or 'claim'}: {vote.answer} ({_counts(vote.counts)})"
        if self.consistency is not None:
            yield f"prose: {self.consistency.status}: {visible(self.consistency.why)}"


def _counts(votes: dict[str, int]) -> str:
    return ", ".join(f"{count} {visible(name)}" for name, count in votes.items())
