"""The functions of the language by name: connectives, quantifiers, arithmetic and the other sorts.

A program's own function of the same name comes first, so these are looked up last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING

from potlang.diag import Label
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.measures import is_point
from potlang.ir.nodes import Node, Var
from potlang.ir.operators import Operator
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    MeasureSort,
    SetSort,
    Sort,
)
from potlang.sema.aggregates import AGGREGATES
from potlang.sema.binders import binder_form, under_binders, with_sorts
from potlang.sema.bit_vectors import BIT_VECTORS
from potlang.sema.builtin_calls import Builtin, called_name, operator_call, visit_all, wrong_number
from potlang.sema.calendar import CALENDAR
from potlang.sema.cardinality import cardinality, exists_unique, pairwise_distinct, pseudo_boolean
from potlang.sema.infix import apply_arithmetic, equate, infix
from potlang.sema.measures import as_measure, as_number, ordered
from potlang.sema.operands import all_numeric, coerced, flat, sort_of, unify
from potlang.sema.patterns import matches
from potlang.sema.reachability import reachable_by
from potlang.sema.rounding import ceiling, floor, round_, rounding, sign, truncated
from potlang.sema.sets import SETS

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Step, Visit


# --- connectives ---------------------------------------------------------------------------------


def _nary(row: Operator, neutral: bool) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        args = flat(expr.args)
        return e.gather_fitted(args, [BOOL] * len(args), lambda nodes: join(e, expr, nodes))

    def join(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
        if not nodes:
            value = str(neutral)
            fixes = [e.replace(expr, value, f"write `{value}`", safe=True)]
            e.report("POT4002", expr, what=f"`{row.name.capitalize()}()`", value=value, fixes=fixes)
        if len(nodes) < 2:
            return nodes[0] if nodes else e.pool.truth(neutral)
        return e.pool.app(row, tuple(nodes))

    return Builtin(build, row=row)


def _ite(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    test, *branches = expr.args
    # The other branch tells the sort of a list, which then is a set.
    is_turned = isinstance(branches[0], s.ListOf) and not isinstance(branches[1], s.ListOf)
    nodes: list[Node | None] = []

    def hints() -> Iterator[Sort | None]:
        yield BOOL
        yield expected
        sort = None if nodes[1] is None else nodes[1].sort
        yield sort if isinstance(sort, SetSort) else expected

    def chosen(found: list[Node | None]) -> Node | None:
        condition, *values = found
        return _choice(e, expr, condition, *(values[::-1] if is_turned else values))

    return e.gather((test, *(branches[::-1] if is_turned else branches)), hints(), chosen, nodes)


def _choice(
    e: Elaborator, expr: s.Call, test: Node | None, then: Node | None, otherwise: Node | None
) -> Node | None:
    condition = e.fit(test, BOOL, expr.args[0])
    if condition is None or then is None or otherwise is None:
        return None
    pair = unify(e, then, otherwise)
    if pair is None:
        e.report(
            "POT3007",
            expr,
            left=then.sort,
            right=otherwise.sort,
            labels=[
                Label(e.place(arg), f"of sort {node.sort}")
                for arg, node in zip(expr.args[1:], (then, otherwise), strict=True)
            ],
            helps=["give both branches one sort"],
        )
        return None
    return e.pool.app(op.ITE, (condition, *pair))


def _distinct(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    # `Distinct([a, b], c)` are three terms, also where a and b are variables that nothing binds.
    form = with_sorts(binder_form(e, expr.args))
    if form is not None:
        return under_binders(
            e,
            called_name(expr),
            *form,
            None,
            lambda variables, node: pairwise_distinct(e.pool, variables, node),
        )
    args = flat(expr.args)
    return e.gather_all(args, repeat(None), lambda nodes: _all_distinct(e, expr, args, nodes))


def _all_distinct(e: Elaborator, expr: s.Call, args: list[s.Expr], nodes: list[Node]) -> Node | None:
    if len(nodes) < 2:
        fixes = [e.replace(expr, "True", "write `True`", safe=True)]
        if nodes:
            helps = ["one term is distinct from no other; name those that it differs from"]
            e.report("POT4007", expr, value="True", helps=helps, fixes=fixes)
        else:
            e.report("POT4002", expr, what="`Distinct()`", value="True", fixes=fixes)
        return e.pool.true
    first, *others = nodes = coerced(e, nodes)
    for node, arg in zip(others, args[1:], strict=True):
        if node.sort != first.sort:
            equate(e, first, node, args[0], arg, arg)
            return None
    return e.pool.app(op.DISTINCT, tuple(nodes))


# --- quantifiers ---------------------------------------------------------------------------------


def _is_formula(head: s.Expr) -> bool:
    # A tuple, as it is asked of every binder: a union of classes would be made anew each time.
    return isinstance(head, (s.Compare, s.Call, s.Prefix)) or (type(head) is s.Infix and head.op != "in")


def _several_formulas(e: Elaborator, expr: s.Call, name: str) -> None:
    """Reports `Exists(x, p, q)`, in which two formulas stand without a connective."""
    first = next(index for index, arg in enumerate(expr.args) if _is_formula(arg))
    binders, formulas = ([e.text_of(arg) for arg in part] for part in (expr.args[:first], expr.args[first:]))
    *premises, last = formulas
    joined = (
        " and ".join(f"({each})" for each in premises)
        if len(premises) > 1
        else premises[0]
        if premises
        else ""
    )
    body = f"Implies({joined}, {last})" if name == "ForAll" else f"And({', '.join(formulas)})"
    text = f"{name}({', '.join([*binders, body])})"
    fixes = [e.replace(expr, text, f"write `{text}`")] if binders and premises else []
    helps = [f"write `{text}`" if fixes else f"write {name}([x, y], …) or {name}([x: Sort], …)"]
    problem = (
        f"`{name}` takes one formula"
        if fixes
        else f"`{name}` expects a variable name here, not an expression"
    )
    e.report("POT1020", expr.args[first], problem=problem, helps=helps, fixes=fixes)


def _quantifier(name: str) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        if len(expr.args) < 2:
            wrong_number(e, expr, len(expr.args), 2, f"{name}([x], formula)")
            return None
        *heads, body = expr.args
        if any(_is_formula(head) for head in heads):
            _several_formulas(e, expr, name)
            return None
        if isinstance(body, s.ListOf | s.Binding):
            e.report("POT1020", body, problem=f"the last argument of {name} must be a formula")
            return None
        return under_binders(e, name, heads, body, BOOL, lambda variables, node: close(e, variables, node))

    def close(e: Elaborator, variables: list[Var], node: Node) -> Node:
        return e.pool.quant(name.lower(), tuple(variables), node)

    return Builtin(build)


# --- arithmetic ----------------------------------------------------------------------------------


def _absolute(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    def applied(nodes: list[Node]) -> Node | None:
        (node,), sort = nodes, nodes[0].sort
        if isinstance(sort, MeasureSort) and not is_point(sort):
            return as_measure(e.pool, e.pool.app(op.ABS, (as_number(e.pool, node),)), sort)
        return e.pool.app(op.ABS, tuple(nodes)) if all_numeric(e, "Abs", nodes, expr.args) else None

    return e.gather_all(expr.args, [None], applied)


def _to_real(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    # Not as a Real from the start: `ToReal(7 // 2)` converts an Int.
    return e.gather_all(expr.args, [None], lambda nodes: e.fit(nodes[0], REAL, expr.args[0]))


def _infix_by_name(usage: str, symbol: str) -> Builtin:
    """`Div(a, b)` and `Mod(a, b)`: the infix operators under a name."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather(expr.args, (INT, INT), lambda nodes: apply_arithmetic(e, symbol, nodes, expr.args))

    return Builtin(build, usage)


# --- arrays -----------------------------------------------------------------------------


def _array_operation(usage: str, row: Operator) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        first, *others = expr.args
        array = yield e.visit(first, expected if row is op.STORE else None)
        sort = sort_of(e, array, ArraySort, "an array", first)
        if array is None or sort is None:
            return (yield visit_all(e, others))
        sorts = (sort.index, sort.element)[: len(others)]
        return (yield e.gather_fitted(others, sorts, lambda nodes: e.pool.app(row, (array, *nodes))))

    return Builtin(build, usage, row)


# --- numbers -------------------------------------------------------------------------------------


def _between(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Between(x, low, high)`: both bounds belong to it."""
    if isinstance(expr.args[0], s.Number) and not isinstance(expr.args[2], s.Number):
        helps = [f"the bounds stand behind the term: `Between({e.text_of(expr.args[2])}, …)`"]
        e.report("POT3001", expr.args[0], expected="the term that is bounded", found="a numeral", helps=helps)
        return visit_all(e, expr.args)

    def bounded(nodes: list[Node]) -> Node | None:
        if any(isinstance(node.sort, MeasureSort) for node in nodes):
            return between_measures(nodes)
        if not all_numeric(e, "Between", nodes, expr.args):
            return None
        x, low, high = coerced(e, nodes)
        return e.pool.conj([e.pool.app(op.LE, (low, x)), e.pool.app(op.LE, (x, high))])

    def between_measures(nodes: list[Node]) -> Node | None:
        x, low, high = zip(nodes, expr.args, strict=True)
        pairs = [
            ordered(e, "<=", (one[0], other[0]), (one[1], other[1])) for one, other in ((low, x), (x, high))
        ]
        found = [pair for pair in pairs if pair is not None]
        return e.pool.conj([e.pool.app(op.LE, pair) for pair in found]) if len(found) == len(pairs) else None

    return e.gather_all(expr.args, repeat(None), bounded)


def _power(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    infix_ = s.Infix("**", expr.args, expr.start, expr.end)
    return infix(e, infix_, expected)


# --- strings -------------------------------------------------------------------------------------


def _swapped_strings(row: Operator) -> Build:
    """An operator of a whole string and a part, which the row has in the other order."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_fitted(
            expr.args, (STRING, STRING), lambda nodes: e.pool.app(row, (nodes[1], nodes[0]))
        )

    return build


def _to_int(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`ToInt(x)` of a real, an integer or a string of digits."""

    def converted(nodes: list[Node]) -> Node | None:
        node = nodes[0]
        if node.sort is STRING:
            return e.pool.app(op.STR_TO_INT, (node,))
        fitted = e.fit(node, REAL, expr.args[0])
        return None if fitted is None else e.pool.app(op.TO_INT, (fitted,))

    # Not as a Real from the start, which a string is not.
    return e.gather_all(expr.args, [None], converted)


def _substring(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    def part(nodes: list[Node]) -> Node:
        return e.pool.app(op.STR_SUBSTRING, tuple(nodes))

    return e.gather_fitted(expr.args, (STRING, INT, INT), part)


# --- strings and bit vectors ---------------------------------------------------------------------


def _concat(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    args = flat(expr.args)
    if len(args) < 2:
        wrong_number(e, expr, len(args), 2, "Concat(a, b)")
        return visit_all(e, args)
    return e.gather_all(args, repeat(None), lambda nodes: _concatenated(e, nodes, args))


def _concatenated(e: Elaborator, nodes: list[Node], args: list[s.Expr]) -> Node | None:
    if not isinstance(nodes[0].sort, BitVecSort):
        fitted = all(e.fit(node, STRING, arg) is not None for node, arg in zip(nodes, args, strict=True))
        return e.pool.app(op.STR_CONCAT, tuple(nodes)) if fitted else None
    result = nodes[0]
    for node, arg in zip(nodes[1:], args[1:], strict=True):
        if sort_of(e, node, BitVecSort, "a bit vector", arg) is None:
            return None
        result = e.pool.app(op.BV_CONCAT, (result, node))
    return result


_FIXED = {
    "ExactlyOne": ("Exactly", 1),
    "AtMostOne": ("AtMost", 1),
    "AtLeastOne": ("AtLeast", 1),
    "NoneOf": ("Exactly", 0),
}
_WEIGHTS = {"PbLe": "AtMost", "PbGe": "AtLeast", "PbEq": "Exactly"}

BUILTINS: Mapping[str, Builtin] = MappingProxyType(
    {
        "And": _nary(op.AND, True),
        "Or": _nary(op.OR, False),
        "Not": operator_call("Not(p)", op.NOT, BOOL),
        "Implies": operator_call("Implies(p, q)", op.IMPLIES, BOOL, BOOL),
        "Iff": operator_call("Iff(p, q)", op.IFF, BOOL, BOOL),
        "Xor": operator_call("Xor(p, q)", op.XOR, BOOL, BOOL),
        **dict.fromkeys(("If", "Ite"), Builtin(_ite, "If(condition, value, otherwise)", op.ITE)),
        "Distinct": Builtin(_distinct, row=op.DISTINCT),
        "AllDifferent": Builtin(_distinct),
        **dict.fromkeys(("ForAll", "Forall"), _quantifier("ForAll")),
        "Exists": _quantifier("Exists"),
        **dict.fromkeys(("ExistsUnique", "Unique"), Builtin(exists_unique)),
        **{name: Builtin(cardinality(name)) for name in ("AtMost", "AtLeast", "Exactly")},
        **{name: Builtin(cardinality(*fixed)) for name, fixed in _FIXED.items()},
        **{name: Builtin(pseudo_boolean(relation)) for name, relation in _WEIGHTS.items()},
        **dict.fromkeys(("Reachable", "TransitiveClosure"), Builtin(reachable_by)),
        **{name: Builtin(build) for name, build in AGGREGATES.items()},
        "Abs": Builtin(_absolute, "Abs(x)", op.ABS),
        "ToReal": Builtin(_to_real, "ToReal(n)", op.TO_REAL),
        "ToInt": Builtin(_to_int, "ToInt(x)", op.TO_INT),
        "StrToInt": operator_call("StrToInt(s)", op.STR_TO_INT, STRING),
        **dict.fromkeys(("Floor",), Builtin(rounding(floor), "Floor(x)")),
        **dict.fromkeys(("Ceil", "Ceiling"), Builtin(rounding(ceiling), "Ceil(x)")),
        **dict.fromkeys(("Truncate", "Trunc"), Builtin(rounding(truncated), "Truncate(x)")),
        "Round": Builtin(round_),
        "Sign": Builtin(sign, "Sign(x)"),
        **dict.fromkeys(("Pow", "Power"), Builtin(_power, "Pow(x, 2)")),
        "Between": Builtin(_between, "Between(x, low, high)"),
        "Div": _infix_by_name("Div(a, b)", "//"),
        "Mod": _infix_by_name("Mod(a, b)", "%"),
        "Select": _array_operation("Select(array, index)", op.SELECT),
        "Store": _array_operation("Store(array, index, element)", op.STORE),
        **SETS,
        **{name: Builtin(build, usage) for name, (build, usage) in CALENDAR.items()},
        "Length": operator_call("Length(s)", op.STR_LENGTH, STRING),
        "Concat": Builtin(_concat, row=op.STR_CONCAT),
        "Contains": operator_call("Contains(whole, part)", op.STR_CONTAINS, STRING, STRING),
        "PrefixOf": operator_call("PrefixOf(part, whole)", op.STR_PREFIX, STRING, STRING),
        "SuffixOf": operator_call("SuffixOf(part, whole)", op.STR_SUFFIX, STRING, STRING),
        "Matches": Builtin(matches, "Matches(s, pattern)"),
        "StartsWith": Builtin(_swapped_strings(op.STR_PREFIX), "StartsWith(whole, part)"),
        "EndsWith": Builtin(_swapped_strings(op.STR_SUFFIX), "EndsWith(whole, part)"),
        **dict.fromkeys(
            ("Substring", "SubString"), Builtin(_substring, "Substring(s, start, length)", op.STR_SUBSTRING)
        ),
        **BIT_VECTORS,
    }
)
"""Built-in functions by name."""
