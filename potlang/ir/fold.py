"""Literals as values and back, and operators applied to literals, exactly and within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from potlang.ir.nodes import App, Lit
from potlang.ir.operators import ADD, BV_CONCAT, DIV, MUL, STR_CONCAT, SUB, Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    REAL,
    BitVecSort,
    BoolSort,
    EnumSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
)
from potlang.ir.values import Bits, MapValue, Unspecified
from potlang.utils.deadline import look

MOST_BITS = 1 << 16
"""No number with more bits and no wider bit vector is computed."""
MOST_CHARACTERS = 1 << 20
"""No longer string is computed."""


def value_of(literal: Lit) -> object:
    """The value that `literal` stands for, as `potlang.ir.values` has it."""
    match literal.sort:
        case BitVecSort(width) if isinstance(literal.value, int):
            return Bits(literal.value, width)
        case SetSort():
            return MapValue(False)
        case RealSort() if isinstance(literal.value, int):
            return Fraction(literal.value)
        case _:
            return literal.value


def literal_of(pool: Pool, value: object, sort: Sort) -> Lit | None:
    """The literal of `sort` for `value`, or None where the sort has no such literal."""
    match value, sort:
        case bool(), BoolSort():
            return pool.truth(value)
        case int(), IntSort():
            return pool.integer(value)
        case ((Fraction() | int()), RealSort()):
            return pool.lit(Fraction(value), REAL)
        case str(), StringSort() | EnumSort():
            return pool.lit(value, sort)
        case Bits(), BitVecSort():
            return pool.lit(value.number, sort)
        case MapValue(), SetSort() if not value.default and not value.entries:
            return pool.lit(None, sort)
        case _:
            return None


def fold(pool: Pool, node: App) -> Lit | None:
    """The literal equal to `node`, all of whose arguments are literals; None if there is none.

    There is none for a declared function, for division by zero, and for results beyond the bounds.
    """
    op = node.op
    literals = [arg for arg in node.args if isinstance(arg, Lit)]
    if not isinstance(op, Operator) or len(literals) < len(node.args):
        return None
    values = list(map(value_of, literals))
    if not within_bounds(op, values):
        return None
    # One operation may be on numbers of 20,000 digits.
    look()
    try:
        value = op.evaluate(*values)
    except Unspecified:
        return None
    return literal_of(pool, value, node.sort)


def within_bounds(op: Operator, args: Sequence[object]) -> bool:
    """Whether computing `op` on these values stays within the bounds.

    Asked before computing: a power of a few large numbers takes longer to make than to refuse.
    """
    if isinstance(args[0], Bits):
        widths = [arg.width for arg in args if isinstance(arg, Bits)]
        return (sum(widths) if op is BV_CONCAT else max(widths)) <= MOST_BITS
    if op is STR_CONCAT:
        return sum(len(arg) for arg in args if isinstance(arg, str)) <= MOST_CHARACTERS
    if op is MUL or op is DIV or ((op is ADD or op is SUB) and isinstance(args[0], Fraction)):
        return sum(map(bit_size, args)) <= MOST_BITS
    return True


def bit_size(value: object) -> int:
    """How many bits a number takes; 0 for anything else."""
    if isinstance(value, Fraction):
        return value.numerator.bit_length() + value.denominator.bit_length()
    return value.bit_length() if isinstance(value, int) else 0
