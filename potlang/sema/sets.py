"""The functions of sets by name: literals, comprehensions over finite sorts, and the operations."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Node, Var
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, STRING, DeclaredSort, SetSort, Sort
from potlang.sema.aggregates import card, instances, size
from potlang.sema.binders import binder_form, under_binders
from potlang.sema.builtin_calls import Builtin, called_name, visit_all, wrong_number
from potlang.sema.infix import member
from potlang.sema.operands import coerced, complete, flat, sort_of

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator, Step, Visit

_OPERATIONS = {
    "Union": op.UNION,
    "Intersect": op.INTERSECT,
    "Intersection": op.INTERSECT,
    "Difference": op.DIFFERENCE,
    "Subset": op.SUBSET,
}


def _set_operation(name: str, row: Operator) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        if len(expr.args) < 2 or (row is op.SUBSET and len(expr.args) > 2):
            wrong_number(e, expr, len(expr.args), 2, f"{name}(S, T)")
            return (yield visit_all(e, expr.args))
        hint = expected if isinstance(expected, SetSort) else None
        result: Node | None = None
        for index, arg in enumerate(expr.args):
            if isinstance(arg, s.ListOf) and hint is None:
                hint = yield from _sort_of_others(e, expr.args)
            node = yield e.visit(arg, hint)
            if sort_of(e, node, SetSort, "a set", arg) is not None:
                node = e.fit(node, hint, arg)
            if node is None or not isinstance(node.sort, SetSort):
                return (yield visit_all(e, expr.args[index + 1 :]))
            hint = node.sort
            result = node if result is None else e.pool.app(row, (result, node))
        return result

    return Builtin(build, row=row)


def _sort_of_others(e: Elaborator, args: Sequence[s.Expr]) -> Generator[Visit, Node | None, SetSort | None]:
    """The set sort of the first argument that is not a list, without reporting twice."""
    for arg in args:
        if isinstance(arg, s.Name):
            node = yield e.visit(arg, None)
            if node is not None and isinstance(node.sort, SetSort):
                return node.sort
    return None


def _member(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    element = yield e.visit(expr.args[0], None)
    whole = yield e.visit(expr.args[1], None if element is None else SetSort(element.sort))
    return member(e, (element, whole), expr.args, "a set")


def _set_literal(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Set(a, b)`: the set of its arguments, which have one sort."""
    args = flat(expr.args)
    element = expected.element if isinstance(expected, SetSort) else None

    def made(nodes: list[Node]) -> Node | None:
        if not nodes and element is None:
            e.report(
                "POT3001",
                expr,
                expected="a place that tells the sort of the set",
                found="`Set()`",
                helps=["write it where a set is required, as in `S == EmptySet`"],
            )
            return None
        members = coerced(e, nodes)
        first = element or members[0].sort
        fitted = complete([e.fit(node, first, arg) for node, arg in zip(members, args, strict=True)])
        return None if fitted is None else set_of(e.pool, SetSort(first), fitted)

    return e.gather_all(args, repeat(element), made)


def set_of(pool: Pool, sort: SetSort, members: Sequence[Node]) -> Node:
    """The set of these members."""
    result: Node = pool.lit(None, sort)
    for each in members:
        result = pool.app(op.INSERT, (each, result))
    return result


def _set_builder(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`SetOf([x: A], p)`: the members of a finite sort for which p holds."""
    form = binder_form(e, expr.args)
    if form is None or len(flat(form[0])) != 1:
        helps = ["write `SetOf([x: Sort], p(x))`"]
        e.report(
            "POT3001", expr, expected="one bound variable and a formula", found="other arguments", helps=helps
        )
        return None
    heads, body = form

    def built(variables: list[Var], node: Node) -> Node | None:
        (var,) = variables
        found = instances(e, node, variables, heads[0], expr)
        members = e.members(var.sort)
        if found is None or members is None:
            return None
        if isinstance(var.sort, DeclaredSort) and var.sort not in e.closed:
            helps = [f'close the sort: "semantics": {{"closed_domain": ["{var.sort}"]}}']
            e.report("POT3010", heads[0], op=called_name(expr), sort=var.sort, helps=helps)
            return None
        result: Node = e.pool.lit(None, SetSort(var.sort))
        for member_, condition in zip(members, found, strict=True):
            result = e.pool.app(op.ITE, (condition, e.pool.app(op.INSERT, (member_, result)), result))
        return result

    return under_binders(e, called_name(expr), heads, body, BOOL, built)


def _is_empty(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    def equated(nodes: list[Node]) -> Node | None:
        if nodes[0].sort is STRING:
            return e.pool.eq(nodes[0], e.pool.lit("", STRING))
        sort = sort_of(e, nodes[0], SetSort, "a set", expr.args[0])
        return None if sort is None else e.pool.eq(nodes[0], e.pool.lit(None, sort))

    return e.gather_all(expr.args, [None], equated)


SETS: Mapping[str, Builtin] = MappingProxyType(
    {
        "Member": Builtin(_member, "Member(x, S)", op.MEMBER),
        "Card": Builtin(card, "Card(S)"),
        "Size": Builtin(size, "Size(S)"),
        "Set": Builtin(_set_literal),
        "SetOf": Builtin(_set_builder),
        "IsEmpty": Builtin(_is_empty, "IsEmpty(S)"),
        **{name: _set_operation(name, row) for name, row in _OPERATIONS.items()},
    }
)
"""Functions of sets by name."""
