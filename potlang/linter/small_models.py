"""Formulas over a small universe: quantifiers written out, so that a solver finds a model at once.

The universe of a declared sort is its constants and a few more. A formula that is satisfiable when its
quantifiers range over these, and its functions do not lead out of them, has a model: that universe. The
other way round nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product

from potlang.ir.module import Module
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, REAL, STRING, DeclaredSort, EnumSort, Sort
from potlang.ir.substitute import substitute
from potlang.linter.linted import literal

_MORE = 2
"""Elements of a sort beside its constants: conditions of two rules speak of two at most, nearly always."""
_MOST_COPIES = 400
_MOST_NODES = 20_000
_PLAIN = (BOOL, INT, REAL, STRING)


class NotWrittenOut(Exception):
    """The formula is not written out: it would be too long, or is of a form that cannot be."""


class SmallModels:
    """Writes formulas of one module out; `module` declares the elements of the universe."""

    def __init__(self, module: Module) -> None:
        self._pool = module.pool
        self._universe: dict[Sort, list[Node]] = {}
        more: list[Symbol] = []
        for sort in module.sorts:
            if isinstance(sort, DeclaredSort):
                own = [Symbol(f"{sort.name}!{at}", (), sort, SymbolKind.FRESH) for at in range(1, 1 + _MORE)]
                named = [each for each in module.symbols if not each.domain and each.range == sort]
                self._universe[sort] = [self._pool.sym(each) for each in (*named, *own)]
                more += own
            elif isinstance(sort, EnumSort):
                self._universe[sort] = [self._pool.lit(value, sort) for value in sort.values]
        self._universe[BOOL] = [self._pool.false, self._pool.true]
        self.module = replace(module, symbols=(*module.symbols, *more))
        self._fresh: dict[Sort, list[Node]] = {
            each.range: [self._pool.sym(one) for one in more if one.range == each.range] for each in more
        }
        self._bodies = [each.body for each in module.definitions]
        self._done: dict[Node, Node] = {}

    def written_out(self, formulas: Iterable[Node]) -> Node:
        """The formulas over the universe. Raises `NotWrittenOut`."""
        found = [self._formula(each) for each in formulas]
        nodes = reachable(*found, *self._bodies)
        if len(nodes) > _MOST_NODES:
            raise NotWrittenOut
        return self._pool.conj([*found, *self._closed(nodes)])

    def instances(self, formulas: Iterable[Node]) -> Node:
        """The formulas, written out over the universe; where it has no model, they have none.

        Raises `NotWrittenOut` beyond the limit. A thing that is said to exist gets an element that nothing
        else is said of (a Skolem constant).
        """
        unused = {sort: list(elements) for sort, elements in self._fresh.items()}
        found = [self._instance(each, unused) for each in formulas]
        if any(isinstance(node, Quant) for node in reachable(*found, *self._bodies)):
            raise NotWrittenOut
        return self._pool.conj(found)

    def _instance(self, formula: Node, unused: dict[Sort, list[Node]]) -> Node:
        inner, holds = literal(formula)
        if not isinstance(inner, Quant):
            return formula
        if (inner.kind == "forall") == holds:
            found = _copies(self._pool, inner.kind, inner.binders, inner.body, self._universe)
            return found if holds else self._pool.negate(found)
        values: dict[Node, Node] = {}
        for var in inner.binders:
            if not unused.get(var.sort):
                raise NotWrittenOut
            values[var] = unused[var.sort].pop()
        body = substitute(self._pool, inner.body, values)
        return body if holds else self._pool.negate(body)

    def _formula(self, formula: Node) -> Node:
        known = self._done.get(formula)
        if known is None:
            known = self._done[formula] = expanded(self._pool, formula, self._universe)
        return known

    def _closed(self, nodes: Iterable[Node]) -> Iterable[Node]:
        """That functions to declared sorts have their values in the universe."""
        functions: dict[Symbol, None] = {}
        for node in nodes:
            if isinstance(node, Quant) or not (node.sort in _PLAIN or node.sort in self._universe):
                raise NotWrittenOut
            if isinstance(node, App) and isinstance(node.op, Symbol) and isinstance(node.sort, DeclaredSort):
                functions[node.op] = None
        for function in functions:
            if any(sort not in self._universe for sort in function.domain):
                raise NotWrittenOut
            values = self._universe[function.range]
            columns = [self._universe[sort] for sort in function.domain]
            for args in _combinations(columns):
                term = self._pool.app(function, args)
                yield self._pool.disj(self._pool.eq(term, value) for value in values)


def expanded(pool: Pool, formula: Node, universe: Mapping[Sort, list[Node]]) -> Node:
    """The formula with its quantifiers written out. Raises `NotWrittenOut`."""
    done: dict[int, Node] = {}
    for node in reachable(formula):
        match node:
            case App(op=head, args=args):
                done[node.id] = pool.app(head, tuple([done[arg.id] for arg in args]))
            case Quant(kind=kind, binders=binders, body=body):
                done[node.id] = _copies(pool, kind, binders, done[body.id], universe)
            case Lit() | Sym() | Var():
                done[node.id] = node
    return done[formula.id]


def _copies(
    pool: Pool, kind: str, binders: tuple[Var, ...], body: Node, universe: Mapping[Sort, list[Node]]
) -> Node:
    """The conjunction or disjunction of the body's instances."""
    if any(var.sort not in universe for var in binders):
        raise NotWrittenOut
    columns = [universe[var.sort] for var in binders]
    copies = [
        substitute(pool, body, dict(zip(binders, values, strict=True))) for values in _combinations(columns)
    ]
    return pool.conj(copies) if kind == "forall" else pool.disj(copies)


def _combinations(columns: list[list[Node]]) -> Iterable[tuple[Node, ...]]:
    size = 1
    for column in columns:
        size *= len(column)
    if size > _MOST_COPIES:
        raise NotWrittenOut
    return product(*columns)
