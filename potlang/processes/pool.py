"""Warm workers, kept by the command that started them, for whoever needs one next."""

from __future__ import annotations

import functools
import os
import subprocess
import threading
import weakref
from contextlib import suppress
from types import TracebackType
from typing import Final

from potlang.processes.process import Command, Process

_RETIRE_SESSIONS: Final = 2000
_RETIRE_MEGABYTES: Final = 512
_CLOSED: Final = "these workers are closed"


class Workers:
    """Worker processes, started when needed or ahead of need, and kept warm.

    A context manager; `close` ends them all, as does the interpreter's exit. Safe for threads:
    each checkout is for one user alone. In a forked process it starts afresh.
    """

    def __init__(self, *, most_idle: int = 2, threads: bool | None = None) -> None:
        self._most_idle = most_idle
        self._threads = threads
        self._begin()
        _POOLS.add(self)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[Command, list[Process]] = {}
        self._busy: weakref.WeakSet[Process] = weakref.WeakSet()
        self._closed = threading.Event()
        # At exit, or when nobody has this object any more: so what is to be ended is apart from it.
        self._clean_up = weakref.finalize(self, _end, self._lock, self._idle, self._busy, self._closed)

    def warm(self, command: Command, count: int = 1) -> None:
        """Have so many workers idle: those that lack start in the background, while other work goes on."""
        with self._lock:
            waiting = len(self._waiting(command))
        # Where there can be no process, the one that is needed says so.
        with suppress(OSError):
            for _ in range(count - waiting):
                if not self._kept(self._spawn(command)):
                    return

    def start(self, command: Command) -> None:
        """Have a worker of this command that has started. Raises Died, and OSError if there can be none."""
        process = self.checkout(command)
        try:
            process.handshake()
        except BaseException:
            process.kill()
            raise
        self._kept(process)

    def attach(self, command: Command, child: subprocess.Popen[bytes]) -> None:
        """Take over a worker's process that `launch` has started."""
        self._kept(Process(command, self._threads, child))

    def checkout(self, command: Command) -> Process:
        """A worker for exclusive use: an idle one or a new one. Raises OSError if there can be none."""
        process = self._taken(command) or self._spawn(command)
        with self._lock:
            self._busy.add(process)
            is_closed = self._closed.is_set()
        if is_closed:
            # In between: whoever closed them did not see this one.
            process.kill()
            raise RuntimeError(_CLOSED)
        return process

    def give_back(self, process: Process) -> None:
        """Keep a healthy worker for the next user, or end it if it is worn out."""
        process.sessions += 1
        # What a worker has once taken of memory it seldom gives back.
        worn = process.sessions >= _RETIRE_SESSIONS or process.peak >= _RETIRE_MEGABYTES
        if worn or not process.alive():
            process.kill()
        else:
            self._kept(process)

    def _kept(self, process: Process) -> bool:
        """Make a worker an idle one; false, and it is ended, where there are enough of them."""
        with self._lock:
            waiting = self._waiting(process.command)
            kept = not self._closed.is_set() and len(waiting) < self._most_idle
            self._busy.discard(process)
            if kept:
                waiting.append(process)
        if not kept:
            process.kill()
        return kept

    def _waiting(self, command: Command) -> list[Process]:
        """The idle workers of this command, under the lock."""
        # In a forked process the parent's workers are not ours to use.
        found = [each for each in self._idle.get(command, ()) if each.is_ours()]
        self._idle[command] = found
        return found

    def _taken(self, command: Command) -> Process | None:
        """An idle worker that is still alive."""
        while True:
            with self._lock:
                waiting = self._waiting(command)
                process = waiting.pop() if waiting else None
            if process is None or process.alive():
                return process
            # Not under the lock: killing waits for the process to be gone.
            process.kill()

    def _spawn(self, command: Command) -> Process:
        if self._closed.is_set():
            raise RuntimeError(_CLOSED)
        return Process(command, self._threads)

    def close(self) -> None:
        """End all workers, those in use too; a checkout raises RuntimeError from then on."""
        self._clean_up()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _end(
    lock: threading.Lock,
    idle: dict[Command, list[Process]],
    busy: weakref.WeakSet[Process],
    closed: threading.Event,
) -> None:
    """Kill every worker; who still has one finds it dead."""
    with lock:
        # Workers that come back later must not be kept: nobody would end them.
        closed.set()
        waiting = [each for kept in idle.values() for each in kept]
        idle.clear()
        lent = list(busy)
    for process in waiting:
        process.kill()
    for process in lent:
        process.kill_from_outside()


_POOLS: Final[weakref.WeakSet[Workers]] = weakref.WeakSet()


def _begin_again() -> None:
    """In a forked process: a lock that another thread had at the fork would never be free here."""
    for each in list(_POOLS):
        each._clean_up.detach()
        each._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)


@functools.cache
def default_workers() -> Workers:
    """The workers that callers without their own share; they end with the interpreter."""
    return Workers()
