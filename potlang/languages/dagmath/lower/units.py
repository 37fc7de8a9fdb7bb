"""Units of measurement: which words are one, of what dimension, and how one is converted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

_TABLE: Final[dict[str, dict[str, int | None]]] = {
    "time": {"s": 1, "min": 60, "h": 3600, "day": 86400, "week": 604800, "month": None, "year": None},
    "length": {"mm": 1, "cm": 10, "m": 1000, "km": 1_000_000, "in": None, "ft": None, "yd": None, "mi": None},
    "mass": {"mg": 1, "g": 1000, "kg": 1_000_000, "lb": None, "oz": None, "ton": None},
    "money": {"cent": 1, "dollar": 100, "euro": None, "pound": None, "penny": 1, "nickel": 5, "dime": 10},
    "volume": {"ml": 1, "l": 1000, "gallon": None, "quart": None, "pint": None, "cup": None},
    "angle": {"degree": None, "radian": None},
}
"""Sizes by dimension, in units of the smallest; None where no exact factor is used."""
_APART: Final[dict[str, dict[str, int | None]]] = {
    "calendar": {"month": 1, "year": 12},
    "inches": {"in": 1, "ft": 12, "yd": 36, "mi": 63_360},
    "ounces": {"oz": 1, "lb": 16},
    "cups": {"cup": 1, "pint": 2, "quart": 4, "gallon": 16},
}
"""Units that are compared with one another only: between them and others numbers are rounded."""
Dimension: TypeAlias = frozenset[tuple[str, int]]
"""Names of dimensions with their powers, none of them zero."""
NO_DIMENSION: Final[Dimension] = frozenset()
_SPELLINGS: Final = {
    "s": "s sec second", "min": "min minute", "h": "h hr hour", "day": "day", "week": "week",
    "month": "month", "year": "year yr", "mm": "mm millimeter millimetre", "cm": "cm centimeter centimetre",
    "m": "m meter metre", "km": "km kilometer kilometre", "in": "inch inche", "ft": "ft foot feet",
    "yd": "yd yard", "mi": "mi mile", "mg": "mg milligram", "g": "g gram", "kg": "kg kilogram",
    "lb": "lb pound", "oz": "oz ounce", "ton": "ton tonne", "cent": "cent", "dollar": "dollar buck",
    "euro": "euro", "ml": "ml mL milliliter millilitre", "l": "l L liter litre", "gallon": "gallon gal",
    "quart": "quart", "pint": "pint", "cup": "cup", "degree": "degree", "radian": "radian rad",
    "penny": "penny pennie", "nickel": "nickel", "dime": "dime",
}  # fmt: skip
_BASES: Final = {spelt: unit for unit, spellings in _SPELLINGS.items() for spelt in spellings.split()}
DIMENSIONS: Final = {unit: dimension for dimension, sizes in _TABLE.items() for unit in sizes}
_COMPOUND: Final = {"mph": "mi/h", "kph": "km/h", "kmh": "km/h"}
_SIZES: Final = {
    unit: (name, Fraction(size))
    for table in (_TABLE, _APART)
    for name, sizes in table.items()
    for unit, size in sizes.items()
    if size
}
"""The units that a unit can be compared with, and its size among them."""
_SHAPE: Final = re.compile(
    r"(square |cubic )?([A-Za-z]+)(?:(?:/| per | an? )([A-Za-z]+))?(?:\^?\{?([23])\}?)?"
)


def _factors(text: str) -> tuple[tuple[str, int], ...]:
    """The base units in a unit, with their powers. Empty where it is none that is known."""
    match = _SHAPE.fullmatch(_COMPOUND.get(text, text))
    if match is None:
        return ()
    power, last = {"square ": 2, "cubic ": 3}.get(match[1], 1), int(match[4] or 1)
    over, under = _base(match[2]), _base(match[3] or "")
    if over is None or (under is None and match[3]):
        return ()
    return ((over, power), (under, -last)) if under else ((over, power * last),)


def bases(text: str) -> frozenset[str]:
    """The base units in a unit: `km/h` has `km` and `h`. Empty where it is none that is known."""
    return frozenset(unit for unit, _ in _factors(text))


def _base(word: str) -> str | None:
    return _BASES.get(word) or _BASES.get(word.removesuffix("s"))


def is_unit(text: str) -> bool:
    """Whether a text is a unit that is known."""
    return bool(bases(text))


def is_mixed(units: Iterable[str]) -> bool:
    """Whether two base units measure the same dimension: numbers in them must not be compared."""
    measured = [DIMENSIONS.get(unit, "count") for unit in frozenset(units)]
    return len(measured) > len(set(measured))


class Measure(NamedTuple):
    """The dimension of a unit, and the factor by which to multiply numbers in it."""

    dimension: Dimension
    size: Fraction


def measure(text: str) -> Measure | None:
    """The measure of a unit; None where no exact factor is known."""
    factors = _factors(text)
    if not factors or not all(unit in _SIZES for unit, _ in factors):
        return None
    dimension, size = NO_DIMENSION, Fraction(1)
    for unit, power in factors:
        name, amount = _SIZES[unit]
        dimension = multiplied(dimension, frozenset([(name, power)]))
        size *= amount**power
    return Measure(dimension, size)


def multiplied(left: Dimension, right: Dimension) -> Dimension:
    """The dimension of a product."""
    powers = Counter(dict(left))
    for name, power in right:
        powers[name] += power
    return frozenset((name, power) for name, power in powers.items() if power)


def raised(dimension: Dimension, power: int) -> Dimension:
    """The dimension of a power."""
    return frozenset((name, each * power) for name, each in dimension if power)
