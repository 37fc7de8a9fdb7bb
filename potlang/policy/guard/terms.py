"""Terms and formulas of a policy as Python functions of a session's facts.

A frame is a list: the facts, then a value for each variable. Connectives are Kleene's, as in the evaluator: a
part without a value matters only if the others do not decide. Events are their positions, members of declared
sorts are `Element`s, other values those of `potlang.ir.values`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.module import Definition, Module
from potlang.ir.nodes import (
    App,
    Lit,
    Node,
    Quant,
    Sym,
    Symbol,
    SymbolKind,
    Var,
    children,
    free_variables,
    reachable,
)
from potlang.ir.operators import Operator
from potlang.ir.ranges import NumberRanges, range_by
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    ArraySort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.ir.substitute import substitute
from potlang.ir.values import Element, Record
from potlang.policy.guard.kleene import (
    FOLDS,
    CompiledTerm,
    Frame,
    Reads,
    after,
    any_of,
    assigned_at,
    cell_at,
    constant,
    differ,
    each_value,
    operated,
    same,
    strict,
    together,
    tuple_of,
    value_at,
)
from potlang.policy.guard.limits import COMPARISONS, by_limits
from potlang.policy.guard.parametric import ParametricRule, way_of
from potlang.policy.guard.roles import RoleSymbols
from potlang.policy.guard.sample_points import SamplePoints, dependence_on
from potlang.policy.guard.session_facts import NO_VALUE, SessionFacts
from potlang.sema.kept_aggregates import KeptAggregate
from potlang.sema.known import DefiningRule

MOST_LEVELS: Final = 100
"""Deeper formulas are not compiled: what is made of them calls itself as deep as they are."""
_TABLES: Final = (ArraySort, SetSort, FunctionSort)

_MOST_VALUED: Final = 10_000


class FramePlaces:
    """Places in a frame for the variables of one formula; `size` is that of the frame."""

    def __init__(self, variables: Iterable[Var] = ()) -> None:
        self.places: dict[Var, int] = {}
        self.size = 1
        for var in variables:
            self.add(var)

    def add(self, var: Var) -> int:
        """The place of a variable."""
        place = self.places[var] = self.size
        self.size += 1
        return place


class EventRange(NamedTuple):
    """The events that a variable has to be tried with; `settled`: only those before one that is given."""

    listed: Callable[[Frame], Sequence[object]]
    settled: bool
    complete: bool = True


class TriedValues(NamedTuple):
    """The values that a quantifier tries; `NO_VALUE` among them stands for all others."""

    listed: Callable[[Frame], Sequence[object]]
    settled: bool
    reads: Reads | None


_NOTHING: Final = CompiledTerm(lambda frame: NO_VALUE, reads=None)


class TermCompiler:
    """Compiles the terms of one module."""

    def __init__(
        self,
        module: Module,
        roles: RoleSymbols,
        aggregates: Mapping[Symbol, KeptAggregate],
        closed: Mapping[Symbol, Sequence[DefiningRule]],
        recursive: frozenset[Symbol],
    ) -> None:
        self.module = module
        self.roles = roles
        self.closed = closed
        self._aggregates = aggregates
        self._recursive = recursive
        self._definitions = {each.symbol: each for each in module.definitions}
        self._ranges = NumberRanges(self._definitions)
        self._partly_tried: dict[Node, Sort] = {}
        """Quantifiers over numbers of which those that are tried may not be all that matter."""
        self.numbers: dict[Symbol, int] = {}
        """The numbers of functions, which are those of their tables."""
        self._members: dict[Sort, list[Element]] = {}
        self._elements: dict[Symbol, Element] = {}
        for symbol in module.symbols:
            self.numbers[symbol] = len(self.numbers)
            sort = symbol.range
            if symbol.kind is not SymbolKind.CONSTANT or symbol.domain or sort == roles.sort:
                continue
            if isinstance(sort, DeclaredSort):
                listed = self._members.setdefault(sort, [])
                listed.append(Element(sort.name, len(listed)))
                self._elements[symbol] = listed[-1]
        self._calls: dict[Symbol, CompiledTerm] = {}
        self.ways: dict[Symbol, list[ParametricRule]] = {}
        """The rules of closed predicates as formulas over parameters."""
        self._valued: dict[int, tuple[CompiledTerm, FramePlaces]] = {}

    # --- what terms are ---

    def is_open(self, symbol: Symbol) -> bool:
        """Whether a predicate is neither closed nor defined: it may be true, false or unknown."""
        return (
            symbol.range is BOOL
            and symbol.kind in (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE)
            and symbol not in self.closed
            and symbol not in self._definitions
        )

    def open_predicate(self, node: Node) -> Symbol | None:
        """The open predicate that a node applies; None for any other node."""
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        return symbol if isinstance(symbol, Symbol) and self.is_open(symbol) else None

    def definition(self, symbol: Symbol) -> Definition | None:
        """The definition of a function that has a body."""
        return self._definitions.get(symbol)

    def element(self, symbol: Symbol) -> Element | None:
        """The member of a declared sort that a constant is."""
        return self._elements.get(symbol)

    def members(self, sort: Sort) -> Sequence[object]:
        """The named members of a declared sort."""
        return self._members.get(sort, ())

    def value(self, node: Node, facts: SessionFacts, values: Mapping[Var, object]) -> object:
        """The value of a node, of which the free variables have values."""
        found = self._valued.get(node.id)
        if found is None:
            if len(self._valued) >= _MOST_VALUED:
                self._valued.clear()
            scope = FramePlaces(free_variables(node))
            found = self._valued[node.id] = self.term(node, scope), scope
        term, scope = found
        return term.compute(_frame(scope, facts, values))

    def tried(self, quant: Quant, facts: SessionFacts, values: Mapping[Var, object]) -> Sequence[object]:
        """The values that are tried for the first variable that a quantifier binds."""
        scope = FramePlaces((*free_variables(quant), quant.binders[0]))
        listed = self._tried(quant, list(quant.binders), scope).listed
        return listed(_frame(scope, facts, values))

    # --- terms ---

    def term(self, node: Node, scope: FramePlaces) -> CompiledTerm:
        """The node as a function of frames with the places of `scope`."""
        if _levels(node) > MOST_LEVELS:
            return _NOTHING
        return self._term(node, scope)

    def _term(self, node: Node, scope: FramePlaces) -> CompiledTerm:
        # Recursion is as deep as the node, which `term` has bounded.
        if isinstance(node.sort, _TABLES):
            return _NOTHING
        match node:
            case Lit():
                return constant(value_of(node))
            case Var():
                place = scope.places[node]
                return CompiledTerm(lambda frame: frame[place])
            case Sym():
                return self._constant_symbol(node.symbol)
            case Quant():
                return self._quantifier(node, list(node.binders), scope)
            case App(op=Symbol() as symbol):
                return self._application(symbol, node.args, scope)
            case App():
                assert isinstance(node.op, Operator)
                return self._operation(node.op, node, scope)

    def _constant_symbol(self, symbol: Symbol) -> CompiledTerm:
        if symbol is self.roles.event:
            # The event that is decided: another one at the next check.
            return CompiledTerm(lambda frame: frame[0].count - 1, settled=False, reads=None)
        element = self._elements.get(symbol)
        if element is not None:
            return constant(element)
        if symbol.kind is SymbolKind.CONSTRUCTOR:
            return constant(Record(str(symbol.range), ()))
        return self._application(symbol, (), FramePlaces())

    def _application(self, symbol: Symbol, args: Sequence[Node], scope: FramePlaces) -> CompiledTerm:
        if symbol is self.roles.turn:
            return after(self._term(args[0], scope), lambda event: event + 1)
        parts = [self._term(arg, scope) for arg in args]
        if symbol.kind is SymbolKind.CONSTRUCTOR:
            name = str(symbol.range)
            return strict(parts, lambda *values: Record(name, values))
        if symbol.kind is SymbolKind.SELECTOR and isinstance(symbol.domain[0], TupleSort):
            at = [name for name, _ in symbol.domain[0].fields].index(symbol.name)
            return after(parts[0], lambda record: record.fields[at])
        if symbol in self._aggregates or symbol in self._definitions or symbol in self.closed:
            return self._call(symbol, parts)
        return self._look_up(symbol, args, parts, scope)

    def _look_up(
        self, symbol: Symbol, args: Sequence[Node], parts: list[CompiledTerm], scope: FramePlaces
    ) -> CompiledTerm:
        number = self.numbers[symbol]
        assigned = self.is_open(symbol)
        if len(args) == 1:
            (key,) = (part.compute for part in parts)
        else:
            key = tuple_of(parts)
        compute = assigned_at(number, key) if assigned else value_at(number, key)
        places = [scope.places.get(arg) if isinstance(arg, Var) else None for arg in args]
        reads: Reads | None = None
        if len(places) == 1 and places[0] is not None and not assigned:
            reads = frozenset(((number, places[0]),))
        # The value of an argument that is an event may be a later one.
        settled = all(part.settled for part in parts) and all(
            isinstance(arg, Var) or arg.sort != self.roles.sort for arg in args
        )
        return CompiledTerm(compute, settled, reads, None if assigned else cell_at(number, key))

    # --- calls ---

    def _call(self, symbol: Symbol, parts: list[CompiledTerm]) -> CompiledTerm:
        """A closed predicate, a defined function or an aggregate at arguments, each computed once a check."""
        if symbol in self._recursive:
            return _NOTHING
        body = self._calls.get(symbol)
        if body is None:
            body = self._calls[symbol] = self._body(symbol)
        key, name, compute = tuple_of(parts), symbol, body.compute

        def call(frame: Frame) -> object:
            facts = frame[0]
            args: Any = key(frame)
            if args is NO_VALUE:
                return NO_VALUE
            found = facts.memo.get((name, args))
            if found is None:
                found = facts.memo[name, args] = compute([facts, *args])
            return found

        settled, reads = together(parts)
        # What a body reads is not read at the variables of who calls it.
        return CompiledTerm(call, body.settled and settled, reads if body.reads == frozenset() else None)

    def _body(self, symbol: Symbol) -> CompiledTerm:
        """The value at the arguments that a frame holds behind the facts."""
        aggregate = self._aggregates.get(symbol)
        if aggregate is not None:
            return self._aggregate(aggregate)
        definition = self._definitions.get(symbol)
        if definition is not None:
            scope = FramePlaces(definition.params)
            return _in_frame(self.term(definition.body, scope), scope)
        self.ways[symbol] = [way_of(self.module, symbol, rule) for rule in self.closed[symbol]]
        return self._closed_body(symbol, [self._way(way) for way in self.ways[symbol]])

    def _closed_body(self, symbol: Symbol, ways: list[CompiledTerm]) -> CompiledTerm:
        number = self.numbers[symbol]
        single = len(symbol.domain) == 1
        computes = [way.compute for way in ways]

        def body(frame: Frame) -> object:
            if frame[0].tables[number].get(frame[1] if single else tuple(frame[1:])) is True:
                return True
            return any_of(computes, frame)

        return CompiledTerm(body, all(way.settled for way in ways), None)

    def _way(self, way: ParametricRule) -> CompiledTerm:
        """Whether one rule makes a closed predicate true at the arguments that a frame holds."""
        scope = FramePlaces(way.params)
        return _in_frame(self.term(way.formula, scope), scope)

    # --- quantifiers and aggregates ---

    def _quantifier(self, quant: Quant, binders: list[Var], scope: FramePlaces) -> CompiledTerm:
        decisive = quant.kind == "exists"
        var, *rest = binders
        places = {**scope.places}
        place = scope.add(var)
        tried = self._tried(quant, binders, scope)
        body = self._quantifier(quant, rest, scope) if rest else self._term(quant.body, scope)
        scope.places = places
        listed, inner = tried.listed, body.compute

        def compute(frame: Frame) -> object:
            found = listed(frame)
            frame[0].spend(len(found))
            known = True
            for value in found:
                frame[place] = value
                one = inner(frame)
                if one is decisive:
                    return decisive
                if one is NO_VALUE:
                    known = False
            return not decisive if known else NO_VALUE

        settled, reads = together((CompiledTerm(inner, tried.settled, tried.reads), body))
        if reads is not None and any(at == place for _, at in reads):
            reads = None
        return CompiledTerm(compute, settled, reads)

    def _tried(self, quant: Quant, binders: list[Var], scope: FramePlaces) -> TriedValues:
        """The values to try for the first of the binders: with no value counts what holds of all others."""
        var = binders[0]
        if var.sort in (INT, REAL):
            return self._numbers(quant, binders, scope)
        values = self.values(var, needed(quant.body, wanted=quant.kind == "exists"), scope)
        if values is None:
            return TriedValues(lambda frame: (NO_VALUE,), True, None)
        listed = values.listed
        if values.complete:
            return TriedValues(listed, values.settled, None)
        return TriedValues(lambda frame: (*listed(frame), NO_VALUE), values.settled, None)

    def _numbers(self, quant: Quant, binders: list[Var], scope: FramePlaces) -> TriedValues:
        """The numbers to try for the first of the binders: those of its range, or one of each cell."""
        var, place = binders[0], scope.places[binders[0]]
        found = dependence_on(var, quant.body, binders[1:], self._is_table)
        sides = [(self._term(one, scope), self._term(other, scope)) for one, other in found.comparisons]
        limits = [
            limit
            for limit in self._ranges.limits(quant).get(var, ())
            if set(binders).isdisjoint(free_variables(limit.term))
        ]
        bounds = {limit.term: self._term(limit.term, scope) for limit in limits}
        if not found.complete and {limit.is_least for limit in limits} != {True, False}:
            self._partly_tried[quant] = var.sort
        points = SamplePoints(
            place,
            var.sort is INT,
            tuple((one.compute, other.compute) for one, other in sides),
            tuple((self.numbers[of], at if len(of.domain) > 1 else None) for of, at in found.arguments),
        )

        def listed(frame: Frame) -> Sequence[object]:
            least = points.at(frame)
            within = range_by(limits, lambda term: bounds[term].compute(frame)) if limits else None
            if within is not None and (len(within) < len(least) or not found.complete):
                return within
            return least if found.complete else (*least, NO_VALUE)

        settled, reads = together([*chain(*sides), *bounds.values()])
        return TriedValues(listed, settled, None if reads is None else _without(reads, place))

    def untried(self, root: Node) -> str:
        """Why not all numbers that matter are tried for a formula; empty where they are."""
        found = [self._partly_tried[each] for each in reachable(root) if each in self._partly_tried]
        return f"a variable of the sort {found[0]}" if found else ""

    def _is_table(self, symbol: Symbol) -> bool:
        """Whether all that is known of the values of a function is in its table."""
        kinds = (SymbolKind.FUNCTION, SymbolKind.FREE)
        return (
            symbol.kind in kinds
            and symbol is not self.roles.turn
            and symbol not in self._definitions
            and symbol not in self._aggregates
            and not self.closed.get(symbol)
        )

    def values(self, var: Var, conditions: Sequence[Node], scope: FramePlaces) -> EventRange | None:
        """The values to try a variable with, if it matters only where `conditions` hold; None: no end."""
        if var.sort == self.roles.sort:
            return self._events(var, conditions, scope)
        if var.sort is BOOL:
            return EventRange(lambda frame: (False, True), True)
        if isinstance(var.sort, EnumSort):
            named = var.sort.values
            return EventRange(lambda frame: named, True)
        members = self._members.get(var.sort)
        if members is None:
            return None
        return EventRange(lambda frame: members, True, var.sort in self.module.closed)

    def _events(self, var: Var, conditions: Sequence[Node], scope: FramePlaces) -> EventRange:
        tools: list[object] = []
        bounds: list[tuple[Var, int]] = []
        for each in conditions:
            tools += self._tool_of(each, var)
            bounds += self._bound_of(each, var)
        stops = [(scope.places[bound], extra) for bound, extra in bounds if bound in scope.places]
        if not tools and not stops:
            return EventRange(lambda frame: range(frame[0].count), False)

        def listed(frame: Frame) -> Sequence[object]:
            facts = frame[0]
            stop = min([frame[place] + extra for place, extra in stops], default=facts.count)
            if not tools:
                return range(stop)
            found: list[int] = facts.by_tool.get(tools[0], [])
            return found if stop >= facts.count else found[: bisect_left(found, stop)]

        return EventRange(listed, bool(stops))

    def _tool_of(self, condition: Node, var: Var) -> Iterable[object]:
        """The tool that a condition says the event `var` has."""
        if isinstance(condition, App) and condition.op is op.EQ:
            for one, other in (condition.args, condition.args[::-1]):
                is_tool = isinstance(one, App) and one.op is self.roles.tool and one.args == (var,)
                if is_tool and isinstance(other, Lit):
                    yield value_of(other)

    def _bound_of(self, condition: Node, var: Var) -> Iterable[tuple[Var, int]]:
        """The event before which a condition says that `var` is, and 1 if it may be this one itself."""
        if not isinstance(condition, App):
            return
        if condition.op in (op.LT, op.LE):
            first, second = map(self._turn_of, condition.args)
            if first is var and isinstance(second, Var) and second is not var:
                yield second, int(condition.op is op.LE)
        elif isinstance(condition.op, Symbol):
            definition = self._definitions.get(condition.op)
            if definition is not None and condition.op.range is BOOL and var in condition.args:
                replaced: dict[Node, Node] = dict(zip(definition.params, condition.args, strict=True))
                for part in needed(definition.body, wanted=True):
                    if isinstance(part, App) and part.op in (op.LT, op.LE):
                        yield from self._bound_of(substitute(self.module.pool, part, replaced), var)

    def _turn_of(self, node: Node) -> Node | None:
        return node.args[0] if isinstance(node, App) and node.op is self.roles.turn else None

    def folded(self, node: Node) -> Node | None:
        """The term that an aggregate folds, for the aggregate's arguments; None of all else."""
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        aggregate = self._aggregates.get(symbol) if isinstance(symbol, Symbol) else None
        if aggregate is None:
            return None
        definition = self._definitions[aggregate.term]
        free: dict[Node, Node] = dict(zip(definition.params, children(node), strict=False))
        return substitute(self.module.pool, definition.body, free)

    def _aggregate(self, aggregate: KeptAggregate) -> CompiledTerm:
        """The fold of a term for the values of the variables that it binds; a frame holds the others."""
        definition = self._definitions[aggregate.term]
        scope = FramePlaces(definition.params)
        bound = definition.params[-len(aggregate.over) :]
        free = len(definition.params) - len(bound)
        conditions = _counting(definition.body, aggregate.fold)
        ranges = []
        for at, var in enumerate(bound, free + 1):
            values = self.values(var, conditions, scope)
            if values is None or not values.complete:
                return _NOTHING
            ranges.append((at, values))
        term = self.term(definition.body, scope)
        fold, compute, levels = (
            FOLDS[aggregate.fold],
            term.compute,
            [(at, each.listed) for at, each in ranges],
        )
        padding = [None] * (scope.size - 1 - free)
        real = aggregate.term.range

        def folded(frame: Frame) -> object:
            return fold(each_value(compute, [*frame, *padding], levels, 0), real)

        return CompiledTerm(folded, term.settled and all(each.settled for _, each in ranges), None)

    # --- operators ---

    def _operation(self, row: Operator, node: App, scope: FramePlaces) -> CompiledTerm:
        parts = [self._term(arg, scope) for arg in node.args]
        computes = [part.compute for part in parts]
        if row in (op.EQ, op.DISTINCT) and not self._tells_apart(node.args[0].sort):
            return strict(parts, same if row is op.EQ else differ)
        plain = CompiledTerm(operated(row, computes), *together(parts))
        if row in COMPARISONS and node.args[0].sort in (INT, REAL):
            return by_limits(row, (parts[0], parts[1]), plain)
        return plain

    def _tells_apart(self, sort: Sort) -> bool:
        """Whether different values of a sort are certainly different things."""
        return not isinstance(sort, DeclaredSort) or sort in self.module.unique or sort == self.roles.sort


# --- parts -----------------------------------------------------------------------------------------------


def needed(formula: Node, *, wanted: bool) -> list[Node]:
    """Formulas that have to be true for `formula` to be `wanted`."""
    found: list[Node] = []
    stack: list[tuple[Node, bool]] = [(formula, wanted)]
    while stack:
        node, sign = stack.pop()
        if not isinstance(node, App):
            continue
        if node.op is op.NOT:
            stack.append((node.args[0], not sign))
        elif (node.op is op.AND and sign) or (node.op is op.OR and not sign):
            stack += [(arg, sign) for arg in node.args]
        elif node.op is op.IMPLIES and not sign:
            stack += [(node.args[0], True), (node.args[1], False)]
        elif sign:
            found.append(node)
    return found


def _frame(scope: FramePlaces, facts: SessionFacts, values: Mapping[Var, object]) -> Frame:
    frame: Frame = [None] * scope.size
    frame[0] = facts
    for var, place in scope.places.items():
        # Variables that quantifiers inside bind have places too.
        frame[place] = values.get(var)
    return frame


def _without(reads: Reads, place: int) -> Reads:
    return frozenset(each for each in reads if each[1] != place)


def _levels(root: Node) -> int:
    levels: dict[int, int] = {}
    for node in reachable(root):
        levels[node.id] = 1 + max((levels[child.id] for child in children(node)), default=0)
    return levels[root.id]


def _in_frame(term: CompiledTerm, scope: FramePlaces) -> CompiledTerm:
    """The term for frames that hold parameters alone."""
    compute, size = term.compute, scope.size

    def padded(frame: Frame) -> object:
        frame += [None] * (size - len(frame))
        return compute(frame)

    return term._replace(compute=padded, cell=None)


def _counting(term: Node, fold: str) -> list[Node]:
    """Formulas without which a term adds nothing."""
    if fold == "Count":
        return needed(term, wanted=True)
    if fold == "Sum" and isinstance(term, App) and term.op is op.ITE:
        nothing = term.args[2]
        if isinstance(nothing, Lit) and nothing.value == 0:
            return needed(term.args[0], wanted=True)
    return []
