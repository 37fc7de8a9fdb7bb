"""The textual form: round trips, sharing, odd names, mistakes with places."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invariants import check
from strategies.formulas import meanings, modules

from potlang.ir.digest import digest
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind, free_variables
from potlang.ir.operators import ADD, AND, IFF, LT, NOT
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort
from potlang.ir.structure import NotEvaluable
from potlang.ir.substitute import rebuild
from potlang.ir.text import TextError, print_formula, print_module, read_formula, read_module
from potlang.ir.values import Unspecified

SETTINGS = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
ODD = [
    "and",
    "true",
    "Int",
    "a b)",
    '"q"',
    "x\ny",
    "",
    "%0",
    "?x.0",
    "@1",
    "5",
    "é",
    "lit",
    "\ud800",
    ") )",
    "|",
]


@SETTINGS
@given(modules(depth=3, most=3))
def test_print_read_print_is_print(module: Module) -> None:
    """[IR-TEXT-1]"""
    text = print_module(module)
    again = read_module(text)
    assert print_module(again) == text
    assert check(again) == []
    assert digest(again) == digest(module)


@SETTINGS
@given(modules(depth=3, most=2, names=lambda kind, n: ODD[(len(kind) * 5 + n) % len(ODD)] + f"{kind}{n} )"))
def test_odd_names_survive(module: Module) -> None:
    """[IR-TEXT-3]"""
    again = read_module(print_module(module))
    assert [s.name for s in again.symbols] == [s.name for s in module.symbols]
    assert [s.name for s in again.sorts] == [s.name for s in module.sorts]
    assert print_module(again) == print_module(module)


@SETTINGS
@given(st.data())
def test_what_is_read_means_what_was_printed(data: st.DataObject) -> None:
    module = data.draw(modules(depth=3, most=2, definitions=False))
    structure = data.draw(meanings(module))
    again = read_module(print_module(module))
    pairs = zip(module.symbols, again.symbols, strict=True)
    renamed = replace(structure, functions={new: structure.functions[old] for old, new in pairs})
    for old, new in zip(module.formulas(), again.formulas(), strict=True):
        assert _value(old, structure) == _value(new, renamed)


def _value(node: Node, structure: object) -> object:
    try:
        return evaluate(node, structure, most_steps=2_000)  # type: ignore[arg-type]
    except (NotEvaluable, Unspecified) as failure:
        return type(failure)


@pytest.mark.parametrize("name", ODD)
def test_any_name_is_a_name(name: str) -> None:
    """[IR-TEXT-3]"""
    pool = Pool()
    sort = DeclaredSort(name)
    symbols = (Symbol(name, (), sort, SymbolKind.CONSTANT), Symbol(name, (sort,), BOOL, SymbolKind.FUNCTION))
    formula = pool.app(symbols[1], (pool.sym(symbols[0]),))
    var = pool.var(name, sort)
    formula = pool.conj((formula, pool.quant("forall", (var,), pool.app(symbols[1], (var,)))))
    origin = Origin(name, name)
    module = Module(pool, (sort,), symbols, (), (Assertion(name, name, AssertionKind.FACT, formula, origin),))
    again = read_module(print_module(module))
    assert again.assertions[0].origin == origin
    assert again.assertions[0].key == name
    assert print_module(again) == print_module(module)


@pytest.mark.parametrize("name", ["origin", "vars", "defs"])
@pytest.mark.parametrize("origin", [Origin(), Origin("/a", "b")])
def test_a_fact_may_begin_with_any_name(name: str, origin: Origin) -> None:
    """[IR-TEXT-3]: what stands before a root is told from a root that is a call."""
    pool = Pool()
    sort = DeclaredSort("S")
    called = Symbol(name, (sort, sort), BOOL, SymbolKind.FUNCTION)
    a = Symbol("a", (), sort, SymbolKind.CONSTANT)
    formula = pool.app(called, (pool.sym(a), pool.sym(a)))
    fact = Assertion("k", "k", AssertionKind.FACT, formula, origin)
    module = Module(pool, (sort,), (called, a), assertions=(fact,))
    again = read_module(print_module(module))
    assert again.assertions[0].origin == origin
    assert print_module(again) == print_module(module)


def test_text_is_linear_in_shared_nodes() -> None:
    """[IR-TEXT-2]"""
    pool = Pool()
    node: Node = pool.sym(Symbol("n", (), INT, SymbolKind.CONSTANT))
    for _ in range(60):
        node = pool.app(ADD, (node, node))
    text = print_formula(node)
    assert len(text) < 2_000
    assert print_formula(node) == text


def test_deep_terms_are_read_and_printed() -> None:
    """[IR-TEXT-5]"""
    pool = Pool()
    p = Symbol("p", (), BOOL, SymbolKind.CONSTANT)
    node: Node = pool.sym(p)
    for _ in range(50_000):
        node = pool.app(NOT, (node,))
    assert read_formula(print_formula(node), pool, (), (p,)) is node


def test_long_numerals() -> None:
    pool = Pool()
    for number in (10**9_999 + 7, -(10**9_999), 0, -1, 10**4_000, 10**4_000 - 1):
        node = pool.integer(number)
        assert read_formula(print_formula(node), pool, (), ()) is node


def test_symbols_of_one_name_are_told_apart() -> None:
    pool = Pool()
    first, second = (Symbol("p", (), BOOL, SymbolKind.CONSTANT) for _ in range(2))
    node = pool.app(IFF, (pool.sym(first), pool.sym(second)))
    assert print_formula(node) == "(iff @0 @1)"
    assert read_formula("(iff @0 @1)", pool, (), (first, second)) is node


def test_the_digest_ignores_ids_names_of_variables_and_origins() -> None:
    def build(name: str, before: int, origin: Origin) -> Module:
        pool = Pool()
        for number in range(before):
            pool.integer(number)
        sort = DeclaredSort("S")
        p = Symbol("p", (sort,), BOOL, SymbolKind.FUNCTION)
        var = pool.var(name, sort)
        formula = pool.quant("forall", (var,), pool.app(p, (var,)))
        return Module(pool, (sort,), (p,), claims=(Claim("c", "c", formula, origin),))

    digests = {
        digest(build(name, before, origin))
        for name, before, origin in itertools.product("xy", (0, 9), (Origin(), Origin("/a", "b")))
    }
    assert len(digests) == 1


def test_free_variables_are_declared_in_front() -> None:
    """[IR-TEXT-2]"""
    pool = Pool()
    x, y = pool.var("x", INT), pool.var("y", INT)
    less = pool.app(LT, (x, y))
    assert print_formula(less) == "(vars (?x.0 Int) (?y.1 Int)) (< ?x.0 ?y.1)"
    one = pool.quant("forall", (y,), less)
    assert print_formula(one) == "(vars (?y.0 Int) (?x.1 Int)) (forall (?y.0) (< ?x.1 ?y.0))"
    for formula in (less, one):
        again = read_formula(print_formula(formula), pool, (), ())
        assert print_formula(again) == print_formula(formula)
        assert [var.name for var in free_variables(again)] == [var.name for var in free_variables(formula)]


def test_sorts_that_are_closed_or_have_unique_names_are_said() -> None:
    """[IR-TEXT-1] And the digest tells by them."""
    sorts = tuple(DeclaredSort(name) for name in "ABC")
    whole = Module(Pool(), sorts, closed=frozenset(sorts[:2]), unique=frozenset(sorts[1:]))
    again = read_module(print_module(whole))
    assert (again.closed, again.unique) == (whole.closed, whole.unique)
    fewer = [
        replace(whole, closed=closed, unique=unique)
        for closed, unique in itertools.product(
            (whole.closed, frozenset(sorts[:1])), (whole.unique, frozenset())
        )
    ]
    assert len({digest(module) for module in fewer}) == 4


@SETTINGS
@given(modules(depth=3, most=2))
def test_the_digest_tells_modules_apart(module: Module) -> None:
    negated = [module.pool.negate(f) if f.sort is BOOL else f for f in module.formulas()]
    assert digest(module.with_formulas(negated)) != digest(module)


MISTAKES = {
    "": (1, 1, "expected (potlang-ir 1)"),
    "(potlang-ir 2)": (1, 1, "expected (potlang-ir 1)"),
    "(potlang-ir 1)\n(sort": (2, 1, "this '(' is not closed"),
    "(potlang-ir 1))": (1, 15, "unexpected ')'"),
    "(potlang-ir 1)\n  (frob 1)": (2, 3, "unknown declaration 'frob'"),
    "(potlang-ir 1)\n(sort S)(sort S)": (2, 9, "the sort S is declared twice"),
    '(potlang-ir 1)\n(declare constant "a" () T)': (2, 26, "unknown sort 'T'"),
    '(potlang-ir 1)\n(declare constant "a" () ' + "(Set " * 9999 + "Int" + ")" * 9999 + ")": (
        2,
        531,
        "the sort is nested too deeply",
    ),
    '(potlang-ir 1)\n(assert "k" "n" fact (and true p))': (2, 32, "unknown or ambiguous symbol 'p'"),
    '(potlang-ir 1)\n(assert "k" "n" fact (not true false))': (2, 22, "not does not take (Bool, Bool)"),
    '(potlang-ir 1)\n(assert "k" "n" fact ())': (2, 22, "an application wants operands"),
    '(potlang-ir 1)\n(assert "k" "n" fact ?x.0)': (2, 22, "undeclared variable ?x.0"),
    '(potlang-ir 1)\n(assert "k" "n" fact true false)': (2, 27, "expected one term"),
    '(potlang-ir 1)\n(assert "k" "n" fact (= 1 (lit (BitVec 2) 9)))': (
        2,
        43,
        "malformed literal for its sort",
    ),
    '(potlang-ir 1)\n(assert "k" "n" guess true)': (2, 17, "unknown kind of assertion"),
    '(potlang-ir 1)\n(assert "k" "n" fact (= 1x 2))': (2, 25, "expected a numeral"),
    '(potlang-ir 1)\n (assert "k")': (2, 2, "expected (assert KEY NAME KIND ORIGIN? ROOT)"),
    '(potlang-ir 1)\n(tuple T ("a"))': (2, 10, "expected (FIELD SORT)"),
    '(potlang-ir 1)\n(assert "k" "n" fact (forall true))': (2, 22, "a quantifier has variables and one body"),
    '(potlang-ir 1)\n(assert "k" "n" fact (lit (BitVec 99999999999) -1))': (
        2,
        48,
        "malformed literal for its sort",
    ),
    '(potlang-ir 1)\n(sort "a\\q")': (2, 7, "malformed quoted text"),
    '(potlang-ir 1)\n(assert "k" "n" fact (vars (?x.0 Int) (?x.0 Bool)) true)': (
        2,
        39,
        "variables start with ?, have a sort and are declared once",
    ),
    '(potlang-ir 1)\n(assert "k" "n" fact (vars (x.0 Int)) true)': (
        2,
        28,
        "variables start with ?, have a sort and are declared once",
    ),
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: text[:60])
def test_mistakes_are_placed(text: str) -> None:
    """[IR-TEXT-4]"""
    with pytest.raises(TextError) as caught:
        read_module(text)
    assert (caught.value.line, caught.value.column, caught.value.message) == MISTAKES[text]


@SETTINGS
@given(modules(depth=2, most=2), st.data())
def test_damaged_text_is_refused_or_read_but_never_crashes(module: Module, data: st.DataObject) -> None:
    text = print_module(module)
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = (
        text[:place] + data.draw(st.sampled_from(["", "(", ")", '"', " ", "x", "0"])) + text[place + 1 :]
    )
    try:
        assert isinstance(read_module(damaged), Module)
    except TextError as error:
        assert 1 <= error.line <= damaged.count("\n") + 1


def test_rebuild_with_the_identity_changes_nothing() -> None:
    pool = Pool()
    node = pool.app(AND, (pool.true, pool.app(NOT, (pool.false,))))
    assert rebuild(pool, [node], lambda n: n) == [node]
