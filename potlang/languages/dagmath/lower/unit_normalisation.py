"""Units out of formulas, where numbers in them can be compared all the same ([STEP-UNITS])."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import Final, TypeGuard

from potlang.languages.dagmath.lower.exact import NotExact, truth
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Term,
    Unreadable,
    Variable,
    conjuncts,
    is_closed,
    is_op,
    is_statement,
    parts,
    rebuilt,
    words,
)
from potlang.languages.dagmath.lower.units import (
    NO_DIMENSION,
    Dimension,
    bases,
    is_mixed,
    measure,
    multiplied,
    raised,
)

_HOMOGENEOUS: Final = words("+ neg abs max min = != < <= > >= and or")
_ANGLES: Final = words("sin cos tan cot sec csc arcsin arccos arctan")


def units_of(term: Term) -> frozenset[str]:
    """The base units in a formula. Raises Unreadable for one that mixes what it counts."""
    found = [each.op[5:] for each in parts(term) if isinstance(each, Op) and each.op.startswith("unit:")]
    known = frozenset[str]().union(*map(bases, found))
    things = {unit for unit in found if not bases(unit)}
    if len({thing.removesuffix("s") for thing in things}) > 1 or (things and known):
        raise Unreadable("numbers of different things stand in one formula")
    if "degree" in known and any(is_op(each, *_ANGLES) for each in parts(term)):
        raise Unreadable("a function of an angle in degrees")
    if "degree" in known and Variable("pi") in parts(term):
        raise Unreadable("degrees and radians stand in one formula")
    return known


def without_units(term: Term) -> Term:
    """The formula without units; those of one dimension are converted, if it has no variables.

    Raises Unreadable where numbers in different units would be compared.
    """
    units = units_of(term)
    if not is_mixed(units):
        for part in conjuncts(term):
            _check_sides(part)
        _check_dimensions(term)
        return _bare(term)
    try:
        converted = _converted(term)[0]
        # `2 h * 60 = 120 min` has a number that stands for a rate: it is not false.
        holds = not _has_bare_numbers(term) or truth(converted)
    except (_Unlike, NotExact):
        holds = False
    if not holds:
        raise Unreadable(f"different units stand in one formula: {', '.join(sorted(units))}")
    return converted


def has_unit(term: Term) -> bool:
    """Whether there is a number with a unit in a formula."""
    return any(map(_is_unit, parts(term)))


def _is_unit(term: Term) -> TypeGuard[Op]:
    return isinstance(term, Op) and term.op.startswith("unit:")


def _bare(term: Term) -> Term:
    return rebuilt(term, lambda each: each.args[0] if _is_unit(each) else each)


def _check_sides(relation: Term) -> None:
    """Raises Unreadable for `1 box = 12`: what the other side counts is left open, if it is not the same."""
    if not (is_op(relation, "=") and is_closed(_bare(relation))):
        return
    left, right = (has_unit(side) for side in relation.args)
    one, other = relation.args if left else relation.args[::-1]
    open_ = not any(is_op(part, "+") for part in parts(one))
    if left != right and open_ and (left or isinstance(other, Num)):
        try:
            same = truth(_bare(relation))
        except NotExact:
            return
        if not same:
            raise Unreadable("a number with a unit beside one without")


def _check_dimensions(term: Term) -> None:
    """Raises Unreadable for `8 cm * 3 cm = 24 cm`: all its numbers have units, and they do not agree."""
    if not has_unit(term) or _has_bare_numbers(term):
        return
    try:
        _converted(term)
    except _Unsized:
        return
    except _Unlike:
        raise Unreadable("what is equated or added does not measure the same") from None


def _has_bare_numbers(term: Term) -> bool:
    """Whether there is a number that has no unit, exponents excepted."""
    match term:
        case Num():
            return True
        case Op("^", (base, _)):
            return _has_bare_numbers(base)
        case Op(op, args) if not op.startswith("unit:"):
            return any(map(_has_bare_numbers, args))
        case _:
            return False


class _Unlike(ValueError):
    """Numbers that measure different things are added or compared."""


class _Unsized(_Unlike):
    """It is not known what a number measures, or in what size."""


def _converted(term: Term) -> tuple[Term, Dimension]:
    """The formula with its numbers in the smallest units, and what it measures. Raises _Unlike."""
    if isinstance(term, Num):
        return term, NO_DIMENSION
    if not isinstance(term, Op):
        raise _Unsized
    if _is_unit(term):
        found = measure(term.op[5:])
        inner, dimension = _converted(term.args[0])
        if found is None or dimension or has_unit(term.args[0]):
            raise _Unsized
        over, under = (Num(Fraction(part)) for part in found.size.as_integer_ratio())
        made: Term = Op("*", (over, inner))
        return (made if under == Num(Fraction(1)) else Op("/", (made, under))), found.dimension
    if term.op == "^":
        base, dimension = _converted(term.args[0])
        match term.args[1]:
            case Num(power) if power.denominator == 1:
                return Op("^", (base, term.args[1])), raised(dimension, power.numerator)
        raise _Unsized
    inside = [_converted(arg) for arg in term.args]
    whole = Op(term.op, tuple(each for each, _ in inside))
    dimensions = [dimension for _, dimension in inside]
    if term.op == "*":
        return whole, reduce(multiplied, dimensions)
    if term.op in ("/", "ratio") and len(dimensions) == 2:
        return whole, multiplied(dimensions[0], raised(dimensions[1], -1))
    if term.op not in _HOMOGENEOUS:
        raise _Unsized
    if len(set(dimensions)) > 1:
        raise _Unlike
    return whole, NO_DIMENSION if is_statement(term) else dimensions[0]


def check_comparable(terms: Iterable[Term]) -> None:
    """Raises Unreadable if formulas that speak of the same variables have different units."""
    # A formula that mixes units itself was converted (`without_units`).
    units = frozenset[str]().union(*(found for term in terms if not is_mixed(found := units_of(term))))
    if is_mixed(units):
        raise Unreadable(f"numbers in different units: {', '.join(sorted(units))}")
