"""The functions of the calendar against an independent one, and against Python's `datetime`."""

from __future__ import annotations

import calendar
import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.ir.evaluator import Evaluator
from potlang.ir.measures import civil, day_number, days_in_month, months_later
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT
from potlang.ir.structure import Structure
from potlang.ir.substitute import substitute
from potlang.sema.almanac import ADD_MONTHS, ADD_MONTHS_UP, DAY, DISTANCES, MONTH, WEEKDAY, YEAR, Calendar

EPOCH = date(1970, 1, 1).toordinal()
DAYS = st.dates().map(lambda each: each.toordinal() - EPOCH)
AROUND = [
    date(year, 3, 1).toordinal() - EPOCH for year in (1700, 1800, 1896, 1900, 2000, 2100, 2200, 2296, 2300)
]
NEAR = st.sampled_from(AROUND).flatmap(lambda day: st.integers(day - 70, day + 70))


def later(number: int, months: int, rounding: str = "down") -> int | None:
    """The day some months later by `datetime` and `calendar` alone; None beyond what they have."""
    day = date.fromordinal(number + EPOCH)
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    if not 1 <= year <= 9998:
        return None
    size = calendar.monthrange(year, month + 1)[1]
    if day.day <= size:
        return date(year, month + 1, day.day).toordinal() - EPOCH
    return date(year, month + 1, size).toordinal() - EPOCH + (rounding == "up")


@given(DAYS | NEAR)
def test_days_are_numbered_as_the_gregorian_calendar_has_them(number: int) -> None:
    """[QTY-DATE]"""
    day = date.fromordinal(number + EPOCH)
    assert civil(number) == (day.year, day.month, day.day)
    assert day_number(day.year, day.month, day.day) == number
    assert days_in_month(day.year, day.month) == calendar.monthrange(day.year, day.month)[1]


@given(DAYS | NEAR, st.integers(-3_600, 3_600), st.sampled_from(["down", "up"]))
def test_months_of_known_days(number: int, months: int, rounding: str) -> None:
    """[QTY-MONTHS]"""
    wanted = later(number, months, rounding)
    assert wanted is None or months_later(number, months, rounding) == wanted


class Defined:
    """The definitions that modules have, evaluated."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.calendar = Calendar(self.pool)
        self._known = 0
        self._evaluator = Evaluator(Structure({}, {}))

    def value(self, term: Node) -> object:
        definitions = {each.symbol: each for each in self.calendar.definitions}
        # Most of the time of a new evaluator is for looking at the definitions.
        if len(definitions) > self._known:
            self._known = len(definitions)
            self._evaluator = Evaluator(Structure({}, {}, definitions), 10**12)
        return self._evaluator.value(term)

    def of(self, function: object, *numbers: int) -> object:
        args = [self.pool.integer(number) for number in numbers]
        return self.value(self.calendar.applied(function, args))  # type: ignore[arg-type]


DEFINED = Defined()


@given(DAYS | NEAR)
def test_definitions_have_the_parts_of_each_day(number: int) -> None:
    """[QTY-CALENDAR], [QTY-FUNC]: also beyond the table's four hundred years."""
    day = date.fromordinal(number + EPOCH)
    found = [DEFINED.of(function, number) for function in (YEAR, MONTH, DAY, WEEKDAY)]
    assert found == [day.year, day.month, day.day, day.isoweekday()]


@pytest.mark.parametrize("function", [ADD_MONTHS, ADD_MONTHS_UP])
@pytest.mark.parametrize("months", [1, -1, 2, 12, -12, 48, -48, 1_199, -1_200, 3_600, -3_600])
def test_definitions_of_steps_by_a_numeral(function: object, months: int) -> None:
    """[QTY-CALENDAR], [QTY-MONTHS]: each day near a leap day that is left out, and some others."""
    rng = random.Random(months)
    near = [day + offset for day in AROUND for offset in range(-32, 33, 5 + (months % 2 == 0))]
    moved = [day - 30 * months + offset for day in AROUND for offset in range(-3, 4)]
    others = [rng.randrange(-EPOCH + 400_000, 900_000) for _ in range(10)]
    for number in [*near, *moved, *others]:
        wanted = later(number, months, "down" if function is ADD_MONTHS else "up")
        if wanted is not None:
            assert DEFINED.of(function, number, months) == wanted, (number, months)


@pytest.mark.parametrize("months", [1, -1, 3, 12, -12, 48, 1_188, -1_188])
def test_parts_of_steps_by_a_numeral(months: int) -> None:
    """[QTY-CALENDAR]: month and day of the day some months later."""
    rng = random.Random(months)
    near = [
        day - 30 * shift + offset for day in AROUND for shift in (0, months) for offset in range(-33, 34, 11)
    ]
    for number in [*near, *(rng.randrange(-EPOCH + 400_000, 900_000) for _ in range(8))]:
        wanted = later(number, months)
        moved = DEFINED.calendar.applied(
            ADD_MONTHS, [DEFINED.pool.integer(each) for each in (number, months)]
        )
        if wanted is not None:
            found = [DEFINED.value(DEFINED.calendar.applied(part, [moved])) for part in (MONTH, DAY)]
            assert found == [*civil(wanted)[1:]], (number, months)


@given(DAYS | NEAR, st.integers(-6_000, 6_000), st.sampled_from(["down", "up"]))
def test_definitions_of_steps_by_a_term(number: int, months: int, rounding: str) -> None:
    """[QTY-CALENDAR], [QTY-MONTHS]"""
    wanted = later(number, months, rounding)
    known, unknown = DEFINED.pool.integer(number), DEFINED.pool.var("n", INT)
    moved = DEFINED.calendar.applied(ADD_MONTHS if rounding == "down" else ADD_MONTHS_UP, [known, unknown])
    found = DEFINED.value(substitute(DEFINED.pool, moved, {unknown: DEFINED.pool.integer(months)}))
    assert wanted is None or found == wanted


@given(DAYS | NEAR, DAYS | NEAR, st.integers(-6_000, 6_000))
@settings(max_examples=30)
def test_lemmas_hold_of_all_days(first: int, second: int, number: int) -> None:
    """[QTY-LEMMAS]: whatever the days and the number of months."""
    pool = DEFINED.pool
    day, other, months = (pool.var(name, INT) for name in "den")
    later = DEFINED.calendar.applied(ADD_MONTHS, [day, months])
    terms = [
        DEFINED.calendar.applied(YEAR, [DEFINED.calendar.applied(ADD_MONTHS, [later, pool.integer(7)])]),
        DEFINED.calendar.applied(MONTH, [other]),
        DEFINED.calendar.applied(ADD_MONTHS_UP, [other, pool.integer(-1)]),
    ]
    values = {day: first, other: second, months: number}
    put: dict[Node, Node] = {var: pool.integer(value) for var, value in values.items()}
    assert DEFINED.value(substitute(pool, DEFINED.calendar.lemmas(terms), put)) is True


def test_lemmas_hold_of_all_months() -> None:
    """[QTY-LEMMAS]: of those of a period, by the distances alone; the calendar repeats."""
    firsts = [date(1600 + at // 12, at % 12 + 1, 1).toordinal() for at in range(2 * 4_800)]
    for apart in range(1, 4_800):
        days = [firsts[at + apart] - firsts[at] for at in range(0, 4_800, 1 if apart < 49 else 7)]
        for times, low, below, high, above in DISTANCES:
            assert low * apart - below <= times * min(days)
            assert times * max(days) <= high * apart + above
