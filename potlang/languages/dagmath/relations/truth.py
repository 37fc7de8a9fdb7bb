"""Whether a relation between two calculations is true as it stands ([REL-TRUE])."""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeGuard

from potlang.languages.dagmath.lower.exact import NotExact, has_decimals, is_by_the_hundred, truth, value
from potlang.languages.dagmath.lower.numeric import (
    TOLERANCE,
    Approximation,
    NotNumeric,
    approximation,
    are_near,
)
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Term,
    Variable,
    free_names,
    is_closed,
    is_op,
    parts,
    quantities,
    rebuilt,
)
from potlang.languages.dagmath.lower.units import bases, is_mixed, is_unit, measure
from potlang.languages.dagmath.relations.model import Link, Side

_EULER: Final = Variable("e")


class RelationTruth(StrEnum):
    """The truth of one relation."""

    TRUE = "true"
    ROUNDED = "rounded"
    """True but for rounding."""
    FALSE = "false"
    OPEN = "open"
    """It has variables, or quantities in words."""
    UNCLEAR = "unclear"
    """False as it was read, and it can be read in another way: units, words beside it."""
    UNREAD = "unread"


_BARELY: Final = Fraction(1, 50)
_ROUGHLY: Final = Fraction(1, 20)
_FLOAT_ROUGHLY: Final = 1e-2
_MUCH_BLURRED: Final = 5
"""So many times one in the last digit are no sloppiness."""
_FINELY: Final = 5e-4
_IN_DOUBLES: Final = 1e-12
"""The error of doubles, relative to the largest number on the way."""
_SURELY: Final = 1e-6
"""Relative difference of doubles from which on two irrational numbers are different for sure."""
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_MANY_PLACES: Final = 3
_FACTORS: Final = frozenset(
    (2, 3, 4, 5, 7, 8, 10, 12, 14, 16, 20, 24, 25, 28, 30, 31, 36, 50, 52, 60, 100, 144, 168, 365, 366, 1000,
     1440, 1760, 2000, 3600, 5280, 10_000, 1_000_000)
)  # fmt: skip
"""How many of one unit another has: between different units a false equation may be a conversion."""


def truth_of(left: Side, link: Link, right: Side, modulus: Side | None = None) -> RelationTruth:
    """The truth of a relation, by exact arithmetic, or by approximation where a number is irrational."""
    if link in ("congruent", "incongruent"):
        return _congruence(left, link, right, modulus)
    if left.term is None or right.term is None or link in ("in", "notin", "subset", "other"):
        return RelationTruth.UNREAD
    if not (_is_bound(left.term) and _is_bound(right.term)):
        return RelationTruth.OPEN
    if link == "approx":
        return _approximate(left, right)
    one, other = _without_units(left.term), _without_units(right.term)
    relation = Op(link, (one, other))
    units = [_units(side) for side in (left, right)]
    if all(units) and units[0] != units[1] and is_number(left) and is_number(right):
        return _converted(left, right) if link == "=" else RelationTruth.UNCLEAR
    try:
        if truth(relation):
            return RelationTruth.TRUE
        first, second = value(one), value(other)
    except NotExact:
        return _irrational(left, link, right)
    if link == "=" and (is_by_the_hundred(relation) or _is_in_hundredths(left, right, first, second)):
        return RelationTruth.TRUE
    if link == "=" and _is_rounded(left, right, first, second):
        return RelationTruth.ROUNDED
    if _is_unclear(left, right, link, first, second):
        return RelationTruth.UNCLEAR
    return RelationTruth.FALSE


def _congruence(left: Side, link: Link, right: Side, modulus: Side | None) -> RelationTruth:
    terms = [None if side is None else side.term for side in (left, right, modulus)]
    found = [each for each in terms if each is not None]
    if len(found) < 3:
        return RelationTruth.UNREAD
    if not all(map(_is_bound, found)):
        return RelationTruth.OPEN
    try:
        holds = truth(Op("congruent", tuple(found))) is (link == "congruent")
        return RelationTruth.TRUE if holds else RelationTruth.FALSE
    except NotExact:
        return RelationTruth.OPEN


_CLOCK: Final = frozenset(("s", "min", "h"))
"""Units between which nobody has another factor: days of work have eight hours, maps have scales."""


def _converted(left: Side, right: Side) -> RelationTruth:
    """The truth of an equation between numbers with different units: `1.25 hours = 75 minutes`."""
    assert left.term is not None and right.term is not None
    units = _units(left), _units(right)
    one, other = map(measure, units)
    if one is None or other is None or one.dimension != other.dimension:
        return RelationTruth.UNCLEAR
    try:
        first, second = (value(_without_units(side.term)) for side in (left, right) if side.term is not None)
    except NotExact:
        return RelationTruth.UNCLEAR
    if first * one.size == second * other.size:
        return RelationTruth.TRUE
    if not (bases(units[0]) | bases(units[1])) <= _CLOCK or left.is_cut or right.is_cut:
        return RelationTruth.UNCLEAR
    is_near = abs(first * one.size - second * other.size) <= _ROUGHLY * abs(first * one.size)
    is_whole = is_near and not (has_decimals(left.term) or has_decimals(right.term))
    return RelationTruth.ROUNDED if is_whole else RelationTruth.FALSE


def _is_bound(term: Term) -> bool:
    """Whether a term has neither variables nor quantities: `pi` is a number, and `e` below an exponent."""
    names = free_names(term) - {"pi"}
    if names == {"e"} and any(is_op(each, "^") and each.args[0] == _EULER for each in parts(term)):
        names = frozenset()
    return is_closed(term) or not (names or quantities(term) or _calls(term))


def _calls(term: Term) -> bool:
    return any(isinstance(each, Op) and each.op.startswith("call:") for each in parts(term))


def _without_units(term: Term) -> Term:
    return rebuilt(term, lambda each: each.args[0] if _is_measured(each) else each)


def _is_measured(term: Term) -> TypeGuard[Op]:
    return isinstance(term, Op) and term.op.startswith("unit:")


# --- rounding ------------------------------------------------------------------------------------


def _places(side: Side) -> int | None:
    """The decimals of the only number that a side is; None of a calculation."""
    written = _written(side)
    return None if written is None else len(written.partition(".")[2]) + 2 * _is_in_percent(side.term)


def _written(side: Side) -> str | None:
    """The only number that a side is, as it is written."""
    numbers = _NUMBER.findall(side.source.replace("{,}", "").replace(",", "")) if is_number(side) else ()
    return numbers[0] if len(numbers) == 1 else None


def _is_in_percent(term: Term | None) -> bool:
    return term is not None and any(is_op(each, "%") for each in parts(term))


def _is_in_hundredths(left: Side, right: Side, first: Fraction, second: Fraction) -> bool:
    """`0.2 * 100 = 20%`: one side counts hundredths where the other is in percent."""
    in_percent = _is_in_percent(left.term), _is_in_percent(right.term)
    return in_percent[0] != in_percent[1] and (first == 100 * second or second == 100 * first)


def _is_rounded(left: Side, right: Side, first: Fraction, second: Fraction) -> bool:
    assert left.term is not None and right.term is not None
    off = abs(first - second)
    for side, other in ((right, left), (left, right)):
        places = _places(side)
        if places is None:
            continue
        assert other.term is not None
        divides = any(is_op(each, "/", "ratio", "%") for each in parts(other.term))
        # Whole numbers are cut off or rounded up where something was divided, and nowhere else.
        if off < Fraction(1, 10**places) and (
            places or divides or (has_decimals(other.term) and off <= _BARELY * max(abs(first), abs(second)))
        ):
            return True
    if any(_has_many_places(side.term) and not is_number(side) for side in (left, right)):
        return off <= Fraction(1, 100) * max(abs(first), abs(second))
    return False


def is_cut_off(left: Side, right: Side) -> bool:
    """Whether a whole number stands for the result of a calculation with whole numbers that is none."""
    if left.term is None or right.term is None or has_decimals(left.term):
        return False
    if left.is_cut or right.is_cut:
        return False  # `601 / 2 = 300 R 1`
    return _places(right) == 0 and isinstance(_without_units(left.term), Op)


def _has_many_places(term: Term | None) -> bool:
    """Whether a number in it has so many decimals that it was rounded before."""
    return term is not None and any(
        isinstance(each, Num)
        and (each.value * 10 ** (_MANY_PLACES - 1)).denominator != 1
        and _is_decimal(each)
        for each in parts(term)
    )


def _is_decimal(number: Num) -> bool:
    denominator = number.value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def _approximate(left: Side, right: Side) -> RelationTruth:
    assert left.term is not None and right.term is not None
    try:
        first, second = approximation(left.term), approximation(right.term)
        off = abs(first.value - second.value)
        blurred = _blur(left) + _blur(right)
    except NotNumeric:
        return RelationTruth.OPEN
    scale = max(abs(first.value), abs(second.value))
    if off <= blurred / 2 or off <= _FINELY * scale or are_near(first, second, _IN_DOUBLES):
        return RelationTruth.TRUE
    if off <= _MUCH_BLURRED * blurred:
        return RelationTruth.ROUNDED
    is_unclear = left.is_cut or right.is_cut or _is_measured_apart(left, right)
    is_unclear = is_unclear or _is_in_percent(left.term) != _is_in_percent(right.term)
    is_vague = not (is_number(left) or is_number(right)) and off <= 1
    if is_unclear or is_vague or _is_angular(left.term) or _is_angular(right.term):
        return RelationTruth.TRUE if off <= _ROUGHLY * scale else RelationTruth.UNCLEAR
    return RelationTruth.FALSE


def _blur(side: Side) -> float:
    """How much a side would change if the last digit of each number were another: final zeros say nothing.

    Whole numbers in calculations are exact. Raises NotNumeric.
    """
    assert side.term is not None
    written = _written(side)
    if written is not None:
        return _last_digit(written) / (100 if _is_in_percent(side.term) else 1)
    found = 0.0
    value = approximation(side.term).value
    for number in {each for each in parts(side.term) if isinstance(each, Num) and each.value.denominator > 1}:
        moved = Num(number.value + Fraction(1, 10 ** _decimals(number)))

        def other(each: Term, number: Num = number, moved: Num = moved) -> Term:
            return moved if each == number else each

        found += abs(approximation(rebuilt(side.term, other)).value - value)
    return found


def _decimals(number: Num) -> int:
    """How many decimals a number has, up to a dozen."""
    return next((places for places in range(12) if (number.value * 10**places).denominator == 1), 12)


def _last_digit(number: str) -> float:
    """The size of one in the last digit of a number that is not zero, behind the point: in the last digit."""
    whole, _, decimals = number.partition(".")
    if decimals:
        return float(10 ** -len(decimals))
    return float(10 ** (len(whole) - len(whole.rstrip("0") or whole[:1])))


def _irrational(left: Side, link: str, right: Side) -> RelationTruth:
    assert left.term is not None and right.term is not None
    try:
        first, second = approximation(left.term), approximation(right.term)
    except NotNumeric:
        return RelationTruth.OPEN
    scale = max(abs(first.value), abs(second.value))
    off = abs(first.value - second.value)
    error = _IN_DOUBLES * max(first.largest, second.largest)
    if off > error > _SURELY * scale:
        return RelationTruth.OPEN  # Large numbers cancel, and what is left is not known well enough.
    same, is_near = off <= max(TOLERANCE * scale, error), off <= max(_SURELY * scale, error)
    if link != "=":
        return _compared(link, first, second, same=same, is_near=is_near)
    if same:
        return RelationTruth.TRUE
    if is_near:
        return RelationTruth.ROUNDED
    decimals = [_places(side) for side in (left, right)]
    if any(places and off <= 10.0**-places for places in decimals):
        return RelationTruth.ROUNDED
    if any(_has_places(side.term) for side in (left, right)) and off <= _FLOAT_ROUGHLY * scale:
        return RelationTruth.ROUNDED
    angular = any(_is_angular(side.term) for side in (left, right))
    if left.is_cut or right.is_cut or _is_measured_apart(left, right) or angular:
        return RelationTruth.UNCLEAR
    return RelationTruth.FALSE


def _is_measured_apart(left: Side, right: Side) -> bool:
    """Whether both sides have units, and others; that of one alone is the unit of the result."""
    return bool(left.unit and right.unit) and left.unit != right.unit


_ANGULAR: Final = frozenset(["sin", "cos", "tan", "cot", "sec", "csc"])
_INVERSE: Final = ("arcsin", "arccos", "arctan")


def _is_angular(term: Term | None) -> bool:
    """Whether it is open if a function is of degrees or radians, `sin(45)`, or which angle is meant."""
    assert term is not None
    return any(is_op(each, *_INVERSE) for each in parts(term)) or any(
        isinstance(each, Op)
        and each.op in _ANGULAR
        and not any(is_op(inner, "unit:degree") for inner in parts(each.args[0]))
        and "pi" not in free_names(each.args[0])
        for each in parts(term)
    )


def _has_places(term: Term | None) -> bool:
    assert term is not None
    return any(isinstance(each, Num) and each.value.denominator != 1 for each in parts(term))


def _compared(
    link: str, first: Approximation, second: Approximation, *, same: bool, is_near: bool
) -> RelationTruth:
    if link == "!=":
        return RelationTruth.UNCLEAR if same else RelationTruth.TRUE
    if (
        abs(first.value.imag) > TOLERANCE * first.largest
        or abs(second.value.imag) > TOLERANCE * second.largest
    ):
        return RelationTruth.OPEN
    if is_near:
        return RelationTruth.TRUE if same and link in ("<=", ">=") else RelationTruth.UNCLEAR
    holds = (first.value.real < second.value.real) == (link in ("<", "<="))
    return RelationTruth.TRUE if holds else RelationTruth.FALSE


# --- what may mean something else ----------------------------------------------------------------


def _is_unclear(left: Side, right: Side, link: str, first: Fraction, second: Fraction) -> bool:
    """Whether a false relation may be right if it is read in another way."""
    assert left.term is not None and right.term is not None
    if left.is_cut or right.is_cut or is_op(right.term, "mod"):
        # `13 + 15 = 28 \\mod 19` may be a congruence.
        return True
    units = [_units(left), _units(right)]
    numbers = [isinstance(_without_units(side), Num) for side in (left.term, right.term)]
    if any("remainder" in unit for unit in units) or (all(units) and is_number(left)):
        return True
    if is_mixed(base for side in (left, right) for base in _bases(side)):
        return True
    if numbers[0] and (units[0] or numbers[1]):
        # `5 quarters = 5 * 25`, `12 inches = 1 foot`, `1 = 0`: a correspondence, or what would be absurd.
        return True
    if any(_is_all_percent(one) and _is_count(other) for one, other in _both_ways(left.term, right.term)):
        return True
    if link != "=" or not first or not second:
        return False
    size = max(abs(first / second), abs(second / first))
    # Between two units; one alone is that of the result: `12 / 2 = 6 hours`.
    return size in _FACTORS and all(units) and units[0] != units[1] and any(map(_has_unit, units))


def is_number(side: Side) -> bool:
    """Whether a side is a number or a fraction of two, with a unit or without, and no calculation."""
    return side.term is not None and not side.inner and _is_number(side.term)


def _bases(side: Side) -> frozenset[str]:
    """The units in the calculation of a side."""
    return frozenset[str]().union(*map(bases, side.inner), bases(side.unit) if side.inner else ())


def _is_number(term: Term) -> bool:
    while isinstance(term, Op) and term.op in ("neg", "%"):
        term = term.args[0]
    bare = _without_units(term)
    if isinstance(bare, Op) and bare.op == "/":
        return all(isinstance(each, Num) for each in bare.args)
    return isinstance(bare, Num)


def _both_ways(one: Term, other: Term) -> tuple[tuple[Term, Term], ...]:
    return (one, other), (other, one)


def _is_count(term: Term) -> bool:
    """Whether it is a whole number above one: what a percentage is of, or what it makes."""
    return isinstance(term, Num) and term.value.denominator == 1 and abs(term.value) > 1


def _units(side: Side) -> str:
    assert side.term is not None
    inner = [each.op[5:] for each in parts(side.term) if isinstance(each, Op) and _is_measured(each)]
    return " ".join([*inner, side.unit]).strip()


def _has_unit(words: str) -> bool:
    return any(is_unit(word) for word in words.lower().split())


def _is_all_percent(term: Term) -> bool:
    """Whether each number in it is in percent."""
    numbers = sum(isinstance(each, Num) for each in parts(term))
    return numbers > 0 and numbers == sum(is_op(each, "%") for each in parts(term))
