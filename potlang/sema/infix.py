"""Infix and prefix operators: arithmetic, comparison chains, connectives, membership."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, repeat
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Label, Replace
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.measures import DATE
from potlang.ir.nodes import Lit, Node
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, REAL, STRING, BitVecSort, SetSort, Sort, is_numeric
from potlang.sema import measures
from potlang.sema.advice import Advice, comparison_advice, hint_undeclared, order_advice
from potlang.sema.operands import (
    all_numeric,
    coerced,
    complete,
    known_sort,
    numeric_hint,
    same_width,
    sort_of,
    unify,
)

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator, Step, Visit

CONNECTIVES: dict[str, Operator] = {"and": op.AND, "or": op.OR, "->": op.IMPLIES, "<->": op.IFF}
ARITHMETIC: dict[str, Operator] = {"+": op.ADD, "*": op.MUL, "-": op.SUB}
INTEGER: dict[str, Operator] = {"//": op.INT_DIV, "%": op.MOD}
BITWISE: dict[str, Operator] = {
    "+": op.BV_ADD,
    "*": op.BV_MUL,
    "-": op.BV_SUB,
    "//": op.BV_UDIV,
    "%": op.BV_UREM,
}
SETS = {"+": "Union", "-": "Difference", "*": "Intersect", "<=": "Subset"}
"""Signs of sets elsewhere."""
ORDERS: dict[str, Operator] = {"<": op.LT, "<=": op.LE, ">": op.LT, ">=": op.LE}
_LARGEST_EXPONENT = 64


def infix(e: Elaborator, expr: s.Infix, expected: Sort | None) -> Visit:
    """Any infix operator."""
    connective = CONNECTIVES.get(expr.op)
    if connective is not None:
        wanted = [BOOL] * len(expr.args)
        return e.gather_fitted(expr.args, wanted, lambda nodes: e.pool.app(connective, tuple(nodes)))
    match expr.op:
        case "+" | "-" if any(type(arg) is s.Amount for arg in expr.args):
            return _sum(e, expr, expected)
        case "in" | "not-in":
            return _membership(e, expr)
        case "**":
            sorts = (numeric_hint(expected), INT)
            return e.gather_all(expr.args, sorts, lambda nodes: _power(e, expr, *nodes))
        case "/":
            return e.gather_all(expr.args, (REAL, REAL), lambda nodes: _quotient(e, expr, nodes))
        case name:
            hint = None if name in INTEGER else numeric_hint(expected)
            return e.gather(
                expr.args, repeat(hint), lambda nodes: apply_arithmetic(e, name, nodes, expr.args)
            )


def _sum(e: Elaborator, expr: s.Infix, expected: Sort | None) -> Visit:
    """A sum with an amount in it; months are no amount that is added."""
    for arg in expr.args:
        months = measures.months_in(arg)
        if months is not None and len(expr.args) == 2 and arg is expr.args[1]:
            sign = "-" if expr.op == "-" else ""
            call = f"AddMonths({e.text_of(expr.args[0])}, {sign}{months})"
            helps = [f"write `{call}`; where the later month has no such day, that is its last one"]
            fixes = [e.replace(expr, call, f"write `{call}`")]
            e.report("POT3025", arg, text=e.text_of(arg), helps=helps, fixes=fixes)
            return e.gather(expr.args[:1], (None,), lambda nodes: None)
    return e.gather(expr.args, repeat(None), lambda nodes: apply_arithmetic(e, expr.op, nodes, expr.args))


def apply_arithmetic(
    e: Elaborator, name: str, nodes: Sequence[Node | None], exprs: Sequence[s.Expr]
) -> Node | None:
    """`+ - * // %` on visited operands: Int, Real (with coercion) or bit vectors of one width."""
    args = complete(nodes)
    if args is None:
        hint_undeclared(e, nodes, exprs)
        return None
    if isinstance(args[0].sort, BitVecSort):
        return _bit_arithmetic(e, name, args, exprs)
    if name == "+" and all(arg.sort is STRING for arg in args):
        return e.pool.app(op.STR_CONCAT, tuple(args))
    if name in SETS and len(exprs) == 2 and all(isinstance(arg.sort, SetSort) for arg in args):
        _set_operator(e, name, SETS[name], exprs)
        return None
    if measures.has_measure(args):
        return measures.arithmetic(e, name, args, exprs)
    if not all_numeric(e, name, args, exprs):
        return None
    if name in INTEGER:
        return _integer_division(e, name, args, exprs)
    return e.pool.app(ARITHMETIC[name], tuple(coerced(e, args)))


def _integer_division(e: Elaborator, name: str, args: list[Node], exprs: Sequence[s.Expr]) -> Node | None:
    for node, expr in zip(args, exprs, strict=True):
        if node.sort is not INT:
            helps = [f"`{name}` is division of integers; use ToInt(…) or `/`"]
            fixes = []
            if name == "//" and len(exprs) == 2 and exprs[0].end < exprs[1].start and _are_numbers(args):
                text = f"Floor({e.text_of(exprs[0])} / {e.text_of(exprs[1])})"
                helps = [f"of reals write `{text}` for the whole part, `/` for the quotient"]
                between = Replace(e.pointer, exprs[0].start, exprs[1].end, text)
                fixes = [Fix(f"write `{text}`", Applicability.UNSAFE, (between,))]
            e.report("POT3001", expr, expected=INT, found=node.sort, helps=helps, fixes=fixes)
            return None
    _warn_zero(e, args[1], exprs[1])
    return e.pool.app(INTEGER[name], tuple(args))


def _set_operator(e: Elaborator, sign: str, name: str, exprs: Sequence[s.Expr]) -> None:
    """Reports a sign that other languages have for sets."""
    text = f"{name}({', '.join(map(e.text_of, exprs))})"
    fixes = []
    if exprs[0].end < exprs[1].start:
        edit = Replace(e.pointer, exprs[0].start, exprs[1].end, text)
        fixes = [Fix(f"write `{text}`", Applicability.UNSAFE, (edit,))]
    e.report("POT3005", exprs[0], op=sign, found="a set", helps=[f"write `{text}`"], fixes=fixes)


def _are_numbers(nodes: Sequence[Node]) -> bool:
    return all(is_numeric(node.sort) for node in nodes)


def _bit_arithmetic(e: Elaborator, name: str, args: list[Node], exprs: Sequence[s.Expr]) -> Node | None:
    result = args[0]
    for node, expr in zip(args[1:], exprs[1:], strict=True):
        if not same_width(e, args[0], node, expr):
            return None
        result = e.pool.app(BITWISE[name], (result, node))
    return result


def _quotient(e: Elaborator, expr: s.Infix, nodes: list[Node]) -> Node | None:
    if measures.has_measure(nodes):
        return measures.arithmetic(e, "/", nodes, expr.args)
    if not all_numeric(e, "/", nodes, expr.args):
        return None
    a, b = (e.to_real(node) if node.sort is INT else node for node in nodes)
    if isinstance(a, Lit) and isinstance(b, Lit) and b.value:
        assert isinstance(a.value, Fraction) and isinstance(b.value, Fraction)
        return e.pool.real(a.value / b.value)
    _warn_zero(e, b, expr.args[1])
    return e.pool.app(op.DIV, (a, b))


def _warn_zero(e: Elaborator, divisor: Node, expr: s.Expr) -> None:
    """Notes a divisor that is not a non-zero literal: division by zero is unspecified."""
    if not (isinstance(divisor, Lit) and divisor.value):
        e.report("POT4006", expr, notes=["division by zero has some value, the same for the same dividend"])


def _power(e: Elaborator, expr: s.Infix, base: Node, exponent: Node) -> Node | None:
    if not all_numeric(e, "**", [base], expr.args[:1]):
        return None
    value = exponent.value if isinstance(exponent, Lit) else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST_EXPONENT:
        helps = [f"write a numeral from 0 to {_LARGEST_EXPONENT}, or the product itself"]
        e.report("POT3008", expr.args[1], helps=helps)
        return None
    if value == 0:
        return e.pool.real(1) if base.sort is REAL else e.pool.integer(1)
    return base if value == 1 else e.pool.app(op.MUL, (base,) * value)


def _membership(e: Elaborator, expr: s.Infix) -> Step:
    element, whole = expr.args
    node = yield e.visit(element, None)
    if isinstance(whole, s.ListOf):
        found = yield from _one_of(e, expr, node, whole)
    else:
        container = yield e.visit(whole, None)
        helps = ["write `x in [a, b]`"]
        if node is not None and node.sort == DATE and isinstance(whole, s.Number):
            helps = [f"write `Year({e.text_of(element)}) == {whole.text}`"]
        found = member(e, (node, container), expr.args, "a list or a set", helps)
    if found is None:
        return None
    return e.pool.negate(found) if expr.op == "not-in" else found


def _one_of(e: Elaborator, expr: s.Infix, node: Node | None, whole: s.ListOf) -> Step:
    found: list[Node | None] = []
    for item in whole.items:
        other = yield e.visit(item, None if node is None else node.sort)
        found.append(equate(e, node, other, expr.args[0], item, item))
    equalities = complete(found)
    if equalities is None:
        return None
    if not equalities:
        e.report("POT4002", whole, what="the list after `in`", value="False")
    return e.pool.disj(equalities)


def member(
    e: Elaborator,
    nodes: tuple[Node | None, Node | None],
    sides: Sequence[s.Expr],
    expected: str,
    helps: Sequence[str] = (),
) -> Node | None:
    """Whether the first is in the second, which is to be a set; `expected` says so where it is none."""
    element, whole = nodes
    if element is None or whole is None:
        return None
    if element.sort is STRING and whole.sort is STRING:
        return e.pool.app(op.STR_CONTAINS, (whole, element))
    sort = sort_of(e, whole, SetSort, expected, sides[1], helps)
    fitted = None if sort is None else e.fit(element, sort.element, sides[0])
    return None if fitted is None else e.pool.app(op.MEMBER, (fitted, whole))


def equate(
    e: Elaborator, a: Node | None, b: Node | None, left: s.Expr, right: s.Expr, whole: s.Expr
) -> Node | None:
    """`a == b` with Int read as Real where they meet; iff between formulas."""
    if a is None or b is None:
        hint_undeclared(e, (a, b), (left, right))
        return None
    pair = unify(e, a, b)
    if pair is None and measures.are_amounts(a, b):
        measures.report_mixed(e, "==", (a, b), (left, right))
        return None
    if pair is None:
        _not_comparable(e, a, b, left, right, whole)
        return None
    return e.pool.eq(*pair)


def _not_comparable(e: Elaborator, a: Node, b: Node, left: s.Expr, right: s.Expr, whole: s.Expr) -> None:
    helps, fixes = comparison_advice(e, (a, b), (left, right), whole)
    e.report(
        "POT3003",
        whole,
        left=a.sort,
        right=b.sort,
        labels=[Label(e.place(left), f"of sort {a.sort}"), Label(e.place(right), f"of sort {b.sort}")],
        helps=helps,
        fixes=fixes,
    )


def compare(e: Elaborator, expr: s.Compare, expected: Sort | None) -> Visit:
    """A chain of comparisons; its meaning is the conjunction of its links."""
    nodes: list[Node | None] = []
    return e.gather(
        expr.operands, _operand_hints(e, expr, nodes), lambda found: _compared(e, expr, found), nodes
    )


def _compared(e: Elaborator, expr: s.Compare, nodes: list[Node | None]) -> Node | None:
    if len(expr.ops) == 1:
        left, right = expr.operands
        return _link(e, expr.ops[0], nodes[0], nodes[1], (left, right), expr)
    found = [
        _link(e, name, *pair, sides, expr)
        for name, pair, sides in zip(expr.ops, pairwise(nodes), pairwise(expr.operands), strict=True)
    ]
    links = complete(found)
    return None if links is None else e.pool.conj(links)


def _operand_hints(e: Elaborator, expr: s.Compare, nodes: list[Node | None]) -> Iterator[Sort | None]:
    """The left neighbour's sort helps lists as sets and names in messages; numbers are unified later."""
    first = expr.operands[0]
    # `[a, b] == S`: the set on the right tells the sort of the list.
    is_list = type(first) is s.ListOf or (type(first) is s.Name and first.id == "EmptySet")
    yield known_sort(e, expr.operands[1]) if is_list and _is_set(e, expr.operands[1]) else None
    while True:
        previous = nodes[-1]
        yield None if previous is None or is_numeric(previous.sort) else previous.sort


def _is_set(e: Elaborator, expr: s.Expr) -> bool:
    return isinstance(known_sort(e, expr), SetSort)


def _link(
    e: Elaborator, name: str, a: Node | None, b: Node | None, sides: tuple[s.Expr, s.Expr], whole: s.Compare
) -> Node | None:
    left, right = sides
    if name in ("==", "!="):
        at = whole if len(whole.ops) == 1 else right
        equality = equate(e, a, b, left, right, at)
        if equality is None or name == "==":
            return equality
        if equality.sort is BOOL and a is not None and b is not None and a.sort is BOOL:
            return e.pool.app(op.XOR, (a, b))
        return e.pool.negate(equality)
    if a is None or b is None:
        hint_undeclared(e, (a, b), sides)
        return None
    if name in SETS and isinstance(a.sort, SetSort) and isinstance(b.sort, SetSort):
        _set_operator(e, name, SETS[name], sides)
        return None
    if measures.are_amounts(a, b):
        numbers = measures.ordered(e, name, (a, b), sides)
        if numbers is None:
            return None
        a, b = numbers
    for node, side in ((a, left), (b, right)):
        if not is_numeric(node.sort):
            alike = list(sides) if a.sort == b.sort else [side]
            helps, fixes = _order_advice(e, node.sort, name, alike, whole)
            e.report("POT3004", side, sort=node.sort, op=name, helps=helps, fixes=fixes)
            return None
    pair = unify(e, a, b)
    assert pair is not None
    return e.pool.app(ORDERS[name], pair if name in ("<", "<=") else pair[::-1])


def _order_advice(e: Elaborator, sort: Sort, name: str, alike: list[s.Expr], whole: s.Compare) -> Advice:
    if isinstance(sort, BitVecSort):
        spelt = {"<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}[name]
        helps = [f"say which order is meant: U{spelt}(a, b) for unsigned, S{spelt}(a, b) for signed"]
        if len(whole.ops) > 1:
            return helps, []
        sides = ", ".join(e.text_of(operand) for operand in whole.operands)
        return helps, [e.replace(whole, f"U{spelt}({sides})", f"write `U{spelt}({sides})`")]
    if sort is BOOL:
        return ["a formula is not a number; put parentheses where the comparison belongs"], []
    helps, fixes = order_advice(e, sort, alike)
    return helps, fixes if len(whole.ops) == 1 else []


def prefix(e: Elaborator, expr: s.Prefix, expected: Sort | None) -> Visit:
    """`not a`, `-a`."""
    if expr.op == "not":
        return e.gather_fitted((expr.arg,), (BOOL,), lambda nodes: e.pool.app(op.NOT, tuple(nodes)))
    return e.gather_all((expr.arg,), (numeric_hint(expected),), lambda nodes: _opposite(e, expr, nodes[0]))


def _opposite(e: Elaborator, expr: s.Prefix, node: Node) -> Node | None:
    if isinstance(node.sort, BitVecSort):
        return e.pool.app(op.BV_NEG, (node,))
    if measures.has_measure((node,)):
        return measures.opposite(e, node, expr.arg)
    if not all_numeric(e, "-", [node], [expr.arg]):
        return None
    if isinstance(node, Lit):
        assert isinstance(node.value, int | Fraction)
        return e.pool.lit(-node.value, node.sort)
    return e.pool.app(op.NEG, (node,))
