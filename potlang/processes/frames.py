"""Messages between a worker and its parent: a length and a JSON object, over a pipe.

JSON and not a binary form: the worker runs native code over untrusted input, and a reader that
cannot be misled costs 10 ms on 3 MB of text, for which a solver needs some hundred.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

from potlang.engines.base import Answer, Objective, OptimizeAnswer, OptimizeQuery, Point, Query

Message = dict[str, Any]

HEADER: Final = struct.Struct(">I")
MAX_FRAME: Final = 1 << 30


class FrameError(Exception):
    """What came over the pipe is not a message."""


def encode(message: Message) -> bytes:
    """The message as one frame. Raises FrameError if it is beyond `MAX_FRAME` bytes."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME:
        raise FrameError("message too long")
    return HEADER.pack(len(body)) + body


def size(header: bytes) -> int:
    """The length of the body that follows these `HEADER.size` bytes."""
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME:
        raise FrameError("message too long")
    return int(length)


def decode(body: bytes | bytearray) -> Message:
    """A frame's body as a message. Raises FrameError if it is not a JSON object."""
    try:
        message = json.loads(body)
    except ValueError as error:
        raise FrameError("not JSON") from error
    if not isinstance(message, dict):
        raise FrameError("not an object")
    return message


def pack_query(query: Query | OptimizeQuery) -> Message:
    """A query as a message's content."""
    if isinstance(query, Query):
        return query._asdict()
    return {**query._asdict(), "objectives": [each._asdict() for each in query.objectives]}


def unpack_query(content: Message) -> Query:
    """The inverse of `pack_query` for a check."""
    values, assuming = tuple(content["values"]), tuple(content["assuming"])
    core, model = bool(content["core"]), bool(content["model"])
    return Query(content["text"], values, core, model, assuming, content["proof"])


def unpack_optimize(content: Message) -> OptimizeQuery:
    """The inverse of `pack_query` for an optimization."""
    return OptimizeQuery(
        content["text"],
        tuple(Objective(each["term"], each["maximize"]) for each in content["objectives"]),
        tuple(content["values"]),
        content["priority"],
        content["points"],
    )


def pack_answer(answer: Answer | OptimizeAnswer) -> Message:
    """An answer as a message's content."""
    if isinstance(answer, Answer):
        return answer._asdict()
    return {**answer._asdict(), "points": [each._asdict() for each in answer.points]}


def _texts(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def unpack_answer(content: Message) -> Answer:
    """The inverse of `pack_answer` for a check."""
    return Answer(
        content["status"],
        content["reason"],
        content["detail"],
        _texts(content["values"]),
        _texts(content["core"]),
        content["time_ms"],
        content["model"],
        content["proof"],
    )


def unpack_optimized(content: Message) -> OptimizeAnswer:
    """The inverse of `pack_answer` for an optimization."""
    return OptimizeAnswer(
        content["status"],
        content["reason"],
        content["detail"],
        tuple(Point(tuple(p["objectives"]), _texts(p["values"])) for p in content["points"]),
        content["complete"],
        tuple((lower, upper) for lower, upper in content["bounds"]),
        content["time_ms"],
    )
