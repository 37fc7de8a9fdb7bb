"""Reals to integers: `Floor`, `Ceil`, `Truncate`, and `Round` with a mode."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Lit, Node
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, REAL, STRING, Sort
from potlang.sema.operands import all_numeric

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Visit

Rounding = Callable[[Pool, Node], Node]
"""From a Real to the Int that it is rounded to."""
_MOST_DIGITS = 18
_HALF = Fraction(1, 2)


def floor(pool: Pool, x: Node) -> Node:
    """The greatest integer that is not above x."""
    return pool.app(op.TO_INT, (x,))


def ceiling(pool: Pool, x: Node) -> Node:
    """The least integer that is not below x."""
    return pool.app(op.NEG, (floor(pool, pool.app(op.NEG, (x,))),))


def truncated(pool: Pool, x: Node) -> Node:
    """The integer part: towards 0."""
    return _by_sign(pool, x, floor, ceiling)


def _away(pool: Pool, x: Node) -> Node:
    return _by_sign(pool, x, ceiling, floor)


def _by_sign(pool: Pool, x: Node, positive: Rounding, negative: Rounding) -> Node:
    is_positive = pool.app(op.LE, (pool.real(0), x))
    return pool.app(op.ITE, (is_positive, positive(pool, x), negative(pool, x)))


def _upward(pool: Pool, x: Node) -> Node:
    return floor(pool, pool.app(op.ADD, (x, pool.real(_HALF))))


def _downward(pool: Pool, x: Node) -> Node:
    return ceiling(pool, pool.app(op.SUB, (x, pool.real(_HALF))))


def half_away(pool: Pool, x: Node) -> Node:
    """The nearest integer, halves away from 0."""
    return _by_sign(pool, x, _upward, _downward)


def _half_down(pool: Pool, x: Node) -> Node:
    return _by_sign(pool, x, _downward, _upward)


def _half_even(pool: Pool, x: Node) -> Node:
    low = floor(pool, x)
    rest = pool.app(op.SUB, (x, pool.app(op.TO_REAL, (low,))))
    half = pool.real(_HALF)
    high = pool.app(op.ADD, (low, pool.integer(1)))
    is_even = pool.eq(pool.app(op.MOD, (low, pool.integer(2))), pool.integer(0))
    goes_down = pool.disj([pool.app(op.LT, (rest, half)), pool.conj([pool.eq(rest, half), is_even])])
    return pool.app(op.ITE, (goes_down, low, high))


MODES: dict[str, Rounding] = {
    "half_up": half_away,
    "half_down": _half_down,
    "half_even": _half_even,
    "up": _away,
    "down": truncated,
    "ceiling": ceiling,
    "floor": floor,
}
"""The modes of `Round`, by the names that Python's `decimal` has for them."""


def rounding(mode: Rounding) -> Build:
    """A function of one number to the integer that it is rounded to."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_all(expr.args, [None], lambda nodes: _rounded(e, expr, nodes, mode))

    return build


def _rounded(e: Elaborator, expr: s.Call, nodes: list[Node], mode: Rounding) -> Node | None:
    assert isinstance(expr.head, s.Name)
    if not all_numeric(e, expr.head.id, nodes, expr.args):
        return None
    return nodes[0] if nodes[0].sort is INT else mode(e.pool, nodes[0])


def round_(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Round(x)`, `Round(x, 2)` to so many decimals, `Round(x, "half_even")`, `Round(x, 2, "half_even")`."""
    if not 1 <= len(expr.args) <= 3:
        helps = ['write `Round(x)`, `Round(x, 2)` for two decimals, or `Round(x, 2, "half_even")`']
        e.report(
            "POT3001",
            expr,
            expected="a number, its decimals and a mode",
            found="other arguments",
            helps=helps,
        )
        return None
    sorts = [None, INT, STRING][: len(expr.args)]
    return e.gather_all(expr.args, sorts, lambda nodes: _round(e, expr, nodes))


def _round(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
    number, *options = nodes
    digits = 0
    mode: Rounding = half_away
    for node, arg in zip(options, expr.args[1:], strict=True):
        value = node.value if isinstance(node, Lit) else None
        if isinstance(value, str) and value.lower().removeprefix("round_") in MODES:
            mode = MODES[value.lower().removeprefix("round_")]
        elif isinstance(value, int) and node.sort is INT and 0 <= value <= _MOST_DIGITS:
            digits = value
        else:
            names = ", ".join(f'"{name}"' for name in MODES)
            helps = [f"decimals are a numeral from 0 to {_MOST_DIGITS}, modes are {names}"]
            e.report("POT3001", arg, expected="decimals or a mode", found="another term", helps=helps)
            return None
    if not all_numeric(e, "Round", [number], expr.args[:1]):
        return None
    if number.sort is INT:
        return number
    if len(expr.args) == 1 or not any(isinstance(node, Lit) and node.sort is INT for node in options):
        return mode(e.pool, number)
    scale = e.pool.real(10**digits)
    whole = mode(e.pool, e.pool.app(op.MUL, (number, scale)))
    return e.pool.app(op.DIV, (e.pool.app(op.TO_REAL, (whole,)), scale))


def sign(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Sign(x)`: 1, 0 or -1."""

    def signed(nodes: list[Node]) -> Node | None:
        if not all_numeric(e, "Sign", nodes, expr.args):
            return None
        zero = e.pool.real(0) if nodes[0].sort is REAL else e.pool.integer(0)
        negative = e.pool.app(
            op.ITE, (e.pool.app(op.LT, (nodes[0], zero)), e.pool.integer(-1), e.pool.integer(0))
        )
        return e.pool.app(op.ITE, (e.pool.app(op.LT, (zero, nodes[0])), e.pool.integer(1), negative))

    return e.gather_all(expr.args, [None], signed)
