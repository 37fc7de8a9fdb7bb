"""Damage, full disks, locks: a clear message, no wrong report, none lost ([CACHE-FAULT])."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from cache_support import key, report, said, start
from hypothesis import given, settings
from hypothesis import strategies as st

import potlang
from potlang.prove.cache import Cache
from potlang.report.results import Verdict
from potlang.utils import rest
from potlang.utils.rest import Rest

PROGRAM = {"knowledge_base": [], "verifications": [{"name": "v", "constraint": "1 + 1 == 2"}]}
COUNT = 6


class Content(bytes):
    """Bytes that are not printed when a test fails."""

    def __repr__(self) -> str:
        return f"<{len(self)} bytes>"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a cache with six entries, one of them on many pages."""
    directory = tmp_path_factory.mktemp("filled")
    kept = Cache(directory)
    for number in range(COUNT):
        assert kept.keep(key(number), report(number, 30_000 if number == 3 else 100))
    return Content(file_of(directory).read_bytes())


def expected(number: int) -> Any:
    return report(number, 30_000 if number == 3 else 100)


def file_of(directory: Path) -> Path:
    return sorted(directory.glob("verdicts-1-*.sqlite3"))[-1]


def codes(kept: Cache) -> list[str]:
    return [each.code for each in kept.problems]


def use_all(directory: Path) -> list[str]:
    """Looks every entry up and keeps those that were not found: right or nothing; the problems' codes."""
    kept = Cache(directory)
    missing = []
    for number in range(COUNT):
        found = kept.find(key(number))
        assert found in (None, expected(number))
        if found is None:
            missing.append(number)
    for number in missing:
        kept.keep(key(number), expected(number))
    again = Cache(directory)
    for number in missing:
        assert again.find(key(number)) in (None, expected(number))
    kept.stats()
    return codes(kept)


@contextmanager
def directory_with(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name, "verdicts-1-0.sqlite3").write_bytes(data)
        yield Path(name)


# --- damage --------------------------------------------------------------------------------------


CHANGES = st.lists(st.tuples(st.integers(0), st.integers(1, 255)), min_size=1, max_size=20)


@settings(max_examples=50)
@given(changes=CHANGES)
def test_changed_bytes_never_change_a_report(filled: bytes, changes: list[tuple[int, int]]) -> None:
    check_changes(filled, changes)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(changes=CHANGES)
def test_very_many_changes_never_change_a_report(filled: bytes, changes: list[tuple[int, int]]) -> None:
    check_changes(filled, changes)


def check_changes(filled: bytes, changes: list[tuple[int, int]]) -> None:
    """Bytes at random places of the file: each entry is found as it was stored or not at all."""
    data = bytearray(filled)
    for place, change in changes:
        data[place % len(data)] ^= change
    with directory_with(bytes(data)) as directory:
        assert set(use_all(directory)) <= {"POT6010", "POT6011"}


@settings(max_examples=50)
@given(changes=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_changed_header_never_changes_a_report(filled: bytes, changes: list[tuple[int, int]]) -> None:
    """The first 200 bytes say how all others are read."""
    data = bytearray(filled)
    for place, value in changes:
        data[place] = value
    with directory_with(bytes(data)) as directory:
        assert set(use_all(directory)) <= {"POT6010", "POT6011"}


@settings(max_examples=40)
@given(start=st.integers(0), length=st.integers(1, 20_000), fill=st.sampled_from([b"\0", b"\xff", b"x", b""]))
def test_lost_blocks_never_change_a_report(filled: bytes, start: int, length: int, fill: bytes) -> None:
    """A run of bytes overwritten, or cut out."""
    place = start % len(filled)
    data = filled[:place] + fill * length + filled[place + length :]
    with directory_with(data) as directory:
        assert set(use_all(directory)) <= {"POT6010", "POT6011"}


@settings(max_examples=20)
@given(length=st.integers(1))
def test_a_cut_file_is_left_for_a_new_one(filled: bytes, length: int) -> None:
    """At the second use at the latest all entries are in a file that is whole."""
    with directory_with(filled[: length % (len(filled) - 1) + 1]) as directory:
        use_all(directory)
        use_all(directory)
        kept = Cache(directory)
        assert [kept.find(key(number)) for number in range(COUNT)] == [expected(n) for n in range(COUNT)]


@pytest.mark.parametrize("data", [b"not a database", b"\0" * 5000, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_file_that_is_no_database_is_reported_and_left_for_a_new_one(data: bytes) -> None:
    with directory_with(data) as directory:
        report_ = potlang.verify(PROGRAM, cache=directory)
        assert report_.verdict is Verdict.ENTAILED
        (found,) = report_.diagnostics
        assert (found.code, found.severity) == ("POT6010", "warning")
        assert "is damaged: " in found.message
        assert report_.to_dict()["diagnostics"][0]["code"] == "POT6010"
        again = potlang.verify(PROGRAM, cache=directory)
        assert again.diagnostics == ()
        assert Cache(directory).stats().hits == 1
        assert (directory / "verdicts-1-0.sqlite3").read_bytes() == data
        assert Cache(directory).clear() == 1
        assert [path.stat().st_size for path in directory.iterdir()] == [0]


def test_a_database_of_another_schema_is_left_alone(tmp_path: Path) -> None:
    """[CACHE-FILE]"""
    with sqlite3.connect(tmp_path / "verdicts-1-0.sqlite3") as connection:
        connection.execute("CREATE TABLE entries (key TEXT)")
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    kept = Cache(tmp_path)
    assert kept.find(key(0)) is None
    assert kept.keep(key(0), report(0))
    assert kept.find(key(0)) == report(0)
    assert codes(kept) == ["POT6010"]


COLUMNS = ("key", "verdict", "versions", "program", "settings", "sum", "text", "report")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("value", ["'x'", "x'00'", "NULL", "7"])
def test_a_changed_entry_is_a_miss_and_is_dropped(column: str, value: str, tmp_path: Path) -> None:
    """[CACHE-VALUE] Another value in any column, by a database that is itself sound: the sum tells."""
    kept = Cache(tmp_path)
    kept.keep(key(0), report(0))
    connection = sqlite3.connect(file_of(tmp_path))
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '')")
    connection.commit()
    connection.close()
    connection = sqlite3.connect(file_of(tmp_path))
    connection.execute(f"UPDATE entries SET {column} = {value}")
    connection.commit()
    connection.close()
    assert kept.find(key(0)) is None
    assert codes(kept) == ([] if column == "key" else ["POT6010"])
    assert kept.stats().entries == (1 if column == "key" else 0)
    assert kept.keep(key(0), report(0))
    assert kept.find(key(0)) == report(0)


def test_an_entry_under_another_key_is_not_believed(tmp_path: Path) -> None:
    """Two entries whose keys were exchanged."""
    kept = Cache(tmp_path)
    for number in range(2):
        kept.keep(key(number), report(number))
    with sqlite3.connect(file_of(tmp_path)) as connection:
        for old, new in ((0, "x"), (1, key(0).digest)):
            connection.execute("UPDATE entries SET key = ? WHERE key = ?", (new, key(old).digest))
    connection.close()
    assert kept.find(key(0)) is None
    assert codes(kept) == ["POT6010"]


def test_a_file_that_others_have_left_is_not_left_twice(tmp_path: Path) -> None:
    """A process that finds damage late goes on with the file that is there, and its entries."""
    (tmp_path / "verdicts-1-0.sqlite3").write_bytes(b"damaged, all of it" * 100)
    first, late = Cache(tmp_path), Cache(tmp_path)
    assert first.keep(key(0), report(0))
    late._store.leave(str(tmp_path / "verdicts-1-0.sqlite3"))  # type: ignore[union-attr]
    assert late.find(key(0)) == report(0)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "verdicts-1-0.sqlite3",
        "verdicts-1-1.sqlite3",
    ]


def test_of_damaged_files_only_the_last_is_kept(tmp_path: Path) -> None:
    for number in range(4):
        file = tmp_path / f"verdicts-1-{number}.sqlite3"
        file.write_bytes(b"damaged, all of it" * 100)
        assert Cache(tmp_path).keep(key(0), report(0))
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "verdicts-1-3.sqlite3",
        "verdicts-1-4.sqlite3",
    ]


# --- what comes from outside ---------------------------------------------------------------------


def test_a_locked_cache_costs_its_patience_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "monotonic", lambda: 100.0)  # It rests for as long as this takes.
    Cache(tmp_path).keep(key(0), report(0))
    holder = sqlite3.connect(file_of(tmp_path), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    kept = Cache(tmp_path, patience=0.05)
    found = potlang.verify(PROGRAM, cache=kept)
    assert found.verdict is Verdict.ENTAILED
    (problem,) = found.diagnostics
    assert problem.code == "POT6011"
    assert problem.message.endswith("cannot be used: database is locked")
    assert potlang.verify(PROGRAM, cache=kept).diagnostics == ()
    holder.execute("ROLLBACK")
    holder.close()
    assert Cache(tmp_path).find(key(0)) == report(0)


def test_a_database_that_is_full_is_still_read(tmp_path: Path) -> None:
    """SQLite's own limit of pages stands for a full disk: found entries stay, new ones are not kept."""
    kept = Cache(tmp_path)
    kept.keep(key(0), report(0))
    connect = sqlite3.connect

    def bounded(*args: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(*args, **more)
        connection.execute("PRAGMA max_page_count = 5")
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", bounded)
        assert not kept.keep(key(1), report(1, 60_000))
        assert kept.find(key(0)) == report(0)
    assert codes(kept) == ["POT6011"]
    assert kept.problems[0].message.endswith("cannot be written: database or disk is full")
    assert Cache(tmp_path).find(key(0)) == report(0)
    assert Cache(tmp_path).find(key(1)) is None


FULL = """
import resource, sys
from cache_support import key, report
import potlang
from potlang.prove.cache import Cache
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
kept = Cache(sys.argv[1])
for number in range(20):
    done = kept.keep(key(number), report(number, 3_000))
    assert kept.find(key(number)) in ((report(number, 3_000),) if done else (None, report(number, 3_000)))
print([each.code for each in kept.problems], kept.problems[0].message.partition(": ")[0][-10:])
program = {"knowledge_base": [], "verifications": [{"name": "v", "constraint": "1 + 1 == 2"}]}
print(potlang.verify(program, cache=sys.argv[1]).verdict)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot limit the size of files of a process")
@pytest.mark.parametrize("most", [0, 100, 5_000, 40_000])
def test_no_file_may_grow(most: int, tmp_path: Path) -> None:
    """The system refuses to write beyond so many bytes of any file, of the journal too."""
    shown, verdict = said(start(FULL, tmp_path, most)).splitlines()
    assert shown.startswith("['POT6011']")
    assert verdict == "entailed"
    again = Cache(tmp_path)
    assert all(again.find(key(n)) in (None, report(n, 3_000)) for n in range(20))
    assert codes(again) == []


@pytest.mark.parametrize("name", ["file/below", "file", "nul\0l", "x" * 300])
def test_a_directory_that_cannot_be(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = potlang.verify(PROGRAM, cache=tmp_path / name)
    assert found.verdict is Verdict.ENTAILED
    assert [each.code for each in found.diagnostics] == ["POT6011"]


def test_a_home_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("POTLANG_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    found = potlang.verify(PROGRAM, cache=True)
    assert found.verdict is Verdict.ENTAILED
    assert [each.code for each in found.diagnostics] == ["POT6011"]


@contextmanager
def readable_to_all() -> Iterator[Path]:
    """A directory that another user may enter; pytest's own are for this user alone."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    try:
        yield path
    finally:
        path.chmod(0o755)
        shutil.rmtree(path)


READ_ONLY = """
import os, sys
from cache_support import key, report
from potlang.prove.cache import Cache
kept = Cache(sys.argv[2])
kept.keep(key(0), report(0)), kept.find(key(0)), kept._cannot("", "", reading=False)  # imports what is needed
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
kept = Cache(sys.argv[1])
print(kept.find(key(0)) == report(0), kept.keep(key(1), report(1)), kept.find(key(0)) == report(0))
print(*(each.code + " " + each.message.partition("cannot be ")[2] for each in kept.problems))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no POSIX permissions")
def test_a_read_only_cache_is_read(tmp_path: Path) -> None:
    """As another user where this one may write everywhere; found without a word, written with one."""
    with readable_to_all() as directory:
        Cache(directory).keep(key(0), report(0))
        file_of(directory).chmod(0o444)
        directory.chmod(0o555)
        first, second = said(start(READ_ONLY, directory, tmp_path)).splitlines()
    assert first == "True False True"
    assert second == "POT6011 written: attempt to write a readonly database"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no POSIX permissions")
def test_a_new_cache_is_for_its_owner_alone(tmp_path: Path) -> None:
    """[CACHE-FILE]"""
    Cache(tmp_path / "deep" / "cache").keep(key(0), report(0))
    assert (tmp_path / "deep" / "cache").stat().st_mode & 0o777 == 0o700


def test_a_python_without_sqlite(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["sqlite3"] = None
import potlang
program = {"knowledge_base": [], "verifications": [{"name": "v", "constraint": "1 + 1 == 2"}]}
found = potlang.verify(program, cache=sys.argv[1])
print(found.verdict, [each.message.partition(": ")[2] for each in found.diagnostics])
"""
    assert said(start(code, tmp_path)) == "entailed ['this Python has no sqlite3']\n"


def test_the_cache_survives_a_fork(tmp_path: Path) -> None:
    """A child forked after use reads and writes on its own connections."""
    code = """
import os, sys
from cache_support import key, report
from potlang.prove.cache import Cache
kept = Cache(sys.argv[1])
kept.keep(key(0), report(0))
child = os.fork()
if child == 0:
    good = kept.find(key(0)) == report(0) and kept.keep(key(1), report(1))
    os._exit(0 if good else 1)
print(os.waitpid(child, 0)[1], kept.find(key(1)) == report(1), kept.problems)
"""
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork, which the test is about")
    assert said(start(code, tmp_path)) == "0 True ()\n"


# --- pauses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spent", "pause"), [(0.0, 1), (0.01, 1), (0.5, 5), (5, 50)])
def test_a_failure_costs_a_tenth_of_the_time(
    monkeypatch: pytest.MonkeyPatch, spent: float, pause: float
) -> None:
    """[CACHE-FAULT]"""
    now = 100.0
    monkeypatch.setattr(rest, "monotonic", lambda: now)
    found = Rest()
    assert not found.is_on
    found.begin(spent)
    now += pause - 0.1
    assert found.is_on
    now += 0.2
    assert not found.is_on
    found.begin(spent)
    found.end()
    assert not found.is_on


def test_a_cache_that_was_locked_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[CACHE-FAULT]"""
    now = 100.0
    monkeypatch.setattr(rest, "monotonic", lambda: now)
    kept = Cache(tmp_path, patience=0.01)
    assert kept.keep(key(0), report(0))
    with closing(sqlite3.connect(file_of(tmp_path), isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        assert kept.find(key(0)) is None
        holder.execute("ROLLBACK")
    assert kept.find(key(0)) is None  # It rests.
    now += 600
    assert kept.find(key(0)) == report(0)
    assert codes(kept) == ["POT6011"]
