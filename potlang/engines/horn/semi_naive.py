"""The least model of rules over relations, bottom-up and semi-naive, with additions that can be undone.

Rules about relations that nothing asked for needs are not evaluated. Each row has a rank, above those of
the rows that it was derived from, so derivations can be found afterwards and are well founded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from potlang.engines.horn.engine import EvaluationLimits, Merging, TooManyRows
from potlang.engines.horn.joins import Index, IndexShape, JoinPlan, make_plan, run
from potlang.engines.horn.rules import (
    EQUAL,
    FALSE,
    Atom,
    DatalogProgram,
    DatalogRule,
    Row,
    by_head,
    components,
    ground,
    needed_for,
    unify,
)

_SLICE = 8_192
_LARGE = 50_000
_FEW = 8
"""Relations up to which what each depends on is found by itself, and remembered."""
_MOST_REMEMBERED = 1_000_000


class Use:
    """A body atom of a rule, with the plan from new rows for it, made when it is first needed."""

    __slots__ = ("_plan", "place", "rule")

    def __init__(self, rule: DatalogRule, place: int) -> None:
        self.rule = rule
        self.place = place
        self._plan: JoinPlan | None = None

    @property
    def plan(self) -> JoinPlan:
        """How new rows for the atom become rows for the rule's head."""
        if self._plan is None:
            self._plan = make_plan(self.rule, self.place)
        return self._plan


def _uses(rules: Iterable[DatalogRule]) -> dict[int, list[Use]]:
    """The body atoms of rules, by relation."""
    found: dict[int, list[Use]] = {}
    for rule in rules:
        for place, atom in enumerate(rule.body):
            found.setdefault(atom.relation, []).append(Use(rule, place))
    return found


@dataclass(slots=True)
class _Trail:
    """The state before the additions, and the additions, to be undone."""

    lengths: list[int]
    rank: int
    total: int
    rows: list[tuple[int, Row]] = field(default_factory=list)
    entries: list[tuple[Index, Any]] = field(default_factory=list)
    uses: dict[int, list[Use]] = field(default_factory=dict)
    rules: list[DatalogRule] = field(default_factory=list)


class SemiNaive:
    """The least model of a program in memory."""

    def __init__(self, program: DatalogProgram, limits: EvaluationLimits) -> None:
        self.program = program
        self.limits = limits
        self.rows: list[dict[Row, int]] = [{} for _ in program.arities]
        self.rank = 0
        self.total = 0
        self._indexes: list[dict[IndexShape, Index]] = [{} for _ in program.arities]
        self._by_head = by_head(program.rules, len(program.arities))
        self._component, self._order = components(program)
        self._done: set[int] = set()
        self._uses = _uses(program.rules)
        self._above: dict[int, frozenset[int]] = {}
        self._remembered = 0
        self._trail: _Trail | None = None
        for relation, row in program.given:
            self.rows[relation].setdefault(row, 0)
        self._given = self.total = sum(map(len, self.rows))

    # --- what is known ---

    def complete(self, relation: int) -> bool:
        """Whether the relation has been evaluated."""
        return self._component[relation] in self._done

    def count(self, relation: int) -> int:
        """How many rows a relation has."""
        return len(self.rows[relation])

    def table(self, relation: int) -> Collection[Row]:
        """The rows of a relation."""
        return self.rows[relation].keys()

    def grown(self, relation: int) -> bool:
        """Whether the additions gave it rows."""
        return self._trail is not None and len(self.rows[relation]) != self._trail.lengths[relation]

    def violation(self) -> tuple[int, Row]:
        """The violation: the row of `FALSE`, or a pair of `EQUAL`."""
        for pair in self.rows[EQUAL]:
            return EQUAL, pair
        return FALSE, ()

    @property
    def violated(self) -> bool:
        """Whether a denial, or a difference, is violated, as far as evaluated."""
        return bool(self.rows[FALSE])

    def known_distinct(self, a: int, b: int) -> bool:
        """Whether two constants certainly differ."""
        return self.program.known_distinct(a, b)

    def index(self, relation: int, shape: IndexShape) -> Index:
        """An index over a relation, made when it is first asked for and kept up to date."""
        found = self._indexes[relation].get(shape)
        if found is None:
            found = self._indexes[relation][shape] = Index(shape, self.program.arities[relation])
            rows = list(self.rows[relation])
            if self._trail is None:
                found.add(rows)
            else:
                before = self._trail.lengths[relation]
                found.add(rows[:before])
                found.add(rows[before:], self._trail.entries)
        return found

    def rules_for(self, relation: int) -> list[DatalogRule]:
        """The rules with this head, those of the additions included."""
        more = self._trail.rules if self._trail is not None else []
        return [*self._by_head[relation], *(rule for rule in more if rule.head.relation == relation)]

    def needed_for(self, relations: Iterable[int]) -> frozenset[int]:
        """The relations that these depend on, themselves included."""
        wanted = set(relations)
        if len(wanted) > _FEW:
            return frozenset(needed_for(wanted, self._by_head))
        return frozenset[int]().union(*map(self._reach_of, wanted))

    def _reach_of(self, relation: int) -> frozenset[int]:
        """The same of one relation; remembered, unless too much is remembered already."""
        found = self._above.get(relation)
        if found is None:
            found = frozenset(needed_for([relation], self._by_head))
            self._remembered += len(found)
            if self._remembered <= _MOST_REMEMBERED:
                self._above[relation] = found
        return found

    # --- the model of the program itself ---

    def ensure(self, relations: Iterable[int]) -> None:
        """Evaluate what these relations depend on. Raises `TooManyRows`, `EvaluationTimeout`, `Merging`."""
        assert self._trail is None
        wanted = {self._component[relation] for relation in self.needed_for(relations)} - self._done
        for component in sorted(wanted):
            self._evaluate(self._order[component])
            self._done.add(component)

    def _evaluate(self, members: Sequence[int]) -> None:
        """One strongly connected component, from what it depends on."""
        # What is outside is complete, so its rows are used once, by plans that start from nothing; inside,
        # each new row is used once more for each atom that it fits.
        produced: dict[int, dict[Row, None]] = {}
        for relation in members:
            for rule in self._by_head[relation]:
                self._apply_to_all(rule, produced)
        self._close(self._insert(produced), frozenset(members))

    def _close(self, delta: dict[int, list[Row]], heads: Collection[int]) -> None:
        """Apply the rules with these heads, and all added ones, to what is new, until nothing is.

        With additions, up to the first violation.
        """
        trail = self._trail
        added = trail.uses if trail is not None else {}
        while delta and not (trail is not None and self.violated):
            # Semi-naive: a new conclusion rests on a new row in some place of a body. The others may be any
            # rows, those of this round too, since all of it was entered before; so nothing is missed, and
            # what two new rows give is found twice and entered once.
            produced: dict[int, dict[Row, None]] = {}
            for relation, rows in delta.items():
                for use in self._uses.get(relation, ()):
                    if use.rule.head.relation in heads:
                        self._apply(use.rule, use.plan, rows, produced)
                for use in added.get(relation, ()):
                    self._apply(use.rule, use.plan, rows, produced)
            delta = self._insert(produced)

    def _apply_to_all(self, rule: DatalogRule, produced: dict[int, dict[Row, None]]) -> None:
        """The same from all rows there are."""
        # In small programs most rules have an atom without rows: no plan is made for them.
        if all(self.rows[atom.relation] for atom in rule.body):
            self._apply(rule, make_plan(rule, None), [()], produced)

    def _apply(
        self, rule: DatalogRule, plan: JoinPlan, rows: Sequence[Row], produced: dict[int, dict[Row, None]]
    ) -> None:
        """The rows that `rule` derives and that are not there yet, into `produced`."""
        relation = rule.head.relation
        known = self.rows[relation]
        new = produced.setdefault(relation, {})
        if not rule.head.args:
            # A relation without columns has one row: one is enough.
            rows = () if known or new else rows
        # Slices bound what is held between two looks at the clock and at the limit.
        for start in range(0, len(rows), _SLICE):
            part = rows[start : start + _SLICE]
            for found in run(plan, part, self, self.limits.tick):
                heads = found if plan.finish is None else map(plan.finish, found)
                if relation == EQUAL:
                    heads = self._unequal(heads)
                new.update([(head, None) for head in heads if head not in known])
                if self.total + len(new) > self.limits.rows + self._given:
                    raise TooManyRows
                if new and not rule.head.args:
                    return

    def _unequal(self, pairs: Iterable[Row]) -> list[Row]:
        """The pairs of different constants. Raises `Merging` if some may be equal."""
        different = [pair for pair in pairs if pair[0] != pair[1]]
        if any(not self.program.known_distinct(a, b) for a, b in different):
            raise Merging
        return different

    def _insert(self, produced: dict[int, dict[Row, None]]) -> dict[int, list[Row]]:
        """Enter what was derived, with the next rank."""
        # All of a round gets one rank, so rows of one round do not derive one another.
        self.rank += 1
        delta = {}
        for relation, new in produced.items():
            if new:
                delta[relation] = list(new)
                self._enter(relation, delta[relation], self.rank)
        if EQUAL in delta and not self.violated:
            self._enter(FALSE, [()], self.rank)
        return delta

    def _enter(self, relation: int, rows: list[Row], rank: int) -> None:
        """Enter rows that are not there yet."""
        self.rows[relation].update(dict.fromkeys(rows, rank))
        self.total += len(rows)
        trail = self._trail
        entries = trail.entries if trail is not None else None
        for index in self._indexes[relation].values():
            index.add(rows, entries)
        if trail is not None:
            trail.rows += [(relation, row) for row in rows]

    # --- additions ---

    def add(
        self, given: Sequence[tuple[int, Row]], rules: Sequence[DatalogRule], wanted: Collection[int]
    ) -> None:
        """Add rows and rules on top, until `backtrack`, and evaluate what `wanted` depends on.

        Stops at the first violation. What `wanted` and the rules' bodies depend on must be evaluated.
        """
        assert self._trail is None
        self._trail = _Trail(
            list(map(len, self.rows)), self.rank, self.total, uses=_uses(rules), rules=list(rules)
        )
        heads = self.needed_for({*wanted, *(atom.relation for rule in rules for atom in rule.body)})
        produced: dict[int, dict[Row, None]] = {}
        for relation, row in given:
            if relation == EQUAL:
                for pair in self._unequal([row]):
                    produced.setdefault(relation, {})[pair] = None
            elif row not in self.rows[relation]:
                produced.setdefault(relation, {})[row] = None
        delta = self._insert(produced)
        first: dict[int, dict[Row, None]] = {}
        for rule in rules:
            self._apply_to_all(rule, first)
        more = self._insert(first)
        for relation, rows in more.items():
            delta.setdefault(relation, []).extend(rows)
        self._close(delta, {*heads, FALSE})

    def backtrack(self) -> None:
        """Take the additions back."""
        trail = self._trail
        assert trail is not None
        # Entries of an index are lists, of which the last goes first.
        for index, key in reversed(trail.entries):
            index.remove_last(key)
        for relation, row in reversed(trail.rows):
            del self.rows[relation][row]
        self.rank, self.total = trail.rank, trail.total
        self._trail = None

    # --- derivations ---

    def instance(self, relation: int, row: Row) -> tuple[DatalogRule, dict[int, int]] | None:
        """A rule and values that derive a row from rows of lower rank; None if it is given."""
        rank = self.rows[relation][row]
        for rule in self.rules_for(relation):
            start = unify(rule.head, row)
            if start is not None:
                values = self._solve(rule, start, rank)
                if values is not None:
                    return rule, values
        return None

    def _solve(self, rule: DatalogRule, start: dict[int, int], rank: int) -> dict[int, int] | None:
        """Values for the variables of a body, all of whose rows have a lower rank. Depth first."""
        # One instance is wanted, not all: so row by row, the atom with the fewest rows next. A plan over
        # whole relations would make every instance of the body before the first is looked at.
        levels: list[tuple[dict[int, int], list[Atom], Iterator[dict[int, int]]]] = []
        values, left = start, list(rule.body)
        while True:
            if not left:
                if self._differ(rule, values):
                    return values
            else:
                atom = min(left, key=lambda each: self._cost(each, values))
                rest = [each for each in left if each is not atom]
                levels.append((values, rest, self._matches(atom, values, rank)))
            while levels:
                found = next(levels[-1][2], None)
                if found is not None:
                    values, left = found, levels[-1][1]
                    break
                levels.pop()
            else:
                return None

    def _differ(self, rule: DatalogRule, values: dict[int, int]) -> bool:
        return all(self.program.known_distinct(*ground(pair, values)) for pair in rule.differ)

    def _cost(self, atom: Atom, values: dict[int, int]) -> int:
        """How many rows match; a guess for large relations, of which an index may not be worth making."""
        bound = tuple(c for c, value in enumerate(atom.args) if value >= 0 or ~value in values)
        size = len(self.rows[atom.relation])
        if len(bound) == len(atom.args):
            return 0
        if size > _LARGE:
            return size >> (4 * len(bound))
        key, shape = _probe(atom, values, bound)
        return len(self.index(atom.relation, shape).table.get(key, ()))

    def _matches(self, atom: Atom, values: dict[int, int], rank: int) -> Iterator[dict[int, int]]:
        """Values that make the atom a row of a lower rank."""
        ranks = self.rows[atom.relation]
        bound = tuple(c for c, value in enumerate(atom.args) if value >= 0 or ~value in values)
        if len(bound) == len(atom.args):
            if ranks.get(ground(atom.args, values), rank) < rank:
                yield values
            return
        key, shape = _probe(atom, values, bound)
        for rest in self.index(atom.relation, shape).table.get(key, ()):
            found = dict(values)
            columns = zip(shape.rest, rest, strict=True)
            agrees = all(found.setdefault(~atom.args[column], value) == value for column, value in columns)
            if agrees and ranks[ground(atom.args, found)] < rank:
                yield found


def _probe(atom: Atom, values: dict[int, int], bound: tuple[int, ...]) -> tuple[Any, IndexShape]:
    """The key of the bound columns, and the index that has it."""
    key = ground(tuple([atom.args[c] for c in bound]), values)
    shape = IndexShape(bound, tuple(c for c in range(len(atom.args)) if c not in bound))
    return key[0] if len(key) == 1 else key, shape
