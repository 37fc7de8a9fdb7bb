"""Instances of clauses that a model violates: joins of the model's true atoms, then enumeration.

Each rule has a plan: what to match, bind, enumerate and test, in an order in which each step uses what the
ones before have bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from potlang.engines.fuel import Fuel
from potlang.engines.ground.equality import UNKNOWN, EqualityClasses
from potlang.engines.ground.table import GroundRule, Ref, RuleCall, RuleLiteral, TermTable
from potlang.ir import operators as op
from potlang.ir.nodes import Symbol
from potlang.ir.operators import Operator
from potlang.ir.sorts import Sort


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


class Enumerate(NamedTuple):
    """Go through the members of a sort."""

    place: int
    sort: Sort


PlanStep = Match | Bind | Enumerate | RuleCall | RuleLiteral
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
            if not (self._bind() or self._match()):
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

    def _enumerate(self) -> None:
        place = next(at for at in range(len(self.rule.variables)) if at not in self.bound)
        self.steps.append(Enumerate(place, self.rule.variables[place].sort))
        self.bound.add(place)


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
            case Enumerate():
                return self._members(step, env)
            case _:
                raise TypeError("a step without choices")

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


_DONE = object()
