"""Skolem forms: satisfiable exactly if the formula is (against z3), and their certificate text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.formulas import modules

from potlang.engines.term_text import TermText, module_printer
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind, Definition, Module
from potlang.ir.nodes import Node, Quant, Symbol, SymbolKind, Var, free_variables, reachable
from potlang.ir.pool import Pool
from potlang.ir.skolem import NotSkolemizable, SkolemForm, skolemize
from potlang.ir.sorts import BOOL, DeclaredSort
from potlang.ir.structure import definitions_of
from potlang.smt.printer import Printer

THING = DeclaredSort("Thing")
P = Symbol("P", (THING,), BOOL, SymbolKind.FUNCTION)
R = Symbol("R", (THING, THING), BOOL, SymbolKind.FUNCTION)
A = Symbol("a", (), THING, SymbolKind.CONSTANT)


def status(module: Module, formula: Node, extra: tuple[Symbol, ...] = ()) -> str:
    import z3

    printer = Printer(replace(module, symbols=(*module.symbols, *extra), assertions=(), claims=()))
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 500)
    solver.set("rlimit", 300_000)
    solver.from_string(printer.declarations() + "\n" + printer.assertion(formula))
    return str(solver.check())


def closed(pool: Pool, form: SkolemForm) -> Node:
    return pool.quant("forall", form.universals, form.matrix) if form.universals else form.matrix


def agrees(module: Module, negated: bool) -> None:
    pool = module.pool
    formula = module.claims[0].formula
    try:
        form = skolemize(formula, pool, definitions_of(module), None, negated)
    except NotSkolemizable:
        return
    assert not any(isinstance(node, Quant) for node in reachable(form.matrix))
    assert set(free_variables(form.matrix)) == set(form.universals)
    before = status(module, pool.negate(formula) if negated else formula)
    after = status(module, closed(pool, form), tuple(form.choices))
    assert "unknown" in (before, after) or before == after


@settings(max_examples=80)
@given(modules(nested=False, depth=5, most=0), st.booleans())
def test_a_formula_and_its_skolem_form_are_satisfiable_together(module: Module, negated: bool) -> None:
    """[GROUND-SKOLEM] [PASS-KEEPS-2]"""
    agrees(module, negated)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(modules(nested=False, depth=5, most=0), st.booleans())
def test_a_formula_and_its_skolem_form_are_satisfiable_together_deep(module: Module, negated: bool) -> None:
    agrees(module, negated)


def relation(pool: Pool, outer: str, inner: str) -> tuple[Node, Var, Var]:
    x, y = pool.var("x", THING), pool.var("y", THING)
    body = pool.quant(inner, (y,), pool.app(R, (x, y)))
    return pool.quant(outer, (x,), body), x, y


def module_of(pool: Pool, formula: Node, *definitions: Definition) -> Module:
    assertion = Assertion("r0", "rule", AssertionKind.RULE, formula)
    return Module(pool, (THING,), (P, R, A), definitions, (assertion,))


def test_a_choice_depends_on_the_free_variables_of_its_quantifier() -> None:
    """[GROUND-SKOLEM]"""
    pool = Pool()
    formula, x, y = relation(pool, "forall", "exists")
    form = skolemize(formula, pool, {}, "r0")
    ((symbol, choice),) = form.choices.items()
    assert (symbol.domain, symbol.range, form.universals) == ((THING,), THING, (x,))
    assert choice == ("r0", y, "+", (x,))
    assert form.matrix is pool.app(R, (x, pool.app(symbol, (x,))))


def test_the_negation_chooses_for_what_is_universal_as_written() -> None:
    pool = Pool()
    formula, x, y = relation(pool, "forall", "exists")
    form = skolemize(formula, pool, {}, None, negated=True)
    ((_, choice),) = form.choices.items()
    assert choice == (None, x, "-", ())
    assert form.universals == (y,)


def test_a_quantifier_of_both_polarities_is_chosen_and_universal() -> None:
    pool = Pool()
    x = pool.var("x", THING)
    some = pool.quant("exists", (x,), pool.app(P, (x,)))
    form = skolemize(pool.app(op.IFF, (some, pool.app(P, (pool.sym(A),)))), pool, {}, "r0")
    assert form.universals == (x,)
    assert [choice.variable for choice in form.choices.values()] == [x]


def test_terms_are_printed_as_certificates_write_them() -> None:
    pool = Pool()
    formula, x, _ = relation(pool, "forall", "exists")
    form = skolemize(formula, pool, {}, "r0")
    text = TermText(module_printer(module_of(pool, formula)))
    text.add("r0", formula, form)
    (symbol,) = form.choices
    fresh = Symbol("dummy", (), THING, SymbolKind.FRESH)
    text.add_dummy(fresh)
    dummy = pool.sym(fresh)
    assert text.term(pool.app(symbol, (pool.sym(A),))) == '(skolem "r0" ?y.1 + a)'
    assert text.term(pool.app(symbol, (dummy,))) == '(skolem "r0" ?y.1 + (dummy Thing))'
    assert text.variable("r0", x) == "?x.0"
    goal, first, _ = relation(pool, "exists", "forall")
    chosen = skolemize(goal, pool, {}, None)
    text.add(None, goal, chosen)
    assert text.term(pool.sym(next(iter(chosen.choices)))) == f"(skolem goal {text.variable(None, first)} +)"


def test_defined_functions_are_unfolded() -> None:
    pool = Pool()
    z = pool.var("z", THING)
    defined = Symbol("D", (THING,), BOOL, SymbolKind.DEFINED)
    definition = Definition(defined, (z,), pool.negate(pool.app(P, (z,))))
    x = pool.var("x", THING)
    formula = pool.quant("exists", (x,), pool.app(defined, (x,)))
    form = skolemize(formula, pool, {defined: definition}, "r0", negated=True)
    assert form.matrix is pool.app(P, (x,))


def test_quantifiers_in_definitions_and_terms_have_no_form() -> None:
    """[GROUND-REFUSED]"""
    pool = Pool()
    x = pool.var("x", THING)
    some = pool.quant("exists", (x,), pool.app(P, (x,)))
    defined = Symbol("D", (), BOOL, SymbolKind.DEFINED)
    with pytest.raises(NotSkolemizable):
        skolemize(pool.sym(defined), pool, {defined: Definition(defined, (), some)}, "r0")
    holds = Symbol("holds", (BOOL,), BOOL, SymbolKind.FUNCTION)
    with pytest.raises(NotSkolemizable):
        skolemize(pool.app(holds, (some,)), pool, {}, "r0")


def test_two_quantifiers_that_choose_one_variable_are_refused() -> None:
    """[GROUND-REFUSED]"""
    pool = Pool()
    x = pool.var("x", THING)
    body = pool.app(P, (x,))
    formula = pool.conj([pool.quant("exists", (x,), body), pool.quant("exists", (x,), pool.negate(body))])
    with pytest.raises(NotSkolemizable):
        skolemize(formula, pool, {}, "r0")
