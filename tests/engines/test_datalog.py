"""DuckDB as the closure's engine gives the answers of the engine in memory."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings

import potlang
from potlang.engines.horn import datalog
from potlang.engines.horn.engine import EvaluationLimits, EvaluationTimeout, Merging, TooManyRows
from potlang.engines.horn.recognition import recognise
from potlang.engines.horn.rules import EQUAL, FALSE, Atom, DatalogProgram, DatalogRule
from potlang.engines.horn.semi_naive import SemiNaive
from potlang.engines.horn.solver import HornSolver
from potlang.engines.horn.universe import Universe
from potlang.ir.module import Module

sys.path.append(str(Path(__file__).resolve().parents[1] / "passes"))

from horn_programs import horn_programs, recursive_programs

pytest.importorskip("duckdb")


def check_same(module: Module) -> None:
    """[CLOSURE-LARGE] The same conclusions."""
    memory = HornSolver(recognise(module))
    database = HornSolver(recognise(module), large=datalog.DuckDB, small_rows=-1)
    for claim in module.claims:
        one, other = memory.decide(claim.formula), database.decide(claim.formula)
        assert [side.status for side in one] == [side.status for side in other]


@settings(max_examples=12)
@given(horn_programs() | recursive_programs())
def test_the_same_conclusions(module: Module) -> None:
    check_same(module)


@pytest.mark.parametrize(("small", "databases"), [(10, 1), (1_000, 0)])
def test_a_database_is_made_where_more_rows_follow(small: int, databases: int) -> None:
    """[CLOSURE-LARGE] From 8 facts 28 + 8 pairs follow, in memory or in a database."""
    made: list[datalog.DuckDB] = []

    def database(program: DatalogProgram, universe: Universe, limits: EvaluationLimits) -> datalog.DuckDB:
        made.append(datalog.DuckDB(program, universe, limits))
        return made[-1]

    places = [f"n{at}" for at in range(9)]
    source = {
        "sorts": [{"name": "N", "type": "DeclareSort"}],
        "functions": [{"name": "before", "domain": ["N", "N"], "range": "Bool"}],
        "constants": {"places": {"sort": "N", "members": places}},
        "knowledge_base": [
            *(f"before({one}, {other})" for one, other in pairwise(places)),
            "ForAll([a: N, b: N, c: N], before(a, b) and before(b, c) -> before(a, c))",
        ],
        "verifications": [{"constraint": "before(n0, n8) and before(n1, n7)"}],
    }
    module = potlang.compile(source).module
    solver = HornSolver(recognise(module), large=database, small_rows=small)
    assert solver.decide(module.claims[0].formula).negation.status == "unsat"
    assert len(made) == databases


def test_a_database_that_is_out_of_time_before_it_began_is_as_it_was() -> None:
    """[CLOSURE-LARGE] Additions that never began cannot be taken back: that was an internal error."""
    database = datalog.DuckDB(transitive(5), Universe(), EvaluationLimits())
    database.limits = EvaluationLimits(expired=lambda: True)
    with pytest.raises(EvaluationTimeout):
        database.add([], [], [])
    database.backtrack()


@pytest.mark.slow
@settings(max_examples=1_500)
@given(horn_programs(most=7) | recursive_programs())
def test_the_same_conclusions_on_many(module: Module) -> None:
    check_same(module)


def programs(rng: random.Random) -> DatalogProgram:
    """Random rules over a few relations, mutually recursive ones among them."""
    arities = (0, 2, 1, 2, 2, 1, 3)
    relations = range(2, len(arities))

    def atom(variables: int) -> Atom:
        relation = rng.choice(relations)
        return Atom(relation, tuple(~rng.randrange(variables) for _ in range(arities[relation])))

    rules = []
    for _ in range(rng.randint(1, 6)):
        body = tuple(atom(4) for _ in range(rng.randint(1, 3)))
        bound = sorted({value for each in body for value in each.args})
        relation = rng.choice(relations)
        head = Atom(relation, tuple(rng.choice([*bound, 0]) for _ in range(arities[relation])))
        differ = ((bound[0], bound[-1]),) if rng.random() < 0.2 else ()
        rules.append(DatalogRule(head, body, differ))
    given = []
    for _ in range(rng.randint(0, 15)):
        relation = rng.choice(relations)
        given.append((relation, tuple(rng.randrange(5) for _ in range(arities[relation]))))
    return DatalogProgram(arities, tuple(rules), tuple(given), lambda a, b: a != b)


def separated(size: int) -> Universe:
    """Constants that all differ."""
    universe = Universe()
    universe.groups.append(None)
    universe.group_of.update(dict.fromkeys(range(size), (0,)))
    return universe


def rows_of(engine: SemiNaive | datalog.DuckDB, program: DatalogProgram) -> list[set[tuple[int, ...]]]:
    return [set(engine.table(relation)) for relation in range(len(program.arities))]


@pytest.mark.parametrize(
    "seed", [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 300))]
)
def test_the_same_rows(seed: int) -> None:
    """[CLOSURE-LARGE] Every relation has the same rows, before, with and after additions."""
    program = programs(random.Random(seed))
    least = SemiNaive(program, EvaluationLimits())
    database = datalog.DuckDB(program, separated(5), EvaluationLimits())
    everything = range(len(program.arities))
    for engine in (least, database):
        engine.ensure(everything)
    before = rows_of(least, program)
    assert rows_of(database, program) == before
    extra = ((2, (4,)), (3, (3, 4)))
    for engine in (least, database):
        engine.add(extra, (DatalogRule(Atom(5, (~0,)), (Atom(2, (~0,)),), ()),), everything)
    assert rows_of(database, program) == rows_of(least, program)
    for engine in (least, database):
        engine.backtrack()
        assert rows_of(engine, program) == before
    database.close()


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize(
    ("pairs", "differ", "outcome"),
    [
        (((3, 3),), True, "holds"),
        (((3, 3), (1, 2)), True, "violated"),
        (((1, 2),), True, "violated"),
        (((3, 3), (1, 2)), False, "merging"),
        ((), True, "holds"),
    ],
)
def test_what_equations_of_constants_do(
    pairs: tuple[tuple[int, int], ...], differ: bool, outcome: str, added: bool
) -> None:
    """[CLOSURE-LARGE] [CLOSURE-EQUAL] Of different ones a violation; of others they would be one."""
    rule = DatalogRule(Atom(EQUAL, (~0, ~1)), (Atom(2, (~0, ~1)),), ())
    given = tuple((2, pair) for pair in pairs)
    program = DatalogProgram((0, 2, 2), (rule,), () if added else given, lambda a, b: differ and a != b)
    universe = separated(5) if differ else Universe()
    for engine in (
        SemiNaive(program, EvaluationLimits()),
        datalog.DuckDB(program, universe, EvaluationLimits()),
    ):
        found = "holds"
        try:
            engine.ensure((FALSE, EQUAL))
            if added:
                engine.add(given, (), (FALSE, EQUAL))
            found = "violated" if engine.violated else found
        except Merging:
            found = "merging"
        assert found == outcome


def transitive(size: int) -> DatalogProgram:
    rules = (
        DatalogRule(Atom(2, (~0, ~1)), (Atom(3, (~0, ~1)),), ()),
        DatalogRule(Atom(2, (~0, ~2)), (Atom(2, (~0, ~1)), Atom(3, (~1, ~2))), ()),
    )
    given = tuple((3, (n, n + 1)) for n in range(size))
    return DatalogProgram((0, 2, 2, 2), rules, given, lambda a, b: False)


NONLINEAR = {
    "doubling": ((2, (~0, ~2)), ((2, (~0, ~1)), (2, (~1, ~2)))),
    "product": ((2, (~0, ~1)), ((2, (~0, 0)), (2, (~1, ~1)))),
    "triangle": ((2, (~2, ~0)), ((2, (~0, ~1)), (2, (~1, ~2)), (2, (~2, ~2)))),
}


@pytest.mark.parametrize("name", NONLINEAR)
def test_rules_that_use_their_relation_twice(name: str) -> None:
    """[CLOSURE-LARGE] What is new is joined with what is old, not only with what is new."""
    (head, body) = NONLINEAR[name]
    linear = DatalogRule(Atom(2, (~1, ~0)), (Atom(2, (~0, ~1)), Atom(3, (~0, ~1))), ())
    rule = DatalogRule(Atom(*head), tuple(Atom(*atom) for atom in body), ())
    given = [(relation, (n, n + 1)) for n in range(9) for relation in (2, 3)]
    given += [(2, (0, 0)), (2, (4, 4))]
    program = DatalogProgram((0, 2, 2, 2), (rule, linear), tuple(given), lambda a, b: False)
    least, database = (
        SemiNaive(program, EvaluationLimits()),
        datalog.DuckDB(program, Universe(), EvaluationLimits()),
    )
    for engine in (least, database):
        engine.ensure((2,))
    assert rows_of(database, program) == rows_of(least, program)
    database.close()


def test_the_bound_and_the_clock() -> None:
    """[CLOSURE-BOUND]"""
    database = datalog.DuckDB(transitive(400), Universe(), EvaluationLimits(rows=5_000))
    with pytest.raises(TooManyRows):
        database.ensure((2,))
    database.limits = EvaluationLimits(expired=lambda: True)
    with pytest.raises(EvaluationTimeout):
        database.ensure((2,))
    database.limits = EvaluationLimits()
    database.ensure((2,))
    assert database.count(2) == 400 * 401 // 2
    database.close()


def test_an_interruption_comes_through_a_query() -> None:
    """[STOP-SIGNAL] DuckDB calls it an error of another kind."""
    begun = threading.Event()

    def expired() -> bool:
        begun.set()
        return False

    def interrupt() -> None:
        begun.wait(60)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    database = datalog.DuckDB(transitive(6_000), Universe(), EvaluationLimits(rows=10**9, expired=expired))
    interruption = threading.Thread(target=interrupt)
    interruption.start()
    with pytest.raises(KeyboardInterrupt):
        database.ensure((2,))
    interruption.join()
    database.close()


def test_a_long_query_is_interrupted() -> None:
    """[CLOSURE-BOUND] Time that is over while a query runs ends it."""
    database = datalog.DuckDB(transitive(6_000), Universe(), EvaluationLimits(rows=10**9))
    ticks = iter(range(10**9))
    database.limits = EvaluationLimits(rows=10**9, expired=lambda: next(ticks) > 4)
    with pytest.raises(EvaluationTimeout):
        database.ensure((2,))
    database.close()
