"""Exact values of terms and the truth of statements, at given values of their variables ([STEP-ARITHMETIC]).

Numbers are fractions; what has no rational value that is found, or one that is too large, is refused before
it is computed. What the IR has a row for is computed by that row, whose `Unspecified` is a refusal here; no
solver and no library has a part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from itertools import islice, product
from typing import Any, Final

from potlang.ir import operators as ops
from potlang.ir.values import Unspecified
from potlang.languages.dagmath.lower.desugar import desugared
from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    Num,
    Op,
    Term,
    Unreadable,
    Variable,
    conjuncts,
    free_names,
    is_op,
    is_statement,
    parts,
    shown,
    text,
)

MOST_BITS: Final = 20_000
_MOST_TERMS: Final = 2_000
_LARGEST_FACTORIAL: Final = 1_500
_LARGEST_PRIME: Final = 1_000
_ROUNDING: Final = Fraction(1, 20)
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
        case Op(op, args) if op in BINDERS:
            return _repeated(term, values)
        case Op(op, args) if op in _FUNCTIONS and (op != "ratio" or len(args) == 2):
            numbers = [value(arg, values) for arg in args]
            try:
                return _bounded(Fraction(_FUNCTIONS[op](*numbers)))
            except Unspecified:
                raise DividesByZero("divides by zero") from None
        case Op(op):
            raise NotExact(f"{op} is not computed")
    if term not in values:
        raise NotExact(f"{text(term)} has no value")
    return values[term]


def truth(term: Term, values: Values = {}) -> bool:  # noqa: B006
    """Whether a statement is true. Raises NotExact."""
    if not is_statement(term):
        raise NotExact("a number is not a statement")
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
    try:
        simpler = desugared(term)
    except Unreadable as error:
        raise NotExact(str(error)) from None
    if simpler is not term:
        holds = truth(simpler, values)
        # What is not rounded to the nearest number may be rounded up, or down.
        if op == "approx" and not holds:
            raise NotExact("it may be rounded in another way")
        return holds
    if op == "in":
        return _is_member(value(args[0], values), args[1])
    try:
        return bool(_TRUTHS[op](*(value(arg, values) for arg in args)))
    except Unspecified:
        raise DividesByZero("divides by zero") from None


def has_decimals(term: Term) -> bool:
    """Whether a number in a term is written with decimals: it may be rounded."""
    return any(isinstance(each, Num) and each.value.denominator != 1 for each in parts(term))


def is_nearly(term: Term) -> bool:
    """Whether a statement with decimals that is false may be right but for rounding. Raises NotExact."""
    for part in conjuncts(term):
        assert isinstance(part, Op)
        if truth(part):
            continue
        in_percent = any(is_op(each, "%") for each in parts(part))
        if part.op != "=" or not (in_percent or has_decimals(part)):
            return False
        left, right = (value(arg) for arg in part.args)
        if abs(left - right) > _ROUNDING * max(abs(left), abs(right)):
            return False
    return True


def is_by_the_hundred(term: Term) -> bool:
    """Whether a false statement is true if a side in percent counts hundredths: `100 - 20 = 80%`."""
    return all(truth(part) or truth(_counted(part)) for part in conjuncts(term))


def _counted(relation: Term) -> Term:
    assert isinstance(relation, Op)
    sides = [side.args[0] if is_op(side, "%") else side for side in relation.args]
    return Op(relation.op, tuple(sides))


# --- two expressions that should be the same ---

_RATIONAL: Final = frozenset(("+", "neg", "*", "/", "^", "ratio"))
_POINTS: Final = (Fraction(2), Fraction(3), Fraction(-1), Fraction(5), Fraction(1, 2), Fraction(7, 3))
_MOST_POINTS: Final = 200


def difference(old: Term, new: Term) -> str | None:
    """A point at which two rational expressions in the same variables differ, in words ([STEP-REWRITING]).

    None where they agree at all points that are tried, and for other expressions.
    """
    names = sorted(free_names(old))
    if not names or free_names(new) != frozenset(names) or not (_is_rational(old) and _is_rational(new)):
        return None
    # Rational expressions that differ at one point do so at all but few: a handful of points is enough.
    for choice in islice(product(_POINTS, repeat=len(names)), _MOST_POINTS):
        point = dict(zip(names, choice, strict=True))
        values: dict[Term, Fraction] = {Variable(name): number for name, number in point.items()}
        try:
            left, right = value(old, values), value(new, values)
        except NotExact:
            continue
        if left != right:
            where = ", ".join(f"{name} = {number}" for name, number in point.items())
            return (
                f"{shown(old)} and {shown(new)} are not the same: where {where} they are {left} and {right}"
            )
    return None


def _is_rational(term: Term) -> bool:
    for part in parts(term):
        match part:
            case Num() | Variable():
                continue
            case Op("^", (_, exponent)) if not isinstance(exponent, Num) or exponent.value.denominator != 1:
                return False
            case Op(op, args) if op in _RATIONAL and (op != "ratio" or len(args) == 2):
                continue
            case _:
                return False
    return True


# --- parts of numbers ---


def common_part(first: Fraction, second: Fraction) -> Fraction:
    """The largest number of which both are multiples."""
    under = math.lcm(first.denominator, second.denominator)
    return Fraction(math.gcd(int(first * under), int(second * under)), under)


def prime_factors(amount: Fraction) -> dict[int, int]:
    """The prime factors of a positive number with their powers; what has only large ones stays whole."""
    found: dict[int, int] = {}
    for part, sign in ((amount.numerator, 1), (amount.denominator, -1)):
        prime = 2
        while part > 1 and prime <= _LARGEST_PRIME:
            while part % prime == 0:
                found[prime] = found.get(prime, 0) + sign
                part //= prime
            prime += 1
        if part > 1:
            found[part] = sign
    return found


# --- operations ---


def _is_member(element: Fraction, whole: Term) -> bool:
    assert isinstance(whole, Op)
    match whole.op:
        case "where:Z":
            return element.denominator == 1
        case "where:N" if element:
            return element.denominator == 1 and element > 0
        case "where:N":
            raise NotExact("0 is natural to some and not to others")
        case "where:Q" | "where:R":
            return True
    raise NotExact("a set is not computed")


def _bounded(number: Fraction) -> Fraction:
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
    if any(is_op(each, *BINDERS) for each in (body, first, last)):
        raise NotExact("a sum of sums is not computed")
    each = (value(body, {**values, index: Fraction(at)}) for at in range(low, high + 1))
    if term.op == "sum":
        return reduce(lambda found, number: _bounded(found + number), each, Fraction(0))
    return reduce(_times, each, Fraction(1))


def _times(left: Fraction, right: Fraction) -> Fraction:
    return _bounded(left * right)


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        return _power(_root(Fraction(exponent.denominator), base), Fraction(exponent.numerator))
    if not base and exponent <= 0:
        raise DividesByZero("divides by zero") if exponent else NotExact("zero to the power of zero")
    if abs(base) == 1:
        # Of any size: `(-1)^{10^{300}}`.
        return Fraction(1) if exponent.numerator % 2 == 0 else base
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base and size * abs(exponent.numerator) > MOST_BITS:
        raise NotExact("a power is too large")
    return base**exponent.numerator


def _root(degree: Fraction, number: Fraction) -> Fraction:
    count = _integer(degree)
    if count < 1 or count > 64 or (number < 0 and count % 2 == 0):
        raise NotExact("a root is not computed")
    sign = -1 if number < 0 else 1
    over, under = (_whole_root(part, count) for part in (abs(number.numerator), number.denominator))
    return sign * Fraction(over, under)


def _whole_root(number: int, degree: int) -> int:
    # Bisection in integers: floating-point roots of large numbers are off by more than one.
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    if low**degree != number:
        raise NotExact("a root is irrational")
    return low


def _factorial(number: Fraction) -> int:
    count = _integer(number)
    if not 0 <= count <= _LARGEST_FACTORIAL:
        raise NotExact("a factorial is not computed")
    return math.factorial(count)


def _binomial(over: Fraction, under: Fraction) -> int:
    count, chosen = _integer(over), _integer(under)
    if not (0 <= count <= MOST_BITS and chosen >= 0):
        raise NotExact("a binomial coefficient is not computed")
    return math.comb(count, chosen)


def _remainder(number: Fraction, modulus: Fraction) -> object:
    return ops.MOD.evaluate(_integer(number), _integer(modulus))


def _logarithm(base: Fraction, number: Fraction) -> Fraction:
    if base <= 0 or base == 1 or number <= 0:
        raise NotExact("a logarithm is not defined")
    for exponent in range(65):
        for sign in (1, -1):
            if _power(base, Fraction(sign * exponent)) == number:
                return Fraction(sign * exponent)
    raise NotExact("a logarithm is not computed")


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "+": ops.ADD.evaluate,
    "neg": ops.NEG.evaluate,
    "*": lambda *a: reduce(_times, a),
    "/": ops.DIV.evaluate,
    "ratio": ops.DIV.evaluate,
    "^": _power,
    "%": lambda a: a / 100,
    "sqrt": lambda a: _root(Fraction(2), a),
    "root": _root,
    "abs": ops.ABS.evaluate,
    "floor": ops.TO_INT.evaluate,
    "ceil": math.ceil,
    "mod": _remainder,
    "!": _factorial,
    "binom": _binomial,
    "logbase": _logarithm,
    "gcd": lambda *a: math.gcd(*map(_integer, a)),
    "lcm": lambda *a: math.lcm(*map(_integer, a)),
    "max": lambda *a: max(a),
    "min": lambda *a: min(a),
}
_TRUTHS: Final[dict[str, Callable[..., object]]] = {
    "=": ops.EQ.evaluate,
    "!=": ops.DISTINCT.evaluate,
    "<": ops.LT.evaluate,
    "<=": ops.LE.evaluate,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "divides": lambda a, b: _remainder(b, a) == 0 if a else not b,
    "congruent": lambda a, b, n: _remainder(a - b, n) == 0,
}
