"""Witnesses, violations and answers to `find` ([VERDICT-WITNESS], [VERDICT-NORM], [VERDICT-FIND])."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from verdict_programs import PERSON, World, mortals, plus, symbol

from potlang.ir.module import Module
from potlang.ir.operators import LT
from potlang.ir.sorts import BOOL, INT
from potlang.processes.pool import Workers
from potlang.prove.bindings import MOST_CANDIDATES
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Bindings, ProgramResult, Verdict

Solve = Callable[[Module], ProgramResult]


@pytest.fixture(scope="module")
def solve(shared: Workers) -> Solve:
    def run(module: Module) -> ProgramResult:
        with Prover(module, ProverOptions(trust="solver"), workers=shared) as session:
            return session.report()

    return run


def test_exists_names_a_witness(solve: Solve) -> None:
    world = mortals()
    world.claim("someone", world.quantify("exists", PERSON, symbol(world, "mortal"), "who"))
    result = solve(world.module()).results[0]
    assert result.verdict is Verdict.ENTAILED
    assert result.evidence.witness is not None
    assert result.evidence.witness.bindings == ({"who": "socrates"},)


def test_forall_names_a_violation(solve: Solve) -> None:
    world = mortals()
    var = world.pool.var("x", PERSON)
    nobody = world.pool.negate(world.app(symbol(world, "mortal"), var))
    world.claim("nobody", world.pool.quant("forall", (var,), nobody))
    result = solve(world.module()).results[0]
    assert result.verdict is Verdict.REFUTED
    assert result.evidence.witness is not None
    assert result.evidence.witness.bindings == ({"x": "socrates"},)


def test_a_disjunctive_witness_where_none_is_certain(solve: Solve) -> None:
    world = World(PERSON)
    guilty = world.function("guilty", [PERSON])
    people = [world.constant(name, PERSON) for name in ("ann", "ben", "cat")]
    world.fact("one of two", world.pool.disj([world.app(guilty, people[0]), world.app(guilty, people[2])]))
    world.claim("someone", world.quantify("exists", PERSON, guilty))
    witness = solve(world.module()).results[0].evidence.witness
    assert witness is not None
    assert witness.bindings == ({"x": "ann"}, {"x": "cat"})
    assert witness.minimal and not witness.certain


def test_a_number_is_proposed_by_a_model(solve: Solve) -> None:
    """Nothing in the program mentions 3 ([VERDICT-WITNESS])."""
    world = World()
    var = world.pool.var("n", INT)
    body = world.pool.eq(plus(world, var, world.pool.integer(2)), world.pool.integer(5))
    world.claim("three", world.pool.quant("exists", (var,), body))
    result = solve(world.module()).results[0]
    assert result.verdict is Verdict.ENTAILED
    assert result.evidence.witness is not None
    assert result.evidence.witness.bindings == ({"n": "3"},)


def test_no_witness_where_nothing_named_fits(solve: Solve) -> None:
    """Someone is mortal, and it is neither of those named."""
    world = mortals()
    fond = world.function("fond", [PERSON])
    world.fact("someone is fond", world.quantify("exists", PERSON, fond))
    world.claim("someone", world.quantify("exists", PERSON, fond))
    result = solve(world.module()).results[0]
    assert (result.verdict, result.evidence.witness) == (Verdict.ENTAILED, None)


def test_two_binders_make_pairs(solve: Solve) -> None:
    world = World(PERSON)
    likes = world.function("likes", [PERSON, PERSON])
    ann, ben = world.constant("ann", PERSON), world.constant("ben", PERSON)
    world.fact("ann likes ben", world.app(likes, ann, ben))
    x, y = world.pool.var("x", PERSON), world.pool.var("y", PERSON)
    world.claim("someone", world.pool.quant("exists", (x, y), world.app(likes, x, y)))
    witness = solve(world.module()).results[0].evidence.witness
    assert witness is not None
    assert witness.bindings == ({"x": "ann", "y": "ben"},)


def test_find_tells_certain_from_possible(solve: Solve) -> None:
    world = mortals()
    plato = world.constant("plato", PERSON)
    world.fact("plato lives on", world.pool.negate(world.app(symbol(world, "mortal"), plato)))
    var = world.pool.var("who", PERSON)
    world.claim("who", world.app(symbol(world, "mortal"), var), var)
    result = solve(world.module()).results[0]
    assert result.verdict is Verdict.ENTAILED
    assert result.evidence.bindings == Bindings(({"who": "socrates"},), ({"who": "bob"},))


def test_find_over_quantified_bodies(solve: Solve) -> None:
    """Whoever everybody likes: no model shows the truth of a quantifier, so each is asked for."""
    world = World(PERSON)
    likes = world.function("likes", [PERSON, PERSON])
    ann = world.constant("ann", PERSON)
    world.constant("ben", PERSON)
    who, all_ = world.pool.var("who", PERSON), world.pool.var("y", PERSON)
    other = world.pool.var("z", PERSON)
    world.fact("all like ann", world.pool.quant("forall", (other,), world.app(likes, other, ann)))
    body = world.pool.quant("forall", (all_,), world.app(likes, all_, who))
    world.claim("liked", body, who)
    bindings = solve(world.module()).results[0].evidence.bindings
    assert bindings == Bindings(({"who": "ann"},), ({"who": "ben"},))


def test_a_norm_lists_violations_certain_and_possible(solve: Solve) -> None:
    world = World(PERSON)
    works, helmet = world.function("works", [PERSON]), world.function("helmet", [PERSON])
    ann, ben, cat = (world.constant(name, PERSON) for name in ("ann", "ben", "cat"))
    for person in (ann, ben, cat):
        world.fact(f"works {person.id}", world.app(works, person))
    world.fact("ann has none", world.pool.negate(world.app(helmet, ann)))
    world.fact("cat has one", world.app(helmet, cat))
    world.norm("helmets", world.implies_all(works, helmet))
    result = solve(world.module()).results[0]
    assert (result.kind, result.verdict) == ("norm", Verdict.REFUTED)
    assert result.evidence.violations == Bindings(({"x": "ann"},), ({"x": "ben"},))


def test_a_kept_norm_has_no_violations(solve: Solve) -> None:
    world = mortals()
    world.norm("mortality", world.implies_all(symbol(world, "human"), symbol(world, "mortal")))
    result = solve(world.module()).results[0]
    assert (result.verdict, result.evidence.violations) == (Verdict.ENTAILED, None)


@pytest.mark.slow
def test_candidates_are_bounded_and_the_report_says_so(solve: Solve) -> None:
    """[LIMIT-BINDINGS]"""
    world = World(PERSON)
    likes = world.function("likes", [PERSON, PERSON])
    people = [world.constant(f"p{number}", PERSON) for number in range(40)]
    world.fact("a pair", world.app(likes, people[0], people[1]))
    x, y = world.pool.var("x", PERSON), world.pool.var("y", PERSON)
    world.claim("pairs", world.app(likes, x, y), x, y)
    bindings = solve(world.module()).results[0].evidence.bindings
    assert bindings is not None
    assert bindings.cut == 40 * 40 - MOST_CANDIDATES
    assert bindings.certain == ({"x": "p0", "y": "p1"},)
    assert len(bindings.certain) + len(bindings.possible) == MOST_CANDIDATES


def test_truth_values_and_numbers_are_candidates(solve: Solve) -> None:
    world = World()
    limit = world.constant("limit", INT)
    world.fact("limit", world.pool.app(LT, (world.pool.integer(7), limit)))
    n, b = world.pool.var("n", INT), world.pool.var("b", BOOL)
    body = world.pool.conj([world.pool.app(LT, (n, limit)), b])
    world.claim("below", body, n, b)
    bindings = solve(world.module()).results[0].evidence.bindings
    assert bindings == Bindings(({"n": "7", "b": "True"},), ())
