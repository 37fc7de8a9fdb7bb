"""Statements of a policy about the events of a session: clauses over what the policy leaves open.

A statement is a clause for each value of its variables: formulas, of which one must be true. Those that facts
make false are left out, and a clause with a true one is done with. What is left speaks of predicates that are
neither closed nor defined, such as `allowed(e)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, product
from typing import Final, NamedTuple

from potlang.ir import operators as op
from potlang.ir.module import Assertion
from potlang.ir.nnf import Cnf, Signed, cnf_of_connective, signed_conjuncts
from potlang.ir.nodes import (
    App,
    Node,
    Quant,
    Sym,
    Symbol,
    Var,
    children,
    free_variables,
    reachable,
    symbols_in,
)
from potlang.ir.sorts import INT, REAL
from potlang.policy.guard.kleene import CompiledTerm, Frame
from potlang.policy.guard.limits import LimitingComparison, is_limiting, limiting_comparisons
from potlang.policy.guard.session_facts import NO_VALUE, AtomKey, SessionFacts
from potlang.policy.guard.terms import EventRange, FramePlaces, TermCompiler, needed

MOST_CLAUSES: Final = 64
"""A statement of more clauses is taken as one formula."""
_MOST_TRIED: Final = 200
"""Values that are tried for what is not given of one event."""
_MOST_TRIED_OF_SEVERAL: Final = 40
"""For each of several functions; of all their combinations the first `_MOST_TRIED` are."""


class ClauseCondition(NamedTuple):
    """A formula of a clause that is no literal: the clause is true where `term` has the value `sign`."""

    node: Node
    term: CompiledTerm
    sign: bool
    comparisons: tuple[LimitingComparison, ...] = ()
    """Those that hold where the formula has its sign."""


class ClauseLiteral(NamedTuple):
    """An open predicate, by number, at arguments, or its denial."""

    number: int
    arguments: tuple[CompiledTerm, ...]
    sign: bool
    unknown: ClauseCondition
    """Stands for the literal where an argument has no value: it is not known which atom is meant."""

    def key(self, frame: Frame) -> AtomKey | None:
        """The predicate at the values of the arguments; None where one has no value."""
        values = [each.compute(frame) for each in self.arguments]
        if any(value is NO_VALUE for value in values):
            return None
        return self.number, values[0] if len(values) == 1 else tuple(values)


class GroundClause(NamedTuple):
    """A clause for given values of variables: literals, and conditions whose value is not settled."""

    statement: EventStatement
    literals: tuple[tuple[AtomKey, bool], ...]
    pending: tuple[ClauseCondition, ...]
    values: tuple[object, ...]

    @property
    def is_equation(self) -> bool:
        """Whether nothing is left but that a function has a value, which may be computed of others."""
        if self.literals or len(self.pending) != 1:
            return False
        return any(each.row is op.EQ for each in self.pending[0].comparisons)

    def value(self, condition: ClauseCondition, facts: SessionFacts) -> object:
        """The value of a condition by the facts as they are now."""
        return condition.term.compute([facts, *self.values])


class EventStatement:
    """A clause with variables, of a statement of the policy; `at` and `everywhere` make it ground."""

    def __init__(self, assertion: Assertion, signed: Sequence[Signed], compiler: TermCompiler) -> None:
        self.assertion = assertion
        self.signed = tuple(signed)
        """The formulas of the clause, of which one has its sign."""
        self.functions = {
            compiler.numbers[each]
            for node, _ in signed
            for each in symbols_in(node)
            if each in compiler.numbers
        }
        """The functions, by number, that it is about."""
        self.variables = free = free_variables(*[node for node, _ in signed])
        self._scope = FramePlaces(free)
        self._events = [at for at, var in enumerate(free) if var.sort == compiler.roles.sort]
        conditions: list[list[ClauseCondition]] = [[] for _ in range(len(free) + 1)]
        literals: list[list[ClauseLiteral]] = [[] for _ in range(len(free) + 1)]
        # One that looks at events by values of functions may look at later ones.
        self.is_volatile = False
        for node, sign in signed:
            level = max((free.index(var) + 1 for var in free_variables(node)), default=0)
            literal = _literal(node, sign, compiler, self._scope)
            if literal is not None:
                literals[level].append(literal)
                self.is_volatile |= not all(each.settled for each in literal.arguments)
            else:
                term = compiler.term(node, self._scope)
                conditions[level].append(
                    ClauseCondition(node, term, sign, self._limiting(node, sign, compiler))
                )
        self._levels = list(zip(conditions, literals, strict=True))
        self.reason = next(filter(None, (compiler.untried(node) for node, _ in signed)), "")
        """Why a solver may be needed for the statement; empty where facts alone make it ground."""
        guards = [each for node, sign in signed for each in needed(node, wanted=not sign)]
        self._ranges: list[EventRange] = []
        for var in free:
            found = None if var.sort == compiler.roles.sort else compiler.values(var, guards, self._scope)
            if found is None and var.sort != compiler.roles.sort:
                self.reason = f"a variable of the sort {var.sort}"
            # Of a variable without a list of values only that counts which holds whatever its value is.
            self._ranges.append(found or EventRange(lambda frame: (NO_VALUE,), True))

    def _limiting(self, node: Node, sign: bool, compiler: TermCompiler) -> tuple[LimitingComparison, ...]:
        parts = [part for part in signed_conjuncts(node, sign) if is_limiting(*part)]
        sides = {side: compiler.term(side, self._scope) for part, _ in parts for side in children(part)}
        return tuple(limiting_comparisons(parts, sides))

    @property
    def conditions(self) -> Iterator[ClauseCondition]:
        """The formulas of the clause that are no literals."""
        for conditions, _ in self._levels:
            yield from conditions

    def environment(self, values: tuple[object, ...]) -> dict[Var, object]:
        """The values of its variables in a ground clause."""
        return dict(zip(self.variables, values, strict=False))

    def concludes(self, number: int) -> bool:
        """Whether an open predicate, by its number, is a literal of the clause that is not denied."""
        return any(each.number == number and each.sign for _, literals in self._levels for each in literals)

    @property
    def is_eventless(self) -> bool:
        """Whether no event is meant by a variable."""
        return not self._events

    def at(self, facts: SessionFacts, event: int) -> Iterator[GroundClause]:
        """The clauses about an event and, where several are meant, earlier ones."""
        for last in range(len(self._events)):
            ranges = {}
            for at, index in enumerate(self._events):
                ranges[index] = range(event) if at < last else range(event, event + 1)
                if at > last:
                    ranges[index] = range(event + 1)
            yield from self._ground(self._frame(facts), 0, ranges, (), ())

    def everywhere(self, facts: SessionFacts) -> Iterator[GroundClause]:
        """The clauses about all events that there are, or about none."""
        ranges = dict.fromkeys(self._events, range(facts.count))
        yield from self._ground(self._frame(facts), 0, ranges, (), ())

    def _frame(self, facts: SessionFacts) -> Frame:
        return [facts, *[None] * (self._scope.size - 1)]

    def _ground(
        self,
        frame: Frame,
        level: int,
        ranges: dict[int, range],
        literals: tuple[tuple[AtomKey, bool], ...],
        pending: tuple[ClauseCondition, ...],
    ) -> Iterator[GroundClause]:
        for condition in self._levels[level][0]:
            # What later events may change is asked for at each check.
            value = condition.term.compute(frame) if condition.term.settled else NO_VALUE
            if value is condition.sign:
                return
            if value is NO_VALUE:
                pending = (*pending, condition)
        for literal in self._levels[level][1]:
            key = literal.key(frame)
            if key is None:
                pending = (*pending, literal.unknown)
                continue
            found = _with_literal(literal.sign, key, frame[0], literals)
            if found is None:
                return
            literals = found
        if level == len(self._ranges):
            yield GroundClause(self, literals, pending, tuple(frame[1:]))
            return
        values = ranges.get(level)
        listed: Sequence[object] = self._ranges[level].listed(frame) if values is None else values
        frame[0].spend(len(listed))
        for value in listed:
            frame[level + 1] = value
            yield from self._ground(frame, level + 1, ranges, literals, pending)


def _with_literal(
    sign: bool, key: AtomKey, facts: SessionFacts, literals: tuple[tuple[AtomKey, bool], ...]
) -> tuple[tuple[AtomKey, bool], ...] | None:
    """The literals with one more if facts do not decide it; None where they make it true."""
    value = facts.tables[key[0]].get(key[1], NO_VALUE)
    if value is sign or (key, not sign) in literals:
        return None
    if value is NO_VALUE and (key, sign) not in literals:
        return (*literals, (key, sign))
    return literals


class NotGround(Exception):
    """A fact that says more than that a function has a value."""


def _literal(node: Node, sign: bool, compiler: TermCompiler, scope: FramePlaces) -> ClauseLiteral | None:
    symbol = compiler.open_predicate(node)
    if symbol is None:
        return None
    args = node.args if isinstance(node, App) else ()
    arguments = tuple(compiler.term(arg, scope) for arg in args)
    unknown = ClauseCondition(node, CompiledTerm(lambda frame: NO_VALUE, reads=None), sign)
    return ClauseLiteral(compiler.numbers[symbol], arguments, sign, unknown)


# --- clauses ---------------------------------------------------------------------------------------------


def statements_of(assertion: Assertion, compiler: TermCompiler) -> Iterator[EventStatement]:
    """The clauses of an assertion, but for what only defines closed predicates ([CLOSED-RULES])."""
    for conditions, formula in _constraints(assertion.formula, compiler):
        start = [(condition, False) for condition in conditions]
        found = _clauses([*start, (formula, True)], compiler)
        for clause in found if found is not None else [[*start, (formula, True)]]:
            yield EventStatement(assertion, _numbers_inside(clause, compiler), compiler)


def _numbers_inside(clause: list[Signed], compiler: TermCompiler) -> list[Signed]:
    """The clause with its numbers bound by a quantifier inside, which terms try values for.

    What speaks of no number is outside of it: `forall n. A or B(n)` is `A or forall n. B(n)`.
    """
    free = free_variables(*[node for node, _ in clause])
    numbers = tuple(var for var in free if var.sort in (INT, REAL))
    if not numbers:
        return clause
    found: list[Signed] = []
    about: list[Node] = []
    pool = compiler.module.pool
    for node, sign in clause:
        for part, wanted in signed_conjuncts(node, not sign):
            if set(numbers).isdisjoint(free_variables(part)):
                found.append((part, not wanted))
            else:
                about.append(pool.negate(part) if wanted else part)
    return [*found, (pool.quant("forall", numbers, pool.disj(about)), True)]


def _constraints(formula: Node, compiler: TermCompiler) -> Iterator[tuple[tuple[Node, ...], Node]]:
    """The content of a formula beside rules for closed predicates, each with its conditions."""
    stack: list[tuple[Node, tuple[Node, ...]]] = [(formula, ())]
    while stack:
        node, conditions = stack.pop()
        if isinstance(node, Quant) and node.kind == "forall":
            stack.append((node.body, conditions))
        elif isinstance(node, App) and node.op is op.IMPLIES:
            stack.append((node.args[1], (*conditions, node.args[0])))
        elif isinstance(node, App) and node.op is op.AND:
            stack += [(arg, conditions) for arg in node.args]
        elif isinstance(node, App) and node.op is op.IFF and any(_is_closed(a, compiler) for a in node.args):
            first, second = node.args
            pool = compiler.module.pool
            stack += [(pool.implies(first, second), conditions), (pool.implies(second, first), conditions)]
        elif not _is_closed(node, compiler):
            yield conditions, node


def _is_closed(node: Node, compiler: TermCompiler) -> bool:
    symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
    return isinstance(symbol, Symbol) and symbol in compiler.closed


def _clauses(disjuncts: Sequence[Signed], compiler: TermCompiler) -> list[list[Signed]] | None:
    """The clauses of a disjunction, taken apart as far as open predicates are inside; None: too many."""
    done: list[list[Signed]] = []
    work: list[tuple[list[Signed], list[Signed]]] = [([], list(disjuncts))]
    while work:
        clause, todo = work.pop()
        while todo:
            node, sign = todo.pop(0)
            parts = _parts(node, sign) if _has_open(node, compiler) else ()
            if not parts:
                clause.append((node, sign))
            elif len(parts) == 1:
                todo = [*parts[0], *todo]
            else:
                work += [(list(clause), [*part, *todo]) for part in reversed(parts)]
                break
        else:
            done.append(clause)
        if len(done) + len(work) > MOST_CLAUSES:
            return None
    return done


def _has_open(node: Node, compiler: TermCompiler) -> bool:
    return any(compiler.open_predicate(each) is not None for each in reachable(node))


def _parts(node: Node, sign: bool) -> Cnf:
    """Clauses of the parts of a formula, or of its negation; none for what is not taken apart."""
    if isinstance(node, Quant):
        return (((node.body, sign),),) if (node.kind == "forall") is sign else ()
    return cnf_of_connective(node, sign)


# --- what is not given -----------------------------------------------------------------------------------


class AbsentValues:
    """Values for what is not given of an event, with which clauses about it are true ([GUARD-ABSENT])."""

    def __init__(self, tried: Callable[[int], Sequence[object]]) -> None:
        self._tried = tried
        self._last: dict[tuple[int, ...], tuple[object, ...]] = {}

    def without(self, clauses: list[GroundClause], facts: SessionFacts, event: int) -> list[GroundClause]:
        """The clauses but for those that some values make true which nothing else asks for."""
        absent: list[GroundClause] = []
        others: list[GroundClause] = []
        numbers: dict[int, None] = {}
        for clause in clauses:
            found = _absent(clause, facts, event)
            (others if found is None else absent).append(clause)
            numbers.update(dict.fromkeys(found or ()))
        # A value that an equation says is not chosen.
        if not absent or any(clause.is_equation for clause in clauses):
            return clauses
        if not self._fit(absent, facts, event, tuple(numbers)):
            return clauses
        facts.chosen = facts.chosen.union(numbers)
        return others

    def _fit(
        self, clauses: list[GroundClause], facts: SessionFacts, event: int, numbers: tuple[int, ...]
    ) -> bool:
        last = self._last.get(numbers)
        most = _MOST_TRIED if len(numbers) == 1 else _MOST_TRIED_OF_SEVERAL
        tries = product(*(self._tried(number)[:most] for number in numbers))
        for values in chain(() if last is None else (last,), islice(tries, _MOST_TRIED)):
            for number, value in zip(numbers, values, strict=True):
                facts.tables[number][event] = value
            fits = all(_is_true(clause, facts) for clause in clauses)
            for number in numbers:
                del facts.tables[number][event]
            if fits:
                self._last[numbers] = values
                return True
        return False


def _absent(clause: GroundClause, facts: SessionFacts, event: int) -> list[int] | None:
    """The functions of which a clause asks for the missing value at an event, and nothing more; else None."""
    found = []
    for condition in clause.pending:
        if not condition.term.settled or condition.term.reads is None:
            return None
        for number, place in condition.term.reads:
            at = clause.values[place - 1]
            if at not in facts.tables[number]:
                if at != event:
                    return None
                found.append(number)
    return found or None


def _is_true(clause: GroundClause, facts: SessionFacts) -> bool:
    return any(clause.value(each, facts) is each.sign for each in clause.pending)
