"""Formulas compiled to Python functions: the values that the evaluator gives, and bounds."""

from __future__ import annotations

import itertools

import pytest

from potlang.ir import operators as op
from potlang.ir.compile import MOST_LEVELS, Compiled, FormulaCompiler, NotFinite, check_shape, unknown
from potlang.ir.evaluator import evaluate
from potlang.ir.nodes import Node, Symbol
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, EnumSort
from potlang.ir.structure import Structure

POOL = Pool()
COLOR = EnumSort("Color", ("red", "green", "blue"))
X, Y, A, C = (POOL.var(name, sort) for name, sort in (("x", INT), ("y", INT), ("a", BOOL), ("c", COLOR)))
RED = POOL.lit("red", COLOR)


def app(row: op.Operator, *args: Node) -> Node:
    return POOL.app(row, args)


D = POOL.var("d", COLOR)


class _Compiler(FormulaCompiler):
    """Compiles formulas over variables alone."""

    def symbol(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        raise NotFinite(f"the symbol {symbol.name}")


FORMULAS = [
    app(op.LT, X, app(op.ADD, Y, POOL.integer(1))),
    POOL.conj([A, app(op.LE, X, Y), POOL.eq(C, RED)]),
    POOL.disj([POOL.negate(A), POOL.eq(RED, C), app(op.LT, Y, X)]),
    POOL.implies(POOL.eq(X, Y), A),
    app(op.ITE, A, POOL.eq(X, POOL.integer(1)), POOL.eq(C, RED)),
    POOL.quant("forall", (D,), POOL.disj([POOL.eq(D, C), app(op.LT, X, Y)])),
    POOL.quant("exists", (D,), POOL.conj([POOL.eq(D, C), A])),
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_compiled_formulas_have_the_values_of_the_evaluator(formula: Node) -> None:
    variables = (X, Y, A, C)
    env = {variable: unknown(place) for place, variable in enumerate(variables)}
    check_shape(formula, lambda sort: True)
    compiled = _Compiler(1_000).term(formula, env).function
    for values in itertools.product((0, 1, 2), (0, 1), (False, True), COLOR.values):
        expected = evaluate(formula, Structure(), dict(zip(variables, values, strict=True)))
        assert compiled(list(values)) is expected


def test_the_branch_that_is_not_chosen_may_divide_by_zero() -> None:
    guard = POOL.negate(POOL.eq(Y, POOL.integer(0)))
    term = app(op.ITE, guard, app(op.INT_DIV, X, Y), POOL.integer(7))
    compiled = _Compiler(100).term(term, {X: unknown(0), Y: unknown(1)}).function
    assert [compiled([6, 2]), compiled([6, 0])] == [3, 7]


def test_values_are_folded() -> None:
    found = _Compiler(100).term(app(op.ADD, X, POOL.integer(2)), {X: Compiled(None, frozenset(), 3)})
    assert (found.compute, found.value) == (None, 5)


def test_large_and_deep_formulas_are_refused() -> None:
    deep: Node = A
    for _ in range(MOST_LEVELS):
        deep = app(op.XOR, deep, A)
    with pytest.raises(NotFinite, match="deep"):
        check_shape(deep, lambda sort: True)
    with pytest.raises(NotFinite, match="instances"):
        _Compiler(3).term(FORMULAS[0], {X: unknown(0), Y: unknown(1)})
    with pytest.raises(NotFinite, match="sort Int"):
        _Compiler(100).term(POOL.quant("forall", (X,), POOL.eq(X, X)), {})
