"""Substitution avoids capture and stays linear."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariants import check
from strategies.formulas import meanings, modules

from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import App, Node, Quant, Symbol, SymbolKind, Var, free_variables
from potlang.ir.operators import ADD, AND, EQ, NOT
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort
from potlang.ir.structure import NotEvaluable
from potlang.ir.substitute import substitute
from potlang.ir.values import Unspecified

S = DeclaredSort("S")
P = Symbol("P", (S,), BOOL, SymbolKind.FUNCTION)
R = Symbol("R", (S, S), BOOL, SymbolKind.FUNCTION)
A = Symbol("a", (), S, SymbolKind.CONSTANT)


def test_a_binder_free_in_the_replacement_is_renamed() -> None:
    """[IR-SUBST-2]"""
    pool = Pool()
    x, y = pool.var("x", S), pool.var("y", S)
    inner = pool.quant("exists", (y,), pool.app(R, (x, y)))
    result = substitute(pool, inner, {x: y})
    assert isinstance(result, Quant)
    (fresh,) = result.binders
    assert fresh is not y and fresh.name == "y"
    assert result.body is pool.app(R, (y, fresh))
    assert free_variables(result) == (y,)


def test_a_bound_variable_is_not_replaced_inside_but_is_outside() -> None:
    """[IR-SUBST-1]"""
    pool = Pool()
    x, a = pool.var("x", S), pool.sym(A)
    inside = pool.quant("forall", (x,), pool.app(P, (x,)))
    result = substitute(pool, pool.app(AND, (pool.app(P, (x,)), inside)), {x: a})
    assert isinstance(result, App)
    assert result.args[0] is pool.app(P, (a,))
    kept = result.args[1]
    assert isinstance(kept, Quant) and kept.body is pool.app(P, (kept.binders[0],))


def test_replacements_are_simultaneous() -> None:
    """[IR-SUBST-1]"""
    pool = Pool()
    x, y = pool.var("x", S), pool.var("y", S)
    assert substitute(pool, pool.app(R, (x, y)), {x: y, y: x}) is pool.app(R, (y, x))


def test_nested_captures_are_all_avoided() -> None:
    """[IR-SUBST-2]"""
    pool = Pool()
    x, y, z = pool.var("x", S), pool.var("y", S), pool.var("z", S)
    body = pool.app(AND, (pool.app(R, (x, y)), pool.app(R, (y, z))))
    node = pool.quant("forall", (y,), pool.quant("exists", (z,), body))
    f = Symbol("f", (S, S), S, SymbolKind.FUNCTION)
    result = substitute(pool, node, {x: pool.app(f, (y, z))})
    assert set(free_variables(result)) == {y, z}


def test_nothing_to_replace_gives_the_same_node() -> None:
    pool = Pool()
    x, y = pool.var("x", S), pool.var("y", S)
    node = pool.quant("forall", (x,), pool.app(P, (x,)))
    assert substitute(pool, node, {y: pool.sym(A)}) is node


def test_keys_and_sorts_are_checked() -> None:
    pool = Pool()
    x = pool.var("x", S)
    with pytest.raises(TypeError):
        substitute(pool, x, {x: pool.true})
    with pytest.raises(TypeError):
        substitute(pool, x, {pool.app(P, (x,)): pool.true})


def test_shared_and_deep_terms_stay_linear() -> None:
    """[IR-SUBST-3]"""
    pool = Pool()
    x = pool.var("x", INT)
    node: Node = x
    for _ in range(60):
        node = pool.app(ADD, (node, node))
    before = len(pool)
    substitute(pool, node, {x: pool.integer(1)})
    assert len(pool) - before < 100
    deep: Node = pool.app(EQ, (x, x))
    for _ in range(50_000):
        deep = pool.app(NOT, (deep,))
    result = substitute(pool, deep, {x: pool.integer(1)})
    assert free_variables(result) == ()


def test_many_nested_scopes_that_clash() -> None:
    """[IR-SUBST-2] [IR-SUBST-3]"""
    pool = Pool()
    x = pool.var("x", S)
    variables = [pool.var("y", S) for _ in range(300)]
    node: Node = pool.app(P, (x,))
    for var in variables:
        node = pool.quant("forall", (var,), pool.app(AND, (pool.app(R, (x, var)), node)))
    replacement: Node = pool.sym(A)
    f = Symbol("f", (S, S), S, SymbolKind.FUNCTION)
    for var in variables:
        replacement = pool.app(f, (replacement, var))
    result = substitute(pool, node, {x: replacement})
    assert set(free_variables(result)) == set(variables)
    assert not check(Module(pool, (S,), (P, R, A, f), claims=()))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_substituting_a_value_is_evaluating_with_it(data: st.DataObject) -> None:
    """Substitution lemma: the value of t[c/x] is the value of t where x has c's value."""
    module = data.draw(modules(finite=True, nested=False, depth=3, most=2))
    structure = data.draw(meanings(module))
    pool = module.pool
    constant = pool.sym(module.symbols[0])
    for definition in module.definitions:
        env: dict[Var, object] = {}
        replacements: dict[Node, Node] = {}
        for var in definition.params:
            if var.sort == constant.sort:
                env[var], replacements[var] = evaluate(constant, structure), constant
        replaced = substitute(pool, definition.body, replacements)
        if set(definition.params) <= set(env):
            assert _value(replaced, structure, {}) == _value(definition.body, structure, env)
    for formula in module.formulas():
        if not free_variables(formula):
            var = pool.var("fresh", constant.sort)
            abstracted = substitute(pool, formula, {constant: var})
            env = {var: evaluate(constant, structure)}
            assert _value(abstracted, structure, env) == _value(formula, structure, {})


def _value(node: Node, structure: object, env: object) -> object:
    try:
        return evaluate(node, structure, env, most_steps=3_000)  # type: ignore[arg-type]
    except Unspecified:
        return None
    except NotEvaluable:
        return None
