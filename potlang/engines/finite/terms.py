"""Terms and formulas as functions of an assignment of values to cells.

A cell is a ground term whose value is unknown: a constant, or a function at given arguments. Quantifiers
over finite sorts are written out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var, reachable
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, REAL, BitVecSort, EnumSort, Sort

Values = list[object]
"""The value of each cell, by number."""
Compute = Callable[[Values], object]
Env = Mapping[Var, object]

MOST_LEVELS = 100
"""Deeper formulas are left to others: what is made of them calls itself as deep as they are."""
_UNKNOWN = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)
_MOST_BITS = 1 << 10


class NotFinite(Exception):
    """The program is none of those that are searched, or too large for it; the text says why."""


class Term:
    """A part of a formula: a `value` where `compute` is None, else what computes it and what that reads.

    `cell` is the number of the cell that the term is, or -1.
    """

    __slots__ = ("cell", "cells", "compute", "value")

    def __init__(
        self, compute: Compute | None, cells: frozenset[int], value: object = None, cell: int = -1
    ) -> None:
        self.compute = compute
        self.cells = cells
        self.value = value
        self.cell = cell

    @property
    def function(self) -> Compute:
        """The term as a function, also where it is a value."""
        if self.compute is not None:
            return self.compute
        value = self.value
        return lambda _: value


NOTHING: frozenset[int] = frozenset()
TRUE = Term(None, NOTHING, True)
FALSE = Term(None, NOTHING, False)


class Cells(Protocol):
    """Numbers for ground terms."""

    def cell(self, symbol: Symbol, args: tuple[object, ...]) -> int:
        """The number of `symbol` at `args`. Raises `NotFinite`."""


def members(sort: Sort) -> Sequence[object]:
    """The members of a finite sort, in order. Raises `NotFinite` for others."""
    if sort is BOOL:
        return (False, True)
    if isinstance(sort, EnumSort):
        return sort.values
    raise NotFinite(f"a variable or an argument of sort {sort}")


def is_known(sort: Sort) -> bool:
    """Whether values of the sort are computed here."""
    return sort in (BOOL, INT, REAL) or isinstance(sort, EnumSort | BitVecSort)


def check_depth(formula: Node) -> None:
    """Raises `NotFinite` where a formula is too deep, or has parts of sorts that are not computed."""
    levels: dict[int, int] = {}
    for node in reachable(formula):
        if not is_known(node.sort):
            raise NotFinite(f"a term of sort {node.sort}")
        below = node.args if isinstance(node, App) else (node.body,) if isinstance(node, Quant) else ()
        levels[node.id] = 1 + max((levels[each.id] for each in below), default=0)
    if levels[formula.id] > MOST_LEVELS:
        raise NotFinite("a formula that is nested too deep")


class Compiler:
    """Makes terms; `most` parts in all, quantifiers written out, before `NotFinite`."""

    def __init__(self, cells: Cells, most: int) -> None:
        self._cells = cells
        self._left = most

    def bindings(self, quant: Quant, env: Env) -> list[Env]:
        """The values of the binders, one environment for each combination."""
        ranges = [members(var.sort) for var in quant.binders]
        found: list[Env] = []
        for values in itertools.product(*ranges):
            self._spend()
            found.append({**env, **dict(zip(quant.binders, values, strict=True))})
        return found

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise NotFinite("too many instances")

    def term(self, node: Node, env: Env) -> Term:
        """A node as a term. It has at most `MOST_LEVELS` levels (`check_depth`), and so has this call."""
        self._spend()
        match node:
            case Lit():
                return Term(None, NOTHING, value_of(node))
            case Var():
                return Term(None, NOTHING, env[node])
            case Sym():
                return self._cell(node.symbol, ())
            case Quant():
                parts = [self.term(node.body, each) for each in self.bindings(node, env)]
                return conjunction(parts) if node.kind == "forall" else disjunction(parts)
            case App(op=Symbol() as symbol):
                return self._application(symbol, [self.term(arg, env) for arg in node.args])
            case App():
                assert isinstance(node.op, Operator)
                return self._operation(node.op, [self.term(arg, env) for arg in node.args])

    def _cell(self, symbol: Symbol, args: tuple[object, ...]) -> Term:
        if symbol.kind not in _UNKNOWN:
            raise NotFinite(f"{symbol.name} is defined")
        number = self._cells.cell(symbol, args)
        return Term(lambda values: values[number], frozenset((number,)), cell=number)

    def _application(self, symbol: Symbol, args: list[Term]) -> Term:
        if all(arg.compute is None for arg in args):
            return self._cell(symbol, tuple(arg.value for arg in args))
        choices = [(arg.value,) if arg.compute is None else members(sort) for arg, sort in _at(symbol, args)]
        numbers: dict[tuple[object, ...], int] = {}
        for values in itertools.product(*choices):
            self._spend()
            numbers[values] = self._cell(symbol, values).cell
        functions = [arg.function for arg in args]
        cells = frozenset(numbers.values()).union(*(arg.cells for arg in args))
        if len(functions) == 1:
            (only,) = functions
            return Term(lambda values: values[numbers[only(values),]], cells)
        return Term(lambda values: values[numbers[tuple([f(values) for f in functions])]], cells)

    def _operation(self, row: Operator, args: list[Term]) -> Term:
        match row:
            case op.AND:
                return conjunction(args)
            case op.OR:
                return disjunction(args)
            case op.NOT:
                return negation(args[0])
            case op.IMPLIES:
                return disjunction([negation(args[0]), args[1]])
        cells = NOTHING.union(*(arg.cells for arg in args))
        evaluate = row.evaluate
        if not cells:
            return Term(None, NOTHING, _within(evaluate(*[arg.value for arg in args])))
        if row in (op.EQ, op.IFF):
            return _equality(args, cells)
        if row in (op.LT, op.LE):
            return _order(row is op.LT, args, cells)
        functions = tuple(arg.function for arg in args)
        if len(functions) == 2:
            first, second = functions
            return Term(lambda values: evaluate(first(values), second(values)), cells)
        return Term(lambda values: evaluate(*[each(values) for each in functions]), cells)


def _at(symbol: Symbol, args: list[Term]) -> list[tuple[Term, Sort]]:
    return list(zip(args, symbol.domain, strict=True))


def _within(value: object) -> object:
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise NotFinite("a number that is too large")
    return value


def _equality(args: list[Term], cells: frozenset[int]) -> Term:
    first, second = args
    if first.compute is None:
        first, second = second, first
    one = first.function
    if second.compute is None:
        value = second.value
        return Term(lambda values: one(values) == value, cells)
    other = second.function
    return Term(lambda values: one(values) == other(values), cells)


def _order(strict: bool, args: list[Term], cells: frozenset[int]) -> Term:
    first, second = (arg.function for arg in args)
    if strict:
        return Term(lambda values: first(values) < second(values), cells)  # type: ignore[operator]
    return Term(lambda values: first(values) <= second(values), cells)  # type: ignore[operator]


def negation(arg: Term) -> Term:
    """Not `arg`."""
    if arg.compute is None:
        return FALSE if arg.value else TRUE
    compute = arg.compute
    return Term(lambda values: not compute(values), arg.cells)


def conjunction(args: Sequence[Term]) -> Term:
    """That all of `args` hold."""
    return _junction(args, decides=False)


def disjunction(args: Sequence[Term]) -> Term:
    """That one of `args` holds."""
    return _junction(args, decides=True)


def _junction(args: Sequence[Term], decides: bool) -> Term:
    open_: list[Term] = []
    for arg in args:
        if arg.compute is not None:
            open_.append(arg)
        elif arg.value is decides:
            return TRUE if decides else FALSE
    if not open_:
        return FALSE if decides else TRUE
    if len(open_) == 1:
        return open_[0]
    parts = tuple(arg.function for arg in open_)
    cells = NOTHING.union(*(arg.cells for arg in open_))
    if len(parts) == 2:
        first, second = parts
        if decides:
            return Term(lambda values: first(values) or second(values), cells)
        return Term(lambda values: first(values) and second(values), cells)

    def junction(values: Values) -> object:
        for part in parts:
            if part(values) is decides:
                return decides
        return not decides

    return Term(junction, cells)
