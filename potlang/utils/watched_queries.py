"""Queries of DuckDB that end with a time limit, or with a signal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_POLL_SECONDS: Final = 0.02


@contextmanager
def watched(connection: DuckDBPyConnection, is_over: Callable[[], bool]) -> Iterator[None]:
    """Interrupt the queries within as soon as `is_over`, which a thread of its own asks."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_POLL_SECONDS):
            if is_over():
                connection.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    try:
        # In here: it may have begun where an interruption hits its start, and would interrupt later queries.
        watcher.start()
        yield
    finally:
        ended.set()
        if watcher.is_alive():
            watcher.join()


@contextmanager
def signals_passed_on() -> Iterator[None]:
    """Raise KeyboardInterrupt where a signal ended the query within: DuckDB makes a RuntimeError of it."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
