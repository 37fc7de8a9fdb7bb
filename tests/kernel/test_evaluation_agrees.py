"""The kernel's values are those of `potlang.ir.evaluator`, on random formulas in random structures."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_support import model_lines
from strategies.formulas import meanings, modules

from potlang.certify import read_theory
from potlang.certify.evaluate import ModelEvaluation
from potlang.certify.models import CertificateModel
from potlang.certify.operators import NoValue
from potlang.certify.tokens import StepBudget, tree
from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, EnumSort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure
from potlang.ir.text import print_module
from potlang.ir.values import Unspecified

STEPS = 300_000


def reference(formula: Node, structure: Structure) -> bool | None:
    try:
        return bool(evaluate(formula, structure, most_steps=STEPS))
    except (NotEvaluable, Unspecified):
        return None


def agree(module: Module, structure: Structure) -> None:
    """[CERT-EVAL-KLEENE] [CERT-EVAL-HOLE] What the reference decides, the kernel decides in the same way."""
    theory = read_theory(print_module(module))
    model = CertificateModel(theory)
    for line in model_lines(module, structure):
        model.read(tree(line))
    evaluation = ModelEvaluation(model, StepBudget(20 * STEPS))
    for assertion in module.assertions:
        expected = reference(assertion.formula, structure)
        found = evaluation.truth(theory.assertions[assertion.key].formula)
        if expected is not None:
            assert found is expected or (isinstance(found, NoValue) and "steps" in found.reason)


@given(st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_values_agree_in_finite_structures(data: st.DataObject) -> None:
    module = data.draw(modules(finite=True, depth=4))
    agree(module, data.draw(meanings(module)))


@given(st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_values_agree_where_sorts_are_infinite(data: st.DataObject) -> None:
    module = data.draw(modules(depth=4))
    agree(module, data.draw(meanings(module)))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
def test_values_agree_deeply(data: st.DataObject) -> None:
    module = data.draw(modules(finite=data.draw(st.booleans()), depth=data.draw(st.integers(1, 6))))
    agree(module, data.draw(meanings(module)))


# --- quantifiers over parts without a value ---------------------------------------------------------------

E = EnumSort("E", ("one", "two", "three"))
DIVISORS = {True: 1, False: 9, None: 0}
"""By these 6 is divided: at least 1, less than 1, without a value."""


def kleene(kind: str, parts: list[bool | None]) -> bool | None:
    """The strong tables: a part decides, wherever it stands, or else all have to have a value."""
    decisive = kind == "exists"
    return decisive if decisive in parts else None if None in parts else not decisive


@pytest.mark.parametrize("guarded", [False, True])
def test_a_binding_without_a_value_counts_wherever_it_comes(guarded: bool) -> None:
    """[CERT-EVAL-HOLE] [CERT-EVAL-KLEENE] [CERT-EVAL-GUARD] [IR-EVAL-3] [IR-EVAL-6] All tables of three."""
    pool = Pool()
    n = Symbol("n", (E,), INT, SymbolKind.FUNCTION)
    p = Symbol("p", (E,), BOOL, SymbolKind.FUNCTION)
    facts = []
    for kind in ("forall", "exists"):
        x = pool.var("x", E)
        body: Node = pool.app(
            op.LE, (pool.integer(1), pool.app(op.INT_DIV, (pool.integer(6), pool.app(n, (x,)))))
        )
        if guarded:
            atom = pool.app(p, (x,))
            body = pool.implies(atom, body) if kind == "forall" else pool.conj((body, atom))
        facts.append(Assertion(kind, kind, AssertionKind.FACT, pool.quant(kind, (x,), body), Origin("")))
    module = Module(pool=pool, sorts=(E,), symbols=(n, p), assertions=tuple(facts))
    theory = read_theory(print_module(module))
    for parts in itertools.product(DIVISORS, repeat=3):
        divisors = {(value,): DIVISORS[part] for value, part in zip(E.values, parts, strict=True)}
        for chosen in itertools.product((True, False), repeat=3) if guarded else [(True,) * 3]:
            inside = {(value,): True for value, each in zip(E.values, chosen, strict=True) if each}
            structure = Structure({}, {n: FunctionTable(divisors, 5), p: FunctionTable(inside, False)})
            model = CertificateModel(theory)
            for line in model_lines(module, structure):
                model.read(tree(line))
            evaluation = ModelEvaluation(model, StepBudget(STEPS))
            asked = [part for part, each in zip(parts, chosen, strict=True) if each]
            for fact in facts:
                expected = kleene(fact.key, asked)
                found = evaluation.truth(theory.assertions[fact.key].formula)
                assert (None if isinstance(found, NoValue) else found) is expected
                assert reference(fact.formula, structure) is expected
