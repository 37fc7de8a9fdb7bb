"""Helps and fixes for frequent sort errors.

Arguments in the wrong order, a result written as one more argument, a name in quotes, a formula
compared with a number, members of a declared sort used as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from potlang.diag import Applicability, Fix, Label, Patch, Replace
from potlang.expressions import surface as s
from potlang.expressions.amounts import day_number
from potlang.expressions.names import written
from potlang.ir.nodes import Lit, Node, Symbol
from potlang.ir.sorts import BOOL, INT, REAL, STRING, DeclaredSort, EnumSort, SetSort, Sort, is_numeric
from potlang.sema.scope import FunctionEntry, TermEntry, signature

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator

Advice = tuple[list[str], list[Fix]]
_SCAN = 1_000
_MOST_POSITIONS = 50


def quoted(name: str) -> str:
    """A declared name in a message, in backquotes."""
    text = written(name)
    return text if text.startswith("`") else f"`{text}`"


def are(number: int) -> str:
    """`1 is`, `2 are`."""
    return f"{number} {'is' if number == 1 else 'are'}"


def count(number: int, noun: str) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# --- arguments -----------------------------------------------------------------------------------


def report_arguments(
    e: Elaborator,
    expr: s.Call,
    symbol: Symbol,
    nodes: Sequence[Node | None],
    wrong: Sequence[int],
    builtin: str | None,
) -> None:
    """POT3001 for the arguments at the positions `wrong`; one report where swapping two helps.

    `builtin` is the built-in function that the program's own is easily taken for.
    """
    swap = _swapped(symbol.domain, nodes, wrong)
    for position in wrong[:1] if swap else wrong:
        node = nodes[position]
        assert node is not None
        arg, sort = expr.args[position], symbol.domain[position]
        helps, fixes = _swap(e, expr, *wrong) if swap else _argument_advice(e, node, sort, arg, symbol)
        if builtin is not None:
            helps = [f"the built-in function is spelt `{builtin}`", *helps]
        e.report(
            "POT3001",
            arg,
            expected=sort,
            found=node.sort,
            primary=f"argument {position + 1} is to be of sort {sort}, this is of sort {node.sort}",
            labels=declared_here(e, symbol),
            helps=helps,
            fixes=fixes,
        )


def declared_here(e: Elaborator, symbol: Symbol) -> list[Label]:
    """A label at the declaration of a function, with its signature."""
    entry = e.scope.lookup(symbol.name)
    return [Label(entry.place, f"{signature(symbol)} is declared here")] if entry is not None else []


def _swapped(domain: Sequence[Sort], nodes: Sequence[Node | None], wrong: Sequence[int]) -> bool:
    if len(wrong) != 2:
        return False
    first, second = (nodes[position] for position in wrong)
    assert first is not None and second is not None
    return first.sort == domain[wrong[1]] and second.sort == domain[wrong[0]]


def _swap(e: Elaborator, expr: s.Call, first: int, second: int) -> Advice:
    one, other = expr.args[first], expr.args[second]
    edits = (
        Replace(e.pointer, one.start, one.end, e.text_of(other)),
        Replace(e.pointer, other.start, other.end, e.text_of(one)),
    )
    positions = f"arguments {first + 1} and {second + 1}"
    return (
        [f"{positions} seem to be in the wrong order"],
        [Fix(f"swap {positions}", Applicability.UNSAFE, edits)],
    )


def _argument_advice(e: Elaborator, node: Node, sort: Sort, arg: s.Expr, symbol: Symbol) -> Advice:
    fixes = _named(e, arg, sort)
    helps = members_help(e, sort)
    if not fixes:
        helps = helps or [f"give a term of sort {sort}, or declare `{symbol.name}` for {node.sort}"]
    return helps, fixes


def members_help(e: Elaborator, sort: Sort) -> list[str]:
    """The first few constants and enum values of a sort."""
    names = [
        quoted(name)
        for name, entry in list(e.scope.entries.items())[:_SCAN]
        if isinstance(entry, TermEntry) and entry.node is not None and entry.node.sort == sort
    ]
    if not names:
        return []
    more = ", …" if len(names) > 4 else ""
    return [f"terms of sort {sort} are {', '.join(names[:4])}{more}"]


def set_help(found: Sort, expected: Sort) -> list[str]:
    """Of a set that stands where a formula or a text is expected."""
    if not isinstance(found, SetSort):
        return []
    if expected is BOOL:
        return ["sets are joined by `Union(S, T)`, `Intersect(S, T)` and `Difference(S, T)`"]
    return ["write `Member(x, S)` for `x is a member of S`"] if expected is STRING else []


def _named(e: Elaborator, expr: s.Expr, sort: Sort) -> list[Fix]:
    """`"alice"` for `alice`, `3` for a member called 3."""
    match expr:
        case s.StringLiteral(value=name) | s.Number(text=name):
            entry = e.scope.lookup(name)
        case _:
            return []
    if isinstance(entry, TermEntry) and entry.node is not None and entry.node.sort == sort:
        text = written(name)
        how = f"`{name}`" if text == name else f"{text}, with the backquotes"
        return [e.replace(expr, text, f"write {how}: the {entry.kind} of sort {sort}")]
    return []


def report_arity(
    e: Elaborator,
    expr: s.Call,
    entry: FunctionEntry,
    symbol: Symbol,
    nodes: Sequence[Node | None],
    expected: Sort | None,
) -> None:
    """POT3002 for a declared function; `f(a, b)` may have meant `f(a) == b`."""
    found, wanted = len(expr.args), len(symbol.domain)
    helps, fixes = _arity_advice(e, expr, entry, symbol, nodes, expected)
    e.report(
        "POT3002",
        expr,
        name=entry.name,
        expected=count(wanted, "argument"),
        found=are(found),
        labels=[Label(entry.place, f"{signature(symbol)} is declared here")],
        helps=helps,
        fixes=fixes,
    )


def _arity_advice(
    e: Elaborator,
    expr: s.Call,
    entry: FunctionEntry,
    symbol: Symbol,
    nodes: Sequence[Node | None],
    expected: Sort | None,
) -> Advice:
    if e.sink.is_full:
        return [], []
    found, wanted = len(expr.args), len(symbol.domain)
    call = f"{written(entry.name)}({', '.join(map(str, symbol.domain))})"
    helps = [f"write `{call}` with terms of these sorts" if wanted else f"write {quoted(entry.name)} alone"]
    fixes: list[Fix] = []
    last = nodes[-1] if nodes else None
    equates = expected in (None, BOOL) and found == wanted + 1 and wanted > 0
    if equates and last is not None and _fits(last.sort, symbol.range):
        helps.append(f"`{call}` is a term of sort {symbol.range}: say what it is equal to")
        fixes.append(_as_equation(e, expr, wanted))
    if found > wanted and expected in (None, symbol.range):
        drop = _drop_one(e, expr, symbol, nodes) if found == wanted + 1 else _drop(e, expr, wanted)
        # What stands there twice is a slip, and no value of the function.
        is_repeated = len({e.text_of(arg) for arg in expr.args}) < found
        fixes.insert(0 if is_repeated else len(fixes), drop)
    return helps, fixes


def _fits(sort: Sort, wanted: Sort) -> bool:
    return wanted is not BOOL and (sort == wanted or (sort is INT and wanted is REAL))


def _as_equation(e: Elaborator, expr: s.Call, wanted: int) -> Fix:
    end, value = expr.args[wanted - 1].end, expr.args[wanted]
    text = f"{e.text[expr.start : end]}) == {e.text_of(value)}"
    return e.replace(expr, text, f"write `{text}`")


def _drop_one(e: Elaborator, expr: s.Call, symbol: Symbol, nodes: Sequence[Node | None]) -> Fix:
    """Drops the argument that stands there twice, else the last one without which the sorts fit."""
    texts = [e.text_of(arg) for arg in expr.args]
    places = range(len(texts))
    fitting = [at for at in places if _fit(symbol, [*nodes[:at], *nodes[at + 1 :]])] or list(places)
    twice = [at for at in fitting if texts[at] in texts[:at]]
    at = (twice or fitting)[-1]
    if at == len(texts) - 1:
        return _drop(e, expr, at)
    edit = Replace(e.pointer, expr.args[at].start, expr.args[at + 1].start, "")
    return Fix(f"drop the argument `{texts[at]}`", Applicability.UNSAFE, (edit,))


def _fit(symbol: Symbol, nodes: Sequence[Node | None]) -> bool:
    return all(
        node is None or node.sort == sort or _fits(node.sort, sort)
        for node, sort in zip(nodes, symbol.domain, strict=True)
    )


def _drop(e: Elaborator, expr: s.Call, wanted: int) -> Fix:
    start = expr.args[wanted - 1].end if wanted else expr.head.end
    end = expr.end - 1 if wanted else expr.end
    edit = Replace(e.pointer, start, end, "")
    extra = len(expr.args) - wanted
    which = f"the last {count(extra, 'argument')}" if extra > 1 else "the last argument"
    return Fix(f"drop {which if wanted else 'the arguments'}", Applicability.UNSAFE, (edit,))


def hint_undeclared(e: Elaborator, nodes: Sequence[Node | None], exprs: Sequence[s.Expr]) -> None:
    """Undeclared names among operands have probably the sort of the operands that are known."""
    known = next((node.sort for node in nodes if node is not None), None)
    for node, expr in zip(nodes, exprs, strict=True):
        match expr:
            case s.Name(id=name) | s.Call(head=s.Name(id=name)) if node is None:
                e.undeclared.hint(name, known)
            case _:
                pass


# --- comparisons ---------------------------------------------------------------------------------


def comparison_advice(
    e: Elaborator, nodes: tuple[Node, Node], sides: tuple[s.Expr, s.Expr], whole: s.Expr
) -> Advice:
    """For two terms of different sorts that are compared by `==` or `!=`."""
    helps = ["both sides of a comparison are of one sort"]
    for (node, other), (side, against) in ((nodes, sides), (nodes[::-1], sides[::-1])):
        if node.sort is BOOL and is_numeric(other.sort):
            return _truth_advice(e, side, other, whole)
        fixes = _named(e, against, node.sort)
        if fixes:
            return helps, fixes
        if isinstance(against, s.StringLiteral) and is_numeric(node.sort):
            return _unquoted(e, against)
        if is_numeric(other.sort):
            more, fixes = number_advice(e, node.sort, [side])
            simple = isinstance(whole, s.Compare) and len(whole.ops) == 1
            return [*members_help(e, node.sort), *more], fixes if simple else []
    return [*helps, *members_help(e, nodes[0].sort)], []


def _unquoted(e: Elaborator, text: s.StringLiteral) -> Advice:
    """For a number in quotes, or a text that is compared with a number."""
    plain = text.value.strip().replace(",", "")
    day = day_number(plain)
    if day is not None:
        helps = [f"write {day} for that day: dates are numbers of days here"]
        return helps, [e.replace(text, str(day), f"write {day}, the number of that day from 0001-01-01 on")]
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", plain) is None:
        return ["a text is not a number; numbers stand without quotes"], []
    return [f"write `{plain}`: numbers stand without quotes"], [e.replace(text, plain, f"write `{plain}`")]


def _truth_advice(e: Elaborator, formula: s.Expr, other: Node, whole: s.Expr) -> Advice:
    helps = ["a formula is not a number; it stands alone, or in Not(…) where it is false"]
    single = whole.ops[0] if isinstance(whole, s.Compare) and len(whole.ops) == 1 else None
    if single is None or not isinstance(other, Lit) or other.value not in (0, 1):
        return helps, []
    text = e.text_of(formula)
    if (other.value == 1) != (single == "=="):
        text = f"Not({text})"
    return helps, [e.replace(whole, text, f"write `{text}`")]


# --- numbers -------------------------------------------------------------------------------------


def number_advice(e: Elaborator, sort: Sort, exprs: Sequence[s.Expr]) -> Advice:
    """For terms of `sort` that are used as numbers."""
    if sort is BOOL:
        helps = ["a formula counts as a number only through If(…, 1, 0)"]
        # One name among numbers was rather declared with the wrong sort.
        is_name = len(exprs) == 1 and isinstance(exprs[0], s.Name)
        return helps, [] if is_name else [_each(e, exprs, "If(", ", 1, 0)")]
    measures = [f"{written(name)}(" for name in _measures(e, sort)]
    if measures:
        shown = " or ".join(f"`{head}{e.text_of(exprs[0])})`" for head in measures[:3])
        fixes = [_each(e, exprs, head, ")") for head in measures[:1] if len(measures) == 1]
        return [f"the members of {sort} are not numbers; write {shown}"], fixes
    helps = [f"the members of {sort} are not numbers; declare a function from {sort} to Int and apply it"]
    return helps, _numeric_sort(e, sort)


def order_advice(e: Elaborator, sort: Sort, exprs: Sequence[s.Expr]) -> Advice:
    """For terms of `sort` that are put in order; enum values have the order of their declaration."""
    name = f"position_of_{sort}"
    free = name.isidentifier() and e.scope.lookup(name) is None
    if not isinstance(sort, EnumSort) or len(sort.values) > _MOST_POSITIONS or not free or _measures(e, sort):
        return number_advice(e, sort, exprs)
    param = next((name for name in ("v", "value", "member") if name not in sort.values), "v_")
    cases = [f"If({param} == {written(value)}, {index}, " for index, value in enumerate(sort.values, 1)]
    body = "".join(cases) + "0" + ")" * len(cases)
    item = {"name": name, "domain": [sort.name], "range": "Int", "params": [param], "body": body}
    has_section = any(entry.place.pointer.startswith("/functions/") for entry in _functions(e))
    declaration = Patch.append(item, "/functions", has_section)
    wrapped = _each(e, exprs, f"{name}(", ")")
    title = f"define `{name}` by the order of the values, and {wrapped.title}"
    helps = [
        f"the values of {sort} have no order; declare a function from {sort} to Int that gives positions"
    ]
    return helps, [Fix(title, Applicability.UNSAFE, (*wrapped.edits, declaration))]


def _functions(e: Elaborator) -> list[FunctionEntry]:
    return [entry for entry in list(e.scope.entries.values())[:_SCAN] if isinstance(entry, FunctionEntry)]


def _each(e: Elaborator, exprs: Sequence[s.Expr], before: str, after: str) -> Fix:
    texts = {expr: f"{before}{e.text_of(expr)}{after}" for expr in exprs}
    edits = tuple(Replace(e.pointer, expr.start, expr.end, text) for expr, text in texts.items())
    title = " and ".join(f"`{text}`" for text in texts.values())
    return Fix(f"write {title}", Applicability.UNSAFE, edits)


def not_numeric(
    e: Elaborator, expr: s.Expr, name: str, node: Node, alike: Sequence[s.Expr] | None = None
) -> None:
    """POT3005 for the operand `expr` of the operator or function `name`; `alike` have the same sort."""
    helps, fixes = number_advice(e, node.sort, alike or [expr])
    e.report("POT3005", expr, op=name, found=f"a term of sort {node.sort}", helps=helps, fixes=fixes)


def _measures(e: Elaborator, sort: Sort) -> list[str]:
    """The functions of the program from `sort` to numbers."""
    return [
        entry.name
        for entry in _functions(e)
        if entry.symbol is not None and entry.symbol.domain == (sort,) and entry.symbol.range in (INT, REAL)
    ]


def _numeric_sort(e: Elaborator, sort: Sort) -> list[Fix]:
    if not isinstance(sort, DeclaredSort):
        return []
    place = e.sorts.places.get(sort.name)
    if place is None or not place.pointer.endswith("/name"):
        return []
    edit = Patch("replace", place.pointer.removesuffix("/name") + "/type", "IntSort")
    return [Fix(f"let {sort.name} be the integers: type `IntSort`", Applicability.UNSAFE, (edit,))]
