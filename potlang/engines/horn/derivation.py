"""Derivations: why the least model violates something, as steps that can be replayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from potlang.engines.horn.engine import DatalogEngine
from potlang.engines.horn.program import Given, HornProgram
from potlang.engines.horn.rules import EQUAL, FALSE, DatalogRule, Row, ground
from potlang.engines.horn.tables import RelationTables
from potlang.engines.horn.universe import Provenance
from potlang.engines.horn.with_equality import DatalogWithEquality, Event
from potlang.ir.nodes import Node, Symbol, Var
from potlang.ir.skolem import Choice

Substitution = tuple[tuple[Var, Node], ...]
StepKind = Literal["instance", "transitive", "congruent", "assumed", "conflict"]


class DerivationStep(NamedTuple):
    """One step. Steps are numbered from 1 in their case; `premises` are earlier ones.

    `instance`: the assertion `key` (None: the goal) under `substitution` and the premises' literals give the
    conclusion. `transitive`: of `terms` a, b, c, from a = b and b = c, a = c. `congruent`: the literal of
    the last premise with other terms, by the equations of the other premises; `terms` are the atom proved
    and the atom it comes from. `assumed`: supposed in this case, by a choice of the goal under
    `substitution`, or of a member of a sort. `conflict`: the premises contradict.
    The conclusion of the last step is false.
    """

    kind: StepKind
    conclusion: Node
    premises: tuple[int, ...] = ()
    key: str | None = None
    substitution: Substitution = ()
    terms: tuple[Node, ...] = ()


class CaseProof(NamedTuple):
    """The steps of one case."""

    steps: tuple[DerivationStep, ...]

    @property
    def assumed(self) -> tuple[Node, ...]:
        """The literals supposed in this case: none, unless there are several cases."""
        return tuple(step.conclusion for step in self.steps if step.kind == "assumed")


class Derivation(NamedTuple):
    """Why a side is unsatisfiable: each case leads to a contradiction.

    The cases are all choices of one literal from each of some disjunctions that hold: ground ones of the
    goal, and that a Skolem constant is one of the members of its sort. They are in lexicographic order.
    """

    cases: tuple[CaseProof, ...]
    choices: Mapping[Symbol, Choice] = MappingProxyType({})
    """The choice that each of the goal's Skolem constants stands for."""
    closing: tuple[str, ...] = ()
    """The assertions that say which members the sorts of these constants have."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The assertions used, in order of use."""
        used = [step.key for proof in self.cases for step in proof.steps if step.key is not None]
        return tuple(dict.fromkeys((*used, *self.closing)))


class _StepBuilder:
    """Collects steps, each conclusion once."""

    def __init__(self, horn: HornProgram, tables: RelationTables) -> None:
        self.horn = horn
        self.tables = tables
        self.steps: list[DerivationStep] = []
        self.numbers: dict[object, int] = {}
        self._domains = frozenset(horn.relations.domains.values())

    def add(self, step: DerivationStep) -> int:
        self.steps.append(step)
        return len(self.steps)

    def is_domain(self, relation: int) -> bool:
        return self.tables.shown[relation] in self._domains

    def literal(self, relation: int, row: Row) -> Node:
        """The formula of a row; that two different literals are equal is false."""
        if relation == EQUAL:
            a, b = row
            if self.horn.universe.known_distinct(a, b) and self.horn.universe.reason(a, b) is None:
                return self.horn.pool.false
        return self.horn.literal(self.tables.shown[relation], row)

    def instance(
        self, source: Provenance, values: Mapping[int, int], premises: Iterable[int], conclusion: Node
    ) -> int:
        """A step from an assertion or the goal, or from what is supposed."""
        numbers = tuple(dict.fromkeys(premises))
        found = tuple((var, self._term(var, value, values)) for var, value in source.images)
        if source.assumed:
            return self._supposed(numbers, conclusion, found)
        return self.add(DerivationStep("instance", conclusion, numbers, source.key, found))

    def _supposed(self, premises: tuple[int, ...], conclusion: Node, found: Substitution) -> int:
        """A supposed literal; where it is denied (the conclusion is false), the contradiction too."""
        if conclusion is not self.horn.pool.false:
            return self.add(DerivationStep("assumed", conclusion, substitution=found))
        (premise,) = premises
        denied = self.horn.pool.negate(self.steps[premise - 1].conclusion)
        number = self.add(DerivationStep("assumed", denied, substitution=found))
        return self.add(DerivationStep("conflict", conclusion, (premise, number)))

    def _term(self, var: Var, value: int, values: Mapping[int, int]) -> Node:
        universe = self.horn.universe
        code = value if value >= 0 else values.get(~value)
        if code is None:
            known = universe.by_sort.get(var.sort)
            return universe.nodes[known[0]] if known else universe.dummy_node(var.sort, self.horn.pool)
        return universe.nodes[code]

    def different(self, pairs: Sequence[tuple[int, int]], values: Mapping[int, int]) -> list[int]:
        """Steps for the differences that an instance wants; none for those of literals."""
        found = [self.differ(*ground(pair, values)) for pair in pairs]
        return [number for number in found if number is not None]

    def differ(self, a: int, b: int) -> int | None:
        """The step that two constants differ, None for literals."""
        source = self.horn.universe.reason(a, b)
        if source is None:
            return None
        key = ("differ", min(a, b), max(a, b))
        if key not in self.numbers:
            equation = self.horn.literal(EQUAL, (a, b))
            self.numbers[key] = self.instance(source, {}, (), self.horn.pool.negate(equation))
        return self.numbers[key]

    def clash(self, a: int, b: int, equation: int) -> None:
        """The contradiction of an equation with the difference of its sides."""
        source = self.horn.universe.reason(a, b)
        if source is not None:
            self.instance(source, {}, (equation,), self.horn.pool.false)


# --- by ranks -------------------------------------------------------------------------------------


def derive_by_ranks(
    horn: HornProgram,
    tables: RelationTables,
    least: DatalogEngine,
    added: Mapping[tuple[int, Row], Provenance],
) -> Derivation:
    """The derivation of the violation in `least`; `added` tells what rows given by the goal come from."""
    builder = _StepBuilder(horn, tables)
    relation, row = least.violation()
    number = _by_ranks(builder, least, relation, row, added)
    if relation == EQUAL:
        builder.clash(row[0], row[1], number)
    return Derivation((CaseProof(tuple(builder.steps)),))


_Found = tuple[DatalogRule, dict[int, int]] | None


def _by_ranks(
    builder: _StepBuilder,
    least: DatalogEngine,
    relation: int,
    row: Row,
    added: Mapping[tuple[int, Row], Provenance],
) -> int:
    """The number of the step that proves a row, after all that it needs."""
    instances: dict[tuple[int, Row], _Found] = {}
    stack = [(relation, row)]
    while stack:
        key = stack[-1]
        if key in builder.numbers:
            stack.pop()
            continue
        if key not in instances:
            instances[key] = None if key in added else least.instance(*key)
        found = instances[key]
        rule, values = found or (None, {})
        body = [atom for atom in rule.body if not builder.is_domain(atom.relation)] if rule else []
        needed = [(atom.relation, ground(atom.args, values)) for atom in body]
        missing = [each for each in needed if each not in builder.numbers]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        builder.numbers[key] = _step(builder, key, found, [builder.numbers[each] for each in needed], added)
    return builder.numbers[relation, row]


def _step(
    builder: _StepBuilder,
    key: tuple[int, Row],
    found: _Found,
    premises: list[int],
    added: Mapping[tuple[int, Row], Provenance],
) -> int:
    relation, row = key
    if found is None:
        source = added.get(key) or builder.horn.parts.given[Given(builder.tables.shown[relation], row)]
        return builder.instance(source, {}, (), builder.literal(relation, row))
    rule, values = found
    if rule.source is None:
        return premises[0]
    premises = premises + builder.different(rule.differ, values)
    return builder.instance(rule.source, values, premises, builder.literal(relation, row))


# --- by events ------------------------------------------------------------------------------------


def derive_by_events(horn: HornProgram, tables: RelationTables, merged: DatalogWithEquality) -> Derivation:
    """The derivation of the violation in a model with classes of constants."""
    builder = _StepBuilder(horn, tables)
    work = _Events(builder, merged)
    if merged.clash is not None:
        a, b = merged.clash
        for _, event in merged.path(a, b):
            work.prove(event)
        builder.clash(a, b, work.equation(a, b, clash=True))
    else:
        work.prove(merged.event_for(FALSE, (), merged.now))
    return Derivation((CaseProof(tuple(builder.steps)),))


class _Events:
    def __init__(self, builder: _StepBuilder, merged: DatalogWithEquality) -> None:
        self.builder = builder
        self.merged = merged

    def prove(self, event: Event) -> int:
        """The number of the step for an event, after all that it needs."""
        numbers = self.builder.numbers
        needs: dict[int, list[Event]] = {}
        stack = [event]
        while stack:
            top = stack[-1]
            if ("event", top.serial) in numbers:
                stack.pop()
                continue
            if top.serial not in needs:
                needs[top.serial] = self._needs(top)
            missing = [each for each in needs[top.serial] if ("event", each.serial) not in numbers]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            numbers["event", top.serial] = self._step(top)
        return numbers["event", event.serial]

    def _needs(self, event: Event) -> list[Event]:
        """The earlier events that an event rests on."""
        if event.rule is None:
            return []
        merged, found = self.merged, []
        for atom in event.rule.body:
            if self.builder.is_domain(atom.relation):
                continue
            row = ground(atom.args, event.values)
            earlier = merged.event_for(atom.relation, row, event.serial)
            found.append(earlier)
            for a, b in zip(earlier.row, row, strict=True):
                found += [each for _, each in merged.path(a, b)]
        for a, b in event.rule.equal:
            found += [each for _, each in merged.path(a, b)]
        for x, y in self._differing(event):
            for a, b in (x, y):
                found += [each for _, each in merged.path(a, b)]
        return found

    def _differing(self, event: Event) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """For each difference wanted: its two constants, each with one equal to it, which differ."""
        assert event.rule is not None
        return [self._known_distinct(ground(pair, event.values), event.serial) for pair in event.rule.differ]

    def _known_distinct(self, pair: Row, serial: int) -> tuple[tuple[int, int], tuple[int, int]]:
        a, b = pair
        merged, known_distinct = self.merged, self.builder.horn.universe.known_distinct
        ours = [x for x in merged.members[merged.leader[a]] if merged.equal_before(a, x, serial)]
        theirs = [y for y in merged.members[merged.leader[b]] if merged.equal_before(b, y, serial)]
        x, y = next((x, y) for x in ours for y in theirs if known_distinct(x, y))
        return (a, x), (b, y)

    def _step(self, event: Event) -> int:
        builder = self.builder
        conclusion = builder.literal(event.relation, event.row)
        if event.rule is None:
            source = event.source
            if source is None:
                return 0
            assert isinstance(source, Provenance)
            return builder.instance(source, {}, (), conclusion)
        premises = []
        for atom in event.rule.body:
            if not builder.is_domain(atom.relation):
                premises.append(self._premise(atom.relation, ground(atom.args, event.values), event.serial))
        premises += [self.equation(a, b) for a, b in event.rule.equal if a != b]
        premises += [n for x, y in self._differing(event) if (n := self._difference(x, y)) is not None]
        if event.rule.source is None:
            return premises[0]
        return builder.instance(event.rule.source, event.values, premises, conclusion)

    def _premise(self, relation: int, row: Row, serial: int) -> int:
        """The step for a row as a rule writes it, from the event with the same row up to equations."""
        builder = self.builder
        event = self.merged.event_for(relation, row, serial)
        number = builder.numbers["event", event.serial]
        if event.row == row:
            return number
        key = (builder.tables.shown[relation], row, event.serial)
        if key not in builder.numbers:
            equations = [self.equation(a, b) for a, b in zip(event.row, row, strict=True) if a != b]
            builder.numbers[key] = self._congruent(relation, event.row, row, (*equations, number))
        return builder.numbers[key]

    def _congruent(self, relation: int, old: Row, new: Row, premises: tuple[int, ...]) -> int:
        literal = self.builder.literal
        terms = (literal(relation, new), literal(relation, old))
        return self.builder.add(
            DerivationStep("congruent", terms[0], tuple(dict.fromkeys(premises)), terms=terms)
        )

    def equation(self, a: int, b: int, *, clash: bool = False) -> int:
        """The step for a = b, by a chain of equations; with `clash`, of two literals, it is false."""
        builder, nodes = self.builder, self.builder.horn.universe.nodes
        number = 0
        here = a
        for there, event in self.merged.path(a, b):
            step = builder.numbers["event", event.serial]
            if number == 0:
                number = step
            else:
                key = ("equal", min(a, there), max(a, there))
                if key not in builder.numbers:
                    conclusion = builder.literal(EQUAL, (a, there))
                    terms = (nodes[a], nodes[here], nodes[there])
                    builder.numbers[key] = builder.add(
                        DerivationStep("transitive", conclusion, (number, step), terms=terms)
                    )
                number = builder.numbers[key]
            here = there
        return number

    def _difference(self, x: tuple[int, int], y: tuple[int, int]) -> int | None:
        """The step for a difference, from that of two constants equal to its sides."""
        builder, nodes = self.builder, self.builder.horn.universe.nodes
        (a, c), (b, d) = x, y
        number = builder.differ(c, d)
        for fixed, old, new in ((d, c, a), (a, d, b)):
            if old == new:
                continue
            conclusion = builder.horn.pool.negate(builder.horn.literal(EQUAL, (new, fixed)))
            premises = (self.equation(old, new), *(() if number is None else (number,)))
            terms = (nodes[old], nodes[new], nodes[fixed])
            number = builder.add(DerivationStep("transitive", conclusion, premises, terms=terms))
        return number
