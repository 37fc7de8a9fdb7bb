"""Limits that hold whatever the solver does, and what survives when they strike."""

from __future__ import annotations

import time

import pytest

from potlang.engines.messages import Query
from potlang.engines.solver import GRACE_MS, SolverSession
from potlang.processes.pool import Workers

BASE = "(declare-sort S 0)(declare-const a S)(declare-fun P (S) Bool)(assert (! (P a) :named fact))"
NO = Query("(assert (not (P a)))", core=True)
direct_engine = pytest.mark.parametrize("engine", ["z3", "cvc5"])


@direct_engine
def test_a_query_that_hangs_costs_itself_alone(shared: Workers, engine: str, hang: str) -> None:
    """[LIMIT-CHECK] The hang is beyond the solver's own limit: only the kill ends it, and in time."""
    with SolverSession(shared, engine, BASE) as session:
        session.ask(NO, 5000)
        began = time.monotonic()
        answers = list(session.ask_all([NO, Query(hang), NO], 1_000))
        seconds = time.monotonic() - began
    assert [answer.status for answer in answers] == ["unsat", "unknown", "unsat"]
    assert (answers[1].reason, answers[1].detail) == ("timeout", "killed at the limit")
    assert answers[2].core == ("fact",)
    assert seconds < (1_000 + GRACE_MS) / 1000 + 20


def test_answers_come_before_the_hang_is_over(shared: Workers, hang: str) -> None:
    with SolverSession(shared, "z3", BASE) as session:
        session.ask(NO, 5000)
        stream = session.ask_all([NO, NO, Query(hang)], 600_000)
        assert [next(stream).status, next(stream).status] == ["unsat", "unsat"]
        session.cancel()
        assert next(stream).detail == "cancelled"


def test_answers_that_nobody_takes_are_never_taken_for_others(workers: Workers) -> None:
    """A stream given up half way, and one asked into: what was on its way goes with its worker."""
    with SolverSession(workers, "z3", BASE) as session:
        stream = session.ask_all([NO, Query(""), Query("")], 5000)
        assert next(stream).status == "unsat"
    with SolverSession(workers, "z3", BASE) as session:
        assert session.ask(NO, 5000).status == "unsat"
        stream = session.ask_all([Query(""), Query(""), NO], 5000)
        assert next(stream).status == "sat"
        assert session.ask(NO, 5000).status == "unsat"
        assert [answer.status for answer in stream] == ["sat", "unsat"]


@pytest.mark.slow
def test_a_slow_reader_loses_no_answer(workers: Workers) -> None:
    """The worker's own deadline does not run while it waits for the parent to take a large answer."""
    base = "".join(f"(declare-const constant_number_{i} Int)" for i in range(5000))
    values = tuple(f"constant_number_{i}" for i in range(5000))
    with SolverSession(workers, "z3", base) as session:
        stream = session.ask_all([Query("", values)] * 3, 600)
        found = [next(stream)]
        time.sleep((600 + GRACE_MS) / 1000 + 1.3)
        found += stream
    assert [answer.status for answer in found] == ["sat"] * 3


@pytest.mark.parametrize("threads", [False, True])
def test_a_worker_reads_a_long_base_while_the_caller_has_work_of_its_own(threads: bool) -> None:
    """It has all of the base before that work begins: a pipe would hold but the beginning."""
    base = "".join(f"(declare-const constant_number_{i} Int)" for i in range(20_000))
    answered: list[bool] = []

    def work() -> None:
        process = session._process
        assert process is not None
        deadline = time.monotonic() + 60
        while not (found := process._pipes.readable()) and time.monotonic() < deadline:
            time.sleep(0.01)
        answered.append(found)

    with Workers(threads=threads) as workers:
        with SolverSession(workers, "z3", BASE) as session:
            assert session.ask(NO, 5000).status == "unsat"
        with SolverSession(workers, "z3", base) as session:
            session.on_idle = work
            assert session.ask(Query(""), 5000).status == "sat"
    assert answered == [True]


@pytest.mark.parametrize(("engine", "megabytes"), [("z3", 200), ("cvc5", 200), ("z3", 400)])
def test_too_much_memory_is_said_so(shared: Workers, engine: str, megabytes: int, bomb: str) -> None:
    with SolverSession(shared, engine, BASE, memory_mb=megabytes) as session:
        answers = list(session.ask_all([NO, Query(bomb), NO], 30_000))
    assert [answer.status for answer in answers] == ["unsat", "unknown", "unsat"]
    assert answers[1].reason == "memory"


@pytest.mark.slow
def test_the_memory_limit_is_of_the_session(workers: Workers, bomb: str) -> None:
    """[LIMIT-MEMORY] A worker that served under a small limit is free of it afterwards."""
    with SolverSession(workers, "z3", BASE, memory_mb=64) as session:
        assert session.ask(NO, 5000).status == "unsat"
        process = session._process
        assert process is not None
        first = process.pid
    with SolverSession(workers, "z3", BASE) as session:
        answer = session.ask(Query(bomb), 1000)
        assert (session._process is None) or session._process.pid == first
    assert answer.reason != "memory"


def test_a_small_limit_is_enough_for_small_programs(shared: Workers) -> None:
    for engine in ("z3", "cvc5"):
        with SolverSession(shared, engine, BASE, memory_mb=32) as session:
            assert session.ask(NO, 5000)[:3] == ("unsat", None, "")


@direct_engine
def test_a_base_that_cannot_be_read_in_memory_is_tried_once(shared: Workers, engine: str) -> None:
    base = "".join(f"(declare-const a_rather_long_name_for_a_constant_{i} Int)" for i in range(150_000))
    with SolverSession(shared, engine, base, memory_mb=16) as session:
        began = time.monotonic()
        answers = list(session.ask_all([Query("")] * 20, 20_000))
        assert [(answer.status, answer.reason) for answer in answers] == [("unknown", "memory")] * 20
    assert time.monotonic() - began < 30


def test_cancel_ends_a_query_from_another_thread(workers: Workers, hang: str) -> None:
    import threading

    session = SolverSession(workers, "z3", BASE)
    session.ask(NO, 5000)
    timer = threading.Timer(0.3, session.cancel)
    timer.start()
    began = time.monotonic()
    answer = session.ask(Query(hang), 60_000)
    timer.join()
    assert time.monotonic() - began < 40
    assert (answer.status, answer.detail) == ("unknown", "cancelled")
    assert session.ask(NO, 5000).detail == "cancelled"
    session.start(BASE)
    assert session.ask(NO, 5000).status == "unsat"
    session.close()


def test_deep_terms_do_not_overflow_the_stack(shared: Workers) -> None:
    depth = 20_000
    text = f"(declare-const q Bool)(assert {'(not ' * depth}q{')' * depth})(assert (not q))"
    for engine in ("z3", "cvc5"):
        with SolverSession(shared, engine) as session:
            assert session.ask(Query(text), 20_000).status == "unsat", engine
