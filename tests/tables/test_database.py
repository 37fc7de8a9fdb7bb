"""Queries over tables end with the call's time, and with a signal."""

from __future__ import annotations

import signal
import threading

import pytest

from potlang.tables.database import TableDatabase
from potlang.utils.deadline import OutOfTime, within

ENDLESS = "SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b WHERE a.range * b.range = 7"


@pytest.fixture
def database() -> TableDatabase:
    """A database without files."""
    return TableDatabase([])


def test_a_query_ends_with_the_time_of_the_call(database: TableDatabase) -> None:
    """A query that would go on for years raises OutOfTime."""
    with pytest.raises(OutOfTime), within(100):
        database.rows(ENDLESS)


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
