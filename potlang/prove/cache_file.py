"""The cache's file: SQLite, shared by any number of processes, replaceable at any moment ([CACHE-FILE]).

A rollback journal and no WAL; each call opens and closes its own connection; a damaged file is left to
itself, and everybody goes on with the file of the next number.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from potlang.prove.cache_store import COLUMNS, COUNTED, EVICT_TO, EVICTED_AT_ONCE, CacheRow, Damaged, Unusable

SCHEMA: Final = 1
BUSY_SECONDS: Final = 5.0
_SMALL_WAIT_MS: Final = 50
_LARGEST_VALUE: Final = 256 * 1024 * 1024
_MOST_HITS: Final = 1e15

_TABLES: Final = (
    "CREATE TABLE entries (key TEXT PRIMARY KEY, used REAL NOT NULL, made REAL NOT NULL,"
    " hits INTEGER NOT NULL, verdict TEXT NOT NULL, versions TEXT NOT NULL,"
    " program TEXT NOT NULL, settings TEXT NOT NULL,"
    " sum BLOB NOT NULL, text BLOB NOT NULL, report BLOB NOT NULL)",
    "CREATE INDEX by_use ON entries (used)",
    f"PRAGMA user_version = {SCHEMA}",
)

T = TypeVar("T")


class CacheFile:
    """The current file of a directory: a `CacheStore`. Holds nothing open."""

    def __init__(self, directory: Path, most_bytes: int, patience: float | None = None) -> None:
        self.directory = directory
        self._most_bytes = most_bytes
        self._busy = BUSY_SECONDS if patience is None else patience

    # --- which file ---

    def files(self) -> list[Path]:
        """The files of this schema, oldest number first: the last is the current one."""
        try:
            names = os.listdir(self.directory)  # noqa: PTH208 - names alone are wanted
        except (OSError, ValueError):
            return []
        numbers = sorted(number for name in names if (number := self._number(name)) is not None)
        return [self._path(number) for number in numbers]

    def current(self) -> Path:
        """The file in use, whether it is there yet or not."""
        return (self.files() or [self._path(0)])[-1]

    def place(self) -> str:
        """As `CacheStore.place`: the directory."""
        return str(self.directory)

    def _path(self, number: int) -> Path:
        return self.directory / f"verdicts-{SCHEMA}-{number}.sqlite3"

    def _number(self, name: str) -> int | None:
        """The number in the name of a file, as `_path` puts it there; None for another file."""
        return number_between(name, f"verdicts-{SCHEMA}-", ".sqlite3")

    def _next(self, path: Path) -> Path:
        return self._path((self._number(path.name) or 0) + 1)

    def leave(self, damaged: str) -> bool:
        """As `CacheStore.leave`. Of damaged files only the last is kept aside.

        Nothing is renamed or emptied: others may be at work in the file and find out for themselves.
        """
        files = self.files()
        if not files or str(files[-1]) != damaged:
            return True
        try:
            self._next(files[-1]).touch()
        except OSError:
            return False
        for older in files[:-1]:
            _remove(older)
        return True

    def clear(self) -> None:
        """As `CacheStore.clear`: all files, of other schemas too. An empty one of the next number is left.

        A file of the same number could meet the journal of a process that is still at work in the old one.
        """
        with self._guard(self.directory, reading=False):
            files = sorted(self.directory.glob("verdicts-*.sqlite3*"))
            if files:
                self._next(self.current()).touch()
            for path in files:
                path.unlink(missing_ok=True)

    def size(self) -> int:
        """As `CacheStore.size`: of all files."""
        with self._guard(self.directory, reading=False):
            return sum(path.stat().st_size for path in self.files() if path.is_file())

    # --- what is in it ---

    def find(self, key: str) -> CacheRow | None:
        """As `CacheStore.find`."""
        row = self.row(key)
        if row is not None:
            self._note_use(key)
        return row

    def _note_use(self, key: str) -> None:
        now = time.time()
        try:
            with self._open("rw") as connection:
                connection.execute(f"PRAGMA busy_timeout = {_SMALL_WAIT_MS}")
                connection.execute("UPDATE entries SET used = ?, hits = hits + 1 WHERE key = ?", (now, key))
        except (Unusable, Damaged):
            return

    def keep(self, row: CacheRow) -> int:
        """As `CacheStore.keep`."""
        now = time.time()

        def work(connection: sqlite3.Connection) -> int:
            connection.execute(
                f"INSERT INTO entries ({COLUMNS}, used, made, hits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
                " ON CONFLICT (key) DO UPDATE SET sum = excluded.sum, text = excluded.text,"
                " report = excluded.report, verdict = excluded.verdict, versions = excluded.versions,"
                " program = excluded.program, settings = excluded.settings, used = excluded.used",
                (*row, now, now),
            )
            return self._evict(connection)

        return self._write(work)

    def drop(self, keys: Sequence[str]) -> None:
        """As `CacheStore.drop`."""
        self._write(
            lambda connection: connection.executemany(
                "DELETE FROM entries WHERE key = ?", [(key,) for key in keys]
            )
        )

    def drop_unused_for(self, seconds: float) -> int:
        """As `CacheStore.drop_unused_for`."""
        if not self.files():
            return 0
        moment = time.time() - seconds
        count: int = self._write(
            lambda connection: connection.execute("DELETE FROM entries WHERE used < ?", (moment,)).rowcount
        )
        return count

    def keys(self) -> list[str]:
        """As `CacheStore.keys`."""

        def work(connection: sqlite3.Connection) -> list[str]:
            return [key for (key,) in connection.execute("SELECT key FROM entries ORDER BY used DESC, key")]

        return self._read(work, [])

    def row(self, key: str) -> CacheRow | None:
        """As `CacheStore.row`."""

        def work(connection: sqlite3.Connection) -> CacheRow | None:
            found = connection.execute(f"SELECT {COLUMNS} FROM entries WHERE key = ?", (key,)).fetchone()
            return None if found is None else CacheRow(*found)

        return self._read(work, None)

    def counts(self, column: str) -> dict[str, int]:
        """As `CacheStore.counts`."""
        if column not in COUNTED:
            raise ValueError(column)

        def work(connection: sqlite3.Connection) -> dict[str, int]:
            query = f"SELECT {column}, COUNT(*) FROM entries GROUP BY {column} ORDER BY {column}"
            return {str(value): int(count) for value, count in connection.execute(query)}

        return self._read(work, {})

    def hits(self) -> int:
        """As `CacheStore.hits`."""

        def work(connection: sqlite3.Connection) -> int:
            (total,) = connection.execute("SELECT TOTAL(hits) FROM entries").fetchone()
            return int(total) if total < _MOST_HITS else 0

        return self._read(work, 0)

    # --- transactions ---

    def _read(self, work: Callable[[sqlite3.Connection], T], empty: T) -> T:
        """The result of `work`; `empty` if there is no file yet."""
        if not self.files():
            return empty
        try:
            with self._open("rw") as connection:
                return work(connection) if _schema(connection) else empty
        except Unusable as error:
            if Path(error.place).exists():
                raise
            return empty  # It was cleared just now.

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._guard(self.directory, reading=True):
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._open("rwc") as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not _schema(connection):
                for statement in _TABLES:
                    connection.execute(statement)
            result = work(connection)
            connection.execute("COMMIT")
            return result

    def _evict(self, connection: sqlite3.Connection) -> int:
        """Removes what was used longest ago until the file's pages in use are well below the bound."""
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        if _pages(connection) * page <= self._most_bytes:
            return 0
        (entries,) = connection.execute("SELECT COUNT(*) FROM entries").fetchone()
        batch = entries // EVICTED_AT_ONCE + 1
        oldest = f"SELECT key FROM entries ORDER BY used, key LIMIT {batch}"
        total = 0
        while _pages(connection) * page > self._most_bytes * EVICT_TO:
            count = connection.execute(f"DELETE FROM entries WHERE key IN ({oldest})").rowcount
            if not count:
                break
            total += count
        return total

    @contextmanager
    def _open(self, mode: str) -> Iterator[sqlite3.Connection]:
        path = self.current()
        with self._guard(path, reading=True):
            connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={mode}", timeout=self._busy, isolation_level=None, uri=True
            )
        try:
            with self._guard(path, reading=False):
                connection.text_factory = _text
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
                for setting in ("synchronous = OFF", "trusted_schema = OFF", "cell_size_check = ON"):
                    connection.execute(f"PRAGMA {setting}")
                connection.execute("PRAGMA mmap_size = 0")
                yield connection
        finally:
            connection.close()

    @contextmanager
    def _guard(self, path: Path, reading: bool) -> Iterator[None]:
        """Turns what SQLite and the system raise into `Damaged` and `Unusable`."""
        try:
            yield
        except sqlite3.Error as error:
            raise _meaning(error, path, reading) from error
        except (OSError, ValueError) as error:
            raise Unusable(str(path), _reason(error), reading) from error


def number_between(name: str, start: str, end: str) -> int | None:
    """The number between the start and the end of a name; None if that is not what the name is."""
    head, _, rest = name.partition(start)
    digits = rest.removesuffix(end)
    fits = (
        not head
        and rest.endswith(end)
        and rest != name
        and digits.isascii()
        and digits.isdigit()
        and len(digits) < 10
    )
    return int(digits) if fits else None


def _remove(path: Path) -> None:
    for each in (path, path.with_name(path.name + "-journal")):
        try:
            each.unlink(missing_ok=True)
        except OSError:
            return


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _schema(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there; not if the file is new. Raises DatabaseError if it is another's."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, SCHEMA):
        raise sqlite3.DatabaseError(f"its schema has the number {version}")
    return bool(version)


def _pages(connection: sqlite3.Connection) -> int:
    (every,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    return int(every) - int(free)


_CANNOT_READ: Final = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_AUTH,
    )
)
_FROM_OUTSIDE: Final = _CANNOT_READ | {
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_NOLFS,
}


def _meaning(error: sqlite3.Error, path: Path, reading: bool) -> Damaged | Unusable:
    """`Unusable` for errors that are known to come from outside the file, `Damaged` for all others."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code not in _FROM_OUTSIDE or (code == sqlite3.SQLITE_READONLY and _writable(path)):
        return Damaged(str(path), _reason(error))
    return Unusable(str(path), _reason(error), reading or code in _CANNOT_READ)


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    return str(error) or type(error).__name__
