"""Shared parts of the results of the three loops: attempts as JSON, the cost, the face of a transcript."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, get_args

from potlang.diag.wording import counted, visible
from potlang.models.endpoint import Failure, Message
from potlang.models.endpoint.model import Role
from potlang.models.loop.asking import Attempt
from potlang.models.loop.sampler import Attempted
from potlang.utils.serialize import json_text


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


class Reported(Protocol):
    """A report, of any language."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""

    def render(self, *, color: bool = False) -> str:
        """As text."""


def sample_parts(
    written: Literal["program", "trace", "solution"], attempts: Sequence[Attempt], report: Reported | None
) -> dict[str, Any]:
    """The attempts and the report of a sample as JSON values; what was `written` has its name in them."""
    found = [attempt_to_dict(each) for each in attempts]
    for each in found:
        each[written] = each.pop("program")
    return {"attempts": found, "report": None if report is None else report.to_dict()}


def missing(attempts: Sequence[Attempt], report: Reported | None) -> str:
    """The reason for which a sample has no report; empty if it has one."""
    if report is not None:
        return ""
    return attempts[-1].problem if attempts else "nothing was asked"


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


class SampledReplies(ABC):
    """The replies of a model that was asked several times, with their cost, its JSON form and its text."""

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

    @property
    def _totals_as_json(self) -> dict[str, Any]:
        return {**self.totals._asdict(), "seconds": round(self.totals.seconds, 3)}

    @abstractmethod
    def render(self, *, color: bool = False) -> str:
        """As lines of text."""

    def __str__(self) -> str:
        return self.render()


class Transcript(SampledReplies):
    """The face of what every `reason` gives: all that was asked, and the report on what was chosen."""

    __slots__ = ()

    @property
    @abstractmethod
    def question(self) -> str:
        """The question as it was put."""

    @property
    @abstractmethod
    def system(self) -> str:
        """The system message."""

    @property
    @abstractmethod
    def version(self) -> str:
        """The version of potlang that asked."""

    @property
    @abstractmethod
    def chosen(self) -> Attempted | None:
        """The sample that stands for all, if there is one."""

    @property
    @abstractmethod
    def report(self) -> Reported | None:
        """The report on what was chosen."""

    def render(self, *, color: bool = False) -> str:
        """The report on what was chosen, and lines on the answer and the cost."""
        lines = [] if self.report is None else [self.report.render(color=color), ""]
        return "\n".join([*lines, *self._summary(), cost_line(self.totals, self.model)]) + "\n"

    @abstractmethod
    def _summary(self) -> Iterator[str]:
        """The lines below the report."""

    def _framed(self, kind: str, parts: dict[str, Any]) -> dict[str, Any]:
        """The JSON values of a transcript: `parts` are those that other kinds do not have."""
        number = next((at for at, each in enumerate(self.samples) if each is self.chosen), None)
        return {
            "potlang": self.version,
            "kind": kind,
            "question": self.question,
            "model": self.model,
            **parts,
            "chosen": number,
            "system": self.system,
            "samples": [each.to_dict() for each in self.samples],
            "totals": self._totals_as_json,
        }


def _sum(counts: Iterator[int | None]) -> int | None:
    known = [each for each in counts if each is not None]
    return sum(known) if known else None
