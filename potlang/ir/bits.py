"""Bit vectors by several operators: parts, wider ones, rotations."""

from __future__ import annotations

from potlang.ir import operators as op
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.ir.sorts import BitVecSort


def of_integer(pool: Pool, number: Node, width: int) -> Node:
    """The lowest `width` bits of an integer."""
    return pool.app(op.INT_TO_BV, (number, pool.lit(0, BitVecSort(width))))


def extract(pool: Pool, high: int, low: int, whole: Node) -> Node:
    """The bits from `low` to `high`, which the whole has, or is wider by zeros."""
    assert isinstance(whole.sort, BitVecSort)
    if low:
        whole = pool.app(op.BV_LSHR, (whole, pool.lit(low, whole.sort)))
    return of_integer(pool, pool.app(op.BV_TO_INT, (whole,)), high - low + 1)


def sign_extended(pool: Pool, whole: Node, more: int) -> Node:
    """As many bits more, each the sign; `more` is not 0."""
    negative = pool.app(op.BV_SLT, (whole, pool.lit(0, whole.sort)))
    sort = BitVecSort(more)
    above = pool.app(op.ITE, (negative, pool.lit((1 << more) - 1, sort), pool.lit(0, sort)))
    return pool.app(op.BV_CONCAT, (above, whole))


def rotated(pool: Pool, whole: Node, by: Node, *, left: bool) -> Node:
    """The bits moved round by a bit vector of the same width."""
    assert isinstance(whole.sort, BitVecSort)
    # Its own width is a number that it can hold: n < 2^n.
    width = pool.lit(whole.sort.width, whole.sort)
    part = pool.app(op.BV_UREM, (by, width))
    rest = pool.app(op.BV_SUB, (width, part))
    first, second = (part, rest) if left else (rest, part)
    moved = pool.app(op.BV_SHL, (whole, first)), pool.app(op.BV_LSHR, (whole, second))
    return pool.app(op.BV_OR, moved)


def signed(pool: Pool, whole: Node) -> Node:
    """The integer of which it is the two's complement."""
    assert isinstance(whole.sort, BitVecSort)
    number = pool.app(op.BV_TO_INT, (whole,))
    negative = pool.app(op.BV_SLT, (whole, pool.lit(0, whole.sort)))
    below = pool.app(op.SUB, (number, pool.integer(1 << whole.sort.width)))
    return pool.app(op.ITE, (negative, below, number))
