"""The functions of the language by name: connectives, quantifiers, arithmetic and the other sorts.

A program's own function of the same name comes first, so these are looked up last.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING

from potlang.diag import Label
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import Lit, Node, Var
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, REAL, STRING, ArraySort, BitVecSort, SetSort, Sort, is_numeric
from potlang.sema.advice import are, count, not_numeric
from potlang.sema.aggregates import card, count_members, fold_extreme, fold_product, fold_sum
from potlang.sema.binders import bind
from potlang.sema.infix import apply_arithmetic, equate, same_width, unify

if TYPE_CHECKING:
    from potlang.sema.elaborate import Builtin, Elaborator, Step, Visit


def flat(args: Sequence[s.Expr]) -> list[s.Expr]:
    """Arguments with lists among them opened: `And([p, q], r)` has three."""
    found: list[s.Expr] = []
    for arg in args:
        if isinstance(arg, s.ListOf):
            found += arg.items
        else:
            found.append(arg)
    return found


def _arity(e: Elaborator, expr: s.Call, wanted: int, usage: str) -> bool:
    if len(expr.args) == wanted:
        return True
    found = len(expr.args)
    assert isinstance(expr.head, s.Name)
    e.error(
        "POT3002",
        expr,
        name=expr.head.id,
        expected=count(wanted, "argument"),
        found=are(found),
        helps=[f"write `{usage}`"],
    )
    return False


# --- connectives ---------------------------------------------------------------------------------


def _nary(row: Operator, neutral: bool) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_fitted(flat(expr.args), BOOL, lambda nodes: join(e, expr, nodes))

    def join(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
        if not nodes:
            value = str(neutral)
            fixes = [e.replace(expr, value, f"write `{value}`", safe=True)]
            e.error("POT4002", expr, what=f"`{row.name.capitalize()}()`", value=value, fixes=fixes)
        if len(nodes) < 2:
            return nodes[0] if nodes else e.pool.truth(neutral)
        return e.pool.app(row, tuple(nodes))

    return build


def _fixed(row: Operator, usage: str, *sorts: Sort) -> Builtin:
    """A row whose arguments have known sorts."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        if not _arity(e, expr, len(sorts), usage):
            return _visit_all(e, expr.args)
        return e.gather(expr.args, sorts, lambda found: apply(e, expr, found))

    def apply(e: Elaborator, expr: s.Call, found: list[Node | None]) -> Node | None:
        fitted = [e.fit(*triple) for triple in zip(found, sorts, expr.args, strict=True)]
        args = [node for node in fitted if node is not None]
        return e.pool.app(row, tuple(args)) if len(args) == len(sorts) else None

    return build


def _visit_all(e: Elaborator, args: Sequence[s.Expr]) -> Step:
    """For the arguments' own errors; the call itself is in error."""
    for arg in args:
        if not isinstance(arg, s.ListOf | s.Binding):
            yield e.visit(arg, None)
    return None


def _ite(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    if not _arity(e, expr, 3, "If(condition, value, otherwise)"):
        return _visit_all(e, expr.args)
    return e.gather(expr.args, (BOOL, expected, expected), lambda found: _choice(e, expr, *found))


def _choice(
    e: Elaborator, expr: s.Call, test: Node | None, then: Node | None, otherwise: Node | None
) -> Node | None:
    condition = e.fit(test, BOOL, expr.args[0])
    if condition is None or then is None or otherwise is None:
        return None
    pair = unify(e, then, otherwise)
    if pair is None:
        e.error(
            "POT3007",
            expr,
            left=then.sort,
            right=otherwise.sort,
            labels=[
                Label(e.place(expr.args[1]), f"of sort {then.sort}"),
                Label(e.place(expr.args[2]), f"of sort {otherwise.sort}"),
            ],
            helps=["give both branches one sort"],
        )
        return None
    return e.pool.app(op.ITE, (condition, *pair))


def _distinct(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    args = flat(expr.args)
    return e.gather(args, repeat(None), lambda nodes: _all_distinct(e, expr, args, nodes))


def _all_distinct(e: Elaborator, expr: s.Call, args: list[s.Expr], nodes: list[Node | None]) -> Node | None:
    found = [node for node in nodes if node is not None]
    if len(found) < len(nodes):
        return None
    if len(found) < 2:
        fixes = [e.replace(expr, "True", "write `True`", safe=True)]
        if found:
            helps = ["one term is distinct from no other; name those that it differs from"]
            e.error("POT4007", expr, value="True", helps=helps, fixes=fixes)
        else:
            e.error("POT4002", expr, what="`Distinct()`", value="True", fixes=fixes)
        return e.pool.true
    if any(node.sort is REAL for node in found):
        found = [e.to_real(node) if node.sort is INT else node for node in found]
    for node, arg in zip(found[1:], args[1:], strict=True):
        if node.sort != found[0].sort:
            equate(e, found[0], node, args[0], arg, arg)
            return None
    return e.pool.app(op.DISTINCT, tuple(found))


# --- quantifiers ---------------------------------------------------------------------------------


def _quantifier(kind: str, name: str) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        if len(expr.args) < 2:
            _arity(e, expr, 2, f"{name}([x], formula)")
            return None
        *heads, body = expr.args
        if isinstance(body, s.ListOf | s.Binding):
            e.error("POT1020", body, problem=f"the last argument of {name} must be a formula")
            return None
        binders = bind(e, flat(heads), heads[0], name)
        e.scope.push(binders)
        return e.gather((body,), (BOOL,), lambda found: close(e, binders, body, found[0]))

    def close(
        e: Elaborator, binders: list[tuple[str, Var | None]], body: s.Expr, found: Node | None
    ) -> Node | None:
        node = e.fit(found, BOOL, body)
        e.scope.pop(binders)
        variables = tuple([var for _, var in binders if var is not None])
        if node is None or len(variables) < len(binders) or not binders:
            return None
        return e.pool.quant(kind, variables, node)

    return build


# --- arithmetic ----------------------------------------------------------------------------------


def _unary_numeric(name: str, row: Operator) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        if not _arity(e, expr, 1, f"{name}(x)"):
            return (yield from _visit_all(e, expr.args))
        node = yield e.visit(expr.args[0], None)
        if node is None:
            return None
        if not is_numeric(node.sort):
            not_numeric(e, expr.args[0], name, node)
            return None
        return e.pool.app(row, (node,))

    return build


def _to_real(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    if not _arity(e, expr, 1, "ToReal(n)"):
        return (yield from _visit_all(e, expr.args))
    # Not as a Real from the start: `ToReal(7 // 2)` converts an Int.
    node = yield e.visit(expr.args[0], None)
    return e.fit(node, REAL, expr.args[0])


def _to_int(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    if not _arity(e, expr, 1, "ToInt(x)"):
        return (yield from _visit_all(e, expr.args))
    node = yield from e.checked(expr.args[0], REAL)
    return None if node is None else e.pool.app(op.TO_INT, (node,))


# --- arrays and sets -----------------------------------------------------------------------------


def _array_operation(row: Operator, usage: str, arity: int) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        if not _arity(e, expr, arity, usage):
            return (yield from _visit_all(e, expr.args))
        array = yield e.visit(expr.args[0], expected if row is op.STORE else None)
        if array is not None and not isinstance(array.sort, ArraySort):
            e.error("POT3001", expr.args[0], expected="an array", found=array.sort)
            array = None
        if array is None or not isinstance(array.sort, ArraySort):
            return (yield from _visit_all(e, expr.args[1:]))
        index = yield from e.checked(expr.args[1], array.sort.index)
        args: list[Node | None] = [array, index]
        if row is op.STORE:
            args.append((yield from e.checked(expr.args[2], array.sort.element)))
        found = tuple(arg for arg in args if arg is not None)
        return e.pool.app(row, found) if len(found) == arity else None

    return build


def _set_operation(name: str, row: Operator) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        if len(expr.args) < 2 or (row is op.SUBSET and len(expr.args) > 2):
            _arity(e, expr, 2, f"{name}(S, T)")
            return (yield from _visit_all(e, expr.args))
        hint = expected if isinstance(expected, SetSort) else None
        result: Node | None = None
        for index, arg in enumerate(expr.args):
            if isinstance(arg, s.ListOf) and hint is None:
                hint = yield from _sort_of_others(e, expr.args)
            node = yield e.visit(arg, hint)
            if node is not None and not isinstance(node.sort, SetSort):
                e.error("POT3001", arg, expected="a set", found=node.sort)
                node = None
            elif node is not None and hint is not None:
                node = e.fit(node, hint, arg)
            if node is None:
                return (yield from _visit_all(e, expr.args[index + 1 :]))
            assert isinstance(node.sort, SetSort)
            hint = node.sort
            result = node if result is None else e.pool.app(row, (result, node))
        return result

    return build


def _sort_of_others(e: Elaborator, args: Sequence[s.Expr]) -> Generator[Visit, Node | None, SetSort | None]:
    """The set sort of the first argument that is not a list, without reporting twice."""
    for arg in args:
        if isinstance(arg, s.Name):
            node = yield e.visit(arg, None)
            if node is not None and isinstance(node.sort, SetSort):
                return node.sort
    return None


def _member(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    if not _arity(e, expr, 2, "Member(x, S)"):
        return (yield from _visit_all(e, expr.args))
    element = yield e.visit(expr.args[0], None)
    whole = yield e.visit(expr.args[1], None if element is None else SetSort(element.sort))
    if element is None or whole is None:
        return None
    if not isinstance(whole.sort, SetSort):
        e.error("POT3001", expr.args[1], expected="a set", found=whole.sort)
        return None
    fitted = e.fit(element, whole.sort.element, expr.args[0])
    return None if fitted is None else e.pool.app(op.MEMBER, (fitted, whole))


# --- bit vectors and strings ---------------------------------------------------------------------


def _bit_operation(name: str, row: Operator, swap: bool = False) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        if not _arity(e, expr, 2, f"{name}(a, b)"):
            return (yield from _visit_all(e, expr.args))
        a = yield e.visit(expr.args[0], None)
        b = yield e.visit(expr.args[1], None)
        if a is None or b is None:
            return None
        if not isinstance(a.sort, BitVecSort):
            e.error("POT3001", expr.args[0], expected="a bit vector", found=a.sort)
            return None
        if not same_width(e, a, b, expr.args[1]):
            return None
        return e.pool.app(row, (b, a) if swap else (a, b))

    return build


def _bit_complement(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    if not _arity(e, expr, 1, "BVNot(a)"):
        return (yield from _visit_all(e, expr.args))
    node = yield e.visit(expr.args[0], None)
    if node is not None and not isinstance(node.sort, BitVecSort):
        e.error("POT3001", expr.args[0], expected="a bit vector", found=node.sort)
        return None
    return None if node is None else e.pool.app(op.BV_NOT, (node,))


def _bit_value(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    if not _arity(e, expr, 2, "BitVecVal(value, width)"):
        return (yield from _visit_all(e, expr.args))
    value = yield e.visit(expr.args[0], INT)
    width = yield e.visit(expr.args[1], INT)
    if not (isinstance(value, Lit) and isinstance(width, Lit)) or (value.sort, width.sort) != (INT, INT):
        if value is not None and width is not None:
            e.error(
                "POT3001", expr, expected="two numerals", found="other terms", helps=["write BitVecVal(5, 8)"]
            )
        return None
    assert isinstance(value.value, int) and isinstance(width.value, int)
    if not 1 <= width.value <= 65_536:
        e.error("POT1025", expr.args[1], problem=f"no bit vector has the width {width.value}", helps=_WIDTHS)
        return None
    return e.pool.lit(value.value % (1 << width.value), BitVecSort(width.value))


def _concat(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
    args = flat(expr.args)
    if len(args) < 2:
        _arity(e, expr, 2, "Concat(a, b)")
        return (yield from _visit_all(e, args))
    nodes: list[Node | None] = []
    for arg in args:
        nodes.append((yield e.visit(arg, None)))
    found = [node for node in nodes if node is not None]
    if len(found) < len(nodes):
        return None
    if isinstance(found[0].sort, BitVecSort):
        return _concat_bits(e, found, args)
    for node, arg in zip(found, args, strict=True):
        if e.fit(node, STRING, arg) is None:
            return None
    return e.pool.app(op.STR_CONCAT, tuple(found))


def _concat_bits(e: Elaborator, nodes: list[Node], args: list[s.Expr]) -> Node | None:
    result = nodes[0]
    for node, arg in zip(nodes[1:], args[1:], strict=True):
        if not isinstance(node.sort, BitVecSort):
            e.error("POT3001", arg, expected="a bit vector", found=node.sort)
            return None
        result = e.pool.app(op.BV_CONCAT, (result, node))
    return result


def _infix_by_name(symbol: str, usage: str) -> Builtin:
    """`Div(a, b)` and `Mod(a, b)`: the infix operators under a name."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        if not _arity(e, expr, 2, usage):
            return (yield from _visit_all(e, expr.args))
        a = yield e.visit(expr.args[0], INT)
        b = yield e.visit(expr.args[1], INT)
        return apply_arithmetic(e, symbol, [a, b], list(expr.args))

    return build


_WIDTHS = ["widths are from 1 to 65536"]
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
_SETS = {
    "Union": op.UNION,
    "Intersect": op.INTERSECT,
    "Intersection": op.INTERSECT,
    "Difference": op.DIFFERENCE,
    "Subset": op.SUBSET,
}

BUILTINS: Mapping[str, Builtin] = MappingProxyType(
    {
        "And": _nary(op.AND, True),
        "Or": _nary(op.OR, False),
        "Not": _fixed(op.NOT, "Not(p)", BOOL),
        "Implies": _fixed(op.IMPLIES, "Implies(p, q)", BOOL, BOOL),
        "Iff": _fixed(op.IFF, "Iff(p, q)", BOOL, BOOL),
        "Xor": _fixed(op.XOR, "Xor(p, q)", BOOL, BOOL),
        "If": _ite,
        "Ite": _ite,
        "Distinct": _distinct,
        "ForAll": _quantifier("forall", "ForAll"),
        "Forall": _quantifier("forall", "ForAll"),
        "Exists": _quantifier("exists", "Exists"),
        "Sum": fold_sum,
        "Product": fold_product,
        "Count": count_members,
        "Min": fold_extreme("Min"),
        "Max": fold_extreme("Max"),
        "Abs": _unary_numeric("Abs", op.ABS),
        "ToReal": _to_real,
        "ToInt": _to_int,
        "Div": _infix_by_name("//", "Div(a, b)"),
        "Mod": _infix_by_name("%", "Mod(a, b)"),
        "Select": _array_operation(op.SELECT, "Select(array, index)", 2),
        "Store": _array_operation(op.STORE, "Store(array, index, element)", 3),
        "Member": _member,
        "Card": card,
        **{name: _set_operation(name, row) for name, row in _SETS.items()},
        "Length": _fixed(op.STR_LENGTH, "Length(s)", STRING),
        "Concat": _concat,
        "Contains": _fixed(op.STR_CONTAINS, "Contains(whole, part)", STRING, STRING),
        "PrefixOf": _fixed(op.STR_PREFIX, "PrefixOf(part, whole)", STRING, STRING),
        "SuffixOf": _fixed(op.STR_SUFFIX, "SuffixOf(part, whole)", STRING, STRING),
        "BitVecVal": _bit_value,
        "BVNot": _bit_complement,
        **{name: _bit_operation(name, row) for name, row in _BITS.items()},
        **{name: _bit_operation(name, row, swap=True) for name, row in _SWAPPED_BITS.items()},
    }
)
"""Built-in functions by name."""
