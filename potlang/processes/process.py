"""The parent's side of one worker: start, send, receive by a deadline, kill, and say why it died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from potlang.processes.frames import HEADER, FrameError, Message, decode, encode, size
from potlang.processes.launch import launch
from potlang.processes.pipes import WorkerPipes, open_pipes
from potlang.utils.deadline import Deadline

Command = tuple[str, ...]
"""Arguments of `launch`: the service that a worker runs, and the service's own."""
Death = Literal["timeout", "memory", "crash"]
"""Why a worker is gone: it overran its time or memory, or something else ended it."""

_OUT_OF_MEMORY: Final = ("bad_alloc", "out of memory", "memoryerror", "cannot allocate memory")
_START_UP_MS: Final = 60_000
_LOW_PRIORITY: Final = 10
"""As `nice` has it: a tenth of the processor time of one that works beside it at the usual priority."""


class Died(Exception):
    """The worker ended by itself, or something else ended it."""

    def __init__(self, reason: Death, detail: str) -> None:
        super().__init__(detail)
        self.reason: Death = reason
        self.detail = detail


class Process:
    """One worker process. Not for use by two threads at once, `kill_from_outside` apart."""

    def __init__(
        self, command: Command, threads: bool | None = None, child: subprocess.Popen[bytes] | None = None
    ) -> None:
        """Starts the worker; `child` is it where `launch` has started it already."""
        self._closed = True
        self.command = command
        self.sessions = 0
        self.peak = 0
        self.memory: int | None = None
        self.is_low = False
        """Whether `lower_priority` has been called."""
        self._process = child or launch(*command)
        self._pipes: WorkerPipes = open_pipes(self._process, threads)
        self._owner = os.getpid()
        self._buffer = bytearray()
        self._held = bytearray()
        self._ready = False
        self._count = 0
        self._expected: deque[int] = deque()
        self._peak_at_death = 0
        self._inherited = 0
        self._exhausted_status: int | None = None
        self._closed = False

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def pending(self) -> int:
        """How many requests are not answered yet."""
        return len(self._expected)

    def send(self, message: Message, *, answered: bool = True, more: bool = False) -> None:
        """Queue one request; what goes wrong shows in `receive`. Raises FrameError if it is too long.

        `more`: another follows at once, and they travel together.
        """
        self._count += 1
        data = encode({**message, "tag": self._count})
        if answered:
            self._expected.append(self._count)
        self._held += data
        if not more:
            held, self._held = bytes(self._held), bytearray()
            self._pipes.write(held)

    def deliver(self, deadline: Deadline) -> None:
        """Wait until the worker has all that was sent, but not for one that is still starting. Raises Died.

        A pipe holds little: a long base would wait in this process for the next `receive`.
        """
        if not self._ready and self._pipes.readable():
            self.handshake()
        if self._ready:
            self._pipes.drain(deadline)

    def handshake(self) -> None:
        """Wait until the worker has made its service. Raises Died."""
        if self._ready:
            return
        deadline = Deadline(_START_UP_MS)
        try:
            hello = self._next(deadline)
        except TimeoutError:
            self.kill()
            if deadline.spent_ms() < _START_UP_MS:
                raise Died("timeout", "the time was over before the worker had started") from None
            raise Died("crash", "the worker did not start") from None
        self._inherited = int(hello.get("inherited", 0))
        self.peak = int(hello.get("peak", 0))
        self._exhausted_status = hello.get("exhausted")
        self._ready = True

    def receive(self, deadline: Deadline) -> Message:
        """The next answer. Raises Died, and TimeoutError at the deadline."""
        message = self._next(deadline)
        # An answer to anything but the oldest request must never be taken for one to it.
        if not self._expected or message.get("tag") != self._expected.popleft():
            self.kill()
            raise Died("crash", "the worker's answer is garbled: it answers something else")
        self.peak = max(self.peak, int(message.get("peak", 0)))
        return message

    def _next(self, deadline: Deadline) -> Message:
        if self._closed:
            raise Died("crash", "the worker is gone")
        try:
            while (message := self._take()) is None:
                data = self._pipes.read(deadline)
                if not data:
                    raise self._post_mortem()
                self._buffer += data
        except FrameError as error:
            self.kill()
            raise Died("crash", f"the worker's answer is garbled: {error}") from error
        return message

    def _take(self) -> Message | None:
        if len(self._buffer) < HEADER.size:
            return None
        end = HEADER.size + size(bytes(self._buffer[: HEADER.size]))
        if len(self._buffer) < end:
            return None
        message = decode(self._buffer[HEADER.size : end])
        del self._buffer[:end]
        return message

    def _post_mortem(self) -> Died:
        # A child that closed its end without ending is as good as dead.
        deadline = Deadline(1_000)
        while self._reap(wait=False) is None and not deadline.passed():
            time.sleep(0.001)
        said = self._pipes.stderr()
        self.kill()
        code = self._process.returncode
        if code is not None and code == self._exhausted_status:
            return Died("memory", "out of memory")
        return _cause(code, said, self._peak_at_death, self.memory)

    def _reap(self, wait: bool) -> int | None:
        process = self._process
        if process.returncode is not None:
            return process.returncode
        if not hasattr(os, "wait4"):
            return process.wait() if wait else process.poll()
        try:
            pid, status, usage = os.wait4(process.pid, 0 if wait else os.WNOHANG)
        except ChildProcessError:
            process.returncode = 0
            return 0
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            counted = usage.ru_maxrss // ((1 << 20) if sys.platform == "darwin" else 1024)
            self._peak_at_death = counted if counted > self._inherited else self.peak
        return process.returncode

    def lower_priority(self) -> None:
        """Let the child and all below it have the processors after others (on Linux alone).

        There is no way back: who may not raise its own priority may not raise the child's.
        """
        self.is_low = True
        if sys.platform == "linux" and self.is_ours() and self._process.returncode is None:
            for thread in _threads_below(self.pid):
                with suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, thread, _LOW_PRIORITY)

    def is_ours(self) -> bool:
        """Whether the child belongs to this process, and not to one that this was forked from."""
        return self._owner == os.getpid()

    def alive(self) -> bool:
        """Whether the child runs, and is ours."""
        return not self._closed and self.is_ours() and self._reap(wait=False) is None

    def kill(self) -> None:
        """End the child now and forget it; in a forked process, only forget it."""
        if self._closed:
            return
        if self.is_ours():
            self.kill_from_outside()
            try:
                self._reap(wait=True)
            except KeyboardInterrupt:
                # It ends at once now. Left alone it would be a zombie that nobody asks for any more.
                self.kill()
                raise
        else:
            self._process.returncode = 0
        self._closed = True
        self._pipes.close()

    def __del__(self) -> None:
        if getattr(self, "_closed", True):
            return
        if not sys.is_finalizing():
            self.kill()
            return
        # The system reaps it: waiting needs modules that may be gone by now.
        self.kill_from_outside()
        self._process.returncode = 0
        self._pipes.close()

    def kill_from_outside(self) -> None:
        """End the child if it is ours; the thread that waits for it then finds it dead."""
        if self.is_ours() and self._process.returncode is None:
            self._process.kill()


def _cause(code: int | None, said: str, peak: int, limit: int | None) -> Died:
    if any(words in said.lower() for words in _OUT_OF_MEMORY):
        return Died("memory", "out of memory")
    if code is not None and code < 0:
        name = _signal_name(-code)
        if name == "SIGALRM":
            return Died("timeout", "the worker reached its own deadline")
        if name in ("SIGSEGV", "SIGABRT", "SIGBUS") and limit is not None and peak >= 0.8 * limit:
            return Died("memory", f"{name} at {peak} MB, near the limit of {limit} MB")
        return Died("crash", f"the solver's process was ended by {name}")
    last = said.strip().splitlines()[-1:] or [f"exit code {code}"]
    return Died("crash", f"the solver's process ended: {last[0]}")


def _threads_below(pid: int) -> Iterator[int]:
    """The threads of a process and of all that it has started: on Linux each has its own priority."""
    for task in Path(f"/proc/{pid}/task").glob("*"):
        yield int(task.name)
        with suppress(OSError):
            for child in (task / "children").read_text().split():
                yield from _threads_below(int(child))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
