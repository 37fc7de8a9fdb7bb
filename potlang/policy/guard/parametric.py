"""Rules of closed predicates as formulas over the predicate's parameters."""

from __future__ import annotations

from typing import NamedTuple

from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import Node, Symbol, Var
from potlang.ir.substitute import substitute
from potlang.sema.known import DefiningRule


class ParametricRule(NamedTuple):
    """A rule of a closed predicate, as a formula over the predicate's parameters."""

    assertion: Assertion
    formula: Node
    params: tuple[Var, ...]


def way_of(module: Module, symbol: Symbol, rule: DefiningRule) -> ParametricRule:
    """That a rule makes its predicate true at parameters."""
    pool = module.pool
    params = tuple(pool.var(f"x{at}", sort) for at, sort in enumerate(symbol.domain, 1))
    replaced: dict[Node, Node] = {}
    equations = []
    for param, arg in zip(params, rule.args, strict=True):
        if isinstance(arg, Var) and arg not in replaced:
            replaced[arg] = param
        else:
            equations.append((param, arg))
    left = tuple(var for var in rule.variables if var not in replaced)
    fresh = {var: pool.var(var.name, var.sort) for var in left}
    replaced |= dict(fresh.items())
    parts = [pool.eq(param, substitute(pool, arg, replaced)) for param, arg in equations]
    parts += [substitute(pool, each, replaced) for each in rule.conditions]
    body = pool.conj(parts)
    return ParametricRule(
        rule.assertion, pool.quant("exists", tuple(fresh.values()), body) if fresh else body, params
    )
