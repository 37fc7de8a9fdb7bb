"""The least model of rules some of which make constants equal: classes of constants, rows over classes.

Each row and each equation remembers the rule instance that made it first, so equations and rows can be
explained by earlier ones. For small programs: after each merge all rules are evaluated anew.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from potlang.engines.horn.engine import EvaluationLimits, TooManyRows
from potlang.engines.horn.joins import Index, IndexShape, JoinPlan, make_plan, run
from potlang.engines.horn.rules import EQUAL, FALSE, Atom, DatalogProgram, DatalogRule, Row, ground
from potlang.ir.graphs import ProofForest


class Event(NamedTuple):
    """`rule` under `values`, or what was given by `source`, made `row`, constants as written."""

    serial: int
    relation: int
    row: Row
    rule: DatalogRule | None
    values: dict[int, int]
    source: object = None


class _Active(NamedTuple):
    rule: DatalogRule
    whole: JoinPlan
    by_place: tuple[JoinPlan, ...]
    """For each body atom, the plan from new rows of it."""
    body: tuple[Atom, ...]


class DatalogWithEquality:
    """The least model of a program with equations; complete after `saturate`."""

    def __init__(
        self,
        program: DatalogProgram,
        given: Sequence[tuple[int, Row, object]],
        constants: int,
        limits: EvaluationLimits,
    ) -> None:
        self.program = program
        self.limits = limits
        self.leader = list(range(constants))
        self.members: list[list[int]] = [[code] for code in range(constants)]
        self.rows: list[dict[Row, None]] = [{} for _ in program.arities]
        self.clash: tuple[int, int] | None = None
        """Two constants of one class that differ."""
        self._indexes: dict[tuple[int, IndexShape], Index] = {}
        self._events: list[Event] = []
        self._proofs: ProofForest[int, Event] = ProofForest()
        self._by_row: dict[tuple[int, Row], list[Event]] | None = None
        self._waiting: list[Event] = []
        for relation, row, source in given:
            self._note(Event(len(self._events), relation, row, None, {}, source))
        self._merge()

    @property
    def violated(self) -> bool:
        """Whether a denial or a difference is violated."""
        return self.clash is not None or bool(self.rows[FALSE])

    def count(self, relation: int) -> int:
        """How many rows a relation has."""
        return len(self.rows[relation])

    def table(self, relation: int) -> Collection[Row]:
        """The rows of a relation."""
        return self.rows[relation].keys()

    def grown(self, relation: int) -> bool:
        """Nothing is added on top."""
        return False

    def canonical(self, row: Row) -> Row:
        """The row over the leaders of its constants' classes."""
        leader = self.leader
        return tuple([leader[code] for code in row])

    # --- evaluation ---

    def saturate(self) -> None:
        """Evaluate all rules, up to the first violation. Raises `TooManyRows`, `EvaluationTimeout`."""
        while not self.violated:
            self._round()
            if not self._waiting:
                return
            self._merge()

    def _round(self) -> None:
        """Semi-naive evaluation until nothing is new, or constants become equal."""
        # After a merge the old indexes hold rows over constants that no longer lead their classes, and rules
        # whose constants were different may have become active: all starts from the rows there are.
        self._indexes = {}
        active = [found for rule in self.program.rules if (found := self._activate(rule))]
        uses: dict[int, list[tuple[_Active, int]]] = {}
        for each in active:
            for place, atom in enumerate(each.body):
                uses.setdefault(atom.relation, []).append((each, place))
        delta: dict[int, list[Row]] = {}
        for each in active:
            self._apply(each.rule, each.whole, [()], delta)
        while delta and not self._waiting and not self.violated:
            for relation, rows in delta.items():
                for (number, _), index in self._indexes.items():
                    if number == relation:
                        index.add(rows)
            current, delta = delta, {}
            for relation, rows in current.items():
                for each, place in uses.get(relation, ()):
                    self._apply(each.rule, each.by_place[place], rows, delta)

    def _activate(self, rule: DatalogRule) -> _Active | None:
        """The rule over leaders; None if constants that it wants equal are not."""
        if any(self.leader[a] != self.leader[b] for a, b in rule.equal):
            return None
        body = tuple(Atom(atom.relation, self._pattern(atom.args)) for atom in rule.body)
        differ = tuple((self._pattern(pair)[0], self._pattern(pair)[1]) for pair in rule.differ)
        shown = DatalogRule(Atom(FALSE, ()), body, differ)
        plans = tuple(make_plan(shown, place, whole=True) for place in range(len(body)))
        return _Active(rule, make_plan(shown, None, whole=True), plans, body)

    def _pattern(self, args: Row) -> Row:
        return tuple([self.leader[value] if value >= 0 else value for value in args])

    def index(self, relation: int, shape: IndexShape) -> Index:
        """An index over a relation, until constants become equal."""
        found = self._indexes.get((relation, shape))
        if found is None:
            found = self._indexes[relation, shape] = Index(shape, self.program.arities[relation])
            found.add(self.rows[relation])
        return found

    def _apply(
        self, rule: DatalogRule, plan: JoinPlan, rows: Sequence[Row], delta: dict[int, list[Row]]
    ) -> None:
        fresh: list[tuple[int, Row]] = []
        for found in run(plan, rows, self, self.limits.tick):
            for row in found:
                values = dict(zip(plan.slots, row, strict=True))
                written = ground(rule.head.args, values)
                event = Event(len(self._events), rule.head.relation, written, rule, values)
                if self._note(event):
                    fresh.append((event.relation, self.canonical(written)))
        for relation, row in fresh:
            delta.setdefault(relation, []).append(row)

    def known_distinct(self, a: int, b: int) -> bool:
        """Whether two constants, later ones too, certainly differ: some of their classes do."""
        ours, theirs = self._class(a), self._class(b)
        return ours is not theirs and any(self.program.known_distinct(x, y) for x in ours for y in theirs)

    def _class(self, code: int) -> list[int]:
        return self.members[self.leader[code]] if code < len(self.leader) else [code]

    def _note(self, event: Event) -> bool:
        """Keep an event if what it says is new; equations wait. Whether a row is new."""
        row = self.canonical(event.row)
        if event.relation == EQUAL:
            if row[0] != row[1]:
                self._events.append(event)
                self._waiting.append(event)
            return False
        if row in self.rows[event.relation]:
            return False
        self.rows[event.relation][row] = None
        self._events.append(event)
        if len(self._events) > self.limits.rows:
            raise TooManyRows
        return True

    def _merge(self) -> None:
        """Make the waiting equations true."""
        for event in self._waiting:
            a, b = event.row
            if self.leader[a] != self.leader[b]:
                self._join(a, b, event)
        self._waiting = []
        for relation, rows in enumerate(self.rows):
            self.rows[relation] = dict.fromkeys(map(self.canonical, rows))

    def _join(self, a: int, b: int, event: Event) -> None:
        one, other = self.leader[a], self.leader[b]
        if self.clash is None:
            known_distinct = self.program.known_distinct
            pairs = ((x, y) for x in self.members[one] for y in self.members[other])
            self.clash = next((pair for pair in pairs if known_distinct(*pair)), None)
        # The smaller class is renamed, so a constant is renamed at most log n times.
        if len(self.members[one]) > len(self.members[other]):
            one, other, a, b = other, one, b, a
        self._proofs.link(a, b, event)
        for code in self.members[one]:
            self.leader[code] = other
        self.members[other] += self.members[one]
        self.members[one] = []

    # --- explanations ---

    def path(self, a: int, b: int) -> list[tuple[int, Event]]:
        """From `a` to `b`: each constant that is reached, with the equation that leads there."""
        return self._proofs.path(a, b)

    def equal_before(self, a: int, b: int, serial: int) -> bool:
        """Whether two constants were equal by events before this number."""
        if a == b:
            return True
        if self.leader[a] != self.leader[b]:
            return False
        return all(event.serial < serial for _, event in self.path(a, b))

    def event_for(self, relation: int, row: Row, serial: int) -> Event:
        """An event before `serial` whose row is this one up to equations before `serial`."""
        if self._by_row is None:
            self._by_row = {}
            for event in self._events:
                self._by_row.setdefault((event.relation, self.canonical(event.row)), []).append(event)
        for event in self._by_row[relation, self.canonical(row)]:
            if event.serial < serial and all(
                self.equal_before(a, b, serial) for a, b in zip(event.row, row, strict=True)
            ):
                return event
        raise LookupError("no earlier event")

    @property
    def now(self) -> int:
        """A number above those of all events."""
        return len(self._events)
