"""Numbers that grow with one parameter ω, compared as for all large ω at once: `[CERT-FAMILY]`.

A model with such numbers stands for one model for each large enough ω of the squares that some number
divides. An evaluation makes finitely many comparisons, and each comes out the same way from some ω on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering

MOST_PARTS = 64
Part = tuple[int | Fraction, Fraction]
"""An exponent of ω, and the factor of that power."""


@total_ordering
@dataclass(frozen=True, slots=True)
class Growing:
    """A sum of multiples of powers of ω that is not constant: `parts`, the greatest exponent first.

    Raises `ArithmeticError` where a value is no such sum, or one of too many parts.
    """

    # Two different sums are equal for finitely many ω at most.
    parts: tuple[Part, ...]

    def __lt__(self, other: object) -> bool:
        return _sign(self - other) < 0

    def __neg__(self) -> Growing | Fraction:
        return self * -1

    def __abs__(self) -> Growing | Fraction:
        return self * _sign(self)

    def __add__(self, other: object) -> Growing | Fraction:
        return total([*self.parts, *_parts(other)])

    __radd__ = __add__

    def __sub__(self, other: object) -> Growing | Fraction:
        return total([*self.parts, *((power, -factor) for power, factor in _parts(other))])

    def __rsub__(self, other: object) -> Growing | Fraction:
        return total([*_parts(-self), *_parts(other)])

    def __mul__(self, other: object) -> Growing | Fraction:
        return _product(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Growing | Fraction:
        return self * _inverse(other)

    def __rtruediv__(self, other: object) -> Growing | Fraction:
        return _product(_inverse(self), other)

    def __floordiv__(self, other: object) -> Growing | Fraction:
        return _product(self - self % other, _inverse(other))

    def __mod__(self, other: object) -> Fraction:
        # ω is divisible by whatever it has to be: the constant alone leaves a remainder.
        if isinstance(other, int) and self.parts[-1][0] >= 0:
            return dict(self.parts).get(0, Fraction(0)) % other
        raise ArithmeticError("a remainder of a number that grows or shrinks")

    def __rmod__(self, other: object) -> Fraction:
        raise ArithmeticError("a remainder by a number that grows")

    __rfloordiv__ = __rmod__

    def __floor__(self) -> Growing | Fraction:
        constant = dict(self.parts).get(0, Fraction(0))
        small = [factor for power, factor in self.parts if power < 0]
        # Just below an integer is not that integer.
        below = constant.denominator == 1 and bool(small) and small[0] < 0
        return total([part for part in self.parts if part[0] > 0]) + (math.floor(constant) - below)


def total(parts: Iterable[Part]) -> Growing | Fraction:
    """The sum of these parts."""
    found: dict[int | Fraction, Fraction] = {}
    for power, factor in parts:
        found[power] = found.get(power, Fraction(0)) + factor
    kept = tuple(sorted(((power, factor) for power, factor in found.items() if factor), reverse=True))
    if len(kept) > MOST_PARTS:
        raise ArithmeticError("a number that grows has too many parts")
    return Growing(kept) if any(power for power, _ in kept) else found.get(0, Fraction(0))


def _product(one: object, other: object) -> Growing | Fraction:
    return total([(p + q, f * g) for p, f in _parts(one) for q, g in _parts(other)])


def _parts(value: object) -> tuple[Part, ...]:
    if isinstance(value, Growing):
        return value.parts
    if not isinstance(value, int | Fraction):
        raise ArithmeticError("no number")
    return ((0, Fraction(value)),)


def _sign(value: object) -> int:
    """The highest power decides in the end."""
    leading = _parts(value)[0][1]
    return (leading > 0) - (leading < 0)


def _inverse(value: object) -> Growing | Fraction:
    if len(parts := _parts(value)) > 1:
        raise ArithmeticError("a quotient of numbers that grow differently")
    return total([(-power, 1 / factor) for power, factor in parts])
