"""The closure against z3 and against enumeration; its models against the evaluator."""

from __future__ import annotations

import itertools

import pytest
from horn_programs import horn_programs, recursive_programs
from hypothesis import given, settings
from structures import structures

from potlang.engines.horn.recognition import recognise
from potlang.engines.horn.solver import HornSolver, SideAnswer
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.ir.sorts import DeclaredSort
from potlang.ir.structure import NotEvaluable
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


@settings(max_examples=90)
@given(horn_programs())
def test_the_closure_agrees_with_z3(module: Module) -> None:
    check_statuses(module)


@settings(max_examples=25)
@given(horn_programs(most=3, small=True))
def test_the_closure_agrees_with_enumeration(module: Module) -> None:
    check_small(module)


@settings(max_examples=60)
@given(recursive_programs())
def test_parts_of_relations_agree_with_z3(module: Module) -> None:
    """[CLOSURE-PART] Claims about single atoms, decided before any relation is evaluated as a whole."""
    check_statuses(module)


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
