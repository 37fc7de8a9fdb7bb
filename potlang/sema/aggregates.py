"""Sum, Product, Count, Min, Max and Card: over lists of terms, or over the members of finite sorts.

`Sum([x, y], e)` is the sum of `e` for all members of the sorts of `x` and `y`: enum values, the two
truth values, or the declared constants of a declared sort (each name once).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Node, Var
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, REAL, DeclaredSort, SetSort, Sort, is_numeric
from potlang.ir.substitute import substitute
from potlang.sema.binders import bind
from potlang.sema.infix import apply_arithmetic

if TYPE_CHECKING:
    from potlang.sema.elaborate import Builtin, Elaborator, ListStep, Step

_LARGEST = 100_000
Fold = Callable[["Elaborator", list[Node], s.Call], Node | None]


def _is_binder_form(args: Sequence[s.Expr]) -> bool:
    """`[x, y], body` or `x, body` with a declared binding: not a list of terms."""
    if len(args) < 2:
        return False
    first = args[0]
    if isinstance(first, s.ListOf):
        return len(args) == 2 and not isinstance(args[1], s.ListOf)
    return isinstance(first, s.Binding)


def _aggregate(e: Elaborator, expr: s.Call, fold: Fold, body_sort: Sort | None) -> Step:
    assert isinstance(expr.head, s.Name)
    name = expr.head.id
    if _is_binder_form(expr.args):
        terms = yield from _over_members(e, expr, name, body_sort)
    else:
        terms = yield from _over_list(e, expr, body_sort)
    return None if terms is None else fold(e, terms, expr)


def _over_list(e: Elaborator, expr: s.Call, body_sort: Sort | None) -> ListStep:
    from potlang.sema.builtins import flat

    nodes: list[Node | None] = []
    for arg in flat(expr.args):
        node = yield e.visit(arg, body_sort)
        nodes.append(node if body_sort is None else e.fit(node, body_sort, arg))
    found = [node for node in nodes if node is not None]
    return found if len(found) == len(nodes) else None


def _over_members(e: Elaborator, expr: s.Call, name: str, body_sort: Sort | None) -> ListStep:
    from potlang.sema.builtins import flat

    *heads, body = expr.args
    binders = bind(e, flat(heads), heads[0], name)
    e.scope.push(binders)
    node = yield e.visit(body, body_sort)
    e.scope.pop(binders)
    if body_sort is not None:
        node = e.fit(node, body_sort, body)
    variables = [var for _, var in binders if var is not None]
    if node is None or not binders or len(variables) < len(binders):
        return None
    ranges = [_range(e, var, heads[0], name) for var in variables]
    if any(members is None for members in ranges):
        return None
    return _instances(e, node, variables, [m for m in ranges if m is not None], expr)


def _range(e: Elaborator, var: Var, at: s.Expr, name: str) -> list[Node] | None:
    members = e.members(var.sort)
    if members is None:
        e.error(
            "POT3010",
            at,
            op=name,
            sort=var.sort,
            helps=["range over an enum sort or a declared sort that has constants, or list the terms"],
        )
        return None
    if isinstance(var.sort, DeclaredSort) and var.sort not in e.closed:
        e.error(
            "POT4004",
            at,
            op=name,
            sort=var.sort,
            notes=[f"members of {var.sort} that have no name are not counted"],
            helps=[f'close the sort: "semantics": {{"closed_domain": ["{var.sort}"]}}'],
        )
    return members


def _instances(
    e: Elaborator, body: Node, variables: list[Var], ranges: list[list[Node]], expr: s.Call
) -> list[Node] | None:
    size = prod(len(members) for members in ranges)
    if size > _LARGEST:
        e.error("POT0008", expr, size=size, limit=_LARGEST)
        return None
    return [
        substitute(e.pool, body, dict(zip(variables, values, strict=True))) for values in product(*ranges)
    ]


def _numeric(e: Elaborator, terms: list[Node], expr: s.Call) -> list[Node] | None:
    for term in terms:
        if not is_numeric(term.sort):
            assert isinstance(expr.head, s.Name)
            name = expr.head.id
            helps = [f"`{name}` combines terms that are numbers"]
            e.error("POT3005", expr, op=name, found=f"a term of sort {term.sort}", helps=helps)
            return None
    if any(term.sort is REAL for term in terms):
        return [e.to_real(term) if term.sort is INT else term for term in terms]
    return terms


def _joined(symbol: str, empty: int) -> Fold:
    def fold(e: Elaborator, terms: list[Node], expr: s.Call) -> Node | None:
        numbers = _numeric(e, terms, expr)
        if numbers is None:
            return None
        if len(numbers) < 2:
            return numbers[0] if numbers else e.pool.integer(empty)
        return apply_arithmetic(e, symbol, list(numbers), [expr] * len(numbers))

    return fold


def fold_sum(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    """`Sum`: 0 for no terms."""
    return _aggregate(e, expr, _joined("+", 0), None)


def fold_product(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    """`Product`: 1 for no terms."""
    return _aggregate(e, expr, _joined("*", 1), None)


def count_members(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    """`Count([x], p)`: for how many members `p` holds; `Count([p, q])`: how many of the formulas hold."""
    return _aggregate(e, expr, _count, BOOL)


def _count(e: Elaborator, terms: list[Node], expr: s.Call) -> Node:
    one, zero = e.pool.integer(1), e.pool.integer(0)
    counted: list[Node] = [e.pool.app(op.ITE, (term, one, zero)) for term in terms]
    if len(counted) < 2:
        return counted[0] if counted else zero
    return e.pool.app(op.ADD, tuple(counted))


def fold_extreme(name: str) -> Builtin:
    """`Min` and `Max`; there must be at least one term."""

    def fold(e: Elaborator, terms: list[Node], expr: s.Call) -> Node | None:
        numbers = _numeric(e, terms, expr)
        if not numbers:
            if numbers is not None:
                e.error("POT1014", expr, what=f"the list of `{name}`")
            return None
        best = numbers[0]
        for term in numbers[1:]:
            pair = (best, term) if name == "Min" else (term, best)
            best = e.pool.app(op.ITE, (e.pool.app(op.LE, pair), best, term))
        return best

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        return _aggregate(e, expr, fold, None)

    return build


def card(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    """`Card(S)`: how many members of a finite sort are in the set."""
    if len(expr.args) != 1:
        e.error("POT3002", expr, name="Card", expected="1 argument", found=f"{len(expr.args)} are")
        return None
    whole = yield e.visit(expr.args[0], None)
    if whole is None:
        return None
    if not isinstance(whole.sort, SetSort):
        e.error("POT3001", expr.args[0], expected="a set", found=whole.sort)
        return None
    members = _range(e, e.pool.var("x", whole.sort.element), expr.args[0], "Card")
    if members is None:
        return None
    row: Operator = op.MEMBER
    return _count(e, [e.pool.app(row, (member, whole)) for member in members], expr)
