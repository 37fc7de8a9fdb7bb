"""The kernel's values are those of `potlang.ir.evaluator`, on random formulas in random structures."""

from __future__ import annotations

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
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.ir.structure import NotEvaluable, Structure
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
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_values_agree_in_finite_structures(data: st.DataObject) -> None:
    module = data.draw(modules(finite=True, depth=4))
    agree(module, data.draw(meanings(module)))


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_values_agree_where_sorts_are_infinite(data: st.DataObject) -> None:
    module = data.draw(modules(depth=4))
    agree(module, data.draw(meanings(module)))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
def test_values_agree_deeply(data: st.DataObject) -> None:
    module = data.draw(modules(finite=data.draw(st.booleans()), depth=data.draw(st.integers(1, 6))))
    agree(module, data.draw(meanings(module)))
