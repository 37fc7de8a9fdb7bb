"""The tables that the jobs of a batch have read: whether they are what they were ([BATCH-TABLES])."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from potlang.tables.access import FileState, NotedFiles, TableAccess


class ReadTable(NamedTuple):
    """A table that a job has read, by the name that the program has for it; without digest there was none."""

    name: str
    size: int = 0
    changed_ns: int = 0
    digest: str | None = None


class TableDigests:
    """Digests of tables, each table digested once."""

    def __init__(self) -> None:
        self._known: dict[FileState, str] = {}

    def tables(self, noted: NotedFiles) -> tuple[ReadTable, ...]:
        """The tables that were noted while a job was answered."""
        found = []
        for name, state in noted.items():
            if state is None:
                found.append(ReadTable(name))
            else:
                found.append(ReadTable(name, state.size, state.changed_ns, self._digest(state)))
        return tuple(found)

    def _digest(self, state: FileState) -> str:
        """The digest of a file in this state; empty where the file is in another one by now."""
        if state not in self._known:
            digest = _digest(state.path)
            try:
                is_same = FileState.of(state.path) == state
            except OSError:
                is_same = False
            if digest is None or not is_same:
                return ""
            self._known[state] = digest
        return self._known[state]


def changed_table(tables: Iterable[ReadTable], directories: Sequence[str]) -> str | None:
    """The name of a table that is not for all of these readings what it is now; None if all are.

    A table of the same size and time is the same, and so is one of the same digest.
    """
    access = TableAccess(tuple(map(Path, directories)))
    digests: dict[str, str | None] = {}
    for table in dict.fromkeys(tables):
        if digests.setdefault(table.name, table.digest) != table.digest:
            return table.name
        state = access.state(table.name)
        if state is None or table.digest is None:
            if state is not None or table.digest is not None:
                return table.name
        elif (state.size, state.changed_ns) != table[1:3] and _digest(state.path) != table.digest:
            return table.name
    return None


def _digest(path: Path) -> str | None:
    """The digest of a file; None if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except OSError:
        return None
