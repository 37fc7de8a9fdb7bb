"""The results file: one outcome a line, only ever appended to, to resume a run from ([EVAL-RESUME])."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from potlang.languages.dagmath.read.samples import read_lines
from potlang.models.evaluation.outcomes import Outcome


class ResultsFile:
    """Outcomes in a file, or nowhere for None. Use it as a context manager. Raises OSError.

    Lines that are not outcomes are passed over and counted in `unreadable`: a run that was killed leaves a
    line that is cut off. Of several outcomes with one key the last counts.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.unreadable = 0
        self._found: dict[str, Outcome] = {}
        self._lock = Lock()
        self._file: int | None = None

    def __enter__(self) -> Self:
        if self.path is None:
            return self
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(self.path, flags, 0o644)
        try:
            self._read(self.path)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()

    def find(self, key: str) -> Outcome | None:
        """The outcome with this key; None if there is none."""
        return self._found.get(key)

    def append(self, outcome: Outcome) -> None:
        """Adds an outcome, which is safe from then on if this process is killed."""
        if self._file is None:
            return
        line = json.dumps(outcome.to_dict(), ensure_ascii=True) + "\n"
        with self._lock:
            _write_all(self._file, line.encode("ascii"))

    def _read(self, path: Path) -> None:
        ends_in = b"\n"
        with path.open("rb") as stream:
            for _, line in read_lines(stream):
                try:
                    outcome = Outcome.from_dict(json.loads(line))
                except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
                    self.unreadable += 1
                else:
                    self._found[outcome.key] = outcome
            if stream.tell():
                stream.seek(-1, os.SEEK_END)
                ends_in = stream.read(1)
        if ends_in != b"\n" and self._file is not None:
            _write_all(self._file, b"\n")

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _write_all(file: int, data: bytes) -> None:
    """One write where the system lets it be one, so that lines of two processes do not mix."""
    while data:
        data = data[os.write(file, data) :]
