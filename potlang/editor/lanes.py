"""The children that answer for the server, one question at a time; one that is lost is replaced."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Final

from potlang.processes.frames import Message
from potlang.processes.process import Command, Died, Process
from potlang.utils.deadline import Deadline

MEMORY_MB: Final = 1_024
"""Of a child beyond its size when it starts."""
_COMMAND: Final[Command] = ("potlang.editor.desk:desk",)
_RETIRED_MB: Final = 768
"""Resident megabytes from which on a child is replaced after its answer."""
_MOST_KNOWN: Final = 64


class Outdated(Exception):
    """The text has changed since the question: nobody waits for the answer any more."""


class ChildLost(Exception):
    """The child has died of a question; the text says of what."""


class AskedText:
    """A text as the server has it: what a question is about."""

    __slots__ = ("encoding", "is_current", "language", "text", "uri", "version")

    def __init__(
        self, uri: str, version: int, text: str, language: str, encoding: str, is_current: Callable[[], bool]
    ) -> None:
        self.uri = uri
        self.version = version
        self.text = text
        self.language = language
        self.encoding = encoding
        self.is_current = is_current
        """Whether this is still the newest version."""


class Lane:
    """One child and its questions in a row. After the `seconds` of a question the child is ended."""

    def __init__(self, seconds: float, directories: tuple[str, ...] = ()) -> None:
        self._seconds = seconds
        self._command: Command = (*_COMMAND, *directories)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="potlang-editor")
        self._lock = Lock()
        self._closed = False
        self._known: OrderedDict[str, int] = OrderedDict()
        self._process = Process(self._command)

    async def ask(self, subject: AskedText, question: Message) -> Any:
        """The answer. Raises `Outdated`, `ChildLost`, and `Refused` in whose words it is not answered."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._answered, subject, question)

    def close(self) -> None:
        """Ends the child, at work or not."""
        with self._lock:
            self._closed = True
            self._process.kill_from_outside()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # --- in the thread of the lane -----------------------------------------------------------------

    def _answered(self, subject: AskedText, question: Message) -> Any:
        if not subject.is_current():
            raise Outdated
        try:
            answer = self._exchange(subject, question)
        except TimeoutError:
            self._replace()
            raise ChildLost(f"no answer within {self._seconds:g} s") from None
        except Died as died:
            self._replace()
            raise ChildLost(died.detail) from None
        if "refused" in answer:
            raise Refused(answer["refused"])
        if self._process.peak >= _RETIRED_MB:
            self._replace()
        return answer["found"]

    def _exchange(self, subject: AskedText, question: Message) -> Message:
        process = self._process
        process.handshake()
        process.memory = MEMORY_MB
        is_known = self._known.get(subject.uri) == subject.version
        answer = self._sent(subject, question, with_text=not is_known)
        if answer.get("unknown"):
            answer = self._sent(subject, question, with_text=True)
        self._known[subject.uri] = subject.version
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return answer

    def _sent(self, subject: AskedText, question: Message, *, with_text: bool) -> Message:
        message: Message = {**question, "uri": subject.uri, "version": subject.version, "memory": MEMORY_MB}
        message["deadline"] = self._seconds + 1.0
        if with_text:
            message |= {"text": subject.text, "language": subject.language, "encoding": subject.encoding}
        self._process.send(message)
        return self._process.receive(Deadline(self._seconds * 1000))

    def _replace(self) -> None:
        self._process.kill()
        self._known.clear()
        with self._lock:
            if not self._closed:
                self._process = Process(self._command)


class Refused(Exception):
    """The request is refused; the text says why."""
