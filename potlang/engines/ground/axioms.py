"""Axioms that hold in every structure, as ground clauses."""

from __future__ import annotations

from typing import NamedTuple

from potlang.engines.ground.table import Head, TermTable
from potlang.engines.ground.unfolding import unfolded
from potlang.ir import operators as op
from potlang.ir.nodes import Symbol
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, REAL


class Axiom(NamedTuple):
    """`transitive`: three terms in `left`; `congruent`: two lists of arguments of `head`; `member`: a term
    of an enumerated sort; `between`: an integer term and two literals; `then`, `else`: a term of `ite`;
    `unfolded`: the arguments of `head`, which is an equality or reads a table; `compare`: two numbers;
    `linear`: literals of comparisons, whose sum, multiplied by the factors in `right`, is false;
    `arithmetic`: a quotient, a remainder, or a rounded or absolute number.
    """

    rule: str
    head: Head | None
    left: tuple[int, ...]
    right: tuple[int, ...] = ()

    def clauses(self, table: TermTable) -> list[list[int]]:
        """Its clauses, `TRUE` and `FALSE` among their literals."""
        if self.rule in ("then", "else"):
            return _chosen(table, self.left[0], self.rule == "then")
        if self.rule == "arithmetic":
            return _by_operator(table, self.left[0])
        if self.rule == "unfolded":
            assert isinstance(self.head, Operator)
            return unfolded(table, self.head, self.left)
        return [self._clause(table)]

    def _clause(self, table: TermTable) -> list[int]:
        left = self.left
        match self.rule:
            case "transitive":
                a, b, c = left
                return [-_equal(table, a, b), -_equal(table, b, c), _equal(table, a, c)]
            case "member":
                return [_equal(table, left[0], value) for value in table.universe(table.sorts[left[0]])]
            case "between":
                return _between(table, *left)
            case "linear":
                return [-literal for literal in left]
            case "compare":
                return [table.atom(op.LT, left), table.atom(op.LT, left[::-1]), _equal(table, *left)]
            case _:
                return self._congruent(table)

    def _congruent(self, table: TermTable) -> list[int]:
        head, left, right = self.head, self.left, self.right
        assert isinstance(head, Symbol | Operator)
        different = [-_equal(table, a, b) for a, b in zip(left, right, strict=True) if a != b]
        number = table.find(head, left)
        if number is None:
            number = table.find(head, right)
        if number is None or table.sorts[number] is BOOL:
            return [*different, -table.atom(head, left), table.atom(head, right)]
        sort = table.sorts[number]
        return [*different, _equal(table, table.term(head, left, sort), table.term(head, right, sort))]


def _equal(table: TermTable, a: int, b: int) -> int:
    return table.atom(op.EQ, (a, b))


def _between(table: TermTable, term: int, low: int, high: int) -> list[int]:
    """An integer below `low`, above `high`, or one of those from `low` to `high`."""
    values = range(table.integer(low), table.integer(high) + 1)
    outside = [table.atom(op.LT, (term, low)), table.atom(op.LT, (high, term))]
    return outside + [_equal(table, term, table.literal(table.pool.integer(value))) for value in values]


def _by_operator(table: TermTable, term: int) -> list[list[int]]:
    """The comparisons that an operator's value satisfies."""
    head, args, pool = table.heads[term], table.args[term], table.pool
    if head is op.ABS:
        number, sort = args[0], table.sorts[term]
        zero = pool.integer(0) if sort is INT else pool.real(0)
        is_negative = table.atom(op.LT, (number, table.literal(zero)))
        other = table.term(op.NEG, args, sort)
        return [[is_negative, _equal(table, term, number)], [-is_negative, _equal(table, term, other)]]
    if head is op.TO_INT:
        rest = table.term(op.SUB, (args[0], table.term(op.TO_REAL, (term,), REAL)), REAL)
        low, high = (table.literal(pool.real(each)) for each in (0, 1))
    else:
        whole, divisor = args
        product = table.term(op.MUL, (divisor, table.term(op.INT_DIV, args, INT)), INT)
        rest = table.term(op.SUB, (whole, product), INT)
        low, high = (table.literal(pool.integer(each)) for each in (0, abs(table.integer(divisor))))
    within = [[-table.atom(op.LT, (rest, low))], [table.atom(op.LT, (rest, high))]]
    return [*within, [_equal(table, term, rest)]] if head is op.MOD else within


def _chosen(table: TermTable, term: int, then: bool) -> list[list[int]]:
    """The axioms of `ite`: its value if the condition holds, and if not."""
    condition, first, second = table.args[term]
    formula = table.formula(condition)
    assert formula is not None
    conjunction, literals = formula
    equal = _equal(table, term, first if then else second)
    # The clauses say that the condition fails (`then`) or holds, or the equation does.
    wanted = [-literal for literal in literals] if then else literals
    return [[*wanted, equal]] if conjunction is then else [[literal, equal] for literal in wanted]
