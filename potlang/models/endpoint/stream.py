"""Reads the body of an answer: server-sent events or one JSON object, bounded ([ENDPOINT-STREAM]).

What the objects mean is for a `Dialect` to say, which puts what it finds into a `PartialAnswer`: whatever
ends the reading, that has all that came before.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from potlang.models.endpoint.model import Completion, EndpointError, Failure, Usage

_EXCERPT: Final = 200
_KEPT: Final = 100_000
"""Characters of a body without an answer in it that are kept."""
_DONE: Final = "[DONE]"
_EVENT_STARTS: Final = ("data:", "event:", ": ")


@dataclass
class PartialAnswer:
    """As much of an answer as has come. `finish` is None until its end is stated, `tools` counts calls."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    tools: int = 0
    usage: Usage = field(default_factory=Usage)
    finish: str | None = None
    model: str = ""
    cost: float | None = None
    body: list[bytes] = field(default_factory=list)
    """The pieces of a body that is no stream of events."""

    def completion(self, finish: str) -> Completion:
        """The answer so far, as one that ended so."""
        return Completion(
            "".join(self.text),
            self.usage,
            finish_reason=finish,
            reasoning="".join(self.reasoning),
            refusal="".join(self.refusal),
            arguments="".join(self.arguments),
            model=self.model,
            cost=self.cost,
        )

    def received(self, reason: Failure) -> Completion | None:
        """The answer that failed for this reason: as far as it was read, else the body; None for nothing."""
        found = self.completion(reason)
        if found.text or found.reasoning or found.arguments or found.usage != Usage():
            return found
        body = b"".join(self.body)[: 4 * _KEPT].decode("utf-8", "replace")[:_KEPT]
        return found._replace(text=body) if body else None


class Dialect(NamedTuple):
    """How an endpoint answers. Each function puts what an object says into the answer; raises EndpointError.

    `event`: the data of one event of a stream; `whole`: an answer in one piece.
    """

    event: Callable[[PartialAnswer, dict[str, Any]], None]
    whole: Callable[[PartialAnswer, dict[str, Any]], None]
    error: Callable[[Mapping[str, Any]], EndpointError]
    """The failure that an error in a body states."""


def read_answer(
    answer: PartialAnswer,
    chunks: Iterable[bytes],
    content_type: str,
    dialect: Dialect,
    limit: int,
    check_time: Callable[[], None],
) -> Completion:
    """The answer in a body. `limit` bounds its bytes; `check_time` is called for each piece and may raise.

    Raises EndpointError: "too large", "malformed", "cut off", and for an error that the body states.
    """
    pieces = _bounded(chunks, limit, check_time)
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return _from_events(answer, _events(_lines(pieces)), dialect)
    answer.body.extend(pieces)
    text = b"".join(answer.body).decode("utf-8-sig", "replace")
    if text.lstrip().startswith(_EVENT_STARTS):
        # Some servers call a stream JSON, or plain text.
        return _from_events(answer, _events(_lines([text.encode()])), dialect)
    dialect.whole(answer, read_object(text, dialect))
    return answer.completion(answer.finish or "stop")


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    flat = " ".join(text[: 2 * _EXCERPT].split())
    return flat if len(flat) <= _EXCERPT else f"{flat[:_EXCERPT]}…"


def read_object(text: str, dialect: Dialect) -> dict[str, Any]:
    """A JSON object of the protocol. Raises EndpointError for other text, and for an error in it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise EndpointError("malformed", f"no JSON: {excerpt(text)}") from None
    if not isinstance(value, dict):
        raise EndpointError("malformed", f"no JSON object: {excerpt(text)}")
    if value.get("error") is not None:
        raise dialect.error(value)
    return value


def count(value: Any) -> int | None:
    """A number of tokens; None for anything else."""
    return value if type(value) is int and value >= 0 else None


def _from_events(answer: PartialAnswer, events: Iterable[str], dialect: Dialect) -> Completion:
    for data in events:
        if data.strip() == _DONE:
            break
        dialect.event(answer, read_object(data, dialect))
    # Without a reason for its end a stream broke off, however much text came.
    if answer.finish is None:
        length = sum(map(len, answer.text))
        raise EndpointError("cut off", f"the stream ends after {length} characters of the answer")
    return answer.completion(answer.finish)


def _bounded(chunks: Iterable[bytes], limit: int, check_time: Callable[[], None]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        check_time()
        size += len(chunk)
        if size > limit:
            raise EndpointError("too large", f"the answer has more than {limit} bytes")
        yield chunk


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The complete lines of UTF-8 text, without their ends."""
    # Chunks end anywhere, also inside a character.
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    rest: list[str] = []
    for chunk in chunks:
        text = decoder.decode(chunk)
        *lines, tail = text.split("\n")
        for line in lines:
            yield ("".join(rest) + line).removesuffix("\r")
            rest.clear()
        rest.append(tail)


def _events(lines: Iterable[str]) -> Iterator[str]:
    """The data of each event; comments and other fields are passed over."""
    data: list[str] = []
    for line in lines:
        if not line:
            if data:
                yield "\n".join(data)
                data.clear()
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
