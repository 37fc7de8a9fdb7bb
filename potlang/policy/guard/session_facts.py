"""The known facts of one session: the values of functions, by number, and the events in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from potlang.policy.guard.ground import GroundClause


class MissingValue:
    """The value of a term of which nothing says it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_VALUE"


NO_VALUE: Final = MissingValue()

AtomKey = tuple[int, Any]
"""A predicate, by its number, at arguments: the one, or a tuple of several."""


class TooManySteps(Exception):
    """Deciding by the facts was given up: it took too many steps."""


class SessionFacts:
    """The events 0 to `count` - 1 and what is known of them; changed by one thread, in one check."""

    __slots__ = (
        "assigned",
        "base",
        "by_tool",
        "clauses",
        "count",
        "default",
        "is_plain",
        "memo",
        "stale",
        "steps",
        "tables",
    )

    def __init__(self, tables: list[dict[Any, object]]) -> None:
        self.count = 0
        self.tables = tables
        """By the number of a function its values at arguments."""
        self.by_tool: dict[object, list[int]] = {}
        """By the value of the function that says the tool the events that have it."""
        self.base: list[GroundClause] = []
        """The formulas of the policy in which no event is meant."""
        self.clauses: list[list[GroundClause]] = []
        """Its formulas on each event and those before it."""
        self.stale = 0
        """The first event for which `clauses` are to be made again."""
        self.assigned: dict[AtomKey, bool] = {}
        """Predicates that follow, while a check is decided."""
        self.default: object = NO_VALUE
        """Of predicates of which nothing follows, while a model is tried."""
        self.memo: dict[object, object] = {}
        self.steps = 0
        self.is_plain = True
        """Whether no closed predicate with rules is said to be false of an event."""

    def copy(self, most_steps: int) -> SessionFacts:
        """The same facts, to be added to, with so many steps for what is decided by them."""
        found = SessionFacts([table.copy() for table in self.tables])
        found.count, found.stale, found.is_plain = self.count, self.stale, self.is_plain
        found.by_tool = {tool: listed.copy() for tool, listed in self.by_tool.items()}
        found.base, found.clauses = self.base, self.clauses.copy()
        found.steps = most_steps
        return found

    def spend(self, steps: int) -> None:
        """Counts steps. Raises TooManySteps."""
        self.steps -= steps
        if self.steps < 0:
            raise TooManySteps
