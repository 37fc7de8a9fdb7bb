"""The functions of the calendar: how programs call them, and their definitions over numbers of days.

Year, month and day of an unknown date are no chains of div and mod, which leave solvers without an answer
(`d <= e` implies `AddMonths(d, 1) <= AddMonths(e, 1)`), but tables: the four years around the day by a
decision tree over the hundred cycles from March 1896 on, and the month by one over the 48 of a cycle.
For a known day the value is a numeral at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.measures import (
    DATE,
    DATETIME,
    DAYS,
    SECONDS,
    SECONDS_OF_A_DAY,
    civil,
    day_number,
    money,
    months_later,
    quantity,
)
from potlang.ir.module import Definition
from potlang.ir.nodes import App, Lit, Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, REAL, MeasureSort, Sort
from potlang.sema import measures
from potlang.sema.advice import are

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Visit

YEAR, MONTH, DAY, WEEKDAY = (
    Symbol(name, (DATE,), INT, SymbolKind.DEFINED) for name in ("Year", "Month", "Day", "Weekday")
)
ADD_MONTHS = Symbol("AddMonths", (DATE, INT), DATE, SymbolKind.DEFINED)
ADD_MONTHS_UP = Symbol("AddMonths up", (DATE, INT), DATE, SymbolKind.DEFINED)
_MOST_MONTHS = 3_600
_ONE_CROSSED = 1_188
"""Months of a step that passes one leap day that is left out, at most: they are a hundred years apart."""

# --- the tables ----------------------------------------------------------------------------------

_PERIOD = 146_097
"""Days of 400 years, after which the calendar repeats."""
_FIRST = 1896
_STARTS = tuple(day_number(year, 3, 1) for year in range(_FIRST, _FIRST + 400, 4))
"""The first day of each cycle of four years. They begin in March, so that a leap day comes last."""
_WINDOW = _STARTS[0]
_MISSING = tuple(day_number(year, 3, 1) for year in (1900, 2100, 2200))
"""The days behind leap days that are left out."""
_FROM_MARCH = (31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31)
_LENGTHS = (*_FROM_MARCH, 28) * 3 + (*_FROM_MARCH, 29)
_CYCLE = sum(_LENGTHS)
_OFFSETS = tuple(sum(_LENGTHS[:at]) for at in range(48))
"""The months of a cycle: how long they are, and where they begin."""


class _Piece(NamedTuple):
    """From `start` on the value is `constant`, less the argument if `falls`."""

    start: int
    constant: int
    falls: bool


def _step(months: int, *, up: bool) -> list[_Piece]:
    """The days by which a date moves, as a function of its place in a cycle without a missing leap day."""
    pieces: list[_Piece] = []
    for at, (start, length) in enumerate(zip(_OFFSETS, _LENGTHS, strict=True)):
        cycles, target = divmod(at + months, 48)
        moved = _CYCLE * cycles + _OFFSETS[target] - start
        pieces.append(_Piece(start, moved, False))
        size = _LENGTHS[target]
        if size < length:
            # Days that the later month does not have: its last day, or the first of the next.
            pieces.append(_Piece(start + size, moved + start + size - (not up), True))
    return [pieces[0], *(b for a, b in pairwise(pieces) if a[1:] != b[1:])]


class Calendar:
    """Makes the definitions of the functions that a program uses, over one pool, each once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._symbols: dict[str, Symbol] = {}
        self.definitions: list[Definition] = []
        """In an order in which each follows those that it uses."""

    def applied(self, function: Symbol, args: Sequence[Node]) -> Node:
        """A function of the calendar on numbers of days."""
        if function in (ADD_MONTHS, ADD_MONTHS_UP):
            day, months = args
            up = function is ADD_MONTHS_UP
            if (
                isinstance(months, Lit)
                and isinstance(months.value, int)
                and abs(months.value) <= _ONE_CROSSED
            ):
                return self._pool.app(self._moved(months.value, up=up), (day,))
            return self._pool.app(self._moved_by(up=up), (day, months))
        of_step = self._of_step(function, args[0])
        if of_step is not None:
            return of_step
        bodies = {YEAR: self._year, MONTH: self._month, DAY: self._day, WEEKDAY: self._weekday}
        return self._call(function.name, bodies[function], args[0])

    # --- definitions ---

    def _call(self, name: str, body: Callable[[Node], Node], *args: Node) -> App:
        if name not in self._symbols:
            day = self._pool.var("d", INT)
            day.shown = DATE
            self._define(name, (day,), body(day))
        return self._pool.app(self._symbols[name], args)

    def _define(self, name: str, params: tuple[Var, ...], body: Node) -> Symbol:
        sorts = tuple(param.sort for param in params)
        symbol = self._symbols[name] = Symbol(name, sorts, body.sort, SymbolKind.DEFINED)
        range_ = DATE if name.startswith("AddMonths") else INT
        shown = tuple(p.shown or p.sort for p in params)
        symbol.declared = Symbol(_words(name, len(params)), shown, range_, SymbolKind.FRESH)
        self.definitions.append(Definition(symbol, params, body))
        return symbol

    def _in_window(self, day: Node) -> Node:
        """The day of the same month and day of the month within the 400 years of the table."""
        pool, first = self._pool, self._int(_WINDOW)
        rest = pool.app(op.MOD, (self._sum(day, -_WINDOW), self._int(_PERIOD)))
        return pool.app(op.ITE, (self._is_inside(day), day, pool.app(op.ADD, (rest, first))))

    def _is_inside(self, day: Node) -> Node:
        pool = self._pool
        bounds = (self._int(_WINDOW), day), (day, self._int(_WINDOW + _PERIOD - 1))
        return pool.conj(pool.app(op.LE, pair) for pair in bounds)

    def _place(self, day: Node) -> Node:
        """The number of days since the cycle of the day began."""

        def body(day: Node) -> Node:
            inside = self._within(day)
            start = self._tree(inside, _STARTS, [self._int(each) for each in _STARTS])
            return self._pool.app(op.SUB, (inside, start))

        return self._call("place in four years", body, day)

    def _within(self, day: Node) -> Node:
        return self._call("day within 400 years", self._in_window, day)

    def _year(self, day: Node) -> Node:
        pool, place = self._pool, self._place(day)
        years = [self._int(year) for year in range(_FIRST, _FIRST + 400, 4)]
        cycle = self._tree(self._within(day), _STARTS, years)
        # The year changes behind the tenth month from March on.
        turns = [0, *(_OFFSETS[at] for at in range(10, 48, 12))]
        of_cycle = self._tree(place, turns, [self._int(each) for each in range(5)])
        periods = pool.app(op.INT_DIV, (self._sum(day, -_WINDOW), self._int(_PERIOD)))
        others = pool.app(op.MUL, (self._int(400), periods))
        beyond = pool.app(op.ITE, (self._is_inside(day), self._int(0), others))
        return pool.app(op.ADD, (cycle, of_cycle, beyond))

    def _month(self, day: Node) -> Node:
        months = [self._int((at + 2) % 12 + 1) for at in range(48)]
        return self._tree(self._place(day), _OFFSETS, months)

    def _day(self, day: Node) -> Node:
        place = self._place(day)
        firsts = self._tree(place, _OFFSETS, [self._int(each - 1) for each in _OFFSETS])
        return self._pool.app(op.SUB, (place, firsts))

    def _weekday(self, day: Node) -> Node:
        # 1970-01-01 was a Thursday, the fourth day.
        rest = self._pool.app(op.MOD, (self._sum(day, 3), self._int(7)))
        return self._sum(rest, 1)

    def _moved(self, months: int, *, up: bool) -> Symbol:
        """The function that gives the day so many months later, a numeral."""
        name = f"AddMonths {months}" + (" up" if up else "")
        known = self._symbols.get(name)
        if known is not None:
            return known
        pool = self._pool
        day = pool.var("d", INT)
        day.shown = DATE
        place, within = self._place(day), self._within(day)
        pieces = _step(months, up=up)
        steps = [
            pool.app(op.SUB, (self._int(each.constant), place)) if each.falls else self._int(each.constant)
            for each in pieces
        ]
        step = self._tree(place, [each.start for each in pieces], steps)
        target = pool.app(op.ADD, (within, step))
        parts: list[Node] = [day, step]
        for at in self._crossed(months):
            parts.append(self._correction(within, target, at, later=months > 0, up=up))
        return self._define(name, (day,), pool.app(op.ADD, tuple(parts)))

    def _of_step(self, function: Symbol, moved: Node) -> Node | None:
        """Month or day of `AddMonths(d, n)` for a numeral n, by the table of d alone; None for all else."""
        match moved:
            case App(op=Symbol(name=name), args=(day,)) if function in (MONTH, DAY):
                head, _, number = name.partition(" ")
                if head != "AddMonths" or moved.op is not self._symbols.get(name) or "up" in number:
                    return None
            case _:
                return None
        pool, months = self._pool, int(number)

        def month(day: Node) -> Node:
            values = [self._int((at + months + 2) % 12 + 1) for at in range(48)]
            return self._tree(self._place(day), _OFFSETS, values)

        def number_of_day(day: Node) -> Node:
            sizes = [self._int(_LENGTHS[(at + months) % 48]) for at in range(48)]
            size, own = self._tree(self._place(day), _OFFSETS, sizes), self._day_of(day)
            least = pool.app(op.ITE, (pool.app(op.LE, (own, size)), own, size))
            # The day before a missing leap day is a 28th, also where the table has 29 days.
            last = self._within(pool.app(self._symbols[name], (day,)))
            cut = pool.disj(pool.eq(last, self._int(each - 1)) for each in _MISSING)
            return pool.app(op.ITE, (cut, self._int(28), least))

        body = month if function is MONTH else number_of_day
        return self._call(f"{function.name} of {name}", body, day)

    def _day_of(self, day: Node) -> Node:
        return self._call(DAY.name, self._day, day)

    def _crossed(self, months: int) -> list[int]:
        """The missing leap days that some day of the window passes."""
        low, high = sorted((0, 31 * months))
        ends = _WINDOW + low, _WINDOW + _PERIOD + high
        every = [day + _PERIOD * period for period in (-1, 0, 1) for day in _MISSING]
        return [day for day in sorted(every) if ends[0] < day <= ends[1]] if months else []

    def _correction(self, before: Node, after: Node, at: int, *, later: bool, up: bool) -> Node:
        """The correction of a step over a leap day that is missing before the day `at`: -1, 0 or 1.

        `after` counts as if it were there: from above, it is itself the number `at - 1`, from below `at`.
        """
        pool = self._pool
        if later:
            crossing = (
                pool.app(op.LT, (before, self._int(at))),
                pool.app(op.LE, (self._int(at + up), after)),
            )
        else:
            crossing = (
                pool.app(op.LE, (self._int(at), before)),
                pool.app(op.LT, (after, self._int(at - (not up)))),
            )
        return pool.app(op.ITE, (pool.conj(crossing), self._int(-1 if later else 1), self._int(0)))

    def _moved_by(self, *, up: bool) -> Symbol:
        """The function that gives the day a number of months later, any term."""
        name = "AddMonths" + (" up" if up else "")
        known = self._symbols.get(name)
        if known is not None:
            return known
        pool = self._pool
        day, months = pool.var("d", INT), pool.var("n", INT)
        day.shown = DATE
        place, within = self._place(day), self._within(day)
        cycles = [self._int(48 * at) for at in range(100)]
        of_cycle = self._tree(place, _OFFSETS, [self._int(at) for at in range(48)])
        total = pool.app(op.ADD, (self._tree(within, _STARTS, cycles), of_cycle, months))
        low, high = self._int(0), self._int(4_799)
        inside = pool.conj((pool.app(op.LE, (low, total)), pool.app(op.LE, (total, high))))
        index = pool.app(op.ITE, (inside, total, pool.app(op.MOD, (total, self._int(4_800)))))
        periods = pool.app(op.INT_DIV, (total, self._int(4_800)))
        shift = pool.app(op.MUL, (self._int(_PERIOD), periods))
        starts = self._tree(index, range(0, 4_800, 48), [self._int(each) for each in _STARTS])
        rest = pool.app(op.SUB, (index, self._tree(index, range(0, 4_800, 48), cycles)))
        offset = self._tree(rest, range(48), [self._int(each) for each in _OFFSETS])
        size: Node = self._tree(rest, range(48), [self._int(each) for each in _LENGTHS])
        for at in _MISSING:
            # February of a century: the last month of its cycle.
            february = self._int(48 * _STARTS.index(at) - 1)
            size = pool.app(op.ITE, (pool.eq(index, february), self._int(28), size))
        number = self._sum(self._day(day), -1)
        last = size if up else self._sum(size, -1)
        kept = pool.app(op.ITE, (pool.app(op.LE, (number, last)), number, last))
        moved = pool.app(op.ADD, (starts, offset, kept))
        # Whole periods: those of the result beyond the table, and those of the day itself.
        around = pool.app(op.ITE, (inside, self._int(0), shift))
        own = pool.app(op.SUB, (day, within))
        return self._define(name, (day, months), pool.app(op.ADD, (moved, around, own)))

    # --- terms ---

    def _int(self, value: int) -> Lit:
        return self._pool.integer(value)

    def _sum(self, node: Node, number: int) -> Node:
        return self._pool.app(op.ADD, (node, self._int(number)))

    def _tree(self, node: Node, starts: Sequence[int], values: Sequence[Node]) -> Node:
        """The value of the last start that is not above the term: a decision tree, so a dozen comparisons."""
        if len(values) == 1:
            return values[0]
        half = len(values) // 2
        below = self._pool.app(op.LT, (node, self._int(starts[half])))
        parts = self._tree(node, starts[:half], values[:half]), self._tree(node, starts[half:], values[half:])
        return self._pool.app(op.ITE, (below, *parts))


def _words(name: str, arguments: int) -> str:
    """The form of a call as programs write it; nothing for a function that they do not know."""
    outer, _, inner = name.partition(" of ")
    if inner.startswith("AddMonths"):
        return f"{outer}({_words(inner, arguments)})"
    head, *rest = name.split(" ")
    if head == "AddMonths":
        months, up = [part for part in rest if part != "up"], ["'up'"] if "up" in rest else []
        return f"AddMonths({', '.join(['{}'] * arguments + months + up)})"
    return "" if rest else f"{name}({{}})"


# --- calls ---------------------------------------------------------------------------------------


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
