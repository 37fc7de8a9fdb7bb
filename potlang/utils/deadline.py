"""The one notion of a time limit: a moment counted from when it is set, asked for what is left."""

from __future__ import annotations

from time import monotonic


class Deadline:
    """The end of the time that some work has, `after_ms` milliseconds from now."""

    __slots__ = ("_began", "_end")

    def __init__(self, after_ms: float) -> None:
        self._began = monotonic()
        self._end = self._began + after_ms / 1000

    def spent_ms(self) -> float:
        """Milliseconds since the deadline was set."""
        return (monotonic() - self._began) * 1000

    def left_ms(self) -> int:
        """Whole milliseconds left; 0 when it has passed."""
        return max(0, int((self._end - monotonic()) * 1000))

    def passed(self) -> bool:
        """Whether no time is left."""
        return monotonic() >= self._end
