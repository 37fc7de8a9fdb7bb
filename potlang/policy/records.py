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
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NamedTuple, Protocol

from potlang.policy.tests import PolicyError
from potlang.report.results import Verdict
from potlang.utils.directories import flush_folder
from potlang.version import __version__

START: Final = "0" * 64
"""In the first record the place of the digest of the one before."""
DATABASE: Final = ".sqlite3"
_LONGEST: Final = 64 << 20
_KEYS: Final = ("at", "before", "content", "digest", "kind", "number", "potlang")
_BUSY_SECONDS: Final = 30.0
_TIME: Final = len("2026-11-27T19:33:37.123+00:00")
_TIME_AT: Final = len('{"at":"')
_LONGEST_KEPT: Final = 4_000
"""Bytes of a record that was not finished which are kept."""
_SOME: Final = "SELECT number, line FROM records WHERE number > ? ORDER BY number LIMIT 1000"


Certificates = Literal["none", "digest", "text"]
"""How a record has the certificate of its verdicts."""


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


def certificate_content(
    decided: Sequence[Verdict], found: Sequence[Verdict], certificate: str | None, kept: Certificates
) -> dict[str, str]:
    """The part of a record that is about the certificate of what was decided; empty if there is none of it.

    Raises RecordError if the verdicts `found` with the certificate are others than those `decided`.
    """
    if any(new not in (old, Verdict.UNKNOWN) for old, new in zip(decided, found, strict=True)):
        raise RecordError("what was decided is not what the solvers say that the certificate is from")
    if certificate is None or set(found) <= {Verdict.UNKNOWN}:
        return {}
    content = {"certificate_sha256": hashlib.sha256(certificate.encode()).hexdigest()}
    return {**content, "certificate": certificate} if kept == "text" else content


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
            yield RecordFault(place, "the record was cut off: it has no end, and nothing was decided by it")
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
            yield _bytes(line)
            last = number


def _bytes(value: object) -> bytes:
    """The line of a row, which may have anything in its place if others wrote it."""
    return value if isinstance(value, bytes) else str(value).encode()


# --- writing ---------------------------------------------------------------------------------------------


_Following = Callable[[bytes | None, bytes], bytes]
"""Lines that follow the last whole one (None: there is none), and what is there of one that has no end."""


class _Chain(Protocol):
    """Where the lines of a chain are kept."""

    def append(self, following: _Following) -> None:
        """Adds the lines that follow, while others wait."""
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
        """Adds a record, behind one of the kind `cut` in the place of a record that was not finished.

        Raises RecordError for a chain that cannot be written, or ends in no record of its own.
        """
        made: list[DecisionRecord] = []

        def following(last: bytes | None, unfinished: bytes) -> bytes:
            before = None if last is None else self._whole(last)
            made.clear()
            if unfinished:
                self._check_begun(unfinished, before)
                made.append(self._next("cut", _cut_content(unfinished), before))
            made.append(self._next(kind, content, made[-1] if made else before))
            return b"".join(canonical_line(each._asdict()) + b"\n" for each in made)

        try:
            self._chain.append(following)
        except OSError as error:
            raise RecordError(f"cannot write {str(self.path)!r}: {error.strerror or error}") from None
        except sqlite3.Error as error:
            raise RecordError(f"cannot write {str(self.path)!r}: {error}") from None
        return made[-1]

    def _next(self, kind: str, content: Mapping[str, Any], before: DecisionRecord | None) -> DecisionRecord:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        number, digest = (0, START) if before is None else (before.number, before.digest)
        record = DecisionRecord(number + 1, kind, dict(content), at, __version__, digest, "")
        return record._replace(digest=_digest(record._asdict(), self._key))

    def _whole(self, last: bytes) -> DecisionRecord:
        value = _value(last)
        if value is None or value["digest"] != _digest(value, self._key):
            raise self._not_ours()
        return DecisionRecord(**value)

    def _check_begun(self, unfinished: bytes, before: DecisionRecord | None) -> None:
        """Raises RecordError for an end that no writer of this chain has begun: it may be anybody's file."""
        digest = START if before is None else before.digest
        expected = b'{"at":"%s","before":"%s","content":{' % (b"?" * _TIME, digest.encode())
        given = unfinished[: len(expected)]
        given = given[:_TIME_AT] + b"?" * len(given[_TIME_AT : _TIME_AT + _TIME]) + given[_TIME_AT + _TIME :]
        # What stands behind a whole record, but for its end, was put there by somebody else.
        if not expected.startswith(given) or _value(unfinished[:-1] + b"\n") is not None:
            raise self._not_ours()

    def _not_ours(self) -> RecordError:
        where = str(self.path)
        return RecordError(
            f"the last record of {where!r} is none of this chain: nothing is built on it."
            " Look at what stands there, or record into another file"
        )


def _cut_content(unfinished: bytes) -> dict[str, Any]:
    """The content of the record that says what was cut off."""
    return {
        "bytes": len(unfinished),
        "sha256": hashlib.sha256(unfinished).hexdigest(),
        "begins": unfinished[:_LONGEST_KEPT].decode("ascii", "replace"),
    }


class _Lines:
    """A file of JSON Lines, locked while it is added to."""

    def __init__(self, path: Path, sync: bool) -> None:
        self._path = path
        self._sync = sync

    def append(self, following: _Following) -> None:
        is_new = not self._path.exists()
        with open(self._path, "rb+", buffering=0, opener=_creating) as file:
            _lock(file)
            last, unfinished = _end(file)
            lines = following(last, unfinished)
            start = file.seek(0, os.SEEK_END) - len(unfinished)
            try:
                if len(unfinished) > 1:
                    # At each moment the end is one that says by itself that it is not finished.
                    file.truncate(start + 1)
                file.seek(start)
                _write(file, lines)
                if self._sync:
                    os.fsync(file.fileno())
            except BaseException:
                # Half a record, as on a full disk, would stand in the way of all that come.
                with suppress(OSError):
                    file.truncate(start)
                    file.seek(start)
                    _write(file, unfinished)
                raise
        if is_new and self._sync:
            flush_folder(self._path.parent)


def _creating(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_CREAT, 0o666)


def _lock(file: BinaryIO) -> None:
    """Waits until no other writes. Raises RecordError after a while: one may be stopped for good."""
    try:
        import fcntl
    except ImportError:  # Not on all systems.
        return
    until = time.monotonic() + _BUSY_SECONDS
    pause = 0.0005
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise RecordError(
                    f"{file.name!r} was being written by another process for {_BUSY_SECONDS:g} s"
                ) from None
            time.sleep(pause)
            pause = min(2 * pause, 0.02)


def _end(file: BinaryIO) -> tuple[bytes | None, bytes]:
    """The last whole line of a file, if there is one, and what stands behind it. Raises RecordError."""
    at = file.seek(0, os.SEEK_END)
    found = b""
    while at > 0 and found.count(b"\n") < 2:
        start = max(0, at - max(len(found), 1 << 16))
        file.seek(start)
        found = file.read(at - start) + found
        at = start
        if len(found) > 2 * _LONGEST:
            raise RecordError(f"{file.name!r} is no chain of records: its last line is too long")
    lines, newline, unfinished = found.rpartition(b"\n")
    last = lines[lines.rfind(b"\n") + 1 :] + newline
    return (last or None), unfinished


def _write(file: BinaryIO, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[file.write(left) :]


class _Table:
    """A table of an SQLite database."""

    def __init__(self, path: Path, sync: bool) -> None:
        self._path = path
        self._sync = sync

    def append(self, following: _Following) -> None:
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
                line = following(None if row is None else _bytes(row[1]), b"")
                number = 1 if row is None else row[0] + 1
                database.execute("INSERT INTO records VALUES (?, ?)", (number, line))
                database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise
