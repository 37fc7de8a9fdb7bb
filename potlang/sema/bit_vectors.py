"""The functions of bit vectors by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir import bits
from potlang.ir import operators as op
from potlang.ir.nodes import Lit, Node
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, BitVecSort, Sort
from potlang.sema.builtin_calls import Builtin
from potlang.sema.operands import same_width, sort_of
from potlang.sema.sorts import WIDEST

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Visit

_BITS = {
    "BVAnd": op.BV_AND,
    "BVOr": op.BV_OR,
    "BVXor": op.BV_XOR,
    "UDiv": op.BV_UDIV,
    "URem": op.BV_UREM,
    "SDiv": op.BV_SDIV,
    "SRem": op.BV_SREM,
    "Shl": op.BV_SHL,
    "LShR": op.BV_LSHR,
    "AShR": op.BV_ASHR,
    "ULT": op.BV_ULT,
    "ULE": op.BV_ULE,
    "SLT": op.BV_SLT,
    "SLE": op.BV_SLE,
}
_SWAPPED_BITS = {"UGT": op.BV_ULT, "UGE": op.BV_ULE, "SGT": op.BV_SLT, "SGE": op.BV_SLE}


def _on_bits(row: Operator, swap: bool = False) -> Build:
    """An operator on bit vectors of one width; `swap` gives it its arguments in the other order."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_all(expr.args, repeat(None), lambda nodes: apply(e, expr, nodes))

    def apply(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
        first = nodes[0]
        if sort_of(e, first, BitVecSort, "a bit vector", expr.args[0]) is None:
            return None
        if not all(same_width(e, first, *each) for each in zip(nodes, expr.args, strict=True)):
            return None
        return e.pool.app(row, tuple(nodes[::-1] if swap else nodes))

    return build


def _bit_value(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    return e.gather_all(expr.args, (INT, INT), lambda nodes: _bit_literal(e, expr, *nodes))


def _bit_literal(e: Elaborator, expr: s.Call, value: Node, width: Node) -> Node | None:
    if not (isinstance(value, Lit) and isinstance(width, Lit)) or (value.sort, width.sort) != (INT, INT):
        helps = ["write BitVecVal(5, 8)"]
        e.report("POT3001", expr, expected="two numerals", found="other terms", helps=helps)
        return None
    assert isinstance(value.value, int) and isinstance(width.value, int)
    if not _is_wide(e, expr.args[1], width.value):
        return None
    return e.pool.lit(value.value % (1 << width.value), BitVecSort(width.value))


def _numerals(places: str, make: Callable[[Elaborator, s.Call, list[int], Node], Node | None]) -> Build:
    """A function of numerals, where `places` has `n`, and of a term, where it has `x`."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        sorts = [None if place == "x" else INT for place in places]
        return e.gather_all(expr.args, sorts, lambda nodes: apply(e, expr, nodes))

    def apply(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
        numbers = []
        for place, node, arg in zip(places, nodes, expr.args, strict=True):
            if place == "n":
                if not isinstance(node, Lit) or node.sort is not INT or not isinstance(node.value, int):
                    e.report("POT3001", arg, expected="a numeral", found="another term")
                    return None
                numbers.append(node.value)
        return make(e, expr, numbers, nodes[places.index("x")])

    return build


def _is_wide(e: Elaborator, arg: s.Expr, width: int) -> bool:
    """Whether bit vectors have that width; if not it is reported."""
    if not 1 <= width <= WIDEST:
        problem, helps = f"no bit vector has the width {width}", [f"widths are from 1 to {WIDEST}"]
        e.report("POT1025", arg, problem=problem, helps=helps)
    return 1 <= width <= WIDEST


def _extracted(e: Elaborator, expr: s.Call, numbers: list[int], whole: Node) -> Node | None:
    sort = sort_of(e, whole, BitVecSort, "a bit vector", expr.args[2])
    if sort is None:
        return None
    high, low = numbers
    if not 0 <= low <= high < sort.width:
        helps = ["the higher bit comes first, and bit 0 is the lowest: Extract(3, 0, a)"]
        there = f"bits from {sort.width - 1} down to 0"
        e.report("POT3001", expr, expected=there, found=f"{high} and {low}", helps=helps)
        return None
    return bits.extract(e.pool, high, low, whole)


def _wider(*, signed: bool) -> Callable[[Elaborator, s.Call, list[int], Node], Node | None]:
    def make(e: Elaborator, expr: s.Call, numbers: list[int], whole: Node) -> Node | None:
        sort, (more,) = sort_of(e, whole, BitVecSort, "a bit vector", expr.args[1]), numbers
        if sort is None or not _is_wide(e, expr.args[0], sort.width + more if more >= 0 else more):
            return None
        if not more:
            return whole
        if signed:
            return bits.sign_extended(e.pool, whole, more)
        return e.pool.app(op.BV_CONCAT, (e.pool.lit(0, BitVecSort(more)), whole))

    return make


def _bits_of_integer(e: Elaborator, expr: s.Call, numbers: list[int], number: Node) -> Node | None:
    fitted = e.fit(number, INT, expr.args[0])
    if fitted is None or not _is_wide(e, expr.args[1], numbers[0]):
        return None
    return bits.of_integer(e.pool, fitted, numbers[0])


def _to_integer(make: Callable[[Pool, Node], Node]) -> Build:
    def apply(e: Elaborator, expr: s.Call, node: Node) -> Node | None:
        fits = sort_of(e, node, BitVecSort, "a bit vector", expr.args[0]) is not None
        return make(e.pool, node) if fits else None

    return lambda e, expr, expected: e.gather_all(expr.args, [None], lambda nodes: apply(e, expr, *nodes))


def _rotation(*, left: bool) -> Build:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_all(expr.args, [None, None], lambda nodes: apply(e, expr, *nodes))

    def apply(e: Elaborator, expr: s.Call, whole: Node, by: Node) -> Node | None:
        sort = sort_of(e, whole, BitVecSort, "a bit vector", expr.args[0])
        if sort is None:
            return None
        if isinstance(by, Lit) and by.sort is INT and isinstance(by.value, int):
            by = e.pool.lit(by.value % sort.width, sort)
        return bits.rotated(e.pool, whole, by, left=left) if same_width(e, whole, by, expr.args[1]) else None

    return build


BIT_VECTORS: Mapping[str, Builtin] = MappingProxyType(
    {
        "BitVecVal": Builtin(_bit_value, "BitVecVal(value, width)"),
        "Extract": Builtin(_numerals("nnx", _extracted), "Extract(high, low, a)"),
        "ZeroExt": Builtin(_numerals("nx", _wider(signed=False)), "ZeroExt(more, a)"),
        "SignExt": Builtin(_numerals("nx", _wider(signed=True)), "SignExt(more, a)"),
        "RotateLeft": Builtin(_rotation(left=True), "RotateLeft(a, by)"),
        "RotateRight": Builtin(_rotation(left=False), "RotateRight(a, by)"),
        "Int2BV": Builtin(_numerals("xn", _bits_of_integer), "Int2BV(i, width)"),
        "BV2Int": Builtin(
            _to_integer(lambda pool, a: pool.app(op.BV_TO_INT, (a,))), "BV2Int(a)", op.BV_TO_INT
        ),
        "SBV2Int": Builtin(_to_integer(bits.signed), "SBV2Int(a)"),
        "BVNot": Builtin(_on_bits(op.BV_NOT), "BVNot(a)", op.BV_NOT),
        **{name: Builtin(_on_bits(row), f"{name}(a, b)", row) for name, row in _BITS.items()},
        **{name: Builtin(_on_bits(row, swap=True), f"{name}(a, b)") for name, row in _SWAPPED_BITS.items()},
    }
)
"""Functions of bit vectors by name."""
