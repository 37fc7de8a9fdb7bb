"""The pauses of what fails now and then: so long that waiting for it costs little, and never for good."""

from __future__ import annotations

from time import monotonic
from typing import Final

_SHORTEST, _LONGEST = 1.0, 60.0
_TIMES: Final = 10
"""A pause is at least so many times as long as the failure took, which then costs a tenth at most."""


class Rest:
    """On from a failure until its pause is over, twice as long each time until something works again."""

    def __init__(self) -> None:
        self._seconds = self._until = 0.0

    @property
    def is_on(self) -> bool:
        """Whether the pause is not over."""
        return monotonic() < self._until

    def begin(self, spent: float) -> None:
        """A failure that took so many seconds; infinitely many mean for good."""
        longest = max(_LONGEST, _TIMES * spent)
        self._seconds = min(longest, max(_SHORTEST, 2 * self._seconds, _TIMES * spent))
        self._until = monotonic() + self._seconds

    def end(self) -> None:
        """It works again."""
        self._seconds = self._until = 0.0
