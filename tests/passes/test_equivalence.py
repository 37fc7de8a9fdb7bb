"""Passes against z3, on random modules."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies.formulas import modules

from potlang.ir.module import Module
from potlang.ir.sorts import BOOL
from potlang.passes.pipeline import read_pipeline
from potlang.smt.printer import Printer

PIPELINES = ["simplify", "nnf", "nnf,prenex", "simplify{rounds=1},nnf,prenex,simplify"]
RANDOM = modules(nested=False, depth=3, most=1, definitions=False)


def agrees(module: Module, text: str) -> None:
    import z3

    after = read_pipeline(text).run(module)
    pool = module.pool
    pairs = zip(module.formulas(), after.formulas(), strict=True)
    # Free variables do not occur: these modules have no definitions and no claims with `find`.
    different = pool.disj([pool.negate(pool.eq(a, b)) for a, b in pairs if a.sort is BOOL and a is not b])
    printer = Printer(module)
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 500)
    solver.set("rlimit", 300_000)
    solver.from_string(printer.declarations() + "\n" + printer.assertion(different))
    assert solver.check() != z3.sat, solver.model()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(RANDOM, st.sampled_from(PIPELINES))
def test_no_structure_tells_before_from_after(module: Module, text: str) -> None:
    """[PASS-KEEPS-1]"""
    agrees(module, text)


@pytest.mark.slow
@settings(max_examples=1_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(RANDOM, st.sampled_from(PIPELINES))
def test_no_structure_tells_before_from_after_deep(module: Module, text: str) -> None:
    agrees(module, text)
