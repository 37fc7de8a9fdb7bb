"""Children that many threads ask, and forked processes."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from echo_service import WAIT

from potlang.processes.children import Children, NotStarted
from potlang.processes.process import Died, Process
from potlang.utils.interruptible import Interruptible


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


def test_who_is_interrupted_while_it_waits_ends_at_once_and_takes_no_turn() -> None:
    """[STOP-TASK] Whoever waits behind it has the turn when there is one."""
    with Children(("echo_service:echo",), most=1) as children, ThreadPoolExecutor(2) as threads:
        waits = Interruptible(lambda: echoed(children, "a"))
        children._at_work.add("another")
        first = threads.submit(waits)
        while waits._thread is None:
            time.sleep(0.01)
        second = threads.submit(echoed, children, "b")
        waits.interrupt()
        with pytest.raises(KeyboardInterrupt):
            first.result(30)
        assert not second.done()
        children._at_work.discard("another")
        assert second.result(30) == "b"


class _Interrupting(set[object]):
    """A set into which something is put when the interruption comes."""

    def add(self, element: object) -> None:
        super().add(element)
        raise KeyboardInterrupt


def test_who_is_interrupted_as_it_takes_a_turn_gives_it_back() -> None:
    """[STOP-TASK]"""
    with Children(("echo_service:echo",), most=1) as children:
        children._at_work = _Interrupting()
        with pytest.raises(KeyboardInterrupt):
            echoed(children, "a")
        children._at_work = set(children._at_work)
        assert echoed(children, "b") == "b"


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
            children._at_work.add(held)
            with children._workers._lock:
                held.set()
                done.wait(60)
            children._at_work.discard(held)

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
