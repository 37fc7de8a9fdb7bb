"""Work on many records without the garbage collector, which would look at all of them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

LARGE = 20_000
"""Records from which on a trace is large."""


@contextmanager
def collector_paused(records: int) -> Iterator[None]:
    """No collection while so many records are worked on, if they are many; they make no cycles."""
    if records < LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
