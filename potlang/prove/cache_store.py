"""The store behind a cache: a file of one machine, or a server for many ([CACHE-STORE])."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

COLUMNS: Final = "key, verdict, versions, program, settings, sum, text, report"
COUNTED: Final = ("verdict", "versions")
"""Columns by which entries are counted."""
EVICT_TO: Final = 0.9
"""The share of its bound to which a store that is too large is made smaller."""
EVICTED_AT_ONCE: Final = 32
"""Of so many entries one at once."""


class CacheRow(NamedTuple):
    """One entry as stored. `sum` is the SHA-256 of the rest; `text` and `report` are compressed."""

    key: str
    verdict: str
    versions: str
    program: str
    settings: str
    sum: bytes
    text: bytes
    report: bytes


class Damaged(Exception):
    """The store at `place` is not as it was written; it is not used."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(reason)
        self.place = place


class Unusable(Exception):
    """The store cannot be read or written now, for a reason outside of it. `reading`: not even read."""

    def __init__(self, place: str, reason: str, reading: bool) -> None:
        super().__init__(reason)
        self.place = place
        self.reading = reading


class CacheStore(Protocol):
    """Entries by key, for any number of threads and processes at once, across forks.

    What was used longest ago makes room. All but `place` and `leave` raise Damaged and Unusable.
    """

    def place(self) -> str:
        """Its name in messages: without credentials."""

    def find(self, key: str) -> CacheRow | None:
        """The entry of `key`, its use noted as far as that is possible without waiting."""

    def row(self, key: str) -> CacheRow | None:
        """As `find`, without noting the use."""

    def keep(self, row: CacheRow) -> int:
        """Write the entry, whole or not at all; how many others had to make room."""

    def drop(self, keys: Sequence[str]) -> None:
        """Remove entries."""

    def drop_unused_for(self, seconds: float) -> int:
        """Remove the entries that were not used for so long; how many."""

    def keys(self) -> list[str]:
        """The keys of all entries, last used first."""

    def counts(self, column: str) -> dict[str, int]:
        """How many entries there are for each `verdict` or `versions`."""

    def hits(self) -> int:
        """How often entries that are still there were found."""

    def size(self) -> int:
        """How many bytes are taken."""

    def clear(self) -> None:
        """Remove all, whatever it is."""

    def leave(self, damaged: str) -> bool:
        """Whether it goes on at another place, perhaps an empty one, than what is damaged."""
