"""Children that many threads ask, and forked processes."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from echo_service import WAIT

from potlang.processes.children import Children, NotStarted
from potlang.processes.process import Died, Process


def idle(children: Children) -> list[Process]:
    return [each for kept in children._workers._idle.values() for each in kept]


def echoed(children: Children, text: str, seconds: float = 20) -> str:
    return str(children.ask({"text": text}, seconds=seconds, megabytes=512)["text"])


def test_one_that_overruns_costs_only_itself() -> None:
    def outcome(text: str) -> str:
        try:
            return echoed(children, text, 0.5 if text == WAIT else 20)
        except Died as died:
            return died.reason

    asked = [WAIT if at % 8 == 3 else str(at) for at in range(24)]
    with Children(("echo_service:echo",), most=2) as children, ThreadPoolExecutor(6) as threads:
        found = list(threads.map(outcome, asked))
        assert found == ["timeout" if each == WAIT else each for each in asked]
        assert len(idle(children)) <= 2
    assert not idle(children)


def test_closed_ones_start_again() -> None:
    children = Children(("echo_service:echo",))
    for text in ("a", "b"):
        assert echoed(children, text) == text
        children.close()


def test_a_service_that_is_not_there_is_not_started() -> None:
    with Children(("echo_service:nobody",)) as children, pytest.raises(NotStarted, match="AttributeError"):
        echoed(children, "a")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_has_children_of_its_own() -> None:
    """Even where another thread has the only turn and the pool's lock at the fork."""
    with Children(("echo_service:echo",), most=1) as children:
        assert echoed(children, "a") == "a"
        (process,) = idle(children)
        held, done = threading.Event(), threading.Event()

        def hold() -> None:
            with children._turns, children._workers._lock:
                held.set()
                done.wait(60)

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(60)
        pid = os.fork()
        if not pid:
            # Nothing of the test's own may run on here, whatever happens.
            os._exit(_status_of_fork(children))
        done.set()
        holder.join()
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert process.alive() and echoed(children, "b") == "b" and idle(children) == [process]


def _status_of_fork(children: Children) -> int:
    try:
        own = echoed(children, "c") == "c"
        children.close()
        return 0 if own else 1
    except BaseException:
        return 2
