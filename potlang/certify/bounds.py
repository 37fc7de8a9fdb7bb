"""Bounds of integers, from what formulas say of them one by one ([CERT-FINITE-CELL], [CERT-EVAL-RANGE])."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from .normal import Part, connective, is_connective
from .sorts import INT
from .terms import Symbol, Term, outer_first
from .tokens import Invalid

Bounds = tuple[int | None, int | None]
"""The least and the greatest value; None: there is none."""
Limits = tuple[Term, int | None, int | None]
"""A term and its bounds."""
Limit = tuple[bool, Term, int]
"""The least (True) or the greatest value of a number: that of a term, and so much more."""
UNBOUNDED: Bounds = (None, None)


def limits_of(term: Term, sign: bool) -> Limits | None:
    """A term of sort Int and the least and the greatest value that an atom, or its denial, leaves it."""
    for each in term.args:
        bounds = bounds_by(limits_on(each, [(term, sign)]), _integer) if each.sort is INT else UNBOUNDED
        if bounds != UNBOUNDED:
            return each, *bounds
    return None


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


def necessary(formula: Term, sign: bool, around: Set[Term]) -> list[Part]:
    """The atoms, each with the sign that it has wherever a formula has its sign.

    Where one has the other sign, so has the formula, whatever has no value: connectives are Kleene's, and
    a quantifier that holds has a binding with which its body does. `around` are the formula's own variables.
    """

    def parts(whole: Part) -> list[Part]:
        term, wanted = whole
        if is_connective(term):
            return [clause[0] for clause in reversed(connective(term, wanted)) if len(clause) == 1]
        # Below a quantifier that binds one of these again it is another variable.
        is_open = term.op == ("exists" if wanted else "forall") and around.isdisjoint(term.binders)
        return [(term.args[0], wanted)] if is_open else []

    return list(outer_first((formula, sign), parts))


def limits_on(variable: Term, parts: Sequence[Part]) -> list[Limit]:
    """The bounds that atoms of these signs set for an integer, by terms without it."""
    found: list[Limit] = []
    for atom, sign in parts:
        one, two = atom.args if len(atom.args) == 2 else (atom, atom)
        other = two if one is variable else one
        if other is variable or variable not in (one, two) or variable in other.free:
            continue
        if atom.op == "=" and sign:
            found += [(True, other, 0), (False, other, 0)]
        elif atom.op == "<":
            # x < t is x <= t - 1, and its denial t <= x; t < x is t + 1 <= x, and its denial x <= t.
            more = 1 if two is variable else -1
            found.append((sign is (two is variable), other, more if sign else 0))
    return found


def bounds_by(limits: Sequence[Limit], value: Callable[[Term], object]) -> Bounds:
    """The bounds that limits leave a number; one that has no integer as its value is none."""
    bounds = UNBOUNDED
    for is_low, term, more in limits:
        found = value(term)
        # What grows with the parameter of a family ([CERT-FAMILY]) is no integer.
        if isinstance(found, int):
            bounds = met(bounds, (found + more, None) if is_low else (None, found + more))
    return bounds


def _integer(term: Term) -> object:
    return term.value if term.op == "lit" else None


def range_of(quantifier: Term, variable: Term, most: int) -> range:
    """The integers at which the body may decide: its own conditions on the variable exclude the others."""
    around = quantifier.free.union(quantifier.binders)
    limits = limits_on(variable, necessary(quantifier.args[0], quantifier.op == "exists", around))
    low, high = bounds_by(limits, _integer)
    if low is None or high is None or high - low >= most:
        raise Invalid("a quantifier over integers without bounds")
    return range(low, high + 1)
