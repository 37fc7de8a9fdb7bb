"""[CERT-FINITE-TERM] The kernel's clauses, held against a SAT solver."""

from __future__ import annotations

import itertools

import pytest
from pysat.solvers import Solver

from potlang.certify.gates import Gates
from potlang.certify.tokens import StepBudget


@pytest.mark.parametrize("count", [3, 16, 17, 18, 31, 32, 33])
def test_at_most_one_is_true(count: int) -> None:
    """Each alone can be true, and no two can: pair by pair for few, by digits for many."""
    gates = Gates(StepBudget(1_000_000))
    literals = list(gates.fresh(range(count)).values())
    gates.at_most_one(literals, gates.define)
    with Solver("cadical153", bootstrap_with=gates.clauses) as solver:
        for one in literals:
            assert solver.solve(assumptions=[one])
        for pair in itertools.combinations(literals, 2):
            assert not solver.solve(assumptions=pair)
