"""Optimization with z3: the five outcomes, and what comes with each."""

from __future__ import annotations

import pytest

from potlang.engines.messages import ObjectiveTerm, OptimizeAnswer, OptimizeQuery, Priority
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers

BOX = (
    "(declare-const x Int)(declare-const y Int)(assert (<= 0 x 5))(assert (<= 0 y 5))(assert (<= (+ x y) 3))"
)
BOTH = (ObjectiveTerm("x", maximize=True), ObjectiveTerm("y", maximize=True))


def optimize(workers: Workers, query: OptimizeQuery, limit: int = 5000) -> OptimizeAnswer:
    with SolverSession(workers, "z3", "(declare-const q Real)") as session:
        return session.optimize(query, limit)


def test_the_least_value_and_its_model(shared: Workers) -> None:
    query = OptimizeQuery("(declare-const x Int)(assert (> (* 3 x) 10))", (ObjectiveTerm("x"),), ("(* 3 x)",))
    answer = optimize(shared, query)
    assert answer.status == "optimal"
    assert [(point.objectives, point.values) for point in answer.points] == [(("4",), ("12",))]


@pytest.mark.parametrize(("priority", "expected"), [("lex", ("3", "0")), ("box", ("3", "3"))])
def test_several_objectives(shared: Workers, priority: Priority, expected: tuple[str, ...]) -> None:
    answer = optimize(shared, OptimizeQuery(BOX, BOTH, ("x", "y"), priority))
    assert answer.status == "optimal"
    assert [point.objectives for point in answer.points] == [expected]


def test_all_pareto_points_and_no_others(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery(BOX, BOTH, ("x", "y"), "pareto"))
    assert answer.complete
    assert sorted(point.objectives for point in answer.points) == [
        ("0", "3"),
        ("1", "2"),
        ("2", "1"),
        ("3", "0"),
    ]
    assert all(point.objectives == point.values for point in answer.points)


def test_a_bound_on_pareto_points_is_told(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery(BOX, BOTH, (), "pareto", points=2))
    assert len(answer.points) == 2
    assert not answer.complete
    exact = optimize(shared, OptimizeQuery(BOX, BOTH, (), "pareto", points=4))
    assert exact.complete


@pytest.mark.parametrize(
    ("text", "objective", "status", "value"),
    [
        ("(assert (> q 3.0))", ObjectiveTerm("q"), "unattained", "(+ 3.0 epsilon)"),
        (
            "(assert (< q 3.0))",
            ObjectiveTerm("q", maximize=True),
            "unattained",
            "(+ 3.0 (* (- 1.0) epsilon))",
        ),
        ("(assert (> q 3.0))", ObjectiveTerm("q", maximize=True), "unbounded", "oo"),
        ("(assert (< q 3.0))", ObjectiveTerm("q"), "unbounded", "(* (- 1) oo)"),
        ("(assert (>= q 3.0))", ObjectiveTerm("(* 2.0 q)"), "optimal", "6"),
    ],
)
def test_infima(shared: Workers, text: str, objective: ObjectiveTerm, status: str, value: str) -> None:
    answer = optimize(shared, OptimizeQuery(text, (objective,), ("q",)))
    assert answer.status == status
    assert [point.objectives for point in answer.points] == [(value,)]
    assert answer.points[0].values is not None


def test_nothing_feasible(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery("(assert (> q 3.0))(assert (< q 3.0))", (ObjectiveTerm("q"),)))
    assert (answer.status, answer.points) == ("infeasible", ())


def test_out_of_time_keeps_the_bounds(shared: Workers) -> None:
    weights = [(7 * i * i + 3 * i + 5) % 31 + 1 for i in range(60)]
    text = "".join(f"(declare-const b{i} Int)(assert (<= 0 b{i} 1))" for i in range(60))
    for shift in range(40):
        row = " ".join(f"(* {weights[(i * (shift + 3) + shift) % 60]} b{i})" for i in range(60))
        text += f"(assert (>= (+ {row}) {300 + 5 * shift}))"
    cost = "(+ " + " ".join(f"(* {weights[i * 7 % 60]} b{i})" for i in range(60)) + ")"
    answer = optimize(shared, OptimizeQuery(text, (ObjectiveTerm(cost),)), 400)
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert len(answer.bounds) == 1


def test_errors_and_engines_that_do_not_optimize(shared: Workers) -> None:
    answer = optimize(shared, OptimizeQuery("(assert nowhere)", (ObjectiveTerm("q"),)))
    assert (answer.status, answer.reason) == ("unknown", "error")
    for engine in ("cvc5", "cvc5-pysmt"):
        with SolverSession(shared, engine) as session:
            other = session.optimize(OptimizeQuery(BOX, BOTH), 1000)
        assert (other.status, other.reason) == ("unknown", "unsupported")


def test_an_optimization_that_hangs_is_killed(shared: Workers, hang: str) -> None:
    with SolverSession(shared, "z3") as session:
        answer = session.optimize(OptimizeQuery(hang, (ObjectiveTerm("x"),)), 300)
        assert (answer.status, answer.reason) == ("unknown", "timeout")
        after = session.optimize(OptimizeQuery(BOX, BOTH), 5000)
    assert after.status == "optimal"
