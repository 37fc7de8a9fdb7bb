"""Work without the garbage collector, or with less of it: it would look at very many objects each time.

While it looks it holds the interpreter's lock: a second where there are ten million objects.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_YOUNG: Final = (50_000, 2)
_NEVER: Final = 1 << 30
_MANY: Final = 8
"""Collections of young objects after which there may be much old garbage: a million objects were made."""


@contextmanager
def collector_paused(large: bool) -> Iterator[None]:
    """No collection while something large is worked on, of which hardly a part is garbage in a cycle.

    What was made meanwhile counts as old afterwards: else the next collection, due at once, would
    walk through all of it.
    """
    if not large or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            # Both only relink lists; what the host program has frozen would be thawed with the rest.
            gc.freeze()
            gc.unfreeze()
        gc.enable()


class _ShortCollections:
    """Collections of young objects alone, with all others between two inputs."""

    def __init__(self) -> None:
        self._usual: tuple[int, int, int] | None = None
        self._seen = 0

    def begin(self) -> None:
        self._usual = self._usual or gc.get_threshold()
        gc.set_threshold(*_YOUNG, _NEVER)

    def end(self) -> None:
        if self._usual is not None:
            gc.set_threshold(*self._usual)
            self._usual = None

    def between_inputs(self) -> None:
        number = gc.get_stats()[1]["collections"]
        if self._usual is not None and number - self._seen >= _MANY:
            self._seen = number
            gc.collect()


_short = _ShortCollections()


def keep_collections_short() -> None:
    """From now on old objects are collected between inputs alone ([STOP-SIGNAL]).

    For a process that has an end soon, and is to hear of signals until then. Starting up makes many objects
    and hardly any garbage, so that it is the faster for it too.
    """
    _short.begin()


def collect_as_usual() -> None:
    """Undoes `keep_collections_short`, for what goes on for days."""
    _short.end()


def begin_input() -> None:
    """The input before is done with: what is left of it may be collected."""
    _short.between_inputs()


_CALM = 10_000
"""Objects made between two collections: several small programs'."""
_lock = threading.Lock()
_callers: set[object] = set()
_before: tuple[int, int, int] | None = None


@contextmanager
def collector_calmed() -> Iterator[None]:
    """Fewer collections while a program is worked on: most of what one would look at is dropped soon.

    The host program's thresholds come back when the last caller leaves, unless it has set others meanwhile.
    """
    global _before
    caller = object()
    try:
        with _lock:
            _callers.add(caller)
            first, *others = gc.get_threshold()
            if len(_callers) == 1 and 0 < first < _CALM:
                _before = (first, others[0], others[1])
                gc.set_threshold(_CALM, *others)
        yield
    finally:
        with _lock:
            _callers.discard(caller)
            if not _callers and _before is not None:
                if gc.get_threshold()[0] == _CALM:
                    gc.set_threshold(*_before)
                _before = None
