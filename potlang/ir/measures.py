"""Dates, durations, money and quantities: their sorts, and their values as programs write them.

A date is the number of its day, counted from 1970-01-01 in the Gregorian calendar, and a date with a
time the number of its second ([QTY-DATE]). The conversions are those of Hinnant's
"chrono-Compatible Low-Level Date Algorithms".
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from potlang.ir.nodes import App, Node, Sym, Symbol, Var
from potlang.ir.numerals import decimal
from potlang.ir.sorts import INT, REAL, MeasureSort, Sort

DATE = MeasureSort("Date", INT)
DATETIME = MeasureSort("DateTime", INT)
DAYS = MeasureSort("Duration", INT)
SECONDS = MeasureSort("Duration(seconds)", INT)
SECONDS_OF_A_DAY = 86_400
FIRST_YEAR, LAST_YEAR = 1900, 2199
"""The years of the calendar ([QTY-RANGE])."""
DAY_UNITS: Mapping[str, int] = MappingProxyType({"day": 1, "week": 7})
"""Units of `Duration`, in days."""
SECOND_UNITS: Mapping[str, int] = MappingProxyType({"hour": 3_600, "minute": 60, "second": 1})
"""Units of `Duration(seconds)`, in seconds."""
SIGNS: Mapping[str, str] = MappingProxyType({"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"})
"""Currencies by their signs before a number."""
_CODES = """
AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KES KRW MAD MXN MYR NGN
NOK NZD PEN PHP PKR PLN RON RUB SAR SEK SGD THB TWD UAH USD VND ZAR
"""
CURRENCIES = frozenset(_CODES.split())
"""The codes of ISO 4217 that may stand behind a number."""
_WORDS = """
kg g mg lb oz km m cm mm mi ft inch yd l ml kWh MB GB TB kB mph kmh miles meters metres kilograms grams liters
litres points items pieces units people seats pages credits
"""
UNITS = frozenset(_WORDS.split())
"""The units that may stand behind a number; others are written `Quantity(5, unit)`."""


@cache
def money(currency: str) -> MeasureSort:
    """The sort of amounts in a currency."""
    return MeasureSort(f"Money({currency})", REAL)


@cache
def quantity(unit: str) -> MeasureSort:
    """The sort of quantities in a unit."""
    return MeasureSort(f"Quantity({unit})", REAL)


def unit_of(sort: MeasureSort) -> str | None:
    """The currency or the unit of a sort of amounts; None for the sorts of time."""
    head, _, rest = sort.name.partition("(")
    return rest[:-1] if head in ("Money", "Quantity") else None


def is_point(sort: object) -> bool:
    """Whether a sort is one of points in time, of which only differences are added."""
    return sort in (DATE, DATETIME)


def shown_sort(node: Node) -> Sort:
    """The sort of a term as the program writes it, where numbers stand for its members."""
    symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
    if isinstance(symbol, Symbol):
        return node.sort if symbol.declared is None else symbol.declared.range
    return node.shown or node.sort if isinstance(node, Var) else node.sort


def day_number(year: int, month: int, day: int) -> int:
    """The number of a day that exists."""
    year -= month <= 2
    era, in_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + in_era * 365 + in_era // 4 - in_era // 100 + of_year - 719_468


def civil(number: int) -> tuple[int, int, int]:
    """Year, month and day of the day with that number."""
    era, day = divmod(number + 719_468, 146_097)
    in_era = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    of_year = day - (365 * in_era + in_era // 4 - in_era // 100)
    month = (5 * of_year + 2) // 153
    return era * 400 + in_era + (month >= 10), (month + 2) % 12 + 1, of_year - (153 * month + 2) // 5 + 1


def days_in_month(year: int, month: int) -> int:
    """28 to 31."""
    return day_number(year + month // 12, month % 12 + 1, 1) - day_number(year, month, 1)


def months_later(number: int, months: int, rounding: str) -> int:
    """The day of the same number some months later; if there is none, as `rounding` says ([QTY-MONTHS])."""
    year, month, day = civil(number)
    years, month = divmod(month - 1 + months, 12)
    year, month = year + years, month + 1
    size = days_in_month(year, month)
    if day <= size:
        return day_number(year, month, day)
    return day_number(year, month, size) + (rounding == "up")


FIRST_DAY, LAST_DAY = day_number(FIRST_YEAR, 1, 1), day_number(LAST_YEAR, 12, 31)


def value_text(value: Fraction | int, sort: MeasureSort) -> str:
    """A value as programs write it: `2025-01-20`, `30 days`, `900 USD`."""
    if sort == DATE:
        return _date_text(int(value))
    if sort == DATETIME:
        day, second = divmod(int(value), SECONDS_OF_A_DAY)
        minute, second = divmod(second, 60)
        seconds = f":{second:02}" if second else ""
        return f"{_date_text(day)}T{minute // 60:02}:{minute % 60:02}{seconds}"
    if sort == DAYS:
        return _counted(int(value), "day")
    if sort == SECONDS:
        number, name = int(value), "second"
        for unit, size in SECOND_UNITS.items():
            if number % size == 0 and number:
                return _counted(number // size, unit)
        return _counted(number, name)
    return f"{_number_text(Fraction(value))} {unit_of(sort)}"


def _date_text(number: int) -> str:
    year, month, day = civil(number)
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day:02}"


def _counted(number: int, unit: str) -> str:
    return f"{decimal(number)} {unit}{'' if abs(number) == 1 else 's'}"


def _number_text(value: Fraction) -> str:
    """An integer, a decimal with as many places as are needed, else a fraction."""
    below, places = value.denominator, 0
    while places < 12 and below > 1 and 10**places % below:
        places += 1
    if below == 1 or 10**places % below:
        return decimal(value.numerator) + ("" if below == 1 else f"/{decimal(below)}")
    digits = decimal(abs(value.numerator) * 10**places // below).zfill(places + 1)
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
