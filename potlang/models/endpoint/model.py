"""The interface of chat models: messages in, one text or an EndpointError out ([ENDPOINT-MODEL])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypedDict, Unpack

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
]
"""The reasons of an EndpointError: nobody listens; the key is not accepted; no such path or model, or it is
elsewhere; the request is not accepted; too many requests; the server's own error; no answer in time; the
answer broke off; it is not of the protocol; it is longer than allowed; the model, or a filter, refuses."""

Role = Literal["system", "user", "assistant"]


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


class Message(NamedTuple):
    """One message of a conversation."""

    role: Role
    content: str


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


class EndpointError(Exception):
    """There is no answer. The message holds no key, and an excerpt of the endpoint's text at most."""

    def __init__(self, reason: Failure, detail: str, *, tries: int = 1, seconds: float = 0.0) -> None:
        self.reason: Failure = reason
        self.detail = detail
        self.tries = tries
        self.seconds = seconds
        super().__init__(f"{reason}: {detail}" if detail else reason)


class Model(Protocol):
    """A language model, as a service or a double: it completes conversations."""

    @property
    def name(self) -> str:
        """The model's name."""

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The next message. Raises EndpointError."""


def system(content: str) -> Message:
    """A message that instructs."""
    return Message("system", content)


def user(content: str) -> Message:
    """A message that asks."""
    return Message("user", content)


def assistant(content: str) -> Message:
    """An earlier answer of the model."""
    return Message("assistant", content)
