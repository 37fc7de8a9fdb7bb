"""Propositional problems: the small solver, CaDiCaL in a worker, proofs that replay, limits that hold."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.certify.propagation import ClauseDatabase
from potlang.certify.tokens import StepBudget
from potlang.engines.messages import Query
from potlang.engines.propositional import Propositional
from potlang.engines.sat import solve_clauses
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers
from potlang.utils.deadline import Deadline

Problem = list[list[int]]
MOST = 6
literals = st.integers(1, MOST).flatmap(lambda number: st.sampled_from([number, -number]))
problems = st.lists(st.lists(literals, min_size=1, max_size=3), max_size=30)


def soon() -> Deadline:
    return Deadline(10_000)


def pigeons(count: int, holes: int) -> Problem:
    at = [[hole + pigeon * holes + 1 for hole in range(holes)] for pigeon in range(count)]
    pairs = itertools.combinations(range(count), 2)
    return at + [[-at[a][hole], -at[b][hole]] for a, b in pairs for hole in range(holes)]


def brute_force(problem: Problem) -> bool:
    return any(
        all(any((values[abs(lit) - 1]) is (lit > 0) for lit in clause) for clause in problem)
        for values in itertools.product([False, True], repeat=MOST)
    )


def accepts(problem: Problem, lemmas: Sequence[Sequence[int]]) -> bool:
    """Whether the kernel's propagation takes the lemmas one after another, up to the empty clause."""
    kernel = ClauseDatabase(StepBudget(10_000_000))
    for clause in problem:
        if not any(-lit in clause for lit in clause):
            kernel.add(tuple(dict.fromkeys(clause)))
    for lemma in lemmas:
        if not kernel.implies(lemma):
            return False
        kernel.add(tuple(lemma))
    return kernel.propagate()


def solver_of(problem: Problem) -> Propositional:
    solver = Propositional()
    for clause in problem:
        solver.add(clause)
    return solver


def test_every_clause_is_watched_at_two_literals() -> None:
    """Learnt ones, too: one that is watched at one alone does no harm but to the time that it takes."""
    solver = solver_of(pigeons(5, 4))
    assert solver.solve(1_000, soon()) is False
    assert len(solver._clauses) > len(pigeons(5, 4))
    for place, clause in enumerate(solver._clauses):
        assert all(place in solver._watches[literal] for literal in clause[:2] if len(clause) > 1)


@settings(max_examples=300)
@given(problems, st.integers(0, 30))
def test_the_small_solver_agrees_with_brute_force(problem: Problem, first: int) -> None:
    solver = solver_of(problem[:first])
    solver.solve(1_000, soon())
    for clause in problem[first:]:
        solver.add(clause)
    found = solver.solve(1_000, soon())
    assert found is brute_force(problem)
    if found:
        true = set(solver.true_variables())
        assert all(any((abs(lit) in true) is (lit > 0) for lit in clause) for clause in problem)
    else:
        trace = solver.trace()
        assert accepts([problem[number] for number in trace.clauses], trace.lemmas)


def test_its_models_make_little_true() -> None:
    solver = solver_of([[1, 2, 3], [-4, 5], [6, -5]])
    assert solver.solve(10, soon())
    assert len(solver.true_variables()) == 1


def test_conflicts_and_time_are_limited() -> None:
    assert solver_of(pigeons(8, 7)).solve(10, soon()) is None
    assert solver_of(pigeons(9, 8)).solve(10**9, Deadline(50)) is None


def test_a_refutation_leaves_out_what_it_does_not_use() -> None:
    problem = [[1], [9, 10], [-1, 2], [-9, -10], [-2], [7, 8]]
    solver = solver_of(problem)
    assert solver.solve(100, soon()) is False
    assert solver.trace() == ((0, 2, 4), ())


def test_a_proof_that_does_not_follow_is_not_replayed() -> None:
    problem = pigeons(4, 3)
    solver = solver_of(problem)
    assert solver.solve(10_000, soon()) is False
    lemmas = solver.trace().lemmas
    assert solver_of(problem).replay(lemmas, soon())
    assert not solver_of(problem).replay(lemmas[: len(lemmas) // 2], soon())
    assert not solver_of(problem).replay([[1]], soon())


def test_cadical_decides_and_its_proof_replays(shared: Workers) -> None:
    problem = pigeons(7, 6)
    answer = solve_clauses(problem, shared, 20_000)
    assert answer.status == "unsat" and answer.lemmas
    assert accepts(problem, answer.lemmas)
    solver = solver_of(problem)
    assert solver.replay(answer.lemmas, soon())
    trace = solver.trace()
    assert accepts([problem[number] for number in trace.clauses], trace.lemmas)


def test_cadical_models_are_models(shared: Workers) -> None:
    problem = pigeons(6, 6)
    answer = solve_clauses(problem, shared, 20_000)
    assert answer.status == "sat"
    assert all(any((abs(lit) in answer.true) is (lit > 0) for lit in clause) for clause in problem)


def test_no_clauses_and_the_empty_clause(shared: Workers) -> None:
    assert solve_clauses([], shared, 5_000).status == "sat"
    assert solve_clauses([[]], shared, 5_000).status == "unsat"
    assert solver_of([]).solve(1, soon()) is True
    assert solver_of([[]]).solve(1, soon()) is False


def test_a_hard_problem_is_unknown_at_the_limit(workers: Workers) -> None:
    assert solve_clauses([[1]], workers, 20_000).status == "sat"
    began = time.monotonic()
    answer = solve_clauses(pigeons(13, 12), workers, 200)
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert time.monotonic() - began < 30
    assert solve_clauses([[1], [-1]], workers, 20_000).status == "unsat"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_worker_is_unknown(workers: Workers) -> None:
    with SolverSession(workers, "sat") as session:
        assert session.ask(Query("1 0"), 20_000).status == "sat"
        process = session._process
        assert process is not None
        text = "\n".join(" ".join(map(str, (*clause, 0))) for clause in pigeons(13, 12))
        killer = threading.Timer(0.2, os.kill, (process.pid, signal.SIGKILL))
        killer.start()
        answer = session.ask(Query(text), 1_000)
        killer.join()
    assert answer.status == "unknown"
    assert answer.reason in ("crash", "timeout")
