"""Values and what the operators compute on them: exact arithmetic, SMT-LIB's meaning throughout.

Bool is `bool`, Int `int`, Real `Fraction`, String `str`, an enum value its name, a member of a declared
sort an `Element`, a bit vector `Bits`, a record a `Record`, arrays, sets and function values a
`MapValue`. Division by zero is unspecified in SMT-LIB: here it raises `Unspecified`, and whoever
evaluates decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from potlang.ir.numerals import natural


class Unspecified(Exception):
    """The value is not determined by the logic (division by zero)."""


@dataclass(frozen=True, slots=True)
class Element:
    """Member number `index` of the universe of a declared sort."""

    sort: str
    index: int


@dataclass(frozen=True, slots=True)
class Bits:
    """A bit vector: `number` is unsigned and below 2 to the `width`."""

    number: int
    width: int


@dataclass(frozen=True, slots=True)
class Record:
    """A value of a tuple sort."""

    sort: str
    fields: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class MapValue:
    """A total map: `default` everywhere but at the keys of `entries`.

    `entries` never maps a key to `default`, and is ordered by nothing: equal maps over an infinite
    index sort are equal tables. Over a finite index sort all keys are listed by whoever compares.
    """

    default: object
    entries: frozenset[tuple[object, object]] = frozenset()

    def get(self, key: object) -> object:
        """The value at `key`."""
        for known, value in self.entries:
            if known == key:
                return value
        return self.default

    def set(self, key: object, value: object) -> MapValue:
        """The same map with `value` at `key`."""
        kept = frozenset(pair for pair in self.entries if pair[0] != key)
        return MapValue(self.default, kept if value == self.default else kept | {(key, value)})


# --- logic ---------------------------------------------------------------------------------------


def and_(*args: bool) -> bool:
    """Conjunction."""
    return all(args)


def or_(*args: bool) -> bool:
    """Disjunction."""
    return any(args)


def implies(a: bool, b: bool) -> bool:
    """Material implication."""
    return not a or b


def ite(condition: bool, then: object, otherwise: object) -> object:
    """Choice."""
    return then if condition else otherwise


def distinct(*args: object) -> bool:
    """Pairwise difference."""
    return len(set(args)) == len(args)


# --- arithmetic ----------------------------------------------------------------------------------

Number = int | Fraction


def add(*args: Number) -> Number:
    """Sum."""
    return sum(args[1:], args[0])


def mul(*args: Number) -> Number:
    """Product."""
    return math.prod(args)


def real_div(a: Fraction, b: Fraction) -> Fraction:
    """Quotient of reals."""
    if b == 0:
        raise Unspecified
    return to_real(a) / b


def to_real(a: Number) -> Fraction:
    """An integer as a real."""
    # Numbers of other classes (`potlang.ir.germs`) are reals and integers at once.
    return Fraction(a) if isinstance(a, int) else a


def int_div(a: int, b: int) -> int:
    """SMT-LIB `div`: the remainder is never negative."""
    if b == 0:
        raise Unspecified
    return a // b if b > 0 else -(a // -b)


def int_mod(a: int, b: int) -> int:
    """SMT-LIB `mod`: between 0 and |b| - 1."""
    if b == 0:
        raise Unspecified
    return a % abs(b)


# --- arrays, functions, sets ---------------------------------------------------------------------


def select(array: MapValue, index: object) -> object:
    """The element at an index."""
    return array.get(index)


def store(array: MapValue, index: object, element: object) -> MapValue:
    """The array with one element replaced."""
    return array.set(index, element)


def apply(function: MapValue, *args: object) -> object:
    """A function value at its arguments; keys are tuples."""
    return function.get(args)


def member(element: object, whole: MapValue) -> object:
    """Membership."""
    return whole.get(element)


def insert(element: object, whole: MapValue) -> MapValue:
    """The set with one more element."""
    return whole.set(element, True)


def _pointwise(function: Callable[[bool, bool], bool], a: MapValue, b: MapValue) -> MapValue:
    result = MapValue(function(bool(a.default), bool(b.default)))
    for key, _ in a.entries | b.entries:
        result = result.set(key, function(bool(a.get(key)), bool(b.get(key))))
    return result


def union(a: MapValue, b: MapValue) -> MapValue:
    """Members of one or the other."""
    return _pointwise(lambda x, y: x or y, a, b)


def intersect(a: MapValue, b: MapValue) -> MapValue:
    """Members of both."""
    return _pointwise(lambda x, y: x and y, a, b)


def difference(a: MapValue, b: MapValue) -> MapValue:
    """Members of the first alone."""
    return _pointwise(lambda x, y: x and not y, a, b)


def subset(a: MapValue, b: MapValue) -> bool:
    """Whether all members of the first are in the second."""
    outside = difference(a, b)
    return not outside.default and not outside.entries


# --- strings -------------------------------------------------------------------------------------


def str_concat(*args: str) -> str:
    """Concatenation."""
    return "".join(args)


def str_prefix(part: str, whole: str) -> bool:
    """Whether the second starts with the first."""
    return whole.startswith(part)


def str_suffix(part: str, whole: str) -> bool:
    """Whether the second ends with the first."""
    return whole.endswith(part)


def str_substring(whole: str, start: int, length: int) -> str:
    """So many characters from a place on, as far as there are any; from outside of the string none."""
    if not 0 <= start < len(whole) or length <= 0:
        return ""
    return whole[start : start + length]


def str_to_int(digits: str) -> int:
    """The number that a string of decimal digits writes; -1 of any other."""
    return natural(digits) if digits.isascii() and digits.isdigit() else -1


# --- bit vectors ---------------------------------------------------------------------------------


def bv_concat(high: Bits, low: Bits) -> Bits:
    """Concatenation; the first is the more significant."""
    return Bits(high.number << low.width | low.number, high.width + low.width)


def bv_to_int(a: Bits) -> int:
    """The unsigned number."""
    return a.number


def int_to_bv(number: int, like: Bits) -> Bits:
    """The number modulo 2 to the width of `like`."""
    return Bits(number % (1 << like.width), like.width)


def bv_not(a: Bits) -> Bits:
    """Complement."""
    return Bits(~a.number % (1 << a.width), a.width)


def bv_neg(a: Bits) -> Bits:
    """Two's complement negation."""
    return Bits(-a.number % (1 << a.width), a.width)


def on_bits(function: Callable[[int, int, int], int]) -> Callable[[Bits, Bits], object]:
    """A row's evaluator from a function of two unsigned numbers and their width.

    A `bool` stays one; a number is taken modulo 2 to the width.
    """

    def evaluate(a: Bits, b: Bits) -> object:
        result = function(a.number, b.number, a.width)
        return result if isinstance(result, bool) else Bits(result % (1 << a.width), a.width)

    return evaluate


def _signed(a: int, width: int) -> int:
    return a - (1 << width) if a >> (width - 1) else a


def bv_udiv(a: int, b: int, width: int) -> int:
    """Unsigned quotient; all ones for a zero divisor, as SMT-LIB fixes it."""
    return a // b if b else (1 << width) - 1


def bv_urem(a: int, b: int, width: int) -> int:
    """Unsigned remainder; the dividend for a zero divisor."""
    return a % b if b else a


def bv_sdiv(a: int, b: int, width: int) -> int:
    """Signed quotient, truncated; by zero: 1 for a negative dividend, else -1."""
    x, y = _signed(a, width), _signed(b, width)
    if y == 0:
        return 1 if x < 0 else -1
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def bv_srem(a: int, b: int, width: int) -> int:
    """Signed remainder with the dividend's sign; the dividend for a zero divisor."""
    x, y = _signed(a, width), _signed(b, width)
    if y == 0:
        return x
    remainder = abs(x) % abs(y)
    return -remainder if x < 0 else remainder


def bv_shl(a: int, b: int, width: int) -> int:
    """Shift left; zero from the width on."""
    return a << b if b < width else 0


def bv_lshr(a: int, b: int, width: int) -> int:
    """Shift right, filling with zeros."""
    return a >> b if b < width else 0


def bv_ashr(a: int, b: int, width: int) -> int:
    """Shift right, filling with the sign."""
    return _signed(a, width) >> min(b, width)


def bv_slt(a: int, b: int, width: int) -> bool:
    """Signed strict order."""
    return _signed(a, width) < _signed(b, width)


def bv_sle(a: int, b: int, width: int) -> bool:
    """Signed order."""
    return _signed(a, width) <= _signed(b, width)
