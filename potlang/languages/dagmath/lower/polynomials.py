"""Polynomials with rational coefficients: expressions that are one, equations that clash ([REL-POLYNOMIAL]).

An expression is a quotient of two polynomials in its variables, quantities and what else cannot be taken
apart (`\\sqrt{x}`, `f(2)`), as far as sizes allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.syntax import Num, Op, Quantity, Term, Variable, is_object, is_op, text

_MOST_MONOMIALS: Final = 400
_MOST_PRODUCTS: Final = 20_000
_LARGEST_POWER: Final = 24
_MOST_BITS: Final = 4_000

Monomial: TypeAlias = tuple[tuple[str, int], ...]
"""Variables with their powers, sorted."""
Polynomial: TypeAlias = dict[Monomial, Fraction]
"""Monomials with their coefficients, none of them zero."""


class NotRational(ValueError):
    """An expression is no quotient of polynomials that is computed here."""


class Quotient(NamedTuple):
    """A quotient of polynomials; `under` is not zero."""

    over: Polynomial
    under: Polynomial


ONE: Final[Polynomial] = {(): Fraction(1)}


def quotient(term: Term) -> Quotient:
    """An expression as a quotient of polynomials. Raises NotRational."""
    match term:
        case Num(number):
            return Quotient(constant(number), ONE)
        case Variable() | Quantity():
            return Quotient({((text(term), 1),): Fraction(1)}, ONE)
        case Op("+", args):
            return added(map(quotient, args))
        case Op("*", args):
            found = Quotient(ONE, ONE)
            for arg in args:
                found = multiplied(found, quotient(arg))
            return found
        case Op("neg", (arg,)):
            inner = quotient(arg)
            return Quotient(scaled(inner.over, Fraction(-1)), inner.under)
        case Op("/" | "ratio", (over, under)):
            return multiplied(quotient(over), inverse(quotient(under)))
        case Op("%", (arg,)):
            inner = quotient(arg)
            return Quotient(scaled(inner.over, Fraction(1, 100)), inner.under)
        case Op("^", (base, Num(power))) if power.denominator == 1 and abs(power) <= _LARGEST_POWER:
            return raised(quotient(base), int(power))
        case Op(op, _) if op.startswith("unit:"):
            return quotient(term.args[0])
    if is_object(term) or is_op(term, "infty"):
        raise NotRational("it is no number")
    try:
        return Quotient(constant(value(term)), ONE)
    except NotExact:
        # What cannot be taken apart is the same wherever it is written in the same way.
        return Quotient({((text(term), 1),): Fraction(1)}, ONE)


def difference_of(left: Term, right: Term) -> Polynomial:
    """The numerator of the difference of two expressions: zero of equal ones. Raises NotRational."""
    one, other = quotient(left), quotient(right)
    return plus(times(one.over, other.under), scaled(times(other.over, one.under), Fraction(-1)))


def clash(first: Polynomial, second: Polynomial) -> bool:
    """Whether two polynomials cannot both be zero, as is seen at once.

    One is a constant more than a multiple of the other, or both are in one variable and have no common root.
    """
    names = variables(first)
    if not names or names != variables(second):
        return False
    if _differ_by_constant(first, second):
        return True
    if len(names) > 1:
        return False
    return len(_common(_dense(first), _dense(second))) == 1


def variables(polynomial: Polynomial) -> frozenset[str]:
    """The variables of a polynomial."""
    return frozenset(name for monomial in polynomial for name, _ in monomial)


def _differ_by_constant(first: Polynomial, second: Polynomial) -> bool:
    keys = set(first) - {()}
    if keys != set(second) - {()}:
        return False
    some = next(iter(keys))
    factor = second[some] / first[some]
    if any(second[key] != factor * first[key] for key in keys):
        return False
    return second.get((), Fraction(0)) != factor * first.get((), Fraction(0))


def _dense(polynomial: Polynomial) -> list[Fraction]:
    """The coefficients of a polynomial in one variable, the constant first."""
    found = [Fraction(0)] * (1 + max(sum(power for _, power in monomial) for monomial in polynomial))
    for monomial, coefficient in polynomial.items():
        found[sum(power for _, power in monomial)] = coefficient
    return found


def _common(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    """The greatest common divisor of two polynomials in one variable, by Euclid's algorithm."""
    while second:
        rest = list(first)
        while len(rest) >= len(second):
            factor = rest[-1] / second[-1]
            shift = len(rest) - len(second)
            for at, coefficient in enumerate(second):
                rest[shift + at] -= factor * coefficient
            while rest and not rest[-1]:
                rest.pop()
            _check(rest)
        first, second = second, rest
    return first


def follows(first: Polynomial, second: Polynomial) -> bool:
    """Whether a second polynomial is zero wherever a first one is, as is seen at once.

    It is a multiple of it by a number, or both are in one variable and the first divides it.
    """
    if not second:
        return True
    names = variables(first)
    if not names or names != variables(second):
        return False
    if set(first) == set(second):
        some = next(iter(first))
        factor = second[some] / first[some]
        if all(second[key] == factor * first[key] for key in first):
            return True
    if len(names) > 1:
        return False
    dense = _dense(first)
    return len(_common(_dense(second), dense)) == len(dense)


def is_combination(polynomial: Polynomial, others: Iterable[Polynomial]) -> bool:
    """Whether a polynomial is a sum of multiples of others by numbers: it is zero where they are.

    Not where they are zero nowhere, as is seen at once.
    """
    basis: list[tuple[Monomial, Polynomial]] = []

    def reduced(each: Polynomial) -> Polynomial:
        for lead, row in basis:
            if lead in each:
                each = plus(each, scaled(row, -each[lead]))
        return each

    for other in others:
        rest = reduced(other)
        if rest.keys() == {()}:
            return False
        if rest:
            lead = max(rest)
            basis.append((lead, scaled(rest, 1 / rest[lead])))
    return not reduced(polynomial)


def divides(first: Polynomial, second: Polynomial) -> bool:
    """Whether a polynomial is a factor of another. Raises NotRational."""
    if not first:
        return not second
    names = sorted(variables(first) | variables(second))

    def rank(monomial: Monomial) -> tuple[int, ...]:
        powers = dict(monomial)
        return tuple(powers.get(name, 0) for name in names)

    lead = max(first, key=rank)
    rest = second
    while rest:
        highest = max(rest, key=rank)
        powers = dict(highest)
        for name, power in lead:
            powers[name] = powers.get(name, 0) - power
        if min(powers.values(), default=0) < 0:
            return False
        step = tuple(sorted((name, power) for name, power in powers.items() if power))
        rest = plus(rest, times(first, {step: -rest[highest] / first[lead]}))
    return True


def share_a_factor(first: Polynomial, second: Polynomial) -> bool:
    """Whether two polynomials may have a common factor: on lines through one point they have.

    Never False where they have one. Raises NotRational.
    """
    for name in variables(first) & variables(second):
        others = sorted((variables(first) | variables(second)) - {name})
        at = {
            other: Quotient(constant(Fraction(7 + 4 * place, 3)), ONE) for place, other in enumerate(others)
        }
        lines = [substituted(each, at) for each in (first, second)]
        if not all(map(variables, lines)):
            if not all(lines):
                return True  # It is zero all along the line.
            continue
        if len(_common(*map(_dense, lines))) > 1:
            return True
    return False


def content_of(polynomial: Polynomial) -> Fraction:
    """The largest positive number that leaves whole coefficients when it is divided by."""
    over = math.gcd(*(each.numerator for each in polynomial.values()))
    under = math.lcm(*(each.denominator for each in polynomial.values()))
    return Fraction(over, under)


def atom_of(found: Quotient) -> str | None:
    """The variable that an expression is, and nothing more; None for another."""
    if found.under != ONE or len(found.over) != 1:
        return None
    (monomial, coefficient) = next(iter(found.over.items()))
    return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None


def substituted(polynomial: Polynomial, values: Mapping[str, Quotient]) -> Polynomial:
    """The numerator of a polynomial in which variables have values. Raises NotRational."""
    terms = []
    for monomial, coefficient in polynomial.items():
        found = Quotient(constant(coefficient), ONE)
        for name, power in monomial:
            value = values.get(name, Quotient({((name, 1),): Fraction(1)}, ONE))
            found = multiplied(found, raised(value, power))
        terms.append(found)
    return added(terms).over


# --- arithmetic ----------------------------------------------------------------------------------


def constant(number: Fraction) -> Polynomial:
    """A number as a polynomial."""
    return {(): number} if number else {}


def plus(first: Polynomial, second: Polynomial) -> Polynomial:
    """The sum of two polynomials. Raises NotRational for one that is too large."""
    found = dict(first)
    for monomial, coefficient in second.items():
        total = found.get(monomial, Fraction(0)) + coefficient
        if total:
            found[monomial] = total
        else:
            found.pop(monomial, None)
    _check(found.values())
    return found


def scaled(polynomial: Polynomial, factor: Fraction) -> Polynomial:
    """A multiple of a polynomial."""
    return {monomial: coefficient * factor for monomial, coefficient in polynomial.items()} if factor else {}


def times(first: Polynomial, second: Polynomial) -> Polynomial:
    """The product of two polynomials. Raises NotRational for one that is too large."""
    # Most quotients are over one.
    if first == ONE:
        return second
    if second == ONE:
        return first
    if len(first) * len(second) > _MOST_PRODUCTS:
        raise NotRational("a product is too long")
    found: Polynomial = {}
    for one, coefficient in first.items():
        for other, factor in second.items():
            powers = dict(one)
            for name, power in other:
                powers[name] = powers.get(name, 0) + power
            key = tuple(sorted(powers.items()))
            found[key] = found.get(key, Fraction(0)) + coefficient * factor
    found = {monomial: coefficient for monomial, coefficient in found.items() if coefficient}
    if len(found) > _MOST_MONOMIALS:
        raise NotRational("a product is too long")
    _check(found.values())
    return found


def added(quotients: Iterable[Quotient]) -> Quotient:
    """The sum of quotients. Raises NotRational."""
    found = Quotient({}, ONE)
    for each in quotients:
        if found.under == each.under:
            found = Quotient(plus(found.over, each.over), found.under)
            continue
        over = plus(times(found.over, each.under), times(each.over, found.under))
        found = Quotient(over, times(found.under, each.under))
    return found


def multiplied(first: Quotient, second: Quotient) -> Quotient:
    """The product of two quotients. Raises NotRational."""
    return Quotient(times(first.over, second.over), times(first.under, second.under))


def inverse(found: Quotient) -> Quotient:
    """One over a quotient. Raises NotRational where it is zero."""
    if not found.over:
        raise NotRational("it divides by zero")
    return Quotient(found.under, found.over)


def raised(base: Quotient, power: int) -> Quotient:
    """A whole power of a quotient. Raises NotRational."""
    if not power and not base.over:
        raise NotRational("zero to the power of zero")
    if power < 0:
        base, power = inverse(base), -power
    found = Quotient(ONE, ONE)
    for _ in range(power):
        found = multiplied(found, base)
    return found


def _check(coefficients: Iterable[Fraction]) -> None:
    for each in coefficients:
        if max(each.numerator.bit_length(), each.denominator.bit_length()) > _MOST_BITS:
            raise NotRational("a coefficient is too large")
