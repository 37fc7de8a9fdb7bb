"""[MODEL-ASK] Whole models over the wire: there when asked for, and never at the cost of the answer."""

from __future__ import annotations

import time

import pytest

from potlang.engines.messages import MOST_MODEL, Query, affords_model
from potlang.engines.solver import SolverSession
from potlang.processes.pool import Workers

BASE = """
(declare-sort $S 0)(declare-const $a $S)(declare-const $b $S)(declare-fun $P ($S) Bool)
(assert (forall ((x $S)) (=> (= x $a) ($P x))))(assert (not ($P $b)))
"""
ALTERNATING = """
(assert (forall ((x $S)) (exists ((y $S)) (and ($R x y) (not (= x y))))))
(assert (forall ((x $S) (y $S) (z $S))
  (=> (and ($R x y) ($R y z)) (exists ((w $S)) (and ($R z w) (not ($R w x)))))))
"""
WITH_MODELS = ("z3", "cvc5", "cvc5-fmf")


@pytest.mark.parametrize("engine", WITH_MODELS)
def test_a_model_is_there_when_asked_for(shared: Workers, engine: str) -> None:
    with SolverSession(shared, engine, BASE) as session:
        asked, plain = session.ask_all((Query("", ("$a",), model=True), Query("", ("$a",))), 5000)
        refuted = session.ask(Query("(assert (= $a $b))", core=True, model=True), 5000)
    assert (asked.status, plain.status, refuted.status) == ("sat", "sat", "unsat")
    assert asked.model is not None
    assert "(define-fun $P " in asked.model
    assert asked.values is not None
    assert plain.model is None
    assert refuted.model is None
    assert refuted.core == ()


def test_pysmt_has_values_but_no_models(shared: Workers) -> None:
    with SolverSession(shared, "cvc5-pysmt", BASE) as session:
        answer = session.ask(Query("", ("$a",), model=True), 5000)
    assert (answer.status, answer.model) == ("sat", None)


@pytest.mark.parametrize("engine", WITH_MODELS)
def test_queries_after_a_model_are_answered_as_before(shared: Workers, engine: str) -> None:
    """Printing a model leaves no option behind that changes what later queries print."""
    deep = "(declare-const $n Int)(assert (= $n 5))"
    with SolverSession(shared, engine, BASE) as session:
        before = session.ask(Query(deep, ("(and ($P $a) (= $n 5))", "$n")), 5000)
        session.ask(Query(deep, model=True), 5000)
        after = session.ask(Query(deep, ("(and ($P $a) (= $n 5))", "$n")), 5000)
    assert before._replace(time_ms=0) == after._replace(time_ms=0)


def test_a_finite_model_of_the_second_try_is_whole(shared: Workers) -> None:
    with SolverSession(
        shared, "cvc5", "(declare-sort $S 0)(declare-fun $R ($S $S) Bool)" + ALTERNATING
    ) as session:
        answer = session.ask(Query("", model=True), 5000)
    assert answer.status == "sat"
    assert answer.model is not None
    assert "; rep: " in answer.model


def test_what_is_shared_in_a_model_is_not_written_out(shared: Workers) -> None:
    """Forty definitions, each of which uses the one before twice, are no text of 2 to the 40 characters."""
    lines = ["(declare-fun $p (Int) Bool)(define-fun $q0 () Bool ($p 0))"]
    lines += [
        f"(define-fun $q{i} () Bool (xor ($p {i}) (and $q{i - 1} (or $q{i - 1} ($p 1)))))"
        for i in range(1, 41)
    ]
    with SolverSession(shared, "z3", "".join(lines)) as session:
        began = time.monotonic()
        answer = session.ask(Query("(assert $q40)", model=True), 60_000)
        spent = time.monotonic() - began
    assert answer.status == "sat"
    assert answer.model is not None
    assert len(answer.model) < 100_000
    assert spent < 30


def test_no_model_is_asked_for_that_would_not_come_in_time() -> None:
    """[LIMIT-WHOLE]"""
    assert affords_model(1_000, 10)
    assert not affords_model(100_000, 10)
    assert not affords_model(MOST_MODEL + 1, 1e9)


def test_a_base_too_large_for_a_model_still_has_its_answer(shared: Workers) -> None:
    """[LIMIT-WHOLE]"""
    padding = f"; {'x' * MOST_MODEL}\n"
    with SolverSession(shared, "z3", padding + BASE) as session:
        answer = session.ask(Query("", ("($P $a)",), model=True), 20_000)
    assert (answer.status, answer.model, answer.values) == ("sat", None, ("true",))
