"""Reads the body of a chat completion: server-sent events or one JSON object, bounded ([ENDPOINT-STREAM])."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from potlang.models.endpoint.model import Completion, EndpointError, Usage

_EXCERPT = 200
_DONE = "[DONE]"


def read_completion(
    chunks: Iterable[bytes], content_type: str, limit: int, check_time: Callable[[], None]
) -> Completion:
    """The answer in a body. `limit` bounds its bytes; `check_time` is called for each piece and may raise.

    Raises EndpointError: "too large", "malformed", "cut off", and "server" for an error that the body states.
    """
    pieces = _bounded(chunks, limit, check_time)
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return _from_events(_events(_lines(pieces)))
    return _from_object(b"".join(pieces))


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    flat = " ".join(text[: 2 * _EXCERPT].split())
    return flat if len(flat) <= _EXCERPT else f"{flat[:_EXCERPT]}…"


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


def _from_events(events: Iterable[str]) -> Completion:
    text: list[str] = []
    finish: str | None = None
    usage = Usage()
    for data in events:
        if data.strip() == _DONE:
            break
        value = _object(data)
        found = _usage(value)
        usage = found or usage
        # Some endpoints count tokens in an event of its own, without choices.
        choice = None if found is not None and value.get("choices") is None else _choice(value)
        if choice is None:
            continue
        delta = choice.get("delta")
        text.append(_text(delta.get("content")) if isinstance(delta, dict) else "")
        if isinstance(choice.get("finish_reason"), str):
            finish = choice["finish_reason"]
    # Without a reason for its end a stream broke off, however much text came.
    if finish is None:
        raise EndpointError(
            "cut off", f"the stream ends after {sum(map(len, text))} characters of the answer"
        )
    return Completion("".join(text), usage, finish_reason=finish)


def _from_object(body: bytes) -> Completion:
    value = _object(body.decode("utf-8-sig", "replace"))
    choice = _choice(value)
    message = choice.get("message") if choice is not None else None
    if choice is None or not isinstance(message, dict):
        raise EndpointError("malformed", "the answer has no choice with a message")
    finish = choice.get("finish_reason")
    return Completion(
        _text(message.get("content")),
        _usage(value) or Usage(),
        finish_reason=finish if isinstance(finish, str) else "stop",
    )


def _text(content: Any) -> str:
    """The text of a message or a piece of one: a string, null, or a list of parts, of which those count
    that are texts and no thoughts. Raises EndpointError for anything else.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise EndpointError("malformed", "the content of the message is no text")
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def _object(text: str) -> dict[str, Any]:
    """A JSON object of the protocol. Raises EndpointError for other text, and for an error in it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise EndpointError("malformed", f"no JSON: {excerpt(text)}") from None
    if not isinstance(value, dict):
        raise EndpointError("malformed", f"no JSON object: {excerpt(text)}")
    if (error := value.get("error")) is not None:
        message = error.get("message") if isinstance(error, dict) else error
        raise EndpointError("server", excerpt(str(message)))
    return value


def _choice(value: dict[str, Any]) -> dict[str, Any] | None:
    choices = value.get("choices")
    if not isinstance(choices, list):
        raise EndpointError("malformed", "no list of choices")
    first = choices[0] if choices else None
    return first if isinstance(first, dict) else None


def _usage(value: dict[str, Any]) -> Usage | None:
    found = value.get("usage")
    if not isinstance(found, dict):
        return None
    prompt, completion = found.get("prompt_tokens"), found.get("completion_tokens")
    return Usage(prompt if type(prompt) is int else None, completion if type(completion) is int else None)
