"""Roots of polynomials, as z3 names algebraic numbers: `(root-obj (+ (^ x 2) (- 2)) 2)`.

The k-th real root, in increasing order, is isolated with Sturm's theorem and narrowed by bisection,
in exact arithmetic.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, zip_longest

from potlang.ir.numerals import natural
from potlang.smt.sexpr import SExpr

_DEGREE = 64
_DEPTH = 32
_PRECISION = Fraction(1, 10**15)

Polynomial = list[Fraction]
"""Coefficients, the constant first, the last not zero; empty for zero."""


def approximate_root(expression: SExpr) -> Fraction | None:
    """A rational within 1e-15 of the number that a `root-obj` denotes, or None if it cannot be read."""
    match expression:
        case ["root-obj", polynomial, str(index)] if index.isascii() and index.isdigit():
            coefficients = _read(polynomial, _DEPTH)
            return None if coefficients is None else _root(coefficients, natural(index))
        case _:
            return None


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
