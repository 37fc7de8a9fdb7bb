"""The operator rows: everything that IR applications can apply besides declared functions.

A row says how many arguments it takes, which sort results, how SMT-LIB writes it and how a value
is computed. Rows are compared by identity. What else a new operator needs is in `CONTRIBUTING.md`, and
`tests/meta/test_operators.py` says what is missing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from potlang.ir import values
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    FunctionSort,
    SetSort,
    Sort,
    is_numeric,
)

SortRule = Callable[[tuple[Sort, ...]], Sort | None]
"""From the arguments' sorts to the result's sort, or None where they do not fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One row. `most` None: any number of arguments from `least` on.

    `smt` is the name in `(name arg …)`; `potlang/smt/encodings.py` has the operators of another shape, which
    SMT-LIB may not have at all. `spec` is the chapter and the section that say what it means.
    """

    name: str
    least: int
    most: int | None
    sort: SortRule
    smt: str
    evaluate: Callable[..., object]
    spec: str

    def __str__(self) -> str:
        return self.name


def _all_bool(sorts: tuple[Sort, ...]) -> Sort | None:
    return BOOL if sorts.count(BOOL) == len(sorts) else None


def _same(sorts: tuple[Sort, ...]) -> bool:
    return sorts.count(sorts[0]) == len(sorts)


def _equality(sorts: tuple[Sort, ...]) -> Sort | None:
    return BOOL if _same(sorts) else None


def _order(sorts: tuple[Sort, ...]) -> Sort | None:
    return BOOL if is_numeric(sorts[0]) and _same(sorts) else None


def _arithmetic(sorts: tuple[Sort, ...]) -> Sort | None:
    return sorts[0] if is_numeric(sorts[0]) and _same(sorts) else None


def _fixed(result: Sort, *expected: Sort) -> SortRule:
    """Exactly these argument sorts; the last repeats for longer argument lists."""

    def rule(sorts: tuple[Sort, ...]) -> Sort | None:
        padded = expected + expected[-1:] * (len(sorts) - len(expected))
        return result if sorts == padded else None

    return rule


def _ite(sorts: tuple[Sort, ...]) -> Sort | None:
    return sorts[1] if sorts[0] is BOOL and sorts[1] == sorts[2] else None


def _select(sorts: tuple[Sort, ...]) -> Sort | None:
    array, index = sorts
    return array.element if isinstance(array, ArraySort) and array.index == index else None


def _store(sorts: tuple[Sort, ...]) -> Sort | None:
    array, index, element = sorts
    fits = isinstance(array, ArraySort) and (array.index, array.element) == (index, element)
    return array if fits else None


def _member(sorts: tuple[Sort, ...]) -> Sort | None:
    element, whole = sorts
    return BOOL if isinstance(whole, SetSort) and whole.element == element else None


def _insert(sorts: tuple[Sort, ...]) -> Sort | None:
    return sorts[1] if _member(sorts) else None


def _set_operation(sorts: tuple[Sort, ...]) -> Sort | None:
    return sorts[0] if isinstance(sorts[0], SetSort) and _same(sorts) else None


def _subset(sorts: tuple[Sort, ...]) -> Sort | None:
    return BOOL if _set_operation(sorts) else None


def _substring(sorts: tuple[Sort, ...]) -> Sort | None:
    text, start, length = sorts
    return STRING if text is STRING and start is INT and length is INT else None


def _bits(sorts: tuple[Sort, ...]) -> Sort | None:
    return sorts[0] if isinstance(sorts[0], BitVecSort) and _same(sorts) else None


def _bits_order(sorts: tuple[Sort, ...]) -> Sort | None:
    return BOOL if _bits(sorts) else None


def _bits_concat(sorts: tuple[Sort, ...]) -> Sort | None:
    high, low = sorts
    if isinstance(high, BitVecSort) and isinstance(low, BitVecSort):
        return BitVecSort(high.width + low.width)
    return None


def _bits_number(sorts: tuple[Sort, ...]) -> Sort | None:
    return INT if isinstance(sorts[0], BitVecSort) else None


def _bits_of_number(sorts: tuple[Sort, ...]) -> Sort | None:
    number, like = sorts
    return like if number is INT and isinstance(like, BitVecSort) else None


def _apply(sorts: tuple[Sort, ...]) -> Sort | None:
    function = sorts[0]
    fits = isinstance(function, FunctionSort) and function.domain == sorts[1:]
    return function.range if fits and isinstance(function, FunctionSort) else None


_LOGIC, _ARITH, _ARRAYS = "40-sorts#logic", "40-sorts#arithmetic", "40-sorts#arrays"
_SETS, _STRINGS, _BITS = "40-sorts#sets", "40-sorts#strings", "40-sorts#bit-vectors"

NOT = Operator("not", 1, 1, _all_bool, "not", operator.not_, _LOGIC)
AND = Operator("and", 2, None, _all_bool, "and", values.and_, _LOGIC)
OR = Operator("or", 2, None, _all_bool, "or", values.or_, _LOGIC)
IMPLIES = Operator("=>", 2, 2, _all_bool, "=>", values.implies, _LOGIC)
IFF = Operator("iff", 2, 2, _all_bool, "=", operator.eq, _LOGIC)
XOR = Operator("xor", 2, 2, _all_bool, "xor", operator.is_not, _LOGIC)
ITE = Operator("ite", 3, 3, _ite, "ite", values.ite, _LOGIC)
EQ = Operator("=", 2, 2, _equality, "=", operator.eq, _LOGIC)
DISTINCT = Operator("distinct", 2, None, _equality, "distinct", values.distinct, _LOGIC)

LT = Operator("<", 2, 2, _order, "<", operator.lt, _ARITH)
LE = Operator("<=", 2, 2, _order, "<=", operator.le, _ARITH)
ADD = Operator("+", 2, None, _arithmetic, "+", values.add, _ARITH)
SUB = Operator("-", 2, 2, _arithmetic, "-", operator.sub, _ARITH)
NEG = Operator("neg", 1, 1, _arithmetic, "-", operator.neg, _ARITH)
MUL = Operator("*", 2, None, _arithmetic, "*", values.mul, _ARITH)
DIV = Operator("/", 2, 2, _fixed(REAL, REAL), "/", values.real_div, _ARITH)
INT_DIV = Operator("div", 2, 2, _fixed(INT, INT), "div", values.int_div, _ARITH)
MOD = Operator("mod", 2, 2, _fixed(INT, INT), "mod", values.int_mod, _ARITH)
ABS = Operator("abs", 1, 1, _arithmetic, "abs", abs, _ARITH)
TO_REAL = Operator("to_real", 1, 1, _fixed(REAL, INT), "to_real", values.to_real, _ARITH)
TO_INT = Operator("to_int", 1, 1, _fixed(INT, REAL), "to_int", math.floor, _ARITH)

SELECT = Operator("select", 2, 2, _select, "select", values.select, _ARRAYS)
STORE = Operator("store", 3, 3, _store, "store", values.store, _ARRAYS)
APPLY = Operator("apply", 2, None, _apply, "select", values.apply, _ARRAYS)

MEMBER = Operator("member", 2, 2, _member, "select", values.member, _SETS)
INSERT = Operator("insert", 2, 2, _insert, "store", values.insert, _SETS)
UNION = Operator("union", 2, 2, _set_operation, "union", values.union, _SETS)
INTERSECT = Operator("intersect", 2, 2, _set_operation, "intersection", values.intersect, _SETS)
DIFFERENCE = Operator("difference", 2, 2, _set_operation, "setminus", values.difference, _SETS)
SUBSET = Operator("subset", 2, 2, _subset, "subset", values.subset, _SETS)

STR_CONCAT = Operator("str.++", 2, None, _fixed(STRING, STRING), "str.++", values.str_concat, _STRINGS)
STR_LENGTH = Operator("str.len", 1, 1, _fixed(INT, STRING), "str.len", len, _STRINGS)
STR_CONTAINS = Operator(
    "str.contains", 2, 2, _fixed(BOOL, STRING), "str.contains", operator.contains, _STRINGS
)
STR_PREFIX = Operator("str.prefixof", 2, 2, _fixed(BOOL, STRING), "str.prefixof", values.str_prefix, _STRINGS)
STR_SUFFIX = Operator("str.suffixof", 2, 2, _fixed(BOOL, STRING), "str.suffixof", values.str_suffix, _STRINGS)
STR_SUBSTRING = Operator("str.substr", 3, 3, _substring, "str.substr", values.str_substring, _STRINGS)
STR_TO_INT = Operator("str.to_int", 1, 1, _fixed(INT, STRING), "str.to_int", values.str_to_int, _STRINGS)

BV_CONCAT = Operator("concat", 2, 2, _bits_concat, "concat", values.bv_concat, _BITS)
BV_TO_INT = Operator("ubv_to_int", 1, 1, _bits_number, "bv2nat", values.bv_to_int, _BITS)
INT_TO_BV = Operator("int_to_bv", 2, 2, _bits_of_number, "int2bv", values.int_to_bv, _BITS)
"""The lowest bits of an integer, as many as the second argument has, whose value does not count."""
BV_NOT = Operator("bvnot", 1, 1, _bits, "bvnot", values.bv_not, _BITS)
BV_NEG = Operator("bvneg", 1, 1, _bits, "bvneg", values.bv_neg, _BITS)


def _bit_row(name: str, rule: SortRule, function: Callable[[int, int, int], int]) -> Operator:
    return Operator(name, 2, 2, rule, name, values.on_bits(function), _BITS)


BV_AND = _bit_row("bvand", _bits, lambda a, b, _: a & b)
BV_OR = _bit_row("bvor", _bits, lambda a, b, _: a | b)
BV_XOR = _bit_row("bvxor", _bits, lambda a, b, _: a ^ b)
BV_ADD = _bit_row("bvadd", _bits, lambda a, b, _: a + b)
BV_SUB = _bit_row("bvsub", _bits, lambda a, b, _: a - b)
BV_MUL = _bit_row("bvmul", _bits, lambda a, b, _: a * b)
BV_UDIV = _bit_row("bvudiv", _bits, values.bv_udiv)
BV_UREM = _bit_row("bvurem", _bits, values.bv_urem)
BV_SDIV = _bit_row("bvsdiv", _bits, values.bv_sdiv)
BV_SREM = _bit_row("bvsrem", _bits, values.bv_srem)
BV_SHL = _bit_row("bvshl", _bits, values.bv_shl)
BV_LSHR = _bit_row("bvlshr", _bits, values.bv_lshr)
BV_ASHR = _bit_row("bvashr", _bits, values.bv_ashr)
BV_ULT = _bit_row("bvult", _bits_order, lambda a, b, _: a < b)
BV_ULE = _bit_row("bvule", _bits_order, lambda a, b, _: a <= b)
BV_SLT = _bit_row("bvslt", _bits_order, values.bv_slt)
BV_SLE = _bit_row("bvsle", _bits_order, values.bv_sle)

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {row.name: row for row in list(globals().values()) if isinstance(row, Operator)}
)
"""All rows by name."""
