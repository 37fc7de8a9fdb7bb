"""Work in a thread that another thread can interrupt, as Ctrl-C does in the main one ([STOP-TASK])."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")

_AGAIN_S = 0.5
"""Time to put away what was begun, before an interruption is taken for lost."""
_TURNS = 8


class Interruptible(Generic[Result]):
    """A call that is made once, by any thread, and may be interrupted by any other.

    It then raises KeyboardInterrupt, where the interpreter next looks up: not in a call of a library or of
    the system. Only CPython can do so; elsewhere an interrupted call ends when it does.
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._is_interrupted = False
        self._is_over = threading.Event()

    def __call__(self) -> Result:
        """The result of the work. Raises what that raises."""
        try:
            with self._lock:
                if self._is_interrupted:
                    raise KeyboardInterrupt
                self._thread = threading.get_ident()
            # It may come here already: all that follows is in one `try`.
            return self._work()
        finally:
            # Before anything that looks up: from here on nothing more is sent, whatever is raised below.
            self._thread = None
            # Take what was sent and is not raised yet: it must not reach what this thread does next.
            while True:
                try:
                    with self._lock:  # who is sending has sent
                        self._is_over.set()
                    # At the end of each turn the interpreter looks up, and raises it. Taking it back instead
                    # would leave the interpreter looking for it at each call from then on, and CPython 3.11
                    # for ever where a profiler is at work.
                    for _ in range(_TURNS if self._is_interrupted else 0):
                        pass
                except KeyboardInterrupt:
                    continue
                break

    def interrupt(self) -> None:
        """Interrupt it; work that is done, or not begun, is not done any more."""
        with self._lock:
            if self._is_interrupted:
                return
            self._is_interrupted = True
            if self._thread is None:
                return
            _interrupt(self._thread)
        threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        """Again, as long as the work goes on: Python drops what is raised in a finalizer or a callback."""
        while not self._is_over.wait(_AGAIN_S):
            with self._lock:
                if self._thread is None:
                    return
                _interrupt(self._thread)


def _interrupt(thread: int) -> None:
    """Have KeyboardInterrupt raised in a thread."""
    try:
        from ctypes import c_ulong, py_object, pythonapi
    except ImportError:
        return
    pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread), py_object(KeyboardInterrupt))
