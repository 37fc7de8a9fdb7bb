"""Guards under real faults: processes killed, stopped and out of memory, full disks ([GUARD-CLOSED])."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from test_guard import EVEN, IDENTIFY, identified, pay, payments

from potlang.policy.guard import Decision, Guard, GuardState, Permission
from potlang.policy.guard import guard as guard_module
from potlang.policy.records import DecisionRecord, Records, read_records
from potlang.policy.replay import replay
from potlang.processes.pool import Workers
from potlang.processes.process import Command, Process
from potlang.report.results import Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits as Linux has them")

HELD = {"tool": "pay", "arguments": {"amount": 102}}
"""An event about which a solver is asked."""


@contextmanager
def struck(workers: Workers, number: signal.Signals) -> Iterator[set[int]]:
    """Sends a signal to each solver that answers; gives their process ids."""
    hit: set[int] = set()
    is_over = threading.Event()

    def strike() -> None:
        while not is_over.wait(0.001):
            for pid in {each.pid for each in list(workers._busy)} - hit:
                hit.add(pid)
                os.kill(pid, number)

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        yield hit
    finally:
        is_over.set()
        thread.join()


@contextmanager
def asking(timeout: float = 20.0, **options: object) -> Iterator[tuple[Guard, GuardState, Workers]]:
    """A guard that asks a solver, in a session in which somebody is identified."""
    with Workers() as workers:
        guard = Guard(payments(EVEN), {"timeout": timeout, **options}, workers=workers)
        yield guard, identified(guard), workers


def is_gone(pid: int) -> bool:
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def works(guard: Guard, state: GuardState) -> None:
    decision = guard.check(HELD, state)
    assert (decision.permission, decision.by) == (Permission.ALLOW, "solver"), decision.reason


def test_a_solver_that_is_killed_denies_and_the_next_decision_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """[GUARD-CLOSED]"""
    hit: list[int] = []
    with asking() as (guard, state, workers):
        checkout = workers.checkout

        def struck_at_once(command: Command) -> Process:
            process = checkout(command)
            hit.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            return process

        with monkeypatch.context() as patched:
            patched.setattr(workers, "checkout", struck_at_once)
            decision = guard.check(HELD, state)
        assert hit and decision.permission is Permission.DENY and decision.state is state
        assert "the solver failed: the solver's process was ended by SIGKILL" in decision.reason
        works(guard, state)


@pytest.mark.slow
@pytest.mark.parametrize("otherwise", ["ask", "deny"])
def test_a_solver_that_is_stopped_asks_or_denies_in_time(otherwise: str) -> None:
    """[GUARD-CLOSED]"""
    with asking(2.0, otherwise=otherwise) as (guard, state, workers):
        began = time.monotonic()
        with struck(workers, signal.SIGSTOP) as hit:
            decision = guard.check(HELD, state)
        assert hit and decision.permission is Permission(otherwise)
        assert "not found out in time" in decision.reason and time.monotonic() - began < 10
        assert all(map(is_gone, hit))
    with asking() as (guard, state, _):
        works(guard, state)


@pytest.mark.slow
def test_solvers_that_are_killed_at_any_time_allow_nothing_wrong() -> None:
    """[GUARD-CLOSED]: 102 is even, 103 is not."""
    random, killed = Random(7), 0
    with asking() as (guard, state, workers):
        for _ in range(60):
            amount = random.choice((102, 103))
            hit: list[int] = []
            timer = threading.Timer(random.random() * 0.03, _kill_busy, [workers, hit])
            timer.start()
            decision = guard.check(pay(amount), state)
            timer.join()
            killed += len(hit)
            assert decision.permission is not Permission.ALLOW or amount == 102
        works(guard, state)
    assert killed > 10


def _kill_busy(workers: Workers, hit: list[int]) -> None:
    for each in list(workers._busy):
        hit.append(each.pid)
        os.kill(each.pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_solver_without_memory_denies_and_the_next_decision_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """[GUARD-CLOSED]"""
    names = [f"tool_{number}" for number in range(4_000)]
    program = payments(EVEN)
    program["sorts"][1]["values"] += names
    with Workers() as workers:
        guard = Guard(program, {"timeout": 60}, workers=workers)
        state = identified(guard)
        with monkeypatch.context() as patched:
            patched.setattr(guard_module, "Limits", lambda check, total: Limits(check, total, 1))
            decision = guard.check(HELD, state)
        assert decision.permission is Permission.DENY, decision.reason
        assert "near the limit of 1 MB" in decision.reason
        works(guard, state)


# --- records ---

RUN = """
import json, os, resource, signal, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from test_guard import IDENTIFY, payments
from potlang.policy import records
from potlang.policy.guard import Guard

{before}
own = Guard(payments()).recorded(records.Records(Path(sys.argv[1])))
state = own.begin()
while True:
    decision = own.check(IDENTIFY, state)
    print(decision.permission, state.count + 1, decision.reason, flush=True)
    state = decision.state
    if not decision.allowed:
        break
"""


def run(path: Path, before: str = "") -> subprocess.Popen[str]:
    """A process that decides and records for ever, or until it denies."""
    code = RUN.format(paths=[str(Path(__file__).parent), str(Path(__file__).parents[1])], before=before)
    command = [sys.executable, "-c", code, str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def decisions(path: Path) -> int:
    """The decisions of a chain, which has no fault and is decided again as it was."""
    found = replay(path)
    assert (found.faults, found.changed) == ([], [])
    return found.decisions


def goes_on(path: Path) -> Decision:
    guard = Guard(payments()).recorded(Records(path))
    decision = guard.check(IDENTIFY, guard.begin())
    assert decision.allowed, decision.reason
    return decision


@pytest.fixture(params=["chain.jsonl", "chain.sqlite3"])
def chain(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


LIMITED = "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))"


def test_a_file_that_cannot_grow_denies_and_leaves_whole_records(chain: Path) -> None:
    """[RECORD-CUT], [GUARD-CLOSED]"""
    with run(chain, LIMITED) as process:
        out, _ = process.communicate(timeout=120)
    allowed = [line for line in out.splitlines() if line.startswith("allow")]
    assert len(allowed) > 5 and out.splitlines()[-1].startswith("deny")
    assert "cannot write" in out.splitlines()[-1]
    assert decisions(chain) == len(allowed)
    goes_on(chain)
    assert decisions(chain) == len(allowed) + 1


KILLED = """
add = records.Records.add
def added(self, kind, content):
    found = add(self, kind, content)
    if kind == "decision" and content["permission"] == "allow" and found.number > 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return found
records.Records.add = added
"""


def test_a_guard_that_is_killed_between_record_and_answer_has_the_record(chain: Path) -> None:
    """[RECORD-CUT]"""
    with run(chain, KILLED) as process:
        out, _ = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    assert decisions(chain) == len(out.splitlines()) + 1
    goes_on(chain)
    assert decisions(chain) == len(out.splitlines()) + 2


@pytest.mark.slow
def test_a_guard_that_is_killed_at_any_time_loses_no_decision_that_it_gave(chain: Path) -> None:
    """[RECORD-CUT]"""
    random, given = Random(5), 0
    for killed in range(1, 26):
        with run(chain) as process:
            assert process.stdout is not None
            given += bool(process.stdout.readline())
            time.sleep(random.random() * 0.05)
            process.kill()
            given += len(process.stdout.read().splitlines())
        goes_on(chain)
        given += 1
        found = decisions(chain)
        # Of each process that was killed there may be one that was recorded and not given.
        assert given <= found <= given + killed


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="who mounts is root")
def test_a_full_disk_denies_and_with_room_again_the_chain_goes_on(tmp_path: Path) -> None:
    """[RECORD-CUT], [GUARD-CLOSED]"""
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("nothing can be mounted here")
    try:
        for name in ("chain.jsonl", "chain.sqlite3"):
            (disk / "filling").write_bytes(b"x" * 100_000)
            chain = disk / name
            with run(chain) as process:
                out, _ = process.communicate(timeout=120)
            allowed = [line for line in out.splitlines() if line.startswith("allow")]
            assert allowed and out.splitlines()[-1].startswith("deny")
            assert decisions(chain) == len(allowed)
            (disk / "filling").unlink()
            goes_on(chain)
            assert decisions(chain) == len(allowed) + 1
            assert all(isinstance(each, DecisionRecord) for each in read_records(chain))
            chain.unlink()
    finally:
        subprocess.run(["umount", str(disk)], check=True)
