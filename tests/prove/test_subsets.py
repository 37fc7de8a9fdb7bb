"""The oracles over real solvers: what is assumed, both ways of asking, and large cores ([LIMIT-CORE])."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_verdicts_brute_force import worlds
from verdict_programs import PERSON, World

from potlang.engines.check import Check, CheckResult
from potlang.engines.commands import ENGINES
from potlang.engines.encoding import AssertionNames, Encoding
from potlang.engines.messages import Query
from potlang.engines.solver import SolverSession
from potlang.ir.module import Module
from potlang.ir.nodes import Node, Symbol
from potlang.ir.operators import LT
from potlang.ir.sorts import BOOL, INT
from potlang.processes.pool import Workers
from potlang.prove.cores import Said
from potlang.prove.dispatcher import Allowance, Dispatcher
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.prove.subsets import Assisted, Decided, Loaded, Subsets, declarations, minimal_core
from potlang.report.results import Limits, ProgramResult
from potlang.utils.deadline import Deadline

BASE = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)(assert (=> a (not b)))"


@pytest.mark.parametrize("engine", ENGINES)
def test_constants_are_assumed_for_one_check(shared: Workers, engine: str) -> None:
    with SolverSession(shared, engine, BASE) as session:
        both = session.ask(Query("", core=True, assuming=("a", "b", "c")), 5_000)
        assert both.status == "unsat"
        assert both.core is not None
        assert {"a", "b"} <= set(both.core) <= {"a", "b", "c"}
        assert session.ask(Query("", core=True, assuming=("a", "c")), 5_000).status == "sat"
        named = Query("(assert (! (not c) :named no))", core=True, assuming=("c",))
        answer = session.ask(named, 5_000)
        assert answer.status == "unsat"
        assert sorted(answer.core or ()) == ["c", "no"]
        assert session.ask(Query("", assuming=("b", "c")), 5_000).status == "sat"
        assert session.ask(Query("(assert b)", assuming=("a",)), 5_000).status == "unsat"


def over(module: Module, workers: Workers, labels: AssertionNames, engine: str = "z3") -> Dispatcher:
    solver = SolverSession(workers, engine, encoding=Encoding(module, engine, labels))
    return Dispatcher([solver], Allowance.of(Limits()))


def dispatcher(module: Module, workers: Workers) -> tuple[Dispatcher, AssertionNames]:
    labels = AssertionNames(module)
    return over(module, workers, labels), labels


class Forgetful:
    """A procedure that knows nothing of subsets of an odd size."""

    name = "forgetful"

    def decide(self, check: Check) -> CheckResult | None:
        known = len(check.assumptions) % 2 == 0
        return CheckResult("sat", None, ()) if known else None


def test_a_solver_is_asked_where_a_procedure_has_no_answer() -> None:
    """[VERDICT-CORE] About those subsets alone, at once, and opened when the first of them comes."""
    world = World()
    for name in "abc":
        world.fact(name, world.constant(name, BOOL))
    labels = AssertionNames(world.module())
    names = tuple(labels.name(each) for each in world.assertions)
    asked: list[tuple[str, ...]] = []
    opened: list[int] = []

    class Solver:
        def __call__(self, names: tuple[str, ...], /) -> Said:
            raise AssertionError(names)

        def ahead(self, subsets: Sequence[tuple[str, ...]], /) -> list[Said]:
            asked.extend(subsets)
            return [("unsat", each) for each in subsets]

    def solver() -> Solver:
        opened.append(1)
        return Solver()

    oracle = Assisted(Decided(Forgetful(), labels, Check("assumptions"), Deadline(10_000)), solver)
    assert oracle(names[:2]) == ("sat", None)
    assert not opened
    subsets = [names, names[1:], names[:1]]
    assert oracle.ahead(subsets) == [("unsat", names), ("sat", None), ("unsat", names[:1])]
    assert asked == [names, names[:1]]
    assert oracle(names[2:]) == ("unsat", names[2:])
    assert opened == [1]


@pytest.mark.slow
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(world=worlds(), seed=st.integers(0, 1_000))
def test_both_ways_of_asking_agree(shared: Workers, world: World, seed: int) -> None:
    """Assumptions as text, and assumptions loaded and assumed: the same status for every subset."""
    world.norms.clear()
    module = world.module()
    claim = module.claims[0].formula
    names = tuple(f"!a{number}" for number in range(len(module.assertions)))
    subsets = [each for size in range(len(names) + 1) for each in itertools.combinations(names, size)]
    for check in (Check("assumptions"), Check("claim", claim), Check("negation", claim, True)):
        first, labels = dispatcher(module, shared)
        second = over(module, shared, labels)
        first.start(declarations)
        told = Subsets(first, labels, check).ahead(subsets)
        loaded = Loaded(second, labels, names, check).ahead(subsets)
        assert [status for status, _ in told] == [status for status, _ in loaded]
        for subset, (status, core) in zip(subsets, loaded, strict=True):
            assert status != "unsat" or (core is not None and set(core) <= set(subset))
        for each in (first, second):
            each.close()


# --- large cores ---


def staircase(steps: int, kind: str) -> World:
    """A claim that follows from all of the assumptions and from no fewer."""
    world = World()
    if kind == "propositions":
        rungs = [world.constant(f"p{n}", BOOL) for n in range(steps)]
        world.fact("start", rungs[0])
        for n, (a, b) in enumerate(itertools.pairwise(rungs)):
            world.fact(f"step {n}", world.pool.implies(a, b))
        world.claim("top", rungs[-1])
    else:
        heights = [world.constant(f"h{n}", INT) for n in range(steps + 1)]
        for n, (a, b) in enumerate(itertools.pairwise(heights)):
            world.fact(f"step {n}", world.pool.app(LT, (a, b)))
        world.claim("top", world.pool.app(LT, (heights[0], heights[-1])))
    return world


def solve(world: World, workers: Workers) -> ProgramResult:
    options = ProverOptions(route="z3", trust="solver", minimize_cores=True)
    with Prover(world.module(), options, workers=workers) as session:
        return session.report()


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(("kind", "steps"), [("propositions", 250), ("numbers", 80)])
def test_cores_of_hundreds_are_made_minimal(shared: Workers, kind: str, steps: int) -> None:
    began = time.perf_counter()
    evidence = solve(staircase(steps, kind), shared).results[0].evidence
    assert evidence.core_minimal
    assert len(evidence.core or ()) == steps
    assert time.perf_counter() - began < 45


@pytest.mark.usefixtures("unhurried")
def test_a_large_core_among_more_assumptions(shared: Workers) -> None:
    """Two staircases to the same claim, one needless rung each: the core is one of them alone."""
    world = staircase(40, "propositions")
    pool = world.pool
    rungs: list[Node] = [pool.sym(each) for each in world.symbols]
    for n in range(0, 38, 2):
        world.fact(f"skip {n}", pool.implies(rungs[n], rungs[n + 2]))
    evidence = solve(world, shared).results[0].evidence
    assert evidence.core_minimal
    names = {item.name for item in evidence.core or ()}
    position, seen = 0, 0
    while position < 39:
        (step,) = names & {f"step {position}", f"skip {position}"}
        position += 1 if step.startswith("step") else 2
        seen += 1
    assert seen + 1 == len(names)


def test_names_that_do_not_suffice_are_replaced(shared: Workers) -> None:
    """Solvers' cores have been too small; then all assumptions are taken."""
    world = staircase(30, "propositions")
    module = world.module()
    session, labels = dispatcher(module, shared)
    every = tuple(labels.name(each) for each in module.assertions)
    core = minimal_core(session, labels, every[:20], every, Check("negation", module.claims[0].formula, True))
    assert core == (every, True, True)
    session.close()


def test_the_clock_bounds_every_check(shared: Workers, hang: str) -> None:
    world = staircase(3, "propositions")
    module = world.module()
    session, labels = dispatcher(module, shared)
    session.start(lambda _: hang)
    clock = Deadline(200)
    began = time.perf_counter()
    status, _ = Subsets(session, labels, Check("assumptions"), clock)(())
    assert status == "unknown"
    assert time.perf_counter() - began < 30
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_random_graphs_have_minimal_cores(shared: Workers, seed: int) -> None:
    """A cycle of inequalities among many others: each minimal core is one cycle, simple and strict."""
    chance = random.Random(seed)
    world = World()
    points = [world.constant(f"x{n}", INT) for n in range(25)]
    edges = [tuple(chance.sample(range(25), 2)) for _ in range(80)]
    for number, (a, b) in enumerate(edges):
        world.fact(f"e{number}", world.pool.app(LT, (points[a], points[b])))
    options = ProverOptions(route="z3", trust="solver", cores="all")
    with Prover(world.module(), options, workers=shared) as session:
        evidence = session.report().evidence
    if evidence is None:
        return
    for core in evidence.cores or ():
        arcs = dict(edges[int(item.name[1:])] for item in core)
        assert len(arcs) == len(core)
        at = start = next(iter(arcs))
        for _ in core:
            at = arcs[at]
        assert at == start
        assert set(arcs) == set(arcs.values())


@pytest.mark.usefixtures("unhurried")
def test_what_the_first_solver_cannot_decide_others_do(shared: Workers) -> None:
    """Without p the rules need a model that z3 does not find: finite model finding shows that p is needed."""
    world = World(PERSON)
    p = world.constant("p", BOOL)
    a, b = world.constant("a", PERSON), world.constant("b", PERSON)
    left, right = world.function("left", [PERSON]), world.function("right", [PERSON])
    to = world.function("to", [PERSON, PERSON])
    pool, x, y = world.pool, world.pool.var("x", PERSON), world.pool.var("y", PERSON)

    def onwards(here: Symbol, there: Symbol) -> Node:
        step = pool.quant("exists", (y,), pool.conj([world.app(there, y), world.app(to, x, y)]))
        return pool.quant("forall", (x,), pool.implies(world.app(here, x), step))

    apart = pool.quant("forall", (x,), pool.implies(world.app(right, x), pool.negate(world.app(left, x))))
    said = [onwards(left, right), onwards(right, left), apart, world.app(left, a), world.app(right, b), p]
    for number, formula in enumerate(said):
        world.fact(f"f{number}", formula)
    world.claim("all of it", pool.conj(said))
    options = ProverOptions(trust="solver", minimize_cores=True)
    with Prover(world.module(), options, workers=shared) as session:
        evidence = session.report().results[0].evidence
    assert (len(evidence.core or ()), evidence.core_minimal) == (6, True)
