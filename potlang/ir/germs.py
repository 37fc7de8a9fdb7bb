"""Numbers that depend on one parameter ω, compared for all large ω at once.

A formula without quantifiers over numbers compares finitely many numbers. If each of them is a sum of
powers of ω, every comparison comes out the same way from some ω on; so one evaluation with these
numbers is an evaluation in infinitely many structures, one for each large enough ω. ω runs over the
integers that a fixed number divides, as many as need be: then remainders are constant too. (Such sums are
germs at infinity of functions of ω; they are an ordered ring.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from potlang.ir.fold import MOST_BITS, bit_size
from potlang.ir.structure import NotEvaluable
from potlang.ir.values import Unspecified

_MOST_PARTS = 64


class Germ:
    """A sum of multiples of powers of ω that is not constant: `parts` from exponents to factors, none 0.

    Made by `germ`, which gives a `Fraction` for what is constant. Raises `NotEvaluable` for sums out of all
    proportion, and for quotients and remainders that are no such sums.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[tuple[int, Fraction], ...]) -> None:
        self.parts = parts

    @property
    def sign(self) -> int:
        """1 or -1: that of the highest power decides in the end."""
        return 1 if self.parts[0][1] > 0 else -1

    @property
    def infinite(self) -> bool:
        """Whether it passes every bound."""
        return self.parts[0][0] > 0

    @property
    def standard(self) -> Fraction:
        """The limit, if it is not infinite."""
        return dict(self.parts).get(0, Fraction(0))

    def __hash__(self) -> int:
        return hash(self.parts)

    def __eq__(self, other: object) -> bool:
        # Constants are no germs, so they differ from every germ in the end.
        return isinstance(other, Germ) and self.parts == other.parts

    def __lt__(self, other: object) -> bool:
        return _sign(_sum((self, _scaled(other, -1)))) < 0

    def __le__(self, other: object) -> bool:
        return _sign(_sum((self, _scaled(other, -1)))) <= 0

    def __gt__(self, other: object) -> bool:
        return not self <= other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def __add__(self, other: object) -> object:
        return _sum((self, other))

    __radd__ = __add__

    def __neg__(self) -> object:
        return _scaled(self, -1)

    def __sub__(self, other: object) -> Germ | Fraction:
        return _sum((self, _scaled(other, -1)))

    def __rsub__(self, other: object) -> object:
        return _sum((other, _scaled(self, -1)))

    def __abs__(self) -> object:
        return self if self.sign > 0 else -self

    def __mul__(self, other: object) -> object:
        found: dict[int, Fraction] = {}
        for power, factor in self.parts:
            for more, times in _parts(other):
                found[power + more] = found.get(power + more, Fraction(0)) + factor * times
        return germ(found)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> object:
        parts = _parts(other)
        if not parts:
            raise Unspecified
        # One power of ω alone has an inverse that is a sum of powers.
        if len(parts) > 1:
            raise NotEvaluable("a quotient of numbers that grow differently")
        (power, factor), *_ = parts
        return germ({each - power: mine / factor for each, mine in self.parts})

    def __rtruediv__(self, other: object) -> object:
        if len(self.parts) > 1:
            raise NotEvaluable("a quotient of numbers that grow differently")
        (power, factor), *_ = self.parts
        return germ({each - power: mine / factor for each, mine in _parts(other)})

    def __mod__(self, other: object) -> object:
        if isinstance(other, Germ):
            raise NotEvaluable("a remainder by a number that grows")
        if not other:
            raise Unspecified
        assert isinstance(other, int | Fraction)
        # ω is divisible by whatever it has to be, so only the constant part leaves a remainder.
        if self.parts[-1][0] < 0:
            raise NotEvaluable("a remainder of a number that is no integer")
        return self.standard % other

    def __floordiv__(self, other: object) -> object:
        rest = self % other
        assert isinstance(other, int | Fraction)
        return _scaled(self - rest, 1 / Fraction(other))

    def __rmod__(self, other: object) -> object:
        raise NotEvaluable("a remainder by a number that grows")

    __rfloordiv__ = __rmod__

    def __floor__(self) -> object:
        whole = math.floor(self.standard)
        small = next((factor for power, factor in self.parts if power < 0), Fraction(0))
        # Just below an integer is not that integer.
        if self.standard == whole and small < 0:
            whole -= 1
        return germ({power: factor for power, factor in self.parts if power > 0} | {0: Fraction(whole)})


def germ(parts: Mapping[int, Fraction]) -> Germ | Fraction:
    """The sum of these multiples of powers of ω, by exponent. Raises `NotEvaluable` if it is too large."""
    kept = sorted(((power, factor) for power, factor in parts.items() if factor), reverse=True)
    if len(kept) > _MOST_PARTS or sum(bit_size(factor) for _, factor in kept) > MOST_BITS:
        raise NotEvaluable("the value is too large")
    if not kept:
        return Fraction(0)
    return kept[0][1] if len(kept) == 1 and not kept[0][0] else Germ(tuple(kept))


def _parts(value: object) -> tuple[tuple[int, Fraction], ...]:
    if isinstance(value, Germ):
        return value.parts
    if not isinstance(value, int | Fraction):
        raise NotEvaluable("no number")
    return ((0, Fraction(value)),) if value else ()


def _sum(values: Iterable[object]) -> Germ | Fraction:
    found: dict[int, Fraction] = {}
    for value in values:
        for power, factor in _parts(value):
            found[power] = found.get(power, Fraction(0)) + factor
    return germ(found)


def _scaled(value: object, factor: Fraction | int) -> Germ | Fraction:
    return germ({power: each * factor for power, each in _parts(value)})


def _sign(value: Germ | Fraction) -> int:
    if isinstance(value, Germ):
        return value.sign
    return (value > 0) - (value < 0)
