"""Runs over many items: several at a time, and with a journal from which they can go on.

The rules of the journals are [DAG-BUILD-6], [SAMPLE-JOURNAL], [ANNOTATE-JOURNAL] and [EVAL-RESUME].
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Generic, TypeVar

from potlang.languages.dagmath.read.samples import read_lines
from potlang.models.endpoint import Failure
from potlang.models.loop.asking import FATAL, Attempt
from potlang.source import InputLimits
from potlang.utils.closing import Closing
from potlang.utils.interruptible import Interruptible

Entry = TypeVar("Entry")
Item = TypeVar("Item")
Result = TypeVar("Result")

_LIMITS = InputLimits(bytes=1 << 30)


class BadJournal(ValueError):
    """The file is there and is no journal."""


class Journal(Closing, Generic[Entry]):
    """JSON Lines that are only appended to; None for a path: nothing is kept. Use it as a context manager.

    `read` makes an entry and its key of a line's value, or raises ValueError, TypeError, KeyError or
    OverflowError. `entries` has the last entry of each key. Lines that are no entries are passed over and
    counted in `unreadable`, unless it is known how each line `begins`: then a file with another line is left
    alone and refused, as a device is, and a last line that was not finished is cut off. Raises BadJournal
    and OSError.
    """

    def __init__(
        self,
        path: Path | None,
        read: Callable[[Any], tuple[str, Entry]],
        *,
        begins: bytes | None = None,
        limits: InputLimits = _LIMITS,
    ) -> None:
        self.path = path
        self.entries: dict[str, Entry] = {}
        self.unreadable = 0
        self._read = read
        self._begins = begins
        self._limits = limits
        self._lock = Lock()
        self._file: Any = None
        if path is None:
            return
        # Read before it is opened for appending, so that a refused file is not even created. A device or a
        # pipe has nothing to go on from, or gives zeros for ever.
        repair = self._go_on(path) if path.is_file() else None
        if begins is not None and path.exists() and not path.is_file():
            raise BadJournal(f"{path} is no file that a run can go on from")
        # Unbuffered, so that an entry is one write wherever the system lets it be one: lines of two
        # processes do not mix, and an entry is safe as soon as it is appended.
        self._file = path.open("ab", buffering=0)
        if repair == b"\n":
            self._write(repair)

    def close(self) -> None:
        """Close the file; nothing can be appended to it afterwards."""
        if self._file is not None:
            self._file.close()

    def append(self, key: str, entry: Entry, value: dict[str, Any]) -> None:
        """Adds an entry, which `value` is read as. From several threads at once."""
        with self._lock:
            self.entries[key] = entry
            if self._file is not None:
                self._write(json.dumps(value).encode("ascii") + b"\n")

    def values(self) -> Iterator[tuple[int, Any]]:
        """The values of all entries with the numbers of their lines, from the file."""
        assert self.path is not None
        with self.path.open("rb") as stream:
            for number, line in read_lines(stream, self._limits):
                yield number, json.loads(line)

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]

    def _go_on(self, path: Path) -> bytes | None:
        """Reads the entries of a file; the line end that it lacks, None for a complete file."""
        end = 0
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            is_finished = not size or _last_byte(stream) == b"\n"
            for number, line in read_lines(stream, self._limits):
                if self._begins is not None and not is_finished and stream.tell() == size:
                    # With no whole line before it, this must be told from the text of some other file.
                    if not end and not self._begins.startswith(line[: len(self._begins)]):
                        raise BadJournal(f"line {number} of {path} is no record of a journal")
                    break
                self._take(number, line, path)
                end = stream.tell()
        if is_finished:
            return None
        if self._begins is None:
            return b"\n"
        os.truncate(path, end)
        return None

    def _take(self, number: int, line: bytes, path: Path) -> None:
        try:
            key, entry = self._read(json.loads(line))
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            if self._begins is not None:
                raise BadJournal(f"line {number} of {path} is no record of a journal") from None
            self.unreadable += 1
        else:
            self.entries[key] = entry


def _last_byte(stream: BinaryIO) -> bytes:
    stream.seek(-1, os.SEEK_END)
    found = stream.read(1)
    stream.seek(0)
    return found


def run_items(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int, *, ended_by: Callable[[Result], str]
) -> str:
    """Works on items, `jobs` at a time, until there is a reason by which one ended the run: that, or "".

    `ended_by` is called with each result, in the caller's thread.
    """
    ended = ""

    def rest() -> Iterator[Item]:
        for item in items:
            if ended:
                return
            yield item

    for result in in_parallel(work, rest(), jobs):
        ended = ended or ended_by(result)
    return ended


def fatal(failure: Failure | None, reason: str) -> str:
    """The reason, if it is a failure that ends a run over many items."""
    return reason if failure in FATAL else ""


def attempt_value(attempt: Attempt) -> dict[str, Any]:
    """An attempt in a journal, as JSON values."""
    return {
        "stage": attempt.stage,
        "model": attempt.model,
        "prompt": attempt.messages[-1].text,
        "reply": attempt.reply,
        "fault": attempt.problem,
        "seconds": attempt.seconds,
        "prompt_tokens": attempt.prompt_tokens,
        "completion_tokens": attempt.completion_tokens,
        "failure": attempt.failure,
    }


def in_parallel(work: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """The results as they come, `jobs` items at a time; an item is taken when there is room for it."""
    if jobs <= 1:
        # In the caller's thread: what `work` raises, an interruption too, has its own traceback.
        yield from map(work, items)
        return
    rest = iter(items)
    begun: list[Interruptible[Result]] = []
    with ThreadPoolExecutor(jobs, "potlang") as pool:
        pending: dict[Future[Result], Interruptible[Result]] = {}
        try:
            while True:
                # Only as many as are worked on: whoever interrupts waits for these alone.
                while len(pending) < jobs:
                    try:
                        one = Interruptible(partial(work, next(rest)))
                    except StopIteration:
                        break
                    # First: an interruption may hit the pool when the thread has begun already.
                    begun.append(one)
                    pending[pool.submit(one)] = one
                if not pending:
                    return
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for each in done:
                    begun.remove(pending.pop(each))
                    yield each.result()
        finally:
            # The pool waits for its threads.
            for one in begun:
                one.interrupt()
