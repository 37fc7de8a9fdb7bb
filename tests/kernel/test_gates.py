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


def implied(gates: Gates, assumed: list[int], literal: int) -> bool:
    with Solver("cadical153", bootstrap_with=gates.clauses) as solver:
        return bool(solver.solve(assumptions=[*assumed, literal])) and not solver.solve(
            assumptions=[*assumed, -literal]
        )


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("modulus", [1, 2, 3])
def test_a_function_has_the_image_of_the_value_that_is_true(count: int, modulus: int) -> None:
    gates = Gates(StepBudget(1_000_000))
    values = gates.fresh(range(count))
    gates.define(values.values())
    gates.at_most_one([*values.values()], gates.define)
    image = gates.image(values, lambda value: value % modulus)
    assert image.keys() == {value % modulus for value in range(count)}
    for value, literal in values.items():
        for found, said in image.items():
            assert implied(gates, [literal], said if found == value % modulus else -said)


@pytest.mark.parametrize("branches", [["a"], ["a", "b"], ["a", "ab"], ["ab", "b", "ca"], ["ab", "bc", "cd"]])
def test_a_choice_has_the_values_of_the_branch_that_is_chosen(branches: list[str]) -> None:
    gates = Gates(StepBudget(1_000_000))
    index = gates.fresh(range(len(branches)))
    inner = {key: gates.fresh(branch) for key, branch in enumerate(branches)}
    for values in (index, *inner.values()):
        gates.define(values.values())
        gates.at_most_one([*values.values()], gates.define)
    chosen = gates.chosen(index, inner)
    assert chosen.keys() == set().union(*branches)
    for key, branch in enumerate(branches):
        for value in branch:
            for found, said in chosen.items():
                assert implied(gates, [index[key], inner[key][value]], said if found == value else -said)
