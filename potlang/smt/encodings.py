"""Operators that SMT-LIB writes in another shape than `(name arg …)`.

Sets are arrays to Bool, so their algebra needs `(_ map …)`, which only the z3 dialect has. The cvc5
dialect lists the elements of finite sorts, and for other sorts says membership, equality and
inclusion pointwise; a union as an argument of a function is then beyond it (`Unsupported`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from potlang.ir import operators as ops
from potlang.ir.nodes import App, Lit, Node
from potlang.ir.operators import Operator
from potlang.ir.sorts import REAL, BitVecSort, BoolSort, EnumSort, SetSort, Sort, TupleSort
from potlang.smt import names
from potlang.smt.errors import Unsupported
from potlang.smt.numerals import bits_text
from potlang.smt.symbols import Symbols

Dialect = Literal["z3", "cvc5"]

MEMBERS = 64
"""Elements that a finite sort may have to be listed."""


class Membership(NamedTuple):
    """The formula that the element `%e` (a name in scope) is in `whole`, with set operations unfolded."""

    whole: Node


Piece = str | Node | Membership

_CONNECTIVES = {ops.UNION: "(or ", ops.INTERSECT: "(and ", ops.DIFFERENCE: "(and "}


class OperatorEncoder:
    """Writes the operators of irregular shape for one dialect."""

    def __init__(self, symbols: Symbols, dialect: Dialect = "z3") -> None:
        self._symbols = symbols
        self._table = dict(_COMMON)
        self._table.update(_Z3 if dialect == "z3" else _CVC5)

    def is_special(self, op: Operator) -> bool:
        """True if `op` is not written `(name arg …)`."""
        return op in self._table

    def encode(self, node: App) -> list[Piece]:
        """The pieces of an application of a special operator. Raises `Unsupported`."""
        assert isinstance(node.op, Operator)
        return self._table[node.op](self, node)

    def membership(self, item: Membership) -> list[Piece]:
        """One level of an unfolded membership."""
        whole = item.whole
        if isinstance(whole, App):
            connective = _CONNECTIVES.get(whole.op) if isinstance(whole.op, Operator) else None
            if connective is not None:
                first, second = (Membership(part) for part in whole.args)
                if whole.op is ops.DIFFERENCE:
                    return [connective, first, " (not ", second, "))"]
                return [connective, first, " ", second, ")"]
            if whole.op is ops.INSERT:
                element, rest = whole.args
                return ["(or (= %e ", element, ") ", Membership(rest), ")"]
        if isinstance(whole, Lit):
            return ["false"]
        return ["(select ", whole, " %e)"]

    # The rows of the tables below.

    def abs(self, node: App) -> list[Piece]:
        """SMT-LIB has `abs` for Int alone."""
        if node.sort is not REAL:
            return ["(abs ", node.args[0], ")"]
        return ["(let ((%x ", node.args[0], ")) (ite (< %x 0.0) (- %x) %x))"]

    def apply(self, node: App) -> list[Piece]:
        """A function value is an array of arrays."""
        pieces: list[Piece] = ["(select " * (len(node.args) - 1), node.args[0]]
        for argument in node.args[1:]:
            pieces += [" ", argument, ")"]
        return pieces

    def member(self, node: App) -> list[Piece]:
        """A set is an array to Bool."""
        element, whole = node.args
        return ["(select ", whole, " ", element, ")"]

    def insert(self, node: App) -> list[Piece]:
        """One more element is one store."""
        element, whole = node.args
        return ["(store ", whole, " ", element, " true)"]

    def int_to_bits(self, node: App) -> list[Piece]:
        """The bits of an integer; of that of a bit vector a part of it, or a wider one."""
        number, sort = node.args[0], node.sort
        assert isinstance(sort, BitVecSort)
        if not (isinstance(number, App) and number.op is ops.BV_TO_INT):
            return [f"((_ int2bv {sort.width}) ", number, ")"]
        # Solvers reason about bits far better than about numbers that they are taken from.
        (whole,) = number.args
        low, width = 0, _width(whole)
        if isinstance(whole, App) and whole.op is ops.BV_LSHR and isinstance(whole.args[1], Lit):
            by = whole.args[1].value
            if isinstance(by, int) and by + sort.width <= width:
                whole, low = whole.args[0], by
        if low + sort.width <= width:
            return [f"((_ extract {low + sort.width - 1} {low}) ", whole, ")"]
        return [f"((_ zero_extend {sort.width - width}) ", whole, ")"]

    def mapped(self, node: App) -> list[Piece]:
        """Union and intersection, pointwise."""
        first, second = node.args
        connective = "or" if node.op is ops.UNION else "and"
        return [f"((_ map {connective}) ", first, " ", second, ")"]

    def mapped_difference(self, node: App) -> list[Piece]:
        """The difference of two sets."""
        first, second = node.args
        return ["((_ map and) ", first, " ((_ map not) ", second, "))"]

    def mapped_subset(self, node: App) -> list[Piece]:
        """The implication holds everywhere."""
        first, second = node.args
        everywhere = self._symbols.constant_array(first.sort, "true")
        return ["(= ((_ map =>) ", first, " ", second, f") {everywhere})"]

    def listed(self, node: App) -> list[Piece]:
        """Union, intersection or difference over a finite sort: one store for each element."""
        assert isinstance(node.sort, SetSort)
        elements = members(node.sort.element)
        if elements is None:
            raise Unsupported(f"cvc5 has no {node.op} of sets of {node.sort.element}, which is not finite")
        first, second = node.args
        row = {"union": "(or {} {})", "intersect": "(and {} {})", "difference": "(and {} (not {}))"}[
            str(node.op)
        ]
        text = self._symbols.constant_array(node.sort, "false")
        for element in elements:
            value = row.format(f"(select %a {element})", f"(select %b {element})")
            text = f"(store {text} {element} {value})"
        return ["(let ((%a ", first, ") (%b ", second, f")) {text})"]

    def pointwise_member(self, node: App) -> list[Piece]:
        """Membership with the set operations unfolded."""
        element, whole = node.args
        if not _is_compound(whole):
            return self.member(node)
        return ["(let ((%e ", element, ")) ", Membership(whole), ")"]

    def pointwise_subset(self, node: App) -> list[Piece]:
        """Inclusion, element by element."""
        return self._pointwise("=>", *node.args)

    def pointwise_equality(self, node: App) -> list[Piece]:
        """Equality; of sets built by operations, element by element."""
        first, second = node.args
        if isinstance(first.sort, SetSort) and (_is_compound(first) or _is_compound(second)):
            return self._pointwise("=", first, second)
        return ["(= ", first, " ", second, ")"]

    def _pointwise(self, connective: str, first: Node, second: Node) -> list[Piece]:
        assert isinstance(first.sort, SetSort)
        binder = f"(forall ((%e {self._symbols.sort(first.sort.element)})) ({connective} "
        return [binder, Membership(first), " ", Membership(second), "))"]


def _width(node: Node) -> int:
    assert isinstance(node.sort, BitVecSort)
    return node.sort.width


def _is_compound(whole: Node) -> bool:
    return isinstance(whole, App) and (whole.op in _CONNECTIVES or whole.op is ops.INSERT)


def members(sort: Sort) -> list[str] | None:
    """The values of a finite sort as text, or None if it is infinite or has more than `MEMBERS`."""
    match sort:
        case BoolSort():
            return ["false", "true"]
        case EnumSort(name, values):
            found = [names.value_name(name, value) for value in values]
        case BitVecSort(width) if width <= 6:
            found = [bits_text(number, width) for number in range(1 << width)]
        case TupleSort(name, fields) if fields:
            found = _records(names.constructor_name(name), [members(part) for _, part in fields])
        case _:
            return None
    return found if 0 < len(found) <= MEMBERS else None


def _records(constructor: str, columns: list[list[str] | None]) -> list[str]:
    known = [column for column in columns if column is not None]
    if len(known) < len(columns) or prod(map(len, known)) > MEMBERS:
        return []
    return [f"({constructor} {' '.join(row)})" for row in product(*known)]


_Row = Callable[[OperatorEncoder, App], list[Piece]]

_COMMON: dict[Operator, _Row] = {
    ops.ABS: OperatorEncoder.abs,
    ops.APPLY: OperatorEncoder.apply,
    ops.MEMBER: OperatorEncoder.member,
    ops.INSERT: OperatorEncoder.insert,
    ops.INT_TO_BV: OperatorEncoder.int_to_bits,
}
_Z3: dict[Operator, _Row] = {
    ops.UNION: OperatorEncoder.mapped,
    ops.INTERSECT: OperatorEncoder.mapped,
    ops.DIFFERENCE: OperatorEncoder.mapped_difference,
    ops.SUBSET: OperatorEncoder.mapped_subset,
}
_CVC5: dict[Operator, _Row] = {
    ops.UNION: OperatorEncoder.listed,
    ops.INTERSECT: OperatorEncoder.listed,
    ops.DIFFERENCE: OperatorEncoder.listed,
    ops.SUBSET: OperatorEncoder.pointwise_subset,
    ops.MEMBER: OperatorEncoder.pointwise_member,
    ops.EQ: OperatorEncoder.pointwise_equality,
}
IRREGULAR = frozenset({*_COMMON, *_Z3, *_CVC5})
"""The operators that some dialect, or both, write in another shape."""
