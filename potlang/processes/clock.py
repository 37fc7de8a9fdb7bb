"""The time that one call has taken, and what is left of its limit."""

from __future__ import annotations

import time


class Clock:
    """Starts when it is made; `timeout_ms` is the call's limit."""

    def __init__(self, timeout_ms: int) -> None:
        self._began = time.perf_counter()
        self._timeout = timeout_ms

    def spent(self) -> float:
        """Milliseconds since the start."""
        return (time.perf_counter() - self._began) * 1000

    def left(self) -> int:
        """Milliseconds left, at least 1: limits of 0 mean none to the solvers."""
        return max(1, int(self._timeout - self.spent()))
