"""The known facts of one session: the values of functions, by number, and the events in their order."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

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


class ValueLimits(NamedTuple):
    """Between which numbers a value is; `strict`: it is not that number itself."""

    least: int | Fraction | None = None
    most: int | Fraction | None = None
    strict_least: bool = False
    strict_most: bool = False

    def at_least(self, value: int | Fraction, strict: bool) -> ValueLimits:
        """The limits with one more, below."""
        if self.least is None or (value, strict) > (self.least, self.strict_least):
            return self._replace(least=value, strict_least=strict)
        return self

    def at_most(self, value: int | Fraction, strict: bool) -> ValueLimits:
        """The limits with one more, above."""
        if self.most is None or (-value, strict) > (-self.most, self.strict_most):
            return self._replace(most=value, strict_most=strict)
        return self

    def is_below(self, other: ValueLimits, *, strictly: bool) -> bool:
        """Whether all values within are less than those within others, or (not `strictly`) as large."""
        if self.most is None or other.least is None:
            return False
        apart = self.strict_most or other.strict_least or not strictly
        return self.most <= other.least if apart else self.most < other.least


class TooManySteps(Exception):
    """Deciding by the facts was given up: it took too many steps."""


class SessionFacts:
    """The events 0 to `count` - 1 and what is known of them; changed by one thread, in one check."""

    __slots__ = (
        "assigned",
        "base",
        "by_tool",
        "chosen",
        "clauses",
        "count",
        "default",
        "elsewhere",
        "is_plain",
        "known",
        "limits",
        "memo",
        "missed",
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
        self.known: dict[AtomKey, object] = {}
        """Values of functions at arguments that follow, while a check is decided."""
        self.limits: dict[AtomKey, ValueLimits] = {}
        """Limits of values that follow."""
        self.elsewhere: dict[int, object] = {}
        """While a model is tried, the values of functions, by number, where their tables have none."""
        self.missed: set[int] = set()
        """Functions, by number, that were asked for a value that they do not have."""
        self.chosen: frozenset[int] = frozenset()
        """Functions, by number, with values that are missing and were chosen so that clauses are true."""
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
        found.chosen = self.chosen
        found.steps = most_steps
        return found

    def missing(self, number: int, at: object) -> object:
        """The value of a function at arguments for which its table has none."""
        if self.known:
            found = NO_VALUE if at is NO_VALUE else self.known.get((number, at), NO_VALUE)
            if found is not NO_VALUE or at is NO_VALUE:
                return found
        self.missed.add(number)
        return self.elsewhere.get(number, NO_VALUE)

    def truth(self, key: AtomKey) -> object:
        """Whether an open predicate holds, of which no fact says it."""
        found = self.assigned.get(key)
        if found is not None or self.default is NO_VALUE:
            return NO_VALUE if found is None else found
        self.missed.add(key[0])
        return self.elsewhere.get(key[0], self.default)

    def keys_of(self, number: int) -> list[Any]:
        """The arguments at which a function, or an open predicate, has a value."""
        others = (key for found in (self.assigned, self.known) for symbol, key in found if symbol == number)
        return [*self.tables[number], *others]

    def spend(self, steps: int) -> None:
        """Counts steps. Raises TooManySteps."""
        self.steps -= steps
        if self.steps < 0:
            raise TooManySteps
