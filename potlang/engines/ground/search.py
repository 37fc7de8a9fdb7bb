"""Instances of clauses that a model violates: joins of the model's true atoms, then enumeration.

Each rule has a plan: what to match, bind, enumerate and test, in an order in which each step uses what the
ones before have bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from potlang.engines.fuel import Fuel
from potlang.engines.ground.equality import UNKNOWN, EqualityClasses
from potlang.engines.ground.table import GroundRule, Ref, RuleCall, RuleLiteral, TermTable
from potlang.ir import operators as op
from potlang.ir.nodes import Symbol
from potlang.ir.operators import Operator
from potlang.ir.sorts import INT, REAL, Sort


class Match(NamedTuple):
    """Go through the true atoms of a predicate; `bound` are the arguments that have values by then."""

    head: Symbol
    refs: tuple[Ref, ...]
    bound: tuple[int, ...]


class Bind(NamedTuple):
    """Put for a variable what it is equal to."""

    place: int
    ref: Ref
    sort: Sort


class Inversion(NamedTuple):
    """From the value of a sum or product to its argument at a place, by the others."""

    head: Symbol | Operator
    at: int
    others: tuple[Ref, ...]


class Meeting(NamedTuple):
    """Where a term that is linear in a variable equals `ref`; `way` leads to the variable in the term."""

    ref: Ref
    way: tuple[Inversion, ...]


class Solve(NamedTuple):
    """Put for a variable the number with which two sides meet."""

    place: int
    meeting: Meeting
    sort: Sort


class TryCells(NamedTuple):
    """Go through the numbers with which sides meet, and one of each interval between them.

    All that depends on the variable are comparisons of these sides, so other numbers make them no other.
    """

    place: int
    meetings: tuple[Meeting, ...]
    sort: Sort


class Enumerate(NamedTuple):
    """Go through the members of a sort."""

    place: int
    sort: Sort


PlanStep = Match | Bind | Solve | TryCells | Enumerate | RuleCall | RuleLiteral
"""A call is computed; a literal must be false."""


def plan(rule: GroundRule) -> tuple[PlanStep, ...]:
    """The steps that find the violated instances of a rule."""
    return _InstancePlanner(rule).run()


class _InstancePlanner:
    def __init__(self, rule: GroundRule) -> None:
        self.rule = rule
        self.bound: set[int] = set()
        self.calls = list(rule.calls)
        self.literals = list(rule.literals)
        self.steps: list[PlanStep] = []

    def run(self) -> tuple[PlanStep, ...]:
        # Tests and computed terms as early as their variables are known, since they only cut; then what has
        # at most one choice, then matches, which have as many as there are true atoms; elements last.
        while True:
            self._settle()
            if not self.literals and len(self.bound) == self.rule.places:
                return tuple(self.steps)
            if not (self._bind() or self._match() or self._solve()):
                self._enumerate()

    def _known(self, ref: Ref) -> bool:
        return ref < 0 or ref in self.bound

    def _settle(self) -> None:
        """Compute and test what is bound by now."""
        for call in list(self.calls):
            if all(map(self._known, call.refs)):
                self.steps.append(call)
                self.bound.add(call.place)
                self.calls.remove(call)
        for literal in list(self.literals):
            if all(map(self._known, literal.refs)):
                self.steps.append(literal)
                self.literals.remove(literal)

    def _is_variable(self, ref: Ref) -> bool:
        return 0 <= ref < len(self.rule.variables)

    def _bind(self) -> bool:
        for literal in self.literals:
            if literal.head is op.EQ and not literal.positive:
                for here, there in (literal.refs, literal.refs[::-1]):
                    if self._is_variable(here) and not self._known(here) and self._known(there):
                        self.steps.append(Bind(here, there, self.rule.variables[here].sort))
                        self.bound.add(here)
                        return True
        return False

    def _match(self) -> bool:
        best: RuleLiteral | None = None
        most = -1
        for literal in self.literals:
            if literal.positive or isinstance(literal.head, Operator):
                continue
            known = sum(map(self._known, literal.refs))
            if known > most and any(self._is_variable(ref) and not self._known(ref) for ref in literal.refs):
                best, most = literal, known
        if best is None:
            return False
        assert isinstance(best.head, Symbol)
        bound = tuple(at for at, ref in enumerate(best.refs) if self._known(ref))
        self.steps.append(Match(best.head, best.refs, bound))
        self.bound.update(ref for ref in best.refs if self._is_variable(ref))
        if all(map(self._known, best.refs)):
            self.literals.remove(best)
        return True

    def _solve(self) -> bool:
        for literal in self.literals:
            if literal.head is op.EQ and not literal.positive and (found := self._meeting(literal)):
                place, meeting = found
                self.steps.append(Solve(place, meeting, self.rule.variables[place].sort))
                self.bound.add(place)
                return True
        return False

    def _meeting(self, literal: RuleLiteral) -> tuple[int, Meeting] | None:
        """The only variable without a value in a comparison, and where its sides meet."""
        for here, there in (literal.refs, literal.refs[::-1]):
            if self._known(there) and not self._known(here) and (found := self._way(here)):
                return found[0], Meeting(there, found[1])
        return None

    def _way(self, ref: Ref) -> tuple[int, tuple[Inversion, ...]] | None:
        """The only variable without a value in a term, and the sums and products that lead to it."""
        way: list[Inversion] = []
        while not self._is_variable(ref):
            call = next((each for each in self.calls if each.place == ref), None)
            unknown = [] if call is None else [at for at, ref in enumerate(call.refs) if not self._known(ref)]
            if call is None or call.head not in _INVERTED or len(unknown) != 1:
                return None
            (at,) = unknown
            way.append(Inversion(call.head, at, (*call.refs[:at], *call.refs[at + 1 :])))
            ref = call.refs[at]
        return ref, tuple(way)

    def _enumerate(self) -> None:
        place = next(at for at in range(len(self.rule.variables)) if at not in self.bound)
        sort = self.rule.variables[place].sort
        meetings = self._meetings(place) if sort in (INT, REAL) else ()
        self.steps.append(TryCells(place, meetings, sort) if meetings else Enumerate(place, sort))
        self.bound.add(place)

    def _meetings(self, place: int) -> tuple[Meeting, ...]:
        """Where the sides of comparisons meet, if all that depends on a variable are such comparisons."""
        depending = {place}
        for call in self.calls:
            if depending.intersection(call.refs):
                depending.add(call.place)
        meetings = []
        for literal in self.literals:
            if depending.intersection(literal.refs):
                found = self._meeting(literal) if literal.head in (op.EQ, op.LT, op.LE) else None
                if found is None:
                    return ()
                meetings.append(found[1])
        return tuple(meetings)


class InstanceSearch:
    """Searches in one model."""

    def __init__(self, table: TermTable, classes: EqualityClasses, fuel: Fuel) -> None:
        self.table = table
        self.classes = classes
        self.fuel = fuel
        self._extents: dict[Symbol, list[tuple[int, ...]]] = {}
        self._indexes: dict[tuple[Symbol, int], dict[int, list[tuple[int, ...]]]] = {}
        self._universes: dict[Sort, list[int]] = {}
        seen: dict[tuple[object, tuple[int, ...]], None] = {}
        for number in sorted(classes.true):
            head, args = table.atoms[number]
            if isinstance(head, Symbol):
                key = (head, tuple([classes.leader(arg) for arg in args]))
                if key not in seen:
                    seen[key] = None
                    self._extents.setdefault(head, []).append(args)

    def violations(self, rule: GroundRule, steps: tuple[PlanStep, ...]) -> Iterator[tuple[int, ...]]:
        """The bindings of the rule's variables under which it is false. Raises `OutOfFuel`."""
        # Depth first, one binding after the other, where the Horn engine joins whole relations: the caller
        # takes the first of very many violations, and each test may ask the equality classes.
        env = [0] * rule.places
        width = len(rule.variables)
        stack: list[tuple[int, Iterator[None]]] = []
        at = 0
        while True:
            at = self._forward(steps, at, env)
            if at == len(steps):
                yield tuple(env[:width])
            elif at >= 0:
                stack.append((at, self._choices(steps[at], env)))
            at = -1
            while stack and at < 0:
                self.fuel.spend()
                place, choices = stack[-1]
                if next(choices, _DONE) is _DONE:
                    stack.pop()
                else:
                    at = place + 1
            if at < 0:
                return

    def _forward(self, steps: tuple[PlanStep, ...], at: int, env: list[int]) -> int:
        """The next step with a choice, or the end; -1 if a test fails before."""
        classes = self.classes
        while at < len(steps):
            step = steps[at]
            if isinstance(step, RuleCall):
                args = tuple([env[ref] if ref >= 0 else ~ref for ref in step.refs])
                env[step.place] = classes.apply(step.head, args, step.sort)
            elif isinstance(step, RuleLiteral):
                args = tuple([env[ref] if ref >= 0 else ~ref for ref in step.refs])
                if classes.holds(step.head, args) is step.positive:
                    return -1
            else:
                return at
            at += 1
        return at

    def _choices(self, step: PlanStep, env: list[int]) -> Iterator[None]:
        match step:
            case Match():
                return self._matches(step, env)
            case Bind():
                env[step.place] = env[step.ref] if step.ref >= 0 else ~step.ref
                if env[step.place] == UNKNOWN:
                    return self._members(Enumerate(step.place, step.sort), env)
                return iter((None,))
            case Solve():
                return self._solved(step, env)
            case TryCells():
                return self._cells(step, env)
            case Enumerate():
                return self._members(step, env)
            case _:
                raise TypeError("a step without choices")

    def _solved(self, step: Solve, env: list[int]) -> Iterator[None]:
        number = self._met(step.meeting, env)
        if number is None:
            return self._members(Enumerate(step.place, step.sort), env)
        whole = step.sort is not INT or number.denominator == 1
        return self._numbers(step.place, step.sort, [number] if whole else [], env)

    def _cells(self, step: TryCells, env: list[int]) -> Iterator[None]:
        met: set[Fraction] = set()
        for each in step.meetings:
            number = self._met(each, env)
            if number is None:
                return self._members(Enumerate(step.place, step.sort), env)
            met.add(number)
        return self._numbers(step.place, step.sort, _one_of_each_cell(sorted(met), step.sort), env)

    def _numbers(self, place: int, sort: Sort, values: list[Fraction], env: list[int]) -> Iterator[None]:
        pool = self.table.pool
        for value in values:
            literal = pool.integer(value.numerator) if sort is INT else pool.real(value)
            env[place] = self.table.literal(literal)
            yield None

    def _met(self, meeting: Meeting, env: list[int]) -> Fraction | None:
        """The number of the variable with which both sides are equal; None if no one number is known."""
        number = self._number(meeting.ref, env)
        for inversion in meeting.way:
            others = [self._number(ref, env) for ref in inversion.others]
            known = [each for each in others if each is not None]
            if number is None or len(known) < len(others):
                return None
            number = _operand(inversion, number, known)
        return number

    def _number(self, ref: Ref, env: list[int]) -> Fraction | None:
        term = env[ref] if ref >= 0 else ~ref
        literal = None if term == UNKNOWN else self.classes.literal(term)
        value = None if literal is None else self.table.value(literal)
        return (
            Fraction(value.value) if value is not None and isinstance(value.value, int | Fraction) else None
        )

    def _matches(self, step: Match, env: list[int]) -> Iterator[None]:
        leader = self.classes.leader
        refs = step.refs
        known = [(at, leader(env[refs[at]] if refs[at] >= 0 else ~refs[at])) for at in step.bound]
        known = [(at, value) for at, value in known if value != UNKNOWN]
        width = self._width(step)
        for args in self._candidates(step.head, known):
            bound: dict[int, int] = {}
            for at, value in known:
                if leader(args[at]) != value:
                    break
            else:
                for at in width:
                    ref = refs[at]
                    if ref in bound and leader(bound[ref]) != leader(args[at]):
                        break
                    bound[ref] = args[at]
                else:
                    for ref, value in bound.items():
                        env[ref] = value
                    yield None
                    continue
            self.fuel.spend()

    def _width(self, step: Match) -> list[int]:
        """The arguments that get values here; calls are computed and tested later."""
        return [at for at in range(len(step.refs)) if at not in step.bound and step.refs[at] >= 0]

    def _candidates(self, head: Symbol, known: list[tuple[int, int]]) -> list[tuple[int, ...]]:
        if not known:
            return self._extents.get(head, [])
        # One indexed column is enough: what it leaves is compared column by column.
        at, value = known[0]
        index = self._indexes.get((head, at))
        if index is None:
            index = self._indexes[head, at] = {}
            for args in self._extents.get(head, ()):
                index.setdefault(self.classes.leader(args[at]), []).append(args)
        return index.get(value, [])

    def _members(self, step: Enumerate, env: list[int]) -> Iterator[None]:
        members = self._universes.get(step.sort)
        if members is None:
            leader = self.classes.leader
            firsts = {leader(term): term for term in reversed(self.table.universe(step.sort))}
            members = self._universes[step.sort] = sorted(firsts.values())
        for member in members:
            env[step.place] = member
            yield None


def _one_of_each_cell(met: list[Fraction], sort: Sort) -> list[Fraction]:
    """These numbers in their order, and one between any two and beyond them; of whole numbers all nearest."""
    if sort is INT:
        return sorted({Fraction(math.floor(each) + by) for each in met for by in (-1, 0, 1)})
    between = [(one + other) / 2 for one, other in pairwise(met)]
    return [*met, *between, met[0] - 1, met[-1] + 1]


def _operand(inversion: Inversion, value: Fraction, others: list[Fraction]) -> Fraction | None:
    """The argument with which an operator has a value; None where it may be any number, or none."""
    head, at, _ = inversion
    if head is op.ADD:
        return value - sum(others)
    if head is op.MUL:
        product = math.prod(others)
        return value / product if product else None
    if head is op.SUB:
        return value + others[0] if at == 0 else others[0] - value
    return -value if head is op.NEG else value


_INVERTED: Final = (op.ADD, op.SUB, op.MUL, op.NEG, op.TO_REAL)
_DONE: Final = object()
