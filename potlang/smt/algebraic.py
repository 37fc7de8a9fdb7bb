"""Roots of polynomials, as solvers name algebraic numbers.

z3 numbers the real roots from below: `(root-obj (+ (^ x 2) (- 2)) 2)`. That root is isolated with Sturm's
theorem. cvc5 gives an interval with one root in it: `(_ real_algebraic_number <1*x^2 + (-2), (1, 2)>)`.
Both are narrowed by bisection, in exact arithmetic.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise, zip_longest
from typing import Final

from potlang.ir.numerals import natural
from potlang.smt.sexpr import SExpr, write

_DEGREE = 64
_DEPTH = 32
_PRECISION = Fraction(1, 10**15)
_LONGEST = 4_000
_BETWEEN: Final = re.compile(
    r"\(_real_algebraic_number<([-+*^x()0-9]+),\((-?[0-9]+(?:/[1-9][0-9]*)?),(-?[0-9]+(?:/[1-9][0-9]*)?)\)>\)"
)
_TERM: Final = re.compile(r"(-?[0-9]+)(\*x(?:\^([0-9]{1,2}))?)?")

Polynomial = list[Fraction]
"""Coefficients, the constant first, the last not zero; empty for zero."""


def approximate_root(expression: SExpr) -> Fraction | None:
    """A rational within 1e-15 of the root that an expression denotes, or None if it cannot be read."""
    match expression:
        case ["root-obj", polynomial, str(index)] if index.isascii() and index.isdigit():
            coefficients = _read(polynomial, _DEPTH)
            return None if coefficients is None else _root(coefficients, natural(index))
        case ["_", "real_algebraic_number", *_]:
            return _between(write(expression).replace(" ", ""))
        case _:
            return None


def _between(text: str) -> Fraction | None:
    """The root in an interval, from cvc5's text without blanks."""
    found = _BETWEEN.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    polynomial: Polynomial = [Fraction(0)] * (_DEGREE + 1)
    for part in found[1].split("+"):
        term = _TERM.fullmatch(part[1:-1] if part.startswith("(") else part)
        power = 0 if term is None or not term[2] else int(term[3] or 1)
        if term is None or power > _DEGREE:
            return None
        polynomial[power] += int(term[1])
    _trimmed(polynomial)
    low, high = Fraction(found[2]), Fraction(found[3])
    rising = _value(polynomial, high) > 0
    if low >= high or rising is (_value(polynomial, low) > 0):
        return None
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if (_value(polynomial, middle) > 0) is rising:
            high = middle
        else:
            low = middle
    return high


def _read(expression: SExpr, depth: int) -> Polynomial | None:
    if isinstance(expression, str):
        if expression.isascii() and expression.isdigit():
            return _trimmed([Fraction(natural(expression))])
        return [Fraction(0), Fraction(1)]
    if not depth or not expression:
        return None
    head, *rest = expression
    if head == "^":
        return _power(rest, depth)
    parts = [_read(part, depth - 1) for part in rest]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    return _combined(head, known)


def _power(rest: list[SExpr], depth: int) -> Polynomial | None:
    match rest:
        case [base, str(exponent)] if exponent.isascii() and exponent.isdigit() and len(exponent) < 4:
            part = _read(base, depth - 1)
            if part is None or (len(part) - 1) * int(exponent) > _DEGREE:
                return None
            return _combined("*", [[Fraction(1)], *[part] * int(exponent)])
        case _:
            return None


def _combined(head: SExpr, parts: list[Polynomial]) -> Polynomial | None:
    result = parts[0]
    if head == "-" and len(parts) == 1:
        return [-c for c in result]
    for part in parts[1:]:
        if head == "*" and len(result) + len(part) <= _DEGREE + 2:
            result = _product(result, part)
        elif head in ("+", "-"):
            result = _sum(result, part if head == "+" else [-c for c in part])
        else:
            return None
    return result if head in ("+", "-", "*") else None


def _trimmed(polynomial: Polynomial) -> Polynomial:
    while polynomial and not polynomial[-1]:
        polynomial.pop()
    return polynomial


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    return _trimmed([x + y for x, y in zip_longest(a, b, fillvalue=Fraction(0))])


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    result = [Fraction(0)] * max(len(a) + len(b) - 1, 0)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return _trimmed(result)


def _divided(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """The quotient and the remainder."""
    rest = list(a)
    quotient = [Fraction(0)] * max(len(a) - len(b) + 1, 0)
    while len(rest) >= len(b):
        factor, shift = rest[-1] / b[-1], len(rest) - len(b)
        quotient[shift] = factor
        for i, c in enumerate(b):
            rest[shift + i] -= factor * c
        _trimmed(rest)
    return quotient, rest


def _sturm(polynomial: Polynomial) -> list[Polynomial]:
    chain = [polynomial, [i * c for i, c in enumerate(polynomial)][1:]]
    while chain[-1]:
        chain.append([-c for c in _divided(chain[-2], chain[-1])[1]])
    # At a root that counts twice the whole chain would be zero, and say nothing of its sides.
    return [_divided(each, chain[-2])[0] for each in chain[:-1]]


def _value(polynomial: Polynomial, x: Fraction) -> Fraction:
    total = Fraction(0)
    for coefficient in reversed(polynomial):
        total = total * x + coefficient
    return total


def _changes(chain: list[Polynomial], x: Fraction) -> int:
    signs = [value > 0 for value in (_value(p, x) for p in chain) if value]
    return sum(a is not b for a, b in pairwise(signs))


def _root(polynomial: Polynomial, index: int) -> Fraction | None:
    """The root number `index` from below: the least x with `index` roots in (-bound, x]."""
    if not 2 <= len(polynomial) <= _DEGREE + 1:
        return None
    chain = _sturm(polynomial)
    high = 1 + max(abs(c / polynomial[-1]) for c in polynomial)
    low = -high
    below = _changes(chain, low)
    if not 1 <= index <= below - _changes(chain, high):
        return None
    # Invariant: fewer than `index` roots up to `low`, and at least as many up to `high`.
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if below - _changes(chain, middle) >= index:
            high = middle
        else:
            low = middle
    return high
