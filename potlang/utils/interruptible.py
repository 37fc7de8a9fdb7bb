"""Work in a thread that another thread can interrupt, as Ctrl-C does in the main one ([STOP-TASK])."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")

_AGAIN_S = 0.5
"""Time to put away what was begun, before an interruption is taken for lost."""


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
        with self._lock:
            if self._is_interrupted:
                raise KeyboardInterrupt
            self._thread = threading.get_ident()
        try:
            return self._work()
        finally:
            self._is_over.set()
            with self._lock:
                thread, self._thread = self._thread, None
            # What was sent and is not raised yet must not reach what this thread does next.
            if self._is_interrupted and thread is not None:
                _raise_in(thread, None)

    def interrupt(self) -> None:
        """Interrupt it; work that is done, or not begun, is not done any more."""
        with self._lock:
            if self._is_interrupted:
                return
            self._is_interrupted = True
            if self._thread is None:
                return
            _raise_in(self._thread, KeyboardInterrupt)
        threading.Thread(target=self._insist, daemon=True).start()

    def _insist(self) -> None:
        """Again, as long as the work goes on: Python drops what is raised in a finalizer or a callback."""
        while not self._is_over.wait(_AGAIN_S):
            with self._lock:
                if self._thread is None:
                    return
                _raise_in(self._thread, KeyboardInterrupt)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Have this raised in a thread; None takes back what is not raised yet."""
    try:
        from ctypes import c_ulong, py_object, pythonapi
    except ImportError:
        return
    pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread), None if kind is None else py_object(kind))
