"""Checks that operators and functions share: operands that are there, numbers, of one sort, of one width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from potlang.expressions import surface as s
from potlang.ir.nodes import Node, Var
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    SetSort,
    Sort,
    TupleSort,
    is_numeric,
)
from potlang.sema import measures
from potlang.sema.advice import not_numeric
from potlang.sema.scope import FunctionEntry, TermEntry, VariableEntry

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator

Kind = TypeVar("Kind", ArraySort, BitVecSort, SetSort)
FORMULAS = frozenset(
    ("And", "Or", "Not", "Implies", "Iff", "Xor", "ForAll", "Forall", "Exists", "Distinct", "Member")
)
"""Functions of the language that make formulas, whatever their arguments are."""


def flat(args: Sequence[s.Expr]) -> list[s.Expr]:
    """Arguments with lists among them opened: `And([p, q], r)` has three."""
    found: list[s.Expr] = []
    for arg in args:
        if isinstance(arg, s.ListOf):
            found += arg.items
        else:
            found.append(arg)
    return found


def known_sort(e: Elaborator, expr: s.Expr) -> Sort | None:
    """The sort of an expression as far as its head tells it, without a look at its parts; None if unknown."""
    match expr:
        case s.Number(text=text):
            return INT if text.isdigit() else REAL
        case s.StringLiteral():
            return STRING
        case s.Compare() | s.Prefix(op="not") | s.Infix(op="and" | "or" | "->" | "<->" | "in" | "not-in"):
            return BOOL
        case s.Prefix(arg=arg) | s.Infix(op="+" | "-" | "*" | "**", args=[arg, *_]):
            return known_sort(e, arg) if isinstance(arg, s.Name | s.Number | s.Call) else None
        case s.Infix(op="//" | "%"):
            return INT
        case s.Infix(op="/"):
            return REAL
        case s.Name(id=name):
            entry = e.scope.meaning(name)
            match entry:
                case TermEntry(node=node):
                    return None if node is None else node.sort
                case Var() | VariableEntry():
                    return entry.sort
                case FunctionEntry(symbol=symbol) if symbol is not None and not symbol.domain:
                    return symbol.range
            return BOOL if entry is None and name in ("True", "False", "true", "false") else None
        case s.Call(head=s.Name(id=name)):
            entry = e.scope.meaning(name)
            if isinstance(entry, FunctionEntry):
                return None if entry.symbol is None else entry.symbol.range
            return BOOL if entry is None and name in FORMULAS else None
    return None


def is_thing(sort: Sort | None) -> bool:
    """Whether a sort is one of the program's own, of things that no operator is about."""
    return isinstance(sort, DeclaredSort | EnumSort | TupleSort)


def complete(nodes: Sequence[Node | None]) -> list[Node] | None:
    """The list without its None type, or None if a node is None."""
    found = [node for node in nodes if node is not None]
    return found if len(found) == len(nodes) else None


def numeric_hint(expected: Sort | None) -> Sort | None:
    """The sort to expect of operands, where numbers are expected of the whole."""
    return expected if expected is not None and is_numeric(expected) else None


def all_numeric(e: Elaborator, name: str, nodes: Sequence[Node], exprs: Sequence[s.Expr]) -> bool:
    """Whether all operands of `name` are numbers; the first that is none is reported."""
    for node, expr in zip(nodes, exprs, strict=True):
        if not is_numeric(node.sort):
            alike = [other for each, other in zip(nodes, exprs, strict=True) if each.sort == node.sort]
            not_numeric(e, expr, name, node, alike)
            return False
    return True


def coerced(e: Elaborator, nodes: list[Node]) -> list[Node]:
    """The terms with Int read as Real where both occur."""
    if all(node.sort is not REAL for node in nodes):
        return nodes
    return [e.to_real(node) if node.sort is INT else node for node in nodes]


def unify(e: Elaborator, a: Node, b: Node) -> tuple[Node, Node] | None:
    """Both as terms of one sort, or None."""
    if a.sort is b.sort or a.sort == b.sort:
        return a, b
    if measures.has_measure((a, b)):
        return measures.aligned(e.pool, a, b)
    a, b = coerced(e, [a, b])
    return (a, b) if a.sort == b.sort else None


def sort_of(
    e: Elaborator, node: Node | None, kind: type[Kind], expected: str, expr: s.Expr, helps: Sequence[str] = ()
) -> Kind | None:
    """The sort of `node` if it is of a kind; None, and a report at `expr`, if it is of another."""
    sort = None if node is None else node.sort
    if sort is None or isinstance(sort, kind):
        return sort
    e.report("POT3001", expr, expected=expected, found=sort, helps=helps)
    return None


def same_width(e: Elaborator, a: Node, b: Node, expr: s.Expr) -> bool:
    """Whether `b` is a bit vector of the width of `a`, which is one; reported at `expr` if not."""
    if a.sort == b.sort:
        return True
    assert isinstance(a.sort, BitVecSort)
    if isinstance(b.sort, BitVecSort):
        helps = ["both need one width, which the digits give: `#b0101` is 4 wide, `#x05` is 8 wide"]
        e.report("POT3011", expr, left=a.sort.width, right=b.sort.width, helps=helps)
    else:
        helps = [f"write the number as a bit vector: BitVecVal(5, {a.sort.width})"]
        e.report("POT3001", expr, expected=a.sort, found=b.sort, helps=helps if b.sort is INT else [])
    return False
