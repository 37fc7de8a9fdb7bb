"""Engines for least models: their interface, their limits, and why they stop."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from potlang.engines.horn.rules import DatalogRule, Row


class TooManyRows(Exception):
    """More rows than allowed would be derived."""


class EvaluationTimeout(Exception):
    """The caller's time is over."""


class Merging(Exception):
    """Two constants not known to differ would have to become one, which this model is not made for."""


@dataclass(frozen=True, slots=True)
class EvaluationLimits:
    """The limits of an evaluation: rows derived, and time, which is over when `expired` says so."""

    rows: int = 3_000_000
    expired: Callable[[], bool] = lambda: False

    def tick(self) -> None:
        """Raises `EvaluationTimeout`."""
        if self.expired():
            raise EvaluationTimeout


class DatalogRows(Protocol):
    """The rows of a least model."""

    def count(self, relation: int) -> int:
        """How many rows a relation has."""
        ...

    def table(self, relation: int) -> Collection[Row]:
        """The rows of a relation."""
        ...

    def grown(self, relation: int) -> bool:
        """Whether the additions may have given it rows."""
        ...


class DatalogEngine(DatalogRows, Protocol):
    """A least model of a program, as far as it was asked for.

    Methods raise `TooManyRows`, `EvaluationTimeout`, `Merging`.
    """

    limits: EvaluationLimits

    @property
    def violated(self) -> bool:
        """Whether a denial, or a difference, is violated, as far as evaluated."""
        ...

    def ensure(self, relations: Iterable[int]) -> None:
        """Evaluate what these relations depend on."""
        ...

    def add(
        self, given: Sequence[tuple[int, Row]], rules: Sequence[DatalogRule], wanted: Collection[int]
    ) -> None:
        """Add rows and rules on top, until `backtrack`, and evaluate what `wanted` depends on.

        May stop at the first violation. What the rules' bodies depend on must be evaluated.
        """
        ...

    def backtrack(self) -> None:
        """Take the additions back."""
        ...

    def complete(self, relation: int) -> bool:
        """Whether the relation has been evaluated."""
        ...

    def violation(self) -> tuple[int, Row]:
        """The violation: the row of `FALSE`, or a pair of `EQUAL`."""
        ...

    def instance(self, relation: int, row: Row) -> tuple[DatalogRule, dict[int, int]] | None:
        """A rule and values that derive a row, well-founded over all rows; None if it is given."""
        ...
