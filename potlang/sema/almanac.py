"""The functions of the calendar as definitions over numbers of days, and what solvers are told of them.

Year, month and day of an unknown date are no chains of div and mod, which leave solvers without an answer,
but tables: the four years around the day by a decision tree over the hundred cycles from March 1896 on, the
month by one over the 48 of a cycle. All that follows from the month of a day, its year and the months later,
is counted from that month, so that `AddMonths(AddMonths(d, 1), 1)` has one table. What holds of any two
months, whatever the tables say, is added as valid formulas (`Calendar.lemmas`): most claims need no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.measures import DATE, day_number
from potlang.ir.module import Definition
from potlang.ir.nodes import App, Lit, Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, Sort

YEAR, MONTH, DAY, WEEKDAY = (
    Symbol(name, (DATE,), INT, SymbolKind.DEFINED) for name in ("Year", "Month", "Day", "Weekday")
)
ADD_MONTHS = Symbol("AddMonths", (DATE, INT), DATE, SymbolKind.DEFINED)
ADD_MONTHS_UP = Symbol("AddMonths up", (DATE, INT), DATE, SymbolKind.DEFINED)

# --- the tables ----------------------------------------------------------------------------------

_PERIOD, _PERIOD_MONTHS = 146_097, 4_800
"""Days and months of 400 years, after which the calendar repeats."""
_FIRST = 1896
_STARTS = tuple(day_number(year, 3, 1) for year in range(_FIRST, _FIRST + 400, 4))
"""The first day of each cycle of four years. They begin in March, so that a leap day comes last."""
_WINDOW = _STARTS[0]
_CUT = tuple(12 * (year - _FIRST) - 1 for year in (1900, 2100, 2200))
"""The Februaries that lack the leap day of their cycle; months are counted from March 1896, month 0."""
_FROM_MARCH = (31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31)
_LENGTHS = (*_FROM_MARCH, 28) * 3 + (*_FROM_MARCH, 29)
_CYCLE = sum(_LENGTHS)
_OFFSETS = tuple(sum(_LENGTHS[:at]) for at in range(48))
"""The months of a cycle: how long they are, and where they begin."""
_MOST_STEP = 7_200
"""Months by which a table may move; longer steps are counted as unknown ones are."""
_MOST_COMPARED = 8
"""Months that lemmas compare with one another, in one place."""


def _begins(month: int) -> int:
    """The day on which a month begins, counted from month 0, if each fourth year has a leap day."""
    cycles, at = divmod(month, 48)
    return _CYCLE * cycles + _OFFSETS[at]


def _cuts(low: int, high: int) -> list[int]:
    """The months from `low` to below `high` that lack a leap day."""
    periods = range(low // _PERIOD_MONTHS, high // _PERIOD_MONTHS + 1)
    every = [at + _PERIOD_MONTHS * period for period in periods for at in _CUT]
    return [at for at in every if low <= at < high]


class _MonthStep(NamedTuple):
    """So many months later: `number` of them, None for an unknown number; `up` is the rounding."""

    number: int | None
    up: bool

    def __str__(self) -> str:
        return ("n" if self.number is None else str(self.number)) + ("up" if self.up else "")


class _Moved(NamedTuple):
    """A function of a date some steps later: what it gives of that date, and the steps."""

    part: str
    steps: tuple[_MonthStep, ...]


class _Month(NamedTuple):
    """A month: that of a date, so many months later, and an unknown number besides."""

    day: Node
    number: int
    unknown: Node | None = None


class Calendar:
    """Makes the definitions of the functions that a program uses, over one pool, each once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._symbols: dict[str, Symbol] = {}
        self._functions: dict[Symbol, _Moved] = {}
        """The functions that programs call: parts of a date, and dates, without and with steps."""
        self.definitions: list[Definition] = []
        """In an order in which each follows those that it uses."""

    def applied(self, function: Symbol, args: Sequence[Node]) -> Node:
        """A function of the calendar on numbers of days."""
        day, *rest = args
        if function is WEEKDAY:
            return self._call(function.name, self._weekday, day)
        steps, given = self._steps(day)
        if not rest:
            return self._function(_Moved(function.name, steps), given)
        (months,) = rest
        number = months.value if isinstance(months, Lit) else None
        assert number is None or isinstance(number, int)
        step = _MonthStep(number, function is ADD_MONTHS_UP)
        return self._function(
            _Moved(ADD_MONTHS.name, (*steps, step)), (*given, *(rest if number is None else []))
        )

    def _steps(self, day: Node) -> tuple[tuple[_MonthStep, ...], tuple[Node, ...]]:
        """The steps by which a day is computed from another, and that day with the unknown numbers."""
        if isinstance(day, App) and isinstance(day.op, Symbol):
            moved = self._functions.get(day.op)
            # The month of a day that was rounded up is not so many months later.
            if moved is not None and moved.part == ADD_MONTHS.name and not moved.steps[-1].up:
                return moved.steps, day.args
        return (), (day,)

    def _function(self, moved: _Moved, args: tuple[Node, ...]) -> Node:
        name = " ".join((moved.part, *map(str, moved.steps)))
        symbol = self._symbols.get(name)
        if symbol is None:
            numbers = [self._pool.var("n", INT) for step in moved.steps if step.number is None]
            params = (self._day_variable(), *numbers)
            symbol = self._define(name, params, self._body(moved, params))
            range_ = DATE if moved.part == ADD_MONTHS.name else INT
            shown: tuple[Sort, ...] = (DATE, *(INT for _ in numbers))
            symbol.declared = Symbol(_words(moved), shown, range_, SymbolKind.FRESH)
            self._functions[symbol] = moved
        return self._pool.app(symbol, args)

    # --- what holds of all dates ---

    def has(self, node: Node) -> bool:
        """Whether a term is a function of the calendar of which `lemmas` has something to say."""
        return isinstance(node, App) and node.op in self._functions

    def lemmas(self, terms: Iterable[Node]) -> Node:
        """Facts of the calendar on the months that such terms are about; true if there are none.

        Days of a month are 1 to 28 at least and 31 at most, 12 months are a year, and of two different
        ones the earlier ends before the later begins; how far apart they begin is bounded both ways.
        """
        pool = self._pool
        bases: dict[Node, None] = {}
        months: dict[_Month, None] = {}
        years: dict[_Month, None] = {}
        for term in terms:
            assert isinstance(term, App) and isinstance(term.op, Symbol)
            moved = self._functions[term.op]
            bases[term.args[0]] = None
            found = self._months(moved.steps, term.args)
            months.update(dict.fromkeys(found))
            if moved.part in (YEAR.name, MONTH.name):
                years[found[-1]] = None
        parts: list[Node] = []
        for day in bases:
            parts += self._between(self._int(1), self._day(day), self._length(_Month(day, 0)))
        for month in months:
            parts += self._between(self._int(28), self._length(month), self._int(31))
        for month in years:
            first = self._scaled(12, self._plus(self._year(month), -_FIRST))
            parts += self._between(first, self._plus(self._index(month), 2), self._plus(first, 11))
        for pair in combinations([*months][:_MOST_COMPARED], 2):
            parts += self._compared(*pair)
        return pool.conj(dict.fromkeys(parts))

    def _compared(self, a: _Month, b: _Month) -> list[Node]:
        pool = self._pool
        if a.day is b.day and a.unknown is b.unknown:
            # One of the two is later by a known number.
            a, b = sorted((a, b), key=lambda month: month.number)
            return self._apart(a, b)
        i, k = self._index(a), self._index(b)
        equal = [
            pool.eq(self._first_day(a), self._first_day(b)),
            pool.eq(self._length(a), self._length(b)),
        ]
        return [
            pool.implies(pool.app(op.LT, (i, k)), pool.conj(self._apart(a, b))),
            pool.implies(pool.app(op.LT, (k, i)), pool.conj(self._apart(b, a))),
            pool.implies(pool.eq(i, k), pool.conj(equal)),
        ]

    def _apart(self, a: _Month, b: _Month) -> list[Node]:
        """Facts of the calendar on two months of which the first is the earlier."""
        pool = self._pool
        begins, other = self._first_day(a), self._first_day(b)
        days = pool.app(op.SUB, (other, begins))
        months = pool.app(op.SUB, (self._index(b), self._index(a)))
        found: list[Node] = [pool.app(op.LE, (pool.app(op.ADD, (begins, self._length(a))), other))]
        for times, low, below, high, above in DISTANCES:
            found += self._between(
                self._plus(self._scaled(low, months), -below),
                self._scaled(times, days),
                self._plus(self._scaled(high, months), above),
            )
        return found

    def _between(self, low: Node, term: Node, high: Node) -> list[Node]:
        return [self._pool.app(op.LE, pair) for pair in ((low, term), (term, high))]

    # --- definitions ---

    def _call(self, name: str, body: Callable[[Node], Node], argument: Node) -> Node:
        """The function of one number, a day or a month, with that body."""
        if name not in self._symbols:
            var = self._day_variable()
            self._define(name, (var,), body(var))
        return self._pool.app(self._symbols[name], (argument,))

    def _define(self, name: str, params: tuple[Var, ...], body: Node) -> Symbol:
        sorts = tuple(param.sort for param in params)
        symbol = self._symbols[name] = Symbol(name, sorts, body.sort, SymbolKind.DEFINED)
        shown = name if name == WEEKDAY.name else ""
        symbol.declared = Symbol(f"{shown}({{}})" if shown else "", (DATE,), INT, SymbolKind.FRESH)
        self.definitions.append(Definition(symbol, params, body))
        return symbol

    def _day_variable(self) -> Var:
        day = self._pool.var("d", INT)
        day.shown = DATE
        return day

    def _body(self, moved: _Moved, params: tuple[Node, ...]) -> Node:
        pool = self._pool
        number = self._day(params[0])
        if not moved.steps and moved.part == DAY.name:
            return number
        months = self._months(moved.steps, params)
        month = months[-1]
        if moved.part == YEAR.name:
            return self._year(month)
        if moved.part == MONTH.name:
            years = self._scaled(12, self._plus(self._year(month), -_FIRST))
            return self._plus(pool.app(op.SUB, (self._index(month), years)), 3)
        for step, each in zip(moved.steps, months[1:], strict=True):
            size = self._plus(self._length(each), 1) if step.up else self._length(each)
            number = pool.app(op.ITE, (pool.app(op.LE, (number, size)), number, size))
        if moved.part == DAY.name:
            return number
        return self._plus(pool.app(op.ADD, (self._first_day(month), number)), -1)

    def _months(self, steps: Sequence[_MonthStep], args: Sequence[Node]) -> list[_Month]:
        """The month of a date, and that after each step."""
        day, *unknown = args
        found = [_Month(day, 0)]
        for step in steps:
            last = found[-1]
            if step.number is not None:
                found.append(last._replace(number=last.number + step.number))
            else:
                term = unknown.pop(0)
                both = term if last.unknown is None else self._pool.app(op.ADD, (last.unknown, term))
                found.append(last._replace(unknown=both))
        return found

    def _weekday(self, day: Node) -> Node:
        # 1970-01-01 was a Thursday, the fourth day.
        return self._plus(self._pool.app(op.MOD, (self._plus(day, 3), self._int(7))), 1)

    # --- a day ---

    def _within(self, day: Node) -> Node:
        """The day of the same month and day of the month within the 400 years of the table."""

        def body(day: Node) -> Node:
            rest = self._pool.app(op.MOD, (self._plus(day, -_WINDOW), self._int(_PERIOD)))
            inside = self._is_inside(day)
            return self._pool.app(op.ITE, (inside, day, self._plus(rest, _WINDOW)))

        return self._call("day within 400 years", body, day)

    def _is_inside(self, day: Node) -> Node:
        return self._pool.conj(self._between(self._int(_WINDOW), day, self._int(_WINDOW + _PERIOD - 1)))

    def _periods(self, day: Node, size: int) -> Node:
        """`size` for each 400 years by which a day lies beyond the table."""
        pool = self._pool
        periods = pool.app(op.INT_DIV, (self._plus(day, -_WINDOW), self._int(_PERIOD)))
        return pool.app(op.ITE, (self._is_inside(day), self._int(0), self._scaled(size, periods)))

    def _cycle(self, day: Node) -> Node:
        return self._call(
            "four years of day", lambda d: self._tree(self._within(d), _STARTS, range(100)), day
        )

    def _place(self, day: Node) -> Node:
        """The number of days since the cycle of the day began."""

        def body(day: Node) -> Node:
            inside = self._within(day)
            return self._pool.app(op.SUB, (inside, self._tree(inside, _STARTS, _STARTS)))

        return self._call("place in four years", body, day)

    def _at(self, day: Node) -> Node:
        return self._call(
            "month in four years of day", lambda d: self._tree(self._place(d), _OFFSETS, range(48)), day
        )

    def _day(self, day: Node) -> Node:
        def body(day: Node) -> Node:
            place = self._place(day)
            return self._plus(self._pool.app(op.SUB, (place, self._tree(place, _OFFSETS, _OFFSETS))), 1)

        return self._call("number of day", body, day)

    def _month_within(self, day: Node) -> Node:
        return self._pool.app(op.ADD, (self._scaled(48, self._cycle(day)), self._at(day)))

    # --- a month ---

    def _is_known(self, month: _Month) -> bool:
        """Whether all of a month is found from the place of its date in four years."""
        return month.unknown is None and abs(month.number) <= _MOST_STEP

    def _index(self, month: _Month) -> Node:
        def body(day: Node) -> Node:
            return self._pool.app(op.ADD, (self._month_within(day), self._periods(day, _PERIOD_MONTHS)))

        index = self._plus(self._call("month of day", body, month.day), month.number)
        return index if month.unknown is None else self._pool.app(op.ADD, (index, month.unknown))

    def _first_day(self, month: _Month) -> Node:
        pool, number = self._pool, month.number
        if not self._is_known(month):
            return self._call("first day of month", self._first_of_index, self._index(month))

        def body(day: Node) -> Node:
            parts = [day, pool.app(op.NEG, (self._day(day),)), self._int(1)]
            if number:
                steps = [_begins(at + number) - _begins(at) for at in range(48)]
                parts.append(self._tree(self._at(day), range(48), steps))
                within = self._month_within(day)
                for cut in _cuts(min(0, number), _PERIOD_MONTHS + max(0, number)):
                    low, high = sorted((cut, cut - number))
                    passed = pool.conj(self._between(self._int(low + 1), within, self._int(high)))
                    lost = self._int(-1 if number > 0 else 1)
                    parts.append(pool.app(op.ITE, (passed, lost, self._int(0))))
            return pool.app(op.ADD, tuple(parts))

        return self._call(f"first day of month {number} from day", body, month.day)

    def _length(self, month: _Month) -> Node:
        number = month.number
        if not self._is_known(month):
            return self._call("length of month", self._length_of_index, self._index(month))

        def body(day: Node) -> Node:
            sizes = [_LENGTHS[(at + number) % 48] for at in range(48)]
            cuts = [cut - number for cut in _cuts(number, _PERIOD_MONTHS + number)]
            return self._cut(self._tree(self._at(day), range(48), sizes), self._month_within(day), cuts)

        return self._call(f"length of month {number} from day", body, month.day)

    def _year(self, month: _Month) -> Node:
        number = month.number
        if not self._is_known(month):
            return self._call("year of month", self._year_of_index, self._index(month))

        def body(day: Node) -> Node:
            years = [(at + number + 2) // 12 + _FIRST for at in range(48)]
            parts = self._scaled(4, self._cycle(day)), self._tree(self._at(day), range(48), years)
            return self._pool.app(op.ADD, (*parts, self._periods(day, 400)))

        return self._call(f"year of month {number} from day", body, month.day)

    def _cut(self, length: Node, within: Node, cuts: Iterable[int]) -> Node:
        for cut in cuts:
            length = self._pool.app(op.ITE, (self._pool.eq(within, self._int(cut)), self._int(28), length))
        return length

    # --- a month of which the index alone is known ---

    def _index_within(self, index: Node) -> tuple[Node, Node, Node]:
        """The index within the 400 years of the table, the number of its cycle, its place in that."""
        pool = self._pool

        def body(index: Node) -> Node:
            rest = pool.app(op.MOD, (index, self._int(_PERIOD_MONTHS)))
            return pool.app(op.ITE, (self._index_is_inside(index), index, rest))

        def of_cycle(index: Node) -> Node:
            return self._tree(self._call("month within 400 years", body, index), _CYCLES, range(100))

        within = self._call("month within 400 years", body, index)
        cycle = self._call("four years of month", of_cycle, index)
        return within, cycle, pool.app(op.SUB, (within, self._scaled(48, cycle)))

    def _index_is_inside(self, index: Node) -> Node:
        return self._pool.conj(self._between(self._int(0), index, self._int(_PERIOD_MONTHS - 1)))

    def _index_periods(self, index: Node, size: int) -> Node:
        pool = self._pool
        periods = self._scaled(size, pool.app(op.INT_DIV, (index, self._int(_PERIOD_MONTHS))))
        return pool.app(op.ITE, (self._index_is_inside(index), self._int(0), periods))

    def _first_of_index(self, index: Node) -> Node:
        within, _, at = self._index_within(index)
        parts = self._tree(within, _CYCLES, _STARTS), self._tree(at, range(48), _OFFSETS)
        return self._pool.app(op.ADD, (*parts, self._index_periods(index, _PERIOD)))

    def _length_of_index(self, index: Node) -> Node:
        within, _, at = self._index_within(index)
        return self._cut(self._tree(at, range(48), _LENGTHS), within, _CUT)

    def _year_of_index(self, index: Node) -> Node:
        _, cycle, at = self._index_within(index)
        years = self._tree(at, range(48), [(each + 2) // 12 + _FIRST for each in range(48)])
        return self._pool.app(op.ADD, (self._scaled(4, cycle), years, self._index_periods(index, 400)))

    # --- terms ---

    def _int(self, value: int) -> Lit:
        return self._pool.integer(value)

    def _plus(self, node: Node, number: int) -> Node:
        return self._pool.app(op.ADD, (node, self._int(number))) if number else node

    def _scaled(self, factor: int, node: Node) -> Node:
        return node if factor == 1 else self._pool.app(op.MUL, (self._int(factor), node))

    def _tree(self, node: Node, starts: Sequence[int], values: Sequence[int]) -> Node:
        """The value of the last start that is not above the term: a decision tree, so a dozen comparisons."""
        steps = [at for at in range(len(values)) if not at or values[at] != values[at - 1]]
        return self._balanced(node, [(starts[at], self._int(values[at])) for at in steps])

    def _balanced(self, node: Node, pieces: Sequence[tuple[int, Node]]) -> Node:
        if len(pieces) == 1:
            return pieces[0][1]
        half = len(pieces) // 2
        below = self._pool.app(op.LT, (node, self._int(pieces[half][0])))
        parts = self._balanced(node, pieces[:half]), self._balanced(node, pieces[half:])
        return self._pool.app(op.ITE, (below, *parts))


_CYCLES = range(0, _PERIOD_MONTHS, 48)
DISTANCES = ((1, 30, 2, 31, 0), (12, 365, 29, 366, 18))
"""For n months from one first day to another: so many times the days between are at least `low n - below`,
and `high n + above` at most."""


def _words(moved: _Moved) -> str:
    """The form of a call as programs write it."""
    words = "{}"
    for step in moved.steps:
        number = "{}" if step.number is None else str(step.number)
        up = ", 'up'" if step.up else ""
        words = f"AddMonths({words}, {number}{up})"
    return words if moved.part == ADD_MONTHS.name else f"{moved.part}({words})"
