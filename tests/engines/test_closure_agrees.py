"""The closure against z3 and against enumeration; its models against the evaluator."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from horn_programs import horn_programs, recursive_programs
from hypothesis import given, settings
from hypothesis import strategies as st
from structures import structures

import potlang
from potlang.engines.check import Check
from potlang.engines.context import ProgramContext
from potlang.engines.horn.procedure import HornProcedure
from potlang.engines.horn.recognition import recognise
from potlang.engines.horn.solver import HornSolver, SideAnswer
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.ir.sorts import DeclaredSort
from potlang.ir.structure import NotEvaluable
from potlang.processes.pool import default_workers
from potlang.smt.printer import Printer

SIDES = ("assumptions", "claim", "negation")


class Z3:
    """The three checks of each claim, in one context."""

    def __init__(self, module: Module) -> None:
        import z3

        self.module = module
        self.printer = Printer(module)
        self.context = z3.Context()
        self.text = self.printer.base(named=False)

    def check(self, extra: str) -> str:
        import z3

        solver = z3.Solver(ctx=self.context)
        solver.set("timeout", 3000)
        solver.from_string(self.text + extra)
        return str(solver.check())

    def side(self, formula: Node, side: str) -> str:
        if side == "assumptions":
            return self.check("")
        shown = formula if side == "claim" else self.module.pool.negate(formula)
        return self.check(self.printer.assertion(shown))


def check_statuses(module: Module) -> None:
    """[CLOSURE-EXACT] Wherever the closure concludes, z3 says the same; and its models are models."""
    closure = HornSolver(recognise(module))
    z3 = Z3(module)
    for claim in module.claims:
        closed = closure.decide(claim.formula)
        for name, side in zip(SIDES, closed, strict=True):
            assert (side.reason is None) is (side.status is not None)
            if side.status is not None:
                assert z3.side(claim.formula, name) in (side.status, "unknown"), (name, side)
            check_evidence(closure, claim.formula, name, side)


def check_evidence(closure: HornSolver, formula: Node, name: str, side: SideAnswer) -> None:
    """A side that is sat has a model; one that is unsat a derivation, from assertions of the module."""
    module = closure.horn.module
    if side.status == "sat":
        model = closure.model(formula, name)  # type: ignore[arg-type]
        assert model is not None
        assert all(evaluate(assertion.formula, model) is True for assertion in module.assertions)
        if name != "assumptions":
            assert evaluate(formula, model) is (name == "claim")
    elif side.status == "unsat":
        derivation = closure.derivation(formula, name)  # type: ignore[arg-type]
        assert derivation is not None
        assert all(proof.steps[-1].conclusion is module.pool.false for proof in derivation.cases)
        assert set(derivation.keys) <= {assertion.key for assertion in module.assertions}


def check_small(module: Module) -> None:
    """[CLOSURE-EXACT] Nothing that has a structure over at most two members is called unsat."""
    closure = HornSolver(recognise(module))
    sizes = [sort for sort in module.sorts if isinstance(sort, DeclaredSort)]
    models = []
    for chosen in itertools.product((1, 2), repeat=len(sizes)):
        try:
            found = structures(module, dict(zip(sizes, chosen, strict=True)), most=3_000)
            models += [s for s in found if all(evaluate(a.formula, s) for a in module.assertions)]
        except NotEvaluable:
            continue
    for claim in module.claims:
        closed = closure.decide(claim.formula)
        truths = {evaluate(claim.formula, model) for model in models}
        for side, seen in zip(closed, (bool(models), True in truths, False in truths), strict=True):
            assert not (seen and side.status == "unsat")


@settings(max_examples=40)
@given(horn_programs())
def test_the_closure_agrees_with_z3(module: Module) -> None:
    check_statuses(module)


@settings(max_examples=12)
@given(horn_programs(most=3, small=True))
def test_the_closure_agrees_with_enumeration(module: Module) -> None:
    check_small(module)


@settings(max_examples=30)
@given(recursive_programs())
def test_parts_of_relations_agree_with_z3(module: Module) -> None:
    """[CLOSURE-PART] Claims about single atoms, decided before any relation is evaluated as a whole."""
    check_statuses(module)


def check_parts(module: Module, chance: random.Random) -> None:
    """Parts of the assumptions by instances of rules, and each by a closure of its own."""
    context = ProgramContext.of(module, default_workers())
    whole, parts = (HornProcedure(context, 10_000, exact_only=True) for _ in range(2))
    for claim in module.claims:
        whole.decide(Check("claim", claim.formula, claim=claim))
        for negated in (False, True):
            known = list(module.assertions)
            for _ in range(4):
                check = Check(
                    "claim", claim.formula, negated, claim=claim, assumptions=tuple(known), alone=True
                )
                one, two = (each.decide(check) for each in (whole, parts))
                if one is not None and two is not None:
                    assert one.status == two.status
                    if one.status == "unsat":
                        used = [each for each in known if context.labels.name(each) in (one.core or ())]
                        again = parts.decide(check._replace(assumptions=tuple(used)))
                        assert again is not None
                        assert again.status == "unsat"
                known = [each for each in known if chance.random() < 0.8]


@settings(max_examples=30)
@given(st.one_of(horn_programs(), recursive_programs()), st.randoms(use_true_random=False))
def test_parts_of_the_assumptions_by_instances_of_rules(module: Module, chance: random.Random) -> None:
    """[CLOSURE-PARTS]"""
    check_parts(module, chance)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(st.one_of(horn_programs(most=7), recursive_programs()), st.randoms(use_true_random=False))
def test_very_many_parts_by_instances_of_rules(module: Module, chance: random.Random) -> None:
    """[CLOSURE-PARTS]"""
    check_parts(module, chance)


def test_a_fact_that_two_assumptions_give_is_left_out_with_both() -> None:
    """[CLOSURE-PARTS] The second gives more, so that the core that is made minimal first has both."""
    found = potlang.verify(
        {
            "sorts": [{"name": "T", "type": "DeclareSort"}],
            "functions": [{"name": name, "domain": ["T"], "range": "Bool"} for name in "pqr"],
            "constants": {"all": {"sort": "T", "members": ["a"]}},
            "knowledge_base": ["p(a)", "p(a) and q(a)", "ForAll([x: T], p(x) and q(x) -> r(x))"],
            "verifications": [{"constraint": "r(a)"}],
        }
    )
    evidence = found.results[0].evidence
    assert evidence.core_minimal
    assert [each.text for each in evidence.core or ()] == [
        "p(a) and q(a)",
        "ForAll([x: T], p(x) and q(x) -> r(x))",
    ]


@pytest.mark.slow
@settings(max_examples=4_000)
@given(recursive_programs())
def test_parts_of_relations_agree_with_z3_on_many(module: Module) -> None:
    check_statuses(module)


@pytest.mark.slow
@settings(max_examples=4_000)
@given(horn_programs(most=7))
def test_the_closure_agrees_with_z3_on_many(module: Module) -> None:
    check_statuses(module)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(horn_programs(most=4, small=True))
def test_the_closure_agrees_with_enumeration_on_many(module: Module) -> None:
    check_small(module)


def test_cases_over_a_closed_sort_rest_on_what_closes_it() -> None:
    """[CLOSURE-MEMBERS] Without the first assumption a third thing may be in no relation to itself."""
    program: dict[str, Any] = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": "R", "domain": ["T", "T"], "range": "Bool"}],
        "constants": {"all": {"sort": "T", "members": ["a", "b"]}},
        "knowledge_base": ["ForAll([x: T], x == a or x == b)", "R(a, a)", "ForAll([x: T], R(x, b))"],
        "verifications": [{"constraint": "ForAll([x: T], R(x, x))"}],
    }
    for trust in ("best", "solver"):
        (found,) = potlang.verify(program, route="closure", trust=trust).results
        assert found.verdict == "entailed"
        assert [each.name for each in found.evidence.core or ()] == ["fact 1", "fact 2", "fact 3"]
