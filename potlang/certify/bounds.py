"""Bounds of integers, from what formulas say of them one by one ([CERT-FINITE-CELL])."""

from __future__ import annotations

from collections.abc import Sequence

from .normal import connective, is_connective
from .sorts import INT
from .terms import QUANTIFIERS, Symbol, Term
from .tokens import Invalid

Bounds = tuple[int | None, int | None]
"""The least and the greatest value; None: there is none."""
Limits = tuple[Term, int | None, int | None]
"""A term and its bounds."""
UNBOUNDED: Bounds = (None, None)


def limits_of(term: Term, sign: bool) -> Limits | None:
    """A term of sort Int and the least and the greatest value that an atom, or its denial, leaves it."""
    one, two = term.args if len(term.args) == 2 else (term, term)
    if one.op == "lit" and term.op == "=":
        one, two = two, one
    if two.op != "lit" or two.sort is not INT or not isinstance(two.value, int):
        return None
    if term.op == "=":
        return (one, two.value, two.value) if sign else None
    return None if term.op != "<" else (one, None, two.value - 1) if sign else (one, two.value, None)


def joined(every: Sequence[Bounds]) -> Bounds:
    """The bounds of a number that keeps one of these: of alternatives."""
    lows = [low for low, _ in every if low is not None]
    highs = [high for _, high in every if high is not None]
    every_low, every_high = len(lows) == len(every), len(highs) == len(every)
    return min(lows) if every_low else None, max(highs) if every_high else None


def met(one: Bounds, two: Bounds) -> Bounds:
    """The bounds of a number that keeps both."""
    lows = [low for low in (one[0], two[0]) if low is not None]
    highs = [high for high in (one[1], two[1]) if high is not None]
    return max(lows, default=None), min(highs, default=None)


def limited(
    limits: Sequence[Limits | None], absent: frozenset[Term]
) -> tuple[tuple[Symbol, tuple[object, ...]], Bounds] | None:
    """The cell that all alternatives limit, with the bounds that they leave it; it is at what is `absent`."""
    terms = {limit[0] for limit in limits if limit is not None}
    term = terms.pop() if len(terms) == 1 and None not in limits else None
    if term is None or not isinstance(term.op, Symbol) or any(arg.op != "lit" for arg in term.args):
        return None
    bounds = joined([limit[1:] for limit in limits if limit is not None])
    return ((term.op, tuple([arg.value for arg in term.args])), bounds) if absent <= set(term.args) else None


def range_of(quantifier: Term, variable: Term, most: int) -> range:
    """The integers at which the body may decide: its own conditions on the variable exclude the others."""
    bounds = UNBOUNDED
    stack = [(quantifier.args[0], quantifier.op == "exists")]
    while stack:
        term, sign = stack.pop()
        limits = limits_of(term, sign)
        if limits is not None and limits[0] is variable:
            bounds = met(bounds, limits[1:])
        elif term.op in QUANTIFIERS and (term.op == "exists") is sign:
            stack.append((term.args[0], sign))
        elif is_connective(term):
            stack += [clause[0] for clause in connective(term, sign) if len(clause) == 1]
    low, high = bounds
    if low is None or high is None or high - low >= most:
        raise Invalid("a quantifier over integers without bounds")
    return range(low, high + 1)
