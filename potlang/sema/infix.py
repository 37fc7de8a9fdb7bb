"""Infix and prefix operators: arithmetic, comparison chains, connectives, membership."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import repeat
from typing import TYPE_CHECKING

from potlang.diag import Label
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Lit, Node
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, REAL, BitVecSort, SetSort, Sort, is_numeric
from potlang.sema.advice import Advice, comparison_advice, hint_undeclared, not_numeric, order_advice

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator, Step, Visit

_CONNECTIVES = {"and": op.AND, "or": op.OR, "->": op.IMPLIES, "<->": op.IFF}
_ARITHMETIC = {"+": op.ADD, "*": op.MUL, "-": op.SUB}
_INTEGER = {"//": op.INT_DIV, "%": op.MOD}
_BITWISE = {"+": op.BV_ADD, "*": op.BV_MUL, "-": op.BV_SUB, "//": op.BV_UDIV, "%": op.BV_UREM}
_ORDERS = {"<": op.LT, "<=": op.LE, ">": op.LT, ">=": op.LE}
_LARGEST_EXPONENT = 64


def infix(e: Elaborator, expr: s.Infix, expected: Sort | None) -> Visit:
    """Any infix operator."""
    connective = _CONNECTIVES.get(expr.op)
    if connective is not None:
        return _connective(e, expr, connective)
    match expr.op:
        case "in" | "not-in":
            return _membership(e, expr)
        case "**":
            return _power(e, expr, expected)
        case "/":
            return _division(e, expr)
        case _:
            return _arithmetic(e, expr, expected)


def _connective(e: Elaborator, expr: s.Infix, row: Operator) -> Visit:
    return e.gather_fitted(expr.args, BOOL, lambda nodes: e.pool.app(row, tuple(nodes)))


def _arithmetic(e: Elaborator, expr: s.Infix, expected: Sort | None) -> Visit:
    hint = expected if expected is not None and is_numeric(expected) else None
    if expr.op in _INTEGER:
        hint = None
    return e.gather(expr.args, repeat(hint), lambda nodes: apply_arithmetic(e, expr.op, nodes, expr.args))


def apply_arithmetic(e: Elaborator, name: str, nodes: list[Node | None], exprs: list[s.Expr]) -> Node | None:
    """`+ - * // %` on visited operands: Int, Real (with coercion) or bit vectors of one width."""
    args = [node for node in nodes if node is not None]
    if len(args) < len(nodes):
        hint_undeclared(e, nodes, exprs)
        return None
    first = args[0].sort
    if isinstance(first, BitVecSort):
        return _bit_arithmetic(e, name, args, exprs)
    for node, expr in zip(args, exprs, strict=True):
        if not is_numeric(node.sort):
            alike = [x for n, x in zip(args, exprs, strict=True) if n.sort == node.sort]
            not_numeric(e, expr, name, node, alike)
            return None
    if name in _INTEGER:
        return _integer_division(e, name, args, exprs)
    if any(node.sort is REAL for node in args):
        args = [e.to_real(node) if node.sort is INT else node for node in args]
    return e.pool.app(_ARITHMETIC[name], tuple(args))


def _integer_division(e: Elaborator, name: str, args: list[Node], exprs: list[s.Expr]) -> Node | None:
    for node, expr in zip(args, exprs, strict=True):
        if node.sort is not INT:
            e.error(
                "POT3001",
                expr,
                expected=INT,
                found=node.sort,
                helps=[f"`{name}` is division of integers; use ToInt(…) or `/`"],
            )
            return None
    warn_zero(e, args[1], exprs[1])
    return e.pool.app(_INTEGER[name], tuple(args))


def _bit_arithmetic(e: Elaborator, name: str, args: list[Node], exprs: list[s.Expr]) -> Node | None:
    first = args[0]
    result = first
    for node, expr in zip(args[1:], exprs[1:], strict=True):
        if not same_width(e, first, node, expr):
            return None
        result = e.pool.app(_BITWISE[name], (result, node))
    return result


def same_width(e: Elaborator, a: Node, b: Node, expr: s.Expr) -> bool:
    """Whether `b` is a bit vector of `a`'s width; reported at `expr` if not."""
    if a.sort == b.sort:
        return True
    if isinstance(a.sort, BitVecSort) and isinstance(b.sort, BitVecSort):
        helps = ["both need one width, which the digits give: `#b0101` is 4 wide, `#x05` is 8 wide"]
        e.error("POT3011", expr, left=a.sort.width, right=b.sort.width, helps=helps)
    else:
        help_ = (
            f"write the number as a bit vector: BitVecVal(5, {a.sort.width})"
            if isinstance(a.sort, BitVecSort)
            else ""
        )
        e.error(
            "POT3001", expr, expected=a.sort, found=b.sort, helps=[help_] if b.sort is INT and help_ else []
        )
    return False


def _division(e: Elaborator, expr: s.Infix) -> Step:
    left = yield e.visit(expr.args[0], REAL)
    right = yield e.visit(expr.args[1], REAL)
    if left is None or right is None:
        return None
    for node, arg in ((left, expr.args[0]), (right, expr.args[1])):
        if not is_numeric(node.sort):
            alike = list(expr.args) if left.sort == right.sort else [arg]
            not_numeric(e, arg, "/", node, alike)
            return None
    a, b = (e.to_real(node) if node.sort is INT else node for node in (left, right))
    if isinstance(a, Lit) and isinstance(b, Lit) and b.value:
        assert isinstance(a.value, Fraction) and isinstance(b.value, Fraction)
        return e.pool.real(a.value / b.value)
    warn_zero(e, b, expr.args[1])
    return e.pool.app(op.DIV, (a, b))


def warn_zero(e: Elaborator, divisor: Node, expr: s.Expr) -> None:
    """Notes a divisor that is not a non-zero literal: division by zero is unspecified."""
    if not (isinstance(divisor, Lit) and divisor.value):
        e.error("POT4006", expr, notes=["division by zero has some value, the same for the same dividend"])


def _power(e: Elaborator, expr: s.Infix, expected: Sort | None) -> Step:
    base = yield e.visit(expr.args[0], expected if expected is not None and is_numeric(expected) else None)
    exponent = yield e.visit(expr.args[1], INT)
    if base is None or exponent is None:
        return None
    if not is_numeric(base.sort):
        not_numeric(e, expr.args[0], "**", base)
        return None
    value = exponent.value if isinstance(exponent, Lit) else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST_EXPONENT:
        e.error(
            "POT3008",
            expr.args[1],
            helps=[f"write a numeral from 0 to {_LARGEST_EXPONENT}, or the product itself"],
        )
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
        found = _member(e, node, container, element, whole)
    if found is None:
        return None
    return e.pool.negate(found) if expr.op == "not-in" else found


def _one_of(e: Elaborator, expr: s.Infix, node: Node | None, whole: s.ListOf) -> Step:
    equalities: list[Node | None] = []
    for item in whole.items:
        other = yield e.visit(item, None if node is None else node.sort)
        equalities.append(equate(e, node, other, expr.args[0], item, item))
    if any(equality is None for equality in equalities):
        return None
    if not equalities:
        e.error("POT4002", whole, what="the list after `in`", value="False")
    return e.pool.disj(equality for equality in equalities if equality is not None)


def _member(
    e: Elaborator, element: Node | None, whole: Node | None, left: s.Expr, right: s.Expr
) -> Node | None:
    if element is None or whole is None:
        return None
    if not isinstance(whole.sort, SetSort):
        e.error("POT3001", right, expected="a list or a set", found=whole.sort, helps=["write `x in [a, b]`"])
        return None
    fitted = e.fit(element, whole.sort.element, left)
    return None if fitted is None else e.pool.app(op.MEMBER, (fitted, whole))


def equate(
    e: Elaborator, a: Node | None, b: Node | None, left: s.Expr, right: s.Expr, whole: s.Expr
) -> Node | None:
    """`a == b` with Int read as Real where they meet; iff between formulas."""
    if a is None or b is None:
        hint_undeclared(e, (a, b), (left, right))
        return None
    pair = unify(e, a, b)
    if pair is None:
        _not_comparable(e, a, b, left, right, whole)
        return None
    return e.pool.eq(*pair)


def _not_comparable(e: Elaborator, a: Node, b: Node, left: s.Expr, right: s.Expr, whole: s.Expr) -> None:
    helps, fixes = comparison_advice(e, (a, b), (left, right), whole)
    e.error(
        "POT3003",
        whole,
        left=a.sort,
        right=b.sort,
        labels=[Label(e.place(left), f"of sort {a.sort}"), Label(e.place(right), f"of sort {b.sort}")],
        helps=helps,
        fixes=fixes,
    )


def unify(e: Elaborator, a: Node, b: Node) -> tuple[Node, Node] | None:
    """Both as terms of one sort, or None."""
    if a.sort is b.sort or a.sort == b.sort:
        return a, b
    if a.sort is INT and b.sort is REAL:
        return e.to_real(a), b
    if a.sort is REAL and b.sort is INT:
        return a, e.to_real(b)
    return None


def compare(e: Elaborator, expr: s.Compare, expected: Sort | None) -> Visit:
    """A chain of comparisons; its meaning is the conjunction of its links."""
    nodes: list[Node | None] = []
    return e.gather(expr.operands, _operand_hints(nodes), lambda found: _compared(e, expr, found), nodes)


def _compared(e: Elaborator, expr: s.Compare, nodes: list[Node | None]) -> Node | None:
    if len(expr.ops) == 1:
        left, right = expr.operands
        return _link(e, expr.ops[0], nodes[0], nodes[1], (left, right), expr)
    links: list[Node | None] = []
    for index, name in enumerate(expr.ops):
        a, b = nodes[index], nodes[index + 1]
        left, right = expr.operands[index], expr.operands[index + 1]
        links.append(_link(e, name, a, b, (left, right), expr))
    if any(link is None for link in links):
        return None
    return e.pool.conj(link for link in links if link is not None)


def _operand_hints(nodes: list[Node | None]) -> Iterator[Sort | None]:
    """The left neighbour's sort helps lists as sets and names in messages; numbers are unified later."""
    yield None
    while True:
        previous = nodes[-1]
        yield None if previous is None or is_numeric(previous.sort) else previous.sort


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
    for node, side in ((a, left), (b, right)):
        if not is_numeric(node.sort):
            alike = list(sides) if a.sort == b.sort else [side]
            helps, fixes = _order_advice(e, node.sort, name, alike, whole)
            e.error("POT3004", side, sort=node.sort, op=name, helps=helps, fixes=fixes)
            return None
    pair = unify(e, a, b)
    assert pair is not None
    return e.pool.app(_ORDERS[name], pair if name in ("<", "<=") else pair[::-1])


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
    return _not(e, expr) if expr.op == "not" else _minus(e, expr, expected)


def _not(e: Elaborator, expr: s.Prefix) -> Visit:
    return e.gather_fitted((expr.arg,), BOOL, lambda nodes: e.pool.app(op.NOT, tuple(nodes)))


def _minus(e: Elaborator, expr: s.Prefix, expected: Sort | None) -> Visit:
    hint = expected if expected is not None and is_numeric(expected) else None
    return e.gather((expr.arg,), (hint,), lambda nodes: _opposite(e, expr, nodes[0]))


def _opposite(e: Elaborator, expr: s.Prefix, node: Node | None) -> Node | None:
    if node is None:
        return None
    if isinstance(node.sort, BitVecSort):
        return e.pool.app(op.BV_NEG, (node,))
    if not is_numeric(node.sort):
        not_numeric(e, expr.arg, "-", node)
        return None
    if isinstance(node, Lit):
        assert isinstance(node.value, int | Fraction)
        return e.pool.lit(-node.value, node.sort)
    return e.pool.app(op.NEG, (node,))
