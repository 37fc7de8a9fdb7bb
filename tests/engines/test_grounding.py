"""Grounding end to end, on small programs: evidence the kernel accepts, models, and what is refused."""

from __future__ import annotations

import itertools
import time

import pytest
from verdict_programs import PERSON, World

import potlang
from potlang.certify import Refutation, read_theory
from potlang.engines.ground.grounding import Grounded, Grounder, GroundLimits, Side
from potlang.engines.kernel_reading import KernelReading
from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Definition, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.sorts import BOOL, INT, DeclaredSort, EnumSort, Sort
from potlang.ir.text import print_module
from potlang.processes.pool import Workers
from potlang.prove.modelcheck import check_model

HOUSE = DeclaredSort("House")
COLOUR = EnumSort("Colour", ("red", "green", "blue"))
LIMITS = GroundLimits(timeout_ms=5_000)


def decide(world: World, side: Side = "negation", limits: GroundLimits = LIMITS) -> Grounded:
    """The answer for the first claim; its evidence is checked here once more."""
    module = world.module()
    claim = module.claims[0] if module.claims else None
    side = side if claim else "assumptions"
    found = Grounder(module).decide(module.assertions, side, claim, limits)
    check(module, side, found)
    return found


def check(module: Module, side: Side, found: Grounded) -> None:
    claim = module.claims[0] if module.claims else None
    if found.status == "unsat":
        refutation = Refutation(read_theory(print_module(module)), side, claim.key if claim else None)
        for line in found.lines:
            refutation.statement(line)
        assert refutation.refuted
    elif found.status == "sat":
        assert found.structure is not None
        assert all(evaluate(each.formula, found.structure) is True for each in module.assertions)
        if claim is not None:
            assert evaluate(claim.formula, found.structure) is (side == "claim")


def forall(world: World, sorts: list[Sort], body: object) -> Node:
    variables = tuple(world.pool.var(name, sort) for name, sort in zip("xyzuvw", sorts, strict=False))
    return world.pool.quant("forall", variables, body(*variables))  # type: ignore[operator]


def exists(world: World, sort: Sort, body: object) -> Node:
    variable = world.pool.var("e", sort)
    return world.pool.quant("exists", (variable,), body(variable))  # type: ignore[operator]


def chain(length: int) -> World:
    """P0(a), P0 -> P1, …; claimed: the last."""
    world = World(PERSON)
    a = world.constant("a", PERSON)
    predicates = [world.function(f"P{at}", [PERSON]) for at in range(length + 1)]
    world.fact("start", world.app(predicates[0], a))
    for at, (one, next_) in enumerate(itertools.pairwise(predicates)):
        world.fact(f"rule{at}", world.implies_all(one, next_))
    world.claim("end", world.app(predicates[-1], a))
    return world


def test_a_chain_of_rules_is_refuted_instance_by_instance() -> None:
    """[GROUND-MODEL] [GROUND-ACCEPTED]"""
    found = decide(chain(5))
    assert found.status == "unsat"
    assert sum(line.startswith("(instance") for line in found.lines) == 7
    assert decide(chain(5), "claim").status == "sat"


def test_small_cores_take_milliseconds() -> None:
    world = chain(8)
    module = world.module()
    reading = KernelReading(module)
    assert reading.theory.assertions
    times = []
    for _ in range(9):
        began = time.process_time()
        Grounder(module, reading=reading).refute(module.assertions, "negation", module.claims[0])
        times.append(time.process_time() - began)
    assert sorted(times)[4] < 0.1


def test_terms_are_not_assumed_distinct() -> None:
    """[GROUND-DISTINCT]"""
    world = World(PERSON)
    a, b = world.constant("a", PERSON), world.constant("b", PERSON)
    same = world.pool.eq(a, b)
    world.claim("same", same)
    assert decide(world, "claim").status == decide(world, "negation").status == "sat"


def test_a_premise_that_terms_differ_is_not_assumed() -> None:
    """[GROUND-DISTINCT]: P(a), P(b) and `x != y and P(x) and P(y) => q` do not entail q."""
    world = World(PERSON)
    pool = world.pool
    p, q = world.function("P", [PERSON]), world.constant("q", BOOL)
    a, b = world.constant("a", PERSON), world.constant("b", PERSON)
    world.fact("a", world.app(p, a))
    world.fact("b", world.app(p, b))

    def rule(x: Node, y: Node) -> Node:
        return pool.implies(pool.conj([pool.negate(pool.eq(x, y)), world.app(p, x), world.app(p, y)]), q)

    world.fact("rule", forall(world, [PERSON, PERSON], rule))
    world.claim("q", q)
    assert decide(world, "negation").status == "sat"
    world.fact("apart", pool.negate(pool.eq(a, b)))
    assert decide(world, "negation").status == "unsat"


def test_a_claim_about_more_members_than_there_are_constants_is_not_refuted() -> None:
    """[GROUND-SAT]"""
    world = World(PERSON)
    a = world.constant("a", PERSON)
    world.claim("alone", forall(world, [PERSON], lambda x: world.pool.eq(x, a)))
    found = decide(world, "negation")
    assert found.status == "sat" and found.structure is not None
    assert found.structure.universe[PERSON] == 2


def test_terms_that_no_clause_has_are_in_the_model_too() -> None:
    """[GROUND-SAT] A reflexive equation leaves no clause, and its term has a value all the same."""
    formula = "ForAll([x: Bool], f(If(x, a, a)) == f(If(x, a, a)))"
    module = potlang.compile(
        {
            "sorts": [
                {"name": "S", "type": "DeclareSort"},
                {"name": "E", "type": "EnumSort", "values": ["v"]},
            ],
            "functions": [{"name": "f", "domain": ["S"], "range": "E"}],
            "constants": {"all": {"sort": "S", "members": ["a"]}},
            "verifications": [{"constraint": formula}],
        }
    ).module
    found = Grounder(module).decide(module.assertions, "claim", module.claims[0], LIMITS)
    assert found.status == "sat" and found.structure is not None
    assert check_model(module, (), module.claims[0].formula, found.structure).holds


def test_equality_goes_through_functions() -> None:
    """[GROUND-EQUALITY]"""
    world = World(PERSON)
    a, b, c = (world.constant(name, PERSON) for name in "abc")
    boss = world.function("boss", [PERSON], PERSON)
    happy = world.function("Happy", [PERSON])
    world.fact("ab", world.pool.eq(a, b))
    world.fact("bc", world.pool.eq(b, c))
    world.fact("happy", world.app(happy, world.app(boss, world.app(boss, a))))
    world.claim("also", world.app(happy, world.app(boss, world.app(boss, c))))
    found = decide(world)
    assert found.status == "unsat"
    assert any("transitive" in line for line in found.lines)
    assert any("congruent boss" in line for line in found.lines)
    assert decide(world, "claim").status == "sat"


def test_only_the_axioms_that_are_needed_are_written() -> None:
    """[GROUND-EQUALITY] [GROUND-TRIM]"""
    world = World(PERSON)
    constants = [world.constant(f"c{at}", PERSON) for at in range(60)]
    likes = world.function("Likes", [PERSON, PERSON])
    for at, (a, b) in enumerate(itertools.combinations(constants[:12], 2)):
        world.fact(f"different{at}", world.pool.app(op.DISTINCT, (a, b)))
    for at, (a, b) in enumerate(itertools.pairwise(constants)):
        world.fact(f"likes{at}", world.app(likes, a, b))
    world.claim("likes", world.app(likes, constants[3], constants[4]))
    found = decide(world)
    assert found.status == "unsat" and len(found.lines) == 3
    assert decide(world, "claim").status == "sat"


def test_enums_have_their_values_and_no_others() -> None:
    """[GROUND-TERMS] [GROUND-MEMBER]"""
    world = World(PERSON, COLOUR)
    colour = world.function("colour", [PERSON], COLOUR)
    houses = [world.constant(name, PERSON) for name in "abcd"]
    for at, (a, b) in enumerate(itertools.combinations(houses, 2)):
        world.fact(f"f{at}", world.pool.app(op.DISTINCT, (world.app(colour, a), world.app(colour, b))))
    found = decide(world)
    assert found.status == "unsat"
    assert any("member (colour" in line for line in found.lines)


def test_empty_sorts_have_a_member() -> None:
    """[GROUND-TERMS]"""
    world = World(PERSON)
    p, q = world.function("P", [PERSON]), world.constant("q", BOOL)
    every = forall(world, [PERSON], lambda x: world.app(p, x))
    one = forall(world, [PERSON], lambda x: world.pool.implies(world.app(p, x), q))
    world.fact("every", every)
    world.fact("one", one)
    world.claim("q", q)
    found = decide(world)
    assert found.status == "unsat"
    assert any("(dummy Person)" in line for line in found.lines)


def test_choices_are_named_in_certificates() -> None:
    world = World(PERSON, HOUSE)
    a = world.constant("a", PERSON)
    owns = world.function("Owns", [PERSON, HOUSE])
    rich = world.function("Rich", [PERSON])
    world.fact(
        "some", forall(world, [PERSON], lambda x: exists(world, HOUSE, lambda e: world.app(owns, x, e)))
    )
    owner = forall(
        world, [PERSON, HOUSE], lambda x, y: world.pool.implies(world.app(owns, x, y), world.app(rich, x))
    )
    world.fact("rich", owner)
    world.claim("a", world.app(rich, a))
    found = decide(world)
    assert found.status == "unsat"
    assert any('(skolem "some" ?e.1 + a)' in line for line in found.lines)
    assert decide(world, "claim").status == "sat"


def test_a_cycle_of_choices_can_be_refuted_and_does_not_go_on_for_ever() -> None:
    """[GROUND-UNSAT]"""
    world = World(PERSON)
    a = world.constant("a", PERSON)
    after = world.function("After", [PERSON, PERSON])
    good = world.function("Good", [PERSON])
    some = forall(
        world,
        [PERSON],
        lambda x: exists(
            world, PERSON, lambda e: world.pool.conj([world.app(after, x, e), world.app(good, e)])
        ),
    )
    world.fact("some", some)
    world.claim(
        "twice", exists(world, PERSON, lambda e: world.pool.conj([world.app(good, e), world.app(good, a)]))
    )
    limits = GroundLimits(timeout_ms=500, instances=500)
    assert decide(world, "negation", limits).status in ("sat", "unknown")
    world.claims.clear()
    world.claim("once", exists(world, PERSON, lambda e: world.app(good, e)))
    assert decide(world, "negation", limits).status == "unsat"


def test_an_explosion_is_estimated_and_not_built() -> None:
    """[GROUND-SIZE]"""
    world = World(PERSON)
    wide = world.function("W", [PERSON] * 6)
    p = world.function("P", [PERSON])
    for at in range(100):
        world.fact(f"f{at}", world.app(p, world.constant(f"c{at}", PERSON)))
    body = forall(
        world,
        [PERSON] * 6,
        lambda *xs: world.pool.disj([world.app(wide, *xs), world.app(wide, *reversed(xs))]),
    )
    world.fact("wide", body)
    world.claim("some", world.app(p, world.constant("d", PERSON)))
    began = time.process_time()
    found = decide(world)
    assert found.status == "unknown"
    assert f"{101**6 + 101} instances" in found.reason
    assert time.process_time() - began < 1


@pytest.mark.slow
def test_an_instance_is_found_among_very_many() -> None:
    world = World(PERSON)
    names = [world.constant(f"c{at}", PERSON) for at in range(100)]
    wide = world.function("W", [PERSON] * 12)
    p = world.function("P", [PERSON])
    variables = tuple(world.pool.var(f"x{at}", PERSON) for at in range(12))
    world.fact("rule", world.pool.quant("forall", variables, world.app(wide, *variables)))
    for at, name in enumerate(names):
        world.fact(f"f{at}", world.app(p, name))
    world.claim("one", world.app(wide, *names[:12]))
    module = world.module()
    began = time.monotonic()
    found = Grounder(module).refute(module.assertions, "negation", module.claims[0])
    assert found.status in ("unsat", "unknown")
    assert time.monotonic() - began < 3
    fact = [each for each in module.assertions if each.key == "rule"]
    assert Grounder(module).refute(fact, "negation", module.claims[0]).reason != "satisfiable"


def test_defined_functions_and_find_are_part_of_the_goal() -> None:
    world = World(PERSON)
    a = world.constant("a", PERSON)
    p = world.function("P", [PERSON])
    variable = world.pool.var("x", PERSON)
    world.fact("p", world.app(p, a))
    world.claim("who", world.app(p, variable), variable)
    module = world.module()
    found = Grounder(module).decide(module.assertions, "negation", module.claims[0])
    assert found.status == "unsat"
    param = world.pool.var("y", PERSON)
    defined = Symbol("D", (PERSON,), BOOL, SymbolKind.DEFINED)
    world = World(PERSON)
    world.pool = module.pool
    world.symbols = list(module.symbols)
    world.fact("d", world.pool.app(defined, (a,)))
    world.claim("p", world.app(p, a))
    from dataclasses import replace

    module = replace(world.module(), definitions=(Definition(defined, (param,), world.app(p, param)),))
    found = Grounder(module).decide(module.assertions, "negation", module.claims[0])
    assert found.status == "unsat"


def pigeons(count: int) -> World:
    holes = EnumSort("Hole", tuple(f"h{at}" for at in range(count - 1)))
    world = World(PERSON, holes)
    hole = world.function("hole", [PERSON], holes)
    names = [world.constant(f"p{at}", PERSON) for at in range(count)]
    world.fact("apart", world.pool.app(op.DISTINCT, tuple(world.app(hole, name) for name in names)))
    return world


def test_pigeons_need_another_solver_beyond_a_few_conflicts(shared: Workers) -> None:
    """[GROUND-SOLVER] [GROUND-TRIM] [GROUND-ACCEPTED]"""
    module = pigeons(7).module()
    limits = GroundLimits(timeout_ms=20_000, conflicts=20)
    alone = Grounder(module).decide(module.assertions, "assumptions", None, limits)
    assert alone.status == "unknown"
    found = Grounder(module, shared).decide(module.assertions, "assumptions", None, limits)
    assert found.status == "unsat"
    assert sum(line.startswith("(lemma") for line in found.lines) > 20
    check(module, "assumptions", found)


def test_a_solver_that_is_killed_leaves_the_answer_open(workers: Workers) -> None:
    """[GROUND-SOLVER]"""
    module = pigeons(13).module()
    began = time.monotonic()
    found = Grounder(module, workers).decide(
        module.assertions, "assumptions", None, GroundLimits(timeout_ms=400, conflicts=5)
    )
    assert found.status == "unknown"
    assert time.monotonic() - began < 30


def integers(bound: int) -> tuple[World, list[Node]]:
    world = World()
    names = [world.constant(name, INT) for name in "abc"]
    pool = world.pool
    for name in names:
        bounds = [pool.app(op.LE, (pool.integer(1), name)), pool.app(op.LT, (name, pool.integer(bound + 1)))]
        world.fact(f"bounds of {name.symbol.name}", pool.conj(bounds))  # type: ignore[union-attr]
    world.fact("apart", pool.app(op.DISTINCT, tuple(names)))
    return world, names


def test_bounded_integers_are_told_apart() -> None:
    """[GROUND-INTEGERS]"""
    world, (a, b, c) = integers(3)
    pool = world.pool
    world.fact("ab", pool.app(op.LT, (a, b)))
    world.fact("bc", pool.eq(c, pool.app(op.ADD, (b, pool.integer(1)))))
    world.claim("a", pool.eq(a, pool.integer(1)))
    found = decide(world)
    assert found.status == "unsat"
    assert decide(world, "claim").status == "sat"


def test_counts_of_truths_are_sums_of_choices() -> None:
    """[GROUND-ITE]"""
    world = World(PERSON)
    pool = world.pool
    p = world.function("P", [PERSON])
    names = [world.constant(name, PERSON) for name in "abcd"]
    one, zero = pool.integer(1), pool.integer(0)
    parts = [
        pool.app(op.ITE, (pool.conj([world.app(p, a), pool.negate(world.app(p, b))]), one, zero))
        for a, b in itertools.pairwise(names)
    ]
    total = pool.app(op.ADD, tuple(parts))
    world.fact("three", pool.app(op.LE, (pool.integer(2), total)))
    world.claim("a", world.app(p, names[0]))
    found = decide(world)
    assert found.status == "unsat"
    assert any(" then (ite" in line for line in found.lines)
    assert any(" else (ite" in line for line in found.lines)
    assert decide(world, "claim").status == "sat"


def test_unbounded_integers_are_left_open() -> None:
    """[GROUND-INTEGERS]"""
    world = World()
    a, b = world.constant("a", INT), world.constant("b", INT)
    world.claim("less", world.pool.app(op.LT, (a, b)))
    assert decide(world, "claim").status == "unknown"


@pytest.mark.parametrize("side", ["claim", "negation"])
def test_a_satisfiable_side_is_not_refuted(side: Side) -> None:
    world = World(PERSON)
    world.claim("p", world.app(world.function("P", [PERSON]), world.constant("a", PERSON)))
    module = world.module()
    found = Grounder(module).refute(module.assertions, side, module.claims[0])
    assert (found.status, found.reason, found.lines) == ("unknown", "satisfiable", ())
