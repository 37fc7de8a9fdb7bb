"""The exact value of a term, and the truth of a statement, at given values of its variables.

Numbers are fractions; what has no rational value that is found, or one that is too large, is refused
before it is computed. No solver and no library has a part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    Name,
    Num,
    Op,
    Quantity,
    Term,
    conjuncts,
    parts,
    text,
)

MOST_BITS: Final = 20_000
_MOST_TERMS: Final = 2_000
_LARGEST_FACTORIAL: Final = 1_500
Values = Mapping[Term, Fraction]


class NotExact(ValueError):
    """A term has no rational value that is computed here; the message says why."""


class DividesByZero(NotExact):
    """A divisor is zero."""


def value(term: Term, values: Values = {}) -> Fraction:  # noqa: B006
    """The value of a term, where `values` has those of its names and quantities. Raises NotExact."""
    match term:
        case Num(number):
            return number
        case Name() | Quantity():
            if term not in values:
                raise NotExact(f"{text(term)} has no value")
            return values[term]
        case Op(op, args):
            if op in BINDERS:
                return _repeated(term, values)
            if op in _FUNCTIONS and (op != "ratio" or len(args) == 2):
                return _checked(_FUNCTIONS[op](*(value(arg, values) for arg in args)))
            raise NotExact(f"{op} is not computed")


def truth(term: Term, values: Values = {}) -> bool:  # noqa: B006
    """Whether a statement is true. Raises NotExact."""
    assert isinstance(term, Op)
    op, args = term.op, term.args
    match op:
        case "and":
            return all(truth(arg, values) for arg in args)
        case "or":
            return any(truth(arg, values) for arg in args)
        case "not":
            return not truth(args[0], values)
        case "=>":
            return not truth(args[0], values) or truth(args[1], values)
        case "<=>":
            return truth(args[0], values) is truth(args[1], values)
        case "in":
            return _member(value(args[0], values), args[1], values)
    if op == "approx":
        term_, rounded, size = (value(arg, values) for arg in args)
        if 2 * abs(term_ - rounded) > size:
            raise NotExact("it may be rounded in another way")
        return True
    if op not in _TRUTHS:
        raise NotExact(f"{op} is not computed")
    if op in ("=", "!=") and _are_tuples(args):
        pairs = zip(*(arg.args for arg in args if isinstance(arg, Op)), strict=False)
        return (op == "=") is all(value(a, values) == value(b, values) for a, b in pairs)
    return _TRUTHS[op](*(value(arg, values) for arg in args))


def has_decimals(term: Term) -> bool:
    """Whether a number in a term is written with decimals: it may be rounded."""
    return any(isinstance(each, Num) and each.value.denominator != 1 for each in parts(term))


def _has_percent(term: Term) -> bool:
    return any(isinstance(each, Op) and each.op == "%" for each in parts(term))


def is_nearly(term: Term) -> bool:
    """Whether a statement with decimals that is false may be right but for rounding. Raises NotExact."""
    for part in conjuncts(term):
        assert isinstance(part, Op)
        if truth(part):
            continue
        if part.op != "=" or not (has_decimals(part) or _has_percent(part)):
            return False
        left, right = (value(arg) for arg in part.args)
        if abs(left - right) > _ROUNDING * max(abs(left), abs(right)):
            return False
    return True


def is_by_the_hundred(term: Term) -> bool:
    """Whether a false statement is true if a side in percent counts hundredths: `100 - 20 = 80%`."""
    return all(truth(part) or truth(_counted(part)) for part in conjuncts(term))


def _counted(relation: Term) -> Term:
    """The relation with sides in percent as numbers of hundredths."""
    assert isinstance(relation, Op)
    sides = [side.args[0] if isinstance(side, Op) and side.op == "%" else side for side in relation.args]
    return Op(relation.op, tuple(sides))


_ROUNDING: Final = Fraction(1, 20)


def _are_tuples(args: tuple[Term, ...]) -> bool:
    """Whether all are tuples, or ratios, of one length."""
    shapes = {(arg.op, len(arg.args)) if isinstance(arg, Op) else None for arg in args}
    return len(shapes) == 1 and next(iter(shapes), None) is not None and args[0].op == "tuple"  # type: ignore[union-attr]


def _member(element: Fraction, whole: Term, values: Values) -> bool:
    assert isinstance(whole, Op)
    if whole.op == "set":
        return any(value(each, values) == element for each in whole.args)
    if whole.op in ("where:Z", "where:N"):
        if not element and whole.op == "where:N":
            raise NotExact("0 is natural to some and not to others")
        return element.denominator == 1 and (whole.op == "where:Z" or element > 0)
    if whole.op in ("where:Q", "where:R"):
        return True
    if len(whole.args) != 2:
        raise NotExact("a set is not computed")
    first, last = (value(each, values) for each in whole.args)
    below = first <= element if whole.op.startswith("[") else first < element
    return below and (element <= last if whole.op.endswith("]") else element < last)


def _checked(number: Fraction) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_BITS:
        raise NotExact("a number is too large")
    return number


def _integer(number: Fraction) -> int:
    if number.denominator != 1:
        raise NotExact("a whole number is expected")
    return number.numerator


def _repeated(term: Op, values: Values) -> Fraction:
    index, first, last, body = term.args
    low, high = _integer(value(first, values)), _integer(value(last, values))
    if high - low >= _MOST_TERMS:
        raise NotExact(f"a {term.op} has more than {_MOST_TERMS} terms")
    if any(isinstance(each, Op) and each.op in BINDERS for each in (body, first, last)):
        raise NotExact("a sum of sums is not computed")
    found = Fraction(term.op == "prod")
    for at in range(low, high + 1):
        each = value(body, {**values, index: Fraction(at)})
        found = _checked(found + each if term.op == "sum" else found * each)
    return found


def _sum(*numbers: Fraction) -> Fraction:
    return sum(numbers, Fraction(0))


def _product(*numbers: Fraction) -> Fraction:
    found = Fraction(1)
    for number in numbers:
        found = _checked(found * number)
    return found


def _quotient(over: Fraction, under: Fraction) -> Fraction:
    if not under:
        raise DividesByZero("divides by zero")
    return over / under


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        return _power(_root(Fraction(exponent.denominator), base), Fraction(exponent.numerator))
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) != 1 and base and size * abs(exponent.numerator) > MOST_BITS:
        raise NotExact("a power is too large")
    if not base and exponent <= 0:
        if exponent:
            raise DividesByZero("divides by zero")
        raise NotExact("zero to the power of zero")
    if abs(base) == 1:
        return Fraction(1) if exponent.numerator % 2 == 0 else base
    return base**exponent.numerator


def _root(degree: Fraction, number: Fraction) -> Fraction:
    count = _integer(degree)
    if count < 1 or count > 64 or (number < 0 and count % 2 == 0):
        raise NotExact("a root is not computed")
    sign = -1 if number < 0 else 1
    over, under = (_whole_root(part, count) for part in (abs(number.numerator), number.denominator))
    return sign * Fraction(over, under)


def _whole_root(number: int, degree: int) -> int:
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    if low**degree != number:
        raise NotExact("a root is irrational")
    return low


def _factorial(number: Fraction) -> Fraction:
    count = _integer(number)
    if not 0 <= count <= _LARGEST_FACTORIAL:
        raise NotExact("a factorial is not computed")
    return Fraction(math.factorial(count))


def _binomial(over: Fraction, under: Fraction) -> Fraction:
    count, chosen = _integer(over), _integer(under)
    if not (0 <= count <= MOST_BITS and chosen >= 0):
        raise NotExact("a binomial coefficient is not computed")
    return Fraction(math.comb(count, chosen))


def _remainder(number: Fraction, modulus: Fraction) -> Fraction:
    if not modulus:
        raise DividesByZero("divides by zero")
    return Fraction(_integer(number) % abs(_integer(modulus)))


def _logarithm(base: Fraction, number: Fraction) -> Fraction:
    if base <= 0 or base == 1 or number <= 0:
        raise NotExact("a logarithm is not defined")
    for exponent in range(65):
        for sign in (1, -1):
            if _power(base, Fraction(sign * exponent)) == number:
                return Fraction(sign * exponent)
    raise NotExact("a logarithm is not computed")


_FUNCTIONS: Final[dict[str, Callable[..., Fraction]]] = {
    "+": _sum,
    "neg": lambda a: -a,
    "*": _product,
    "/": _quotient,
    "ratio": _quotient,
    "^": _power,
    "%": lambda a: a / 100,
    "sqrt": lambda a: _root(Fraction(2), a),
    "root": _root,
    "abs": abs,
    "floor": lambda a: Fraction(math.floor(a)),
    "ceil": lambda a: Fraction(math.ceil(a)),
    "mod": _remainder,
    "!": _factorial,
    "binom": _binomial,
    "logbase": _logarithm,
    "gcd": lambda *a: Fraction(math.gcd(*map(_integer, a))),
    "lcm": lambda *a: Fraction(math.lcm(*map(_integer, a))),
    "max": max,
    "min": min,
}
_TRUTHS: Final[dict[str, Callable[..., bool]]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "divides": lambda a, b: _integer(b) % _integer(a) == 0 if a else not b,
    "congruent": lambda a, b, n: _remainder(a - b, n) == 0,
}
