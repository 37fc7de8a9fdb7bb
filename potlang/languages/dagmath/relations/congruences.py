"""Congruences between whole numbers of which only residues are known ([REL-CONGRUENCE])."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.polynomials import NotRational, Polynomial, difference_of, variables
from potlang.languages.dagmath.lower.syntax import Num, Op, Term, Variable, free_names
from potlang.languages.dagmath.relations.model import Side

_LARGEST_MODULUS: Final = 10**12
_MOST_KNOWN: Final = 20
_MOST_FACTORS: Final = 1_000


class NotModular(ValueError):
    """A term has no residue that is computed here; the message says why."""


class _KnownCongruence(NamedTuple):
    """A congruence of an earlier step: the difference of its sides is a multiple of the modulus."""

    step: int
    difference: Polynomial
    modulus: int
    is_given: bool


class Congruences:
    """The congruences of a solution so far."""

    def __init__(self) -> None:
        self._known: list[_KnownCongruence] = []

    def holds(self, left: Side, right: Side, modulus: Side, steps: frozenset[int]) -> bool | None:
        """Whether two sides are congruent, by what some steps say; None where that is open.

        They are not, only where the residues of all variables are given.
        """
        number = _modulus(modulus)
        if number is None or left.term is None or right.term is None:
            return None
        known = [each for each in self._known[-_MOST_KNOWN:] if each.step in steps]
        residues: dict[str, int] = {}
        sure: dict[str, bool] = {}
        for each in known:
            found = _residue_of_one(each, number)
            if found is not None:
                name, told = found
                sure[name] = each.is_given and residues.get(name, told) == told
                residues.setdefault(name, told)
        names = free_names(left.term) | free_names(right.term)
        try:
            same = residue(left.term, number, residues) == residue(right.term, number, residues)
            if same or all(sure.get(name, False) for name in names):
                return same
        except NotModular:
            pass
        try:
            difference = difference_of(left.term, right.term)
        except (NotRational, RecursionError):
            return None
        follows = _is_zero(difference, number) or any(
            each.modulus % number == 0 and _is_multiple(difference, each.difference, number) for each in known
        )
        return True if follows else None

    def note(self, at: int, left: Side, right: Side, modulus: Side | None, *, is_given: bool) -> None:
        """Keeps a congruence that a step claims."""
        number = None if modulus is None else _modulus(modulus)
        if number is None or left.term is None or right.term is None:
            return
        try:
            difference = difference_of(left.term, right.term)
        except (NotRational, RecursionError):
            return
        if variables(difference):
            self._known.append(_KnownCongruence(at, difference, number, is_given))

    def forget(self, names: frozenset[str]) -> None:
        """Forgets what was said of names that are introduced again."""
        self._known = [each for each in self._known if names.isdisjoint(variables(each.difference))]


def residue(term: Term, modulus: int, residues: Mapping[str, int] = {}) -> int:
    """The residue of a term, where those of its variables are given. Raises NotModular.

    Powers of any size are computed; a negative one, and a quotient, is that of the inverse.
    """
    match term:
        case Num(amount):
            return _quotient(amount.numerator, amount.denominator, modulus)
        case Variable(name) if name in residues:
            return residues[name] % modulus
        case Op("+", args):
            return sum(residue(each, modulus, residues) for each in args) % modulus
        case Op("*", args):
            return math.prod(residue(each, modulus, residues) for each in args) % modulus
        case Op("neg", (inner,)):
            return -residue(inner, modulus, residues) % modulus
        case Op("/", (over, under)):
            try:
                return _quotient(*value(term).as_integer_ratio(), modulus)
            except NotExact:
                pass
            return _quotient(residue(over, modulus, residues), residue(under, modulus, residues), modulus)
        case Op("^", (base, exponent)):
            found = residue(base, modulus, residues)
            try:
                power = value(exponent)
            except NotExact as error:
                raise NotModular(str(error)) from None
            if power.denominator != 1 or (power < 0 and math.gcd(found, modulus) > 1):
                raise NotModular("a power has no residue")
            return int(pow(found, int(power), modulus))
    try:
        return _quotient(*value(term).as_integer_ratio(), modulus)
    except NotExact as error:
        raise NotModular(str(error)) from None


def _quotient(over: int, under: int, modulus: int) -> int:
    if under == 1:
        return over % modulus
    if math.gcd(under, modulus) > 1:
        raise NotModular("a divisor has no inverse")
    return over * pow(under, -1, modulus) % modulus


def _modulus(side: Side) -> int | None:
    try:
        found = value(side.term) if side.term is not None else Fraction(0)
    except NotExact:
        return None
    return int(found) if found.denominator == 1 and 1 < found <= _LARGEST_MODULUS else None


def _residue_of_one(known: _KnownCongruence, modulus: int) -> tuple[str, int] | None:
    """The variable whose residue a congruence gives, with it."""
    rest = dict(known.difference)
    constant = rest.pop((), Fraction(0))
    if known.modulus % modulus or len(rest) != 1 or constant.denominator != 1:
        return None
    ((monomial, coefficient),) = rest.items()
    if len(monomial) != 1 or monomial[0][1] != 1 or coefficient.denominator != 1:
        return None
    if math.gcd(int(coefficient), known.modulus) > 1:
        return None
    return monomial[0][0], -int(constant) * pow(int(coefficient), -1, modulus) % modulus


def _is_zero(difference: Polynomial, modulus: int) -> bool:
    return all(each.denominator == 1 and each.numerator % modulus == 0 for each in difference.values())


def _is_multiple(difference: Polynomial, known: Polynomial, modulus: int) -> bool:
    """Whether a difference is a multiple of a known one, but for multiples of the modulus."""
    whole = all(each.denominator == 1 for part in (difference, known) for each in part.values())
    if not whole or not set(difference) <= set(known) | {()} or not known:
        return False
    keys = set(difference) | set(known)
    return any(
        all((difference.get(key, 0) - factor * known.get(key, 0)) % modulus == 0 for key in keys)
        for factor in range(min(modulus, _MOST_FACTORS))
    )
