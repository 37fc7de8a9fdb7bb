"""Expressions that are said to be one another, rewritten, and are not ([REL-REWRITTEN])."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.numeric import NotNumeric, approximation, are_near
from potlang.languages.dagmath.lower.polynomials import (
    NotRational,
    Polynomial,
    difference_of,
    divides,
    share_a_factor,
    variables,
)
from potlang.languages.dagmath.lower.syntax import Op, free_names, parts, quantities
from potlang.languages.dagmath.relations.model import Chain, Side

_SURELY: Final = 1e-6
"""Relative difference from which on two values are different for sure."""
_LEAST_POINTS: Final = 3
_CONSTANTS: Final = frozenset(("pi", "e"))
_LETTER: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")

_COMMAND: Final = re.compile(r"\\[A-Za-z]+")
_SIDE_BY_SIDE: Final = re.compile(r"[A-Za-z0-9)]\s*[A-Za-z]")


class KnownEquation(NamedTuple):
    """An equation by which variables are not free: their names, and the polynomial that is zero.

    `polynomial` is None where it is none, or was not read.
    """

    names: frozenset[str]
    polynomial: Polynomial | None


def conditions(chain: Chain) -> Iterator[KnownEquation]:
    """The equations of a chain that say something of their variables: no identities, nothing rewritten."""
    for place, (left, link, right) in enumerate(zip(chain.sides, chain.links, chain.sides[1:], strict=False)):
        if link not in ("=", "congruent") or ((place or chain.goes_on) and is_same_subject(left, right)):
            continue
        names = letters(left) | letters(right)
        if left.term is None or right.term is None or link == "congruent":
            yield KnownEquation(names, None)
            continue
        try:
            polynomial = difference_of(left.term, right.term)
        except (NotRational, RecursionError):
            yield KnownEquation(names, None)
            continue
        if polynomial and not _agree_everywhere(left, right):
            yield KnownEquation(names, polynomial if variables(polynomial) <= names else None)


def letters(side: Side) -> frozenset[str]:
    """The variables and functions of a side; of one that was not read, all letters that may be some."""
    if side.term is None:
        return frozenset(_LETTER.findall(side.source))
    calls = (each.op for each in parts(side.term) if isinstance(each, Op) and each.op.startswith("call:"))
    return (free_names(side.term) - _CONSTANTS).union(calls)


def has_letters_side_by_side(source: str) -> bool:
    """Whether a letter stands right behind another, or behind a number: a product, or digits of a number."""
    return _SIDE_BY_SIDE.search(_COMMAND.sub(" ", source)) is not None


def is_same_subject(left: Side, right: Side) -> bool:
    """Whether two sides are expressions in the same variables, the first one a calculation."""
    if left.term is None or right.term is None or quantities(left.term) or quantities(right.term):
        return False
    return bool(letters(left)) and letters(left) == letters(right) and isinstance(left.term, Op)


def may_follow(polynomial: Polynomial, names: frozenset[str], known: Sequence[KnownEquation]) -> bool:
    """Whether a polynomial in some variables may be zero by what is known of these, and of no others."""
    said = [each.polynomial for each in known if each.names and each.names <= names]
    found = [each for each in said if each is not None]
    if len(found) < len(said) or (found and not variables(polynomial) <= names):
        return bool(said)
    if any(share_a_factor(each, polynomial) for each in found):
        return True
    # Of several variables, equations may say together what none of them says.
    return len(names) > 1 and not all(_are_related(found[0], each) for each in found)


def is_another(first: Polynomial, second: Polynomial, known: Sequence[KnownEquation]) -> bool:
    """Whether an equation is none that another is rewritten as: none is a factor of the other.

    Not where there are more equations in these variables, which may be used. Raises NotRational.
    """
    names = variables(first)
    if names != variables(second) or _are_related(first, second):
        return False
    for each in known:
        if each.names and each.names <= names:
            if each.polynomial is None:
                return False
            if not (_are_related(each.polynomial, first) or _are_related(each.polynomial, second)):
                return False
    return all(_LETTER.fullmatch(name) for name in names)


def _are_related(first: Polynomial, second: Polynomial) -> bool:
    return divides(first, second) or divides(second, first)


def differ_everywhere(left: Side, right: Side) -> bool:
    """Whether two expressions differ at all points that are tried and where both have a value.

    Expressions that are equal for some kind of numbers only (whole, odd, positive ones) do not.
    """
    found = list(_agreeing(left, right))
    return len(found) >= _LEAST_POINTS and not any(found)


def _agree_everywhere(left: Side, right: Side) -> bool:
    found = list(_agreeing(left, right))
    return len(found) >= _LEAST_POINTS and all(found)


def _agreeing(left: Side, right: Side) -> Iterator[bool]:
    """Whether two expressions agree, for each point where both have a value."""
    assert left.term is not None and right.term is not None
    for values in _points(sorted(letters(left) | letters(right))):
        try:
            yield are_near(approximation(left.term, values), approximation(right.term, values), _SURELY)
        except NotNumeric:
            continue


def _points(names: Sequence[str]) -> Iterator[Mapping[str, complex]]:
    """Points with positive, negative, small, odd and even coordinates, none of them roots of exercises."""
    for scale, shift in ((1.0, 0.3), (0.2, 0.05), (-1.0, -0.4)):
        yield {name: complex(scale * math.sqrt(at + 2) + shift) for at, name in enumerate(names)}
    for factor, start in ((2, 17), (6, 22), (-8, -13)):
        yield {name: complex(start + factor * at) for at, name in enumerate(names)}
        yield {name: complex(start + factor * at) for at, name in enumerate(reversed(names))}
