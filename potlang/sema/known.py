"""Closed predicates that are known while a program is compiled: their least model ([CLOSED-KNOWN]).

Derived bottom-up: each row once meets all that was derived before it (R. Bayer, "Query evaluation in
recursive databases", 1985: semi-naive evaluation).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from potlang.ir import operators as op
from potlang.ir.evaluator import Evaluator, OutOfSteps
from potlang.ir.module import Assertion
from potlang.ir.nodes import (
    App,
    Lit,
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
from potlang.ir.sorts import BOOL, DeclaredSort, Sort
from potlang.ir.structure import FunctionTable, Structure
from potlang.ir.values import Element
from potlang.utils.deadline import OutOfFuel, look

_MOST_ROWS = 20_000
_MOST_INSTANCES = 3_000_000
_MOST_PARTS = 64
"""Rules that one is split into at its disjunctions; further ones are evaluated as they are."""
_LOGICAL = frozenset({op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR, op.ITE, op.EQ, op.DISTINCT})

Row = tuple[object, ...]
Env = dict[Var, object]
Needed = frozenset[tuple[Symbol, Row]]
"""Rows of a group of predicates on which a derivation rests."""
Atoms = Iterator[tuple[Node, ...]]
"""Arguments of a predicate."""
Members = Callable[[Sort], Sequence[Node] | None]
"""The members of a sort, each of which is another than the others in every model; None for other sorts."""


@dataclass(slots=True, eq=False)
class DefiningRule:
    """One way to make a predicate true: for all `variables`, if `conditions`, then it holds at `args`."""

    assertion: Assertion
    args: tuple[Node, ...]
    variables: tuple[Var, ...]
    conditions: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class _RulePart:
    """A rule, or one alternative of it: atoms to be joined and conditions to be evaluated."""

    head: Symbol
    args: tuple[Node, ...]
    variables: tuple[Var, ...]
    atoms: list[tuple[Symbol, tuple[Node, ...]]]
    tests: list[Node]
    is_evaluated: bool = False
    """Whether a condition has to be evaluated again when there are more rows."""


@dataclass(slots=True, eq=False)
class _Relation:
    """Rows of a predicate, each with those that its derivation needs, and by their values at places."""

    rows: dict[Row, Needed]
    indices: dict[tuple[int, ...], dict[Row, list[Row]]]

    def add(self, row: Row, needed: Needed) -> None:
        self.rows[row] = needed
        for places, index in self.indices.items():
            index.setdefault(tuple([row[at] for at in places]), []).append(row)

    def matching(self, places: tuple[int, ...], key: Row) -> Iterable[Row]:
        """The rows with these values at these places."""
        if not places:
            return self.rows
        index = self.indices.get(places)
        if index is None:
            index = self.indices[places] = {}
            for row in self.rows:
                index.setdefault(tuple([row[at] for at in places]), []).append(row)
        return index.get(key, ())


class KnownPredicates:
    """Least models of closed predicates, as far as they are known: each comes after those that it needs."""

    def __init__(self, members: Members, *, traced: bool = False) -> None:
        """With `traced`, rows are kept with what they were derived from, which takes most of the memory."""
        self.traced = traced
        self._members = members
        self._relations: dict[Symbol, _Relation] = {}
        self._values: dict[Node, object] = {}
        self._domains: dict[Sort, list[object]] = {}
        self._universe: dict[DeclaredSort, int] = {}

    def denials(self, rules: Mapping[Symbol, Sequence[DefiningRule]]) -> list[tuple[Symbol, Atoms]] | None:
        """For each predicate of a group, given with its rules, where it is false; None: it is not known."""
        if not self.derive(rules):
            return None
        return [(symbol, self._false(symbol)) for symbol in rules]

    def derive(self, rules: Mapping[Symbol, Sequence[DefiningRule]]) -> bool:
        """Compute the predicates of a group, given with its rules; False: that cannot be done."""
        if not self._is_known(rules):
            return False
        for symbol in rules:
            self._relations[symbol] = _Relation({}, {})
        try:
            _LeastModel(self, rules).derive()
        except OutOfSteps:
            look()
            raise OutOfFuel from None
        return True

    def suppose(self, symbol: Symbol, chosen: Callable[[], bool]) -> bool:
        """Let a predicate be true of what is chosen, one row after the other; False: that is too much."""
        if not self._is_known({symbol: ()}):
            return False
        relation = self._relations.setdefault(symbol, _Relation({}, {}))
        for row in product(*(self._domains[sort] for sort in symbol.domain)):
            if row not in relation.rows and chosen():
                relation.add(row, frozenset())
        return True

    def derivations(self, symbol: Symbol) -> Mapping[Row, Needed]:
        """The rows of a predicate; if `traced`, each with all rows of its group before it in a derivation."""
        return self._relations[symbol].rows

    def relation(self, symbol: Symbol) -> _Relation:
        return self._relations[symbol]

    def domain(self, sort: Sort) -> list[object]:
        """The values of a sort."""
        return self._domains[sort]

    def value(self, node: Node) -> object:
        """The value of a member."""
        return self._values[node]

    def structure(self) -> Structure:
        """The members and the predicates as they are now."""
        functions: dict[Symbol, object] = {
            node.symbol: value for node, value in self._values.items() if isinstance(node, Sym)
        }
        for symbol, relation in self._relations.items():
            entries = dict.fromkeys(relation.rows, True)
            functions[symbol] = FunctionTable(entries, False) if symbol.domain else bool(entries)
        return Structure(self._universe, functions)

    def evaluator(self) -> Evaluator:
        """One for conditions, with the predicates as they are now."""
        return Evaluator(self.structure(), _MOST_STEPS)

    def _false(self, symbol: Symbol) -> Atoms:
        rows = self._relations[symbol].rows
        members = [self._members(sort) or () for sort in symbol.domain]
        for args in product(*members):
            if tuple([self._values[arg] for arg in args]) not in rows:
                yield args

    # --- what is known ---

    def _is_known(self, rules: Mapping[Symbol, Sequence[DefiningRule]]) -> bool:
        for symbol in rules:
            if not all(map(self._is_listed, symbol.domain)):
                return False
            if prod(len(self._domains[sort]) for sort in symbol.domain) > _MOST_ROWS:
                return False
        return all(self._says(rule, rules) for ways in rules.values() for rule in ways)

    def _is_listed(self, sort: Sort) -> bool:
        if sort not in self._domains:
            members = self._members(sort)
            if members is None:
                return False
            for number, node in enumerate(members):
                self._values[node] = node.value if isinstance(node, Lit) else Element(str(sort), number)
            self._domains[sort] = [self._values[node] for node in members]
            if isinstance(sort, DeclaredSort):
                self._universe[sort] = len(members)
        return True

    def _says(self, rule: DefiningRule, group: Container[Symbol]) -> bool:
        """Whether a rule speaks of members, variables and known predicates alone, and has few instances."""
        if not all(self._is_listed(var.sort) for var in rule.variables):
            return False
        # How many values all quantifiers at a node and below have together.
        inner: dict[int, int] = {}
        for node in reachable(*rule.args, *rule.conditions):
            below = max((inner[child.id] for child in children(node)), default=1)
            match node:
                case Quant(kind="forall" | "exists"):
                    if not all(self._is_listed(var.sort) for var in node.binders):
                        return False
                    below *= prod(len(self._domains[var.sort]) for var in node.binders)
                case Quant():
                    return False
                case Sym():
                    if node.sort is BOOL:
                        if node.symbol not in group and node.symbol not in self._relations:
                            return False
                    elif not self._is_listed(node.sort) or node not in self._values:
                        return False
                case App(op=Symbol()):
                    if node.op not in group and node.op not in self._relations:
                        return False
                case App():
                    if node.op not in _LOGICAL:
                        return False
                case Var() | Lit():
                    if not self._is_listed(node.sort) and (node.sort is not BOOL or isinstance(node, Var)):
                        return False
            inner[node.id] = below
        own = prod(len(self._domains[var.sort]) for var in rule.variables)
        return own * max(inner.values(), default=1) <= _MOST_INSTANCES


_MOST_STEPS = 1_000_000_000
"""The instances of a rule are few, and its time is the call's."""


class _LeastModel:
    """The rows of the predicates of one group, derived from the rows of all below it."""

    def __init__(self, known: KnownPredicates, rules: Mapping[Symbol, Sequence[DefiningRule]]) -> None:
        self._known = known
        self._group = frozenset(rules)
        self._evaluator = known.evaluator()
        self._queue: deque[tuple[Symbol, Row, Needed]] = deque()
        self._queued: set[tuple[Symbol, Row]] = set()
        self._at_first: list[tuple[_RulePart, _Plan]] = []
        self._on_row: dict[Symbol, list[tuple[_RulePart, _Plan]]] = {}
        self._again: list[tuple[_RulePart, _Plan]] = []
        for head, ways in rules.items():
            for rule in ways:
                for part in _parts(head, rule):
                    self._prepare(part)

    def _prepare(self, part: _RulePart) -> None:
        inner = [at for at, (symbol, _) in enumerate(part.atoms) if symbol in self._group]
        if any(symbol in self._group for test in part.tests for symbol in symbols_in(test)):
            # It cannot be said which rows such a condition waits for.
            part.is_evaluated = True
            self._again.append((part, _plan(part, None)))
            return
        if not inner:
            self._at_first.append((part, _plan(part, None)))
        for at in inner:
            self._on_row.setdefault(part.atoms[at][0], []).append((part, _plan(part, at)))

    def derive(self) -> None:
        for part, plan in self._at_first:
            self._fire(part, plan, None)
        while True:
            while self._queue:
                # The first derivations first: they are short.
                symbol, row, needed = self._queue.popleft()
                self._known.relation(symbol).add(row, needed)
                for part, plan in self._on_row.get(symbol, ()):
                    self._fire(part, plan, row)
            if not self._again:
                return
            self._evaluator = self._known.evaluator()
            for part, plan in self._again:
                self._fire(part, plan, None)
            if not self._queue:
                return

    def _fire(self, part: _RulePart, plan: _Plan, row: Row | None) -> None:
        """Queue what the instances of a rule derive, those with `row` for one of its atoms."""
        look()
        begin: list[Env] = [{}]
        steps = plan
        if row is not None:
            trigger = plan[0]
            assert isinstance(trigger, _Join)
            begin = list(self._joined({}, trigger, [row]))
            steps = plan[1:]
        elif plan and not isinstance(plan[0], _Test):
            # Instances are made in portions.
            for env in self._step({}, plan[0]):
                self._derived(part, self._all([env], plan[1:]))
            return
        self._derived(part, self._all(begin, steps))

    def _derived(self, part: _RulePart, envs: Iterable[Env]) -> None:
        variables = [arg for arg in part.args if isinstance(arg, Var)]
        simple = len(variables) == len(part.args)
        for env in envs:
            args = [env[var] for var in variables] if simple else [self._value(arg, env) for arg in part.args]
            found = part.head, tuple(args)
            if found not in self._queued:
                self._queued.add(found)
                self._queue.append((*found, self._needed(part, env) if self._known.traced else frozenset()))

    def _needed(self, part: _RulePart, env: Env) -> Needed:
        """The rows of the group that an instance of a rule needs, and those that they need."""
        if part.is_evaluated:
            # Whichever the condition needs: they are there.
            rows = [(symbol, row) for symbol in self._group for row in self._known.relation(symbol).rows]
            return frozenset(rows)
        found: Needed = frozenset()
        for symbol, args in part.atoms:
            if symbol in self._group:
                row = tuple([self._value(arg, env) for arg in args])
                found = found.union(((symbol, row),), self._known.relation(symbol).rows[row])
        return found

    def _all(self, envs: list[Env], steps: _Plan) -> list[Env]:
        for step in steps:
            envs = [after for env in envs for after in self._step(env, step)]
        return envs

    def _step(self, env: Env, step: _Step) -> Iterable[Env]:
        match step:
            case _Test():
                return [env] if self._evaluator.value(step.condition, env) else []
            case Var():
                return [{**env, step: value} for value in self._known.domain(step.sort)]
            case _Join():
                key = tuple([self._value(step.args[at], env) for at in step.places])
                return self._joined(env, step, self._known.relation(step.symbol).matching(step.places, key))

    def _joined(self, env: Env, step: _Join, rows: Iterable[Row]) -> Iterator[Env]:
        """The environment with the values of each row that fits, of rows that have those at `places`."""
        for at, node in step.constants:
            wanted = self._known.value(node)
            rows = [row for row in rows if row[at] == wanted]
        for at, other in step.repeated:
            rows = [row for row in rows if row[at] == row[other]]
        for row in rows:
            after = env.copy()
            for at, var in step.bound:
                after[var] = row[at]
            yield after

    def _value(self, node: Node, env: Mapping[Var, object]) -> object:
        if isinstance(node, Var):
            return env[node]
        if isinstance(node, Sym | Lit):
            return self._known.value(node)
        return self._evaluator.value(node, env)


# --- plans -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Test:
    """A condition whose variables have values."""

    condition: Node


@dataclass(frozen=True, slots=True)
class _Join:
    """An atom whose rows are looked up by the values at `places`.

    Each other place binds a variable, repeats one that is bound at an earlier place, or has a constant.
    """

    symbol: Symbol
    args: tuple[Node, ...]
    places: tuple[int, ...]
    bound: tuple[tuple[int, Var], ...]
    repeated: tuple[tuple[int, int], ...]
    constants: tuple[tuple[int, Node], ...]

    @classmethod
    def of(cls, symbol: Symbol, args: tuple[Node, ...], places: tuple[int, ...]) -> _Join:
        """The join with an atom."""
        others = [(at, arg) for at, arg in enumerate(args) if at not in places]
        first: dict[Var, int] = {}
        repeated = []
        for at, arg in others:
            if isinstance(arg, Var) and first.setdefault(arg, at) != at:
                repeated.append((at, first[arg]))
        bound = tuple([(at, var) for var, at in first.items()])
        constants = tuple([(at, arg) for at, arg in others if not isinstance(arg, Var)])
        return cls(symbol, args, places, bound, tuple(repeated), constants)


_Step = _Test | _Join | Var
"""A condition, an atom, or a variable that has each value."""
_Plan = Sequence[_Step]


def _parts(head: Symbol, rule: DefiningRule) -> list[_RulePart]:
    """The rule split at its disjunctions; `exists` in front of a condition gives it variables."""
    found: list[_RulePart] = []
    work: list[tuple[tuple[Var, ...], list[Node], list[Node]]] = [
        (rule.variables, list(reversed(rule.conditions)), [])
    ]
    while work:
        variables, todo, done = work.pop()
        while todo:
            node = todo.pop()
            if isinstance(node, App) and node.op is op.AND:
                todo += reversed(node.args)
            elif isinstance(node, App) and node.op is op.OR and len(work) + len(found) < _MOST_PARTS:
                work += [(variables, [*todo, arg], list(done)) for arg in reversed(node.args)]
                break
            elif isinstance(node, Quant) and node.kind == "exists" and variables == rule.variables:
                # One alone: together they would have more instances than one after the other.
                variables += node.binders
                todo.append(node.body)
            else:
                done.append(node)
        else:
            found.append(_part(_RulePart(head, rule.args, variables, [], []), done))
    return found


def _part(part: _RulePart, conditions: Iterable[Node]) -> _RulePart:
    """The part with conditions, of which some are atoms to be joined."""
    for node in conditions:
        if isinstance(node, App) and isinstance(node.op, Symbol) and _are_simple(node.args):
            part.atoms.append((node.op, node.args))
        elif isinstance(node, Sym) and node.sort is BOOL:
            part.atoms.append((node.symbol, ()))
        else:
            part.tests.append(node)
    return part


def _are_simple(args: Iterable[Node]) -> bool:
    return all(isinstance(arg, Var | Sym | Lit) for arg in args)


def _plan(part: _RulePart, first: int | None) -> _Plan:
    """The steps of a join: conditions as soon as they can be evaluated, atoms with most known first."""
    steps: list[_Step] = []
    bound: set[Var] = set()
    atoms = list(part.atoms)
    tests = [(test, frozenset(free_variables(test))) for test in part.tests]
    if first is not None:
        symbol, args = atoms.pop(first)
        steps.append(_Join.of(symbol, args, ()))
        bound.update(arg for arg in args if isinstance(arg, Var))

    def is_bound(arg: Node) -> bool:
        return not isinstance(arg, Var) or arg in bound

    while True:
        steps += [_Test(test) for test, free in tests if free <= bound]
        tests = [pair for pair in tests if not pair[1] <= bound]
        if not atoms:
            break
        # The first of those with the fewest variables that have no value yet.
        at = min(range(len(atoms)), key=lambda at: sum(not is_bound(arg) for arg in atoms[at][1]))
        symbol, args = atoms.pop(at)
        steps.append(_Join.of(symbol, args, tuple([at for at, arg in enumerate(args) if is_bound(arg)])))
        bound.update(arg for arg in args if isinstance(arg, Var))
    wanted = frozenset(free_variables(*part.args)).union(*(free for _, free in tests))
    for var in part.variables:
        if var in wanted and var not in bound:
            steps.append(var)
            bound.add(var)
            steps += [_Test(test) for test, free in tests if free <= bound]
            tests = [pair for pair in tests if not pair[1] <= bound]
    return steps
