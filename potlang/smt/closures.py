"""Small bodies of functions in models as nested closures: to be computed at many arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, Var
from potlang.ir.sorts import ArraySort, TupleSort
from potlang.ir.structure import FunctionTable

_DEEPEST = 40
_MOST_NODES = 500

Args = tuple[object, ...]
Closure = Callable[[Args], object]


def closure(
    body: Node,
    params: tuple[Var, ...],
    tables: Mapping[Symbol, FunctionTable],
    meanings: Mapping[Symbol, object],
) -> Closure | None:
    """A function from the parameters' values to the body's; None where it would take an evaluator.

    Connectives, choices and equations of simple sorts over parameters, literals and tables are taken,
    as long as they are not nested deep.
    """
    return _Builder(params, tables, meanings).build(body, _DEEPEST)


class _Builder:
    def __init__(
        self,
        params: tuple[Var, ...],
        tables: Mapping[Symbol, FunctionTable],
        meanings: Mapping[Symbol, object],
    ) -> None:
        self.places: dict[Node, int] = {param: place for place, param in enumerate(params)}
        self.tables = tables
        self.meanings = meanings
        self.left = _MOST_NODES

    def build(self, node: Node, depth: int) -> Closure | None:
        """The closure of one node. The calls nest as deep as `depth` says."""
        self.left -= 1
        if self.left < 0 or not depth or isinstance(node.sort, ArraySort | TupleSort):
            return None
        match node:
            case Lit():
                return _constant(value_of(node))
            case Var() if node in self.places:
                return _argument(self.places[node])
            case Sym() if node.symbol in self.meanings:
                return _constant(self.meanings[node.symbol])
            case App():
                parts = [self.build(arg, depth - 1) for arg in node.args]
                known = [part for part in parts if part is not None]
                return self._applied(node, known) if len(known) == len(parts) else None
            case _:
                return None

    def _applied(self, node: App, parts: list[Closure]) -> Closure | None:
        if isinstance(node.op, Symbol):
            table = self.tables.get(node.op)
            return None if table is None else _lookup(table, parts)
        if node.op is op.AND:
            return lambda args: all(part(args) for part in parts)
        if node.op is op.OR:
            return lambda args: any(part(args) for part in parts)
        if node.op is op.NOT:
            (inner,) = parts
            return lambda args: not inner(args)
        if node.op in (op.EQ, op.IFF):
            first, second = parts
            return lambda args: first(args) == second(args)
        if node.op is op.ITE:
            condition, then, otherwise = parts
            return lambda args: then(args) if condition(args) else otherwise(args)
        return None


def _constant(value: object) -> Closure:
    return lambda _: value


def _argument(place: int) -> Closure:
    return lambda args: args[place]


def _lookup(table: FunctionTable, parts: list[Closure]) -> Closure:
    return lambda args: table(*[part(args) for part in parts])
