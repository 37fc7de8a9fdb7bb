"""The kernel's budget of steps with a clock, so that checking a refutation keeps the limits of a call."""

from __future__ import annotations

from potlang.certify.refutation import MOST_STEPS
from potlang.certify.tokens import Exhausted, StepBudget
from potlang.utils.deadline import Deadline

_BETWEEN = 50_000
"""Steps between two looks at the clock: some milliseconds."""


class TimedSteps(StepBudget):
    """A budget that is used up at a deadline, too."""

    def __init__(self, deadline: Deadline, left: int = MOST_STEPS) -> None:
        super().__init__(left)
        self._deadline = deadline
        self._next = left

    def spend(self, count: int = 1) -> None:
        """Takes `count` steps. Raises `Exhausted`."""
        self.left -= count
        if self.left < self._next:
            self._next = max(0, self.left - _BETWEEN)
            if self.left < 0:
                raise Exhausted("it takes more steps than are allowed")
            if self._deadline.passed():
                raise Exhausted("it takes more time than is allowed")
