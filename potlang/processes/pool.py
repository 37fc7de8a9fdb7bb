"""Warm workers, kept by the command that started them, for whoever needs one next."""

from __future__ import annotations

import functools
import os
import subprocess
import threading
import weakref
from types import TracebackType
from typing import Final

from potlang.processes.process import Command, Process

_RETIRE_SESSIONS: Final = 2000
_RETIRE_MEGABYTES: Final = 512


class _Store:
    """The idle workers: shared by a `Workers` object and its clean-up at exit."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: dict[Command, list[Process]] = {}
        self.busy: weakref.WeakSet[Process] = weakref.WeakSet()
        self.owner = os.getpid()
        self.closed = False

    def take(self, command: Command) -> Process | None:
        """An idle worker of this command that is still alive."""
        dead: list[Process] = []
        found: Process | None = None
        with self.lock:
            self._after_fork(dead)
            waiting = self.idle.get(command, [])
            while waiting and found is None:
                candidate = waiting.pop()
                if candidate.alive():
                    found = candidate
                else:
                    dead.append(candidate)
        # Not under the lock: killing waits for the process to be gone.
        for process in dead:
            process.kill()
        return found

    def waiting(self, command: Command) -> int:
        """How many workers of this command are idle."""
        with self.lock:
            return len(self.idle.get(command, ())) if self.owner == os.getpid() else 0

    def put(self, process: Process, most: int) -> bool:
        """Keep the worker for later; false if there is no room for it."""
        dead: list[Process] = []
        with self.lock:
            self._after_fork(dead)
            waiting = self.idle.setdefault(process.command, [])
            kept = not self.closed and len(waiting) < most
            self.busy.discard(process)
            if kept:
                waiting.append(process)
        for each in dead:
            each.kill()
        return kept

    def _after_fork(self, dead: list[Process]) -> None:
        """In a forked process the parent's workers are not ours to use."""
        if self.owner != os.getpid():
            self.owner = os.getpid()
            for waiting in self.idle.values():
                dead.extend(waiting)
            self.idle.clear()
            self.busy.clear()

    def lend(self, process: Process) -> None:
        """Note that someone has this worker."""
        with self.lock:
            self.busy.add(process)

    def clear(self) -> None:
        """Kill every worker; who still has one finds it dead."""
        dead: list[Process] = []
        with self.lock:
            self._after_fork(dead)
            dead += [each for waiting in self.idle.values() for each in waiting]
            self.idle.clear()
            busy = list(self.busy)
            # Workers that come back later must not be kept: nobody would end them.
            self.closed = True
        for process in dead:
            process.kill()
        for process in busy:
            process.kill_from_outside()


class Workers:
    """Worker processes, started when needed or ahead of need, and kept warm.

    A context manager; `close` ends them all, as does the interpreter's exit. Safe for threads:
    each checkout is for one user alone. In a forked process it starts afresh.
    """

    def __init__(self, *, most_idle: int = 2, threads: bool | None = None) -> None:
        self._most_idle = most_idle
        self._threads = threads
        self._store = _Store()
        self._clean_up = weakref.finalize(self, self._store.clear)

    def warm(self, command: Command, count: int = 1) -> None:
        """Have so many workers idle: those that lack start in the background, while other work goes on."""
        for _ in range(count - self._store.waiting(command)):
            if not self._kept(self._spawn(command)):
                return

    def attach(self, command: Command, child: subprocess.Popen[bytes]) -> None:
        """Take over a worker's process that `launch` has started."""
        self._kept(Process(command, self._threads, child))

    def checkout(self, command: Command) -> Process:
        """A worker for exclusive use: an idle one or a new one."""
        process = self._store.take(command) or self._spawn(command)
        self._store.lend(process)
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
        kept = self._store.put(process, self._most_idle)
        if not kept:
            process.kill()
        return kept

    def _spawn(self, command: Command) -> Process:
        if self._store.closed:
            raise RuntimeError("these workers are closed")
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


@functools.cache
def default_workers() -> Workers:
    """The workers that callers without their own share; they end with the interpreter."""
    return Workers()
