"""Sums and products with an ellipsis, written with an index: `1^2 + 2^2 + ... + n^2` ([STEP-ELLIPSIS])."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from potlang.languages.dagmath.lower.syntax import Num, Op, Term, Unreadable, Variable, number, parts

ELLIPSIS: Final = Op("...", ())
"""Stands for what an ellipsis leaves out, between the operands of a sum or a product."""
_INDEX: Final = Variable("k'")
_UNCLEAR: Final = "an ellipsis leaves open what is meant"
_LEAST: Final = 2

Place = tuple[int, ...]


def filled_in(op: str, items: Sequence[Term]) -> Term:
    """A `sum` or `prod` of operands, one of which is an ellipsis: their numbers go on in equal steps.

    Raises Unreadable where they do not, or where they may go on in another way.
    """
    at = items.index(ELLIPSIS)
    first, last = items[:at], items[at + 1 :]
    if len(first) < _LEAST or len(last) != 1 or any(_INDEX in parts(each) for each in items):
        raise Unreadable(_UNCLEAR)
    places = [place for place, _ in _numbers(first[0])]
    rows = [[_at(each, place) for place in places] for each in first]
    body, count = first[0], None
    for column, place in enumerate(places):
        begun = [row[column] for row in rows]
        end = _at(last[0], place)
        if len({*begun, end}) == 1:
            continue
        found = _steps(begun, end)
        if found is None or (count is not None and count != found[1]):
            raise Unreadable(_UNCLEAR)
        body, count = _replaced(body, place, found[0]), found[1]
    if count is None or any(
        _with_blanks(each, places) != _with_blanks(first[0], places) for each in (*first, *last)
    ):
        raise Unreadable(_UNCLEAR)
    if isinstance(first[0], Num) and len(first) == _LEAST and _is_geometric(first, last[0]):
        raise Unreadable(_UNCLEAR)
    return Op(op, (_INDEX, number(0), count, body))


def _steps(begun: Sequence[Term], end: Term) -> tuple[Term, Term] | None:
    """A number in terms of the index, and the last value of that; None where steps are not equal."""
    amounts = [each.value for each in begun if isinstance(each, Num)]
    if len(amounts) < len(begun):
        return None
    step = amounts[1] - amounts[0]
    if not step or any(later - earlier != step for earlier, later in pairwise(amounts)):
        return None
    general = Op("+", (begun[0], Op("*", (number(step), _INDEX))))
    if isinstance(end, Num):
        count = (end.value - amounts[0]) / step
        fits = count.denominator == 1 and count >= len(begun)
        return (general, number(count)) if fits else None
    if step != 1:
        return None
    return general, Op("+", (end, number(-amounts[0])))


def _is_geometric(first: Sequence[Term], last: Term) -> bool:
    amounts = [each.value for each in (*first, last) if isinstance(each, Num)]
    if len(amounts) < len(first) + 1 or not amounts[0] or abs(amounts[1]) == abs(amounts[0]):
        return False
    ratio, found = amounts[1] / amounts[0], amounts[1]
    while abs(found) < abs(amounts[-1]) and abs(ratio) > 1:
        found *= ratio
    return found == amounts[-1]


def _numbers(term: Term, place: Place = ()) -> Iterator[tuple[Place, Fraction]]:
    """The numbers in a term, each with its place."""
    if isinstance(term, Num):
        yield place, term.value
    elif isinstance(term, Op):
        for at, arg in enumerate(term.args):
            yield from _numbers(arg, (*place, at))


def _at(term: Term, place: Place) -> Term:
    for at in place:
        if not isinstance(term, Op) or at >= len(term.args):
            raise Unreadable(_UNCLEAR)
        term = term.args[at]
    return term


def _replaced(term: Term, place: Place, other: Term) -> Term:
    if not place:
        return other
    assert isinstance(term, Op)
    at, *rest = place
    args = list(term.args)
    args[at] = _replaced(args[at], tuple(rest), other)
    return Op(term.op, tuple(args))


def _with_blanks(term: Term, places: Sequence[Place]) -> Term:
    for place in places:
        term = _replaced(term, place, _INDEX)
    return term
