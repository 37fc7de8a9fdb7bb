"""A session with a solver in a worker: a base, and checks on top of it, within hard limits.

Time and memory limits hold whatever the solver does: a query that overruns loses its worker, and the next
query gets a new one with the same base.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeVar

from potlang.engines.commands import solver_command
from potlang.engines.encoding import Encoding, Unsupported
from potlang.engines.messages import (
    OptimizeAnswer,
    OptimizeQuery,
    Query,
    Reason,
    SolverAnswer,
    unpack_answer,
    unpack_optimized,
)
from potlang.processes.frames import FrameError, Message
from potlang.processes.pool import Workers
from potlang.processes.process import Died, Process
from potlang.utils.deadline import Deadline, OutOfFuel, OutOfTime

Build = Callable[[Encoding], Query]
"""Makes a query in the words that one solver understands; raises `Unsupported` where it has none."""
GRACE_MS: Final = 500
_LAST_MS: Final = 200
"""By so much a worker may be late where the call around ends: evidence and the report come after it."""
_BEYOND_ALL_SECONDS: Final = 1.0


class Lost(NamedTuple):
    """Why a worker is gone, and in which phase: reading the base or answering a query."""

    reason: Reason
    detail: str
    in_base: bool
    time_ms: float = 0.0


_A = TypeVar("_A", SolverAnswer, OptimizeAnswer)


class SolverSession:
    """A solver over one base, and the encoding that it is spoken to in. A context manager.

    Its worker is checked out by the first query. `memory_mb` is what the solver may use beyond its own
    start-up size, `rlimit` its deterministic count of steps for each check. One thread at a time, `cancel`
    apart. Raises ValueError for an unknown engine.
    """

    def __init__(
        self,
        workers: Workers,
        engine: str = "z3",
        base: str = "",
        *,
        encoding: Encoding | None = None,
        memory_mb: int | None = None,
        rlimit: int | None = None,
    ) -> None:
        self.name = engine
        self._encoding = encoding
        self._sayable = True
        self._command = solver_command(engine)
        self._workers = workers
        self._base = base
        self._memory = memory_mb
        self._rlimit = rlimit
        self._process: Process | None = None
        self._quarantined: tuple[Lost, int] | None = None
        self._cancelled = False
        self._owner = os.getpid()
        self.on_idle: Callable[[], None] | None = None
        """Work of the caller's own, done while the worker starts, or reads a base."""

    @property
    def encoding(self) -> Encoding:
        """The encoding of the program that the session is about."""
        assert self._encoding is not None, "this session is sent texts"
        return self._encoding

    @property
    def base_size(self) -> int:
        """Characters of the base."""
        return len(self._base)

    @property
    def ready(self) -> bool:
        """Whether it can be asked: its base has words in the encoding, and nobody has cancelled it."""
        return self._sayable and not self._cancelled

    def load(self, base: Callable[[Encoding], str]) -> None:
        """Begin again with this base, unless it has it already."""
        try:
            text = base(self.encoding)
        except (Unsupported, OutOfFuel):
            self._sayable = False
            return
        self._sayable = True
        if text != self._base or self._cancelled:
            self.start(text)

    def query(self, build: Build) -> Query | SolverAnswer:
        """The query in the session's words, or the answer where it has none."""
        try:
            query = build(self.encoding)
        except Unsupported as reason:
            return SolverAnswer("unknown", "unsupported", str(reason))
        except OutOfTime:
            return SolverAnswer("unknown", "timeout", "the time was over before the query was written")
        except OutOfFuel:
            return SolverAnswer("unknown", "memory", "the query is too large to be written")
        if not self.ready:
            return SolverAnswer("unknown", "unsupported", f"{self.name} cannot be given this program")
        return query

    def check(self, build: Build, timeout_ms: int) -> SolverAnswer:
        """The answer to a query, which may be that it cannot be put."""
        return self.answer(self.query(build), timeout_ms)

    def answer(self, query: Query | SolverAnswer, timeout_ms: int) -> SolverAnswer:
        """The answer to a query, or the one that it is already."""
        return query if isinstance(query, SolverAnswer) else self.ask(query, timeout_ms)

    def start(self, base: str) -> None:
        """Begin again with another base, in the same worker if it is healthy."""
        self.close()
        self._base = base
        self._quarantined = None
        self._cancelled = False

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Check one query, in at most the limit plus `GRACE_MS`, and as much for a base not yet read."""
        (answer,) = self.ask_all((query,), timeout_ms)
        return answer

    def ask_all(self, queries: Sequence[Query], timeout_ms: int) -> Iterator[SolverAnswer]:
        """Check the queries in order, sent at once; yields each answer as it comes.

        A lost worker costs the query it was busy with and no other.
        """
        requests = [_request("ask", query, timeout_ms) for query in queries]
        for found in self._answers(requests, bool(queries) and queries[0].core, timeout_ms, unpack_answer):
            if isinstance(found, Lost):
                yield SolverAnswer("unknown", found.reason, found.detail, time_ms=found.time_ms)
            else:
                yield found

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """Optimize, with the limits of `ask`."""
        requests = [_request("optimize", query, timeout_ms)]
        (found,) = self._answers(requests, False, timeout_ms, unpack_optimized)
        if isinstance(found, Lost):
            return OptimizeAnswer("unknown", found.reason, found.detail, time_ms=found.time_ms)
        return found

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
        # One that is being killed may look alive still.
        is_well = not self._cancelled and self._owner == os.getpid() and process.alive()
        if is_well and not process.pending:
            process.send({"op": "end", "memory": None}, answered=False)
            self._workers.give_back(process)
        else:
            process.kill()

    def __enter__(self) -> SolverSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._drop()

    def _answers(
        self, requests: Sequence[Message], core: bool, timeout_ms: int, unpack: Callable[[Any], _A]
    ) -> Iterator[_A | Lost]:
        """One answer for each request, in order, or why there is none."""
        done = 0
        retried = -1
        while done < len(requests):
            if (known := self._hopeless(timeout_ms)) is not None:
                yield known._replace(time_ms=0.0)
                done += 1
                continue
            lost: Lost | None = None
            for found in self._stream(requests[done:], core, timeout_ms, unpack):
                if isinstance(found, Lost):
                    lost = found
                else:
                    yield found
                    done += 1
            if lost is None:
                continue
            # A crash may be an accident of the worker and not of the query: each query has a second try.
            if lost.reason == "crash" and retried != done and not self._cancelled:
                retried = done
                continue
            if lost.in_base:
                self._quarantined = (lost, timeout_ms)
            yield lost
            done += 1

    def _hopeless(self, timeout_ms: int) -> Lost | None:
        """Why a query need not be sent: cancelled, or the base alone was too much in as much time."""
        if self._cancelled:
            return Lost("timeout", "cancelled", in_base=False)
        if self._quarantined is None:
            return None
        lost, limit = self._quarantined
        return lost if lost.reason != "timeout" or timeout_ms <= limit else None

    def _stream(
        self, requests: Sequence[Message], core: bool, timeout_ms: int, unpack: Callable[[Any], _A]
    ) -> Iterator[_A | Lost]:
        """Answers in order, and if the worker is lost, last of all why; what is left is then not asked."""
        in_base = True
        left = len(requests)
        began = Deadline(0)
        try:
            try:
                process, loading = self._checked_out(core, timeout_ms)
            except OSError as error:
                yield Lost("error", f"no process can be started: {error.strerror or error}", in_base)
                return
            if self._cancelled:
                # `cancel` came while there was no worker yet that it could have ended.
                yield Lost("timeout", "cancelled", in_base=False)
                return
            # All go out before the first answer is read: a small check costs less than a pipe's round
            # trip. The pipes read while they write, so neither end can wait for the other for ever.
            for place, request in enumerate(requests, 1):
                process.send(request, more=place < left)
            if loading:
                if self.on_idle is not None:
                    process.deliver(_deadline(timeout_ms))
                    with suppress(OutOfFuel):
                        self.on_idle()
                # The time of starting up is the worker's own: the base has its limit from here.
                process.handshake()
                failed = process.receive(_deadline(timeout_ms))["failed"]
                if failed is not None:
                    failure = unpack_answer(failed)
                    yield Lost(failure.reason or "error", failure.detail, in_base, began.spent_ms())
                    return
            in_base = False
            while left:
                began = Deadline(0)
                answer = unpack(process.receive(_deadline(timeout_ms))["answer"])
                left -= 1
                if answer.reason == "memory":
                    # Freeing what filled the solver takes seconds, and little would be left for the next
                    # query: a new worker is cheaper. The rest is asked of that one.
                    self._drop()
                    yield answer
                    return
                yield answer
        except TimeoutError:
            yield Lost("timeout", "killed at the limit", in_base, began.spent_ms())
        except Died as died:
            if self._cancelled:
                yield Lost("timeout", "cancelled", in_base=False, time_ms=began.spent_ms())
            else:
                yield Lost(died.reason, died.detail, in_base, began.spent_ms())
        except FrameError as error:
            yield Lost("error", str(error), in_base)
        finally:
            # Answers to come would be taken for those of the next queries. This is also where a caller
            # ends up that stops iterating.
            if left:
                self._drop()

    def _checked_out(self, core: bool, timeout_ms: int) -> tuple[Process, bool]:
        """The session's worker, and whether it is reading the base only now."""
        process = self._process
        if process is not None and self._owner == os.getpid() and not process.pending:
            return process, False
        self._drop()
        self._owner = os.getpid()
        self._process = process = self._workers.checkout(self._command)
        process.memory = self._memory
        process.send(
            {
                "op": "start",
                "base": self._base,
                "core": core,
                "memory": self._memory,
                "rlimit": self._rlimit,
                "deadline": _hard_seconds(timeout_ms),
            },
            more=True,
        )
        return process, True

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
            # Only now: whoever is interrupted in between has it still, and ends it later.
            self._process = None


def _request(op: str, query: Query | OptimizeQuery, timeout_ms: int) -> Message:
    return {"op": op, "query": query, "timeout": timeout_ms, "deadline": _hard_seconds(timeout_ms)}


def _deadline(timeout_ms: int) -> Deadline:
    return Deadline(timeout_ms + GRACE_MS, _LAST_MS)


def _hard_seconds(timeout_ms: int) -> float:
    """When the system ends the worker by itself: later than the parent would."""
    return (timeout_ms + GRACE_MS) / 1000 + _BEYOND_ALL_SECONDS
