"""The time that solvers and SymPy have for the steps of a solution, shared out fairly ([LIMIT-STEPS])."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic, thread_time
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
_MOST_STRETCH: Final = 10.0
_SHORTEST_SECONDS: Final = 0.005
"""Less is no measure: the system gives out its processors in slices of about that length."""
_SHARE: Final = 0.125
"""The share of what is left that one question has at most: so something is always left for others."""


class Stopwatch:
    """Tells from work that does not wait how busy the machine is."""

    def __init__(self) -> None:
        self._began = monotonic(), thread_time()

    def stretch(self) -> float:
        """How many times as long the work since then took as its processor time: 1 to 10.

        What is given up is then the same on a busy machine as on an idle one, later.
        """
        wall, own = monotonic() - self._began[0], thread_time() - self._began[1]
        return min(max(1.0, wall / max(own, _SHORTEST_SECONDS)), _MOST_STRETCH)


class Budget:
    """The time that is left for a solution of so many steps, and for one of them."""

    def __init__(self, steps: int, limits: Limits, stretch: float = 1.0) -> None:
        """`limits` are those of the caller for the whole solution: nothing goes on beyond them.

        All other times are so many times as long.
        """
        self._check_ms = limits.check_ms
        self._deadline = Deadline(limits.total_ms)
        self._stretch = stretch
        self._solution_ms = stretch * (_SOLUTION_MS + _EACH_STEP_MS * steps)
        self._question_ms = stretch * _QUESTION_MS
        self._confirming_ms = stretch * _CONFIRMING_MS
        self.begin_step()

    def begin_step(self) -> None:
        """Another step has its turn."""
        self._step_ms = self._stretch * _STEP_MS

    @property
    def is_over(self) -> bool:
        """Whether the caller's time is over."""
        return self._deadline.passed()

    def question_ms(self, most_ms: float | None = None, share: float = _SHARE) -> int:
        """The time for the next question: at most that share of what the solution has left.

        `most_ms` is another bound, on an idle machine, in the place of what solvers have.
        """
        left = min(self._step_ms, self._deadline.left_ms(), self._solution_ms * share)
        most = self._question_ms if most_ms is None else self._stretch * most_ms
        return max(0, int(min(left, most, self._check_ms)))

    def confirming_ms(self) -> int:
        """More time for others to check the next answer: at most half of what the solution has left for that.

        Without it, what is checked would depend on how busy the machine was while the answer was found.
        """
        return max(0, int(min(self._confirming_ms / 2, self._deadline.left_ms(), self._check_ms)))

    def wasted(self) -> None:
        """The last question was put in vain: of one solution the next are likely to be as hard."""
        self._question_ms = max(self._stretch * _LEAST_MS, _LESS * self._question_ms)

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
