"""Connectives as conjunctions of disjunctions, against their truth tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.nnf import cnf_of_connective
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT
from potlang.ir.structure import Structure

NAMES = [Symbol(name, (), BOOL, SymbolKind.CONSTANT) for name in "pqr"]
CONNECTIVES: list[tuple[op.Operator, int]] = [
    (op.NOT, 1),
    (op.AND, 2),
    (op.AND, 3),
    (op.OR, 2),
    (op.OR, 3),
    (op.IMPLIES, 2),
    (op.IFF, 2),
    (op.XOR, 2),
    (op.EQ, 2),
    (op.DISTINCT, 2),
    (op.ITE, 3),
]


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize(("connective", "arity"), CONNECTIVES, ids=str)
def test_a_connective_and_its_denial_mean_their_cnf_of_connective(
    connective: op.Operator, arity: int, positive: bool
) -> None:
    pool = Pool()
    node = pool.app(connective, tuple(pool.sym(name) for name in NAMES[:arity]))
    found = cnf_of_connective(node, positive)
    assert found and all(found)
    for values in itertools.product([False, True], repeat=len(NAMES)):
        structure = Structure({}, dict(zip(NAMES, values, strict=True)))
        meant = all(any(evaluate(part, structure) is wanted for part, wanted in each) for each in found)
        assert meant is (evaluate(node, structure) is positive)


@pytest.mark.parametrize(
    "make",
    [
        lambda pool: pool.sym(NAMES[0]),
        lambda pool: pool.true,
        lambda pool: pool.app(op.EQ, (pool.integer(1), pool.integer(2))),
        lambda pool: pool.app(op.DISTINCT, (pool.integer(1), pool.integer(2))),
        lambda pool: pool.app(op.DISTINCT, tuple(map(pool.sym, NAMES))),
        lambda pool: pool.app(op.ITE, (pool.sym(NAMES[0]), pool.integer(1), pool.integer(2))),
        lambda pool: pool.quant("forall", (pool.var("x", INT),), pool.true),
    ],
)
def test_nothing_else_is_a_connective(make: Callable[[Pool], Node]) -> None:
    assert cnf_of_connective(make(Pool()), True) == ()
