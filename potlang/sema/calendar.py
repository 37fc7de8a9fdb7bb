"""The functions of the calendar as programs call them. For a known day the value is a numeral at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.measures import (
    DATE,
    DATETIME,
    DAYS,
    SECONDS,
    SECONDS_OF_A_DAY,
    civil,
    money,
    months_later,
    quantity,
)
from potlang.ir.nodes import Lit, Node, Symbol
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, REAL, MeasureSort, Sort
from potlang.sema import measures
from potlang.sema.advice import are
from potlang.sema.almanac import ADD_MONTHS, ADD_MONTHS_UP, DAY, MONTH, WEEKDAY, YEAR

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Visit

_MOST_MONTHS = 3_600


def _name(expr: s.Call) -> str:
    assert isinstance(expr.head, s.Name)
    return expr.head.id


def _wrong_arguments(e: Elaborator, expr: s.Call, expected: str, helps: list[str]) -> None:
    e.report("POT3002", expr, name=_name(expr), expected=expected, found=are(len(expr.args)), helps=helps)


def _part(function: Symbol, of: Callable[[int], int]) -> Build:
    """A function of a date: of a known day, its value."""

    def apply(e: Elaborator, expr: s.Call, nodes: list[Node]) -> Node | None:
        day = nodes[0]
        if isinstance(day, Lit):
            assert isinstance(day.value, int)
            return e.pool.integer(of(day.value))
        return e.pool.app(function, (day,))

    return lambda e, expr, expected: e.gather_fitted(expr.args, (DATE,), lambda nodes: apply(e, expr, nodes))


def _add_months(factor: int) -> Build:
    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        args = expr.args
        rounding = "down"
        match args:
            case [_, _, s.StringLiteral(value="down" | "up" as word)]:
                args, rounding = args[:2], word
        if len(args) != 2:
            name = _name(expr)
            helps = [f'write `{name}(d, 1)`, or `{name}(d, 1, "up")` to go on to the next month']
            _wrong_arguments(e, expr, "2 arguments, and a rounding", helps)
            return None
        return e.gather_fitted(args, (DATE, INT), lambda nodes: _moved(e, expr, nodes, factor, rounding))

    return build


def _moved(e: Elaborator, expr: s.Call, nodes: list[Node], factor: int, rounding: str) -> Node | None:
    day, number = nodes
    months = measures.combined(e.pool, op.MUL, number, e.pool.integer(factor)) if factor > 1 else number
    if isinstance(months, Lit):
        assert isinstance(months.value, int)
        if abs(months.value) > _MOST_MONTHS:
            measures.beyond_calendar(e, expr, e.text_of(expr))
            return None
        if isinstance(day, Lit):
            assert isinstance(day.value, int)
            moved = months_later(day.value, months.value, rounding)
            if not measures.in_calendar(civil(moved)[0]):
                measures.beyond_calendar(e, expr, e.text_of(expr))
                return None
            return e.pool.lit(moved, DATE)
        if not months.value:
            return day
    return e.pool.app(ADD_MONTHS if rounding == "down" else ADD_MONTHS_UP, (day, months))


def _difference(pool: Pool, nodes: list[Node]) -> Node:
    first, second = (measures.as_number(pool, node) for node in nodes)
    return measures.combined(pool, op.SUB, second, first)


def _days_between(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    return e.gather_fitted(expr.args, (DATE, DATE), lambda nodes: _difference(e.pool, nodes))


def _duration(sort: MeasureSort, size: int) -> Build:
    """`Days(n)`; `Days(a, b)` is the number of days between two dates."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        if len(expr.args) == 2 and sort == DAYS and size == 1:
            return _days_between(e, expr, expected)
        if len(expr.args) != 1:
            _wrong_arguments(e, expr, "1 argument", [f"write `{_name(expr)}(30)`"])
            return None

        def apply(nodes: list[Node]) -> Node:
            size_ = e.pool.integer(size)
            number = measures.combined(e.pool, op.MUL, nodes[0], size_) if size > 1 else nodes[0]
            return measures.as_measure(e.pool, number, sort)

        return e.gather_fitted(expr.args, (INT,), apply)

    return build


def _numerals(e: Elaborator, expr: s.Call, most: int) -> list[int] | None:
    """The arguments as natural numbers; None where one is none."""
    texts = [arg.text for arg in expr.args if isinstance(arg, s.Number) and len(arg.text) < 10]
    found = [int(text) for text in texts if text.isdigit()]
    return found if 3 <= len(found) == len(expr.args) <= most else None


def _date(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
    """`Date(2025, 1, 20)`, `Date("2025-01-20")`, and `DateTime` with hours and minutes, or of a day."""
    with_time = _name(expr) == "DateTime"
    numbers = _numerals(e, expr, 6 if with_time else 3)
    e.sorts.measured = True
    if numbers is not None:
        year, month, day, *time = numbers
        text = f"{year:04}-{month:02}-{day:02}"
        if with_time:
            text += "T" + ":".join(f"{part:02}" for part in [*time, 0, 0][: max(2, len(time))])
        if measures.is_date(text):
            return measures.date_literal(e, text, expr)
    if len(expr.args) == 1:
        only = expr.args[0]
        if isinstance(only, s.StringLiteral) and measures.is_date(only.value):
            return measures.date_literal(e, only.value, expr)
        if with_time:
            return e.gather_fitted(expr.args, (DATE,), lambda nodes: _midnight(e.pool, nodes[0]))
        if isinstance(only, s.DateLiteral):
            return e.visit(only, expected)
    name, shown = ("DateTime", "2025-01-20T14:30") if with_time else ("Date", "2025-01-20")
    helps = [f"write the date: `{shown}`, or `{name}(2025, 1, 20)` with numerals"]
    e.report("POT3001", expr, expected="year, month and day as numerals", found="other terms", helps=helps)
    return None


def _midnight(pool: Pool, day: Node) -> Node:
    seconds = measures.combined(pool, op.MUL, measures.as_number(pool, day), pool.integer(SECONDS_OF_A_DAY))
    return measures.as_measure(pool, seconds, DATETIME)


def _of_time(make: Callable[[Pool, Node], Node]) -> Build:
    """A function of a date with a time."""
    return lambda e, expr, expected: e.gather_fitted(
        expr.args, (DATETIME,), lambda nodes: make(e.pool, measures.as_number(e.pool, nodes[0]))
    )


def _whole_days(pool: Pool, seconds: Node) -> Node:
    known = measures.numeral(seconds)
    if known is not None:
        return pool.lit(int(known) // SECONDS_OF_A_DAY, DATE)
    return measures.as_measure(pool, pool.app(op.INT_DIV, (seconds, pool.integer(SECONDS_OF_A_DAY))), DATE)


def _clock(size: int, modulus: int) -> Callable[[Pool, Node], Node]:
    def make(pool: Pool, seconds: Node) -> Node:
        known = measures.numeral(seconds)
        if known is not None:
            return pool.integer(int(known) // size % modulus)
        whole = pool.app(op.INT_DIV, (seconds, pool.integer(size)))
        return pool.app(op.MOD, (whole, pool.integer(modulus)))

    return make


def _amount_of(head: str) -> Build:
    """`Quantity(5, kg)`, `Money(900, USD)`."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        e.sorts.measured = True
        match expr.args:
            case [number, s.Name(id=unit)]:
                sort = money(unit) if head == "Money" else quantity(unit)
                return e.gather_fitted(
                    (number,), (REAL,), lambda nodes: measures.as_measure(e.pool, nodes[0], sort)
                )
        example = "Money(900, USD)" if head == "Money" else "Quantity(5, kg)"
        _wrong_arguments(e, expr, "a number and a unit", [f"write `{example}`"])
        return None

    return build


CALENDAR: dict[str, tuple[Build, str]] = {
    "Year": (_part(YEAR, lambda day: civil(day)[0]), "Year(d)"),
    "Month": (_part(MONTH, lambda day: civil(day)[1]), "Month(d)"),
    "Day": (_part(DAY, lambda day: civil(day)[2]), "Day(d)"),
    "Weekday": (_part(WEEKDAY, lambda day: (day + 3) % 7 + 1), "Weekday(d)"),
    "AddMonths": (_add_months(1), ""),
    "AddYears": (_add_months(12), ""),
    "DaysBetween": (_days_between, "DaysBetween(a, b)"),
    "Days": (_duration(DAYS, 1), ""),
    "Weeks": (_duration(DAYS, 7), ""),
    "Hours": (_duration(SECONDS, 3_600), ""),
    "Minutes": (_duration(SECONDS, 60), ""),
    "Date": (_date, ""),
    "date": (_date, ""),
    "DateTime": (_date, ""),
    "DateOf": (_of_time(_whole_days), "DateOf(t)"),
    "Hour": (_of_time(_clock(3_600, 24)), "Hour(t)"),
    "Minute": (_of_time(_clock(60, 60)), "Minute(t)"),
    "Money": (_amount_of("Money"), ""),
    "Quantity": (_amount_of("Quantity"), ""),
}
"""Functions of dates, durations and amounts by name, with a call of each as helps show it."""
