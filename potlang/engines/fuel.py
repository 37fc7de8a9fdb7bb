"""How much more an engine may try: a bound that does not depend on the machine's speed."""

from __future__ import annotations


class OutOfFuel(Exception):
    """The search was given up."""


class Fuel:
    """Steps that are left."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Raises `OutOfFuel` where nothing is left."""
        self.left -= steps
        if self.left < 0:
            raise OutOfFuel
