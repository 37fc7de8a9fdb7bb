"""The cache's table on a PostgreSQL server, shared by any number of machines ([CACHE-SERVER])."""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeVar

from potlang.prove.cache_store import COLUMNS, COUNTED, EVICT_TO, EVICTED_AT_ONCE, CacheRow, Damaged, Unusable
from potlang.utils.extra import missing

try:
    import psycopg
    from psycopg import errors
except ImportError as error:
    raise missing("psycopg", "postgres") from error

SCHEMA: Final = 1
TABLE: Final = f"potlang_verdicts_{SCHEMA}"
PATIENCE_SECONDS: Final = 2.0
_EVICTION_SECONDS: Final = 60.0
_EVICTION_DRAWN: Final = 4
"""Of 256 entries that are written, after so many the size is looked at: the sum reads all of an index."""
_LOCK: Final = 0x706F746C
"""The server's number for what one process at a time does: making the table, and making room."""
_BESIDE: Final = 256
"""Bytes of an entry beside its texts."""
_INTERVAL_SECONDS: Final = 0.05

_TABLES: Final = (
    f"CREATE TABLE {TABLE} (key text PRIMARY KEY, used timestamptz NOT NULL DEFAULT now(),"
    " made timestamptz NOT NULL DEFAULT now(), hits bigint NOT NULL DEFAULT 0, size bigint NOT NULL,"
    " verdict text NOT NULL, versions text NOT NULL, program text NOT NULL, settings text NOT NULL,"
    " sum bytea NOT NULL, text bytea NOT NULL, report bytea NOT NULL)",
    # They are compressed already.
    f"ALTER TABLE {TABLE} ALTER COLUMN text SET STORAGE EXTERNAL, ALTER COLUMN report SET STORAGE EXTERNAL",
    f"CREATE INDEX {TABLE}_by_use ON {TABLE} (used) INCLUDE (size)",
)
_CONTENT: Final = COLUMNS.split(", ")[1:]
_KEEP: Final = (
    f"INSERT INTO {TABLE} ({COLUMNS}, size) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
    f" ON CONFLICT (key) DO UPDATE SET {', '.join(f'{each} = excluded.{each}' for each in _CONTENT)},"
    " size = excluded.size, used = now()"
)

T = TypeVar("T")


class CacheServer:
    """A table of a database: a `CacheStore`. It has one connection, made when it is needed."""

    def __init__(self, url: str, most_bytes: int, patience: float | None = None) -> None:
        self._url = url
        self._most_bytes = most_bytes
        self._patience = PATIENCE_SECONDS if patience is None else patience
        self._lock = threading.Lock()
        self._open: list[tuple[int, _Connection]] = []
        self._place = shown(url)
        weakref.finalize(self, _close, self._open)

    def place(self) -> str:
        """As `CacheStore.place`."""
        return self._place

    def leave(self, damaged: str) -> bool:
        """As `CacheStore.leave`: there is no other table."""
        return False

    # --- what is in it ---

    def find(self, key: str) -> CacheRow | None:
        """As `CacheStore.find`, in one question."""
        noting = f"UPDATE {TABLE} SET used = now(), hits = hits + 1 WHERE key = %s RETURNING {COLUMNS}"
        try:
            return self._asked(lambda connection: _row(connection.execute(noting, (key,))))
        except Unusable as error:
            if error.reading:
                raise
            return self.row(key)  # Of a server that is read-only or full.

    def row(self, key: str) -> CacheRow | None:
        """As `CacheStore.row`."""
        query = f"SELECT {COLUMNS} FROM {TABLE} WHERE key = %s"
        return self._asked(lambda connection: _row(connection.execute(query, (key,))), reading=True)

    def keep(self, row: CacheRow) -> int:
        """As `CacheStore.keep`. Whether others have to make room is looked at for some keys alone."""
        size = _BESIDE + sum(map(len, row))

        def work(connection: _Connection) -> int:
            connection.execute(_KEEP, (*row, size))
            return 1

        if self._asked(work) is None:
            self._asked(_make_table)
            if self._asked(work) is None:
                raise Unusable(self._place, "its table was removed", reading=False)
        # A process that writes once must take its turn too: so by key, not by counting.
        is_drawn = int(row.key[:2], 16) < _EVICTION_DRAWN or size * 256 > self._most_bytes
        return (self._asked(self._evict) or 0) if is_drawn else 0

    def drop(self, keys: Sequence[str]) -> None:
        """As `CacheStore.drop`."""
        query = f"DELETE FROM {TABLE} WHERE key = ANY(%s)"
        self._asked(lambda connection: connection.execute(query, (list(keys),)))

    def drop_unused_for(self, seconds: float) -> int:
        """As `CacheStore.drop_unused_for`, by the server's clock."""
        query = f"DELETE FROM {TABLE} WHERE used < now() - make_interval(secs => %s)"
        return self._asked(lambda connection: connection.execute(query, (seconds,)).rowcount) or 0

    def keys(self) -> list[str]:
        """As `CacheStore.keys`."""
        query = f"SELECT key FROM {TABLE} ORDER BY used DESC, key"
        return self._asked(lambda connection: [key for (key,) in connection.execute(query)]) or []

    def counts(self, column: str) -> dict[str, int]:
        """As `CacheStore.counts`."""
        if column not in COUNTED:
            raise ValueError(column)
        query = f"SELECT {column}, count(*) FROM {TABLE} GROUP BY {column} ORDER BY {column}"
        found = self._asked(lambda connection: connection.execute(query).fetchall())
        return {str(value): int(count) for value, count in found or ()}

    def hits(self) -> int:
        """As `CacheStore.hits`."""
        return self._number(f"SELECT coalesce(sum(hits), 0) FROM {TABLE}")

    def size(self) -> int:
        """As `CacheStore.size`: with what the server has not freed yet."""
        return self._number(f"SELECT pg_total_relation_size('{TABLE}')")

    def clear(self) -> None:
        """As `CacheStore.clear`. The next entry makes a new table."""
        self._asked(lambda connection: connection.execute(f"DROP TABLE IF EXISTS {TABLE}"))

    def _number(self, query: str) -> int:
        def work(connection: _Connection) -> int:
            found = connection.execute(query).fetchone()
            return 0 if found is None else int(found[0])

        return self._asked(work) or 0

    def _evict(self, connection: _Connection) -> int:
        """Remove what was used longest ago until the entries are well below the bound; how many."""
        if _one(connection, f"SELECT pg_total_relation_size('{TABLE}')") <= self._most_bytes:
            return 0
        removed = 0
        with connection.patient(_EVICTION_SECONDS), connection.transaction():
            if not _one(connection, f"SELECT pg_try_advisory_xact_lock({_LOCK})"):
                return 0  # Somebody is at it.
            taken = _one(connection, f"SELECT coalesce(sum(size), 0) FROM {TABLE}")
            if taken <= self._most_bytes:
                return 0
            batch = _one(connection, f"SELECT count(*) FROM {TABLE}") // EVICTED_AT_ONCE + 1
            oldest = f"SELECT key FROM {TABLE} ORDER BY used, key LIMIT {batch} FOR UPDATE SKIP LOCKED"
            removal = f"DELETE FROM {TABLE} WHERE key IN ({oldest}) RETURNING size"
            while taken > self._most_bytes * EVICT_TO:
                gone = connection.execute(removal).fetchall()
                if not gone:
                    break
                removed += len(gone)
                taken -= sum(size for (size,) in gone)
        return removed

    # --- the connection ---

    def _asked(self, work: Callable[[_Connection], T], *, reading: bool = False) -> T | None:
        """The result of `work`, None where there is no table. Raises Damaged and Unusable.

        `reading` work cannot fail because nothing may be written.
        """
        with self._lock:
            while True:
                is_new = not self._is_open()
                try:
                    return work(self._connection())
                except errors.UndefinedTable:
                    return None
                except psycopg.Error as error:
                    if _is_lost(error):
                        _close(self._open)
                        # A server that was started anew, or whoever ends idle connections, costs no pause.
                        if not (is_new or isinstance(error, _Silent)):
                            continue
                    raise self._meaning(error, reading) from None  # Its text could have the credentials.
                except BaseException:
                    _close(self._open)  # Interrupted in the middle of an answer.
                    raise

    def _is_open(self) -> bool:
        return any(owner == os.getpid() and not each.closed for owner, each in self._open)

    def _connection(self) -> _Connection:
        for owner, connection in self._open:
            # That of the process that this one was forked from is left alone.
            if owner == os.getpid() and not connection.closed:
                return connection
        made = _Connection.connect(
            self._url,
            autocommit=True,
            # Poolers between transactions know no statements that were prepared before.
            prepare_threshold=None,
            client_encoding="utf8",
            connect_timeout=max(2, round(self._patience)),
            application_name="potlang",
        )
        self._open.append((os.getpid(), made))
        made.seconds = self._patience
        most = round(self._patience * 1000)
        made.execute(f"SET statement_timeout = {most}; SET lock_timeout = {most}")
        # When the server's machine fails the last entries are lost, and nothing else.
        made.execute("SET synchronous_commit = off")
        return made

    def _meaning(self, error: psycopg.Error, reading: bool) -> Damaged | Unusable:
        """`Unusable` for errors that come from outside the table, `Damaged` for all others."""
        state = error.sqlstate or ""
        reason = _reason(error, self._url)
        if state in _CANNOT_WRITE:
            return Unusable(self._place, reason, reading)
        if not state or state.startswith(_FROM_OUTSIDE):
            return Unusable(self._place, reason, reading=True)
        return Damaged(self._place, reason)


class _Connection(psycopg.Connection[tuple[Any, ...]]):
    """Gives up on a server that does not answer in time, for which the server's own limits are no help."""

    seconds = PATIENCE_SECONDS

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **more: Any) -> T:
        """As psycopg's. Raises OperationalError when the time is over."""
        return super().wait(_within(gen, self.seconds), _INTERVAL_SECONDS)

    def patient(self, seconds: float) -> _Patient:
        """For so long an answer may take for a while."""
        return _Patient(self, seconds)


class _Patient:
    def __init__(self, connection: _Connection, seconds: float) -> None:
        self._connection, self._seconds, self._usual = connection, seconds, connection.seconds

    def __enter__(self) -> None:
        self._set(self._seconds)

    def __exit__(self, *error: object) -> None:
        with suppress(psycopg.Error):
            self._set(self._usual)

    def _set(self, seconds: float) -> None:
        self._connection.execute(f"SET statement_timeout = {round(seconds * 1000)}")
        self._connection.seconds = seconds


class _Silent(psycopg.OperationalError):
    """The server has not answered in time."""


def _within(gen: Generator[Any, Any, T], seconds: float) -> Generator[Any, Any, T]:
    until = monotonic() + seconds
    try:
        state = next(gen)
        while True:
            ready = yield state
            if not ready and monotonic() > until:
                raise _Silent(f"no answer within {seconds:g} s")
            state = gen.send(ready)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _make_table(connection: _Connection) -> bool:
    with connection.transaction():
        connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
        if not _one(connection, f"SELECT count(to_regclass('{TABLE}'))"):
            for statement in _TABLES:
                connection.execute(statement)
    return True


def _one(connection: _Connection, query: str) -> int:
    found = connection.execute(query).fetchone()
    return 0 if found is None else int(found[0])


def _row(cursor: psycopg.Cursor[tuple[Any, ...]]) -> CacheRow | None:
    found = cursor.fetchone()
    return None if found is None else CacheRow(*found)


def _close(connections: list[tuple[int, _Connection]]) -> None:
    """Close those of this process; to close another's would end the session that it has."""
    for owner, connection in connections:
        if owner == os.getpid():
            with suppress(psycopg.Error, OSError):
                connection.close()
    connections[:] = [each for each in connections if each[0] != os.getpid()]


_CANNOT_WRITE: Final = ("25006", "42501", "53100")
"""Read-only, no such privilege, the disk is full."""
_FROM_OUTSIDE: Final = ("08", "25", "28", "3D", "3F", "40", "53", "54", "55", "57", "58")
"""Classes of errors: connection, state, authorization, no such database or schema, rollback, resources,
limits, not available, interrupted, system."""


def _is_lost(error: psycopg.Error) -> bool:
    return not error.sqlstate or error.sqlstate.startswith(("08", "57P"))


_HOST: Final = r"(?:[\w.%-]*|\[[\da-fA-F:.]*\])(?::\d+)?"
_SHOWN: Final = re.compile(
    rf"\w+://(?:[^@/?#]*@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?P<base>/[\w.-]*)?(?:[?#][^@]*)?"
)


_NOT_SURE: Final = "postgresql://…"


def shown(url: str) -> str:
    """A URL without credentials: hosts, ports and database, or none of these where they are not sure."""
    found = _SHOWN.fullmatch(url)
    return _NOT_SURE if found is None else f"postgresql://{found['hosts']}{found['base'] or ''}"


def _reason(error: psycopg.Error, url: str) -> str:
    """The mistake in a line, without the words of a URL that may be a password."""
    is_url = not (isinstance(error, psycopg.ProgrammingError) and not error.sqlstate)
    if not is_url or shown(url) == _NOT_SURE:
        return "no URL of a database; in a password `@` is written `%40`, `/` `%2F` and `?` `%3F`"
    text = (str(error).splitlines() or [type(error).__name__])[0].strip()
    with suppress(psycopg.Error):
        password = psycopg.conninfo.conninfo_to_dict(url).get("password")
        if password:
            text = text.replace(str(password), "…")
    return text
