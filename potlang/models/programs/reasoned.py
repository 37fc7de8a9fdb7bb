"""The result of reasoning about a question: verdict, votes, and the whole transcript.

The form is that of `schemas/reasoned-1.json`. Nothing here asks or decides.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args

from potlang.diag.wording import counted, visible
from potlang.ir.module import Ask
from potlang.languages.pot.report import Report
from potlang.models.endpoint import Failure, Message
from potlang.models.endpoint.model import Role
from potlang.models.loop.asking import Attempt
from potlang.models.loop.sampler import Attempted
from potlang.models.programs.consistency import ProseCheck
from potlang.report.results import AskOutcome, OptimizationStatus, Verdict
from potlang.utils.serialize import json_text

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


def attempt_to_dict(attempt: Attempt) -> dict[str, Any]:
    """An attempt as JSON values, in the form of `schemas/reasoned-1.json`."""
    found = attempt._asdict()
    # All attempts of a transcript are of one model.
    del found["model"]
    messages = [each.to_dict(named=True) for each in attempt.messages]
    return {
        **found,
        "messages": messages,
        "diagnostics": list(attempt.diagnostics),
        "seconds": round(attempt.seconds, 3),
    }


_COUNTS: Final = (
    "tries",
    "mended",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
)
_TEXTS: Final = (
    "reply",
    "problem",
    "finish_reason",
    "stage",
    "part",
    "reasoning",
    "arguments",
    "answered_by",
)


def attempt_from_dict(value: Mapping[str, Any], model: str) -> Attempt:
    """The attempt of which `attempt_to_dict` made the value. Raises ValueError, TypeError or KeyError."""
    messages = tuple(map(_message, value["messages"]))
    parts = {**value, "messages": messages, "diagnostics": tuple(value["diagnostics"]), "model": model}
    found = Attempt(**parts)
    if not all(isinstance(getattr(found, name), str) for name in _TEXTS):
        raise TypeError("a text is none")
    counts = [getattr(found, name) for name in _COUNTS]
    if not all(each is None or (isinstance(each, int) and each >= 0) for each in counts):
        raise ValueError("a count is none")
    amounts = [found.seconds, 0.0 if found.cost is None else found.cost]
    if not all(isinstance(each, int | float) and 0 <= each < math.inf for each in amounts):
        raise ValueError("seconds, or a cost, are none")
    if found.failure is not None and found.failure not in get_args(Failure):
        raise ValueError("not a failure")
    return found


def _message(value: Mapping[str, Any]) -> Message:
    """A message of a transcript, which has the texts of it and no images."""
    role, content = value["role"], value["content"]
    if role not in get_args(Role):
        raise ValueError("not a role")
    if isinstance(content, str):
        return Message(role, content)
    return Message(role, tuple(str(each["text"]) for each in content if each["type"] == "text"))


class ProgramSample(NamedTuple):
    """The attempts at one program, and the report on the `program` that stands, None if there is none.

    `around` is the prose around it in the reply.
    """

    attempts: tuple[Attempt, ...]
    report: Report | None = None
    program: str | None = None
    around: str = ""

    @property
    def answer(self) -> Answer:
        """The report's verdict, `unknown` without one."""
        return Verdict.UNKNOWN if self.report is None else self.report.verdict

    @property
    def problem(self) -> str:
        """The reason for which there is no report; empty if there is one."""
        if self.report is not None:
            return ""
        return self.attempts[-1].problem if self.attempts else "nothing was asked"

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
            "attempts": [attempt_to_dict(each) for each in self.attempts],
            "report": None if self.report is None else self.report.to_dict(),
        }


class Vote(NamedTuple):
    """An answer that most samples have, `unknown` where two have as many, and how many have which."""

    answer: Answer
    counts: dict[str, int]


class Totals(NamedTuple):
    """The cost. Tokens are None where no reply counts them."""

    calls: int
    seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None


def totals_of(attempts: Sequence[Attempt]) -> Totals:
    """The cost of some attempts."""
    return Totals(
        len(attempts),
        sum(each.seconds for each in attempts),
        _sum(each.prompt_tokens for each in attempts),
        _sum(each.completion_tokens for each in attempts),
    )


def cost_line(totals: Totals, model: str) -> str:
    """Calls, seconds and tokens as a line of text."""
    calls, seconds, prompt, completion = totals
    tokens = "" if prompt is None and completion is None else f", {prompt or 0} + {completion or 0} tokens"
    return f"{counted(calls, 'call')} of {visible(model)}, {seconds:.1f} s{tokens}"


def nothing_written(kind: str, attempts: Sequence[Attempt], problem: str) -> str:
    """The reason for an unknown verdict where no reply had a program, or a trace, that was accepted."""
    replies = sum(each.failure is None for each in attempts)
    return f"no {kind} after {counted(replies, 'reply', 'replies')}: {problem}"


class Transcript(ABC):
    """The face of what every `reason` gives: all that was asked, its cost, its JSON form, its text."""

    __slots__ = ()

    @property
    @abstractmethod
    def model(self) -> str:
        """The name of the model."""

    @property
    @abstractmethod
    def samples(self) -> tuple[Attempted, ...]:
        """The samples, one by one."""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts, in order."""
        return tuple(each for sample in self.samples for each in sample.attempts)

    @property
    def failure(self) -> Failure | None:
        """The endpoint's reason if it ended the last sample."""
        return self.attempts[-1].failure if self.attempts else None

    @property
    def totals(self) -> Totals:
        """Calls, seconds and tokens of all attempts."""
        return totals_of(self.attempts)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole transcript as JSON values."""

    def to_json(self) -> str:
        """`to_dict` as text; characters that cannot be seen are escapes ([REPORT-JSON])."""
        return json_text(self.to_dict())

    @abstractmethod
    def render(self, *, color: bool = False) -> str:
        """The report on what was chosen and the cost, as lines of text."""

    def __str__(self) -> str:
        return self.render()

    def _number_of(self, chosen: Attempted | None) -> int | None:
        """The number of a sample, from 0."""
        return next((at for at, each in enumerate(self.samples) if each is chosen), None)

    def _totals_to_dict(self) -> dict[str, Any]:
        return {**self.totals._asdict(), "seconds": round(self.totals.seconds, 3)}


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
        return {
            "potlang": self.version,
            "kind": "reasoned",
            "question": self.question,
            "model": self.model,
            "strategy": self.strategy,
            "verdict": str(self.verdict),
            "elected": self.elected,
            "reason": self.reason,
            "votes": self.votes,
            "claims": {
                name: {"verdict": str(answer), "votes": counts}
                for name, (answer, counts) in self.claims.items()
            },
            "chosen": self._number_of(self.chosen),
            "consistency": None if self.consistency is None else self.consistency._asdict(),
            "system": self.system,
            "samples": [each.to_dict() for each in self.samples],
            "totals": self._totals_to_dict(),
        }

    def render(self, *, color: bool = False) -> str:
        """The report on the chosen program, the votes, the consistency and the cost, as lines of text."""
        lines = [] if self.report is None else [self.report.render(color=color), ""]
        return "\n".join([*lines, *_summary(self)]) + "\n"


def _summary(found: Reasoned) -> Iterator[str]:
    if found.elected is not None:
        yield f"answer: {visible(found.elected)}"
    elif found.report is None or len(found.samples) > 1:
        yield f"verdict: {found.verdict}{f' ({visible(found.reason)})' if found.reason else ''}"
    if len(found.samples) > 1:
        yield f"votes: {_counts(found.votes)}"
        for name, vote in found.claims.items():
            yield f"  {visible(name) or 'claim'}: {vote.answer} ({_counts(vote.counts)})"
    if found.consistency is not None:
        yield f"prose: {found.consistency.status}: {visible(found.consistency.why)}"
    yield cost_line(found.totals, found.model)


def _counts(votes: dict[str, int]) -> str:
    return ", ".join(f"{count} {visible(name)}" for name, count in votes.items())


def _sum(counts: Iterator[int | None]) -> int | None:
    known = [each for each in counts if each is not None]
    return sum(known) if known else None
