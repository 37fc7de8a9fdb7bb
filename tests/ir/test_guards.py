"""[IR-EVAL-6] Guards leave out bindings and change no value."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.formulas import meanings, modules

from potlang.ir import guards
from potlang.ir import operators as op
from potlang.ir.evaluator import Evaluator, OutOfSteps, Survey, evaluate
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort, Sort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure
from potlang.ir.values import Element, Unspecified
from potlang.utils.deadline import Deadline

S = DeclaredSort("S")
POOL = Pool()


def symbol(name: str, range_: Sort, *domain: Sort) -> Symbol:
    return Symbol(name, domain, range_, SymbolKind.FUNCTION if domain else SymbolKind.CONSTANT)


P, Q, R = symbol("P", BOOL, S), symbol("Q", BOOL, S, S), symbol("R", BOOL, S, S)
C, LOST, N = symbol("c", S), symbol("lost", S), symbol("n", INT)


@contextmanager
def least_bindings(count: int) -> Iterator[None]:
    """Guards are used for quantifiers with more bindings than `count`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guards, "_LEAST_BINDINGS", count)
        yield


def outcome(formula: Node, structure: Structure) -> object:
    try:
        return evaluate(formula, structure, most_steps=200_000)
    except (NotEvaluable, Unspecified):
        return None


def s(index: int) -> Element:
    return Element("S", index)


@st.composite
def _structures(draw: st.DrawFn) -> Structure:
    size = draw(st.integers(1, 4))
    member = st.integers(0, size).map(s)
    truth = st.sampled_from([True, False, True, False, NotEvaluable])

    def table(arity: int) -> FunctionTable:
        keys = st.tuples(*[member] * arity)
        values = truth if draw(st.integers(0, 4)) == 4 else st.booleans()
        return FunctionTable(draw(st.dictionaries(keys, values, max_size=6)), draw(values))

    functions: dict[Symbol, object] = {
        P: table(1),
        Q: table(2),
        R: table(2),
        C: draw(st.integers(0, size - 1).map(s)),
    }
    functions[N] = 0
    return Structure({S: size}, functions)


@st.composite
def _formulas(draw: st.DrawFn, variables: tuple[Var, ...] = (), depth: int = 4) -> Node:
    terms: list[Node] = [*variables, POOL.sym(C), POOL.sym(LOST)]
    term = st.sampled_from([*variables, *variables, *terms])
    kind = draw(st.sampled_from(["atom", "not", "=>", "and", "or", "forall", "exists", "undefined"]))
    if depth == 0 or kind == "atom":
        predicate = draw(st.sampled_from([P, Q, Q, R, R]))
        return POOL.app(predicate, tuple(draw(term) for _ in predicate.domain))
    if kind == "undefined":
        zero = POOL.app(op.INT_DIV, (POOL.integer(1), POOL.sym(N)))
        return POOL.app(op.LT, (zero, POOL.integer(1)))
    if kind == "not":
        return POOL.app(op.NOT, (draw(_formulas(variables, depth - 1)),))
    if kind in ("forall", "exists"):
        count = draw(st.integers(1, 2))
        binders = tuple(POOL.var("x", S) for _ in range(count))
        return POOL.quant(kind, binders, draw(_formulas((*variables, *binders), depth - 1)))
    parts = tuple(draw(_formulas(variables, depth - 1)) for _ in range(2))
    return POOL.app(op.OPERATORS[kind], parts)


@settings(max_examples=150)
@given(st.data())
def test_guards_change_no_value(data: st.DataObject) -> None:
    """Formulas with guards of every polarity, with parts that have no value, over tables of any default."""
    structure = data.draw(_structures())
    binders = tuple(POOL.var("x", S) for _ in range(data.draw(st.integers(1, 3))))
    formula = POOL.quant(
        data.draw(st.sampled_from(["forall", "exists"])), binders, data.draw(_formulas(binders))
    )
    with least_bindings(0):
        guarded = outcome(formula, structure)
    with least_bindings(1 << 40):
        assert outcome(formula, structure) is guarded


@settings(max_examples=40)
@given(st.data())
def test_guards_change_no_value_in_modules(data: st.DataObject) -> None:
    module = data.draw(modules(finite=True, depth=4, most=3))
    structure = data.draw(meanings(module))
    for formula in module.formulas():
        with least_bindings(0):
            guarded = outcome(formula, structure)
        with least_bindings(1 << 40):
            assert outcome(formula, structure) == guarded


def _path(size: int) -> Structure:
    rows = {(s(i), s(i + 1)): True for i in range(size - 1)}
    return Structure({S: size}, {Q: FunctionTable(rows, False), R: FunctionTable({}, False)})


def _triangle() -> Node:
    x, y, z = (POOL.var(name, S) for name in "xyz")
    body = POOL.app(op.AND, (POOL.app(Q, (x, y)), POOL.app(Q, (y, z))))
    return POOL.quant("forall", (x, y, z), POOL.implies(body, POOL.negate(POOL.app(Q, (x, z)))))


def test_a_join_of_guards_takes_as_long_as_their_entries() -> None:
    """27,000,000,000 triples of which 2,998 matter."""
    began = time.process_time()
    assert evaluate(_triangle(), _path(3_000)) is True
    assert time.process_time() - began < 2


def test_guards_of_an_inner_quantifier_use_the_outer_binding() -> None:
    x, y = POOL.var("x", S), POOL.var("y", S)
    inner = POOL.quant("forall", (y,), POOL.implies(POOL.app(Q, (x, y)), POOL.negate(POOL.app(Q, (y, x)))))
    assert evaluate(POOL.quant("forall", (x,), inner), _path(1_000), most_steps=20_000) is True


def test_an_entry_outside_the_universe_is_no_binding() -> None:
    structure = Structure({S: 20}, {Q: FunctionTable({(s(3), s(77)): True}, False)})
    x, y = POOL.var("x", S), POOL.var("y", S)
    assert evaluate(POOL.quant("exists", (x, y), POOL.app(Q, (x, y))), structure) is False


def test_an_atom_over_a_symbol_without_meaning_is_no_guard() -> None:
    """`Q(x, lost)` has no value; that P is nowhere true decides all the same."""
    structure = Structure(
        {S: 20}, {Q: FunctionTable({(s(1), s(2)): True}, False), P: FunctionTable({}, False)}
    )
    x = POOL.var("x", S)
    atoms = (POOL.app(Q, (x, POOL.sym(LOST))), POOL.app(P, (x,)))
    assert evaluate(POOL.quant("exists", (x,), POOL.app(op.AND, atoms)), structure) is False


def test_an_entry_without_a_value_is_no_false_one() -> None:
    structure = Structure({S: 20}, {Q: FunctionTable({(s(1), s(2)): NotEvaluable}, False)})
    x, y = POOL.var("x", S), POOL.var("y", S)
    with pytest.raises(NotEvaluable):
        evaluate(POOL.quant("exists", (x, y), POOL.app(Q, (x, y))), structure)


# --- the evaluator as an object -------------------------------------------------------------------


def test_one_evaluator_serves_many_formulas() -> None:
    evaluator = Evaluator(_path(30))
    x = POOL.var("x", S)
    reached = POOL.app(Q, (x, POOL.sym(C)))
    assert evaluator.value(_triangle()) is True
    with pytest.raises(NotEvaluable):
        evaluator.value(reached, {x: s(0)})
    assert evaluator.value(POOL.app(Q, (x, x)), {x: s(0)}) is False
    assert evaluator.value(POOL.app(op.NOT, (_triangle(),))) is False


def test_what_is_known_of_nodes_serves_other_structures() -> None:
    survey = Survey()
    x = POOL.var("x", S)
    reached = POOL.quant("exists", (x,), POOL.app(Q, (x, POOL.sym(C))))
    both = POOL.app(op.AND, (_triangle(), POOL.negate(reached), POOL.app(op.OR, (reached, _triangle()))))
    for size in (1, 2, 30):
        for last in (0, size - 1):
            path = _path(size)
            structure = Structure(path.universe, {**path.functions, C: s(last)})
            found = Evaluator(structure, survey=survey).value(both)
            assert found is evaluate(both, structure) is (last == 0)


def test_steps_are_for_all_calls_and_end_them() -> None:
    x, y = POOL.var("x", S), POOL.var("y", S)
    slow = POOL.quant("exists", (x, y), POOL.app(op.DISTINCT, (x, x)))
    evaluator = Evaluator(_path(100), most_steps=15_000)
    assert evaluator.value(slow) is False
    with pytest.raises(OutOfSteps, match="too many steps"):
        evaluator.value(POOL.negate(slow))


def test_a_deadline_ends_a_call() -> None:
    x, y, z = (POOL.var(name, S) for name in "xyz")
    slow = POOL.quant("exists", (x, y, z), POOL.app(op.DISTINCT, (x, y, z, x)))
    began = time.process_time()
    with pytest.raises(OutOfSteps, match="too long"):
        Evaluator(_path(2_000), deadline=Deadline(50)).value(slow)
    assert time.process_time() - began < 1


# --- integers -------------------------------------------------------------------------------------

T = symbol("T", BOOL, INT)


@st.composite
def _of_integers(draw: st.DrawFn, x: Var, depth: int = 3) -> Node:
    """Formulas over an integer: comparisons with numerals, a table, parts that have no value."""
    kind = draw(st.sampled_from(["<", "<=", "=", "table", "not", "=>", "and", "or", "undefined"]))
    if depth == 0 or kind in ("<", "<=", "="):
        operator = op.OPERATORS[kind if kind in ("<", "<=", "=") else "<="]
        sides: list[Node] = [x, POOL.integer(draw(st.integers(-4, 4)))]
        return POOL.app(operator, tuple(draw(st.permutations(sides))))
    if kind == "table":
        return POOL.app(T, (x,))
    if kind == "undefined":
        zero = POOL.app(op.INT_DIV, (POOL.integer(1), POOL.sym(N)))
        return POOL.app(op.LT, (zero, POOL.integer(1)))
    if kind == "not":
        return POOL.app(op.NOT, (draw(_of_integers(x, depth - 1)),))
    return POOL.app(op.OPERATORS[kind], tuple(draw(_of_integers(x, depth - 1)) for _ in range(2)))


@settings(max_examples=200)
@given(st.data())
def test_a_quantifier_over_integers_has_the_value_of_all_its_instances(data: st.DataObject) -> None:
    """[IR-EVAL-1] [IR-EVAL-6]: beyond the numerals and the entries all instances are alike."""
    x = POOL.var("x", INT)
    body = data.draw(_of_integers(x))
    kind = data.draw(st.sampled_from(["forall", "exists"]))
    rows = data.draw(st.dictionaries(st.tuples(st.integers(-4, 4)), st.booleans(), max_size=4))
    structure = Structure({}, {T: FunctionTable(rows, data.draw(st.booleans())), N: 0})
    found = outcome(POOL.quant(kind, (x,), body), structure)

    def instance(value: int) -> object:
        try:
            return evaluate(body, structure, {x: value})
        except (NotEvaluable, Unspecified):
            return None

    instances = [instance(value) for value in range(-9, 10)]
    decisive = kind == "exists"
    whole = decisive if decisive in instances else None if None in instances else not decisive
    assert found is None or found is whole


@pytest.mark.parametrize("kind", ["forall", "exists"])
def test_an_infinite_sort_that_a_table_guards_has_its_entries(kind: str) -> None:
    """[IR-EVAL-1] [IR-EVAL-6]"""
    x, y = POOL.var("x", INT), POOL.var("y", INT)
    structure = Structure({}, {T: FunctionTable({(3,): True, (10**30,): True}, False), N: 0})
    here = POOL.app(T, (x,))

    def asked(guard: Node, then: Node, *binders: Var) -> object:
        joined = POOL.implies(guard, then) if kind == "forall" else POOL.app(op.AND, (guard, then))
        return outcome(POOL.quant(kind, binders, joined), structure)

    assert asked(here, POOL.app(op.EQ, (x, POOL.integer(3))), x) is (kind == "exists")
    assert asked(here, POOL.app(op.LE, (POOL.integer(3), x)), x) is True
    both = POOL.app(op.AND, (here, POOL.app(T, (y,))))
    assert asked(both, POOL.app(op.LE, (x, y)), x, y) is (kind == "exists")
    # What nothing binds has the numbers that are tried ([IR-EVAL-7]): one of them may decide.
    assert asked(here, POOL.app(op.LE, (x, y)), x, y) is (False if kind == "forall" else None)
    few = POOL.app(op.LE, (x, POOL.integer(3)))
    assert asked(POOL.negate(here), few, x) is (None if kind == "forall" else True)
