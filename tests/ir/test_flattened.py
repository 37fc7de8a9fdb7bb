"""Connectives without the nesting of their own kind."""

from __future__ import annotations

from potlang.ir import operators as op
from potlang.ir.nodes import Symbol, SymbolKind, flattened
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL


def test_parts_come_in_order_and_each_once() -> None:
    pool = Pool()
    a, b, c = (pool.sym(Symbol(name, (), BOOL, SymbolKind.CONSTANT)) for name in "abc")
    inner = pool.app(op.OR, (b, a))
    whole = pool.app(op.OR, (pool.app(op.OR, (a, inner)), pool.app(op.AND, (a, c)), c))
    assert list(flattened(whole, op.OR)) == [a, b, pool.app(op.AND, (a, c)), c]
    assert list(flattened(whole, op.AND)) == [whole]


def test_shared_parts_are_walked_once() -> None:
    """A formula of a hundred levels, each twice in the next one."""
    pool = Pool()
    part = pool.sym(Symbol("p", (), BOOL, SymbolKind.CONSTANT))
    names = [pool.sym(Symbol(f"p{at}", (), BOOL, SymbolKind.CONSTANT)) for at in range(100)]
    whole = part
    for name in names:
        whole = pool.app(op.AND, (whole, pool.app(op.AND, (whole, name))))
    assert list(flattened(whole, op.AND)) == [part, *names]
