"""Sets of real numbers, worked out exactly: finite ones, intervals, and what is made of them ([REL-SETS])."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from typing import Final, NamedTuple, TypeAlias

from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.syntax import SET_OPERATIONS, Op, Term, is_op

_MOST_SPANS: Final = 500
Bound: TypeAlias = Fraction | float
"""A rational number, or an infinity."""


class Span(NamedTuple):
    """The numbers between two, which are among them or not."""

    low: Bound
    has_low: bool
    high: Bound
    has_high: bool


Region: TypeAlias = tuple[Span, ...]
"""Spans in their order, none of which touches another."""


def region(term: Term) -> Region:
    """The set of numbers that a term is. Raises NotExact for what is none that is worked out."""
    match term:
        case Op("set", items):
            return _union(tuple(_point(value(each)) for each in items))
        case Op("[]" | "[)" | "(]" | "tuple" as kind, (low, high)):
            return (_span(kind, _bound(low), _bound(high)),)
        case Op("where:R", _):
            return (Span(-math.inf, False, math.inf, False),)
        case Op(op, args) if op in SET_OPERATIONS:
            return reduce(_OPERATIONS[op], map(region, args))
    raise NotExact("it is no set that is worked out")


def is_region(term: Term) -> bool:
    """Whether a term is a set by its notation: `(0, 1)` and `[0, 1]` alone may be a point, or a list."""
    return is_op(term, "set", "[)", "(]", *SET_OPERATIONS)


def contains(whole: Region, part: Region) -> bool:
    """Whether all numbers of a set are in another."""
    return _difference(part, whole) == ()


def count(found: Region) -> int:
    """How many numbers a set has. Raises NotExact for infinitely many."""
    if any(each.low != each.high for each in found):
        raise NotExact("it has infinitely many elements")
    return len(found)


def _point(number: Fraction) -> Span:
    return Span(number, True, number, True)


def _bound(term: Term) -> Bound:
    if is_op(term, "infty"):
        return math.inf
    if is_op(term, "neg") and is_op(term.args[0], "infty"):
        return -math.inf
    return value(term)


def _span(kind: str, low: Bound, high: Bound) -> Span:
    if low >= high:
        raise NotExact("its ends are in the wrong order")
    found = Span(low, kind[0] == "[", high, kind[-1] == "]")
    if (found.has_low and math.isinf(low)) or (found.has_high and math.isinf(high)):
        raise NotExact("infinity is no number")
    return found


def _union(spans: tuple[Span, ...]) -> Region:
    """Spans in their order, and those that touch or overlap made one."""
    if len(spans) > _MOST_SPANS:
        raise NotExact("a set has too many parts")
    found: list[Span] = []
    for each in sorted(spans, key=lambda span: (span.low, not span.has_low)):
        last = found[-1] if found else None
        touches = last is not None and (
            each.low < last.high or (each.low == last.high and (each.has_low or last.has_high))
        )
        if last is None or not touches:
            found.append(each)
            continue
        high, has_high = max((last.high, last.has_high), (each.high, each.has_high))
        found[-1] = Span(last.low, last.has_low, high, has_high)
    return tuple(found)


def _intersection(one: Region, other: Region) -> Region:
    found = []
    for first in one:
        for second in other:
            low, lacks_low = max((first.low, not first.has_low), (second.low, not second.has_low))
            high, has_high = min((first.high, first.has_high), (second.high, second.has_high))
            if low < high or (low == high and has_high and not lacks_low):
                found.append(Span(low, not lacks_low, high, has_high))
    return _union(tuple(found))


def _complement(whole: Region) -> Region:
    found = []
    low: Bound = -math.inf
    has_low = False
    for each in whole:
        if low < each.low or (low == each.low and has_low and not each.has_low):
            found.append(Span(low, has_low, each.low, not each.has_low))
        low, has_low = each.high, not each.has_high
    if low < math.inf:
        found.append(Span(low, has_low, math.inf, False))
    return tuple(found)


def _difference(one: Region, other: Region) -> Region:
    return _intersection(one, _complement(other))


_OPERATIONS: Final = {
    "cup": lambda one, other: _union(one + other),
    "cap": _intersection,
    "setminus": _difference,
}
