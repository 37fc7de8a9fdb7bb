"""Scopes of limits: deadlines end with the call around, and nodes are counted."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor

import pytest

from potlang.engines.fuel import Fuel
from potlang.ir import operators as op
from potlang.ir.pool import Pool
from potlang.utils.deadline import Deadline, OutOfFuel, OutOfTime, look, within


def grown(nodes: int) -> Pool:
    pool = Pool()
    term = pool.integer(0)
    for _ in range(nodes):
        term = pool.app(op.ADD, (term, pool.integer(1)))
    return pool


def test_a_deadline_ends_no_later_than_the_call_around() -> None:
    """[LIMIT-WHOLE-CALL]"""
    with within(0):
        assert Deadline(60_000).passed()
        assert not Deadline(60_000, beyond_ms=5_000).passed()
        with within(60_000):
            assert Deadline(60_000).passed()
    assert not Deadline(60_000).passed()


def test_what_is_made_in_a_pool_is_held_to_the_limits_of_the_call() -> None:
    """[LIMIT-WHOLE-CALL] [LIMIT-NODES]"""
    with within(0), pytest.raises(OutOfTime):
        grown(3_000)
    with within(nodes=10_000):
        grown(5_000)
    with within(nodes=10_000), pytest.raises(OutOfFuel) as reason:
        grown(50_000)
    assert not isinstance(reason.value, OutOfTime)


def test_nodes_count_for_all_calls_around() -> None:
    """[LIMIT-NODES]"""
    with within(nodes=20_000), pytest.raises(OutOfFuel):
        for _ in range(10):
            with within(nodes=10_000):
                grown(5_000)


def test_steps_look_at_the_clock() -> None:
    """[LIMIT-WHOLE-CALL]"""
    fuel = Fuel(1_000_000)
    with within(0), pytest.raises(OutOfTime):
        for _ in range(10_000):
            fuel.spend()


def test_a_thread_has_the_limits_that_it_is_given() -> None:
    """[LIMIT-WHOLE-CALL]"""
    with within(0), ThreadPoolExecutor(1) as threads:
        threads.submit(look).result()
        with pytest.raises(OutOfTime):
            threads.submit(contextvars.copy_context().run, look).result()
