"""The evaluator against hand-made values, a naive recursive one, and counting."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies.formulas import meanings, modules
from structures import count_structures, structures

from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.fold import MOST_BITS, fold, value_of
from potlang.ir.module import Definition, Module
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure, cardinality, members
from potlang.ir.values import Bits, Element, MapValue, Record, Unspecified

S = DeclaredSort("S")
ONE = Structure({S: 2})


def constant(name: str, sort: object) -> Symbol:
    return Symbol(name, (), sort, SymbolKind.CONSTANT)  # type: ignore[arg-type]


BITS = [BitVecSort(width) for width in range(11)]
UNIT = TupleSort("Unit", ())
SIZES = [
    (TupleSort("Pair", (("first", BITS[4]), ("second", BITS[5]))), 512),
    (SetSort(BITS[2]), 16),
    (ArraySort(BITS[2], BITS[1]), 16),
    (ArraySort(DeclaredSort("T"), DeclaredSort("T")), 27),
    (FunctionSort((BITS[1], BITS[2]), BITS[1]), 256),
    (FunctionSort((BOOL, SetSort(BITS[1])), UNIT), 1),
]


@pytest.mark.parametrize(("sort", "size"), SIZES)
def test_members_are_counted_without_being_listed(sort: Sort, size: int) -> None:
    structure = Structure({DeclaredSort("T"): 3})
    listed = members(sort, structure)
    assert len({*listed}) == len(listed) == cardinality(sort, structure) == size
    assert cardinality(sort, structure, most=max(size, 8)) == size
    assert cardinality(sort, structure, most=size - 1) is None


def test_tables_of_too_many_keys_are_not_listed() -> None:
    """Not even where there is one alone."""
    with pytest.raises(NotEvaluable):
        members(FunctionSort((BITS[10], BITS[10]), UNIT), Structure())


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_agrees_with_the_naive_evaluator(data: st.DataObject) -> None:
    module = data.draw(modules(finite=True, nested=False, depth=3, most=2, definitions=False))
    structure = data.draw(meanings(module, most=2))
    for formula in module.formulas():
        try:
            expected = naive(formula, structure, {}, [3_000])
        except (Unspecified, TimeoutError):
            continue
        assert evaluate(formula, structure) == expected


def naive(node: Node, structure: Structure, env: dict[Var, object], budget: list[int]) -> object:
    """The textbook definition: everything is computed, nothing remembered."""
    budget[0] -= 1
    if budget[0] < 0:
        raise TimeoutError
    match node:
        case Lit():
            return value_of(node)
        case Var():
            return env[node]
        case Sym():
            return structure.functions[node.symbol]
        case Quant():
            domains = [members(var.sort, structure) for var in node.binders]
            results = [
                naive(node.body, structure, {**env, **dict(zip(node.binders, each, strict=True))}, budget)
                for each in itertools.product(*domains)
            ]
            return all(results) if node.kind == "forall" else any(results)
        case App():
            args = [naive(arg, structure, env, budget) for arg in node.args]
            if isinstance(node.op, op.Operator):
                return node.op.evaluate(*args)
            if node.op.kind is SymbolKind.CONSTRUCTOR:
                return Record(node.op.range.name, tuple(args))  # type: ignore[union-attr]
            if node.op.kind is SymbolKind.SELECTOR:
                names = [name for name, _ in node.op.domain[0].fields]  # type: ignore[union-attr]
                return args[0].fields[names.index(node.op.name)]  # type: ignore[attr-defined]
            return structure.functions[node.op](*args)  # type: ignore[operator]


def test_quantifiers_range_over_the_universe() -> None:
    """[IR-EVAL-1]"""
    pool = Pool()
    p = Symbol("p", (S,), BOOL, SymbolKind.FUNCTION)
    x = pool.var("x", S)
    structure = Structure({S: 3}, {p: lambda e: e.index == 1})
    assert evaluate(pool.quant("exists", (x,), pool.app(p, (x,))), structure) is True
    assert evaluate(pool.quant("forall", (x,), pool.app(p, (x,))), structure) is False


def test_division_by_zero_has_no_value_unless_the_rest_decides() -> None:
    """[IR-EVAL-2] [IR-EVAL-3]"""
    pool = Pool()
    bad = pool.app(op.LT, (pool.app(op.DIV, (pool.real(1), pool.real(0))), pool.real(1)))
    with pytest.raises(Unspecified):
        evaluate(bad, ONE)
    assert evaluate(pool.conj((bad, pool.false)), ONE) is False
    assert evaluate(pool.disj((bad, pool.true)), ONE) is True
    assert evaluate(pool.implies(bad, pool.true), ONE) is True
    assert evaluate(pool.app(op.ITE, (pool.true, pool.false, bad)), ONE) is False
    with pytest.raises(Unspecified):
        evaluate(pool.implies(bad, pool.false), ONE)


def test_a_choice_has_no_value_where_its_condition_has_none() -> None:
    """[IR-EVAL-2] Whatever the branches are; of these the chosen one alone is computed."""
    pool = Pool()
    bad = pool.app(op.LT, (pool.app(op.DIV, (pool.real(1), pool.real(0))), pool.real(1)))
    n = pool.sym(Symbol("n", (), INT, SymbolKind.CONSTANT))
    unknown = pool.app(op.LT, (n, pool.integer(1)))
    one, two = pool.integer(1), pool.integer(2)
    for condition, failure in ((bad, Unspecified), (unknown, NotEvaluable)):
        for branches in ((one, two), (two, one), (pool.true, pool.false)):
            with pytest.raises(failure):
                evaluate(pool.app(op.ITE, (condition, *branches)), ONE)
        inner = pool.app(op.ITE, (condition, one, two))
        assert evaluate(pool.app(op.ITE, (pool.true, one, inner)), ONE) == 1
        assert evaluate(pool.app(op.ITE, (pool.false, inner, two)), ONE) == 2
        with pytest.raises(failure):
            evaluate(pool.app(op.ITE, (pool.true, inner, two)), ONE)


def test_an_infinite_sort_is_refused_unless_the_rest_decides() -> None:
    """[IR-EVAL-1]"""
    pool = Pool()
    x = pool.var("x", INT)
    every = pool.quant("forall", (x,), pool.app(op.LE, (x, x)))
    with pytest.raises(NotEvaluable):
        evaluate(every, ONE)
    assert evaluate(pool.conj((every, pool.false)), ONE) is False
    with pytest.raises(NotEvaluable):
        evaluate(pool.negate(every), ONE)


def test_arithmetic_is_exact() -> None:
    pool = Pool()
    third = pool.app(op.DIV, (pool.real(1), pool.real(3)))
    assert evaluate(pool.app(op.MUL, (third, pool.real(3))), ONE) == Fraction(1)
    tenth = [pool.real(Fraction(n, 10)) for n in (1, 2, 3)]
    assert evaluate(pool.eq(pool.app(op.ADD, (tenth[0], tenth[1])), tenth[2]), ONE) is True


@pytest.mark.parametrize(
    ("a", "b", "quotient", "rest"), [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)]
)
def test_integer_division_is_smtlibs(a: int, b: int, quotient: int, rest: int) -> None:
    pool = Pool()
    args = (pool.integer(a), pool.integer(b))
    assert evaluate(pool.app(op.INT_DIV, args), ONE) == quotient
    assert evaluate(pool.app(op.MOD, args), ONE) == rest


def test_tables_over_finite_sorts_are_equal_if_their_values_are() -> None:
    """[IR-EVAL-4]"""
    pool = Pool()
    sort = ArraySort(BOOL, INT)
    a, b = constant("a", sort), constant("b", sort)
    listed = MapValue(0, frozenset({(False, 1), (True, 1)}))
    structure = Structure({}, {a: listed, b: MapValue(1)})
    assert evaluate(pool.eq(pool.sym(a), pool.sym(b)), structure) is True
    stored = pool.app(op.STORE, (pool.sym(b), pool.true, pool.integer(2)))
    assert evaluate(pool.eq(stored, pool.sym(a)), structure) is False
    whole = pool.app(op.INSERT, (pool.false, pool.app(op.INSERT, (pool.true, pool.lit(None, SetSort(BOOL))))))
    c = constant("c", SetSort(BOOL))
    full = Structure({}, {c: MapValue(True)})
    assert evaluate(pool.eq(whole, pool.sym(c)), full) is True
    assert evaluate(pool.app(op.SUBSET, (pool.sym(c), whole)), full) is True


@pytest.mark.parametrize(
    ("sort", "size"),
    [
        (BOOL, 2),
        (EnumSort("E", ("a", "b", "c")), 3),
        (S, 2),
        (BitVecSort(3), 8),
        (TupleSort("T", (("x", BOOL), ("y", S))), 4),
        (SetSort(S), 4),
        (ArraySort(S, EnumSort("E", ("a", "b", "c"))), 9),
        (FunctionSort((S, BOOL), BOOL), 16),
        (SetSort(SetSort(S)), 16),
    ],
)
def test_members_are_all_different_and_complete(sort: object, size: int) -> None:
    """[IR-EVAL-1]"""
    found = members(sort, ONE)  # type: ignore[arg-type]
    assert len(found) == len(set(found)) == size


@pytest.mark.parametrize(
    "sort", [INT, REAL, SetSort(INT), BitVecSort(64), DeclaredSort("other"), ArraySort(S, INT)]
)
def test_infinite_and_large_sorts_have_no_list_of_members(sort: object) -> None:
    """[IR-EVAL-1]"""
    with pytest.raises(NotEvaluable):
        members(sort, ONE)  # type: ignore[arg-type]


def test_definitions_are_unfolded() -> None:
    pool = Pool()
    x = pool.var("x", INT)
    double = Symbol("double", (INT,), INT, SymbolKind.DEFINED)
    eight = Symbol("eight", (), INT, SymbolKind.DEFINED)
    nested: Node = pool.integer(1)
    for _ in range(3):
        nested = pool.app(double, (nested,))
    definitions = {
        double: Definition(double, (x,), pool.app(op.ADD, (x, x))),
        eight: Definition(eight, (), nested),
    }
    structure = Structure({}, {}, definitions)
    assert (
        evaluate(pool.app(op.MUL, (pool.sym(eight), pool.app(double, (pool.sym(eight),)))), structure) == 128
    )


def test_records() -> None:
    pool = Pool()
    sort = TupleSort("T", (("x", INT), ("y", BOOL)))
    make = Symbol("T", (INT, BOOL), sort, SymbolKind.CONSTRUCTOR)
    x = Symbol("x", (sort,), INT, SymbolKind.SELECTOR)
    record = pool.app(make, (pool.integer(4), pool.true))
    assert evaluate(record, ONE) == Record("T", (4, True))
    assert evaluate(pool.app(x, (record,)), ONE) == 4


def test_bit_vectors() -> None:
    pool = Pool()
    seven = pool.lit(7, BitVecSort(3))
    assert evaluate(pool.app(op.BV_ADD, (seven, seven)), ONE) == Bits(6, 3)
    assert evaluate(pool.app(op.BV_SLT, (seven, pool.lit(0, BitVecSort(3)))), ONE) is True


def test_deep_and_shared_terms_are_quick() -> None:
    pool = Pool()
    n = constant("n", INT)
    structure = Structure({}, {n: 1})
    shared: Node = pool.sym(n)
    for _ in range(60):
        shared = pool.app(op.ADD, (shared, shared))
    assert evaluate(shared, structure) == 2**60
    deep: Node = pool.true
    for _ in range(50_000):
        deep = pool.app(op.NOT, (deep,))
    assert evaluate(deep, structure) is True


def test_shared_terms_under_binders_are_quick() -> None:
    pool = Pool()
    x = pool.var("x", BitVecSort(6))
    node: Node = x
    for _ in range(60):
        node = pool.app(op.BV_ADD, (node, node))
    formula = pool.quant("forall", (x,), pool.eq(node, pool.lit(0, BitVecSort(6))))
    assert evaluate(formula, ONE, most_steps=100_000) is True


def test_numbers_do_not_explode() -> None:
    """[IR-EVAL-5]"""
    pool = Pool()
    node: Node = pool.integer(3)
    for _ in range(60):
        node = pool.app(op.MUL, (node, node))
    with pytest.raises(NotEvaluable):
        evaluate(node, ONE)


def test_steps_are_bounded() -> None:
    """[IR-EVAL-5]"""
    pool = Pool()
    variables = tuple(pool.var("x", BitVecSort(8)) for _ in range(6))
    p = Symbol("p", tuple(v.sort for v in variables), BOOL, SymbolKind.FUNCTION)
    formula = pool.quant("forall", variables, pool.app(p, variables))
    with pytest.raises(NotEvaluable, match="steps"):
        evaluate(formula, Structure({}, {p: lambda *_: True}), most_steps=1_000)


def test_all_structures_are_enumerated_once() -> None:
    pool = Pool()
    p = Symbol("p", (S,), BOOL, SymbolKind.FUNCTION)
    a, b = constant("a", S), constant("b", S)
    module = Module(pool, (S,), (p, a, b))
    assert count_structures(module, {S: 2}) == 2**2 * 2 * 2
    found = list(structures(module, {S: 2}))
    assert len(found) == 16
    formula = pool.conj((pool.app(p, (pool.sym(a),)), pool.negate(pool.app(p, (pool.sym(b),)))))
    assert sum(bool(evaluate(formula, structure)) for structure in found) == 2
    with pytest.raises(NotEvaluable):
        structures(module, {S: 2}, most=15)
    with pytest.raises(NotEvaluable):
        count_structures(Module(pool, (S,), (constant("n", INT),)), {S: 2})


def test_a_function_table_without_default_has_gaps() -> None:
    pool = Pool()
    p = Symbol("p", (S,), BOOL, SymbolKind.FUNCTION)
    a = constant("a", S)
    structure = Structure({S: 2}, {p: FunctionTable({(Element("S", 0),): True}), a: Element("S", 1)})
    with pytest.raises(NotEvaluable):
        evaluate(pool.app(p, (pool.sym(a),)), structure)


@pytest.mark.parametrize("operator", [op.BV_NOT, op.BV_NEG])
def test_bit_vectors_beyond_the_bound_have_no_value(operator: op.Operator) -> None:
    """[IR-EVAL-5]: of one operand too, as they are folded."""
    pool = Pool()
    for width, known in ((MOST_BITS, True), (MOST_BITS + 1, False)):
        node = pool.app(operator, (pool.lit(1, BitVecSort(width)),))
        assert (fold(pool, node) is not None) is known
        if known:
            assert isinstance(evaluate(node, Structure()), Bits)
        else:
            with pytest.raises(NotEvaluable, match="too large"):
                evaluate(node, Structure())


def test_defined_constants_in_facts_are_unfolded() -> None:
    """A fact over constants takes a short way; a definition is none of its constants."""
    pool = Pool()
    eight = Symbol("eight", (), INT, SymbolKind.DEFINED)
    n, p = constant("n", INT), Symbol("p", (INT, INT), BOOL, SymbolKind.FUNCTION)
    table = FunctionTable({(3, 8): True, (8, 3): True, (8, 8): True}, False)
    structure = Structure({}, {n: 3, p: table}, {eight: Definition(eight, (), pool.integer(8))})
    for args, value in (((n, eight), True), ((eight, n), True), ((eight, eight), True), ((n, n), False)):
        assert evaluate(pool.app(p, tuple(map(pool.sym, args))), structure) is value
