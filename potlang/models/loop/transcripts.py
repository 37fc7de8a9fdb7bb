"""Reads transcripts: the JSON that `reason` writes, of programs, traces and solutions ([VIEW-TRANSCRIPT]).

Nothing but its kind is taken for granted: what is of another type than it should be is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from potlang.models.endpoint import Message
from potlang.models.loop.asking import Attempt

_WRITTEN: Final = {"reasoned": "program", "reasoned-trace": "trace", "reasoned-solution": "solution"}
"""The kinds of transcripts, and what was written in each."""
_KINDS: Final = tuple(f'"{kind}"'.encode() for kind in _WRITTEN)
_FINDINGS: Final = (("results", "name", "reason"), ("nodes", "id", "proposition"), ("steps", "id", "node"))
"""Lists in reports, and what their items are called and say."""
_MOST_SAMPLES: Final = 100
_MOST_ATTEMPTS: Final = 100


class BadTranscript(ValueError):
    """JSON that says it is a transcript and has no samples."""


class VoteCount(NamedTuple):
    """How many samples vote for what."""

    name: str
    votes: int


class ReportedVerdict(NamedTuple):
    """A verdict in a report: on a claim, a node or a step, which `says` something."""

    name: str
    verdict: str
    says: str


class ReadSample(NamedTuple):
    """A sample: its attempts, what stands in the end, and what the report on that has."""

    attempts: tuple[Attempt, ...]
    written: str
    verdict: str
    problem: str
    findings: tuple[ReportedVerdict, ...]


class ReadTranscript(NamedTuple):
    """A transcript of a program, a trace, a solution or an answer: that is `written`.

    `chosen` is the number of a sample. `expected` is a sentence on the right answer, where it is known.
    """

    written: str
    question: str
    model: str
    system: str
    verdict: str
    answer: str
    reason: str
    established: bool | None
    votes: tuple[VoteCount, ...]
    prose: str
    chosen: int | None
    samples: tuple[ReadSample, ...]
    version: str
    expected: str = ""

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts, in order."""
        return tuple(each for sample in self.samples for each in sample.attempts)


def transcript_value(data: bytes) -> dict[str, Any] | None:
    """The JSON value of a text that is a transcript by its `kind`; None for all else."""
    if not any(kind in data for kind in _KINDS) or data.lstrip()[:1] != b"{":
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("kind") in tuple(_WRITTEN) else None


def read_transcript(value: Mapping[str, Any]) -> ReadTranscript:
    """A transcript from its JSON value. Raises BadTranscript."""
    written = _WRITTEN.get(_text(value.get("kind")), "")
    samples = [each for each in _list(value.get("samples")) if isinstance(each, dict)][:_MOST_SAMPLES]
    if not written or not samples:
        raise BadTranscript("there are no samples in this transcript")
    chosen = value.get("chosen")
    established = value.get("established")
    prose = value.get("consistency")
    return ReadTranscript(
        written,
        _text(value.get("question")),
        _text(value.get("model")),
        _text(value.get("system")),
        _text(value.get("verdict")) or "unknown",
        _answer(value),
        _text(value.get("reason")),
        established if isinstance(established, bool) else None,
        _votes(value.get("votes")),
        f"{_text(prose.get('status'))}: {_text(prose.get('why'))}" if isinstance(prose, dict) else "",
        chosen if type(chosen) is int and 0 <= chosen < len(samples) else None,
        tuple(_sample(each, written) for each in samples),
        _text(value.get("potlang")),
    )


def _answer(value: Mapping[str, Any]) -> str:
    """The option that is elected, what the last summarizer states, or the content of the box."""
    found = value.get("answer", value.get("elected"))
    if isinstance(found, dict):
        return _text(found.get("proposition")) or _text(found.get("text"))
    return _text(found)


def _votes(value: Any) -> tuple[VoteCount, ...]:
    if isinstance(value, dict):
        found = [VoteCount(name, _count(count) or 0) for name, count in value.items()]
    else:
        lists = [each for each in _list(value) if isinstance(each, dict)]
        found = [VoteCount(_text(each.get("answer")), len(_list(each.get("samples")))) for each in lists]
    return tuple(found[:_MOST_SAMPLES])


def _sample(value: Mapping[str, Any], written: str) -> ReadSample:
    attempts = [each for each in _list(value.get("attempts")) if isinstance(each, dict)][:_MOST_ATTEMPTS]
    report = value.get("report")
    return ReadSample(
        tuple(_attempt(each, written) for each in attempts),
        _text(value.get(written)),
        _text(report.get("verdict")) if isinstance(report, dict) else "unknown",
        _text(value.get("problem")),
        _findings(report) if isinstance(report, dict) else (),
    )


def _attempt(value: Mapping[str, Any], written: str) -> Attempt:
    diagnostics = (each for each in _list(value.get("diagnostics")) if isinstance(each, dict))
    failure: Any = _text(value.get("failure")) or None
    part: Any = _text(value.get("part")) or "text"
    found = value.get(written)
    return Attempt(
        tuple(_message(each) for each in _list(value.get("messages")) if isinstance(each, dict)),
        structured=value.get("structured") is True,
        reply=_text(value.get("reply")),
        program=found if isinstance(found, str) else None,
        diagnostics=tuple(map(_diagnostic, diagnostics)),
        problem=_text(value.get("problem")),
        failure=failure,
        finish_reason=_text(value.get("finish_reason")),
        seconds=_number(value.get("seconds")) or 0.0,
        tries=_count(value.get("tries")) or 1,
        prompt_tokens=_count(value.get("prompt_tokens")),
        completion_tokens=_count(value.get("completion_tokens")),
        stage=_text(value.get("stage")) or written,
        part=part,
        mended=_count(value.get("mended")) or 0,
        reasoning=_text(value.get("reasoning")),
        arguments=_text(value.get("arguments")),
        answered_by=_text(value.get("answered_by")),
        cached_tokens=_count(value.get("cached_tokens")),
        reasoning_tokens=_count(value.get("reasoning_tokens")),
        cost=_number(value.get("cost")),
        from_cache=value.get("from_cache") is True,
    )


def _message(value: Mapping[str, Any]) -> Message:
    role: Any = _text(value.get("role"))
    content = value.get("content")
    parts = [each for each in _list(content) if isinstance(each, dict)]
    # Of an image there is no more than its name.
    texts = [_text(each.get("text")) or f"[{_text(each.get('type'))}]" for each in parts]
    return Message(role, _text(content) or "\n".join(texts))


def _diagnostic(value: Mapping[str, Any]) -> dict[str, Any]:
    """A diagnostic as pages show it."""
    return {
        **{name: _text(value.get(name)) for name in ("code", "severity", "message", "pointer")},
        **{name: _count(value.get(name)) for name in ("line", "column")},
        **{name: [_text(each) for each in _list(value.get(name))] for name in ("notes", "helps")},
    }


def _findings(report: Mapping[str, Any]) -> tuple[ReportedVerdict, ...]:
    """The results of a program, the nodes of a trace, the steps of a solution."""
    for part, name, said in (
        ("results", "name", ""),
        ("nodes", "id", "proposition"),
        ("steps", "id", "node"),
    ):
        if isinstance(report.get(part), list):
            rows = [each for each in report[part] if isinstance(each, dict)]
            return tuple(
                ReportedVerdict(_name(each.get(name)), _verdict(each), _text(each.get(said))) for each in rows
            )
    return ()


def _verdict(value: Mapping[str, Any]) -> str:
    result = value.get("result")
    return _text(value.get("verdict")) or (_text(result.get("verdict")) if isinstance(result, dict) else "")


def _name(value: Any) -> str:
    return str(value) if type(value) is int else _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 53 else None


def _number(value: Any) -> float | None:
    fits = type(value) in (int, float) and math.isfinite(value) and value >= 0
    return float(value) if fits else None
