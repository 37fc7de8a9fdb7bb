"""The functions of the language by name: connectives, quantifiers, arithmetic and the other sorts.

A program's own function of the same name comes first, so these are looked up last.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING

from potlang.diag import Label
from potlang.expressions import surface as s
from potlang.ir import bits
from potlang.ir import operators as op
from potlang.ir.measures import is_point
from potlang.ir.nodes import Lit, Node, Var
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    MeasureSort,
    SetSort,
    Sort,
)
from potlang.sema.advice import are, count
from potlang.sema.aggregates import AGGREGATES, card, instances, size
from potlang.sema.binders import binder_form, under_binders, with_sorts
from potlang.sema.calendar import CALENDAR
from potlang.sema.cardinality import cardinality, exists_unique, pairwise_distinct, pseudo_boolean
from potlang.sema.infix import apply_arithmetic, equate, infix, member
from potlang.sema.measures import as_measure, as_number
from potlang.sema.operands import all_numeric, coerced, complete, flat, same_width, sort_of, unify
from potlang.sema.patterns import matches
from potlang.sema.reachability import reachable_by
from potlang.sema.rounding import ceiling, floor, round_, rounding, sign, truncated
from potlang.sema.sorts import WIDEST

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Step, Visit


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of the language.

    `usage` is a call of it, as helps show one, where the number of its arguments is fixed. `row` is the
    operator that it stands for, if it is one: `emit` writes that operator by this name.
    """

    build: Build
    usage: str = ""
    row: Operator | None = None

    def __call__(self, e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        """Elaborates a call; a wrong number of arguments is reported."""
        if self.usage and len(expr.args) != (wanted := self.usage.count(",") + 1):
            _wrong_number(e, expr, len(expr.args), wanted, self.usage)
            return _visit_all(e, expr.args) if binder_form(e, expr.args) is None else None
        return self.build(e, expr, expected)


def _name(expr: s.Call) -> str:
    assert isinstance(expr.head, s.Name)
    return expr.head.id


def _wrong_number(e: Elaborator, expr: s.Call, found: int, wanted: int, usage: str) -> None:
    name = _name(expr)
    meant = _meant_call(e, expr, name)
    e.report(
        "POT3002",
        expr,
        name=name,
        expected=count(wanted, "argument"),
        found=are(found),
        helps=[f"write `{meant or usage}`"],
        fixes=[e.replace(expr, meant, f"write `{meant}`")] if meant else [],
    )


def _meant_call(e: Elaborator, expr: s.Call, name: str) -> str | None:
    """What an implication of several premises, or a choice without another value, was to say."""
    texts = [e.text_of(arg) for arg in expr.args]
    if any(isinstance(arg, s.ListOf | s.Binding) for arg in expr.args):
        return None
    if name == "Implies" and len(texts) > 2:
        return f"Implies(And({', '.join(texts[:-1])}), {texts[-1]})"
    if name in ("If", "Ite") and len(texts) == 2:
        return f"Implies({', '.join(texts)})"
    if name == "Not" and len(texts) > 1:
        return f"Not(And({', '.join(texts)}))"
    return None


def _visit_all(e: Elaborator, args: Sequence[s.Expr]) -> Visit:
    """For the arguments' own errors; the call itself is in error."""
    terms = [arg for arg in args if not isinstance(arg, s.ListOf | s.Binding)]
    return e.gather(terms, repeat(None), lambda nodes: None)


def _row(usage: str, row: Operator, *sorts: Sort) -> Builtin:
    """An operator whose arguments have known sorts."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_fitted(expr.args, sorts, lambda nodes: e.pool.app(row, tuple(nodes)))

    return Builtin(build, usage, row)


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
    return e.gather(expr.args, (BOOL, expected, expected), lambda found: _choice(e, expr, *found))


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
            e, _name(expr), *form, None, lambda variables, node: pairwise_distinct(e.pool, variables, node)
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
            _wrong_number(e, expr, len(expr.args), 2, f"{name}([x], formula)")
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


# --- arrays and sets -----------------------------------------------------------------------------


def _array_operation(usage: str, row: Operator) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        first, *others = expr.args
        array = yield e.visit(first, expected if row is op.STORE else None)
        sort = sort_of(e, array, ArraySort, "an array", first)
        if array is None or sort is None:
            return (yield _visit_all(e, others))
        sorts = (sort.index, sort.element)[: len(others)]
        return (yield e.gather_fitted(others, sorts, lambda nodes: e.pool.app(row, (array, *nodes))))

    return Builtin(build, usage, row)


def _set_operation(name: str, row: Operator) -> Builtin:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Step:
        if len(expr.args) < 2 or (row is op.SUBSET and len(expr.args) > 2):
            _wrong_number(e, expr, len(expr.args), 2, f"{name}(S, T)")
            return (yield _visit_all(e, expr.args))
        hint = expected if isinstance(expected, SetSort) else None
        result: Node | None = None
        for index, arg in enumerate(expr.args):
            if isinstance(arg, s.ListOf) and hint is None:
                hint = yield from _sort_of_others(e, expr.args)
            node = yield e.visit(arg, hint)
            if sort_of(e, node, SetSort, "a set", arg) is not None:
                node = e.fit(node, hint, arg)
            if node is None or not isinstance(node.sort, SetSort):
                return (yield _visit_all(e, expr.args[index + 1 :]))
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
            e.report("POT3010", heads[0], op=_name(expr), sort=var.sort, helps=helps)
            return None
        result: Node = e.pool.lit(None, SetSort(var.sort))
        for member_, condition in zip(members, found, strict=True):
            result = e.pool.app(op.ITE, (condition, e.pool.app(op.INSERT, (member_, result)), result))
        return result

    return under_binders(e, _name(expr), heads, body, BOOL, built)


def _is_empty(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    def equated(nodes: list[Node]) -> Node | None:
        if nodes[0].sort is STRING:
            return e.pool.eq(nodes[0], e.pool.lit("", STRING))
        sort = sort_of(e, nodes[0], SetSort, "a set", expr.args[0])
        return None if sort is None else e.pool.eq(nodes[0], e.pool.lit(None, sort))

    return e.gather_all(expr.args, [None], equated)


# --- numbers -------------------------------------------------------------------------------------


def _between(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Between(x, low, high)`: both bounds belong to it."""
    if isinstance(expr.args[0], s.Number) and not isinstance(expr.args[2], s.Number):
        helps = [f"the bounds stand behind the term: `Between({e.text_of(expr.args[2])}, …)`"]
        e.report("POT3001", expr.args[0], expected="the term that is bounded", found="a numeral", helps=helps)
        return _visit_all(e, expr.args)

    def bounded(nodes: list[Node]) -> Node | None:
        if not all_numeric(e, "Between", nodes, expr.args):
            return None
        x, low, high = coerced(e, nodes)
        return e.pool.conj([e.pool.app(op.LE, (low, x)), e.pool.app(op.LE, (x, high))])

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


# --- bit vectors and strings ---------------------------------------------------------------------


def _on_bits(row: Operator, swap: bool = False) -> Build:
    """An operator on bit vectors of one width; `swap` gives it its arguments in the other order."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_all(expr.args, repeat(None), lambda nodes: apply(e, expr, nodes))

    def apply(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
        first = nodes[0]
        if sort_of(e, first, BitVecSort, "a bit vector", expr.args[0]) is None:
            return None
        if not all(same_width(e, first, *each) for each in zip(nodes, expr.args, strict=True)):
            return None
        return e.pool.app(row, tuple(nodes[::-1] if swap else nodes))

    return build


def _bit_value(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    return e.gather_all(expr.args, (INT, INT), lambda nodes: _bit_literal(e, expr, *nodes))


def _bit_literal(e: Elaborator, expr: s.Call, value: Node, width: Node) -> Node | None:
    if not (isinstance(value, Lit) and isinstance(width, Lit)) or (value.sort, width.sort) != (INT, INT):
        helps = ["write BitVecVal(5, 8)"]
        e.report("POT3001", expr, expected="two numerals", found="other terms", helps=helps)
        return None
    assert isinstance(value.value, int) and isinstance(width.value, int)
    if not 1 <= width.value <= WIDEST:
        problem, helps = f"no bit vector has the width {width.value}", [f"widths are from 1 to {WIDEST}"]
        e.report("POT1025", expr.args[1], problem=problem, helps=helps)
        return None
    return e.pool.lit(value.value % (1 << width.value), BitVecSort(width.value))


def _concat(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    args = flat(expr.args)
    if len(args) < 2:
        _wrong_number(e, expr, len(args), 2, "Concat(a, b)")
        return _visit_all(e, args)
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


def _numerals(places: str, make: Callable[[Elaborator, s.Call, list[int], Node], Node | None]) -> Build:
    """A function of numerals, where `places` has `n`, and of a term, where it has `x`."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        sorts = [None if place == "x" else INT for place in places]
        return e.gather_all(expr.args, sorts, lambda nodes: apply(e, expr, nodes))

    def apply(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
        numbers = []
        for place, node, arg in zip(places, nodes, expr.args, strict=True):
            if place == "n":
                if not isinstance(node, Lit) or node.sort is not INT or not isinstance(node.value, int):
                    e.report("POT3001", arg, expected="a numeral", found="another term")
                    return None
                numbers.append(node.value)
        return make(e, expr, numbers, nodes[places.index("x")])

    return build


def _is_wide(e: Elaborator, arg: s.Expr, width: int) -> bool:
    """Whether bit vectors have that width; if not it is reported."""
    if not 1 <= width <= WIDEST:
        problem, helps = f"no bit vector has the width {width}", [f"widths are from 1 to {WIDEST}"]
        e.report("POT1025", arg, problem=problem, helps=helps)
    return 1 <= width <= WIDEST


def _extracted(e: Elaborator, expr: s.Call, numbers: list[int], whole: Node) -> Node | None:
    sort = sort_of(e, whole, BitVecSort, "a bit vector", expr.args[2])
    if sort is None:
        return None
    high, low = numbers
    if not 0 <= low <= high < sort.width:
        helps = ["the higher bit comes first, and bit 0 is the lowest: Extract(3, 0, a)"]
        there = f"bits from {sort.width - 1} down to 0"
        e.report("POT3001", expr, expected=there, found=f"{high} and {low}", helps=helps)
        return None
    return bits.extract(e.pool, high, low, whole)


def _wider(*, signed: bool) -> Callable[[Elaborator, s.Call, list[int], Node], Node | None]:
    def make(e: Elaborator, expr: s.Call, numbers: list[int], whole: Node) -> Node | None:
        sort, (more,) = sort_of(e, whole, BitVecSort, "a bit vector", expr.args[1]), numbers
        if sort is None or not _is_wide(e, expr.args[0], sort.width + more if more >= 0 else more):
            return None
        if not more:
            return whole
        if signed:
            return bits.sign_extended(e.pool, whole, more)
        return e.pool.app(op.BV_CONCAT, (e.pool.lit(0, BitVecSort(more)), whole))

    return make


def _bits_of_integer(e: Elaborator, expr: s.Call, numbers: list[int], number: Node) -> Node | None:
    fitted = e.fit(number, INT, expr.args[0])
    if fitted is None or not _is_wide(e, expr.args[1], numbers[0]):
        return None
    return bits.of_integer(e.pool, fitted, numbers[0])


def _to_integer(make: Callable[[Pool, Node], Node]) -> Build:
    def apply(e: Elaborator, expr: s.Call, node: Node) -> Node | None:
        fits = sort_of(e, node, BitVecSort, "a bit vector", expr.args[0]) is not None
        return make(e.pool, node) if fits else None

    return lambda e, expr, expected: e.gather_all(expr.args, [None], lambda nodes: apply(e, expr, *nodes))


def _rotation(*, left: bool) -> Build:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_all(expr.args, [None, None], lambda nodes: apply(e, expr, *nodes))

    def apply(e: Elaborator, expr: s.Call, whole: Node, by: Node) -> Node | None:
        sort = sort_of(e, whole, BitVecSort, "a bit vector", expr.args[0])
        if sort is None:
            return None
        if isinstance(by, Lit) and by.sort is INT and isinstance(by.value, int):
            by = e.pool.lit(by.value % sort.width, sort)
        return bits.rotated(e.pool, whole, by, left=left) if same_width(e, whole, by, expr.args[1]) else None

    return build


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
        "Not": _row("Not(p)", op.NOT, BOOL),
        "Implies": _row("Implies(p, q)", op.IMPLIES, BOOL, BOOL),
        "Iff": _row("Iff(p, q)", op.IFF, BOOL, BOOL),
        "Xor": _row("Xor(p, q)", op.XOR, BOOL, BOOL),
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
        "StrToInt": _row("StrToInt(s)", op.STR_TO_INT, STRING),
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
        "Member": Builtin(_member, "Member(x, S)", op.MEMBER),
        "Card": Builtin(card, "Card(S)"),
        "Size": Builtin(size, "Size(S)"),
        "Set": Builtin(_set_literal),
        "SetOf": Builtin(_set_builder),
        "IsEmpty": Builtin(_is_empty, "IsEmpty(S)"),
        **{name: _set_operation(name, row) for name, row in _SETS.items()},
        **{name: Builtin(build, usage) for name, (build, usage) in CALENDAR.items()},
        "Length": _row("Length(s)", op.STR_LENGTH, STRING),
        "Concat": Builtin(_concat, row=op.STR_CONCAT),
        "Contains": _row("Contains(whole, part)", op.STR_CONTAINS, STRING, STRING),
        "PrefixOf": _row("PrefixOf(part, whole)", op.STR_PREFIX, STRING, STRING),
        "SuffixOf": _row("SuffixOf(part, whole)", op.STR_SUFFIX, STRING, STRING),
        "Matches": Builtin(matches, "Matches(s, pattern)"),
        "StartsWith": Builtin(_swapped_strings(op.STR_PREFIX), "StartsWith(whole, part)"),
        "EndsWith": Builtin(_swapped_strings(op.STR_SUFFIX), "EndsWith(whole, part)"),
        **dict.fromkeys(
            ("Substring", "SubString"), Builtin(_substring, "Substring(s, start, length)", op.STR_SUBSTRING)
        ),
        "BitVecVal": Builtin(_bit_value, "BitVecVal(value, width)"),
        "Extract": Builtin(_numerals("nnx", _extracted), "Extract(high, low, a)"),
        "ZeroExt": Builtin(_numerals("nx", _wider(signed=False)), "ZeroExt(more, a)"),
        "SignExt": Builtin(_numerals("nx", _wider(signed=True)), "SignExt(more, a)"),
        "RotateLeft": Builtin(_rotation(left=True), "RotateLeft(a, by)"),
        "RotateRight": Builtin(_rotation(left=False), "RotateRight(a, by)"),
        "Int2BV": Builtin(_numerals("xn", _bits_of_integer), "Int2BV(i, width)"),
        "BV2Int": Builtin(
            _to_integer(lambda pool, a: pool.app(op.BV_TO_INT, (a,))), "BV2Int(a)", op.BV_TO_INT
        ),
        "SBV2Int": Builtin(_to_integer(bits.signed), "SBV2Int(a)"),
        "BVNot": Builtin(_on_bits(op.BV_NOT), "BVNot(a)", op.BV_NOT),
        **{name: Builtin(_on_bits(row), f"{name}(a, b)", row) for name, row in _BITS.items()},
        **{name: Builtin(_on_bits(row, swap=True), f"{name}(a, b)") for name, row in _SWAPPED_BITS.items()},
    }
)
"""Built-in functions by name."""
