"""Verdicts, models, cores, bindings against all structures of small finite modules."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structures import structures
from verdict_programs import World

from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import Node, Quant, Var
from potlang.ir.operators import IFF
from potlang.ir.sorts import BOOL, EnumSort
from potlang.ir.structure import Structure
from potlang.ir.substitute import substitute
from potlang.processes.pool import Workers
from potlang.prove.decision import decide
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Result, Verdict

SIDE = EnumSort("Side", ("left", "right"))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Assumptions and claims over two truth values, a constant and two predicates of a sort of two."""
    world = World(SIDE)
    pool = world.pool
    atoms = [world.constant("p", BOOL), world.constant("q", BOOL)]
    here = world.constant("here", SIDE)
    predicates = [world.function("f", [SIDE]), world.function("g", [SIDE])]
    values: list[Node] = [pool.lit(value, SIDE) for value in SIDE.values]

    def atom(bound: tuple[Var, ...]) -> Node:
        if draw(st.booleans()):
            return draw(st.sampled_from(atoms))
        terms: list[Node] = [here, *values, *bound * 2]
        first = draw(st.sampled_from(terms))
        if draw(st.integers(0, 4)) == 0:
            return pool.eq(first, draw(st.sampled_from(terms)))
        return world.app(draw(st.sampled_from(predicates)), first)

    def formula(depth: int, bound: tuple[Var, ...] = ()) -> Node:
        kind = draw(st.integers(0, 6 if depth else 1))
        match kind:
            case 0 | 1:
                made = atom(bound)
                return pool.negate(made) if kind else made
            case 2:
                return pool.conj([formula(depth - 1, bound), formula(depth - 1, bound)])
            case 3:
                return pool.disj([formula(depth - 1, bound), formula(depth - 1, bound)])
            case 4:
                return pool.implies(formula(depth - 1, bound), formula(depth - 1, bound))
            case 5:
                return pool.app(IFF, (formula(depth - 1, bound), formula(depth - 1, bound)))
            case _:
                var = pool.var("x", SIDE)
                word = draw(st.sampled_from(["forall", "exists"]))
                return pool.quant(word, (var,), formula(depth - 1, (*bound, var)))

    for number in range(draw(st.integers(0, 4))):
        world.fact(f"fact {number}", formula(2))
    for number in range(draw(st.integers(1, 4))):
        world.claim(f"claim {number}", formula(2))
    var = pool.var("who", SIDE)
    world.claim("find", formula(1, (var,)), var)
    norm = pool.var("x", SIDE)
    world.norm("norm", pool.quant("forall", (norm,), formula(1, (norm,))))
    return world


def holds(node: Node, structure: Structure) -> bool:
    return evaluate(node, structure) is True


def sat(models: list[Structure], *formulas: Node) -> bool:
    return any(all(holds(each, model) for each in formulas) for model in models)


def truth(models: list[Structure], module: Module, formula: Node) -> Verdict:
    """By the definition, over all structures."""
    theta = [assertion.formula for assertion in module.assertions]
    sides = [(), (formula,), (module.pool.negate(formula),)]
    answers = ["sat" if sat(models, *theta, *side) else "unsat" for side in sides]
    return decide(*answers).verdict  # type: ignore[arg-type]


def check_core(models: list[Structure], module: Module, formula: Node, result: Result) -> None:
    """Enough by itself; and minimal, as it says."""
    core = result.evidence.core
    assert core is not None and result.evidence.core_minimal
    named = {assertion.name: assertion.formula for assertion in module.assertions}
    kept = [named[item.name] for item in core]
    goal = {
        Verdict.ENTAILED: [module.pool.negate(formula)],
        Verdict.REFUTED: [formula],
        Verdict.INCONSISTENT: [],
    }[result.verdict]
    assert not sat(models, *kept, *goal)
    for index in range(len(kept)):
        assert sat(models, *kept[:index], *kept[index + 1 :], *goal)


def check_models(models: list[Structure], module: Module, formula: Node, result: Result) -> None:
    """Each of the two models extends to a structure in which the claim has that truth value."""
    theta = [assertion.formula for assertion in module.assertions]
    evidence = result.evidence
    for shown, side in (
        (evidence.could_be_true, formula),
        (evidence.could_be_false, module.pool.negate(formula)),
    ):
        assert shown is not None
        said = [literal(module, term, value) for term, value in shown.items()]
        assert sat(models, *theta, side, *said)


def literal(module: Module, label: str, value: str) -> Node:
    """The equation that a line of a model states."""
    pool = module.pool
    name, _, argument = label.rstrip(")").partition("(")
    symbol = next(each for each in module.symbols if each.name == name)
    if not argument:
        node: Node = pool.sym(symbol)
    elif argument in SIDE.values:
        node = pool.app(symbol, (pool.lit(argument, SIDE),))
    else:
        inner = next(each for each in module.symbols if each.name == argument)
        node = pool.app(symbol, (pool.sym(inner),))
    if node.sort is BOOL:
        return node if value == "True" else pool.negate(node)
    return pool.eq(node, pool.lit(value, SIDE))


def check_bindings(models: list[Structure], module: Module, result: Result) -> None:
    """Of the claim with `find`, and of the norm."""
    theta = [assertion.formula for assertion in module.assertions]
    if result.kind == "norm":
        found, quant = result.evidence.violations, module.norms[0].formula
        if found is None:
            return
        binders, body = nested(quant)
        body = module.pool.negate(body)
    else:
        found, claim = result.evidence.bindings, module.claims[-1]
        if found is None:
            return
        binders, body = claim.find, claim.formula
    assert not found.undecided and not found.cut
    names = [var.name if place == 0 else f"{var.name}_{place + 1}" for place, var in enumerate(binders)]
    for values in itertools.product(SIDE.values, repeat=len(binders)):
        terms = {var: module.pool.lit(value, SIDE) for var, value in zip(binders, values, strict=True)}
        instance = substitute(module.pool, body, terms)
        certain = not sat(models, *theta, module.pool.negate(instance))
        possible = sat(models, *theta, instance)
        binding = dict(zip(names, values, strict=True))
        assert (binding in found.certain) == certain
        assert (binding in found.possible) == (possible and not certain)


def nested(formula: Node) -> tuple[tuple[Var, ...], Node]:
    """The binders of quantifiers that follow each other directly, and the body."""
    binders: tuple[Var, ...] = ()
    while isinstance(formula, Quant) and formula.kind == "forall":
        binders, formula = (*binders, *formula.binders), formula.body
    return binders, formula


def check_report(shared: Workers, world: World, route: str) -> None:
    module = world.module()
    models = list(structures(module, {}))
    with Prover(module, ProverOptions(route=route, minimize_cores=True), workers=shared) as session:
        report = session.report()
    claims = [*module.claims, *module.norms]
    for claim, result in zip(claims, report.results, strict=True):
        formula = claim.formula
        if claim.find:
            formula = module.pool.quant("exists", claim.find, formula)
        assert result.verdict is truth(models, module, formula)
        if result.verdict is Verdict.UNDETERMINED:
            check_models(models, module, formula, result)
        else:
            check_core(models, module, formula, result)
        # Bindings are looked for by a solver, which this route has none of.
        if result.verdict is not Verdict.INCONSISTENT and route != "search":
            check_bindings(models, module, result)


WORLDS = {"world": worlds(), "route": st.sampled_from(["auto", "z3", "search"])}
_CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=_CHECKS)
@given(**WORLDS)
def test_reports_agree_with_brute_force(shared: Workers, world: World, route: str) -> None:
    """[SEARCH-DECIDES] for `search`, which `auto` takes here too; `z3` is that solver alone."""
    check_report(shared, world, route)


@pytest.mark.slow
@settings(max_examples=1_000, deadline=None, suppress_health_check=_CHECKS)
@given(**WORLDS)
def test_many_reports_agree_with_brute_force(shared: Workers, world: World, route: str) -> None:
    """[SEARCH-DECIDES]"""
    check_report(shared, world, route)
