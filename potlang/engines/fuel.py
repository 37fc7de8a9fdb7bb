"""A bound on what an engine may try that does not depend on the machine's speed."""

from __future__ import annotations

from potlang.utils.deadline import OutOfFuel, look

__all__ = ["Fuel", "OutOfFuel"]

_PERIOD = 1_024


class Fuel:
    """Steps that are left."""

    __slots__ = ("_given", "_next_look", "left")

    def __init__(self, steps: int) -> None:
        self.left = self._given = steps
        self._next_look = steps - _PERIOD

    def spend(self, steps: int = 1) -> None:
        """Raises `OutOfFuel` where nothing is left, and at the end of the call."""
        self.left -= steps
        if self.left < self._next_look:
            self._next_look = self.left - _PERIOD
            look()
        if self.left < 0:
            raise OutOfFuel

    def part(self, parts: int) -> Fuel:
        """The `parts`th part of the steps that are left; who spends of it takes that from these."""
        return Fuel(self.left // parts)

    @property
    def spent(self) -> int:
        """How many steps were taken."""
        return self._given - self.left
