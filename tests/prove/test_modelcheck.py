"""[MODEL-CHECK] Structures evaluated against programs: true, false, or not evaluated and why."""

from __future__ import annotations

import time
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.formulas import meanings, modules

import potlang
from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, REAL, DeclaredSort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure
from potlang.ir.values import Element, Unspecified
from potlang.prove.modelcheck import ModelCheck, check_model
from potlang.smt.models import SolverModel, read_structure, structure_text

S = DeclaredSort("S")


def fact(key: str, formula: Node) -> Assertion:
    return Assertion(key, key, AssertionKind.FACT, formula)


@settings(max_examples=40)
@given(st.data())
def test_it_says_what_evaluating_each_assertion_says(data: st.DataObject) -> None:
    module = data.draw(modules(depth=3))
    structure = data.draw(meanings(module))
    side = module.claims[0].formula
    values: dict[str, object] = {}
    for key, formula in [*((each.key, each.formula) for each in module.assertions), ("side", side)]:
        try:
            values[key] = evaluate(formula, structure)
        except (NotEvaluable, Unspecified):
            values[key] = None
    found = check_model(module, module.assertions, side, structure)
    false = [key for key, value in values.items() if value is False]
    if false:
        assert found == ModelCheck(False, false[0], found.skipped)
    else:
        skipped = [key for key, value in values.items() if value is None]
        assert [key for key, _ in found.skipped] == skipped
        assert found.holds is (None if skipped else True)


def test_what_is_skipped_is_said_with_the_reason() -> None:
    pool = Pool()
    x, y = pool.var("x", INT), pool.var("y", S)
    n, p = Symbol("n", (), INT, SymbolKind.CONSTANT), Symbol("p", (S,), BOOL, SymbolKind.FUNCTION)
    zero = pool.app(op.INT_DIV, (pool.sym(n), pool.integer(0)))
    facts = (
        fact("infinite", pool.quant("forall", (x,), pool.app(op.LE, (x, x)))),
        fact("true", pool.quant("forall", (y,), pool.app(p, (y,)))),
        fact("zero", pool.eq(zero, zero)),
    )
    module = Module(pool, (S,), (n, p), assertions=facts)
    structure = Structure({S: 2}, {n: 1, p: FunctionTable({}, True)})
    found = check_model(module, facts, pool.true, structure)
    assert found.holds is None
    assert [name for name, _ in found.skipped] == ["infinite", "zero"]
    assert "infinite" in found.skipped[0][1]
    assert "zero" in found.skipped[1][1]
    assert check_model(module, facts, pool.false, structure) == ModelCheck(False, "side", found.skipped)


def test_what_takes_too_long_is_skipped_with_all_that_is_left() -> None:
    """[LIMIT-TIER]"""
    pool = Pool()
    binders = tuple(pool.var(name, S) for name in "xyz")
    slow = pool.quant("exists", binders, pool.app(op.DISTINCT, (*binders, binders[0])))
    facts = (fact("slow", slow), fact("later", pool.true))
    module = Module(pool, (S,), assertions=facts)
    began = time.process_time()
    late = check_model(module, facts, None, Structure({S: 2_000}), most_ms=50)
    assert time.process_time() - began < 1
    assert late == ModelCheck(None, None, (("slow", "it takes too long"), ("later", "it takes too long")))
    costly = check_model(module, facts, None, Structure({S: 200}), most_steps=10_000)
    assert costly.skipped[0] == ("slow", "it takes too many steps")


def test_definitions_and_unknown_symbols_are_those_of_the_module() -> None:
    """A structure from a lowered module lacks what passes dropped."""
    program = potlang.compile(
        {
            "sorts": [{"name": "P", "type": "DeclareSort"}],
            "constants": [{"name": "people", "sort": "P", "members": ["a", "b"]}],
            "functions": [
                {"name": "f", "domain": ["P"], "range": "Int"},
                {"name": "g", "domain": ["P"], "range": "Int"},
                {"name": "d", "domain": ["P"], "range": "Int", "params": ["p"], "body": "f(p) + 1"},
            ],
            "knowledge_base": ["d(a) == 3", "g(b) == 0"],
            "verifications": [{"constraint": "d(b) > 3"}],
        }
    )
    module = program.module
    f = next(each for each in module.symbols if each.name == "f")
    structure = Structure({}, {f: FunctionTable({}, 2)})
    assert check_model(module, module.assertions, None, structure) == ModelCheck(True)
    found = check_model(module, module.assertions, module.claims[0].formula, structure)
    assert found == ModelCheck(False, "side")


def test_what_is_false_of_an_unread_symbol_is_not_said_to_be_false() -> None:
    pool = Pool()
    r, n = Symbol("r", (), REAL, SymbolKind.CONSTANT), Symbol("n", (), INT, SymbolKind.CONSTANT)
    square = pool.eq(pool.app(op.MUL, (pool.sym(r), pool.sym(r))), pool.real(2))
    facts = (fact("square", square), fact("low", pool.app(op.LT, (pool.sym(r), pool.real(5)))))
    module = Module(pool, (), (r, n), assertions=facts)
    text = "((define-fun $r () Real (root-obj (+ (^ x 2) (- 2)) 2))(define-fun $n () Int 4))"
    found = read_structure(text, module, "z3")
    assert isinstance(found, SolverModel)
    assert found.functions == {r: Fraction(0), n: 4}
    checked = check_model(module, facts, None, found)
    assert checked.holds is None
    assert checked.skipped == (("square", "the value of r is not read: an irrational number"),)
    wrong = pool.eq(pool.sym(n), pool.integer(5))
    assert check_model(module, (), wrong, found) == ModelCheck(False, "side")


def test_the_table_of_a_computed_function_is_what_the_check_saw() -> None:
    """What is written for a certificate evaluates as the solver's definition did."""
    pool = Pool()
    f = Symbol("f", (INT,), INT, SymbolKind.FUNCTION)
    facts = tuple(
        fact(f"a{i}", pool.eq(pool.app(f, (pool.integer(i),)), pool.integer(2 * i))) for i in (3, -2)
    )
    module = Module(pool, (), (f,), assertions=facts)
    found = read_structure("((define-fun $f ((x!0 Int)) Int (* x!0 2)))", module, "z3")
    assert check_model(module, facts, None, found) == ModelCheck(True)
    assert structure_text(module, found) == ["(function f (default 0) (3 6) (-2 -4))"]
    again = Structure({}, {f: FunctionTable({(3,): 6, (-2,): -4}, 0)})
    assert check_model(module, facts, None, again) == ModelCheck(True)


def test_large_models_of_facts_are_checked_quickly() -> None:
    pool = Pool()
    count = 3_000
    members = [Symbol(f"c{i}", (), S, SymbolKind.CONSTANT) for i in range(count)]
    r = Symbol("r", (S, S), BOOL, SymbolKind.FUNCTION)
    x, y, z = (pool.var(name, S) for name in "xyz")
    both = pool.app(op.AND, (pool.app(r, (x, y)), pool.app(r, (y, z))))
    rule = pool.quant("forall", (x, y, z), pool.implies(both, pool.negate(pool.app(r, (z, x)))))
    pairs = [(members[i], members[(i + 1) % count]) for i in range(count)]
    facts = [fact(f"f{i}", pool.app(r, (pool.sym(a), pool.sym(b)))) for i, (a, b) in enumerate(pairs)]
    module = Module(pool, (S,), (*members, r), assertions=(*facts, fact("rule", rule)))
    rows = {(Element("S", i), Element("S", (i + 1) % count)): True for i in range(count)}
    functions: dict[Symbol, object] = {each: Element("S", i) for i, each in enumerate(members)}
    structure = Structure({S: count}, {**functions, r: FunctionTable(rows, False)})
    assert check_model(module, module.assertions, None, structure) == ModelCheck(True)
