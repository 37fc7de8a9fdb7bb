"""[SMT-LOGIC] Features, fragments and logic names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from potlang.ir import operators as ops
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, REAL, STRING, BitVecSort, DeclaredSort, EnumSort, SetSort, Sort
from potlang.smt.fragment import Fragment, describe, features

PERSON = DeclaredSort("Person")
COLOR = EnumSort("Color", ("red", "green"))


class Making:
    """Short ways to formulas."""

    def __init__(self) -> None:
        self.pool = Pool()
        self._symbols: dict[str, Symbol] = {}

    def constant(self, name: str, sort: Sort) -> Node:
        symbol = self._symbols.setdefault(name, Symbol(name, (), sort, SymbolKind.CONSTANT))
        return self.pool.sym(symbol)

    def call(self, name: str, *args: Node, to: Sort = BOOL) -> Node:
        domain = tuple(arg.sort for arg in args)
        symbol = self._symbols.setdefault(name, Symbol(name, domain, to, SymbolKind.FUNCTION))
        return self.pool.app(symbol, args)

    def every(self, body: Callable[[Node], Node], sort: Sort = PERSON, kind: str = "forall") -> Node:
        variable = self.pool.var("x", sort)
        return self.pool.quant(kind, (variable,), body(variable))

    def some(self, body: Callable[[Node], Node], sort: Sort = PERSON) -> Node:
        return self.every(body, sort, "exists")


def linear(m: Making) -> Node:
    return m.pool.app(
        ops.LT, (m.pool.app(ops.MUL, (m.constant("i", INT), m.pool.integer(3))), m.pool.integer(4))
    )


def product(m: Making, sort: Sort) -> Node:
    x = m.constant(f"x{sort}", sort)
    return m.pool.eq(m.pool.app(ops.MUL, (x, x)), x)


def chain(m: Making) -> Node:
    return m.every(
        lambda x: m.every(
            lambda y: m.pool.implies(m.pool.conj([m.call("p", x, y), m.call("q", x)]), m.call("q", y))
        )
    )


def choice(m: Making) -> Node:
    return m.every(lambda x: m.pool.disj([m.call("q", x), m.call("r", x)]))


def under(m: Making) -> Node:
    return m.every(lambda x: m.some(lambda y: m.call("p", x, y)))


def denied(m: Making) -> Node:
    return m.pool.negate(m.some(lambda x: m.every(lambda y: m.call("p", x, y))))


def below(m: Making) -> Node:
    return m.every(lambda x: m.pool.app(ops.LT, (x, m.pool.integer(3))), INT)


def bits(m: Making) -> Node:
    sort = BitVecSort(3)
    return m.pool.eq(m.constant("b", sort), m.pool.lit(1, sort))


def empty(m: Making) -> Node:
    sort = SetSort(BOOL)
    return m.pool.eq(m.constant("b", sort), m.pool.lit(None, sort))


CASES: list[tuple[Callable[[Making], Node], Fragment, str]] = [
    (lambda m: m.pool.implies(m.constant("a", BOOL), m.constant("b", BOOL)), Fragment.PROPOSITIONAL, "QF_UF"),
    (lambda m: m.call("q", m.constant("a", PERSON)), Fragment.GROUND, "QF_UF"),
    (linear, Fragment.GROUND, "QF_LIA"),
    (lambda m: m.pool.eq(m.constant("r", REAL), m.pool.real(1)), Fragment.GROUND, "QF_LRA"),
    (lambda m: m.pool.conj([linear(m), m.call("q", m.constant("a", PERSON))]), Fragment.GROUND, "QF_UFLIA"),
    (lambda m: m.pool.eq(m.constant("c", COLOR), m.pool.lit("red", COLOR)), Fragment.GROUND, "QF_DT"),
    (lambda m: m.pool.eq(m.constant("s", STRING), m.pool.lit("a", STRING)), Fragment.GROUND, "QF_S"),
    (bits, Fragment.GROUND, "QF_BV"),
    (empty, Fragment.GROUND, "QF_AX"),
    (lambda m: product(m, INT), Fragment.NONLINEAR, "QF_NIA"),
    (lambda m: product(m, REAL), Fragment.NONLINEAR, "QF_NRA"),
    (chain, Fragment.HORN, "UF"),
    (lambda m: m.every(lambda x: m.pool.negate(m.call("q", x))), Fragment.HORN, "UF"),
    (choice, Fragment.EFFECTIVELY_PROPOSITIONAL, "UF"),
    (under, Fragment.FIRST_ORDER, "UF"),
    (denied, Fragment.FIRST_ORDER, "UF"),
    (lambda m: m.every(lambda x: m.call("q", m.call("f", x, to=PERSON))), Fragment.FIRST_ORDER, "UF"),
    (below, Fragment.FIRST_ORDER, "LIA"),
    (lambda m: m.pool.conj([choice(m), linear(m)]), Fragment.FIRST_ORDER, "UFLIA"),
    (lambda m: m.pool.conj([choice(m), product(m, INT)]), Fragment.NONLINEAR, "UFNIA"),
    (
        lambda m: m.pool.conj([chain(m), m.pool.eq(m.constant("s", STRING), m.constant("t", STRING))]),
        Fragment.FIRST_ORDER,
        "ALL",
    ),
]


@pytest.mark.parametrize(("make", "fragment", "logic"), CASES)
def test_fragments_and_logics(make: Callable[[Making], Node], fragment: Fragment, logic: str) -> None:
    assert describe([make(Making())]) == (fragment, logic)


@pytest.mark.parametrize("op", [ops.INT_DIV, ops.MOD])
def test_division_is_linear_only_by_a_number_that_is_not_zero(op: ops.Operator) -> None:
    m = Making()
    i = m.constant("i", INT)
    divided = [m.pool.eq(m.pool.app(op, (i, by)), i) for by in (m.pool.integer(2), m.pool.integer(0), i)]
    assert [features([formula]).nonlinear for formula in divided] == [False, True, True]


def test_an_iff_over_a_quantifier_counts_for_both_polarities() -> None:
    m = Making()
    formula = m.every(lambda x: m.pool.eq(m.call("q", x), m.every(lambda y: m.call("p", x, y))))
    assert features([formula]).alternation


def test_features_have_names() -> None:
    m = Making()
    assert features([chain(m), linear(m)]).names() == (
        "quantifiers",
        "integers",
        "functions",
        "sorts",
        "constants",
    )
