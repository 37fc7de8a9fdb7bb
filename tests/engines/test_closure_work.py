"""What the closure costs, its limits and its evidence: chains, parts of relations, many claims."""

from __future__ import annotations

import gc
import random
import time
from typing import Any

import pytest
from horn_programs import horn_program, horn_programs, recursive_program, recursive_programs
from hypothesis import given, settings

import potlang
from potlang.certify import read_theory
from potlang.engines.horn.derivation_lines import derivation_lines
from potlang.engines.horn.engine import EvaluationLimits, EvaluationTimeout, TooManyRows
from potlang.engines.horn.recognition import recognise
from potlang.engines.horn.rules import Atom, DatalogProgram, DatalogRule
from potlang.engines.horn.semi_naive import SemiNaive
from potlang.engines.horn.solver import HornSolver
from potlang.ir.module import Module
from potlang.ir.nodes import SymbolKind
from potlang.ir.structure import Structure
from potlang.ir.text import print_module
from potlang.prove.modelcheck import check_model

TRANSITIVE = "ForAll([x: T, y: T, z: T], reach(x, y) and reach(y, z) -> reach(x, z))"
BY_EDGES = "ForAll([x: T, y: T, z: T], reach(x, y) and edge(y, z) -> reach(x, z))"


def chain(size: int, claims: list[str], rules: list[str], relation: str = "reach") -> Module:
    """Constants in a row."""
    source: dict[str, Any] = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": f, "domain": ["T", "T"], "range": "Bool"} for f in ("reach", "edge")],
        "constants": {"all": {"sort": "T", "members": [f"c{n}" for n in range(size)]}},
        "knowledge_base": [f"{relation}(c{n}, c{n + 1})" for n in range(size - 1)] + rules,
        "verifications": [{"constraint": claim} for claim in claims],
    }
    return potlang.compile(source).module


@pytest.mark.parametrize("relation", ["reach", "edge"])
def test_a_chain_of_a_thousand_constants(relation: str) -> None:
    """[CLOSURE-PART] First reaches last, at once; and the last not the first. The kernel agrees."""
    rules = (
        [TRANSITIVE] if relation == "reach" else [BY_EDGES, "ForAll([x: T, y: T], edge(x, y) -> reach(x, y))"]
    )
    module = chain(1_000, ["reach(c0, c999)", "reach(c999, c0)"], rules, relation)
    began = time.process_time()
    closure = HornSolver(recognise(module))
    first, last = (closure.decide(claim.formula) for claim in module.claims)
    assert time.process_time() - began < 3
    assert [side.status for side in first] == ["sat", "sat", "unsat"]
    assert [side.status for side in last] == ["sat", "sat", "sat"]
    claim = module.claims[0]
    derivation = closure.derivation(claim.formula, "negation")
    assert derivation is not None and len(derivation.keys) >= 1_000
    theory = read_theory(print_module(module))
    assert derivation_lines(closure.horn, derivation, "negation", claim, theory) is not None


def test_a_whole_relation_and_its_parts_agree() -> None:
    claims = [f"reach(c{a}, c{b})" for a, b in ((0, 29), (5, 3), (7, 7), (12, 13))]
    module = chain(30, ["Exists([x: T], reach(x, x))", *claims], [TRANSITIVE])
    whole, parts = HornSolver(recognise(module)), HornSolver(recognise(module))
    whole.decide(module.claims[0].formula)
    for claim in module.claims[1:]:
        assert whole.decide(claim.formula) == parts.decide(claim.formula)


def test_parts_have_the_facts_of_their_relation() -> None:
    """[CLOSURE-PART] Answers do not depend on what was evaluated before."""
    focused = 0
    for seed in range(150):
        module = recursive_program(random.Random(seed))
        whole, parts = HornSolver(recognise(module)), HornSolver(recognise(module))
        whole.model(None, "assumptions")
        for claim in module.claims:
            assert whole.decide(claim.formula) == parts.decide(claim.formula)
        assert parts._base is not None
        focused += parts._base.focused
    assert focused > 50


def test_facts_beside_a_rule_that_keeps_an_argument() -> None:
    """[CLOSURE-PART] The relation is not transitive, and its facts are its own."""
    rule = "ForAll([x: T], reach(x, c1) -> reach(x, c2))"
    module = chain(3, ["reach(c0, c2)", "reach(c2, c2)", "reach(c0, c1)"], [rule])
    found = [HornSolver(recognise(module)).decide(claim.formula).negation.status for claim in module.claims]
    assert found == ["unsat", "sat", "unsat"]


def test_symmetric_and_transitive_relations() -> None:
    """[CLOSURE-TRANSITIVE]"""
    symmetric = "ForAll([x: T, y: T], reach(x, y) -> reach(y, x))"
    module = chain(200, ["reach(c199, c0)", "Exists([x: T], reach(x, x))"], [TRANSITIVE, symmetric])
    closure = HornSolver(recognise(module))
    for claim in module.claims:
        assert [side.status for side in closure.decide(claim.formula)] == ["sat", "sat", "unsat"]
        assert closure.derivation(claim.formula, "negation") is not None


def test_large_models_are_not_shown() -> None:
    """[CLOSURE-MODEL]"""
    for size, shown in ((50, True), (700, False)):
        module = chain(size, [f"reach(c{size - 1}, c0)"], [TRANSITIVE])
        closure = HornSolver(recognise(module))
        assert closure.decide(module.claims[0].formula).negation.status == "sat"
        assert (closure.model(module.claims[0].formula, "negation") is not None) is shown


def test_too_much_is_not_concluded() -> None:
    """[CLOSURE-BOUND] Beyond the bound, and out of time, nothing is concluded, and it is said why."""
    module = chain(300, ["Exists([x: T], reach(x, x))"], [TRANSITIVE])
    formula = module.claims[0].formula
    negation = HornSolver(recognise(module), most_rows=1_000).decide(formula).negation
    assert negation.status is None and negation.reason == "more than 1000 atoms follow"
    late = HornSolver(recognise(module))
    assert late.decide(formula, lambda: True).negation == (None, "timeout")
    assert late.derivation(formula, "negation", lambda: True) is None
    assert late.decide(formula).negation.status == "sat"


def test_rows_by_the_million_do_not_pile_up() -> None:
    """[CLOSURE-BOUND] A product of all constants stops at the bound, not at the end of memory."""
    rows = tuple((2, (n,)) for n in range(2_000))
    rule = DatalogRule(Atom(3, (~0, ~1, ~2)), (Atom(2, (~0,)), Atom(2, (~1,)), Atom(2, (~2,))), ())
    least = SemiNaive(
        DatalogProgram((0, 2, 1, 3), (rule,), rows, lambda a, b: a != b), EvaluationLimits(200_000)
    )
    with pytest.raises(TooManyRows):
        least.ensure((3,))
    ticks = iter(range(10**9))
    least.limits = EvaluationLimits(10**9, lambda: next(ticks) > 3)
    with pytest.raises(EvaluationTimeout):
        least.ensure((3,))


def test_a_stopped_evaluation_can_go_on() -> None:
    module = chain(120, ["Exists([x: T], reach(x, x))", "reach(c0, c119)"], [TRANSITIVE])
    closure = HornSolver(recognise(module))
    for most in (1, 3, 10, 30, 100, 10**9):
        ticks = iter(range(10**9))
        found = closure.decide(module.claims[0].formula, lambda: next(ticks) > most)  # noqa: B023
        assert found.negation.status in (None, "sat")
    assert found.negation.status == "sat"
    assert closure.decide(module.claims[1].formula).negation.status == "unsat"


def shown(structure: Structure | None) -> object:
    """A structure without the constants that stand for a claim's own variables."""
    if structure is None:
        return None
    kinds = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE)
    return structure.universe, {
        symbol: value for symbol, value in structure.functions.items() if symbol.kind in kinds
    }


def test_claims_leave_nothing_behind() -> None:
    """[CLOSURE-UNDO] Claims in any order get the answers, and the models, that they get alone."""
    for seed in range(40):
        module = horn_program(random.Random(seed))
        alone = [HornSolver(recognise(module)).decide(claim.formula) for claim in module.claims]
        models = {
            (claim.formula.id, side): shown(HornSolver(recognise(module)).model(claim.formula, side))  # type: ignore[arg-type]
            for claim in module.claims
            for side in ("claim", "negation")
        }
        shared = HornSolver(recognise(module))
        for _ in range(2):
            for claim, expected in zip(module.claims, alone, strict=True):
                for side in ("claim", "negation"):
                    shared.derivation(claim.formula, side)  # type: ignore[arg-type]
                    model = shown(shared.model(claim.formula, side))  # type: ignore[arg-type]
                    assert model == models[claim.formula.id, side]
                assert shared.decide(claim.formula) == expected
        assert len(shared.horn.universe.nodes) == shared.horn.constants


def test_a_claim_s_numbers_move_the_values_of_unknown_ones() -> None:
    """[CLOSURE-UNDO] A constant is unlike the numbers of its own claim, in its table as in its value."""
    module = potlang.compile(
        {
            "sorts": [],
            "functions": [{"name": "p", "domain": ["Int"], "range": "Bool"}],
            "variables": [{"name": "n", "sort": "Int"}],
            "knowledge_base": ["p(n)", "p(3)"],
            "verifications": [{"constraint": f"p({number})"} for number in (5, 100, 7)],
        }
    ).module
    closure = HornSolver(recognise(module))
    for claim in module.claims:
        model = closure.model(claim.formula, "negation")
        assert model is not None
        assert check_model(module, module.assertions, None, model).holds


def policy(rules: int) -> Module:
    """Rules in layers over some facts, with denials."""
    rng = random.Random(7)
    names = [f"P{n}" for n in range(rules // 2)]
    constants = [f"e{n}" for n in range(50)]
    forms = []
    for number in range(rules):
        body = [names[rng.randrange(max(1, number // 3))] for _ in range(2)]
        head = names[min(len(names) - 1, number // 2)]
        forms.append(f"ForAll([x: T], {body[0]}(x) and {body[1]}(x) -> {head}(x))")
    denials = [
        f"ForAll([x: T], not ({names[-1 - n]}(x) and {names[n + 3]}(x) and blocked(x)))" for n in range(20)
    ]
    source = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": n, "domain": ["T"], "range": "Bool"} for n in (*names, "blocked")],
        "constants": {"all": {"sort": "T", "members": constants}},
        "knowledge_base": [*forms, *denials, *(f"{names[n % 3]}({c})" for n, c in enumerate(constants))],
        "verifications": [
            {"constraint": f"{rng.choice(names)}({rng.choice(constants)})"} for _ in range(300)
        ],
    }
    return potlang.compile(source).module


def test_many_claims_about_one_policy() -> None:
    """[CLOSURE-UNDO] A claim costs what it adds, and the pool does not grow."""
    module = policy(1_000)
    closure = HornSolver(recognise(module))
    closure.decide(module.claims[0].formula)
    gc.collect()
    size = len(module.pool)
    began = time.process_time()
    for claim in module.claims:
        assert None not in [side.status for side in closure.decide(claim.formula)]
    assert (time.process_time() - began) / len(module.claims) < 0.01
    assert len(module.pool) == size


@settings(max_examples=60)
@given(horn_programs() | recursive_programs())
def test_the_kernel_accepts_derivations(module: Module) -> None:
    """[CLOSURE-STEPS] [CLOSURE-KERNEL] What is derived can be replayed."""
    check_lines(module)


def test_the_kernel_accepts_a_difference_of_what_equals_different_values() -> None:
    """[CLOSURE-DIFFER] [CLOSURE-KERNEL] The equation is a premise of it, though no atom needs it."""
    source = {
        "sorts": [{"name": "Colour", "type": "EnumSort", "values": ["red", "green", "blue"]}],
        "functions": [
            {"name": "liked", "domain": ["Colour"], "range": "Bool"},
            {"name": "mixed", "domain": [], "range": "Bool"},
        ],
        "constants": {"named": {"sort": "Colour", "members": ["hers"]}},
        "knowledge_base": [
            "liked(green)",
            "hers == red",
            "ForAll([x: Colour], liked(x) and x != hers -> mixed)",
        ],
        "verifications": [{"constraint": "mixed"}],
    }
    module = potlang.compile(source).module
    assert HornSolver(recognise(module)).decide(module.claims[0].formula).negation.status == "unsat"
    check_lines(module)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(horn_programs(most=7) | recursive_programs())
def test_the_kernel_accepts_many_derivations(module: Module) -> None:
    check_lines(module)


def check_lines(module: Module) -> None:
    closure = HornSolver(recognise(module))
    theory = read_theory(print_module(module))
    for claim in module.claims:
        closed = closure.decide(claim.formula)
        for side, found in zip(("assumptions", "claim", "negation"), closed, strict=True):
            if found.status != "unsat":
                continue
            shown = "assumptions" if closed.assumptions.status == "unsat" else side
            derivation = closure.derivation(claim.formula, shown)  # type: ignore[arg-type]
            assert derivation is not None
            lines = derivation_lines(closure.horn, derivation, shown, claim, theory)
            assert lines is not None or _supposes_a_truth_value(derivation)


def _supposes_a_truth_value(derivation: Any) -> bool:
    """The kernel has no axiom that a truth value under a Skolem constant is one of two."""
    return any(
        str(node.args[0].sort) == "Bool"
        for proof in derivation.cases
        for node in proof.assumed
        if hasattr(node, "args")
    )
