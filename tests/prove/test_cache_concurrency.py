"""Many processes on one cache, and processes killed while they write: nothing wrong, nothing lost."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cache_support import SEED, key, report, said, start

from potlang.prove.cache import Cache

KEYS = 20
WORK = """
import random, sys
from cache_support import key, report
from potlang.prove.cache import Cache
directory, number, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(number)
kept = Cache(directory, patience=60)
print("ready", flush=True)
sys.stdin.readline()
hits = 0
for _ in range(rounds):
    which = chance.randrange(20)
    found = kept.find(key(which))
    assert found is None or found == report(which, 2_000), "a wrong report"
    hits += found is not None
    assert found is not None or kept.keep(key(which), report(which, 2_000)), "not kept"
print(hits, [str(each) for each in kept.problems])
"""


def together(directory: Path, processes: int, rounds: int) -> list[tuple[int, str]]:
    """So many processes at work at once; what each found, and its problems."""
    running = [start(WORK, directory, number, rounds, stdin=subprocess.PIPE) for number in range(processes)]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [said(process).split(" ", 1) for process in running]
    return [(int(count), problems.strip()) for count, problems in answers]


def check_together(directory: Path, processes: int, rounds: int) -> None:
    answers = together(directory, processes, rounds)
    assert [problems for _, problems in answers] == ["[]"] * processes
    assert sum(count for count, _ in answers) >= processes * rounds - processes * KEYS
    kept = Cache(directory)
    assert [kept.find(key(number)) for number in range(KEYS)] == [
        report(number, 2_000) for number in range(KEYS)
    ]
    assert [path.name for path in directory.iterdir()] == ["verdicts-1-0.sqlite3"]
    assert sound(directory)


def sound(directory: Path) -> bool:
    """What SQLite itself says of the whole file."""
    (file,) = directory.glob("verdicts-1-*.sqlite3")
    connection = sqlite3.connect(file)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


def test_eight_processes_on_one_cache(tmp_path: Path) -> None:
    check_together(tmp_path, 8, 60)


@pytest.mark.slow
def test_two_hundred_processes_on_one_cache(tmp_path: Path) -> None:
    check_together(tmp_path, 200, 60)


@pytest.mark.slow
def test_two_hundred_processes_on_a_damaged_cache(tmp_path: Path) -> None:
    """They go on with one new file together; each says what was wrong, none stops."""
    (tmp_path / "verdicts-1-0.sqlite3").write_bytes(b"damaged, all of it" * 1000)
    answers = together(tmp_path, 200, 20)
    assert all(problems == "[]" or "POT6010" in problems for _, problems in answers)
    kept = Cache(tmp_path)
    assert [kept.find(key(number)) for number in range(KEYS)] == [
        report(number, 2_000) for number in range(KEYS)
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "verdicts-1-0.sqlite3",
        "verdicts-1-1.sqlite3",
    ]


VERIFY = """
import sys
from pathlib import Path
import potlang
from potlang.prove.cache import Cache
kept = Cache(sys.argv[1], patience=60)
for _ in range(2):
    report = potlang.verify(Path(sys.argv[2]), cache=kept, trust="solver")
    print(report.verdict, len(report.results), [each.code for each in report.diagnostics])
"""


def test_processes_that_verify_the_same_programs(tmp_path: Path) -> None:
    """Real verifications, four at a time over two programs: all agree, whoever was first."""
    programs = [SEED / "02_cherokee_delegation.json", SEED / "01_sotomayor_giraffe.json"]
    running = [start(VERIFY, tmp_path, program) for program in programs * 2]
    answers = [said(process).splitlines() for process in running]
    assert answers[0] == answers[2] == ["entailed 1 []"] * 2
    assert answers[1] == answers[3] == ["refuted 1 []"] * 2
    assert Cache(tmp_path).stats().entries == 2


WRITER = """
import sys
from cache_support import key, report
from potlang.prove.cache import Cache
kept = Cache(sys.argv[1], most_bytes=3_000_000)
number = int(sys.argv[2])
while True:
    if not kept.keep(key(number), report(number, 40_000)) or kept.problems:
        print("trouble", kept.problems, flush=True)
    print(number, flush=True)
    number += 1
"""


def killed_while_writing(directory: Path, first: int, seconds: float) -> list[int]:
    """Kills a process that writes without a pause; the numbers of what it says it has kept."""
    process = start(WRITER, directory, first)
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    # Not by `communicate`, which leaves out what was read with the first line.
    lines += [line for line in process.stdout if line.endswith("\n")]
    _, errors = process.communicate()
    assert errors == ""
    assert all(line.strip().isdigit() for line in lines), lines
    return [int(line) for line in lines]


def strike(directory: Path, times: int) -> None:
    """Kills one writer after another; whatever was kept is found, whole, and the file is sound."""
    chance = random.Random(5)
    number = 0
    journals = 0
    for _ in range(times):
        done = killed_while_writing(directory, number, chance.uniform(0, 0.05))
        number = done[-1] + 2
        journals += any(directory.glob("*-journal"))
        kept = Cache(directory, checked=0)
        for each in done[-10:]:
            assert kept.find(key(each)) == report(each, 40_000)
        assert kept.find(key(number - 1)) in (None, report(number - 1, 40_000))
        assert kept.problems == ()
        assert sound(directory)
    assert times < 20 or journals > 0, "never struck within a transaction"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL to strike a writer with")
def test_a_writer_killed_at_any_moment_damages_nothing(tmp_path: Path) -> None:
    strike(tmp_path, 2)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL to strike a writer with")
def test_thirty_writers_killed_damage_nothing(tmp_path: Path) -> None:
    strike(tmp_path, 30)
