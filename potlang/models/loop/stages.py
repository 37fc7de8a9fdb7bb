"""Stages before a program is written, or instead of one: one prompt each, until its reply is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, NamedTuple, Protocol

from potlang.models.endpoint import Completion, Message, assistant, user
from potlang.models.loop.asking import ASKED_AGAIN, Found, RetryLoop, ended
from potlang.models.replies.extract import BadReply, behind_thoughts

_LONGEST_REPEATED: Final = 2_000


class AsksForSchemas(Protocol):
    """Whoever keeps whether JSON of a schema is asked for; off once an endpoint does not accept that."""

    structured: bool


class StageRequest(NamedTuple, Generic[Found]):
    """The request of a stage.

    `read` finds it in the text of a reply, or raises BadReply. `again` is said to a model whose reply was
    not read; `schema` is that of the JSON that is wanted, if it is JSON.
    """

    prompt: Message
    read: Callable[[str], Found]
    again: str
    schema: Mapping[str, Any] | None = None


class StageConversation(Generic[Found]):
    """A prompt, and the rounds until a reply to it is read: a `Conversation`."""

    def __init__(
        self, system: str, asked: StageRequest[Found], schemas: AsksForSchemas, asker: RetryLoop
    ) -> None:
        self.system = system
        self.messages: tuple[Message, ...] = (asked.prompt,)
        self._asked = asked
        self._schemas = schemas
        self._asker = asker

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of a reply, unless the endpoint does not accept one."""
        return self._asked.schema if self._schemas.structured else None

    def read(self, done: Completion) -> Found:
        """The part of the reply that is asked for, behind its thoughts. Raises BadReply."""
        # Some models put all of it beside the text.
        parts = map(behind_thoughts, (done.text, done.arguments, done.reasoning))
        text = next(filter(str.strip, parts), "")
        if not text:
            raise BadReply(ended("the reply is empty", done))
        try:
            return self._asked.read(text)
        except BadReply as error:
            raise BadReply(ended(str(error), done)) from error

    def go_on(self) -> None:
        """Shows the model its last reply and what is wrong with it."""
        last = self._asker.attempts[-1]
        if last.failure in ASKED_AGAIN:
            return
        shown = assistant(last.reply[-_LONGEST_REPEATED:] or "…")
        said = user(f"This is not accepted: {last.problem}. {self._asked.again}")
        self.messages = (self._asked.prompt, shown, said)

    def without_schema(self) -> bool:
        """Asks for no schema from now on; False where it did not before."""
        before = self._asked.schema is not None and self._schemas.structured
        self._schemas.structured = False
        return before
