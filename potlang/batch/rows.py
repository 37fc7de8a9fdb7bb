"""Result rows, and the files of a shard that they are written to, from which a run goes on ([BATCH-ROW])."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from potlang.batch.jobs import Job
from potlang.batch.manifest import Shard
from potlang.batch.parquet import write_parquet
from potlang.batch.tables import ReadTable
from potlang.utils.closing import Closing
from potlang.utils.serialize import json_text

ROWS_FOLDER: Final = "rows"
TIMES_FOLDER: Final = "times"
PARQUET: Final = ".parquet"
_PIECE: Final = 1 << 20


class Told(NamedTuple):
    """The verdict on a job, and what changes from run to run, which is no part of its row.

    `fault` is why its process died, each time that it was tried, if it did; `tables` are those it has read.
    """

    verdict: str
    ms: float
    fault: str | None = None
    tables: tuple[ReadTable, ...] = ()

    @classmethod
    def of_line(cls, line: bytes) -> Told:
        """The record in a line of a file of times."""
        verdict, ms, fault, tables = json.loads(line)
        return cls(verdict, ms, fault, tuple(ReadTable(*each) for each in tables))


RESERVED: Final = frozenset(("id", "file", "line", "language", "verdict", "fault", "report"))
"""Members of rows that are not those of a job."""


def row_of(job: Job, report: dict[str, Any], carry: Sequence[str] = ()) -> dict[str, Any]:
    """The row of a job, without times: the same for the same job. `carry` are members of the job."""
    return {**_head(job, carry), "verdict": report["verdict"], "report": _without_times(report)}


def lost_row(job: Job, fault: str, carry: Sequence[str] = ()) -> dict[str, Any]:
    """The row of a job whose process died each time."""
    return {**_head(job, carry), "verdict": "unknown", "fault": fault, "report": None}


def _head(job: Job, carry: Sequence[str]) -> dict[str, Any]:
    named = {} if job.id is None else {"id": job.id}
    line = {} if job.line is None else {"line": job.line}
    kept = {name: _plain(job.members[name]) for name in carry if name in job.members}
    return {**named, "file": job.file, **line, **kept, "language": job.language}


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(each) for key, each in value.items() if key != "time_ms"}
    if isinstance(value, list | tuple):
        return [_without_times(each) for each in value]
    return value


class ShardFiles(Closing):
    """The two files of a shard, written side by side: rows, and what was told of each.

    They end in `.part` until the shard is done. What an earlier run has left of them is gone on with: a last
    line that was not finished, and one without its counterpart, are cut off. `done` is how many rows there
    are.
    """

    def __init__(self, directory: Path, shard: Shard) -> None:
        """Raises OSError, also where another process writes to this shard."""
        self._places = [place(directory, folder, shard) for folder in (ROWS_FOLDER, TIMES_FOLDER)]
        self._files: list[BinaryIO] = []
        try:
            self.done = self._opened()
        except BaseException:
            self.close()
            raise

    def _opened(self) -> int:
        for path in self._places:
            path.parent.mkdir(parents=True, exist_ok=True)
            # One of a run that ended while it finished the shard has its name already.
            found = path if path.exists() else unfinished(path)
            # Unbuffered: a row is safe from the end of this process as soon as it is written.
            self._files.append(found.open("ab+", buffering=0))
            _lock(self._files[-1])
            found.replace(unfinished(path))
        ends = [_line_ends(file) for file in self._files]
        done = min(map(len, ends)) - 1
        for file, each in zip(self._files, ends, strict=True):
            os.truncate(file.fileno(), each[done])
        return done

    def add(self, row: dict[str, Any], told: Told) -> None:
        """Write a row. Raises OSError."""
        for file, text in zip(self._files, (json_text(row, None), json.dumps(told)), strict=True):
            left = memoryview(text.encode() + b"\n")
            while left:
                left = left[file.write(left) :]
        self.done += 1

    def finish(self, parquet: Sequence[str] | None = None) -> None:
        """Say that the shard is done: its files get their names, the rows last. Raises OSError.

        With `parquet`, the names of carried members, the rows are Parquet then.
        """
        for file in self._files:
            os.fsync(file.fileno())
        rows, times = self._places
        unfinished(times).replace(times)
        if parquet is None:
            unfinished(rows).replace(rows)
            return
        target = rows.with_suffix(PARQUET)
        write_parquet(unfinished(rows), unfinished(target), parquet)
        unfinished(target).replace(target)
        unfinished(rows).unlink()

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()


def _lock(file: BinaryIO) -> None:
    """Nobody else writes to this shard: a node that was given up may be alive. Raises OSError."""
    with suppress(ImportError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def place(directory: Path, folder: str, shard: Shard) -> Path:
    """A file of a shard that is done."""
    return directory / folder / f"{shard.name}.jsonl"


def unfinished(path: Path) -> Path:
    """The name of such a file until the shard is done."""
    return path.with_name(f"{path.name}.part")


def is_done(directory: Path, shard: Shard) -> bool:
    """Whether all rows of a shard are written."""
    path = place(directory, ROWS_FOLDER, shard)
    return path.exists() or path.with_suffix(PARQUET).exists()


def cut_off(directory: Path, shard: Shard) -> None:
    """Cut off what an earlier run has left unfinished at the ends of a shard's files. Raises OSError."""
    path = unfinished(place(directory, ROWS_FOLDER, shard))
    if is_done(directory, shard):
        # It ended between the Parquet file and the removal of what that is made of.
        path.unlink(missing_ok=True)
    elif path.exists():
        ShardFiles(directory, shard).close()


def told_of(directory: Path, shard: Shard) -> list[Told]:
    """The verdicts and times of the jobs of a shard so far. Raises OSError."""
    path = place(directory, TIMES_FOLDER, shard)
    if not path.exists():
        path = unfinished(path)
        if not path.exists():
            return []
    lines = path.read_bytes().split(b"\n")[:-1]
    return list(map(Told.of_line, lines))


def _line_ends(file: BinaryIO) -> list[int]:
    """0, and the place behind each line end."""
    ends, at = [0], 0
    file.seek(0)
    while piece := file.read(_PIECE):
        found = piece.find(b"\n")
        while found >= 0:
            ends.append(at + found + 1)
            found = piece.find(b"\n", found + 1)
        at += len(piece)
    return ends
