"""The cache on a real PostgreSQL server, stopped, paused, and with what does not belong there."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cache_support import key, report, said, start
from postgres_server import PostgresServer, programs

import potlang
from potlang.prove.cache import SERVER_BYTES, Cache, default_place
from potlang.report.results import ProgramResult, Verdict

psycopg = pytest.importorskip("psycopg")
pytestmark = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")

TABLE = "potlang_verdicts_1"
PROGRAM: dict[str, Any] = {"verifications": [{"name": "sum", "constraint": "1 + 1 == 2"}]}
PASSWORD = "s3cret-word"


@pytest.fixture(scope="module")
def running() -> Iterator[PostgresServer]:
    with PostgresServer() as found:
        yield found


@pytest.fixture
def server(running: PostgresServer) -> PostgresServer:
    Cache(running.url).clear()
    return running


def sql(server: PostgresServer, text: str) -> list[Any]:
    with psycopg.connect(server.url, autocommit=True) as connection:
        cursor = connection.execute(text)
        return [] if cursor.description is None else list(cursor.fetchall())


def codes(kept: Cache) -> list[str]:
    return [each.code for each in kept.problems]


def wake(kept: Cache) -> None:
    """The pause after a fault is over."""
    kept._reading._until = kept._writing._until = 0.0


# --- as in a file --------------------------------------------------------------------------------


def test_what_is_kept_is_found_by_others(server: PostgresServer) -> None:
    """[CACHE-SERVER] [CACHE-STORE] Entries, counts and hits are those of all who use the database."""
    one, other = Cache(server.url), Cache(server.url)
    assert one.find(key(0)) is None
    for number in range(3):
        assert one.keep(key(number), report(number))
    assert [other.find(key(number)) for number in range(4)] == [*map(report, range(3)), None]
    stats = other.stats()
    assert (stats.entries, stats.hits, stats.verdicts) == (3, 3, {"entailed": 3})
    assert stats.most_bytes == SERVER_BYTES and stats.bytes > 0
    assert [entry.key for entry in other.entries()] == [key(number).digest for number in (2, 1, 0)]
    assert one.clear(unused_for=3600) == 0
    assert one.clear(unused_for=-5) == 3
    assert one.keep(key(0), report(0)) and one.clear() == 1
    assert (one.find(key(0)), one.stats().entries, one.stats().bytes) == (None, 0, 0)
    assert one.problems == other.problems == ()


@pytest.mark.parametrize("seed", range(3))
def test_both_stores_do_the_same(server: PostgresServer, tmp_path: Path, seed: int) -> None:
    """[CACHE-STORE] Any calls have the same answers of a file and of a server, and of a mapping."""
    chance = random.Random(seed)
    both = Cache(tmp_path), Cache(server.url)
    expected: dict[int, ProgramResult] = {}
    for _ in range(60):
        number = chance.randrange(6)
        match chance.choice(("find", "find", "keep", "keep", "drop", "clear", "old")):
            case "find":
                for each in both:
                    assert each.find(key(number)) == expected.get(number)
            case "keep":
                expected[number] = report(number, chance.choice((0, 500)))
                for each in both:
                    assert each.keep(key(number), expected[number])
            case "drop":
                expected.pop(number, None)
                for each in both:
                    assert each._store is not None
                    each._store.drop([key(number).digest, "none"])
            case "clear":
                counts = [each.clear() for each in both]
                assert counts == [len(expected)] * 2
                expected.clear()
            case _:
                assert [each.clear(unused_for=60) for each in both] == [0, 0]
        found = [each.stats() for each in both]
        assert found[0].entries == found[1].entries == len(expected)
        assert found[0][4:] == found[1][4:], "hits, verdicts, versions"
        listed = [[entry.key for entry in each.entries()] for each in both]
        assert listed[0] == listed[1]
    assert [each.problems for each in both] == [(), ()]


def test_verify_with_a_server(server: PostgresServer) -> None:
    first, again = (potlang.verify(PROGRAM, cache=server.url) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    assert Cache(server.url).stats().hits == 1


def test_the_variable_may_name_a_server(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """[CACHE-CHOICE]"""
    monkeypatch.setenv("POTLANG_CACHE", server.url)
    assert default_place() == server.url
    potlang.verify(PROGRAM, cache=True)
    assert Cache(server.url).stats().entries == 1


WORK = """
import random, sys
from cache_support import key, report
from potlang.prove.cache import Cache
url, number = sys.argv[1], int(sys.argv[2])
chance = random.Random(number)
kept = Cache(url, patience=60)
for _ in range(80):
    which = chance.randrange(20)
    found = kept.find(key(which))
    assert found is None or found == report(which, 2_000), "a wrong report"
    assert found is not None or kept.keep(key(which), report(which, 2_000)), "not kept"
print([str(each) for each in kept.problems])
"""


def test_processes_that_write_at_once(server: PostgresServer) -> None:
    """[CACHE-SERVER] They also make the table at once."""
    running = [start(WORK, server.url, number) for number in range(4)]
    assert [said(each) for each in running] == ["[]\n"] * 4
    kept = Cache(server.url)
    assert [kept.find(key(each)) for each in range(20)] == [report(each, 2_000) for each in range(20)]


def test_the_size_is_bounded_and_what_was_used_last_stays(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[CACHE-SIZE]"""
    from potlang.prove import cache_server

    monkeypatch.setattr(cache_server, "_EVICTION_DRAWN", 256)
    kept = Cache(server.url, most_bytes=400_000)
    for number in range(40):
        assert kept.keep(key(number), report(number, 40_000))
        assert kept.find(key(0)) is not None
    ((taken,),) = sql(server, f"SELECT sum(size) FROM {TABLE}")
    assert 0 < taken <= 420_000
    assert kept.find(key(39)) == report(39, 40_000)
    assert kept.find(key(1)) is None
    assert not kept.keep(key(41), report(41, 200_000))
    assert kept.problems == ()


def test_some_keys_alone_look_at_the_size(server: PostgresServer) -> None:
    kept = Cache(server.url, most_bytes=2_000_000)
    numbers = range(300)
    for number in numbers:
        assert kept.keep(key(number), report(number, 10_000))
    ((taken,),) = sql(server, f"SELECT sum(size) FROM {TABLE}")
    assert sum(int(key(number).digest[:2], 16) < 4 for number in numbers) > 0
    assert taken < 3_000_000


def test_a_forked_process_leaves_the_connection_alone(server: PostgresServer) -> None:
    code = """
import os, sys
from cache_support import key, report
from potlang.prove.cache import Cache
kept = Cache(sys.argv[1])
kept.keep(key(0), report(0))
child = os.fork()
found = kept.find(key(0)) == report(0)
if not child:
    os._exit(0 if found and not kept.problems else 1)
_, status = os.waitpid(child, 0)
print(found, status, kept.find(key(0)) == report(0), kept.problems)
"""
    assert said(start(code, server.url)) == "True 0 True ()\n"


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [False, True])
def test_a_server_that_stops_and_starts(server: PostgresServer, at_once: bool) -> None:
    """[CACHE-FAULT] Gone: a warning and no cache. Back: used again, by the same `Cache`."""
    kept = Cache(server.url)
    assert kept.keep(key(0), report(0))
    # With `at_once` what was not on disk is lost, as after a power failure; so have it there.
    sql(server, "CHECKPOINT")
    server.stop(at_once=at_once)
    try:
        found = potlang.verify(PROGRAM, cache=kept)
        assert found.verdict is Verdict.ENTAILED
        (problem,) = found.diagnostics
        assert problem.code == "POT6011" and PASSWORD not in str(problem)
        assert potlang.verify(PROGRAM, cache=kept).diagnostics == ()
    finally:
        server.start()
    assert kept.find(key(0)) is None  # It rests.
    wake(kept)
    assert kept.find(key(0)) == report(0)
    assert kept.keep(key(1), report(1))
    assert codes(kept) == ["POT6011"]


def test_a_server_that_was_started_anew_costs_no_pause(server: PostgresServer) -> None:
    """[CACHE-SERVER] Only the connection was lost: there is another at once."""
    kept = Cache(server.url)
    assert kept.keep(key(0), report(0))
    server.stop()
    server.start()
    assert kept.find(key(0)) == report(0)
    assert kept.problems == ()


@pytest.mark.slow
def test_a_server_that_answers_nothing(server: PostgresServer) -> None:
    """[CACHE-FAULT] The wait has an end, on an open connection and on a new one, and is rare."""
    kept, other = (Cache(server.url, patience=0.3) for _ in range(2))
    assert kept.keep(key(0), report(0))
    server.pause()
    try:
        for each in (kept, other):
            began = time.monotonic()
            assert each.find(key(0)) is None
            assert time.monotonic() - began < 20
            assert codes(each) == ["POT6011"]
            assert each._reading._until - time.monotonic() > 2, "it rests ten times as long as it waited"
    finally:
        server.resume()
    wake(kept)
    assert kept.find(key(0)) == report(0)


def test_a_locked_table(server: PostgresServer) -> None:
    kept = Cache(server.url, patience=1.0)
    assert kept.keep(key(0), report(0))
    with psycopg.connect(server.url) as holder:
        holder.execute(f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")
        assert kept.find(key(0)) is None
        assert codes(kept) == ["POT6011"]
    wake(kept)
    assert kept.find(key(0)) == report(0)


def test_a_server_that_is_read_only_is_still_read(server: PostgresServer) -> None:
    """[CACHE-FAULT]"""
    assert Cache(server.url).keep(key(0), report(0))
    kept = Cache(server.url + "?options=-c%20default_transaction_read_only%3Don")
    assert not kept.keep(key(1), report(1))
    assert kept.find(key(0)) == report(0)
    assert codes(kept) == ["POT6011"]
    assert "cannot be written" in kept.problems[0].message


def test_a_table_of_another_schema_is_left_alone(server: PostgresServer) -> None:
    """[CACHE-FAULT]"""
    sql(server, f"CREATE TABLE {TABLE} (key text, mine int)")
    sql(server, f"INSERT INTO {TABLE} VALUES ('x', 1)")
    kept = Cache(server.url)
    found = potlang.verify(PROGRAM, cache=kept)
    assert (found.verdict, codes(kept)) == (Verdict.ENTAILED, ["POT6010"])
    assert sql(server, f"SELECT * FROM {TABLE}") == [("x", 1)]
    kept.clear()
    assert kept.keep(key(0), report(0))
    assert kept.find(key(0)) == report(0)


COLUMNS = ("verdict", "versions", "program", "settings", "sum", "text", "report")


@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_entry_is_a_miss_and_is_dropped(server: PostgresServer, column: str) -> None:
    """[CACHE-VALUE]"""
    kept = Cache(server.url)
    assert kept.keep(key(0), report(0))
    sql(server, f"UPDATE {TABLE} SET {column} = 'x'")
    assert kept.find(key(0)) is None
    assert codes(kept) == ["POT6010"]
    assert kept.stats().entries == 0
    assert kept.keep(key(0), report(0))
    assert kept.find(key(0)) == report(0)


def test_an_entry_under_another_key_is_not_believed(server: PostgresServer) -> None:
    kept = Cache(server.url)
    assert kept.keep(key(1), report(1))
    sql(server, f"UPDATE {TABLE} SET key = '{key(0).digest}'")
    assert kept.find(key(0)) is None
    assert codes(kept) == ["POT6010"]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://potlang:{word}@127.0.0.1:1/base",
        "postgresql://potlang:{word}@127.0.0.1:{word}/base",
        "postgresql://potlang:a@{word}@/base",
        "postgresql://potlang:a/{word}@host/base",
        "postgresql://potlang:a?{word}@host/base",
        "postgresql://potlang:1?{word}@host/base",
        "postgresql://127.0.0.1:1/base?password={word}",
        "postgresql://127.0.0.1:1/base?password=a@{word}",
        "postgresql://127.0.0.1:1/base?password={word}&nothing=1",
        "postgresql://127.0.0.1:1/base?passfile=/{word}",
        "postgresql://[::1]:1,127.0.0.1:1/{word}%",
        "postgresql://{word}",
    ],
)
def test_credentials_are_not_printed(url: str) -> None:
    """[CACHE-CHOICE] In no diagnostic, whatever is wrong with the URL; but a host is one."""
    kept = Cache(url.format(word=PASSWORD), patience=0.2)
    found = potlang.verify(PROGRAM, cache=kept)
    assert found.verdict is Verdict.ENTAILED
    assert codes(kept) == ["POT6011"]
    shown = [str(found.diagnostics), json.dumps(found.to_dict()), kept.place, str(kept.stats())]
    if url != "postgresql://{word}":
        assert not any(PASSWORD in each for each in shown), shown


MEANINGS: dict[str, str] = {
    "DiskFull": "written",
    "ReadOnlySqlTransaction": "written",
    "InsufficientPrivilege": "written",
    "TooManyConnections": "used",
    "CannotConnectNow": "used",
    "QueryCanceled": "used",
    "LockNotAvailable": "used",
    "DeadlockDetected": "used",
    "InvalidPassword": "used",
    "IoError": "used",
    "UndefinedColumn": "damaged",
    "DatatypeMismatch": "damaged",
    "NotNullViolation": "damaged",
    "DataCorrupted": "damaged",
}


@pytest.mark.parametrize("name", MEANINGS)
def test_meanings_of_errors(name: str) -> None:
    """[CACHE-FAULT] Full and read-only: still read. From outside: not used. All else: damaged."""
    kept = Cache("postgresql://127.0.0.1:1/base")

    def fail(*_: object) -> None:
        raise getattr(psycopg.errors, name)("the server's words")

    assert kept._store is not None
    kept._store._connection = fail  # type: ignore[attr-defined]
    assert not kept.keep(key(0), report(0))
    (problem,) = kept.problems
    assert (problem.code == "POT6010") == (MEANINGS[name] == "damaged")
    assert f"{MEANINGS[name]}: the server's words" in problem.message
    assert kept._reading.is_on == (MEANINGS[name] != "written")


def test_without_psycopg() -> None:
    code = """
import sys
sys.modules["psycopg"] = None
import potlang
found = potlang.verify(sys.argv[1], cache="postgresql://user:s3cret-word@host/base")
print(found.verdict, [each.message for each in found.diagnostics])
"""
    printed = said(start(code, json.dumps(PROGRAM)))
    assert printed.startswith("entailed") and "psycopg is not installed (`potc doctor` says how)" in printed
    assert PASSWORD not in printed


def test_commands(server: PostgresServer) -> None:
    """`potc cache stats|replay|clear` with a URL, and no credentials in what they print."""

    def potc(*words: str) -> str:
        command = (sys.executable, "-m", "potlang", *words, "--cache-dir", server.url)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert PASSWORD not in done.stdout + done.stderr
        return done.stdout

    potlang.verify(PROGRAM, cache=server.url)
    assert json.loads(potc("cache", "stats", "--format", "json"))["entries"] == 1
    assert potc("cache", "replay") == "1 entry replayed: 1 agree, 0 differ\n"
    assert potc("cache", "clear") == "1 entry removed\n"
