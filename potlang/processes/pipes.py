"""The parent's ends of a worker's pipes: reads and writes that end at a deadline.

`PollPipes` where the system can poll pipes, `ThreadPipes` elsewhere. Both write in the background of
reading, so that a worker that streams answers while it is being sent queries cannot lock up.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from typing import IO, Any, Final, Protocol

from potlang.utils.deadline import Deadline

_CHUNK: Final = 1 << 16
_TAIL: Final = 4096
_SLICE_MS: Final = 100
"""A wait looks up so often: only then does the interpreter raise what another thread has sent here."""


class WorkerPipes(Protocol):
    """Bytes to and from one child."""

    def write(self, data: bytes) -> None:
        """Have these bytes sent; returns at once."""

    def drain(self, deadline: Deadline) -> None:
        """Wait until all is sent, the child has something to say, or the deadline is there."""

    def readable(self) -> bool:
        """Whether `read` has something at once."""

    def read(self, deadline: Deadline) -> bytes:
        """Some bytes; none at the end. Raises TimeoutError at the deadline."""

    def stderr(self) -> str:
        """The end of what the child has printed."""

    def close(self) -> None:
        """Close the descriptors; the child must be dead, or is left to see the end of its input."""


class PollPipes:
    """Non-blocking descriptors and `poll`: no threads."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self._files = (stdin, stdout, stderr)
        self._in, self._out, self._err = (each.fileno() for each in self._files)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._waiting: list[memoryview] = []
        self._tail = b""
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def write(self, data: bytes) -> None:
        self._waiting.append(memoryview(data))
        self._flush()

    def _flush(self) -> None:
        try:
            while self._waiting:
                sent = os.write(self._in, self._waiting[0][:_CHUNK])
                self._waiting[0] = self._waiting[0][sent:]
                if not self._waiting[0]:
                    self._waiting.pop(0)
        except BlockingIOError:
            self._poll.register(self._in, select.POLLOUT)
            return
        except BrokenPipeError:
            self._waiting.clear()
        self._stop_polling(self._in)

    def drain(self, deadline: Deadline) -> None:
        while self._waiting and not self._is_readable(deadline.left_ms()) and not deadline.passed():
            pass

    def readable(self) -> bool:
        return self._is_readable(0)

    def read(self, deadline: Deadline) -> bytes:
        while not self._is_readable(min(deadline.left_ms(), _SLICE_MS)):
            if deadline.passed():
                raise TimeoutError
        return os.read(self._out, 1 << 20)

    def _is_readable(self, within_ms: int) -> bool:
        """Whether the child has something to say, after what happens next, or in so much time."""
        # One more, since whole milliseconds are rounded down: else the last one is waited for in a busy loop.
        ready = dict(self._poll.poll(within_ms + 1 if within_ms else 0))
        if self._err in ready:
            self._take_error()
        if self._in in ready:
            self._flush()
        return self._out in ready

    def _take_error(self) -> None:
        try:
            data = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._stop_polling(self._err)
        self._tail = (self._tail + data)[-_TAIL:]

    def _stop_polling(self, descriptor: int) -> None:
        try:
            self._poll.unregister(descriptor)
        except KeyError:
            return

    def stderr(self) -> str:
        self._take_error()
        return self._tail.decode("utf-8", "replace")

    def close(self) -> None:
        self._waiting.clear()
        for each in self._files:
            each.close()


class ThreadPipes:
    """A thread for each direction, for systems that cannot poll pipes."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        import queue

        self._files = (stdin, stdout, stderr)
        self._empty = queue.Empty
        self._read_chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._write_chunks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._tail = b""
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._writer, self._reader, self._drainer)
        ]
        for thread in self._threads:
            thread.start()

    def write(self, data: bytes) -> None:
        self._write_chunks.put(data)

    def drain(self, deadline: Deadline) -> None:
        pass  # A thread sends it.

    def readable(self) -> bool:
        return not self._read_chunks.empty()

    def read(self, deadline: Deadline) -> bytes:
        while True:
            try:
                return self._read_chunks.get(timeout=min(deadline.left_ms(), _SLICE_MS) / 1000)
            except self._empty:
                if deadline.passed():
                    raise TimeoutError from None

    def stderr(self) -> str:
        self._threads[2].join(timeout=1.0)
        return self._tail.decode("utf-8", "replace")

    def close(self) -> None:
        self._write_chunks.put(None)
        for thread in self._threads:
            thread.join(timeout=1.0)
        for each in self._files:
            each.close()

    def _writer(self) -> None:
        descriptor = self._files[0].fileno()
        while (data := self._write_chunks.get()) is not None:
            left = memoryview(data)
            try:
                while left:
                    left = left[os.write(descriptor, left) :]
            except OSError:
                return

    def _reader(self) -> None:
        while data := _read_quietly(self._files[1]):
            self._read_chunks.put(data)
        self._read_chunks.put(b"")

    def _drainer(self) -> None:
        while data := _read_quietly(self._files[2]):
            self._tail = (self._tail + data)[-_TAIL:]


def _read_quietly(file: IO[bytes]) -> bytes:
    try:
        return os.read(file.fileno(), 1 << 20)
    except (OSError, ValueError):
        return b""


def open_pipes(process: Any, threads: bool | None = None) -> WorkerPipes:
    """The pipes of a `Popen`; `threads` forces the kind, which otherwise is what the system has."""
    if threads is None:
        threads = sys.platform == "win32" or not hasattr(select, "poll")
    kind = ThreadPipes if threads else PollPipes
    return kind(process.stdin, process.stdout, process.stderr)
