"""Statements that are tested as properties: a quick tier, a deep one, and mutations that they catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import Phase, given, reject, settings
from hypothesis.strategies import SearchStrategy

Test = Callable[[], None]

DEEP = 500
"""Examples of a statement in the slow tier."""
ENOUGH = 1_000
"""Examples within which a mutation must be caught."""


@dataclass(frozen=True)
class Property:
    """A statement, and what it is tried on; inputs at which `passed_over` is raised are replaced."""

    check: Callable[[Any], None]
    inputs: SearchStrategy[Any]
    quick: int = 20
    passed_over: tuple[type[Exception], ...] = ()

    def tests(self) -> tuple[Test, Test]:
        """The property as a quick test and as a slow one."""
        return self.test(self.quick), pytest.mark.slow(self.test(DEEP, repeatable=False))

    def test(self, count: int, shrink: bool = True, repeatable: bool = True) -> Test:
        """The property on `count` examples."""
        phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]

        @settings(max_examples=count, phases=phases, derandomize=repeatable)
        @given(self.inputs)
        def test(value: Any) -> None:
            try:
                self.check(value)
            except self.passed_over:
                reject()

        test.__doc__ = self.check.__doc__
        return test


@dataclass(frozen=True)
class Mutation:
    """A way to break the program: `broken` in the place of `name` in each of `owners`.

    The statement is then found false.
    """

    statement: str
    title: str
    owners: tuple[object, ...]
    name: str
    broken: Callable[..., Any]

    def __str__(self) -> str:
        return f"{self.statement}: {self.title}"

    def check_caught(
        self, statement: Property, monkeypatch: pytest.MonkeyPatch, *errors: type[Exception]
    ) -> None:
        """Fails unless the statement does, by an assertion or one of the errors."""
        for owner in self.owners:
            monkeypatch.setattr(owner, self.name, self.broken)
        with pytest.raises((AssertionError, *errors)):
            statement.test(ENOUGH, shrink=False)()
