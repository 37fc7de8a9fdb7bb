"""`Reachable(r, a, b)`: whether the relation r leads from a to b in one step or more.

First-order logic cannot say so of any domain, but of one with listed members it is a finite formula: the
closure by repeated squaring, in which each pair of members is one shared node.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir.nodes import Node, Symbol
from potlang.ir.sorts import BOOL, DeclaredSort, Sort
from potlang.sema.scope import FunctionEntry, signature

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator, Visit

_MOST_MEMBERS = 40
"""A closure of n members takes about n^3 log n nodes."""
_HELPS = ["write `Reachable(relation, a, b)` with the name of a predicate of two arguments of one sort"]


def reachable_by(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """The transitive closure of a declared predicate of two arguments of one sort."""
    ends = expr.args[1:]
    symbol = _relation(e, expr) if len(ends) == 2 else None
    if len(ends) != 2:
        e.report("POT3001", expr, expected="a relation and two terms", found="other arguments", helps=_HELPS)
    if symbol is None:
        return e.gather(
            [end for end in ends if not isinstance(end, s.ListOf | s.Binding)], repeat(None), _nothing
        )
    return e.gather_fitted(ends, symbol.domain, lambda nodes: _closed(e, expr, symbol, *nodes))


def _nothing(nodes: list[Node | None]) -> None:
    return None


def _relation(e: Elaborator, expr: s.Call) -> Symbol | None:
    head = expr.args[0]
    entry = e.scope.meaning(head.id) if isinstance(head, s.Name) else None
    symbol = entry.symbol if isinstance(entry, FunctionEntry) else None
    if isinstance(entry, FunctionEntry) and symbol is None:
        return None
    if symbol is None or symbol.range is not BOOL or len(symbol.domain) != 2 or len(set(symbol.domain)) != 1:
        found = "another term" if symbol is None else f"`{signature(symbol)}`"
        e.report("POT3001", head, expected="a relation on one sort", found=found, helps=_HELPS)
        return None
    return symbol


def _closed(e: Elaborator, expr: s.Call, symbol: Symbol, start: Node, end: Node) -> Node | None:
    sort = symbol.domain[0]
    members = e.members(sort)
    if members is None or (isinstance(sort, DeclaredSort) and sort not in e.closed):
        helps = [
            "the closure of a relation can be said of members that are listed: an enum sort, or a closed one"
        ]
        if isinstance(sort, DeclaredSort):
            helps.append(f'close the sort: "semantics": {{"closed_domain": ["{sort}"]}}')
        e.report("POT3010", expr, op="Reachable", sort=sort, helps=helps)
        return None
    size = len(members) ** 3
    if len(members) > _MOST_MEMBERS:
        e.report("POT0008", expr, size=size, limit=_MOST_MEMBERS**3)
        return None
    pool = e.pool

    def step(a: Node, b: Node) -> Node:
        return pool.app(symbol, (a, b))

    inside = e.closures.get(symbol)
    if inside is None:
        inside = {(a, b): step(a, b) for a in members for b in members}
        length = 1
        while length < len(members):
            inside = {
                (a, b): pool.disj([inside[a, b], *(pool.conj([inside[a, c], inside[c, b]]) for c in members)])
                for a in members
                for b in members
            }
            length *= 2
        e.closures[symbol] = inside
    if (start, end) in inside:
        return inside[start, end]
    # One step, two steps, or a way between members: the ends are terms, members the places between.
    ways = [pool.conj([step(start, a), step(a, end)]) for a in members]
    ways += [pool.conj([step(start, a), inside[a, b], step(b, end)]) for a in members for b in members]
    return pool.disj([step(start, end), *ways])
