"""The child's side of a worker: reads requests and answers each, within the limits that it names.

Started by `launch` with the parent's import path and the name of a service. Descriptor 1 is kept from
what the service calls: solvers print warnings there, which go to the parent's diagnosis pipe instead.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from potlang.processes.frames import HEADER, FrameError, Message, decode, encode, size
from potlang.processes.parent import die_with, watch

_MEGABYTE: Final = 1 << 20
_STACK: Final = 96 * _MEGABYTE
_PAUSE: Final = 0.0005
"""Seconds without a request after which a worker is idle."""


class Service(ABC):
    """The work of one worker.

    A request may set `memory` (megabytes, or None: no cap) and `deadline` (seconds).

    `slack_mb` is added to each cap on memory, for services that stop at a lower cap of their own.
    `exhausted_status` is the exit status by which one ends the process for want of memory, if it does.
    """

    slack_mb = 0
    exhausted_status: int | None = None

    @abstractmethod
    def answer(self, request: Message) -> Message | None:
        """The answer to a request; None for one that the parent expects none to."""

    def prepare(self) -> bool:
        """Do a piece of work ahead of the next request; False if there is none to do."""
        return False

    def close(self) -> None:  # noqa: B027 - most services hold nothing
        """Free what is held, when the parent has closed the pipe."""


class RequestPipes:
    """The two ends towards the parent, safe from whatever is printed."""

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


class ProcessLimits:
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

    @staticmethod
    def lift_memory() -> None:
        """Lift the cap that a parent with one has passed on: each request names its own."""
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))

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


def main(parent: int, name: str, *arguments: str) -> None:
    """The life of a worker: make the service `name` (`module:function`) and serve until the pipe closes.

    `parent` is the process id of who has started it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    is_watched = die_with(parent)
    pipes = RequestPipes()
    module, _, function = name.partition(":")
    ProcessLimits.lift_memory()
    # Imports and warming up come before the limits: a service's size at birth is not counted.
    service: Service = getattr(import_module(module), function)(*arguments)
    limits = ProcessLimits()
    limits.deepen_stack()
    watch(parent, pipes.fileno(), only_pipe=is_watched)
    with contextlib.suppress(BrokenPipeError, FrameError):
        # A worker may die in its first request: then its size by now is all that is known of it.
        pipes.send(
            {"inherited": limits.inherited, "peak": limits.peak(), "exhausted": service.exhausted_status}
        )
        _serve(service, pipes, limits)
    service.close()
    os._exit(0)


def _serve(service: Service, pipes: RequestPipes, limits: ProcessLimits) -> None:
    """Answer requests until the parent closes the pipe."""
    while True:
        # A request that follows at once is served first; work ahead is no session's, so no limit counts it.
        while not pipes.waiting(_PAUSE) and service.prepare():
            pass
        request = pipes.receive()
        if request is None:
            return
        limits.deadline(request.get("deadline", 0.0))
        if "memory" in request:
            limits.memory(request["memory"], service.slack_mb)
        answer = service.answer(request)
        # The parent may be slow to take the answer: that must not cost it the answer.
        limits.deadline(0.0)
        if answer is not None:
            pipes.send({**answer, "tag": request["tag"], "peak": limits.peak()})
