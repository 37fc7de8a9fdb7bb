"""Every pass keeps what it says, on random modules in random structures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies.formulas import meanings, modules

from potlang.ir.evaluator import evaluate
from potlang.ir.nodes import App, Lit, Node, Quant, reachable
from potlang.ir.operators import AND, IFF, IMPLIES, ITE, NOT, OR, XOR
from potlang.ir.sorts import BOOL
from potlang.ir.structure import NotEvaluable, Structure
from potlang.ir.values import Unspecified
from potlang.passes.base import Keeps, Property
from potlang.passes.nnf import Nnf
from potlang.passes.pipeline import read_pipeline
from potlang.passes.prenex import Prenex
from potlang.passes.simplify import Simplify

PIPELINES = ["simplify", "nnf", "simplify{rounds=1},nnf,prenex", "nnf,prenex", "nnf,prenex,simplify,nnf"]
SETTINGS = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def value(node: Node, structure: Structure, env: dict[object, object]) -> object:
    try:
        return evaluate(node, structure, env, most_steps=3_000)  # type: ignore[arg-type]
    except (NotEvaluable, Unspecified):
        return None


@pytest.mark.parametrize("text", PIPELINES)
@SETTINGS
@given(data=st.data())
def test_a_pipeline_keeps_the_value_of_every_root(text: str, data: st.DataObject) -> None:
    """[PASS-KEEPS-1]"""
    module = data.draw(modules(finite=data.draw(st.booleans()), depth=3, most=2))
    structure = data.draw(meanings(module))
    after = read_pipeline(text).run(module)
    env = {
        var: data.draw(st.sampled_from(_members(var.sort, structure)))
        for definition in module.definitions
        for var in definition.params
        if _members(var.sort, structure)
    }
    for old, new in zip(module.formulas(), after.formulas(), strict=True):
        expected, got = value(old, structure, env), value(new, structure, env)
        if expected is not None and got is not None:
            assert got == expected


def _members(sort: object, structure: Structure) -> list[object]:
    from potlang.ir.structure import cardinality, members

    return members(sort, structure) if cardinality(sort, structure) is not None else []  # type: ignore[arg-type]


@SETTINGS
@given(modules(depth=3, most=2))
def test_simplify_leaves_no_truth_value_inside(module: object) -> None:
    after = Simplify(rounds=1).run(module)  # type: ignore[arg-type]
    for node in reachable(*after.formulas()):
        if isinstance(node, Quant):
            assert not isinstance(node.body, Lit)
        if isinstance(node, App) and node.op in (NOT, AND, OR, IMPLIES, IFF, XOR):
            assert not any(isinstance(arg, Lit) for arg in node.args)
    assert Property.SIMPLE in after.properties


@SETTINGS
@given(modules(depth=3, most=2))
def test_nnf_has_negation_on_atoms_alone(module: object) -> None:
    after = Nnf().run(module)  # type: ignore[arg-type]
    for root in after.formulas():
        assert root.sort is not BOOL or in_nnf(root)


def in_nnf(root: Node) -> bool:
    stack, seen = [root], set()
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if isinstance(node, Quant):
            stack.append(node.body)
        elif isinstance(node, App) and node.op in (AND, OR):
            stack.extend(node.args)
        elif isinstance(node, App) and node.op is NOT:
            atom = node.args[0]
            if isinstance(atom, Quant | Lit) or _connective(atom):
                return False
        elif _connective(node):
            return False
    return True


def _connective(node: Node) -> bool:
    if not isinstance(node, App) or node.sort is not BOOL:
        return False
    return node.op in (AND, OR, NOT, IMPLIES, IFF, XOR, ITE) or (
        str(node.op) == "=" and node.args[0].sort is BOOL
    )


@SETTINGS
@given(modules(depth=3, most=2))
def test_prenex_has_quantifiers_in_front_alone(module: object) -> None:
    after = Prenex().run(Nnf().run(module))  # type: ignore[arg-type]
    for root in after.formulas():
        matrix, bound = root, []
        while isinstance(matrix, Quant):
            bound += matrix.binders
            matrix = matrix.body
        assert len(set(bound)) == len(bound)
        stack = [matrix]
        while stack:
            node = stack.pop()
            assert not isinstance(node, Quant)
            if isinstance(node, App) and node.op in (AND, OR):
                stack.extend(node.args)


@SETTINGS
@given(modules(depth=3, most=2), st.sampled_from(PIPELINES))
def test_passes_do_not_touch_what_is_not_a_formula(module: object, text: str) -> None:
    after = read_pipeline(text).run(module)  # type: ignore[arg-type]
    restored = replace(after.with_formulas(module.formulas()), properties=frozenset())  # type: ignore[attr-defined]
    assert restored == module


@pytest.mark.parametrize("text", PIPELINES)
def test_every_pass_of_the_pipelines_keeps_equivalence(text: str) -> None:
    assert all(step.keeps is Keeps.EQUIVALENT for step in read_pipeline(text).passes)
