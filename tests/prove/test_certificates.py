"""Certificates of optima and of assumptions alone, held against all models of small problems."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from verdict_programs import World, plus

import potlang
from potlang import certify
from potlang.ir.module import Module
from potlang.ir.nodes import Node, SymbolKind
from potlang.ir.operators import LE, LT, MUL
from potlang.ir.sorts import INT, REAL
from potlang.ir.text import print_module
from potlang.processes.pool import Workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover

MODES = ("lexicographic", "box", "pareto")


def certified(module: Module, shared: Workers) -> certify.Outcome:
    """The kernel's word on the certificate of a report."""
    with Prover(module, ProverOptions(), workers=shared) as prover:
        prover.report()
        return certify.check(prover.certificate(), print_module(module))


def expected(mode: str, values: list[tuple[int, ...]], maximized: list[bool]) -> dict[str, str] | None:
    """The answers, by going through all values of the objectives; None: of points, whose order is free."""
    names = [f"objective {number}" for number in range(len(maximized))]
    if not values:
        return {"front": "infeasible"} if mode == "pareto" else dict.fromkeys(names, "infeasible")
    signs = [-1 if each else 1 for each in maximized]
    costs = [tuple(sign * value for sign, value in zip(signs, each, strict=True)) for each in values]
    if mode == "pareto":
        return None
    best = min(costs) if mode == "lexicographic" else tuple(map(min, zip(*costs, strict=True)))
    return {name: f"optimal {sign * cost}" for name, sign, cost in zip(names, signs, best, strict=True)}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", MODES)
def test_certificates_of_optima_say_what_enumeration_finds(mode: str, seed: int, shared: Workers) -> None:
    """[CERT-OBJECTIVE] [CERT-POINT] [CERT-FRONT] [CERT-OPTIMUM-GOAL] All of it shown, nothing open."""
    rng = random.Random(f"{mode} {seed}")
    world = World()
    x, y = (world.constant(name, INT, SymbolKind.FREE) for name in "xy")

    def linear(a: int, b: int) -> Node:
        parts = [world.pool.app(MUL, (world.pool.integer(n), v)) for n, v in ((a, x), (b, y))]
        return plus(world, *parts)

    bounds = [rng.randint(0, 3), rng.randint(0, 3)]
    constraints = [world.pool.app(LE, (world.pool.integer(0), v)) for v in (x, y)]
    constraints += [
        world.pool.app(LE, (v, world.pool.integer(n))) for v, n in zip((x, y), bounds, strict=True)
    ]
    a, b, most = rng.randint(-2, 2), rng.randint(-2, 2), rng.randint(-3, 5)
    constraints.append(world.pool.app(LE, (linear(a, b), world.pool.integer(most))))
    rows = [(rng.randint(-2, 2), rng.randint(-2, 2)) for _ in range(2)]
    maximized = [rng.random() < 0.5 for _ in rows]
    goals = [
        ("maximize" if up else "minimize", linear(*row)) for row, up in zip(rows, maximized, strict=True)
    ]
    world.optimize(constraints, *goals, mode=mode)
    places = product(range(bounds[0] + 1), range(bounds[1] + 1))
    values = [tuple(p * i + q * j for p, q in rows) for i, j in places if a * i + b * j <= most]
    found = certified(world.module(), shared)
    assert (found.status, found.open) == ("VALID", ()), found
    wanted = expected(mode, values, maximized)
    if wanted is not None:
        assert found.verdicts == wanted
        return
    points = {tuple(map(int, each.split()[1:])) for key, each in found.verdicts.items() if key != "front"}
    costs = {value: [(-v if up else v) for v, up in zip(value, maximized, strict=True)] for value in values}
    beaten = {
        value
        for value, cost in costs.items()
        for other in costs.values()
        if other != cost and all(p <= q for p, q in zip(other, cost, strict=True))
    }
    assert points == set(values) - beaten
    assert found.verdicts["front"] == "complete"


def test_limits_and_their_absence_are_certified(shared: Workers) -> None:
    """[CERT-LIMIT] [CERT-FAMILY] [VERDICT-FAMILY] By families, which the kernel evaluates."""
    world = World()
    x = world.constant("x", REAL, SymbolKind.FREE)
    bound = world.pool.negate(world.pool.app(LE, (world.pool.real(Fraction(5, 2)), x)))
    world.optimize([bound], ("maximize", x), ("minimize", x), mode="box")
    found = certified(world.module(), shared)
    assert found.verdicts == {"objective 0": "unattained 5/2", "objective 1": "unbounded"}
    assert (found.status, found.open) == ("VALID", ())


@pytest.mark.parametrize("bounded", [False, True])
def test_behind_what_has_no_optimum_all_is_undefined(bounded: bool, shared: Workers) -> None:
    """[CERT-UNDEFINED] [VERDICT-UNDEFINED]"""
    world = World()
    n, x = world.constant("n", INT, SymbolKind.FREE), world.constant("x", REAL, SymbolKind.FREE)
    limits = [world.pool.app(LE, (n, world.pool.integer(3)))]
    limits.append(world.pool.app(LT, (x, world.pool.real(Fraction(3)))))
    goals = [("maximize", x), ("minimize", n), ("maximize", n)]
    world.optimize(limits, *(goals if bounded else goals[1:]), mode="lexicographic")
    found = certified(world.module(), shared)
    first = "unattained 3" if bounded else "unbounded"
    behind = {f"objective {number}": "undefined" for number in (1, 2)[: 1 + bounded]}
    assert found.verdicts == {"objective 0": first, **behind}
    assert (found.status, found.open) == ("VALID", ())


@pytest.mark.parametrize("contradictory", [False, True])
def test_assumptions_alone_are_certified(contradictory: bool, shared: Workers) -> None:
    """[CERT-ASSUMPTIONS] Of a program that asks nothing."""
    world = World()
    x = world.constant("x", INT)
    world.fact("low", world.pool.app(LE, (world.pool.integer(3), x)))
    if contradictory:
        world.fact("high", world.pool.app(LE, (x, world.pool.integer(2))))
    found = certified(world.module(), shared)
    assert (found.status, found.open) == ("VALID", ())
    assert found.verdicts == {"assumptions": "inconsistent" if contradictory else "consistent"}


@pytest.mark.parametrize("claim", ["Exists([b: Bool], b or true)", "ForAll([n: Int], n == n)", "1 + 1 == 2"])
def test_what_passes_make_trivial_is_certified_as_it_is_written(claim: str) -> None:
    """[CERT-PROGRAM] The kernel has the program as compiled, before any pass."""
    source = {"verifications": [{"constraint": claim}]}
    text = potlang.verify(source, certificate=True).certificate
    assert text is not None
    found = certify.check(text, print_module(potlang.compile(source).module))
    assert (found.status, found.open) == ("VALID", ()), found


def test_a_contradiction_is_shown_once_for_all_claims() -> None:
    """[CERT-UNSAT] As many copies as claims would also share the steps of the checker."""
    facts = ["p(a)", "not p(a)"]
    claims = [{"constraint": text} for text in ("q(a)", "p(a)", "q(a) -> p(a)")]
    source = {
        "sorts": [{"name": "S", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["S"], "range": "Bool"} for name in "pq"],
        "constants": {"s": {"sort": "S", "members": ["a"]}},
        "knowledge_base": facts,
        "verifications": claims,
    }
    text = potlang.verify(source, certificate=True).certificate
    assert text is not None
    assert text.count("(refutation ") == 1
    assert certify.check(text, print_module(potlang.compile(source).module)).status == "VALID"
