"""Models over more and more members. [DIRECT-GROW]"""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import pytest
from test_saturation import HARD, random_program
from verdict_programs import World

from potlang import api
from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.engines.finite.growing import MOST_MEMBERS, GrowingEntrant, GrowingProcedure
from potlang.engines.messages import SolverAnswer
from potlang.ir.module import Module
from potlang.ir.sorts import INT, DeclaredSort
from potlang.processes.pool import Workers
from potlang.prove.evaluation import Evaluations
from potlang.report.results import Limits

NOT_ABELIAN: dict[str, Any] = {**HARD, "knowledge_base": HARD["knowledge_base"][:3]}  # type: ignore[index]


def entrant_of(module: Module, workers: Workers, negated: bool) -> GrowingEntrant | None:
    procedure = GrowingProcedure(ProgramContext.of(module, workers))
    claim = module.claims[0]
    return procedure.enter(Check("negation" if negated else "claim", claim.formula, negated, claim=claim))


def answered(
    module: Module, workers: Workers, negated: bool = True, most: int = MOST_MEMBERS
) -> SolverAnswer:
    """The answer; of a model the evaluator must say that it is one."""
    entrant = entrant_of(module, workers, negated)
    assert entrant is not None
    entrant._sized = entrant._sized[:most]
    answer = entrant.ask(entrant.query(), 20_000)
    if answer.status == "sat":
        result = entrant.read(CheckResult("sat", None, ()), answer)
        assert result.structure is not None
        structure = result.structure()
        assert structure is not None
        claim = module.claims[0].formula
        side = module.pool.negate(claim) if negated else claim
        assert Evaluations(module).both(structure, side).holds is True
        assert set(structure.functions) <= set(module.symbols)
    return answer


@pytest.mark.slow
def test_a_group_that_is_not_commutative(workers: Workers) -> None:
    """[DIRECT-GROW] The least has six members."""
    module = api.compile(NOT_ABELIAN, language="pot").module
    assert answered(module, workers).status == "sat"


def test_the_procedure_has_models_alone(workers: Workers) -> None:
    """[DIRECT-GROW]"""
    module = api.compile(NOT_ABELIAN, language="pot").module
    procedure = GrowingProcedure(ProgramContext.of(module, workers))
    claim = module.claims[0]
    found = procedure.decide(Check("claim", claim.formula, claim=claim))
    assert found is not None and (found.status, found.by) == ("sat", "models")
    procedure.close()


def test_what_has_no_small_model_is_unknown(workers: Workers) -> None:
    """[DIRECT-GROW] Never unsat: there may be larger ones."""
    module = api.compile(HARD, language="pot").module
    entrant = entrant_of(module, workers, negated=True)
    assert entrant is not None
    entrant._sized = entrant._sized[:3]
    answer = entrant.ask(entrant.query(), 20_000)
    assert (answer.status, answer.reason) == ("unknown", "incomplete")
    assert answer.detail == "there is no model with up to 3 members"


@pytest.mark.slow
def test_models_of_random_programs_are_models(workers: Workers) -> None:
    """[DIRECT-GROW] By the evaluator; and a claim that follows has no countermodel."""
    chance = random.Random(5)
    found = 0
    for _ in range(6):
        program = random_program(chance)
        module = api.compile(program, language="pot").module
        status = answered(module, workers, most=3).status
        assert status != "unsat"
        if status == "sat":
            found += 1
            (result,) = api.verify(program, language="pot", route="z3", trust="solver").results
            assert result.verdict not in ("entailed", "inconsistent")
    assert found > 1


def test_names_of_members_are_no_names_of_the_program(workers: Workers) -> None:
    """[DIRECT-GROW]"""
    thing = DeclaredSort("member0")
    world = World(thing)
    one, other = world.constant("member0", thing), world.constant("member1", thing)
    world.claim("same", world.pool.eq(one, other))
    assert answered(world.module(), workers).status == "sat"


def test_other_sorts_are_left_to_others(workers: Workers) -> None:
    """[DIRECT-GROW]"""
    thing = DeclaredSort("T")
    world = World(thing)
    age = world.function("age", [thing], INT)
    world.claim("old", world.pool.eq(world.app(age, world.constant("a", thing)), world.pool.integer(3)))
    assert entrant_of(world.module(), workers, negated=True) is None


def test_a_search_that_is_cancelled_ends(workers: Workers) -> None:
    """[DIRECT-GROW] Also while it encodes."""
    module = api.compile(HARD, language="pot").module
    entrant = entrant_of(module, workers, negated=True)
    assert entrant is not None
    entrant._sized = [entrant._sized[MOST_MEMBERS - 1]] * 50
    answers: list[SolverAnswer] = []
    thread = threading.Thread(target=lambda: answers.append(entrant.ask(entrant.query(), 60_000)))
    thread.start()
    time.sleep(0.2)
    began = time.monotonic()
    entrant.cancel()
    thread.join(60)
    assert time.monotonic() - began < 30
    assert [each.status for each in answers] == ["unknown"]


@pytest.mark.slow
def test_the_router_finds_what_solvers_do_not() -> None:
    """[DIRECT-GROW] [ROUTE-RACE]"""
    limits = Limits(check_ms=20_000, total_ms=30_000)
    (result,) = api.verify(NOT_ABELIAN, language="pot", limits=limits).results
    assert (result.verdict, result.trust) == ("undetermined", "checked")
