"""The pauses of what fails now and then: so long that waiting for it costs little, and never for good."""

from __future__ import annotations

from time import monotonic
from typing import Final

_SHORTEST: Final = 1.0
_TIMES: Final = 10
"""A pause is so many times as long as the failure took, which then costs a tenth of the time at most."""


class Rest:
    """On from a failure until its pause is over, or something works."""

    def __init__(self) -> None:
        self._until = 0.0

    @property
    def is_on(self) -> bool:
        """Whether the pause is not over."""
        return monotonic() < self._until

    def begin(self, spent: float) -> None:
        """A failure that took so many seconds; infinitely many mean for good."""
        self._until = monotonic() + max(_SHORTEST, _TIMES * spent)

    def end(self) -> None:
        """It works again."""
        self._until = 0.0
