"""The time that solvers and SymPy have for the steps of a solution, shared out fairly ([LIMIT-STEPS])."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Final

from potlang.report.results import Limits
from potlang.utils.deadline import Deadline

_SOLUTION_MS: Final = 1_000
_EACH_STEP_MS: Final = 50
_STEP_MS: Final = 1_000
_QUESTION_MS: Final = 200
_LEAST_MS: Final = 50
_CONFIRMING_MS: Final = 600
_LESS: Final = 0.75
_SHARE: Final = 0.125
"""The share of what is left that one question has at most: so something is always left for others."""


class Budget:
    """The time that is left for a solution of so many steps, and for one of them."""

    def __init__(self, steps: int, limits: Limits) -> None:
        """`limits` are those of the caller for the whole solution: nothing goes on beyond them."""
        self._check_ms = limits.check_ms
        self._deadline = Deadline(limits.total_ms)
        self._solution_ms = float(_SOLUTION_MS + _EACH_STEP_MS * steps)
        self._question_ms = float(_QUESTION_MS)
        self._confirming_ms = float(_CONFIRMING_MS)
        self.begin_step()

    def begin_step(self) -> None:
        """Another step has its turn."""
        self._step_ms = float(_STEP_MS)

    @property
    def is_over(self) -> bool:
        """Whether the caller's time is over."""
        return self._deadline.passed()

    def question_ms(self, most_ms: float | None = None, share: float = _SHARE) -> int:
        """The time for the next question: at most that share of what the solution has left.

        `most_ms` is another bound in the place of what solvers have.
        """
        left = min(self._step_ms, self._deadline.left_ms(), self._solution_ms * share)
        return max(0, int(min(left, most_ms or self._question_ms, self._check_ms)))

    def confirming_ms(self) -> int:
        """More time for others to check the next answer: at most half of what the solution has left for that.

        Without it, what is checked would depend on how busy the machine was while the answer was found.
        """
        return max(0, int(min(self._confirming_ms / 2, self._deadline.left_ms(), self._check_ms)))

    def wasted(self) -> None:
        """The last question was put in vain: of one solution the next are likely to be as hard."""
        self._question_ms = max(_LEAST_MS, _LESS * self._question_ms)

    @contextmanager
    def spending(self, most_ms: float = inf) -> Iterator[None]:
        """The time that is spent inside is spent by the step, and what is above `most_ms` by checks."""
        began = monotonic()
        try:
            yield
        finally:
            spent = (monotonic() - began) * 1000
            self._step_ms -= min(spent, most_ms)
            self._solution_ms -= min(spent, most_ms)
            self._confirming_ms -= max(0.0, spent - most_ms)
