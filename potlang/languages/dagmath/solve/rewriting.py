"""Two expressions that should be the same: a point at which they are not."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product
from typing import Final

from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.syntax import Name, Num, Op, Term, free_names, parts, shown
from potlang.languages.dagmath.lower.word_lists import words

_RATIONAL: Final = words("+ neg * / ^ ratio")
_POINTS: Final = (Fraction(2), Fraction(3), Fraction(-1), Fraction(5), Fraction(1, 2), Fraction(7, 3))
_MOST_POINTS: Final = 200


def difference(old: Term, new: Term) -> str | None:
    """Where two rational expressions in the same variables differ, in words.

    None where they do not at any point that is tried, and for other expressions. Expressions that
    differ at one point do so at all but few.
    """
    names = sorted(free_names(old))
    if not names or free_names(new) != frozenset(names) or not (_is_rational(old) and _is_rational(new)):
        return None
    for choice in islice(product(_POINTS, repeat=len(names)), _MOST_POINTS):
        values: dict[Term, Fraction] = {Name(name): point for name, point in zip(names, choice, strict=True)}
        try:
            left, right = value(old, values), value(new, values)
        except NotExact:
            continue
        if left != right:
            where = ", ".join(f"{name} = {point}" for name, point in zip(names, choice, strict=True))
            return (
                f"{shown(old)} and {shown(new)} are not the same: where {where} they are {left} and {right}"
            )
    return None


def _is_rational(term: Term) -> bool:
    for part in parts(term):
        match part:
            case Num() | Name():
                continue
            case Op("^", (_, exponent)) if not isinstance(exponent, Num) or exponent.value.denominator != 1:
                return False
            case Op(op, args) if op in _RATIONAL and (op != "ratio" or len(args) == 2):
                continue
            case _:
                return False
    return True
