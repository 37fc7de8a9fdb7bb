"""The nucleus of rules on assertions and on claims."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL
from potlang.ir.structure import Structure
from potlang.passes.base import Keeps
from potlang.passes.nucleus import Rule, RuleClosure, closure
from potlang.topos import synthesis
from potlang.topos.nucleus import from_rules
from potlang.topos.subobject import Subobject

SYMBOLS = [Symbol(name, (), BOOL, SymbolKind.CONSTANT) for name in "pqr"]
MODELS = [Structure({}, dict(zip(SYMBOLS, row, strict=True))) for row in product((False, True), repeat=3)]
SPACE = synthesis.space(len(MODELS))


def formulas(pool: Pool) -> st.SearchStrategy[Node]:
    leaves = st.sampled_from([*(pool.sym(symbol) for symbol in SYMBOLS), pool.true, pool.false])
    return st.recursive(
        leaves,
        lambda below: st.one_of(
            st.builds(pool.negate, below),
            st.builds(pool.implies, below, below),
            st.builds(lambda a, b: pool.conj((a, b)), below, below),
            st.builds(lambda a, b: pool.disj((a, b)), below, below),
        ),
        max_leaves=6,
    )


def sub(formula: Node) -> Subobject:
    rows = [evaluate(formula, model) is True for model in MODELS]
    return Subobject(SPACE, sum(1 << at for at, row in enumerate(rows) if row))


def check(data: st.DataObject) -> None:
    pool = Pool()
    drawn = formulas(pool)
    pairs = data.draw(st.lists(st.tuples(drawn, drawn), max_size=3))
    rules = tuple(Rule(f"k{at}", f"rule {at}", *pair) for at, pair in enumerate(pairs))
    nucleus = from_rules(SPACE, [(sub(lower), sub(upper)) for lower, upper in pairs])
    claim = data.draw(drawn)
    assert sub(closure(pool, rules, claim)) == nucleus.closure(sub(claim))
    module = Module(pool, symbols=tuple(SYMBOLS), claims=(Claim("c", "c", claim),))
    assuming = RuleClosure(rules).run(module)
    together = sub(pool.conj(each.formula for each in assuming.assertions))
    assert together.mask == nucleus.points
    asking = RuleClosure(rules, on="claims").run(module)
    [asked] = asking.claims
    assert (together <= sub(claim)) == (sub(pool.true) <= sub(asked.formula))
    assert sub(claim) <= sub(asked.formula)


@given(st.data())
def test_agrees_with_the_finite_model(data: st.DataObject) -> None:
    """[PASS-KEEPS-4] [PASS-NUCLEUS-1], [PASS-NUCLEUS-3] c(X), R and what follows are those of the nucleus
    by points.
    """
    check(data)


@pytest.mark.slow
@settings(max_examples=500)
@given(st.data())
def test_agrees_with_the_finite_model_deep(data: st.DataObject) -> None:
    check(data)


def test_rules_keep_their_names_and_origins() -> None:
    """[PASS-NUCLEUS-2] Each rule is an assertion of its own."""
    pool = Pool()
    p, q = (pool.sym(symbol) for symbol in SYMBOLS[:2])
    module = Module(pool, symbols=tuple(SYMBOLS), properties=frozenset({"nnf"}))
    rule = Rule("arrow:0", "arrow 2 -> 4", p, q, Origin("", "@entails src=2 dst=4"))
    found = RuleClosure((rule,)).run(module)
    assert found.assertions == (
        Assertion("arrow:0", "arrow 2 -> 4", AssertionKind.RULE, pool.implies(p, q), rule.origin),
    )
    assert found.properties == frozenset() and RuleClosure.keeps is Keeps.STRONGER
    with pytest.raises(ValueError, match="arrow:0"):
        RuleClosure((rule,)).run(found)


def test_claims_with_find_stay_as_they_are() -> None:
    """[PASS-NUCLEUS-3] Their formula is open."""
    pool = Pool()
    p, q = (pool.sym(symbol) for symbol in SYMBOLS[:2])
    var = pool.var("x", BOOL)
    norm = Claim("n", "n", p)
    module = Module(pool, symbols=tuple(SYMBOLS), claims=(Claim("c", "c", var, find=(var,)),), norms=(norm,))
    found = RuleClosure((Rule("k", "k", p, q),), on="claims").run(module)
    assert found.claims == module.claims
    assert found.norms[0].formula is pool.implies(pool.implies(p, q), p)
