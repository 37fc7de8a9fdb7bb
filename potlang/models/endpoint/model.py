"""The interface of chat models: messages in, one text or an EndpointError out ([ENDPOINT-MODEL])."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol, TypedDict, Unpack
from urllib.parse import urlsplit

from potlang.utils.closing import Closing

Failure = Literal[
    "refused",
    "unauthorized",
    "not found",
    "rejected",
    "rate limit",
    "server",
    "timeout",
    "cut off",
    "malformed",
    "too large",
    "declined",
    "too long",
    "budget",
    "canceled",
]
"""The reasons of an EndpointError: nobody listens; the key is not accepted, or has no credit; no such path or
model, or it is elsewhere; the request is not accepted; too many requests; the server's own error; no answer
in time; the answer broke off; it is not of the protocol; it is longer than allowed; the model, or a filter,
refuses; the conversation is longer than the model takes; the budget of the run is used up; the request was
taken back."""

Role = Literal["system", "user", "assistant"]

IMAGE_TYPES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
LARGEST_IMAGE: Final = 20_000_000
"""Bytes of an image; providers take less or as much."""
_LONGEST_URL: Final = 8_000


class Settings(TypedDict, total=False):
    """Settings of one request. None, or left out: the model's own.

    `schema`: the answer is wanted as JSON of this schema; it may be something else all the same.
    `timeout`: seconds in all.
    """

    schema: Mapping[str, Any] | None
    temperature: float | None
    max_tokens: int | None
    timeout: float | None
    seed: int | None


def every_setting(given: Settings) -> dict[str, Any]:
    """The settings by name, None for those that are not given. Raises TypeError for one that there is not."""
    known = dict.fromkeys(Settings.__annotations__)
    if unknown := given.keys() - known.keys():
        raise TypeError(f"a request has no setting {min(unknown)!r}")
    return {**known, **given}


class Sampling(NamedTuple):
    """Settings of requests. `tries` bounds those for one accepted reply; None leaves a setting to the model.

    `seed`: that of the first try; each further one has the next.
    """

    tries: int = 5
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Image:
    """An image in a message: its bytes and their `media_type`, or a `url` from which the endpoint takes it.

    `name` is that of its file, for people: no endpoint is told. Raises ValueError for anything else, for
    other types than `IMAGE_TYPES` and for more than `LARGEST_IMAGE`.
    """

    data: bytes = field(default=b"", repr=False)
    media_type: str = ""
    url: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if self.url:
            parts = urlsplit(self.url)
            if self.data or parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("an image has bytes, or a URL http://… or https://…")
            if len(self.url) > _LONGEST_URL or not self.url.isprintable() or " " in self.url:
                raise ValueError("the URL of the image is none")
        elif not 0 < len(self.data) <= LARGEST_IMAGE:
            raise ValueError(f"an image has 1 to {LARGEST_IMAGE:,} bytes")
        elif self.media_type not in IMAGE_TYPES:
            raise ValueError(f"the media type of an image is one of {', '.join(IMAGE_TYPES)}")

    def to_dict(self, *, named: bool = False) -> dict[str, Any]:
        """The image as JSON values: its URL, or its size and the digest that tells it from others.

        If `named` is asked for, it has the name too, on which no answer depends.
        """
        if self.url:
            return {"type": "image", "url": self.url}
        digest = hashlib.sha256(self.data).hexdigest()
        found = {"type": "image", "media_type": self.media_type, "bytes": len(self.data), "sha256": digest}
        return {**found, "name": self.name} if named else found


Content = str | tuple[str | Image, ...]
"""A text, or texts and images in their order."""


class Message(NamedTuple):
    """One message of a conversation."""

    role: Role
    content: Content

    @property
    def text(self) -> str:
        """The text of the message; that of parts together, without images."""
        return self.content if isinstance(self.content, str) else "\n".join(self._texts())

    def _texts(self) -> list[str]:
        return [each for each in self.content if isinstance(each, str)]

    def to_dict(self, *, named: bool = False) -> dict[str, Any]:
        """The message as JSON values; of an image in it the digest alone, and its name if it is asked for."""
        if isinstance(self.content, str):
            return {"role": self.role, "content": self.content}
        return {
            "role": self.role,
            "content": [
                {"type": "text", "text": each} if isinstance(each, str) else each.to_dict(named=named)
                for each in self.content
            ],
        }


class Usage(NamedTuple):
    """Tokens, as far as the endpoint counts them.

    `cached`: those of the prompt that the endpoint had kept; `reasoning`: those of the completion that are
    thoughts.
    """

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    reasoning: int | None = None


class Completion(NamedTuple):
    """A model's answer. `finish_reason` is the endpoint's word: "stop", "length", "content_filter", …

    `seconds` covers all `tries`, the waits between them included. Beside the text there may be the thoughts
    before it (`reasoning`), why the model does not answer (`refusal`), and what it calls a tool with
    (`arguments`, JSON text). `model` is the one that the endpoint says it was, `cost` is in US dollars.
    `broken` are the answers of earlier tries that broke off, which may have been paid for; their
    `finish_reason` is the Failure. `from_cache`: nobody was asked now, the rest is as it was then.
    """

    text: str
    usage: Usage = Usage()
    seconds: float = 0.0
    finish_reason: str = "stop"
    tries: int = 1
    reasoning: str = ""
    refusal: str = ""
    arguments: str = ""
    model: str = ""
    cost: float | None = None
    broken: tuple[Completion, ...] = ()
    from_cache: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values, without what broke off before it, and whether it was kept."""
        value = {**self._asdict(), "usage": list(self.usage)}
        del value["broken"], value["from_cache"]
        return value

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Completion:
        """The answer of which `to_dict` made the value. Raises ValueError, TypeError or KeyError."""
        found = cls(**{**value, "usage": Usage(*value["usage"])})
        texts = (
            found.text,
            found.finish_reason,
            found.reasoning,
            found.refusal,
            found.arguments,
            found.model,
        )
        if not all(isinstance(each, str) for each in texts):
            raise TypeError("a text is none")
        counts = (*found.usage, found.tries)
        if not all(each is None or (isinstance(each, int) and each >= 0) for each in counts):
            raise ValueError("a count is none")
        amounts = (found.seconds, 0.0 if found.cost is None else found.cost)
        if not all(isinstance(each, int | float) and 0 <= each < math.inf for each in amounts):
            raise ValueError("seconds, or a cost, are none")
        return found


class EndpointError(Exception):
    """There is no answer. The message holds no key, and an excerpt of the endpoint's text at most.

    `received` is as much of an answer as came before it failed, `broken` that of earlier tries.
    """

    def __init__(
        self,
        reason: Failure,
        detail: str,
        *,
        tries: int = 1,
        seconds: float = 0.0,
        received: Completion | None = None,
        broken: tuple[Completion, ...] = (),
    ) -> None:
        self.reason: Failure = reason
        self.detail = detail
        self.tries = tries
        self.seconds = seconds
        self.received = received
        self.broken = broken
        super().__init__(f"{reason}: {detail}" if detail else reason)


class Model(Protocol):
    """A language model, as a service or a double: it completes conversations."""

    @property
    def name(self) -> str:
        """The model's name."""

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The next message. Raises EndpointError."""


class WrappedModel(Closing):
    """A model around another one, which it closes. `place` and `notes` are as in `Endpoint`."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def inner(self) -> Model:
        """The model that is wrapped."""
        return self._model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def place(self) -> str:
        """All that an answer depends on beside the model's name and the request; empty if it is not known."""
        return str(getattr(self._model, "place", ""))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the answers so far, for whoever asked."""
        return tuple(getattr(self._model, "notes", ()))

    def close(self) -> None:
        """Close the model, if it is to be closed."""
        if isinstance(self._model, Closing):
            self._model.close()


def system(content: str) -> Message:
    """A message that instructs."""
    return Message("system", content)


def user(content: Content) -> Message:
    """A message that asks."""
    return Message("user", content)


def assistant(content: str) -> Message:
    """An earlier answer of the model."""
    return Message("assistant", content)
