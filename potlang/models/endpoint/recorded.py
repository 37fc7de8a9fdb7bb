"""A model that plays answers back, in this process ([ENDPOINT-RECORDED])."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple, Unpack

from potlang.models.endpoint.model import Completion, EndpointError, Message, Settings, every_setting

Reply = str | Completion | EndpointError
Replies = Iterable[Reply] | Mapping[str, Reply] | Callable[[Sequence[Message]], Reply]


class RecordingEnded(LookupError):
    """There is no recorded answer for this conversation."""


class RecordedRequest(NamedTuple):
    """One request that was made."""

    messages: tuple[Message, ...]
    settings: Mapping[str, Any]


class Recorded:
    """Plays `replies`: one after the other; by the text of the last message; or by a function.

    A reply that is an `EndpointError` is raised. `asked` are the requests so far. Raises RecordingEnded
    where there is no answer.
    """

    def __init__(self, replies: Replies, *, name: str = "recorded") -> None:
        self.name = name
        self.asked: list[RecordedRequest] = []
        self._lock = Lock()
        self._answer: Callable[[Sequence[Message]], Reply]
        if isinstance(replies, Mapping):
            self._answer = lambda messages: _known(replies, messages)
        elif callable(replies):
            self._answer = replies
        else:
            rest = iter(replies)
            self._answer = lambda messages: _next(rest)

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The recorded answer. Raises EndpointError where that is recorded, and RecordingEnded."""
        request = RecordedRequest(tuple(messages), every_setting(settings))
        # Evaluations ask from several threads; replies and records must stay in step.
        with self._lock:
            self.asked.append(request)
            reply = self._answer(messages)
        if isinstance(reply, EndpointError):
            raise reply
        return Completion(reply) if isinstance(reply, str) else reply


def _known(replies: Mapping[str, Reply], messages: Sequence[Message]) -> Reply:
    try:
        return replies[messages[-1].text]
    except (KeyError, IndexError):
        raise RecordingEnded("no answer is recorded for this message") from None


def _next(rest: Any) -> Reply:
    try:
        reply: Reply = next(rest)
    except StopIteration:
        raise RecordingEnded("no further answer is recorded") from None
    return reply
