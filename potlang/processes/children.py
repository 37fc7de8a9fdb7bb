"""Workers for any number of threads, each of which answers one request at a time within limits."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from potlang.processes.child import GRACE_SECONDS
from potlang.processes.frames import Message
from potlang.processes.pool import Workers
from potlang.processes.process import Command, Died, Process
from potlang.utils.closing import Closing
from potlang.utils.deadline import Deadline

MOST_AT_ONCE: Final = max(2, os.cpu_count() or 1)
_LOOK_UP_S: Final = 0.005
"""Who waits for a turn looks so often whether there is one, and whether it is interrupted."""


class NotStarted(Died):
    """There is no worker to be asked."""


class Children(Closing):
    """As `Child`, for threads and across forks: `most` answer at once, whoever else asks waits for its turn.

    One that overruns is ended, and its place is taken by another that starts while others answer.
    """

    def __init__(self, command: Command, *, most: int = MOST_AT_ONCE) -> None:
        self._command = command
        self._most = most
        self._begin()
        _CHILDREN.add(self)

    def _begin(self) -> None:
        self._workers = Workers(most_idle=self._most)
        self._lock = threading.Lock()
        self._at_work: set[object] = set()

    def ask(self, request: Message, *, seconds: float, megabytes: int) -> Message:
        """The answer to a request within these limits, which count from its turn. Raises Died, NotStarted."""
        limits = {"memory": megabytes, "deadline": seconds + GRACE_SECONDS}
        turn = object()
        try:
            self._take(turn)
            with self._lent() as process:
                process.memory = megabytes
                process.send({**request, **limits})
                return process.receive(Deadline(seconds * 1000))
        except TimeoutError:
            raise Died("timeout", f"no answer within {seconds:g} s") from None
        finally:
            self._at_work.discard(turn)

    def _take(self, turn: object) -> None:
        """Wait until there is one of the turns for it.

        No semaphore: whoever is interrupted in one, waiting or just let in, may take a turn away for good.
        """
        while True:
            with self._lock:
                if len(self._at_work) < self._most:
                    self._at_work.add(turn)
                    return
            time.sleep(_LOOK_UP_S)

    @contextmanager
    def _lent(self) -> Iterator[Process]:
        """A worker that has started; it is kept if it did what it was asked."""
        # Another thread may close them in between; these are then ended with the rest.
        workers = self._workers
        try:
            process = workers.checkout(self._command)
        except OSError as error:
            raise NotStarted("crash", f"no process can be started: {error.strerror}") from error
        try:
            process.handshake()
        except BaseException as error:
            process.kill()
            if isinstance(error, Died):
                raise NotStarted(error.reason, error.detail) from error
            raise
        try:
            yield process
        except BaseException:
            # Also where the caller is interrupted: the answer to come would be taken for the next one's.
            process.kill()
            # Closed in between: then there is nobody to start another for.
            with suppress(RuntimeError):
                workers.warm(self._command)
            raise
        workers.give_back(process)

    def end(self) -> None:
        """End them for good: whoever asks from then on, or once more, gets RuntimeError."""
        self._workers.close()

    def close(self) -> None:
        """End them; the next request starts another."""
        closed, self._workers = self._workers, Workers(most_idle=self._most)
        closed.close()


_CHILDREN: Final[weakref.WeakSet[Children]] = weakref.WeakSet()


def _begin_again() -> None:
    """In a forked process: a turn that another thread had at the fork would never end here."""
    for each in list(_CHILDREN):
        each._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)
