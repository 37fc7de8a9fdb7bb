"""Relations that are not between numbers: points, vectors, matrices and sets ([REL-ARRAYS], [REL-SETS])."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.languages.dagmath.lower.arrays import Array, NotArray, worked_out
from potlang.languages.dagmath.lower.exact import NotExact, truth
from potlang.languages.dagmath.lower.regions import contains, is_region, region
from potlang.languages.dagmath.lower.syntax import Op, Term, is_object, text
from potlang.languages.dagmath.relations.model import Link, Side
from potlang.languages.dagmath.relations.truth import RelationTruth


def is_of_objects(left: Side, right: Side) -> bool:
    """Whether a relation is read on both sides, and is not between numbers as they are written."""
    terms = (left.term, right.term)
    return None not in terms and any(is_object(term) for term in terms if term is not None)


def components(left: Side, link: Link, right: Side) -> list[tuple[Side, Side]] | None:
    """The equations between numbers that one between arrays, or numbers made of them, stands for.

    None where it stands for none: sets, other relations, arrays of different shapes.
    """
    assert left.term is not None and right.term is not None
    if link != "=":
        return None
    try:
        one, other = worked_out(left.term), worked_out(right.term)
    except NotArray:
        return None
    if isinstance(one, Array) and isinstance(other, Array):
        if one.shape != other.shape:
            return None
        pairs = zip(one.components, other.components, strict=True)
    elif isinstance(one, Array) or isinstance(other, Array):
        return None
    else:
        pairs = zip((one,), (other,), strict=True)
    return [(_made(left, first), _made(right, second)) for first, second in pairs]


def _made(side: Side, term: Term) -> Side:
    return side._replace(source=text(term), term=term)


def all_of(found: Iterable[RelationTruth]) -> RelationTruth:
    """The truth of several relations together."""
    together = set(found)
    order = (RelationTruth.FALSE, RelationTruth.UNCLEAR, RelationTruth.OPEN, RelationTruth.ROUNDED)
    return next((each for each in order if each in together), RelationTruth.TRUE)


def truth_of_sets(left: Side, link: Link, right: Side) -> RelationTruth:
    """The truth of a relation between sets of numbers, or of a number and a set."""
    assert left.term is not None and right.term is not None
    try:
        holds = _holds(left.term, link, right.term)
    except NotExact:
        return RelationTruth.OPEN
    if holds:
        return RelationTruth.TRUE
    return RelationTruth.UNCLEAR if left.is_cut or right.is_cut else RelationTruth.FALSE


def _holds(left: Term, link: Link, right: Term) -> bool:
    match link:
        case "in" | "notin":
            return truth(Op("in", (left, right))) is (link == "in")
        case "subset":
            return contains(region(right), region(left))
        case "=" | "!=" if is_region(left) or is_region(right):
            return (region(left) == region(right)) is (link == "=")
    raise NotExact("it is not between sets")
