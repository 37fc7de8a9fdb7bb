"""Terms of dates, durations, money and quantities: literals, arithmetic, and what does not go together.

A typed term of such a sort is a literal, a symbol, or the number under it between two conversions; so the
operators of the IR are applied to numbers alone, and lowering takes the conversions away.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from potlang.diag import Applicability, Fix, Label, Patch
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.measures import CURRENCIES as CODES
from potlang.ir.measures import (
    DATE,
    DATETIME,
    DAY_UNITS,
    DAYS,
    FIRST_YEAR,
    LAST_YEAR,
    SECOND_UNITS,
    SECONDS,
    SECONDS_OF_A_DAY,
    SIGNS,
    day_number,
    days_in_month,
    is_point,
    money,
    quantity,
    unit_of,
)
from potlang.ir.nodes import App, Lit, Node, Symbol, SymbolKind
from potlang.ir.numerals import fraction
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, REAL, MeasureSort, Sort, is_numeric
from potlang.sema.measure_text import literal_text
from potlang.sema.scope import FunctionEntry, TermEntry

if TYPE_CHECKING:
    from potlang.sema.elaborate import Elaborator

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?")
_AMOUNT = re.compile(r"([^\d.\s]?)\s*([\d,.]+)\s*(.*)")
_MONTHS = {"month": 1, "year": 12}
_RATE = "say what one is in the other with a constant `rate` of sort Real: `price / 1 USD * rate * 1 EUR`"
_MOST_DIGITS = 1_000
_FOLDED: dict[Operator, Callable[[Any, Any], Any]] = {
    op.ADD: operator.add,
    op.SUB: operator.sub,
    op.MUL: operator.mul,
}


# --- numbers under measures ----------------------------------------------------------------------


@cache
def number_under(sort: MeasureSort) -> Symbol:
    """The conversion of a term of `sort` to the number that stands for it."""
    return Symbol(f"number of {sort}", (sort,), sort.base, SymbolKind.FRESH)


@cache
def measure_of(sort: MeasureSort) -> Symbol:
    """The conversion of a number to the term of `sort` that it stands for."""
    return Symbol(f"{sort} of", (sort.base,), sort, SymbolKind.FRESH)


def as_number(pool: Pool, node: Node) -> Node:
    """The number that stands for a term of a measure; numbers are themselves."""
    sort = node.sort
    if not isinstance(sort, MeasureSort):
        return node
    if isinstance(node, App) and node.op is measure_of(sort):
        return node.args[0]
    return pool.app(number_under(sort), (node,))


def as_measure(pool: Pool, node: Node, sort: MeasureSort) -> Node:
    """The term of `sort` that a number of its base stands for."""
    if isinstance(node, Lit):
        return pool.lit(node.value, sort)
    if isinstance(node, App) and node.op is number_under(sort):
        return node.args[0]
    return pool.app(measure_of(sort), (node,))


def numeral(node: Node) -> int | Fraction | None:
    """The value of a numeral, or of a literal of a measure; None for all else."""
    if isinstance(node, App) and isinstance(node.op, Symbol) and node.op.name.startswith("number of "):
        node = node.args[0]
    value = node.value if isinstance(node, Lit) else None
    return value if isinstance(value, int | Fraction) else None


def combined(pool: Pool, row: Operator, a: Node, b: Node) -> Node:
    """An operator on two numbers; of two numerals, the numeral."""
    fold, left, right = _FOLDED.get(row), numeral(a), numeral(b)
    if fold is None or left is None or right is None:
        return pool.app(row, (a, b))
    return pool.lit(fold(Fraction(left), Fraction(right)) if a.sort is REAL else fold(left, right), a.sort)


def has_measure(nodes: Sequence[Node]) -> bool:
    """Whether one of the terms is a date, a duration, an amount of money or a quantity."""
    return any(type(node.sort) is MeasureSort for node in nodes)


def are_amounts(a: Node, b: Node) -> bool:
    """Whether one of two terms is of a measure, and the other of one, too, or a number."""
    sorts = type(a.sort) is MeasureSort, type(b.sort) is MeasureSort
    return any(sorts) and all(is_numeric(n.sort) or known for n, known in zip((a, b), sorts, strict=True))


def aligned(pool: Pool, a: Node, b: Node) -> tuple[Node, Node] | None:
    """Both as terms of one measure: whole days beside seconds are seconds. None where they differ."""
    if a.sort == b.sort:
        return a, b
    if {a.sort, b.sort} == {DAYS, SECONDS}:
        return in_seconds(pool, a), in_seconds(pool, b)
    return None


def in_seconds(pool: Pool, node: Node) -> Node:
    """A duration in seconds."""
    if node.sort != DAYS:
        return node
    days = combined(pool, op.MUL, as_number(pool, node), pool.integer(SECONDS_OF_A_DAY))
    return as_measure(pool, days, SECONDS)


# --- literals ------------------------------------------------------------------------------------


def date_literal(e: Elaborator, text: str, expr: s.Expr) -> Node | None:
    """The day, or the second, that a text such as `2025-01-20` means; None where there is none (reported)."""
    match = _DATE.fullmatch(text)
    assert match is not None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    node = date_of(e, year, month, day, expr, text)
    if node is None or match[4] is None:
        return node
    if hour > 23 or minute > 59 or second > 59:
        helps = ["hours go from 00 to 23, minutes and seconds from 00 to 59"]
        e.report("POT3020", expr, text=text, reason=f"there is no {match[4]}:{match[5]}", helps=helps)
        return None
    assert isinstance(node, Lit) and isinstance(node.value, int)
    return e.pool.lit(node.value * SECONDS_OF_A_DAY + hour * 3600 + minute * 60 + second, DATETIME)


def is_date(text: str) -> bool:
    """Whether a text has the form of a date."""
    return _DATE.fullmatch(text) is not None


def date_of(e: Elaborator, year: int, month: int, day: int, expr: s.Expr, text: str = "") -> Node | None:
    """A day of the calendar; None where there is none, which is reported."""
    text = text or e.text_of(expr)
    reason = ""
    if not 1 <= month <= 12:
        reason = f"there is no month {month}"
        helps = ["write year, month and day in this order: `2025-01-20`"]
    elif not 1 <= day <= (size := days_in_month(year, month)):
        reason = f"{year:04}-{month:02} has {size} days"
        helps = [f"its last day is `{year:04}-{month:02}-{size:02}`"]
    if reason:
        e.report("POT3020", expr, text=text, reason=reason, helps=helps)
        return None
    if not in_calendar(year):
        beyond_calendar(e, expr, text)
        return None
    return e.pool.lit(day_number(year, month, day), DATE)


def in_calendar(year: int) -> bool:
    """Whether a year is one of those that dates have."""
    return FIRST_YEAR <= year <= LAST_YEAR


def beyond_calendar(e: Elaborator, expr: s.Expr, text: str) -> None:
    """POT3021: a date of another year."""
    helps = ["for other years, count them: a year is an `Int`"]
    e.report("POT3021", expr, text=text, first=FIRST_YEAR, last=LAST_YEAR, helps=helps)


def amount(e: Elaborator, expr: s.Amount, expected: Sort | None) -> Node | None:
    """`30 days`, `$900`, `5 kg`, `10 %`."""
    match = _AMOUNT.fullmatch(expr.text)
    assert match is not None
    sign, digits, unit = match.groups()
    value = fraction(digits.replace(",", ""), _MOST_DIGITS)
    if value is None:
        e.report("POT0004", expr, digits=len(digits), limit=_MOST_DIGITS)
        return None
    if unit == "%":
        return e.pool.real(value / 100)
    if sign or unit in CODES:
        return e.pool.lit(value, money(SIGNS.get(sign, unit)))
    word = unit.removesuffix("s")
    if word in _MONTHS:
        months = value * _MONTHS[word]
        if months.denominator > 1:
            helps = ["a month has 28 to 31 days: write days, `45 days`, or whole months, `AddMonths(d, 1)`"]
        else:
            helps = [f"write `AddMonths(d, {months})` for the day so much later than `d`"]
            helps.append(f"for a plain number of {word}s write `{digits}`")
        e.report("POT3025", expr, text=expr.text, helps=helps)
        return None
    if word in DAY_UNITS and (value * DAY_UNITS[word]).denominator == 1:
        return e.pool.lit(int(value * DAY_UNITS[word]), DAYS)
    if word in DAY_UNITS or word in SECOND_UNITS:
        seconds = value * (DAY_UNITS.get(word, 0) * SECONDS_OF_A_DAY or SECOND_UNITS[word])
        if seconds.denominator > 1:
            e.report("POT3025", expr, text=expr.text, helps=["durations are whole seconds"])
            return None
        return e.pool.lit(int(seconds), SECONDS)
    # `2 m` may as well lack the sign of a product.
    entry = e.scope.meaning(unit)
    if entry is not None:
        helps = [f"for a product write `{digits} * {unit}`"]
        fixes = [e.replace(expr, f"{digits} * {unit}", f"write `{digits} * {unit}`")]
        e.report("POT1020", expr, problem="two terms stand side by side", helps=helps, fixes=fixes)
        return None
    return e.pool.lit(value, quantity(unit))


def months_in(expr: s.Expr) -> str | None:
    """The number of months in `3 months` or `1 year`; None for all else."""
    if not isinstance(expr, s.Amount):
        return None
    match = _AMOUNT.fullmatch(expr.text)
    word = match[3].removesuffix("s") if match else ""
    if match is None or word not in _MONTHS:
        return None
    value = fraction(match[2], _MOST_DIGITS)
    months = None if value is None else value * _MONTHS[word]
    return None if months is None or months.denominator > 1 else str(months)


# --- arithmetic ----------------------------------------------------------------------------------


def arithmetic(e: Elaborator, name: str, nodes: Sequence[Node], exprs: Sequence[s.Expr]) -> Node | None:
    """`+ - * / // %` where a measure is among the operands; None, and a report, where they do not fit."""
    result = nodes[0]
    for node, expr in zip(nodes[1:], exprs[1:], strict=True):
        found = _pair(e, name, result, node, exprs[0], expr)
        if found is None:
            return None
        result = found
    return result


def _pair(e: Elaborator, name: str, a: Node, b: Node, left: s.Expr, right: s.Expr) -> Node | None:
    found: Node | None = None
    if name in ("+", "-"):
        found = _sum(e.pool, name, a, b)
    elif name == "*":
        found = _product(e, a, b) if isinstance(a.sort, MeasureSort) else _product(e, b, a)
    elif name == "/":
        found = _quotient(e, a, b)
    elif a.sort == b.sort and a.sort in (DAYS, SECONDS):
        row = op.INT_DIV if name == "//" else op.MOD
        number = e.pool.app(row, (as_number(e.pool, a), as_number(e.pool, b)))
        assert isinstance(a.sort, MeasureSort)
        found = number if name == "//" else as_measure(e.pool, number, a.sort)
    if found is None and not isinstance(a.sort, MeasureSort) and not isinstance(b.sort, MeasureSort):
        return e.pool.app(op.ADD if name == "+" else op.SUB, (a, b))
    if found is None:
        report_mixed(e, name, (a, b), (left, right))
    return found


def _sum(pool: Pool, name: str, a: Node, b: Node) -> Node | None:
    row = op.ADD if name == "+" else op.SUB
    sort: Sort | None = None
    if name == "+" and is_point(b.sort) and not is_point(a.sort):
        a, b = b, a
    if is_point(a.sort):
        if name == "-" and a.sort == b.sort:
            sort = DAYS if a.sort == DATE else SECONDS
        elif b.sort == DAYS or (a.sort == DATETIME and b.sort == SECONDS):
            sort = a.sort
            b = in_seconds(pool, b) if a.sort == DATETIME else b
    elif isinstance(a.sort, MeasureSort) and not is_point(b.sort):
        pair = aligned(pool, a, b)
        if pair is not None:
            (a, b), sort = pair, pair[0].sort
    if not isinstance(sort, MeasureSort):
        return None
    return as_measure(pool, combined(pool, row, as_number(pool, a), as_number(pool, b)), sort)


def _product(e: Elaborator, measure: Node, factor: Node) -> Node | None:
    sort = measure.sort
    assert isinstance(sort, MeasureSort)
    if is_point(sort) or not is_numeric(factor.sort) or (sort.base is INT and factor.sort is REAL):
        return None
    factor = e.to_real(factor) if sort.base is REAL and factor.sort is INT else factor
    return as_measure(e.pool, combined(e.pool, op.MUL, as_number(e.pool, measure), factor), sort)


def _quotient(e: Elaborator, a: Node, b: Node) -> Node | None:
    sort = a.sort
    if not isinstance(sort, MeasureSort) or is_point(sort):
        return None
    if is_numeric(b.sort) and sort.base is REAL:
        below = e.to_real(b) if b.sort is INT else b
        return as_measure(e.pool, _divided(e.pool, as_number(e.pool, a), below), sort)
    pair = aligned(e.pool, a, b)
    if pair is None:
        return None
    numbers = [as_number(e.pool, node) for node in pair]
    return _divided(e.pool, *(e.to_real(node) if node.sort is INT else node for node in numbers))


def _divided(pool: Pool, a: Node, b: Node) -> Node:
    above, below = numeral(a), numeral(b)
    if above is not None and below:
        return pool.real(Fraction(above) / Fraction(below))
    return pool.app(op.DIV, (a, b))


def opposite(e: Elaborator, node: Node, expr: s.Expr) -> Node | None:
    """`-a` of a measure."""
    sort = node.sort
    assert isinstance(sort, MeasureSort)
    if is_point(sort):
        e.report("POT3005", expr, op="-", found=f"a term of sort {sort}")
        return None
    value = numeral(node)
    if value is not None:
        return e.pool.lit(-value, sort)
    return as_measure(e.pool, e.pool.app(op.NEG, (as_number(e.pool, node),)), sort)


def ordered(
    e: Elaborator, name: str, pair: tuple[Node, Node], sides: tuple[s.Expr, s.Expr]
) -> tuple[Node, Node] | None:
    """The numbers under two measures that are compared; None, and a report, where they do not fit."""
    fitting = aligned(e.pool, *pair)
    if fitting is None:
        report_mixed(e, name, pair, sides)
        return None
    return as_number(e.pool, fitting[0]), as_number(e.pool, fitting[1])


# --- what does not go together -------------------------------------------------------------------


def report_mixed(e: Elaborator, name: str, nodes: tuple[Node, Node], sides: tuple[s.Expr, s.Expr]) -> None:
    """Two terms between which `name` does not go, one of which at least is a measure."""
    labels = [Label(e.place(side), f"of sort {node.sort}") for node, side in zip(nodes, sides, strict=True)]
    for (node, other), (side, _) in ((nodes, sides), (nodes[::-1], sides[::-1])):
        if is_numeric(node.sort) and isinstance(other.sort, MeasureSort):
            wanted = _beside(name, other.sort)
            helps, fixes = with_unit(e, node, side, wanted)
            if name in ("*", "/"):
                helps = ["durations are whole: multiply them by an `Int`, or divide one by another"]
                fixes = []
            e.report("POT3024", side, sort=other.sort, labels=labels, helps=helps, fixes=fixes)
            return
    left, right = nodes[0].sort, nodes[1].sort
    if left != right and str(left).startswith("Money(") and str(right).startswith("Money("):
        helps = [_RATE]
        e.report("POT3022", sides[1], left=left, right=right, labels=labels, helps=helps)
        return
    helps = _mixed_helps(left, right)
    e.report("POT3023", sides[1], left=left, right=right, labels=labels, helps=helps)


def _mixed_helps(left: Sort, right: Sort) -> list[str]:
    sorts = {left, right}
    if not all(isinstance(sort, MeasureSort) for sort in sorts):
        return []
    if sorts == {DATE, DATETIME}:
        return ["`DateOf(t)` is the day of a time, `DateTime(d)` the midnight at which a day begins"]
    if sorts == {DATE}:
        return ["dates are subtracted, and durations are added to them: `d + 30 days`"]
    if sorts == {DATE, SECONDS}:
        return ["a date has no hours: declare it as `DateTime`, or the duration as `Duration`, in whole days"]
    if sorts & {DATE, DATETIME}:
        return ["the difference of two dates is a duration: `returned - delivered <= 30 days`"]
    return ["divide by one of the unit to get a plain number: `w / 1 kg`"]


def _beside(name: str, sort: MeasureSort) -> MeasureSort:
    """The sort that a plain number beside a term of `sort` was probably meant in."""
    if not is_point(sort) or name not in ("+", "-"):
        return sort
    return DAYS if sort == DATE else SECONDS


def with_unit(e: Elaborator, node: Node, expr: s.Expr, sort: MeasureSort) -> tuple[list[str], list[Fix]]:
    """Helps and fixes for a number where a term of `sort` is wanted."""
    if isinstance(expr, s.Amount) and expr.text.endswith("%"):
        return [f"say of what: `{expr.text} * total`"], []
    if isinstance(node, Lit) and not is_point(sort):
        assert isinstance(node.value, int | Fraction)
        text = literal_text(Fraction(node.value), DAYS if sort == SECONDS else sort)
        if sort.base is REAL or isinstance(node.value, int):
            return [f"write `{text}`"], [e.replace(expr, text, f"write `{text}`")]
    if isinstance(expr, s.Name) or (isinstance(expr, s.Call) and isinstance(expr.head, s.Name)):
        name = expr.id if isinstance(expr, s.Name) else expr.head.id  # type: ignore[union-attr]
        entry = e.scope.lookup(name)
        helps = [f"declare `{name}` with the sort {sort}"]
        if isinstance(entry, FunctionEntry) and entry.place.pointer.endswith("/name"):
            pointer = entry.place.pointer.removesuffix("/name") + "/range"
            fix = Patch("replace", pointer, str(sort))
            return helps, [Fix(f"let the range of `{name}` be {sort}", Applicability.UNSAFE, (fix,))]
        if isinstance(entry, FunctionEntry | TermEntry):
            return helps, []
    shown = {DATE: "`2025-01-20`", DATETIME: "`2025-01-20T14:30`", DAYS: "`30 days`", SECONDS: "`3 hours`"}
    example = shown.get(sort, f"`900 {unit_of(sort)}`")
    return [f"terms of sort {sort} are written {example}"], []


def fitted(e: Elaborator, node: Node, expected: Sort, expr: s.Expr) -> Node | None:
    """`node` as a term of `expected`, where one sort is a measure; None, and a report, if it is none."""
    if node.sort == DAYS and expected == SECONDS:
        return in_seconds(e.pool, node)
    helps: list[str] = []
    fixes: list[Fix] = []
    if isinstance(expected, MeasureSort):
        if is_numeric(node.sort):
            helps, fixes = with_unit(e, node, expr, expected)
        elif isinstance(node.sort, MeasureSort):
            both = str(expected).startswith("Money(") and str(node.sort).startswith("Money(")
            code = "POT3022" if both else "POT3023"
            primary = f"this is of sort {node.sort}, and {expected} is wanted"
            helps = [_RATE] if both else _mixed_helps(expected, node.sort)
            e.report(code, expr, left=expected, right=node.sort, primary=primary, helps=helps)
            return None
    elif isinstance(node.sort, MeasureSort) and is_numeric(expected):
        one = {DAYS: "1 day", SECONDS: "1 second"}.get(node.sort, f"1 {unit_of(node.sort)}")
        helps = ["`DaysBetween(a, b)` is the number of days from one date to another"]
        if not is_point(node.sort):
            helps = [f"divide by one of the unit to get a number: `{e.text_of(expr)} / {one}`"]
    e.report(
        "POT3001",
        expr,
        expected=expected,
        found=node.sort,
        primary=f"this is of sort {node.sort}",
        helps=helps,
        fixes=fixes,
    )
    return None
