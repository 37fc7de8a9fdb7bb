"""Units out of formulas, where numbers in them can be compared all the same ([STEP-UNITS])."""

from __future__ import annotations

from collections.abc import Iterable

from .syntax import Name, Num, Op, Quantity, Term, Unreadable, parts, rebuilt
from .units import bases, factors, is_mixed
from .word_lists import words

_ANGLES = words("sin cos tan cot sec csc arcsin arccos arctan")


def units_of(term: Term) -> frozenset[str]:
    """The base units in a formula. Raises Unreadable for one that mixes what it counts."""
    found = [each.op[5:] for each in parts(term) if isinstance(each, Op) and each.op.startswith("unit:")]
    known = frozenset[str]().union(*map(bases, found))
    things = {unit for unit in found if not bases(unit)}
    if len({thing.removesuffix("s") for thing in things}) > 1 or (things and known):
        raise Unreadable("numbers of different things stand in one formula")
    if "degree" in known and any(isinstance(each, Op) and each.op in _ANGLES for each in parts(term)):
        raise Unreadable("a function of an angle in degrees")
    if "degree" in known and Name("pi") in parts(term):
        raise Unreadable("degrees and radians stand in one formula")
    return known


def without_units(term: Term) -> Term:
    """The formula without units; those of one dimension are converted, if it has no variables.

    Raises Unreadable where numbers in different units would be compared.
    """
    units = units_of(term)
    sizes = {}
    if is_mixed(units):
        found = factors(units)
        if found is None or any(isinstance(each, Name | Quantity) for each in parts(term)):
            raise Unreadable(f"different units stand in one formula: {', '.join(sorted(units))}")
        sizes = found

    def bare(each: Term) -> Term:
        if not (isinstance(each, Op) and each.op.startswith("unit:")):
            return each
        size = sizes.get(next(iter(bases(each.op[5:])), ""))
        return each.args[0] if size is None else Op("*", (Num(size), each.args[0]))

    return rebuilt(term, bare)


def check_comparable(terms: Iterable[Term]) -> None:
    """Raises Unreadable if formulas that speak of the same variables have different units."""
    # A formula that mixes units itself was converted (`without_units`).
    units = frozenset[str]().union(*(found for term in terms if not is_mixed(found := units_of(term))))
    if is_mixed(units):
        raise Unreadable(f"numbers in different units: {', '.join(sorted(units))}")
