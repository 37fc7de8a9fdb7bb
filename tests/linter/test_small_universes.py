"""Formulas over a small universe against solvers that get them as they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from strategies.formulas import modules

import potlang
from potlang.ir.module import Module
from potlang.ir.nodes import Node, Quant, reachable
from potlang.linter.questions import Questions
from potlang.linter.small_models import NotWrittenOut, SmallModels
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Limits

SEEN: Counter[tuple[str, str]] = Counter()


def status(module: Module, formula: Node, route: str) -> str:
    """What one solver says of a formula by itself."""
    bare = replace(module, assertions=(), claims=(), norms=(), optimization=None)
    limits = Limits(check_ms=20_000, rlimit=400_000 if route == "z3" else None)
    options = ProverOptions(route, "solver", minimize_cores=False)  # type: ignore[arg-type]
    with Prover(bare, options, limits) as prover:
        return prover.probe(formula, within_ms=20_000).status


@settings(max_examples=60)
@given(modules(nested=False, definitions=False, depth=3, most=3))
def test_a_small_model_is_a_model_and_what_instances_exclude_is_excluded(module: Module) -> None:
    """[LINT-SURE]"""
    formulas = [each.formula for each in module.assertions]
    small = SmallModels(module)
    whole = module.pool.conj(formulas)
    for write, definite, never in ((small.written_out, "sat", "unsat"), (small.instances, "unsat", "sat")):
        try:
            made = write(formulas)
        except NotWrittenOut:
            continue
        assert not any(isinstance(node, Quant) for node in reachable(made))
        if status(small.module, made, "z3") == definite:
            SEEN[definite, status(module, whole, "z3")] += 1
            assert SEEN[definite, never] == 0


def answers(*formulas: str) -> tuple[bool, bool]:
    """Whether the formulas are surely possible, surely impossible."""
    program = potlang.compile(
        {
            "sorts": [{"name": "S", "type": "DeclareSort"}],
            "functions": [
                {"name": "p", "domain": ["S"], "range": "Bool"},
                {"name": "g", "domain": ["S"], "range": "S"},
                {"name": "n", "domain": ["S"], "range": "Int"},
            ],
            "constants": {"c": {"sort": "S", "members": ["a", "b"]}},
            "variables": [{"name": "x", "sort": "S"}],
            "knowledge_base": list(formulas),
        }
    )
    nodes = [each.formula for each in program.module.assertions]
    with Questions(program.module, 20_000) as questions:
        return questions.possible(*nodes), questions.impossible(*nodes)


def test_questions_are_answered_where_solvers_search_for_models() -> None:
    """[LINT-SURE]"""
    possible, impossible = (True, False), (False, True)
    assert answers("ForAll([x], p(x))", "Exists([x], Not(p(x)))") == impossible
    assert answers("ForAll([x], Implies(p(x), n(x) > 3))", "Exists([x], And(p(x), n(x) < 9))") == possible
    assert answers("a != b", "Exists([x], And(x != a, x != b))") == possible
    # A function that leads out of what has a name.
    assert answers("ForAll([x], g(x) != x)", "ForAll([x], g(g(x)) == x)") == possible
    # What is said to exist twice is not taken for one thing.
    assert answers("Exists([x], p(x))", "Exists([x], Not(p(x)))") == possible
    assert answers("Not(ForAll([x], p(x)))", "p(a)", "ForAll([x], x == a)") == impossible
    # More things than the small universe has.
    assert answers(*(f"Exists([x], n(x) == {at})" for at in range(6))) == possible
