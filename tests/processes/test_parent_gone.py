"""Children end with their parent, whatever they are at, and not with the thread that has started them.

Spec: [STOP-CHILD].
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from echo_service import HOLD

from potlang.processes import pool
from potlang.processes.child import Child
from potlang.processes.pool import Workers
from potlang.processes.process import Process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the signal is Linux's")
HERE = Path(__file__).parent
ECHO = ("echo_service:echo",)
PARENT = f"""
import sys, threading
sys.path.insert(0, {str(HERE)!r})
from potlang.processes.process import Process
def busy():
    child = Process({ECHO!r})
    child.handshake()
    child.send({{"text": {HOLD!r}}})
    print(child.pid, flush=True)
    kept.append(child)
kept = []
busy()
thread = threading.Thread(target=busy)
thread.start()
thread.join()
sys.stdin.read()
"""


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or a zombie until whoever adopted it asks."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] in "ZX"
    except OSError:
        return True


def ends_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not has_ended(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_busy_child_ends_with_its_parent(number: signal.Signals) -> None:
    """[STOP-CHILD] One of a thread, too; the engine holds the interpreter's lock all the while."""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as parent:
        assert parent.stdout is not None
        pids = [int(parent.stdout.readline()) for _ in range(2)]
        assert not any(map(has_ended, pids))
        parent.send_signal(number)
        parent.wait()
        assert all(ends_within(pid, 3.0) for pid in pids)


def test_a_child_outlives_the_thread_that_has_started_it() -> None:
    """[STOP-CHILD]"""
    child = Child(ECHO)
    thread = threading.Thread(target=child.start)
    thread.start()
    thread.join()
    time.sleep(0.05)
    assert child.ask({"text": "a"}, seconds=20, megabytes=512)["text"] == "a"
    child.close()


def test_what_cannot_start_in_a_thread_says_so_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    found: list[BaseException] = []

    def start() -> None:
        try:
            Child(ECHO).start()
        except FileNotFoundError as error:
            found.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert len(found) == 1


def test_an_interrupted_question_leaves_no_answer_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """[STOP-LIBRARY] The answer that is still to come must not be taken for that to another question."""
    child = Child(ECHO)
    child.start()
    process = child._process
    assert process is not None

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "receive", interrupted)
    with pytest.raises(KeyboardInterrupt):
        child.ask({"text": "a"}, seconds=20, megabytes=512)
    assert has_ended(process.pid)
    assert child.ask({"text": "b"}, seconds=20, megabytes=512)["text"] == "b"
    child.close()


def test_one_that_is_killed_is_waited_for_though_the_wait_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[STOP-LIBRARY] Nobody else asks for it, and it would be a zombie as long as its traceback is kept."""
    process = Process(ECHO)
    wait4 = os.wait4
    waits = []

    def interrupted(*given: int) -> object:
        waits.append(given)
        if len(waits) == 1:
            raise KeyboardInterrupt
        return wait4(*given)

    monkeypatch.setattr(os, "wait4", interrupted)
    with pytest.raises(KeyboardInterrupt):
        process.kill()
    assert not Path(f"/proc/{process.pid}").exists()
    assert not process.alive()


def test_a_worker_that_starts_while_the_others_are_closed_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody would end it later."""
    workers = Workers()
    started = []

    def spawned(*given: Any) -> Process:
        started.append(Process(*given))
        workers.close()
        return started[0]

    monkeypatch.setattr(pool, "Process", spawned)
    with pytest.raises(RuntimeError, match="closed"):
        workers.checkout(ECHO)
    assert not started[0].alive()


def test_a_forked_process_starts_its_own_children() -> None:
    """A fork has none of the threads of its parent, also not the one that starts children."""
    with Workers() as workers:
        thread = threading.Thread(target=lambda: workers.warm(ECHO))
        thread.start()
        thread.join()
        pid = os.fork()
        if not pid:
            child = Child(ECHO)
            done = []
            other = threading.Thread(
                target=lambda: done.append(child.ask({"text": "a"}, seconds=20, megabytes=512)["text"])
            )
            other.start()
            other.join(20)
            child.close()
            os._exit(0 if done == ["a"] else 1)
        assert os.waitpid(pid, 0)[1] == 0
