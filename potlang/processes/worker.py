"""The child's side: reads requests, runs one engine, streams one answer per query.

Started by `process.Process` with the parent's import path. Descriptor 1 is kept from the engines,
which print warnings there; what they print goes to the parent's diagnosis pipe and never blocks.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from potlang.engines.base import Answer, Engine, OptimizeAnswer
from potlang.processes.frames import (
    HEADER,
    FrameError,
    Message,
    decode,
    encode,
    pack_answer,
    size,
    unpack_optimize,
    unpack_query,
)

_MEGABYTE: Final = 1 << 20
_STACK: Final = 96 * _MEGABYTE
_PARENT_PERIOD_MS: Final = 2000
_PAUSE: Final = 0.0005
"""Seconds without a request after which a worker is idle."""
_OUT_OF_MEMORY: Final = Answer("unknown", "memory", "out of memory")


class LocalEngine(Engine, Protocol):
    """What the worker asks of an engine beyond a session."""

    rlimit: int | None

    def warm_up(self) -> None:
        """Solve something small once."""

    def prepare(self) -> bool:
        """Do a piece of work ahead of the next session; False if there is none left to do."""

    def load(self, core: bool) -> Answer | None:
        """Read the base now; the answer that a failure to do so comes to."""

    def limit_memory(self, megabytes: int | None) -> None:
        """Cap the engine's own heap, where it has a cap."""


def make_engine(name: str) -> LocalEngine:
    """The engine of this name (see `backend.ENGINES`). Raises ValueError for any other."""
    if name == "z3":
        from potlang.engines.z3 import Z3Engine

        return Z3Engine()
    if name == "cvc5":
        from potlang.engines.cvc5 import Cvc5Engine

        return Cvc5Engine()
    if name == "cvc5-fmf":
        from potlang.engines.cvc5 import FiniteModelEngine

        return FiniteModelEngine()
    if name == "cvc5-pysmt":
        from potlang.engines.pysmt_bridge import PysmtEngine

        return PysmtEngine()
    if name == "sat":
        from potlang.engines.sat import SatEngine

        return SatEngine()
    raise ValueError(f"no engine {name!r}")


class Pipes:
    """The two ends towards the parent, safe from whatever the engines print."""

    def __init__(self) -> None:
        self._read = os.dup(0)
        self._write = os.dup(1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        with contextlib.suppress(AttributeError, OSError):
            os.set_blocking(2, False)

    def fileno(self) -> int:
        """The descriptor that requests come from."""
        return self._read

    def waiting(self, seconds: float) -> bool:
        """Whether a request arrives within so many seconds; False where the system does not tell."""
        with contextlib.suppress(OSError):
            return bool(select.select([self._read], [], [], seconds)[0])
        return False

    def receive(self) -> Message | None:
        """The next request; None when the parent is gone."""
        header = self._exactly(HEADER.size)
        if header is None:
            return None
        body = self._exactly(size(bytes(header)))
        return None if body is None else decode(body)

    def _exactly(self, count: int) -> bytearray | None:
        data = bytearray()
        while len(data) < count:
            chunk = os.read(self._read, min(count - len(data), _MEGABYTE))
            if not chunk:
                return None
            data += chunk
        return data

    def send(self, message: Message) -> None:
        """Hand one message to the parent."""
        left = memoryview(encode(message))
        while left:
            left = left[os.write(self._write, left) :]


class Limits:
    """The limits that the operating system holds this process to."""

    def __init__(self) -> None:
        self._resource: Any = None
        with contextlib.suppress(ImportError):
            import resource

            self._resource = resource
        self._baseline = _address_space()
        # What the system counts begins with what the parent had in memory when it made this process.
        counted, own = self._counted(), _own_peak()
        self.inherited = counted if 0 < own < counted else 0

    def deepen_stack(self) -> None:
        """Let the main thread's stack grow further than usual: engines recurse over deep terms."""
        if self._resource is None:
            return
        soft, hard = self._resource.getrlimit(self._resource.RLIMIT_STACK)
        unlimited = self._resource.RLIM_INFINITY
        if soft != unlimited and soft < _STACK and (hard == unlimited or hard >= _STACK):
            with contextlib.suppress(ValueError, OSError):
                self._resource.setrlimit(self._resource.RLIMIT_STACK, (_STACK, hard))

    def memory(self, megabytes: int | None, slack: int) -> None:
        """Cap the address space at its size at birth plus this much, or lift the cap."""
        if self._resource is None or not self._baseline:
            return
        _, hard = self._resource.getrlimit(self._resource.RLIMIT_AS)
        soft = hard
        if megabytes is not None:
            soft = self._baseline + (megabytes + slack) * _MEGABYTE
            if hard != self._resource.RLIM_INFINITY:
                soft = min(soft, hard)
        self._resource.setrlimit(self._resource.RLIMIT_AS, (soft, hard))

    def peak(self) -> int:
        """The most memory that was resident, in megabytes; 0 where the system does not say."""
        counted = self._counted()
        return counted if counted > self.inherited else _own_peak()

    def _counted(self) -> int:
        if self._resource is None:
            return 0
        usage = int(self._resource.getrusage(self._resource.RUSAGE_SELF).ru_maxrss)
        return usage // (_MEGABYTE if sys.platform == "darwin" else 1024)

    def deadline(self, seconds: float) -> None:
        """Have the system end this process after so long, even if the parent no longer can; 0 lifts it."""
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, seconds)


def _own_peak() -> int:
    """The most memory that this program had resident, in megabytes; 0 where the system does not say."""
    try:
        found = re.search(rb"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_bytes())
    except OSError:
        return 0
    return int(found[1]) // 1024 if found else 0


def _address_space() -> int:
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def watch_parent(descriptor: int) -> None:
    """End this process when the parent goes away in the middle of a query.

    Works while an engine runs outside the interpreter's lock; `Limits.deadline` covers the rest.
    """
    if not hasattr(select, "poll"):
        return
    parent = os.getppid()
    poller = select.poll()
    poller.register(descriptor, 0)

    def watch() -> None:
        while True:
            if poller.poll(_PARENT_PERIOD_MS) or os.getppid() != parent:
                os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


class Worker:
    """One engine and the requests it serves."""

    def __init__(self, engine: LocalEngine, pipes: Pipes, limits: Limits) -> None:
        self._engine = engine
        self._pipes = pipes
        self._limits = limits
        self._tag = 0
        self._in_session = False
        self._handlers: dict[str, Callable[[Message], None]] = {
            "start": self._start,
            "ask": self._ask,
            "optimize": self._optimize,
            "end": self._end,
        }

    def serve(self) -> None:
        """Answer requests until the parent closes the pipe."""
        while (message := self._next()) is not None:
            self._limits.deadline(message.get("deadline", 0.0))
            self._tag = message["tag"]
            self._handlers[message["op"]](message)

    def _next(self) -> Message | None:
        """The next request; if it does not follow at once, work ahead, which no session's limits count."""
        while not (self._in_session or self._pipes.waiting(_PAUSE)) and self._engine.prepare():
            pass
        return self._pipes.receive()

    def _start(self, message: Message) -> None:
        self._in_session = True
        # z3 stops at its own cap and can still answer; the address space is the wall behind it.
        self._limits.memory(message["memory"], slack=128 if self._engine.name == "z3" else 64)
        try:
            self._engine.limit_memory(message["memory"])
            self._engine.rlimit = message["rlimit"]
            self._engine.start(message["base"])
            failed = self._engine.load(message["core"])
        except MemoryError:
            failed = _OUT_OF_MEMORY
        self._send({"kind": "ready", "failed": failed and pack_answer(failed)})

    def _ask(self, message: Message) -> None:
        try:
            answer = self._engine.ask(unpack_query(message["query"]), message["timeout"])
        except MemoryError:
            answer = _OUT_OF_MEMORY
        self._send({"kind": "answer", "answer": pack_answer(answer)})

    def _optimize(self, message: Message) -> None:
        try:
            answer = self._engine.optimize(unpack_optimize(message["query"]), message["timeout"])
        except MemoryError:
            answer = OptimizeAnswer("unknown", "memory", "out of memory")
        self._send({"kind": "answer", "answer": pack_answer(answer)})

    def _end(self, message: Message) -> None:
        self._engine.close()
        self._limits.memory(None, 0)
        self._in_session = False

    def _send(self, message: Message) -> None:
        # The parent may be slow to take the answer: that must not cost it the answer.
        self._limits.deadline(0.0)
        self._pipes.send({**message, "tag": self._tag, "peak": self._limits.peak()})


def main(name: str) -> None:
    """The life of a worker for the engine `name`."""
    pipes = Pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = make_engine(name)
    # The parent has work of its own before its first query: then start-up of the engine is behind it.
    engine.warm_up()
    limits = Limits()
    limits.deepen_stack()
    watch_parent(pipes.fileno())
    with contextlib.suppress(BrokenPipeError, FrameError):
        pipes.send({"kind": "hello", "inherited": limits.inherited})
        Worker(engine, pipes, limits).serve()
    os._exit(0)
