"""Aggregates, as `Sum` and `Count`: over lists of terms, or over the members of finite sorts.

`Sum([x, y], e)` is the sum of `e` for all members of the sorts of `x` and `y`: enum values, the two
truth values, or the declared constants of a declared sort (each name once).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Node, Var, reachable
from potlang.ir.sorts import BOOL, INT, STRING, DeclaredSort, SetSort, Sort, is_numeric
from potlang.ir.substitute import substitute
from potlang.sema import measures
from potlang.sema.binders import under_binders
from potlang.sema.infix import apply_arithmetic
from potlang.sema.operands import coerced, flat, sort_of

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Visit
    from potlang.sema.kept_aggregates import KeptAggregates

_LARGEST = 100_000
_LARGEST_OF_ALL = 1_000_000
"""Terms, and the terms in them, that all aggregates of a program stand for together."""
Fold = Callable[["Elaborator", list[Node], s.Call], Node | None]


def _aggregate(fold: Fold, body_sort: Sort | None = None) -> Build:
    """The function that folds the terms of its list, or of its body for each value of its binders."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        if _has_condition(expr.args):
            _report_condition(e, expr)
            return None
        if not _is_binder_form(expr.args) and not _binds_unknown(e, expr.args):
            args = flat(expr.args)
            return e.gather_fitted(args, [body_sort] * len(args), lambda nodes: fold(e, nodes, expr))
        *heads, body = expr.args

        def over_members(variables: list[Var], node: Node) -> Node | None:
            if e.kept is not None and e.kept.has(variables):
                return _kept(e, e.kept, fold, variables, node, expr)
            terms = instances(e, node, variables, heads[0], expr)
            return None if terms is None else fold(e, terms, expr)

        return under_binders(e, _name(expr), heads, body, body_sort, over_members)

    return build


def _kept(
    e: Elaborator, kept: KeptAggregates, fold: Fold, variables: list[Var], node: Node, expr: s.Call
) -> Node | None:
    """The aggregate as a term of its own; the fold of one term says what its sort is."""
    one = fold(e, [node], expr)
    if one is None:
        return None
    counts = fold is counted
    return kept.aggregate(
        e.pool, _name(expr), variables, node if counts else one, INT if counts else one.sort
    )


def _name(expr: s.Call) -> str:
    assert isinstance(expr.head, s.Name)
    return expr.head.id


def _is_binder_form(args: Sequence[s.Expr]) -> bool:
    """`[x, y], body` or `x, body` with a declared binding: not a list of terms."""
    if len(args) < 2:
        return False
    first = args[0]
    if isinstance(first, s.ListOf):
        return len(args) == 2 and not isinstance(args[1], s.ListOf)
    return isinstance(first, s.Binding)


def _binds_unknown(e: Elaborator, args: Sequence[s.Expr]) -> bool:
    """`Sum(x, f(x))` with a name that nothing declares: a binder whose sort is missing."""
    first = args[0] if len(args) == 2 else None
    if not isinstance(first, s.Name) or first.id in e.inferred or e.scope.meaning(first.id) is not None:
        return False
    return re.search(rf"\b{re.escape(first.id)}\b", e.text_of(args[1])) is not None


def _has_condition(args: Sequence[s.Expr]) -> bool:
    """`Sum([x: A], p, e)`: three parts, of which the condition belongs into the term."""
    first = args[0] if len(args) == 3 else None
    return isinstance(first, s.ListOf) and any(isinstance(item, s.Binding) for item in first.items)


def _report_condition(e: Elaborator, expr: s.Call) -> None:
    name = _name(expr)
    heads, condition, term = (e.text_of(arg) for arg in expr.args)
    meant = {
        "Sum": f"Sum({heads}, If({condition}, {term}, 0))",
        "Product": f"Product({heads}, If({condition}, {term}, 1))",
        "Count": f"Count({heads}, And({condition}, {term}))",
    }.get(name)
    helps = [f"write `{meant}`" if meant else f"write `{name}({heads}, If({condition}, {term}, other))`"]
    fixes = [e.replace(expr, meant, f"write `{meant}`")] if meant else []
    e.report(
        "POT1020", expr.args[1], problem=f"`{name}` has no condition of its own", helps=helps, fixes=fixes
    )


def instances(e: Elaborator, body: Node, variables: list[Var], at: s.Expr, expr: s.Call) -> list[Node] | None:
    """`body` for each value of the variables; None, with a report, where these are not finitely many."""
    found = [_members(e, var.sort, at, _name(expr)) for var in variables]
    ranges = [members for members in found if members is not None]
    if len(ranges) < len(found):
        return None
    size = prod(len(members) for members in ranges)
    if size > _LARGEST:
        e.report("POT0008", expr, size=size, limit=_LARGEST)
        return None
    parts = size * len(reachable(body))
    e.expanded += parts
    if e.expanded > _LARGEST_OF_ALL:
        e.report("POT0008", expr, size=e.expanded, limit=_LARGEST_OF_ALL)
        return None
    return [
        substitute(e.pool, body, dict(zip(variables, values, strict=True))) for values in product(*ranges)
    ]


def _members(e: Elaborator, sort: Sort, at: s.Expr, name: str) -> list[Node] | None:
    members = e.members(sort)
    if members is None:
        e.report(
            "POT3010",
            at,
            op=name,
            sort=sort,
            helps=["range over an enum sort or a declared sort that has constants, or list the terms"],
        )
    elif isinstance(sort, DeclaredSort) and sort not in e.closed:
        e.report(
            "POT4004",
            at,
            op=name,
            sort=sort,
            notes=[
                f"members of {sort} that have no name are not counted"
                if members
                else f"no member of {sort} has a name here: those that a case names are counted"
            ],
            helps=[
                f'close the sort: "semantics": {{"closed_domain": ["{sort}"]}}',
                *([] if members else ["a guard closes the sort of its events by itself"]),
            ],
        )
    return members


def _numbers(e: Elaborator, terms: list[Node], expr: s.Call) -> list[Node] | None:
    other = next((term.sort for term in terms if not is_numeric(term.sort)), None)
    if other is None:
        return coerced(e, terms)
    name = _name(expr)
    if name != "Product" and measures.has_measure(terms) and all(t.sort == terms[0].sort for t in terms):
        return terms
    helps = [f"`{name}` combines terms that are numbers"]
    e.report("POT3005", expr, op=name, found=f"a term of sort {other}", helps=helps)
    return None


def _joined(symbol: str, empty: int) -> Fold:
    """The terms joined by an infix operator; `empty` for none."""

    def fold(e: Elaborator, terms: list[Node], expr: s.Call) -> Node | None:
        numbers = _numbers(e, terms, expr)
        if numbers is None:
            return None
        if len(numbers) < 2:
            return numbers[0] if numbers else e.pool.integer(empty)
        return apply_arithmetic(e, symbol, numbers, [expr] * len(numbers))

    return fold


def counted(e: Elaborator, terms: list[Node], expr: s.Call) -> Node:
    """The number of the formulas that hold."""
    one, zero = e.pool.integer(1), e.pool.integer(0)
    ones: list[Node] = [e.pool.app(op.ITE, (term, one, zero)) for term in terms]
    if len(ones) < 2:
        return ones[0] if ones else zero
    return e.pool.app(op.ADD, tuple(ones))


def _extreme(e: Elaborator, terms: list[Node], expr: s.Call) -> Node | None:
    """`Min` or `Max`; there must be at least one term."""
    name = _name(expr)
    numbers = _numbers(e, terms, expr)
    if not numbers:
        if numbers is not None:
            e.report("POT1014", expr, what=f"the list of `{name}`")
        return None
    best = numbers[0]
    for term in numbers[1:]:
        pair = (best, term) if name == "Min" else (term, best)
        smaller = e.pool.app(op.LE, tuple(measures.as_number(e.pool, each) for each in pair))
        best = e.pool.app(op.ITE, (smaller, best, term))
    return best


def _average(e: Elaborator, terms: list[Node], expr: s.Call) -> Node | None:
    """The sum over the number of terms, a real; there must be at least one term."""
    numbers = _numbers(e, terms, expr)
    if not numbers:
        if numbers is not None:
            e.report("POT1014", expr, what=f"the list of `{_name(expr)}`")
        return None
    reals = [e.to_real(number) if number.sort is INT else number for number in numbers]
    total = reals[0] if len(reals) == 1 else e.pool.app(op.ADD, tuple(reals))
    return e.pool.app(op.DIV, (total, e.pool.real(len(reals))))


AGGREGATES: dict[str, Build] = {
    "Sum": _aggregate(_joined("+", 0)),
    "Product": _aggregate(_joined("*", 1)),
    # `Count([x], p)`: for how many members `p` holds; `Count([p, q])`: how many of the formulas hold.
    "Count": _aggregate(counted, BOOL),
    "Min": _aggregate(_extreme),
    "Max": _aggregate(_extreme),
    "Average": _aggregate(_average),
}


def card(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Card(S)`: how many members of a finite sort are in the set."""
    (arg,) = expr.args
    return e.gather_all([arg], [None], lambda nodes: _size_of_set(e, nodes[0], arg, expr))


def size(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Size(t)`: of a string its length, of a set the number of its members."""
    (arg,) = expr.args

    def sized(nodes: list[Node]) -> Node | None:
        if nodes[0].sort is STRING:
            return e.pool.app(op.STR_LENGTH, (nodes[0],))
        return _size_of_set(e, nodes[0], arg, expr)

    return e.gather_all([arg], [None], sized)


def _size_of_set(e: Elaborator, whole: Node, arg: s.Expr, expr: s.Call) -> Node | None:
    sort = sort_of(e, whole, SetSort, "a set", arg)
    members = None if sort is None else _members(e, sort.element, arg, _name(expr))
    if members is None:
        return None
    return counted(e, [e.pool.app(op.MEMBER, (member, whole)) for member in members], expr)
