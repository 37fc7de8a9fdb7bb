"""Joins over relations of small integers: indexes, and plans that evaluate one rule's body.

A plan works on whole lists of rows, in portions that stay small whatever the joins multiply to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from potlang.engines.horn.rules import Atom, DatalogRule, Row, variables

Pick = Callable[[Row], Any]
PORTION = 1 << 16
"""Rows that one join of one portion makes at most, unless a single row makes more."""


def picker(columns: Sequence[int]) -> Pick:
    """From a row, the tuple of these columns."""
    if not columns:
        return lambda row: ()
    if len(columns) == 1:
        (only,) = columns
        return lambda row: (row[only],)
    return itemgetter(*columns)


def _keyer(columns: Sequence[int]) -> Pick:
    """From a row, something equal exactly if the columns are; cheaper than `picker` for one column."""
    return itemgetter(*columns) if columns else picker(())


class IndexShape(NamedTuple):
    """The shape of an index: by the columns `key`, the columns `rest`; of rows in which `same` agree."""

    key: tuple[int, ...]
    rest: tuple[int, ...]
    same: tuple[tuple[int, int], ...] = ()


class Index:
    """The rows of one relation, or parts of them, by key. What is added last can be taken back."""

    __slots__ = ("_distinct", "_key", "_rest", "_same", "largest", "table")

    def __init__(self, shape: IndexShape, arity: int) -> None:
        self.table: dict[Any, list[Row]] = {}
        self.largest = 0
        """No key has more entries."""
        self._key = _keyer(shape.key)
        self._rest = picker(shape.rest)
        self._same = shape.same
        covered = {*shape.key, *shape.rest}
        covered |= {other for column, other in shape.same if column in covered}
        self._distinct: set[tuple[Any, Row]] | None = None if len(covered) == arity else set()

    def add(self, rows: Iterable[Row], log: list[tuple[Index, Any]] | None = None) -> None:
        """Enter rows; each entry made is noted in `log`."""
        if self._same:
            rows = [row for row in rows if fits(row, (), self._same)]
        table, key_of, rest_of, distinct = self.table, self._key, self._rest, self._distinct
        largest = self.largest
        for row in rows:
            key, rest = key_of(row), rest_of(row)
            if distinct is not None:
                if (key, rest) in distinct:
                    continue
                distinct.add((key, rest))
            entries = table.get(key)
            if entries is None:
                table[key] = [rest]
                largest = largest or 1
            else:
                entries.append(rest)
                if len(entries) > largest:
                    largest = len(entries)
            if log is not None:
                log.append((self, key))
        self.largest = largest

    def remove_last(self, key: Any) -> None:
        """Take back the latest entry, which was made under `key`."""
        entries = self.table[key]
        rest = entries.pop()
        if not entries:
            del self.table[key]
        if self._distinct is not None:
            self._distinct.discard((key, rest))


def fits(row: Row, fixed: Iterable[tuple[int, int]], same: Iterable[tuple[int, int]]) -> bool:
    """Whether the columns have the constants and agreements wanted."""
    return all(row[column] == value for column, value in fixed) and all(row[a] == row[b] for a, b in same)


class Join(NamedTuple):
    """One step of a plan: each row is extended by what an index has under its key.

    Without a shape the key is a whole row of the relation, which must be there.
    """

    relation: int
    shape: IndexShape | None
    key: Pick
    keep: Pick
    differ: tuple[tuple[int, int], ...]
    """Columns of the extended row whose values must be different; `~constant` for a constant."""


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """How a body is evaluated: from rows of one atom (or none) through joins to rows for the head."""

    fixed: tuple[tuple[int, int], ...]
    same: tuple[tuple[int, int], ...]
    start: Pick | None
    differ: tuple[tuple[int, int], ...]
    joins: tuple[Join, ...]
    finish: Callable[[Row], Row] | None
    """From the last rows to the head's (None: they are the head's)."""
    slots: tuple[int, ...]
    """The variables in the columns of the last rows."""


class IndexSource(Protocol):
    """Where the rows of relations come from."""

    rows: list[dict[Row, Any]]

    def index(self, relation: int, shape: IndexShape) -> Index:
        """An index over a relation."""
        ...

    def known_distinct(self, a: int, b: int) -> bool:
        """Whether two constants certainly differ."""
        ...


def run(
    plan: JoinPlan, rows: Sequence[Row], source: IndexSource, tick: Callable[[], None]
) -> Iterator[Sequence[Row]]:
    """The rows for the head in portions, before `finish`, with repetitions. `tick` is called now and then."""
    if plan.fixed or plan.same:
        rows = [row for row in rows if fits(row, plan.fixed, plan.same)]
    if plan.start is not None:
        rows = list(map(plan.start, rows))
    stack: list[tuple[int, Sequence[Row]]] = [(0, _known_distinct(rows, plan.differ, source))]
    while stack:
        level, rows = stack.pop()
        tick()
        while rows and level < len(plan.joins):
            join = plan.joins[level]
            half = _too_many(join, rows, source)
            if half:
                stack.append((level, rows[half:]))
                rows = rows[:half]
                continue
            rows = _known_distinct(_extended(join, rows, source), join.differ, source)
            level += 1
        if rows:
            yield rows


def _too_many(join: Join, rows: Sequence[Row], source: IndexSource) -> int:
    """How many of the rows to extend first, or 0 for all of them."""
    # A join may multiply: portions are halved before they are joined, so that memory does not depend on the
    # fan-out. A single row cannot be halved; what it gives is bounded by one key's entries.
    if join.shape is None or len(rows) == 1:
        return 0
    index = source.index(join.relation, join.shape)
    # The cheap bound first: most joins are far below it, and counting entries costs as much as joining.
    if len(rows) * index.largest <= PORTION:
        return 0
    table, none = index.table, ()
    if sum([len(table.get(key, none)) for key in map(join.key, rows)]) <= PORTION:
        return 0
    return len(rows) // 2


def _extended(join: Join, rows: Sequence[Row], source: IndexSource) -> list[Row]:
    key, keep = join.key, join.keep
    if join.shape is None:
        known = source.rows[join.relation]
        return [keep(row) for row in rows if key(row) in known]
    find = source.index(join.relation, join.shape).table.get
    none: tuple[Row, ...] = ()
    # A list comprehension over tuples is what makes this engine fast; a row's kept part is cut once.
    if keep is _same:
        return [row + rest for row in rows for rest in find(key(row), none)]
    return [
        kept + rest for row in rows if (found := find(key(row))) for kept in (keep(row),) for rest in found
    ]


def _known_distinct(
    rows: Sequence[Row], pairs: tuple[tuple[int, int], ...], source: IndexSource
) -> Sequence[Row]:
    known_distinct = source.known_distinct
    for a, b in pairs:
        rows = [row for row in rows if known_distinct(row[a] if a >= 0 else ~a, row[b] if b >= 0 else ~b)]
    return rows


# --- making plans ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _JoinPlanner:
    rule: DatalogRule
    whole: bool
    slots: list[int] = field(default_factory=list)
    pending: list[tuple[int, int]] = field(default_factory=list)

    def needed(self, rest: Sequence[Atom]) -> set[int]:
        """The variables that are still needed when the atoms `rest` are left."""
        if self.whole:
            return variables(self.rule.body)
        return variables(rest) | variables([self.rule.head]) | _variables_of(self.pending)

    def differ(self) -> tuple[tuple[int, int], ...]:
        """The pending pairs that can be decided now, as columns; they are pending no more."""
        ready = [pair for pair in self.pending if _variables_of([pair]) <= set(self.slots)]
        self.pending = [pair for pair in self.pending if pair not in ready]
        return tuple((self.column(a), self.column(b)) for a, b in ready)

    def column(self, value: int) -> int:
        return self.slots.index(~value) if value < 0 else ~value

    def join(self, atom: Atom, rest: Sequence[Atom]) -> Join:
        where, same, fixed = _columns(atom)
        bound = [slot for slot in where if slot in self.slots]
        needed = self.needed(rest)
        new = [slot for slot in where if slot not in self.slots and slot in needed]
        parts = sorted(
            [(where[slot], self.slots.index(slot)) for slot in bound] + [(c, ~v) for c, v in fixed]
        )
        columns = tuple(column for column, _ in parts)
        shape = IndexShape(columns, tuple(where[slot] for slot in new), same)
        whole = len(columns) == len(atom.args)
        key = _mixed_key([place for _, place in parts], whole)
        kept = [slot for slot in self.slots if slot in needed]
        keep = _same if kept == self.slots else picker([self.slots.index(slot) for slot in kept])
        self.slots = kept + new
        return Join(atom.relation, None if whole else shape, key, keep, self.differ())


def _mixed_key(places: Sequence[int], whole: bool) -> Pick:
    """From a row, the values at some places, `~constant` being a constant; as a row, or as a key."""
    if all(place >= 0 for place in places):
        return picker(places) if whole else _keyer(places)
    if len(places) == 1:
        constant = ~places[0]
        return lambda row: (constant,) if whole else constant
    return lambda row: tuple([row[place] if place >= 0 else ~place for place in places])


def _same(row: Row) -> Row:
    return row


def _columns(atom: Atom) -> tuple[dict[int, int], tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Of an atom: its variables with their first columns, columns that must agree, columns of constants."""
    where: dict[int, int] = {}
    same, fixed = [], []
    for column, value in enumerate(atom.args):
        if value >= 0:
            fixed.append((column, value))
        elif ~value in where:
            same.append((where[~value], column))
        else:
            where[~value] = column
    return where, tuple(same), tuple(fixed)


def _variables_of(pairs: Iterable[tuple[int, int]]) -> set[int]:
    return {~value for pair in pairs for value in pair if value < 0}


def make_plan(rule: DatalogRule, first: int | None, whole: bool = False) -> JoinPlan:
    """The plan for `rule` from new rows of its body atom `first`, or (None) from one empty row.

    `whole`: all variables are kept to the end.
    """
    planner = _JoinPlanner(rule, whole, pending=list(rule.differ))
    left = list(rule.body)
    fixed: tuple[tuple[int, int], ...] = ()
    same: tuple[tuple[int, int], ...] = ()
    start: Pick | None = None
    if first is not None:
        atom = left.pop(first)
        where, same, fixed = _columns(atom)
        needed = planner.needed(left)
        planner.slots = [slot for slot in where if slot in needed]
        start = picker([where[slot] for slot in planner.slots])
        if [where[slot] for slot in planner.slots] == list(range(len(atom.args))):
            start = None
    differ = planner.differ()
    joins = []
    while left:
        # Greedy: atoms that only filter come first, then those that share variables with what is bound;
        # without statistics, more bound columns mean fewer rows.
        left.sort(key=lambda atom: _rank(atom, planner.slots))
        joins.append(planner.join(left[0], left[1:]))
        del left[0]
    return JoinPlan(
        fixed, same, start, differ, tuple(joins), _finisher(rule.head, planner.slots), tuple(planner.slots)
    )


def _rank(atom: Atom, slots: list[int]) -> tuple[int, int]:
    """Atoms with few unbound variables come first; of those, the ones with many bound columns."""
    unbound = variables([atom]) - set(slots)
    free = sum(1 for value in atom.args if value < 0 and ~value in unbound)
    connected = len(atom.args) - free
    return (0 if not unbound else 1 if connected else 2, -connected)


def _finisher(head: Atom, slots: list[int]) -> Callable[[Row], Row] | None:
    if [~value for value in head.args] == slots:
        return None
    if all(value < 0 for value in head.args):
        return picker([slots.index(~value) for value in head.args])
    args = [(slots.index(~value), 0) if value < 0 else (-1, value) for value in head.args]
    return lambda row: tuple([row[column] if column >= 0 else value for column, value in args])
