"""Settled reports kept under what they follow from: the typed program, the options and who answers.

A cache never changes a verdict and never costs one: an entry is used only if it is byte for byte what
was stored, and whatever goes wrong is a diagnostic beside the report ([CACHE-FAULT]).
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from potlang.certify import check
from potlang.diag import Sink
from potlang.prove.cache_store import CacheRow, CacheStore, Damaged, Unusable
from potlang.prove.versions import versions
from potlang.report.from_json import report_from_dict
from potlang.report.results import Consistency, Evidence, Limits, OptimizationStatus, ProgramResult, Verdict
from potlang.utils.directories import user_directory
from potlang.utils.extra import MissingExtraError, not_installed
from potlang.utils.rest import Rest

if TYPE_CHECKING:
    from potlang.diag import Diagnostic

FILE_BYTES: Final = 256 << 20
SERVER_BYTES: Final = 16 << 30
"""Most bytes of a cache ([CACHE-SIZE])."""
LARGEST_SHARE: Final = 8
"""An entry takes at most this part of the cache."""
_LARGEST: Final = 32 << 20
CHECKED: Final = 0.05
"""The share of keys whose certificates are checked at each hit ([CACHE-CHECK])."""
SERVERS: Final = ("postgresql://", "postgres://")
VARIABLE: Final = "POTLANG_CACHE"
_FORMAT: Final = 1
_ACCIDENTS: Final = ("crash", "error")
_OPEN: Final = "unknown"

T = TypeVar("T")
Settings = Mapping[str, Any]
"""Options by name as `potlang.verify` takes them; `limits` is a `Limits`."""


class Key(NamedTuple):
    """All that a report follows from: the text of the typed program, the options, and who answers."""

    program: str
    settings: str
    versions: str

    @property
    def digest(self) -> str:
        """SHA-256 over all three, in hexadecimal."""
        return _sha256(str(_FORMAT), self.program, self.settings, self.versions).hexdigest()


class Entry(NamedTuple):
    """One entry, read back: the program as IR text, the options, and the report without diagnostics."""

    key: str
    program: str
    settings: dict[str, Any]
    versions: dict[str, str]
    report: ProgramResult


class Stats(NamedTuple):
    """The content of a cache in numbers; `verdicts` and `versions` count its entries."""

    place: str
    entries: int
    bytes: int
    most_bytes: int
    hits: int
    verdicts: dict[str, int]
    versions: dict[str, int]


def make_key(program: str, settings: Settings) -> Key:
    """The key of a program's IR text, with origins, under these options here and now ([CACHE-KEY])."""
    limits: Limits = settings["limits"]
    chosen = json.dumps({**settings, "limits": limits._asdict()}, sort_keys=True)
    return Key(program, chosen, json.dumps(dict(versions())))


class Cache:
    """Reports in a directory, or in a PostgreSQL database. Never raises for their state: see `problems`.

    Safe for threads, across forks, and for any number of processes. After a fault the cache rests, ten times
    as long as the fault took, and is then tried again. A directory that cannot be found out, as without a
    home, makes a cache that is not used.
    """

    def __init__(
        self,
        where: str | os.PathLike[str] | None = None,
        *,
        most_bytes: int | None = None,
        patience: float | None = None,
        checked: float = CHECKED,
    ) -> None:
        """`where` is a directory or a URL `postgresql://…`, by default the usual directory.

        `patience` are the seconds that others are waited for; of a share `checked` of the keys, drawn by
        their digests, the certificates are checked at each hit. Raises ValueError for a share that is none.
        """
        if not 0 <= checked <= 1:
            raise ValueError(f"a share is a number from 0 to 1, not {checked}")
        self.checked = checked
        self._problems: dict[str, Diagnostic] = {}
        self._taken = 0
        self._reading, self._writing = Rest(), Rest()
        self.where = os.fspath(where) if where is not None else self._default()
        is_server = self.where.startswith(SERVERS)
        self.most_bytes = most_bytes or (SERVER_BYTES if is_server else FILE_BYTES)
        self._store = self._opened(is_server, patience)

    @property
    def place(self) -> str:
        """Where it is, as it may be shown: without credentials."""
        return self.where if self._store is None else self._store.place()

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments that make the same `Cache` again, as JSON values, with the credentials."""
        where = self.where if self.where.startswith(SERVERS) else os.path.abspath(self.where)  # noqa: PTH100
        return {"where": where, "most_bytes": self.most_bytes, "checked": self.checked}

    # --- reports ---

    def find(self, key: Key) -> ProgramResult | None:
        """The report kept under `key`, without diagnostics; None if there is none that can be used."""
        store = self._store
        if store is None:
            return None
        row = self._guarded(lambda: store.find(key.digest), None)
        # The sum binds the content to the key that the row says, so that must be the one asked for.
        if row is None or row.key != key.digest:
            return None
        entry = self._entry(row)
        if entry is None or not self.checks(key):
            return None if entry is None else entry.report
        if entry.report.certificate is None:
            return None  # Kept by somebody who has fewer checked: it is solved anew, with a certificate.
        if not certificate_agrees(entry.report, entry.program):
            self._drop(row, "the certificate of an entry does not show its verdicts")
            return None
        return entry.report

    def checks(self, key: Key) -> bool:
        """Whether entries of this key need a certificate, which is checked at each hit ([CACHE-CHECK])."""
        return int(key.digest[:8], 16) < self.checked * (1 << 32)

    def keep(self, key: Key, report: ProgramResult) -> bool:
        """Keeps the report if it is settled; whether it did."""
        store = self._store
        if store is None or not is_settled(report):
            return False
        try:
            row = _row(key, report)
        except ValueError:
            return False
        if len(row.text) + len(row.report) > min(self.most_bytes // LARGEST_SHARE, _LARGEST):
            return False
        # Again in a new file if this one turns out to be damaged.
        return any(self._guarded(lambda: store.keep(row), -1, writing=True) >= 0 for _ in range(2))

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Problems so far, each kind once: POT6010 damaged, POT6011 cannot be used."""
        return tuple(self._problems.values())

    def take_problems(self) -> tuple[Diagnostic, ...]:
        """The problems that were not taken before."""
        news = self.problems[self._taken :]
        self._taken += len(news)
        return news

    # --- upkeep ---

    def entries(self, most: int | None = None) -> Iterator[Entry]:
        """The entries that are whole, last used first."""
        store = self._store
        if store is None:
            return
        for key in self._keys()[:most]:
            row = self._guarded(functools.partial(store.row, key), None)
            entry = None if row is None else self._entry(row)
            if entry is not None:
                yield entry

    def stats(self) -> Stats:
        """Counts; all zero where there is no cache."""
        store = self._store
        if store is None:
            return Stats(self.place, 0, 0, self.most_bytes, 0, {}, {})
        verdicts: dict[str, int] = self._guarded(lambda: store.counts("verdict"), {})
        listed: dict[str, int] = self._guarded(lambda: store.counts("versions"), {})
        size = self._guarded(store.size, 0)
        hits = self._guarded(store.hits, 0)
        entries = sum(verdicts.values())
        return Stats(self.place, entries, size, self.most_bytes, hits, verdicts, listed)

    def clear(self, unused_for: float | None = None) -> int:
        """Removes all entries, or those that were not used for so many seconds; how many."""
        store = self._store
        if store is None:
            return 0
        if unused_for is not None:
            return self._guarded(lambda: store.drop_unused_for(unused_for), 0, writing=True)
        count = len(self._keys())
        # Also what was just found to be damaged.
        self._reading, self._writing = Rest(), Rest()

        def cleared() -> bool:
            store.clear()
            return True

        return count if self._guarded(cleared, False, writing=True) else 0

    def _keys(self) -> list[str]:
        none: list[str] = []
        return none if self._store is None else self._guarded(self._store.keys, none)

    # --- trouble ---

    def _default(self) -> str:
        try:
            return default_place()
        except RuntimeError as error:
            self._never("~", str(error).lower())
            return ""

    def _opened(self, is_server: bool, patience: float | None) -> CacheStore | None:
        if self._reading.is_on:
            return None
        try:
            if is_server:
                from potlang.prove.cache_server import CacheServer

                return CacheServer(self.where, self.most_bytes, patience)
            from potlang.prove.cache_file import CacheFile

            return CacheFile(Path(self.where), self.most_bytes, patience)
        except MissingExtraError as error:
            self.where = SERVERS[0]
            self._never(self.where, not_installed(error.name))
        except ImportError:
            self._never(self.where, "this Python has no sqlite3")
        return None

    def _guarded(self, work: Callable[[], T], otherwise: T, *, writing: bool = False) -> T:
        """The result of `work`; `otherwise`, and a problem noted, if the store does not let it."""
        store = self._store
        if store is None or self._reading.is_on or (writing and self._writing.is_on):
            return otherwise
        began = time.monotonic()
        try:
            result = work()
        except Damaged as error:
            self._damaged(error.place, str(error))
            if not store.leave(error.place):
                self._rest(began, reading=True)
        except Unusable as error:
            self._rest(began, reading=error.reading)
            self._cannot(error.place, str(error), reading=error.reading)
        else:
            (self._writing if writing else self._reading).end()
            return result
        return otherwise

    def _rest(self, began: float, *, reading: bool) -> None:
        seconds = time.monotonic() - began
        for each in (self._writing, *([self._reading] if reading else ())):
            each.begin(seconds)

    def _damaged(self, place: str, reason: str) -> None:
        helps = [
            "nothing is lost but time: verdicts are computed anew",
            "`potc cache clear` removes what is damaged",
        ]
        self._note("POT6010", path=place, reason=reason, helps=helps)

    def _never(self, place: str, reason: str) -> None:
        self._reading.begin(math.inf)
        self._cannot(place, reason, reading=True)

    def _cannot(self, place: str, reason: str, *, reading: bool) -> None:
        helps = [
            "nothing is lost but time: verdicts are computed anew and not kept",
            "another cache: `--cache-dir` or POTLANG_CACHE; without one: `--no-cache`",
        ]
        self._note("POT6011", path=place, used="used" if reading else "written", reason=reason, helps=helps)

    def _note(self, code: str, **fields: Any) -> None:
        sink = Sink()
        sink.report(code, "", **fields)
        (found,) = sink.diagnostics()
        self._problems.setdefault(code, found)

    # --- rows ---

    def _entry(self, row: CacheRow) -> Entry | None:
        """The entry of a row; None, and the row removed, if it is not what was stored."""
        try:
            return _unpacked(row)
        except (ValueError, TypeError, LookupError, zlib.error, RecursionError):
            self._drop(row, "an entry is not what was stored")
            return None

    def _drop(self, row: CacheRow, reason: str) -> None:
        store = self._store
        if store is not None:
            self._damaged(store.place(), reason)
            self._guarded(lambda: store.drop([row.key]), None, writing=True)


def certificate_agrees(report: ProgramResult, program: str) -> bool:
    """Whether a report's certificate holds for a program's IR text and does not contradict its answers."""
    outcome = check(report.certificate or "", program)
    if outcome.status == "INVALID":
        return False
    said = {key: answer.split()[0] for key, answer in outcome.verdicts.items()}
    # The answers on claims and norms come first, in the report's order.
    pairs = list(zip((str(each.verdict) for each in report.results), said.values(), strict=False))
    if report.optimization is not None:
        objectives = enumerate(report.optimization.objectives)
        pairs += ((str(each.status), said.get(f"objective {at}", _OPEN)) for at, each in objectives)
    if report.consistency is not None:
        pairs.append((str(report.consistency), said.get("assumptions", _OPEN)))
    return all(proved in (answer, _OPEN) for answer, proved in pairs)


def is_settled(report: ProgramResult) -> bool:
    """Whether nothing that was asked is left open, and nothing went wrong on the way ([CACHE-SETTLED])."""
    if report.verdict in (Verdict.UNKNOWN, Verdict.REJECTED) or report.consistency is Consistency.UNKNOWN:
        return False
    for result in report.results:
        accidents = any(check.reason in _ACCIDENTS for check in result.checks)
        if result.verdict is Verdict.UNKNOWN or accidents or _is_open(result.evidence):
            return False
    optimum = report.optimization
    while optimum is not None:
        parts = (optimum.status, *(each.status for each in optimum.objectives))
        if OptimizationStatus.UNKNOWN in parts:
            return False
        optimum = optimum.closed
    return True


def _is_open(evidence: Evidence) -> bool:
    """Whether bindings are undecided."""
    lists = (evidence.violations, evidence.bindings)
    return any(each is not None and each.undecided for each in lists)


def default_place() -> str:
    """POTLANG_CACHE, or the user's cache directory on this system. Raises RuntimeError without a home."""
    named = os.environ.get(VARIABLE, "")
    if named.startswith(SERVERS):
        return named
    found = user_directory(
        VARIABLE,
        windows="potlang/Cache",
        macos="Caches/potlang",
        xdg=("XDG_CACHE_HOME", ".cache"),
        other="potlang",
    )
    return str(found)


def _sha256(*parts: str | bytes) -> hashlib._Hash:
    """Over the parts, each behind its length."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(b"%d:" % len(data))
        state.update(data)
    return state


def _row(key: Key, report: ProgramResult) -> CacheRow:
    """Raises ValueError if the report has a number too long for JSON text."""
    # Programs of one meaning may cite different documents.
    bare = report.without_quotes()._replace(diagnostics=(), located=(), version="")
    text = zlib.compress(key.program.encode("utf-8", "surrogatepass"), 1)
    value = {"report": bare.to_dict(), "certificate": report.certificate}
    answer = zlib.compress(json.dumps(value).encode(), 1)
    program = hashlib.sha256(key.program.encode("utf-8", "surrogatepass")).hexdigest()
    row = CacheRow(key.digest, str(report.verdict), key.versions, program, key.settings, b"", text, answer)
    return row._replace(sum=_sum(row))


def _sum(row: CacheRow) -> bytes:
    return _sha256(*row._replace(sum=b"")).digest()


def _unpacked(row: CacheRow) -> Entry:
    """Raises ValueError, TypeError or zlib.error if the row is not what was stored."""
    if not all(isinstance(part, str | bytes) for part in row) or row.sum != _sum(row):
        raise ValueError("the checksum does not fit")
    value = json.loads(zlib.decompress(row.report))
    report = report_from_dict(value["report"])._replace(certificate=value["certificate"])
    text = zlib.decompress(row.text).decode("utf-8", "surrogatepass")
    settings = json.loads(row.settings)
    settings["limits"] = Limits(**settings["limits"])
    return Entry(row.key, text, settings, json.loads(row.versions), report)
