"""Queries over tables end with the call's time, and with a signal."""

from __future__ import annotations

import signal
import threading

import duckdb
import pytest

from potlang.tables.database import TableDatabase
from potlang.utils.deadline import OutOfTime, within
from potlang.utils.watched_queries import watched

ENDLESS = "SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b WHERE a.range * b.range = 7"


@pytest.fixture
def database() -> TableDatabase:
    """A database without files."""
    return TableDatabase([])


def test_a_query_ends_with_the_time_of_the_call(database: TableDatabase) -> None:
    """A query that would go on for years raises OutOfTime."""
    with pytest.raises(OutOfTime), within(100):
        database.rows(ENDLESS)


def test_who_is_interrupted_before_a_query_leaves_nobody_to_interrupt_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[STOP-LIBRARY] The time of the one that was not begun is no other's."""
    start = threading.Thread.start
    watchers: list[threading.Thread] = []

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        watchers.append(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with duckdb.connect() as connection, pytest.raises(KeyboardInterrupt), watched(connection, lambda: False):
        raise AssertionError("not begun")
    assert not watchers[0].is_alive()


@pytest.mark.slow
def test_a_signal_ends_a_query(database: TableDatabase) -> None:
    """Ctrl-C during a query is a KeyboardInterrupt, not an error of DuckDB's."""
    # Test runners ignore the signal in their workers.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt), within(5_000):
            database.rows(ENDLESS)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert database.number("SELECT 1") == 1
