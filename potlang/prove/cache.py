"""Settled reports kept under what they follow from: the typed program, the options and who answers.

A cache never changes a verdict and never costs one: an entry is used only if it is byte for byte what
was stored, and whatever goes wrong is a diagnostic beside the report ([CACHE-FAULT]).
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from potlang.prove.versions import versions
from potlang.report.results import Consistency, Evidence, Limits, OptimizationStatus, ProgramResult, Verdict
from potlang.utils.directories import user_directory

if TYPE_CHECKING:
    from potlang.diag import Diagnostic
    from potlang.prove.cache_file import CacheFile, CacheRow

MOST_BYTES: Final = 256 * 1024 * 1024
"""Most bytes of a cache on disk ([CACHE-SIZE])."""
LARGEST_SHARE: Final = 8
"""An entry takes at most this part of the cache."""
VARIABLE: Final = "POTLANG_CACHE"
_FORMAT: Final = 1
_ACCIDENTS: Final = ("crash", "error")

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

    directory: Path
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
    """Reports in a directory. Never raises for the state of the disk: see `problems`.

    Safe for threads, across forks, and for any number of processes on one directory. A directory that
    cannot be found out, as without a home, makes a cache that is not used.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        busy_seconds: float | None = None,
    ) -> None:
        self.most_bytes = most_bytes
        self._problems: dict[str, Diagnostic] = {}
        self._taken = 0
        self._readable = True
        self._writable = True
        self._busy = busy_seconds
        self._file: CacheFile | None = None
        self.directory = Path(directory) if directory is not None else self._default()
        self._file = self._opened()

    # --- reports ---

    def find(self, key: Key) -> ProgramResult | None:
        """The report kept under `key`, without diagnostics; None if there is none that can be used."""
        if self._file is None or not self._readable:
            return None
        file = self._file
        row = self._guarded(lambda: file.find(key.digest, time.time()), None)
        # The sum binds the content to the key that the row says, so that must be the one asked for.
        if row is not None and row.key != key.digest:
            return None
        return None if row is None else self._report(row)

    def keep(self, key: Key, report: ProgramResult) -> bool:
        """Keeps the report if it is settled; whether it did."""
        if self._file is None or not self._writable or not is_settled(report):
            return False
        try:
            row = _row(key, report)
        except ValueError:
            return False
        if len(row.text) + len(row.report) > self.most_bytes // LARGEST_SHARE:
            return False
        file = self._file
        for _ in range(2):  # Again in a new file if this one turns out to be damaged.
            if self._guarded(lambda: file.keep(row, time.time()), -1, writing=True) >= 0:
                return True
        return False

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
        file = self._file
        if file is None:
            return
        for key in self._keys()[:most]:
            row = self._guarded(functools.partial(file.row, key), None)
            entry = None if row is None else self._entry(row)
            if entry is not None:
                yield entry

    def stats(self) -> Stats:
        """Counts; all zero where there is no cache."""
        file = self._file
        if file is None:
            return Stats(self.directory, 0, 0, self.most_bytes, 0, {}, {})
        verdicts: dict[str, int] = self._guarded(lambda: file.counts("verdict"), {})
        listed: dict[str, int] = self._guarded(lambda: file.counts("versions"), {})
        size = sum(path.stat().st_size for path in file.files() if path.is_file())
        hits = self._guarded(file.hits, 0)
        entries = sum(verdicts.values())
        return Stats(self.directory, entries, size, self.most_bytes, hits, verdicts, listed)

    def clear(self, unused_for: float | None = None) -> int:
        """Removes all entries, or those that were not used for so many seconds; how many."""
        file = self._file
        if file is None:
            return 0
        if unused_for is not None:
            moment = time.time() - unused_for
            return self._guarded(lambda: file.drop_unused_since(moment), 0, writing=True)
        count = len(self._keys())
        return count if self._guarded(file.remove, -1, writing=True) >= 0 else 0

    def _keys(self) -> list[str]:
        none: list[str] = []
        return none if self._file is None else self._guarded(self._file.keys, none)

    # --- trouble ---

    def _default(self) -> Path:
        try:
            return default_directory()
        except RuntimeError as error:
            self._cannot(Path("~"), str(error).lower(), reading=True)
            return Path()

    def _opened(self) -> CacheFile | None:
        if not self._readable:
            return None
        try:
            from potlang.prove.cache_file import BUSY_SECONDS, CacheFile
        except ImportError:
            self._cannot(self.directory, "this Python has no sqlite3", reading=True)
            return None
        return CacheFile(self.directory, self.most_bytes, self._busy or BUSY_SECONDS)

    def _guarded(self, work: Callable[[], T], otherwise: T, *, writing: bool = False) -> T:
        """The result of `work`; `otherwise`, and a problem noted, if the file does not let it."""
        from potlang.prove.cache_file import Damaged, Unusable

        if self._file is None or not (self._writable if writing else self._readable):
            return otherwise
        try:
            return work()
        except Damaged as error:
            self._damaged(error.path, str(error))
            self._file.leave(error.path)
            if self._file.current() == error.path:
                self._readable = self._writable = False
        except Unusable as error:
            self._cannot(error.path, str(error), reading=error.reading)
        return otherwise

    def _damaged(self, path: Path, reason: str) -> None:
        helps = [
            "nothing is lost but time: verdicts are computed anew",
            "`potc cache clear` removes the file",
        ]
        self._note("POT6010", path=path, reason=reason, helps=helps)

    def _cannot(self, path: Path, reason: str, *, reading: bool) -> None:
        self._writable = False
        self._readable = self._readable and not reading
        helps = [
            "nothing is lost but time: verdicts are computed anew and not kept",
            "another directory: `--cache-dir` or POTLANG_CACHE; without a cache: `--no-cache`",
        ]
        self._note("POT6011", path=path, used="used" if reading else "written", reason=reason, helps=helps)

    def _note(self, code: str, **fields: Any) -> None:
        from potlang.diag import Sink

        sink = Sink()
        sink.report(code, "", **fields)
        (found,) = sink.diagnostics()
        self._problems.setdefault(code, found)

    # --- rows ---

    def _report(self, row: CacheRow) -> ProgramResult | None:
        entry = self._entry(row)
        return None if entry is None else entry.report

    def _entry(self, row: CacheRow) -> Entry | None:
        """The entry of a row; None, and the row removed, if it is not what was stored."""
        try:
            return _unpacked(row)
        except (ValueError, TypeError, LookupError, zlib.error, RecursionError):
            file = self._file
            if file is not None:
                self._damaged(file.current(), "an entry is not what was stored")
                self._guarded(lambda: file.drop([row.key]), None, writing=True)
            return None


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


def default_directory() -> Path:
    """POTLANG_CACHE, or the user's cache directory on this system. Raises RuntimeError without a home."""
    return user_directory(
        VARIABLE,
        windows="potlang/Cache",
        macos="Caches/potlang",
        xdg=("XDG_CACHE_HOME", ".cache"),
        other="potlang",
    )


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
    from potlang.prove.cache_file import CacheRow

    bare = report._replace(diagnostics=(), located=(), version="")
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
    from potlang.report.from_json import report_from_dict

    if not all(isinstance(part, str | bytes) for part in row) or row.sum != _sum(row):
        raise ValueError("the checksum does not fit")
    value = json.loads(zlib.decompress(row.report))
    report = report_from_dict(value["report"])._replace(certificate=value["certificate"])
    text = zlib.decompress(row.text).decode("utf-8", "surrogatepass")
    settings = json.loads(row.settings)
    settings["limits"] = Limits(**settings["limits"])
    return Entry(row.key, text, settings, json.loads(row.versions), report)
