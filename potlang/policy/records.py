"""Records of decisions in a chain: each has the digest of the one before ([RECORD-CHAIN]).

A chain is a file of JSON Lines, or an SQLite database if its name ends in `.sqlite3`. Lines are in one form
only, so that no byte of one can change without being found.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Protocol

from potlang.policy.tests import PolicyError
from potlang.utils.directories import flush_folder
from potlang.version import __version__

START: Final = "0" * 64
"""In the first record the place of the digest of the one before."""
DATABASE: Final = ".sqlite3"
_LONGEST: Final = 64 << 20
_KEYS: Final = ("at", "before", "content", "digest", "kind", "number", "potlang")
_BUSY_SECONDS: Final = 30.0
_SOME: Final = "SELECT number, line FROM records WHERE number > ? ORDER BY number LIMIT 1000"


class RecordError(PolicyError):
    """A chain that cannot be read or written, or that is not built on."""


class DecisionRecord(NamedTuple):
    """One record: its number from 1 on, what it says, its digest and that of the one before.

    `at` is when it was made, `potlang` the version that made it.
    """

    number: int
    kind: str
    content: Mapping[str, Any]
    at: str
    potlang: str
    before: str
    digest: str


class RecordFault(NamedTuple):
    """A fault of a chain, at the place of a record (a line of the file)."""

    place: int
    problem: str


def canonical_line(value: Mapping[str, Any]) -> bytes:
    """A record in the one form that it has."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _digest(value: Mapping[str, Any], key: bytes) -> str:
    text = canonical_line({name: each for name, each in value.items() if name != "digest"})
    return hmac.new(key, text, "sha256").hexdigest() if key else hashlib.sha256(text).hexdigest()


# --- reading ---------------------------------------------------------------------------------------------


def read_records(path: Path, key: bytes = b"") -> Iterator[DecisionRecord | RecordFault]:
    """The records of a chain in order, and what is wrong with it, each fault at its place.

    Behind a fault records are read on, as far as they are some. Raises RecordError.
    """
    before, number = START, 0
    for place, line in enumerate(_lines(path), 1):
        if not line.endswith(b"\n"):
            yield RecordFault(place, "the record was cut off: it has no end")
            return
        value = _value(line)
        if value is None:
            yield RecordFault(place, "this is no record: it was changed")
            continue
        record = DecisionRecord(**value)
        if not hmac.compare_digest(record.digest.encode(), _digest(value, key).encode()):
            yield RecordFault(place, "the record was changed: its digest is not that of what it says")
        elif record.before != before or record.number != number + 1:
            yield RecordFault(place, "the record does not follow the one before: some are missing or moved")
        else:
            yield record
        before, number = record.digest, record.number


def _value(line: bytes) -> dict[str, Any] | None:
    """The JSON value of a line, if it is that of a record in its one form."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or tuple(sorted(value)) != _KEYS:
        return None
    texts = (value[name] for name in ("at", "before", "digest", "kind", "potlang"))
    if not all(isinstance(each, str) for each in texts) or not isinstance(value["content"], dict):
        return None
    if type(value["number"]) is not int or canonical_line(value) + b"\n" != line:
        return None
    return value


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            is_database = file.read(16) == b"SQLite format 3\0"
            file.seek(0)
            if is_database or path.suffix == DATABASE:
                yield from _rows(path)
                return
            while line := file.readline(_LONGEST):
                yield line
    except OSError as error:
        raise RecordError(f"cannot read {str(path)!r}: {error.strerror or error}") from None


def _rows(path: Path) -> Iterator[bytes]:
    last = -1
    while True:
        try:
            # A reader that stops in between must not keep writers out.
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as database:
                rows = database.execute(_SOME, (last,)).fetchall()
        except sqlite3.Error as error:
            raise RecordError(f"{str(path)!r} is damaged, or no chain of records: {error}") from None
        if not rows:
            return
        for number, line in rows:
            yield line if isinstance(line, bytes) else str(line).encode()
            last = number


# --- writing ---------------------------------------------------------------------------------------------


class _Chain(Protocol):
    """Where the lines of a chain are kept."""

    def append(self, following: Callable[[bytes | None], bytes]) -> None:
        """Adds the line that follows the last one (None: there is none), while others wait."""
        ...


class Records:
    """A chain that records are added to, by any number of threads and processes.

    With a `key` digests are made with it, so that nobody without it can make a chain. A record is on the disk
    when `add` returns, unless `sync` is false: then the system may lose the last ones when it goes down.
    """

    def __init__(self, path: Path, *, key: bytes = b"", sync: bool = True) -> None:
        self.path = path
        self._key = key
        self._chain: _Chain = _Table(path, sync) if path.suffix == DATABASE else _Lines(path, sync)

    def read(self) -> Iterator[DecisionRecord | RecordFault]:
        """The records so far; none of a chain that is not there yet. Raises RecordError."""
        return read_records(self.path, self._key) if self.path.exists() else iter(())

    def add(self, kind: str, content: Mapping[str, Any]) -> DecisionRecord:
        """Adds a record. Raises RecordError for a chain that cannot be written, or ends in no record."""
        made: list[DecisionRecord] = []

        def following(last: bytes | None) -> bytes:
            before = None if last is None else self._whole(last)
            value: dict[str, Any] = {
                "number": 1 if before is None else before["number"] + 1,
                "kind": kind,
                "content": dict(content),
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "potlang": __version__,
                "before": START if before is None else before["digest"],
            }
            value["digest"] = _digest(value, self._key)
            made[:] = [DecisionRecord(**value)]
            return canonical_line(value) + b"\n"

        try:
            self._chain.append(following)
        except OSError as error:
            raise RecordError(f"cannot write {str(self.path)!r}: {error.strerror or error}") from None
        except sqlite3.Error as error:
            raise RecordError(f"cannot write {str(self.path)!r}: {error}") from None
        return made[0]

    def _whole(self, last: bytes) -> dict[str, Any]:
        value = _value(last)
        if value is None or value["digest"] != _digest(value, self._key):
            where = str(self.path)
            raise RecordError(f"the last record of {where!r} is none of this chain: nothing is built on it")
        return value


class _Lines:
    """A file of JSON Lines, locked while it is added to."""

    def __init__(self, path: Path, sync: bool) -> None:
        self._path = path
        self._sync = sync

    def append(self, following: Callable[[bytes | None], bytes]) -> None:
        is_new = not self._path.exists()
        with self._path.open("ab+", buffering=0) as file:
            with suppress(ImportError):
                import fcntl  # Not on all systems.

                fcntl.flock(file, fcntl.LOCK_EX)
            last = _last_line(file)
            if last is not None and not last.endswith(b"\n"):
                raise RecordError(
                    f"the last record of {str(self._path)!r} was cut off: nothing is built on it."
                    " `potc policy replay --cut-off` removes what is left of it"
                )
            end = file.seek(0, os.SEEK_END)
            try:
                _write(file, following(last))
                if self._sync:
                    os.fsync(file.fileno())
            except BaseException:
                # Half a record, as on a full disk, would stand in the way of all that come.
                with suppress(OSError):
                    file.truncate(end)
                raise
        if is_new and self._sync:
            flush_folder(self._path.parent)


def _last_line(file: BinaryIO) -> bytes | None:
    """The last line of a file; None of an empty one."""
    end = file.seek(0, os.SEEK_END)
    found = b""
    at = end
    while at > 0 and found.count(b"\n", 0, len(found) - 1) == 0:
        start = max(0, at - (1 << 16))
        file.seek(start)
        found = file.read(at - start) + found
        at = start
        if len(found) > _LONGEST:
            break
    return found[found.rfind(b"\n", 0, len(found) - 1) + 1 :] if found else None


def _write(file: BinaryIO, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[file.write(left) :]


class _Table:
    """A table of an SQLite database."""

    def __init__(self, path: Path, sync: bool) -> None:
        self._path = path
        self._sync = sync

    def append(self, following: Callable[[bytes | None], bytes]) -> None:
        with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)) as database:
            database.execute(f"PRAGMA synchronous = {'FULL' if self._sync else 'OFF'}")
            database.execute("BEGIN IMMEDIATE")
            try:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, line BLOB NOT NULL)"
                )
                row = database.execute(
                    "SELECT number, line FROM records ORDER BY number DESC LIMIT 1"
                ).fetchone()
                line = following(None if row is None else bytes(row[1]))
                number = 1 if row is None else row[0] + 1
                database.execute("INSERT INTO records VALUES (?, ?)", (number, line))
                database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise


def cut_off(path: Path) -> int:
    """Removes what a killed process left of a last record; how many bytes that were. Raises RecordError."""
    if path.suffix == DATABASE:
        return 0
    try:
        with path.open("rb+") as file:
            last = _last_line(file)
            if last is None or last.endswith(b"\n"):
                return 0
            end = file.seek(0, os.SEEK_END)
            file.truncate(end - len(last))
            os.fsync(file.fileno())
            return len(last)
    except OSError as error:
        raise RecordError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
