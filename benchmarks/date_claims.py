"""Claims about dates, and the verdict that an enumeration of the calendar with arrays gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Case = tuple[dict[str, Any], str]

_EPOCH = date(1500, 1, 1)
_ALL = [_EPOCH + timedelta(at) for at in range((date(2700, 1, 1) - _EPOCH).days)]
_YEARS, _MONTHS, _NUMBERS = (
    np.array([getattr(day, part) for day in _ALL]) for part in ("year", "month", "day")
)
_WEEKDAYS = np.array([day.isoweekday() for day in _ALL])
_FIRSTS = np.flatnonzero(_NUMBERS == 1)
_LENGTHS = np.diff(np.append(_FIRSTS, len(_ALL)))
EVERY: Numbers = np.arange((date(1900, 1, 1) - _EPOCH).days, (date(2199, 12, 31) - _EPOCH).days + 1)
"""The days of the calendar, counted from 1500-01-01."""
_LAST = int(EVERY[-1])


def year(days: Numbers) -> Numbers:
    """The year of each day."""
    return _YEARS[days]


def month(days: Numbers) -> Numbers:
    """The month of each day."""
    return _MONTHS[days]


def number(days: Numbers) -> Numbers:
    """The number of each day in its month."""
    return _NUMBERS[days]


def weekday(days: Numbers) -> Numbers:
    """1 for Monday to 7."""
    return _WEEKDAYS[days]


def later(days: Numbers, months: Any, *, up: bool = False) -> Numbers:
    """The days so many months later."""
    at = (year(days) - 1500) * 12 + month(days) - 1 + months
    over = number(days) > _LENGTHS[at]
    found: Numbers = _FIRSTS[at] + np.where(over, _LENGTHS[at] - 1 + up, number(days) - 1)
    return found


def _number_of(text: str) -> int:
    return (date.fromisoformat(text) - _EPOCH).days


class DateClaims:
    """Makes claims from a seed: each method one, as a program and the verdict expected."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def any(self) -> Case:
        """One of them."""
        names = [name for name in dir(self) if not name.startswith("_") and name not in ("any", "rng")]
        found: Case = getattr(self, self.rng.choice(names))()
        return found

    # --- one date ---

    def step_is_later(self) -> Case:
        m, k = self._months(), self.rng.choice([0, 1, 27, 28, 29, -31])
        return _all(f"AddMonths(d, {m}) >= d + {k} * 1 day", lambda d: later(d, m) >= d + k)

    def step_between(self) -> Case:
        m = self.rng.choice([1, 2, 3, 4, 6, 11, 12, 18, 24, 48, 120])
        low = 30 * m + m // 2 - self.rng.randrange(1, 5)
        high = low + self.rng.randrange(1, 6)
        return _all(
            f"{low} <= DaysBetween(d, AddMonths(d, {m})) <= {high}",
            lambda d: (low <= later(d, m) - d) & (later(d, m) - d <= high),
        )

    def month_after_days(self) -> Case:
        a, n = self.rng.randrange(1, 13), self.rng.choice([1, 7, 14, 28, 29, 30, 31, 45, 60])
        among = [(a + at - 1) % 12 + 1 for at in range(self.rng.randrange(1, 4))]
        return _all(
            f"Month(d) == {a} -> Month(d + {n} days) in {among}",
            lambda d: (month(d) != a) | np.isin(month(d + n), among),
        )

    def same_month_after_days(self) -> Case:
        n, k = self.rng.choice([27, 28, 29, 30, 31]), self.rng.choice([1, 2, 3, 4])
        return _all(
            f"Month(d + {n} days) != Month(d) or Day(d) <= {k}",
            lambda d: (month(d + n) != month(d)) | (number(d) <= k),
        )

    def number_stays(self) -> Case:
        m, k = self._months(), self.rng.choice([13, 27, 28, 29, 30, 31])
        sign = self.rng.choice(["<=", "=="])
        holds = (lambda d: number(d) <= k) if sign == "<=" else (lambda d: number(d) == k)
        return _all(
            f"Day(d) {sign} {k} -> Day(AddMonths(d, {m})) == Day(d)",
            lambda d: ~holds(d) | (number(later(d, m)) == number(d)),
        )

    def there_and_back(self) -> Case:
        m, k = self._months(), self.rng.choice([27, 28, 29, 30, 31])
        return _all(
            f"Day(d) <= {k} -> AddMonths(AddMonths(d, {m}), {-m}) == d",
            lambda d: (number(d) > k) | (later(later(d, m), -m) == d),
        )

    def two_steps(self) -> Case:
        a, b, sign = self._months(), self._months(), self.rng.choice(["==", "<=", ">=", "<"])
        first, second = later(later(EVERY, a), b), later(EVERY, a + b)
        truth = {
            "==": first == second,
            "<=": first <= second,
            ">=": first >= second,
            "<": first < second,
        }
        text = f"AddMonths(AddMonths(d, {a}), {b}) {sign} AddMonths(d, {a + b})"
        return _all(text, lambda d: truth[sign])

    def month_of_two_steps(self) -> Case:
        a, b = self._months(), self._months()
        c = self.rng.choice([a + b, a + b, a + b + 12, a - b])
        return _all(
            f"Month(AddMonths(AddMonths(d, {a}), {b})) == Month(AddMonths(d, {c}))",
            lambda d: month(later(later(d, a), b)) == month(later(d, c)),
        )

    def rounded_up(self) -> Case:
        m, k = self._months(), self.rng.choice([0, 1])
        sign = self.rng.choice(["<=", "=="])
        text = f'AddMonths(d, {m}, "up") - AddMonths(d, {m}) {sign} {k} * 1 day'
        return _all(text, lambda d: _holds(sign, later(d, m, up=True) - later(d, m), k))

    def end_of_month(self) -> Case:
        m, k = self._months(), self.rng.choice([1, 2, 3])
        return _all(
            f"Day(d + 1 day) == 1 -> Day(AddMonths(d, {m}) + {k} * 1 day) <= {k}",
            lambda d: (number(d + 1) != 1) | (number(later(d, m) + k) <= k),
        )

    def leap_day(self) -> Case:
        k, rest = self.rng.choice([2, 4, 8, 100, 400]), self.rng.choice(["==", "!="])
        return _all(
            f"Month(d) == 2 and Day(d) == 29 -> Year(d) % {k} {rest} 0",
            lambda d: (month(d) != 2) | (number(d) != 29) | ((year(d) % k == 0) == (rest == "==")),
        )

    def years(self) -> Case:
        y = self.rng.choice([1, 2, 4, 5, 10, 100])
        k = self.rng.choice([365 * y, 365 * y + y // 4, 365 * y - 1])
        return _all(f"AddYears(d, {y}) >= d + {k} days", lambda d: later(d, 12 * y) >= d + k)

    def number_of_year(self) -> Case:
        y, n = self.rng.choice([1, 3, 10]), self.rng.choice([0, 1, 30, 365])
        return _all(
            f"Year(AddYears(d, {y}) + {n} * 1 day) <= Year(d) + {y}",
            lambda d: year(later(d, 12 * y) + n) <= year(d) + y,
        )

    def weekdays(self) -> Case:
        w, n, v = (
            self.rng.randrange(1, 8),
            self.rng.choice([1, 7, 28, 30, 31, 364, 365]),
            self.rng.randrange(1, 8),
        )
        return _all(
            f"Weekday(d) == {w} -> Weekday(d + {n} days) != {v}",
            lambda d: (weekday(d) != w) | (weekday(d + n) != v),
        )

    def weekday_of_year(self) -> Case:
        y = self.rng.choice([1, 2, 4, 5, 6, 7, 11])
        return _all(
            f"Weekday(AddYears(d, {y})) != Weekday(d)",
            lambda d: weekday(later(d, 12 * y)) != weekday(d),
        )

    def working_day(self) -> Case:
        n, k = self.rng.choice([0, 1, 14, 30]), self.rng.choice([0, 1, 2, 3])
        end = f"(d + {n} * 1 day)"
        moved = f"If(Weekday({end}) == 6, {end} + 2 days, If(Weekday({end}) == 7, {end} + 1 day, {end}))"

        def due(d: Numbers) -> Numbers:
            e = d + n
            return e + np.where(weekday(e) == 6, 2, np.where(weekday(e) == 7, 1, 0))

        return self.rng.choice(
            [
                _all(f"Weekday({moved}) <= 5", lambda d: weekday(due(d)) <= 5),
                _all(f"{moved} - d <= {n + k} * 1 day", lambda d: due(d) - d <= n + k),
            ]
        )

    def deadline_within_month(self) -> Case:
        n, k = self.rng.choice([10, 14, 28, 30]), self.rng.choice([1, 2, 10, 14, 17, 18])
        last = "AddMonths(d - Days(Day(d) - 1), 1) - 1 day"
        return _all(
            f"Day(d) <= {k} -> d + {n} days <= {last}",
            lambda d: (number(d) > k) | (d + n <= later(d - number(d) + 1, 1) - 1),
        )

    def quarter(self) -> Case:
        m, k = self.rng.choice([1, 2, 3, 6]), self.rng.choice([0, 1, 2])
        quarter = "(4 * Year({0}) + (Month({0}) - 1) // 3)"
        moved = quarter.format(f"AddMonths(d, {m})")

        def of(d: Numbers) -> Numbers:
            return 4 * year(d) + (month(d) - 1) // 3

        return _all(f"{moved} - {quarter.format('d')} == {k}", lambda d: of(later(d, m)) - of(d) == k)

    def before_literal(self) -> Case:
        m, day = self._months(), self._literal()
        end = (date.fromisoformat(day) + timedelta(31 * m + self.rng.randrange(-3, 3))).isoformat()
        return _all(
            f"d < {day} -> AddMonths(d, {m}) < {end}",
            lambda d: (d >= _number_of(day)) | (later(d, m) < _number_of(end)),
        )

    def exists(self) -> Case:
        y, m = self.rng.randrange(1900, 2200), self.rng.choice([2, 2, 4, 6])
        k = self.rng.choice([28, 29, 30, 31])
        return _some(
            f"Year(d) == {y} and Month(d) == {m} and Day(d) == {k}",
            lambda d: (year(d) == y) & (month(d) == m) & (number(d) == k),
        )

    def friday_the_thirteenth(self) -> Case:
        y, m = self.rng.randrange(1900, 2200), self.rng.randrange(1, 13)
        return _some(
            f"Year(d) == {y} and Month(d) >= {m} and Day(d) == 13 and Weekday(d) == 5",
            lambda d: (year(d) == y) & (month(d) >= m) & (number(d) == 13) & (weekday(d) == 5),
        )

    # --- two dates ---

    def steps_in_order(self) -> Case:
        a, b = self._months(), self._months()
        b = self.rng.choice([a, a, b])
        strict = self.rng.choice([True, False])
        signs = ("<", "<") if strict else ("<=", "<=")
        return _ordered(
            f"d {signs[0]} e -> AddMonths(d, {a}) {signs[1]} AddMonths(e, {b})",
            later(EVERY, a),
            later(EVERY, b),
            strict_order=strict,
            strict=strict,
        )

    def parts_in_order(self) -> Case:
        text, of = self.rng.choice(
            [
                ("Year({})", year),
                ("Month({})", month),
                ("12 * Year({0}) + Month({0})", lambda d: 12 * year(d) + month(d)),
                (
                    "400 * Year({0}) + 32 * Month({0}) + Day({0})",
                    lambda d: 400 * year(d) + 32 * month(d) + number(d),
                ),
                ("10 * Year({0}) + Month({0})", lambda d: 10 * year(d) + month(d)),
            ]
        )
        return _ordered(
            f"d <= e -> {text.format('d')} <= {text.format('e')}",
            of(EVERY),
            of(EVERY),
            strict_order=False,
            strict=False,
        )

    def at_least_apart(self) -> Case:
        m, k = self.rng.choice([1, 2, 3, 12]), self.rng.choice([0, 1, 2, 3, 4])
        least = int((later(EVERY, m) - EVERY).min()) + 2 - k
        return _all_pairs(
            f"e >= AddMonths(d, {m}) -> e - d >= {least} days", (later(EVERY, m) - EVERY).min() >= least
        )

    def crossing_a_year(self) -> Case:
        g, k = self.rng.choice([10, 31, 32, 40, 60, 61, 62, 100]), self.rng.randrange(9, 13)
        return _gaps(
            f"Year(d) < Year(e) -> Month(d) >= {k}", 0, g, lambda d, e: (year(d) >= year(e)) | (month(d) >= k)
        )

    def same_month(self) -> Case:
        g = self.rng.choice([27, 28, 30, 31, 33])
        return _gaps(
            "Month(d) == Month(e) -> e - d == Days(Day(e) - Day(d))",
            0,
            g,
            lambda d, e: (month(d) != month(e)) | (e - d == number(e) - number(d)),
        )

    def within_a_step(self) -> Case:
        m, k = self.rng.choice([1, 2]), self.rng.choice([0, 1, 2])
        most = 30 * m + k
        return _gaps(
            f"e < AddMonths(d, {m}) -> DaysBetween(d, e) <= {most}",
            0,
            70,
            lambda d, e: (e >= later(d, m)) | (e - d <= most),
        )

    def step_of_a_gap(self) -> Case:
        n, k = self.rng.choice([1, 14, 30, 31]), self.rng.randrange(0, 4)
        return _all(
            f"AddMonths(d + {n} * 1 day, 1) >= AddMonths(d, 1) + {max(0, n - k)} * 1 day",
            lambda d: later(d + n, 1) >= later(d, 1) + max(0, n - k),
        )

    # --- an unknown number ---

    def unknown_steps(self) -> Case:
        a, b, k = (
            self.rng.choice([-1, 0, 0, 0, 1, 2]),
            self.rng.choice([6, 12, 24, 60]),
            self.rng.choice([0, 1, 28]),
        )
        return _counted(f"AddMonths(d, n) >= d + {k} * 1 day", a, b, lambda d, n: later(d, n) >= d + k)

    def unknown_steps_without_end(self) -> Case:
        a, k = self.rng.choice([0, 1, 2, 12]), self.rng.choice([0, 1, 28, 31, 59, 365])
        # More months are never earlier, so that the fewest decide.
        holds = bool((later(EVERY, a) >= EVERY + k).all())
        return _program(f"ForAll([d: Date, n: Int], n >= {a} -> AddMonths(d, n) >= d + {k} * 1 day)", holds)

    def linear_bounds(self) -> Case:
        b, low, k = (
            self.rng.choice([6, 12, 24]),
            self.rng.choice([28, 29, 30, 31]),
            self.rng.choice([0, 1, 2, 3]),
        )
        sign, other = self.rng.choice([(">=", -k), ("<=", k)])
        return _counted(
            f"AddMonths(d, n) {sign} d + Days({low} * n + {other})",
            0,
            b,
            lambda d, n: _holds(sign, later(d, n), d + low * n + other),
        )

    def unknown_years(self) -> Case:
        b, k = self.rng.choice([5, 20, 60]), self.rng.choice([0, 0, 1])
        return _counted(
            f"Year(AddYears(d, n)) == Year(d) + n + {k}",
            0,
            b,
            lambda d, n: year(later(d, 12 * n)) == year(d) + n + k,
        )

    def month_of_unknown_years(self) -> Case:
        b, k = self.rng.choice([5, 20, 40]), self.rng.choice([12, 12, 6])
        return _counted(
            f"Month(AddMonths(d, {k} * n)) == Month(d)", 0, b, lambda d, n: month(later(d, k * n)) == month(d)
        )

    def number_after_unknown(self) -> Case:
        b, sign = self.rng.choice([6, 12, 36]), self.rng.choice(["<=", "==", ">="])
        k = self.rng.choice([28, 29, 31])
        return _counted(
            f"Day(d) <= {k} -> Day(AddMonths(d, n)) {sign} Day(d)",
            0,
            b,
            lambda d, n: (number(d) > k) | _holds(sign, number(later(d, n)), number(d)),
        )

    def one_more(self) -> Case:
        b, k = self.rng.choice([6, 24]), self.rng.choice([27, 28, 29])
        return _counted(
            f"AddMonths(d, n + 1) - AddMonths(d, n) >= {k} days",
            0,
            b,
            lambda d, n: later(d, n + 1) - later(d, n) >= k,
        )

    def unknown_days(self) -> Case:
        b, k = self.rng.choice([10, 27, 28, 31]), self.rng.choice([27, 28, 29])
        return _counted(
            f"Day(d) + n <= {k} -> Day(d + Days(n)) == Day(d) + n",
            0,
            b,
            lambda d, n: (number(d) + n > k) | (number(d + n) == number(d) + n),
        )

    # --- times ---

    def day_of_later_time(self) -> Case:
        h, k = self.rng.choice([1, 12, 23, 24, 25, 36, 48]), self.rng.choice([0, 1, 2])
        crossed = (h * 3600 + 86_399) // 86_400
        return _of_times(f"DateOf(t + {h} hours) <= DateOf(t) + {k} * 1 day", crossed <= k)

    def same_day(self) -> Case:
        h, k = self.rng.choice([1, 6, 12, 18]), self.rng.choice([5, 6, 12, 18, 22, 23])
        holds = all((s + 3600 * h) < 86_400 for s in range(86_400) if s // 3600 < k)
        return _of_times(f"Hour(t) < {k} -> DateOf(t + {h} hours) == DateOf(t)", holds)

    def clock_of_days(self) -> Case:
        n, m = self.rng.randrange(1, 40), self.rng.choice([0, 0, 30, 60])
        holds = all((s + 60 * m) // 3600 % 24 == s // 3600 for s in range(86_400))
        return _of_times(f"Hour(t + {n} days + {m} minutes) == Hour(t)", holds)

    def since_midnight(self) -> Case:
        k = self.rng.choice([23, 24, 25])
        return _of_times(f"t - DateTime(DateOf(t)) < {k} hours", 3600 * k > 86_399)

    def month_of_later_time(self) -> Case:
        h, k = self.rng.choice([12, 24, 48, 72]), self.rng.choice([1, 2, 3, 4])
        shifts = range((h * 3600) // 86_400, (h * 3600 + 86_399) // 86_400 + 1)
        e = f"DateOf(t + {h} hours)"
        holds = all(
            bool(((month(EVERY + g) == month(EVERY)) | (number(EVERY + g) <= k)).all()) for g in shifts
        )
        return _of_times(f"Month({e}) == Month(DateOf(t)) or Day({e}) <= {k}", holds)

    # --- constants ---

    def deadline(self) -> Case:
        n, low = self.rng.choice([14, 30, 60, 90]), self._literal()
        first = _number_of(low)
        days = np.arange(first, first + self.rng.choice([1, 20, 31, 200]))
        high = (_EPOCH + timedelta(int(days[-1]))).isoformat()
        m = int(month(days + n)[self.rng.randrange(len(days))])
        claim, truth = self.rng.choice(
            [
                (f"Month(deadline) == {m}", month(days + n) == m),
                (f"deadline < AddMonths(received, {n // 30})", days + n < later(days, n // 30)),
                ("Weekday(deadline) <= 5", weekday(days + n) <= 5),
                ("Year(deadline) == Year(received)", year(days + n) == year(days)),
                (f"Day(deadline) >= {m}", number(days + n) >= m),
            ]
        )
        facts = [f"{low} <= received <= {high}", f"deadline == received + {n} days"]
        return _of_constants(("received", "deadline"), facts, claim, truth)

    def payment(self) -> Case:
        m, y = self.rng.randrange(1, 13), self.rng.randrange(1990, 2050)
        steps, k = self.rng.choice([1, 2, 3]), self.rng.randrange(0, 4)
        days = EVERY[(year(EVERY) == y) & (month(EVERY) == m)]
        most = 30 * steps + k - 1
        spans = later(days, steps) - days
        facts = [f"Year(invoice) == {y} and Month(invoice) == {m}", f"due == AddMonths(invoice, {steps})"]
        facts.append("invoice <= paid <= due")
        truth = np.concatenate([spans <= most, [True]])  # paid at once, or on the last day
        return _of_constants(("invoice", "due", "paid"), facts, f"paid - invoice <= {most} days", truth)

    def earlier_of_two(self) -> Case:
        n, y = self.rng.choice([14, 30]), self.rng.randrange(1990, 2050)
        days = EVERY[year(EVERY) == y]
        last = later(days - number(days) + 1, 1) - 1
        due = np.minimum(days + n, last)
        k = self.rng.choice([0, 10, n, n + 1])
        facts = [
            f"Year(received) == {y}",
            "eom == AddMonths(received - Days(Day(received) - 1), 1) - 1 day",
            f"due == If(received + {n} days <= eom, received + {n} days, eom)",
        ]
        claim, truth = self.rng.choice(
            [
                ("Month(due) == Month(received)", month(due) == month(days)),
                (f"due - received <= {k} * 1 day", due - days <= k),
                ("due < eom", due < last),
            ]
        )
        return _of_constants(("received", "eom", "due"), facts, claim, truth)

    def _months(self) -> int:
        return self.rng.choice([1, 1, 2, 3, 5, 6, 11, 12, 13, 24, 36])

    def _literal(self) -> str:
        return (date(1950, 1, 1) + timedelta(self.rng.randrange(50_000))).isoformat()


def _holds(sign: str, a: Any, b: Any) -> Any:
    return {"<=": a <= b, "==": a == b, ">=": a >= b}[sign]


def _program(formula: str, holds: object) -> Case:
    program = {"verifications": [{"name": "c", "constraint": formula}]}
    return program, "entailed" if holds else "refuted"


def _all(text: str, of: Callable[[Numbers], Any]) -> Case:
    return _program(f"ForAll([d: Date], {text})", of(EVERY).all())


def _some(text: str, of: Callable[[Numbers], Any]) -> Case:
    return _program(f"Exists([d: Date], {text})", of(EVERY).any())


def _all_pairs(text: str, holds: object) -> Case:
    return _program(f"ForAll([d: Date, e: Date], {text})", holds)


def _ordered(text: str, first: Numbers, second: Numbers, *, strict_order: bool, strict: bool) -> Case:
    """Of all pairs of days in order, the one's value is at most, or below, the other's."""
    most = np.maximum.accumulate(first)
    if strict_order:
        most, second = most[:-1], second[1:]
    return _all_pairs(text, (most < second).all() if strict else (most <= second).all())


def _gaps(text: str, low: int, high: int, of: Callable[[Numbers, Numbers], Any]) -> Case:
    """Of all pairs of days that are so many days apart."""
    holds = all(
        of(days, days + gap).all() for gap in range(low, high + 1) for days in [EVERY[EVERY + gap <= _LAST]]
    )
    return _all_pairs(f"d + {low} * 1 day <= e and e <= d + {high} days and ({_condition(text)}", holds)


def _condition(text: str) -> str:
    condition, conclusion = text.split(" -> ")
    return f"{condition}) -> {conclusion}"


def _counted(text: str, low: int, high: int, of: Callable[[Numbers, int], Any]) -> Case:
    """Of all days and numbers between bounds."""
    holds = all(of(EVERY, n).all() for n in range(low, high + 1))
    return _program(f"ForAll([d: Date, n: Int], {low} <= n <= {high} -> ({text}))", holds)


def _of_times(text: str, holds: object) -> Case:
    return _program(f"ForAll([t: DateTime], {text})", holds)


def _of_constants(names: tuple[str, ...], facts: list[str], claim: str, truth: Any) -> Case:
    program = {
        "functions": [{"name": name, "domain": [], "range": "Date"} for name in names],
        "knowledge_base": facts,
        "verifications": [{"name": "c", "constraint": claim}],
    }
    return program, "entailed" if truth.all() else "undetermined" if truth.any() else "refuted"


def date_claims(rng: random.Random) -> Iterator[Case]:
    """Claims without end, no two the same."""
    claims = DateClaims(rng)
    known: set[str] = set()
    while True:
        program, truth = claims.any()
        if str(program) not in known:
            known.add(str(program))
            yield program, truth
