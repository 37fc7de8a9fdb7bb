"""Skolem and clause forms of what is assumed. [PASS-KEEPS-2], [PASS-SKOLEM-1], [PASS-SKOLEM-2]

[PASS-CLAUSES-1], [PASS-CLAUSES-2], [PASS-CLAUSES-3], [PASS-CLAUSES-4]"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariants import check
from strategies.formulas import modules

from potlang.ir.clauses import Clause, clauses_of
from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.ir.nodes import App, Node, Quant, Symbol, SymbolKind
from potlang.ir.operators import AND, DISTINCT, NOT, OR
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort
from potlang.passes.base import Keeps, Property
from potlang.passes.pipeline import PipelineError, read_pipeline
from potlang.smt.printer import Printer

PIPELINES = [
    "nnf,skolem",
    "simplify,nnf,prenex,skolem",
    "nnf,skolem,clauses",
    "simplify,nnf,prenex,skolem,clauses{product=1}",
]
SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
DEEP = settings(max_examples=1_000, deadline=None, suppress_health_check=list(HealthCheck))
THING = DeclaredSort("Thing")


def status(module: Module, formulas: list[Node]) -> str:
    import z3

    printer = Printer(module)
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 500)
    solver.set("rlimit", 300_000)
    solver.from_string("\n".join([printer.declarations(), *map(printer.assertion, formulas)]))
    return str(solver.check())


def agrees(module: Module, text: str) -> None:
    after = read_pipeline(text).run(module)
    pool = module.pool
    assert [each.key for each in after.assertions] == [each.key for each in module.assertions]
    for claim, now in zip(module.claims, after.claims, strict=True):
        denied = pool.negate(claim.formula), pool.negate(now.formula)
        for formula, other in ((claim.formula, now.formula), denied):
            before = status(module, [*(each.formula for each in module.assertions), formula])
            found = status(after, [*(each.formula for each in after.assertions), other])
            assert "unknown" in (before, found) or before == found


@SETTINGS
@given(modules(nested=False, depth=3, most=2, definitions=False), st.sampled_from(PIPELINES))
def test_assumptions_are_satisfiable_with_a_claim_as_before(module: Module, text: str) -> None:
    agrees(module, text)


@pytest.mark.slow
@DEEP
@given(modules(nested=False, depth=4, most=2, definitions=False), st.sampled_from(PIPELINES))
def test_assumptions_are_satisfiable_with_a_claim_as_before_deep(module: Module, text: str) -> None:
    agrees(module, text)


@SETTINGS
@given(modules(depth=3, most=3), st.sampled_from(PIPELINES))
def test_assumptions_get_their_form_and_claims_are_left_alone(module: Module, text: str) -> None:
    first = read_pipeline(text.partition(",skolem")[0])
    after = before = first.run(module)
    for step in read_pipeline(text).passes[len(first.passes) :]:
        after = step.run(after)
    assert check(after) == []
    assert after.claims == before.claims and after.norms == before.norms
    assert after.symbols[: len(module.symbols)] == module.symbols
    for assertion in after.assertions:
        matrix = assertion.formula
        while isinstance(matrix, Quant):
            assert matrix.kind == "forall"
            matrix = matrix.body
        assert no_quantifier(matrix)
        if Property.CLAUSES in after.properties:
            literals = [literal for clause in operands(matrix, AND) for literal in operands(clause, OR)]
            assert not any(isinstance(each, App) and each.op in (AND, OR) for each in literals)


def no_quantifier(matrix: Node) -> bool:
    """Whether there is none at formula level."""
    stack, seen = [matrix], set()
    while stack:
        node = stack.pop()
        if isinstance(node, Quant):
            return False
        if node.id not in seen and isinstance(node, App) and node.op in (AND, OR, NOT):
            stack.extend(node.args)
        seen.add(node.id)
    return True


def operands(node: Node, op: object) -> tuple[Node, ...]:
    return node.args if isinstance(node, App) and node.op is op else (node,)


def test_a_choice_is_a_function_of_what_is_quantified_around_it() -> None:
    pool = Pool()
    r = Symbol("R", (THING, THING), BOOL, SymbolKind.FUNCTION)
    x, y = pool.var("x", THING), pool.var("y", THING)
    formula = pool.quant("forall", (x,), pool.quant("exists", (y,), pool.app(r, (x, y))))
    module = Module(pool, (THING,), (r,), (), (Assertion("r0", "r0", AssertionKind.RULE, formula),))
    after = read_pipeline("nnf,skolem").run(module)
    _, chosen = after.symbols
    assert (chosen.domain, chosen.range, chosen.kind) == ((THING,), THING, SymbolKind.FRESH)
    image = pool.app(chosen, (x,))
    assert after.assertions[0].formula is pool.quant("forall", (x,), pool.app(r, (x, image)))


def test_a_large_disjunction_of_conjunctions_gets_names() -> None:
    pool = Pool()
    names = [Symbol(f"p{at}", (), BOOL, SymbolKind.CONSTANT) for at in range(60)]
    atoms = [pool.sym(name) for name in names]
    formula = pool.disj([pool.conj(atoms[at : at + 2]) for at in range(0, 60, 2)])
    module = Module(pool, (), tuple(names), (), (Assertion("r0", "r0", AssertionKind.RULE, formula),))
    after = read_pipeline("nnf,skolem,clauses").run(module)
    matrix = after.assertions[0].formula
    assert isinstance(matrix, App) and len(matrix.args) < 100
    assert all(symbol.kind is SymbolKind.FRESH for symbol in after.symbols[len(names) :])


def test_the_passes_say_what_they_keep_and_need() -> None:
    skolem, clauses = read_pipeline("nnf,skolem,clauses").passes[1:]
    assert skolem.keeps is clauses.keeps is Keeps.EQUISATISFIABLE
    with pytest.raises(PipelineError, match="skolem requires nnf; put nnf somewhere before it"):
        read_pipeline("skolem")
    with pytest.raises(PipelineError, match="clauses requires skolem; put skolem somewhere before it"):
        read_pipeline("nnf,clauses")


def test_terms_that_are_distinct() -> None:
    """[PASS-CLAUSES-3] As a fact one clause, within a formula pair by pair; of three truths two agree."""
    pool = Pool()
    names = {name: pool.sym(Symbol(name, (), INT, SymbolKind.CONSTANT)) for name in "abc"}
    p, q, r = (pool.sym(Symbol(name, (), BOOL, SymbolKind.CONSTANT)) for name in "pqr")
    a, b, c = names.values()
    apart = pool.app(DISTINCT, (a, b, c))
    pairs = [pool.eq(x, y) for x, y in ((a, b), (a, c), (b, c))]
    truths = pool.app(DISTINCT, (p, q, r))
    known: dict[Node, list[Clause]] = {
        apart: [((apart, True),)],
        pool.conj([p, apart]): [((p, True),), ((apart, True),)],
        pool.disj([p, apart]): [((p, True), (pair, False)) for pair in pairs],
        pool.negate(apart): [tuple((pair, True) for pair in pairs)],
        truths: [()],
        pool.conj([p, truths]): [((p, True),), ()],
        pool.disj([p, truths]): [((p, True),)],
        pool.negate(truths): [],
    }
    for formula, clauses in known.items():
        found = clauses_of(formula, pool)
        assert {frozenset(clause) for clause in found.top} == {frozenset(clause) for clause in clauses}
        assert found.named == ()
