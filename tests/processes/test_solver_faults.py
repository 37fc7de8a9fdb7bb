"""Faults from outside: killed workers, dead parents, forks, restarts by the hundred."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from potlang.engines.commands import solver_command
from potlang.engines.messages import Query
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers
from potlang.processes.process import Died, Process
from potlang.utils.deadline import Deadline

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc")
ROOT = Path(__file__).parents[2]
BASE = "(declare-sort S 0)(declare-const a S)(declare-fun P (S) Bool)(assert (P a))"
NO = Query("(assert (not (P a)))")


def worker_of(session: SolverSession) -> Process:
    assert session._process is not None
    return session._process


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether the process has ended, or is a zombie of someone else's, within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            state = (
                Path(f"/proc/{pid}/stat")
                .read_text(encoding="utf-8", errors="replace")
                .rsplit(")", 1)[1]
                .split()[0]
            )
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_worker_killed_while_idle_is_replaced(workers: Workers) -> None:
    with SolverSession(workers, "z3", BASE) as session:
        assert session.ask(NO, 5000).status == "unsat"
        pid = worker_of(session).pid
    os.kill(pid, signal.SIGKILL)
    with SolverSession(workers, "z3", BASE) as session:
        assert session.ask(NO, 5000).status == "unsat"
        assert worker_of(session).pid != pid


@pytest.mark.slow
@pytest.mark.parametrize("threads", [False, True])
def test_a_worker_killed_at_any_moment_costs_no_answer(threads: bool) -> None:
    """A killer strikes each worker of the session at random; every query is still answered rightly."""
    chance = random.Random(7)
    stop = threading.Event()
    strikes = 0
    with Workers(threads=threads) as workers:
        session = SolverSession(workers, "z3", BASE)

        def strike() -> None:
            nonlocal strikes
            while not stop.wait(0.01):
                process = session._process
                if process is None or not process._ready:
                    continue
                stop.wait(chance.uniform(0.2, 0.4))  # so that no query is struck twice
                process.kill_from_outside()
                strikes += 1

        killer = threading.Thread(target=strike)
        killer.start()
        statuses: list[str] = []
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            statuses += [each.status for each in session.ask_all([NO, Query("")] * 20, 5000)]
        stop.set()
        killer.join()
        session.close()
    assert strikes > 0
    assert statuses == ["unsat", "sat"] * (len(statuses) // 2)


def test_a_query_that_kills_its_worker_twice_is_a_crash(workers: Workers, hang: str) -> None:
    deaths: list[int] = []
    stop = threading.Event()
    with SolverSession(workers, "z3", BASE) as session:
        session.ask(NO, 5000)

        def strike() -> None:
            while not stop.is_set() and len(deaths) < 2:
                time.sleep(0.05)
                process = session._process
                # It has read the base: two queries are left, of which the first never ends.
                if process is not None and process.pid not in deaths and process.pending == 2:
                    deaths.append(process.pid)
                    os.kill(process.pid, signal.SIGKILL)

        killer = threading.Thread(target=strike)
        killer.start()
        answers = list(session.ask_all([Query(hang), NO], 20_000))
        stop.set()
        killer.join()
    assert len(deaths) == 2
    assert (answers[0].status, answers[0].reason) == ("unknown", "crash")
    assert "SIGKILL" in answers[0].detail
    assert answers[1].status == "unsat"


def test_closing_leaves_no_process(hang: str) -> None:
    workers = Workers()
    workers.warm(solver_command("z3"), 2)
    session = SolverSession(workers, "cvc5", BASE)
    session.ask(NO, 5000)
    pids = [worker_of(session).pid, *(each.pid for each in workers._idle[solver_command("z3")])]
    session.close()
    workers.close()
    assert len(set(pids)) == 3
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    with pytest.raises(RuntimeError, match="closed"):
        workers.warm(solver_command("z3"))


def test_a_worker_is_started_once() -> None:
    """One that runs already is kept, and one that cannot start says so."""
    with Workers() as workers:
        command = solver_command("z3")
        workers.start(command)
        (first,) = workers._idle[command]
        workers.start(command)
        assert workers._idle[command] == [first] and first.alive()
        with pytest.raises(Died):
            workers.start(("nowhere:service",))


SCRIPT = """
import os, sys
from potlang.engines.commands import solver_command
from potlang.engines.messages import Query
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers
workers = Workers()
workers.warm(solver_command("z3"))
session = SolverSession(workers, sys.argv[1], "(declare-const q Bool)(assert q)")
print(session.ask(Query("(assert (not q))"), 5000).status, flush=True)
idle = workers._idle.get(solver_command("z3"), [])
print(session._process.pid, *(each.pid for each in idle), flush=True)
if sys.argv[2] == "hang":
    session.ask(Query(open(sys.argv[3]).read()), int(sys.argv[4]))
elif sys.argv[2] == "kill":
    os.kill(os.getpid(), 9)
"""


def run_script(engine: str, end: str, limit: int = 60_000) -> tuple[subprocess.Popen[str], list[int]]:
    file = str(ROOT / "tests" / "limits" / "hang.smt2")
    command = [sys.executable, "-W", "error", "-c", SCRIPT, engine, end, file, str(limit)]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "unsat\n"
    return process, [int(word) for word in process.stdout.readline().split()]


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_a_parent_that_ends_takes_its_idle_workers_along(end: str) -> None:
    process, pids = run_script("z3", end)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == (0 if end == "exit" else -9)
    assert errors == ""
    assert pids
    assert all(gone(pid) for pid in pids)


@pytest.mark.parametrize(("engine", "limit"), [("z3", 60_000), ("cvc5", 500)])
def test_a_parent_killed_in_a_query_takes_the_busy_worker_along(engine: str, limit: int) -> None:
    """z3's worker sees it at once; cvc5 keeps the interpreter's lock, so there its own deadline does it."""
    process, pids = run_script(engine, "hang", limit)
    time.sleep(0.3)
    process.kill()
    process.communicate(timeout=30)
    assert all(gone(pid) for pid in pids)


def test_ctrl_c_does_not_reach_the_workers(workers: Workers) -> None:
    with SolverSession(workers, "z3", BASE) as session:
        session.ask(NO, 5000)
        pid = worker_of(session).pid
        assert os.getsid(pid) == pid
        os.kill(pid, signal.SIGINT)
        assert session.ask(NO, 5000).status == "unsat"
        assert worker_of(session).pid == pid


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_uses_workers_of_its_own(workers: Workers) -> None:
    with SolverSession(workers, "z3", BASE) as session:
        session.ask(NO, 5000)
        pid = worker_of(session).pid
        workers.warm(solver_command("z3"))
        idle = workers._idle[solver_command("z3")][0].pid
        child = os.fork()
        if child == 0:
            code = 1
            try:
                inside = session.ask(NO, 5000).status == "unsat" and worker_of(session).pid not in (pid, idle)
                with SolverSession(workers, "z3", BASE) as other:
                    inside = inside and other.ask(NO, 5000).status == "unsat"
                    inside = inside and worker_of(other).pid not in (pid, idle)
                session.close()
                workers.close()
                code = 0 if inside else 2
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert session.ask(NO, 5000).status == "unsat"
        assert worker_of(session).pid == pid
    with SolverSession(workers, "z3", BASE) as session:
        assert session.ask(NO, 5000).status == "unsat"
        assert worker_of(session).pid in (pid, idle)


FORKING = """
import os, sys
from potlang.processes.pool import Workers
from potlang.engines.commands import solver_command

workers = Workers()
process = workers.checkout(solver_command("z3"))
process.handshake()
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print(process.alive())
"""


def test_a_forked_child_that_ends_leaves_its_parents_workers_alone() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKING], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert found.stdout.split() == ["True"], found.stderr


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def restart(times: int) -> None:
    # What earlier tests have left may not be closed meanwhile.
    gc.collect()
    with Workers() as workers:
        session = SolverSession(workers, "z3", BASE)
        session.ask(NO, 5000)
        before = open_descriptors()
        for _ in range(times):
            worker_of(session).kill_from_outside()
            assert session.ask(NO, 10_000).status == "unsat"
        assert open_descriptors() == before
        session.close()


def test_restarts_leak_no_descriptors() -> None:
    restart(8)


@pytest.mark.slow
def test_hundreds_of_restarts_leak_no_descriptors() -> None:
    restart(200)


def test_a_worker_inherits_no_descriptors(workers: Workers) -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    with SolverSession(workers, "z3", BASE) as session:
        session.ask(NO, 5000)
        os.close(write)
        os.set_blocking(read, False)
        assert os.read(read, 1) == b""
    os.close(read)


def test_threads_have_a_worker_each(workers: Workers) -> None:
    results: list[bool] = []

    def work(number: int) -> None:
        base = f"(declare-const n Int)(assert (= n {number}))"
        for _ in range(10):
            with SolverSession(workers, "z3", base) as session:
                answer = session.ask(Query("", ("n",)), 5000)
                results.append(answer.values == (str(number),))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 40
    assert len(workers._idle[solver_command("z3")]) <= 2


@pytest.mark.parametrize("threads", [False, True])
def test_a_large_base_and_large_answers_pass_the_pipe(threads: bool) -> None:
    """Many queries sent while many answers come back, each far beyond a pipe's buffer."""
    base = "".join(f"(declare-const constant_number_{i} Int)" for i in range(20_000))
    values = tuple(f"constant_number_{i}" for i in range(5000))
    padding = "; " + "x" * 300_000 + "\n"
    with Workers(threads=threads) as workers, SolverSession(workers, "z3", base) as session:
        answers = list(session.ask_all([Query(padding, values)] * 6, 20_000))
    assert all(answer.values is not None and len(answer.values) == 5000 for answer in answers)


def test_a_garbled_answer_is_a_crash(workers: Workers) -> None:
    """A worker whose pipe says nonsense is killed, not believed."""
    process = Process(solver_command("z3"))
    process.handshake()
    process._buffer += b"\x00\x00\x00\x02[]"
    with pytest.raises(Died, match="garbled"):
        process.receive(Deadline(5_000))
    assert not process.alive()


def test_the_import_of_the_pool_loads_no_solver() -> None:
    code = (
        "import sys, potlang.engines.solver; print([m for m in ('z3', 'cvc5', 'pysmt') if m in sys.modules])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert output.stdout == "[]\n"


def test_a_large_parent_wears_no_worker_out() -> None:
    """What the parent had in memory when it made a worker is not what the worker used."""
    script = (
        "from potlang.engines.messages import Query\n"
        "from potlang.engines.solver import SolverSession\n"
        "from potlang.processes.pool import Workers\n"
        "held = b'x' * (600 << 20)\n"
        "pids = set()\n"
        "with Workers() as workers:\n"
        "    for _ in range(3):\n"
        "        with SolverSession(workers, 'z3', '(declare-const p Bool)') as session:\n"
        "            session.ask(Query('(assert p)'), 5000)\n"
        "            pids.add(session._process.pid)\n"
        "print(len(pids))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
