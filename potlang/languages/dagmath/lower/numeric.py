"""Approximate values of terms without a rational one: roots, powers, functions of angles ([REL-NUMERIC])."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple

from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Quantity,
    Term,
    Variable,
    free_names,
    quantities,
)

_LARGEST: Final = 1e100
_MOST_CHOSEN: Final = 1_000
_CONSTANTS: Final = {"pi": complex(math.pi), "e": complex(math.e), "i": 1j}
TOLERANCE: Final = 1e-9
"""Relative to the largest number on the way: doubles keep sixteen digits."""


class NotNumeric(ValueError):
    """A term has no value that is computed here; the message says why."""


class Approximation(NamedTuple):
    """A value in complex numbers, and the largest absolute value of all that it was computed from."""

    value: complex
    largest: float


def approximation(term: Term, values: Mapping[str, complex] = {}) -> Approximation:
    """The value of a term, where `values` has those of its variables and, by their words, its quantities.

    Roots are the principal ones; `pi`, `e` and `i` are what they usually are, unless `values` has them.
    Raises NotNumeric.
    """
    largest = 0.0

    def valued(name: str) -> complex:
        known = values.get(name, _CONSTANTS.get(name))
        if known is None:
            raise NotNumeric(f"{name} has no value")
        return known

    def computed(term: Term) -> complex:
        nonlocal largest
        match term:
            case Num(number):
                found = _double(number)
            case Variable(name):
                found = valued(name)
            case Quantity(words):
                found = valued(" ".join(words))
            case Op("unit:degree", (inner,)):
                found = computed(inner) * math.pi / 180
            case Op(op, args) if op in _FUNCTIONS:
                inside = [computed(arg) for arg in args]
                try:
                    found = complex(_FUNCTIONS[op](*inside))
                except (ArithmeticError, ValueError, TypeError) as error:
                    raise NotNumeric(f"{op} has no value: {error}") from None
            case Op(op):
                raise NotNumeric(f"{op} is not computed")
        found += 0j  # Minus zero would choose the other branch of a root.
        size = abs(found)
        if not size < _LARGEST:
            raise NotNumeric("a number is too large")
        largest = max(largest, size)
        # Without a negative zero, on the other side of which roots have another value.
        return complex(found.real + 0.0, found.imag + 0.0)

    value = computed(term)
    return Approximation(value, largest)


def are_near(left: Approximation, right: Approximation, tolerance: float = TOLERANCE) -> bool:
    """Whether two values are the same but for the error of doubles."""
    return abs(left.value - right.value) <= tolerance * max(left.largest, right.largest, 1e-3)


def _double(number: Fraction) -> complex:
    try:
        return complex(float(number))
    except OverflowError:
        raise NotNumeric("a number is too large") from None


def _real(number: complex) -> float:
    if abs(number.imag) > TOLERANCE * max(1.0, abs(number)):
        raise NotNumeric("a real number is expected")
    return number.real


def _natural(number: complex) -> int:
    count = _real(number)
    if count < 0 or count != round(count):
        raise NotNumeric("a natural number is expected")
    return int(count)


def _factorial(number: complex) -> float:
    return math.gamma(_natural(number) + 1)


def _binomial(count: int, chosen: int) -> int:
    if min(chosen, count - chosen) > _MOST_CHOSEN:
        raise NotNumeric("a binomial coefficient is too large")
    return math.comb(count, chosen)


def _power(base: complex, exponent: complex) -> complex:
    if base == 0 and exponent == 0:
        raise NotNumeric("zero to the power of zero")
    if base.imag or exponent.imag:
        return base**exponent
    if base.real < 0 and exponent.real % 1:
        # To some `(-8)^{1/3}` is -2, to others it is the principal value.
        raise NotNumeric("a fractional power of a negative number")
    # In reals, so that `(-1)^{10^9}` is 1 and not nearly so.
    return complex(base.real**exponent.real)


def _logarithm(base: complex, number: complex) -> complex:
    return cmath.log(number) / cmath.log(base)


def _root(degree: complex, number: complex) -> complex:
    real = _real(number)
    # The real root of a negative number is meant where there is one.
    if real < 0 and _real(degree) % 2 == 1:
        return complex(-((-real) ** (1 / _real(degree))))
    return number ** (1 / degree)


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "+": lambda *a: sum(a),
    "neg": lambda a: -a,
    "*": lambda *a: math.prod(a),
    "/": lambda a, b: a / b,
    "ratio": lambda a, b: a / b,
    "^": _power,
    "%": lambda a: a / 100,
    "sqrt": cmath.sqrt,
    "root": _root,
    "abs": abs,
    "!": _factorial,
    "floor": lambda a: math.floor(_real(a)),
    "ceil": lambda a: math.ceil(_real(a)),
    "max": lambda *a: max(map(_real, a)),
    "min": lambda *a: min(map(_real, a)),
    "binom": lambda n, k: _binomial(_natural(n), _natural(k)),
    "exp": cmath.exp,
    "ln": cmath.log,
    "logbase": _logarithm,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "cot": lambda a: 1 / cmath.tan(a),
    "sec": lambda a: 1 / cmath.cos(a),
    "csc": lambda a: 1 / cmath.sin(a),
    "arcsin": cmath.asin,
    "arccos": cmath.acos,
    "arctan": cmath.atan,
    "conj": lambda a: a.conjugate(),
    "sinh": cmath.sinh,
    "cosh": cmath.cosh,
    "tanh": cmath.tanh,
}


_POINTS: Final = 4


def may_be_identical(left: Term, right: Term, integers: frozenset[str] = frozenset()) -> bool:
    """Whether two expressions agree at some points, or are not computed there: else they are not the same."""
    both = (left, right)
    names = {name for each in both for name in free_names(each)} - {"pi"}
    named = sorted(names | {" ".join(part.words) for each in both for part in quantities(each)})
    for point in range(_POINTS):
        values = {name: _at(place, point, name in integers) for place, name in enumerate(named)}
        try:
            if not are_near(approximation(left, values), approximation(right, values), 1e-6):
                return False
        except NotNumeric:
            continue
    return True


def _at(place: int, point: int, is_whole: bool) -> complex:
    """The value of a variable at a point: irrational ones that have nothing to do with each other."""
    # A factorial has a value at whole numbers alone, whether the text says that they are whole or not.
    if is_whole or point == _POINTS - 1:
        return complex(2 + (3 * place + 2 * point) % 7)
    return complex(1.1 + math.sqrt(place + 2) % 1 + point * 0.7183)


_PROBES: Final = ((1.37, 0.71), (-0.83, 0.47), (0.29, -1.61), (3.0, 2.0), (5.0, 1.0))
"""Starts and steps of the values that variables have: of each sign, and whole ones."""


def may_agree(left: Term, right: Term, *, is_complex: bool = False) -> bool:
    """Whether two expressions agree wherever both have a value among some points; real ones, but for `i`."""
    names = sorted((free_names(left) | free_names(right)) - {"pi", "e"} - ({"i"} if is_complex else set()))
    for start, step in _PROBES:
        values = {name: complex(start + step * at) for at, name in enumerate(names)}
        try:
            found = approximation(left, values), approximation(right, values)
        except NotNumeric:
            continue
        is_real = all(abs(each.value.imag) <= TOLERANCE * each.largest for each in found)
        if (is_real or is_complex) and not are_near(*found, 1e-6):
            return False
    return True
