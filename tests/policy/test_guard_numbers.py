"""Quantifiers over all numbers that facts decide, against many numbers tried one by one ([GUARD-NUMBERS])."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final, Literal

from hypothesis import given
from hypothesis import strategies as st

from potlang.ir import operators as op
from potlang.ir.module import Module
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, REAL, DeclaredSort, Sort
from potlang.policy.guard.roles import RoleSymbols
from potlang.policy.guard.session_facts import NO_VALUE, SessionFacts
from potlang.policy.guard.terms import TermCompiler

Formula = tuple[Any, ...]

_ORDERS: Final = {"<": op.LT, "<=": op.LE, "=": op.EQ}
_JUNCTIONS: Final = {"and": op.AND, "or": op.OR, "implies": op.IMPLIES}
_FEE: Final = {1: 4, 3: -2}
_CAP: Final = frozenset((2, -3))
_TRIED: Final = {INT: range(-80, 81), REAL: [Fraction(at, 60) for at in range(-30 * 60, 30 * 60 + 1)]}
"""Sides of comparisons meet no further from 0 than 20, and two such places are a thirtieth apart or more."""


def _formulas(whole: bool) -> st.SearchStrategy[Formula]:
    small = st.integers(-5, 5)
    line = st.tuples(st.integers(-3, 3), st.integers(-1, 1), small)
    atoms: list[st.SearchStrategy[Formula]] = [
        st.tuples(st.sampled_from(tuple(_ORDERS)), line, line),
    ]
    if whole:
        atoms += [st.tuples(st.just("cap")), st.tuples(st.just("fee"), small)]
    return st.recursive(
        st.one_of(atoms),
        lambda parts: st.one_of(
            st.tuples(st.sampled_from(tuple(_JUNCTIONS)), parts, parts), st.tuples(st.just("not"), parts)
        ),
        max_leaves=5,
    )


def _holds(formula: Formula, k: Any, a: int) -> bool:
    """A plain reading of a formula for values of its variables."""
    match formula:
        case ("not", part):
            return not _holds(part, k, a)
        case ("and", one, other):
            return _holds(one, k, a) and _holds(other, k, a)
        case ("or", one, other):
            return _holds(one, k, a) or _holds(other, k, a)
        case ("implies", one, other):
            return not _holds(one, k, a) or _holds(other, k, a)
        case ("cap",):
            return k in _CAP
        case ("fee", least):
            return bool(_FEE.get(k, 0) > least)
        case (order, (m1, n1, c1), (m2, n2, c2)):
            left, right = m1 * k + n1 * a + c1, m2 * k + n2 * a + c2
            return bool(left < right if order == "<" else left <= right if order == "<=" else left == right)
    raise ValueError(formula)


class _Compiled:
    """A module with a function `fee` and a closed predicate `cap` of numbers, and formulas over it."""

    def __init__(self, sort: Sort) -> None:
        self.sort = sort
        self.pool = pool = Pool()
        event = DeclaredSort("Event")
        names = (("event", (), event), ("tool", (event,), INT), ("turn", (event,), INT))
        constant, tool, turn = (
            Symbol(name, domain, range_, SymbolKind.FUNCTION) for name, domain, range_ in names
        )
        allowed = Symbol("allowed", (event,), BOOL, SymbolKind.FUNCTION)
        self.fee = Symbol("fee", (INT,), INT, SymbolKind.FUNCTION)
        self.cap = Symbol("cap", (INT,), BOOL, SymbolKind.FUNCTION)
        module = Module(pool, (event,), (constant, tool, turn, allowed, self.fee, self.cap))
        roles = RoleSymbols(event, constant, tool, turn, allowed)
        self.compiler = TermCompiler(module, roles, {}, {self.cap: []}, frozenset())
        self.k, self.a = pool.var("k", sort), pool.var("a", sort)

    def facts(self) -> SessionFacts:
        """Facts with the values of `fee` and `cap`."""
        facts = SessionFacts([{} for _ in self.compiler.numbers])
        facts.tables[self.compiler.numbers[self.fee]] = dict(_FEE)
        facts.tables[self.compiler.numbers[self.cap]] = dict.fromkeys(_CAP, True)
        facts.elsewhere = {self.compiler.numbers[self.fee]: 0}
        facts.steps = 100_000
        return facts

    def node(self, formula: Formula) -> Node:
        """A formula as a node."""
        app = self.pool.app
        match formula:
            case ("not", part):
                return app(op.NOT, (self.node(part),))
            case ("and" | "or" | "implies" as joined, one, other):
                return app(_JUNCTIONS[joined], (self.node(one), self.node(other)))
            case ("cap",):
                return app(self.cap, (self.k,))
            case ("fee", least):
                return app(op.LT, (self.pool.integer(least), app(self.fee, (self.k,))))
            case (order, one, other):
                return app(_ORDERS[order], (self._line(*one), self._line(*other)))
        raise ValueError(formula)

    def _line(self, k: int, a: int, number: int) -> Node:
        def literal(value: int) -> Node:
            return self.pool.integer(value) if self.sort is INT else self.pool.lit(Fraction(value), REAL)

        times = [self.pool.app(op.MUL, (literal(by), var)) for by, var in ((k, self.k), (a, self.a))]
        return self.pool.app(op.ADD, (*times, literal(number)))

    def value(self, kind: Literal["forall", "exists"], formula: Formula, a: object) -> object:
        """The value of the quantified formula where the other variable has this value."""
        values: dict[Var, object] = {self.a: a}
        quant = self.pool.quant(kind, (self.k,), self.node(formula))
        return self.compiler.value(quant, self.facts(), values)


def _by_trying(kind: str, formula: Formula, sort: Sort, a: int) -> bool:
    found: Iterable[bool] = (_holds(formula, k, a) for k in _TRIED[sort])
    return all(found) if kind == "forall" else any(found)


_KINDS = st.sampled_from(("forall", "exists"))


@given(_KINDS, _formulas(whole=True), st.integers(-5, 5))
def test_whole_numbers_of_which_each_cell_has_one_decide(kind: Any, formula: Formula, a: int) -> None:
    """[GUARD-NUMBERS]"""
    assert _Compiled(INT).value(kind, formula, a) is _by_trying(kind, formula, INT, a)


@given(_KINDS, _formulas(whole=False), st.integers(-5, 5))
def test_real_numbers_of_which_each_cell_has_one_decide(kind: Any, formula: Formula, a: int) -> None:
    """[GUARD-NUMBERS]"""
    assert _Compiled(REAL).value(kind, formula, Fraction(a)) is _by_trying(kind, formula, REAL, a)


@given(_KINDS, _formulas(whole=True))
def test_what_is_decided_without_a_value_holds_for_all_values(kind: Any, formula: Formula) -> None:
    """[GUARD-NUMBERS]"""
    found = _Compiled(INT).value(kind, formula, NO_VALUE)
    if found is not NO_VALUE:
        assert {_by_trying(kind, formula, INT, a) for a in range(-5, 6)} == {found}
