"""Ground refutations and models of random formulas: against the kernel, the evaluator and z3."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from strategies.formulas import Signature, formulas, modules
from structures import structures

from potlang.engines.ground.grounding import Grounded, Grounder, GroundLimits
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, Sort
from potlang.ir.structure import NotEvaluable, Structure
from potlang.ir.text import print_module
from potlang.smt.printer import Printer

THING, OWNER = DeclaredSort("Thing"), DeclaredSort("Owner")
COLOUR = EnumSort("Colour", ("red", "green", "blue"))
LIMITS = GroundLimits(timeout_ms=2_000, instances=2_000, terms=500, conflicts=5_000)


def function(name: str, *sorts: Sort) -> Symbol:
    kind = SymbolKind.FUNCTION if len(sorts) > 1 else SymbolKind.CONSTANT
    return Symbol(name, sorts[:-1], sorts[-1], kind)


SYMBOLS = (
    function("a", THING),
    function("b", THING),
    function("o", OWNER),
    function("c", COLOUR),
    function("q", BOOL),
    function("P", THING, BOOL),
    function("R", THING, OWNER, BOOL),
    function("S", THING, THING, BOOL),
    function("owner", THING, OWNER),
    function("colour", THING, COLOUR),
    function("likes", COLOUR, THING),
)
CYCLE = function("next", THING, THING)
FEW = tuple(symbol for symbol in SYMBOLS if symbol.name in ("a", "b", "o", "c", "q", "P", "owner"))


@st.composite
def problems(draw: DrawFn) -> Module:
    """Assertions and a claim over some of the symbols; seldom with a function from a sort to itself."""
    pool = Pool()
    chosen = draw(st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=6, unique=True))
    if draw(st.integers(0, 5)) == 5:
        chosen.append(CYCLE)
    symbols = tuple(dict.fromkeys((SYMBOLS[0], SYMBOLS[2], *chosen)))
    sorts = (THING, OWNER, COLOUR)
    known = tuple(sort for sort in sorts if any(sort in (*s.domain, s.range) for s in symbols))
    formula = formulas(Signature(known, symbols), pool, 3)
    assertions = tuple(
        Assertion(f"a{at}", f"a{at}", AssertionKind.FACT, draw(formula))
        for at in range(draw(st.integers(1, 4)))
    )
    return Module(pool, known, symbols, (), assertions, (Claim("c0", "c0", draw(formula)),))


class Builder:
    """Clauses with variables: literals over predicates, functions and equality, three at most."""

    def __init__(self, draw: DrawFn, pool: Pool, symbols: tuple[Symbol, ...]) -> None:
        self.draw = draw
        self.pool = pool
        self.symbols = symbols

    def term(self, sort: Sort, variables: list[Var], depth: int) -> Node:
        pool = self.pool
        choices: list[Node | Symbol] = [var for var in variables if var.sort == sort]
        choices += [s for s in self.symbols if s.range == sort and (depth or not s.domain)]
        if isinstance(sort, EnumSort):
            choices += [pool.lit(value, sort) for value in sort.values[:2]]
        chosen = self.draw(st.sampled_from(choices))
        if isinstance(chosen, Symbol):
            args = tuple(self.term(part, variables, depth - 1) for part in chosen.domain)
            return pool.app(chosen, args) if args else pool.sym(chosen)
        return chosen

    def literal(self, variables: list[Var]) -> Node:
        predicates = [s for s in self.symbols if s.range is BOOL]
        chosen = self.draw(st.sampled_from([*predicates, *predicates, THING, COLOUR]))
        if isinstance(chosen, Symbol):
            args = tuple(self.term(part, variables, 1) for part in chosen.domain)
            atom: Node = self.pool.app(chosen, args) if args else self.pool.sym(chosen)
        else:
            atom = self.pool.eq(self.term(chosen, variables, 1), self.term(chosen, variables, 1))
        return atom if self.draw(st.booleans()) else self.pool.negate(atom)

    def clause(self) -> Node:
        pool = self.pool
        sorts = self.draw(st.lists(st.sampled_from([THING, THING, OWNER, COLOUR]), max_size=2))
        variables = [pool.var("xyz"[at], sort) for at, sort in enumerate(sorts)]
        if variables and self.draw(st.integers(0, 3)) == 0:
            inner = pool.var("w", self.draw(st.sampled_from([THING, OWNER])))
            body = pool.conj([self.literal([*variables, inner]) for _ in range(self.draw(st.integers(1, 2)))])
            parts = [self.literal(variables), pool.quant("exists", (inner,), body)]
        else:
            parts = [self.literal(variables) for _ in range(self.draw(st.integers(1, 3)))]
        matrix = pool.disj(parts)
        return pool.quant("forall", tuple(variables), matrix) if variables else matrix


@st.composite
def clausal(draw: DrawFn, symbols: tuple[Symbol, ...] = SYMBOLS, cycle: bool = True) -> Module:
    """Some clauses, and one for a claim."""
    pool = Pool()
    if cycle and draw(st.integers(0, 3)) == 0:
        symbols = (*symbols, CYCLE)
    builder = Builder(draw, pool, symbols)
    assertions = tuple(
        Assertion(f"a{at}", f"a{at}", AssertionKind.RULE, builder.clause())
        for at in range(draw(st.integers(2, 9)))
    )
    return Module(
        pool, (THING, OWNER, COLOUR), symbols, (), assertions, (Claim("c0", "c0", builder.clause()),)
    )


def z3_status(module: Module, negated: bool) -> str:
    import z3

    printer = Printer(replace(module, claims=()))
    claim = module.claims[0].formula
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 1000)
    solver.set("rlimit", 1_000_000)
    solver.from_string(
        printer.base(named=False) + "\n" + printer.assertion(module.pool.negate(claim) if negated else claim)
    )
    return str(solver.check())


def value_of(formula: Node, structure: Structure) -> object:
    """None for a formula over an infinite sort that says nothing about it."""
    try:
        return evaluate(formula, structure)
    except NotEvaluable:
        return None


def agrees(module: Module, negated: bool) -> Grounded:
    claim = module.claims[0]
    side = "negation" if negated else "claim"
    found = Grounder(module).decide(module.assertions, side, claim, LIMITS)
    if found.status == "unknown":
        assert "kernel" not in found.reason and "satisfiable" not in found.reason, print_module(module)
        return found
    known = z3_status(module, negated)
    assert known in (found.status, "unknown")
    if found.status == "sat":
        assert found.structure is not None
        values = [value_of(assertion.formula, found.structure) for assertion in module.assertions]
        assert all(value in (True, None) for value in values)
        assert value_of(claim.formula, found.structure) is not negated
    return found


@settings(max_examples=25)
@given(problems(), st.booleans())
def test_statuses_are_right_and_carry_evidence(module: Module, negated: bool) -> None:
    """[GROUND-UNSAT] [GROUND-SAT]"""
    agrees(module, negated)


@settings(max_examples=25)
@given(clausal(), st.booleans())
def test_clauses_with_equality_and_functions(module: Module, negated: bool) -> None:
    """[GROUND-UNSAT] [GROUND-SAT]"""
    agrees(module, negated)


@settings(max_examples=18)
@given(modules(nested=False, depth=4, most=3), st.booleans())
def test_statuses_are_right_with_any_sorts_and_operators(module: Module, negated: bool) -> None:
    agrees(module, negated)


@settings(max_examples=30)
@given(clausal(FEW, cycle=False), st.booleans(), st.integers(1, 3))
def test_what_is_unsatisfiable_has_no_small_model(module: Module, negated: bool, things: int) -> None:
    claim = module.claims[0].formula
    found = agrees(module, negated)
    assert found.status != "unknown"
    small = any(
        all(evaluate(each.formula, structure) for each in module.assertions)
        and evaluate(claim, structure) is not negated
        for structure in structures(module, {THING: things, OWNER: 1})
    )
    assert not (small and found.status == "unsat")


@pytest.mark.slow
@settings(max_examples=3_000)
@given(problems(), st.booleans())
def test_statuses_are_right_and_carry_evidence_deep(module: Module, negated: bool) -> None:
    agrees(module, negated)


@pytest.mark.slow
@settings(max_examples=5_000)
@given(clausal(), st.booleans())
def test_clauses_with_equality_and_functions_deep(module: Module, negated: bool) -> None:
    agrees(module, negated)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(modules(nested=False, depth=5, most=3), st.booleans())
def test_statuses_are_right_with_any_sorts_and_operators_deep(module: Module, negated: bool) -> None:
    agrees(module, negated)
