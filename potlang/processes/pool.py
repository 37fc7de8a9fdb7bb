"""Warm workers kept across programs, and sessions that survive the loss of a worker.

`Workers.session` gives a `Session`, an `Engine` whose time and memory limits hold whatever the solver
does: a query that overruns loses its worker, and the next query gets a new one with the same base.
"""

from __future__ import annotations

import functools
import os
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Final, NamedTuple

from potlang.engines.base import WORKERS, Answer, OptimizeAnswer, OptimizeQuery, Query, Reason
from potlang.processes.frames import FrameError, Message, pack_query, unpack_answer, unpack_optimized
from potlang.processes.process import Died, Process

GRACE_MS: Final = 500
_RETIRE_SESSIONS: Final = 2000
_RETIRE_MEGABYTES: Final = 512
_BEYOND_ALL_SECONDS: Final = 1.0


class _Store:
    """The idle workers: shared by a `Workers` object and its clean-up at exit."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: dict[str, list[Process]] = {}
        self.busy: weakref.WeakSet[Process] = weakref.WeakSet()
        self.owner = os.getpid()
        self.closed = False

    def take(self, engine: str) -> Process | None:
        """An idle worker of this engine that is still alive."""
        dead: list[Process] = []
        found: Process | None = None
        with self.lock:
            self._after_fork(dead)
            waiting = self.idle.get(engine, [])
            while waiting and found is None:
                candidate = waiting.pop()
                if candidate.alive():
                    found = candidate
                else:
                    dead.append(candidate)
        for process in dead:
            process.kill()
        return found

    def waiting(self, engine: str) -> int:
        """How many workers of this engine are idle."""
        with self.lock:
            return len(self.idle.get(engine, ())) if self.owner == os.getpid() else 0

    def put(self, process: Process, most: int) -> bool:
        """Keep the worker for later; false if there is no room for it."""
        dead: list[Process] = []
        with self.lock:
            self._after_fork(dead)
            waiting = self.idle.setdefault(process.engine, [])
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
        """Note that a session has this worker."""
        with self.lock:
            self.busy.add(process)

    def clear(self) -> None:
        """Kill every worker; sessions that are still open find theirs dead."""
        dead: list[Process] = []
        with self.lock:
            self._after_fork(dead)
            dead += [each for waiting in self.idle.values() for each in waiting]
            self.idle.clear()
            busy = list(self.busy)
            self.closed = True
        for process in dead:
            process.kill()
        for process in busy:
            process.kill_from_outside()


class _Lost(NamedTuple):
    """Why a worker is gone, and in which phase: reading the base or answering a query."""

    reason: Reason
    detail: str
    in_base: bool
    time_ms: float = 0.0


class Workers:
    """Solver processes, started when needed or ahead of need, and kept warm.

    A context manager; `close` ends them all, as does the interpreter's exit. Safe for threads:
    each session has a worker for itself. In a forked process it starts afresh.
    """

    def __init__(self, *, most_idle: int = 2, threads: bool | None = None) -> None:
        self._most_idle = most_idle
        self._threads = threads
        self._store = _Store()
        self._clean_up = weakref.finalize(self, self._store.clear)

    def warm(self, engine: str = "z3", count: int = 1) -> None:
        """Have so many workers idle: those that lack start in the background, while other work goes on."""
        _known(engine)
        for _ in range(count - self._store.waiting(engine)):
            process = self._spawn(engine)
            if not self._store.put(process, self._most_idle):
                process.kill()
                return

    def adopt(self, engine: str, child: subprocess.Popen[bytes]) -> None:
        """Take over a worker's process that `launch` has started."""
        _known(engine)
        process = Process(engine, self._threads, child)
        if not self._store.put(process, self._most_idle):
            process.kill()

    def session(
        self,
        engine: str = "z3",
        base: str = "",
        *,
        memory_mb: int | None = None,
        rlimit: int | None = None,
    ) -> Session:
        """A session over this base; its worker is checked out by the first query.

        `memory_mb` is what the solver may use beyond its own start-up size. `rlimit` is the solver's
        deterministic count of steps for each check. Raises ValueError for an unknown engine.
        """
        return Session(self, engine, base, memory_mb=memory_mb, rlimit=rlimit)

    def checkout(self, engine: str) -> Process:
        """A worker for exclusive use: an idle one or a new one."""
        process = self._store.take(engine) or self._spawn(engine)
        self._store.lend(process)
        return process

    def give_back(self, process: Process) -> None:
        """Keep a healthy worker for another session, or end it if it is worn out."""
        process.sessions += 1
        worn = process.sessions >= _RETIRE_SESSIONS or process.peak >= _RETIRE_MEGABYTES
        if worn or not process.alive() or not self._store.put(process, self._most_idle):
            process.kill()

    def _spawn(self, engine: str) -> Process:
        _known(engine)
        if self._store.closed:
            raise RuntimeError("these workers are closed")
        return Process(engine, self._threads)

    def close(self) -> None:
        """End all workers, those of open sessions too: asking one of these raises RuntimeError."""
        self._clean_up()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Session:
    """An `Engine` in a worker. One thread at a time, `cancel` apart."""

    def __init__(
        self, workers: Workers, engine: str, base: str, *, memory_mb: int | None, rlimit: int | None
    ) -> None:
        _known(engine)
        self._workers = workers
        self._engine = engine
        self._base = base
        self._memory = memory_mb
        self._rlimit = rlimit
        self._process: Process | None = None
        self._barred: tuple[_Lost, int] | None = None
        self._cancelled = False
        self._owner = os.getpid()
        self.meanwhile: Callable[[], None] | None = None
        """Work of the caller's own, done while the worker starts, or reads a base."""

    @property
    def name(self) -> str:
        """The engine's name."""
        return self._engine

    def start(self, base: str) -> None:
        """Begin again with another base, in the same worker if it is healthy."""
        self.close()
        self._base = base
        self._barred = None
        self._cancelled = False

    def ask(self, query: Query, timeout_ms: int) -> Answer:
        """Check one query, in at most the limit plus `GRACE_MS`, and as much for a base not yet read."""
        (answer,) = self.ask_all((query,), timeout_ms)
        return answer

    def ask_all(self, queries: Sequence[Query], timeout_ms: int) -> Iterator[Answer]:
        """Check the queries in order, sent at once; yields each answer as it comes.

        A lost worker costs the query it was busy with and no other.
        """
        done = 0
        retried = -1
        while done < len(queries):
            if (barred := self._bar(timeout_ms)) is not None:
                yield Answer("unknown", barred.reason, barred.detail)
                done += 1
                continue
            lost: _Lost | None = None
            for answer in self._stream(queries[done:], timeout_ms):
                if isinstance(answer, _Lost):
                    lost = answer
                else:
                    yield unpack_answer(answer)
                    done += 1
            if lost is None:
                continue
            if lost.reason == "crash" and retried != done and not self._cancelled:
                retried = done
                continue
            if lost.in_base:
                self._barred = (lost, timeout_ms)
            yield Answer("unknown", lost.reason, lost.detail, time_ms=lost.time_ms)
            done += 1

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """Optimize, with the limits of `ask`."""
        lost: _Lost | None = None
        for _ in range(2):
            if (barred := self._bar(timeout_ms)) is not None:
                return OptimizeAnswer("unknown", barred.reason, barred.detail)
            lost = None
            for answer in self._stream((query,), timeout_ms):
                if not isinstance(answer, _Lost):
                    return unpack_optimized(answer)
                lost = answer
            if lost is None or lost.reason != "crash" or self._cancelled:
                break
        assert lost is not None
        if lost.in_base:
            self._barred = (lost, timeout_ms)
        return OptimizeAnswer("unknown", lost.reason, lost.detail, time_ms=lost.time_ms)

    def cancel(self) -> None:
        """End the query that another thread waits for: it is answered unknown. The session is over."""
        self._cancelled = True
        process = self._process
        if process is not None:
            process.kill_from_outside()

    def close(self) -> None:
        """End the session; a healthy worker goes back to the others."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._owner == os.getpid() and process.alive() and not process.pending:
            process.send({"op": "end"}, answered=False)
            self._workers.give_back(process)
        else:
            process.kill()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._drop()

    def _bar(self, timeout_ms: int) -> _Lost | None:
        """Why a query need not be sent: cancelled, or the base alone was too much in as much time."""
        if self._cancelled:
            return _Lost("timeout", "cancelled", in_base=False)
        if self._barred is None:
            return None
        lost, limit = self._barred
        return lost if lost.reason != "timeout" or timeout_ms <= limit else None

    def _stream(
        self, queries: Sequence[Query] | Sequence[OptimizeQuery], timeout_ms: int
    ) -> Iterator[Message | _Lost]:
        """Packed answers in order, and if the worker is lost, last of all why."""
        in_base = True
        left = len(queries)
        began = time.monotonic()
        try:
            process, loading = self._ready(queries[0], timeout_ms)
            if self._cancelled:
                # `cancel` came while there was no worker yet that it could have ended.
                yield _Lost("timeout", "cancelled", in_base=False)
                return
            unsent = left
            for query in queries:
                unsent -= 1
                process.send(_request(query, timeout_ms), more=unsent > 0)
            if loading:
                if self.meanwhile is not None:
                    process.deliver(_deadline(timeout_ms))
                    self.meanwhile()
                process.greet()
            if loading and (failed := process.receive(_deadline(timeout_ms))["failed"]):
                yield _Lost(failed["reason"], failed["detail"], in_base, _since(began))
                return
            in_base = False
            while left:
                began = time.monotonic()
                answer: Message = process.receive(_deadline(timeout_ms))["answer"]
                left -= 1
                if answer["reason"] == "memory":
                    self._drop()
                    yield answer
                    return
                yield answer
        except TimeoutError:
            yield _Lost("timeout", "killed at the limit", in_base, _since(began))
        except Died as died:
            yield self._death(died, in_base, _since(began))
        except FrameError as error:
            yield _Lost("error", str(error), in_base)
        finally:
            if left:
                self._drop()

    def _death(self, died: Died, in_base: bool, time_ms: float) -> _Lost:
        if self._cancelled:
            return _Lost("timeout", "cancelled", in_base=False, time_ms=time_ms)
        return _Lost(died.reason, died.detail, in_base, time_ms)

    def _ready(self, first: Query | OptimizeQuery, timeout_ms: int) -> tuple[Process, bool]:
        """The session's worker, and whether it is reading the base only now."""
        ready = self._process is not None and self._owner == os.getpid() and not self._process.pending
        if ready and self._process is not None:
            return self._process, False
        self._drop()
        self._owner = os.getpid()
        process = self._workers.checkout(self._engine)
        self._process = process
        process.memory = self._memory
        process.send(
            {
                "op": "start",
                "base": self._base,
                "core": isinstance(first, Query) and first.core,
                "memory": self._memory,
                "rlimit": self._rlimit,
                "deadline": _hard_seconds(timeout_ms),
            },
            more=True,
        )
        return process, True

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()


@functools.cache
def default_workers() -> Workers:
    """The workers that callers without their own share; they end with the interpreter."""
    return Workers()


def _known(engine: str) -> None:
    if engine not in WORKERS:
        raise ValueError(f"no engine {engine!r}; there are {', '.join(WORKERS)}")


def _request(query: Query | OptimizeQuery, timeout_ms: int) -> Message:
    return {
        "op": "ask" if isinstance(query, Query) else "optimize",
        "query": pack_query(query),
        "timeout": timeout_ms,
        "deadline": _hard_seconds(timeout_ms),
    }


def _deadline(timeout_ms: int) -> float:
    return time.monotonic() + (timeout_ms + GRACE_MS) / 1000


def _hard_seconds(timeout_ms: int) -> float:
    """When the system ends the worker by itself: later than the parent would."""
    return (timeout_ms + GRACE_MS) / 1000 + _BEYOND_ALL_SECONDS


def _since(began: float) -> float:
    return (time.monotonic() - began) * 1000
