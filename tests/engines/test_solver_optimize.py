"""Optimization with z3: the five outcomes, and what comes with each."""

from __future__ import annotations

import random

import pytest

from potlang.engines.messages import OptimizeAnswer, OptimizeQuery
from potlang.engines.sat import cheapest
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers

BOX = (
    "(declare-const x Int)(declare-const y Int)(assert (<= 0 x 5))(assert (<= 0 y 5))(assert (<= (+ x y) 3))"
)


def optimize(workers: Workers, query: OptimizeQuery, limit: int = 5000) -> OptimizeAnswer:
    with SolverSession(workers, "z3", "(declare-const q Real)") as session:
        return session.optimize(query, limit)


def test_the_least_value(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery("(declare-const x Int)(assert (> (* 3 x) 10))", "x"))
    assert (answer.status, answer.value) == ("optimal", "4")


def test_the_largest_value(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery(BOX, "(+ x x y)", maximize=True))
    assert (answer.status, answer.value) == ("optimal", "6")


@pytest.mark.parametrize(
    ("text", "query", "status", "value"),
    [
        ("(assert (> q 3.0))", ("q", False), "unattained", "(+ 3.0 epsilon)"),
        ("(assert (< q 3.0))", ("q", True), "unattained", "(+ 3.0 (* (- 1.0) epsilon))"),
        ("(assert (> q 3.0))", ("q", True), "unbounded", "oo"),
        ("(assert (< q 3.0))", ("q", False), "unbounded", "(* (- 1) oo)"),
        ("(assert (>= q 3.0))", ("(* 2.0 q)", False), "optimal", "6"),
    ],
)
def test_infima(shared: Workers, text: str, query: tuple[str, bool], status: str, value: str) -> None:
    answer = optimize(shared, OptimizeQuery(text, *query))
    assert (answer.status, answer.value) == (status, value)


def test_nothing_feasible(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery("(assert (> q 3.0))(assert (< q 3.0))", "q"))
    assert (answer.status, answer.value) == ("infeasible", None)


def test_out_of_time_keeps_the_bounds(shared: Workers) -> None:
    weights = [(7 * i * i + 3 * i + 5) % 31 + 1 for i in range(60)]
    text = "".join(f"(declare-const b{i} Int)(assert (<= 0 b{i} 1))" for i in range(60))
    for shift in range(40):
        row = " ".join(f"(* {weights[(i * (shift + 3) + shift) % 60]} b{i})" for i in range(60))
        text += f"(assert (>= (+ {row}) {300 + 5 * shift}))"
    cost = "(+ " + " ".join(f"(* {weights[i * 7 % 60]} b{i})" for i in range(60)) + ")"
    answer = optimize(shared, OptimizeQuery(text, cost), 1_500)
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert answer.bounds is not None


def test_errors_and_engines_that_do_not_optimize(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery("(assert nowhere)", "q"))
    assert (answer.status, answer.reason) == ("unknown", "error")
    for engine in ("cvc5", "cvc5-pysmt"):
        with SolverSession(shared, engine) as session:
            other = session.optimize(OptimizeQuery(BOX, "x"), 1000)
        assert (other.status, other.reason) == ("unknown", "unsupported")


def test_an_optimization_that_hangs_is_killed(shared: Workers, hang: str) -> None:
    with SolverSession(shared, "z3") as session:
        answer = session.optimize(OptimizeQuery(hang, "x"), 300)
        assert (answer.status, answer.reason) == ("unknown", "timeout")
        after = session.optimize(OptimizeQuery(BOX, "x"), 5000)
    assert after.status == "optimal"


def test_the_cheapest_way_to_have_one_of_each(shared: Workers) -> None:
    """RC2 against all subsets."""
    rng = random.Random(4)
    for _ in range(30):
        costs = [rng.randint(1, 9) for _ in range(6)]
        clauses = [rng.sample(range(1, 7), rng.randint(1, 4)) for _ in range(rng.randint(0, 6))]
        subsets = [{i + 1 for i in range(6) if bits >> i & 1} for bits in range(64)]
        fitting = [each for each in subsets if all(each & set(clause) for clause in clauses)]
        best = min(sum(costs[number - 1] for number in each) for each in fitting)
        found = cheapest(clauses, costs, shared, 5000)
        assert found is not None
        chosen = {number for number in found if number <= 6}
        assert chosen in fitting
        assert sum(costs[number - 1] for number in chosen) == best
