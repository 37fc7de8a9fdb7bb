"""Values of terms from those of their parts, by Kleene's tables: a part without a value may not matter.

A frame is a list: the facts of a session, then a value for each variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from potlang.ir import operators as op
from potlang.ir.fold import within_bounds
from potlang.ir.operators import Operator
from potlang.ir.sorts import REAL, Sort
from potlang.ir.values import Unspecified
from potlang.policy.guard.session_facts import NO_VALUE, AtomKey

Frame = list[Any]
Compute = Callable[[Frame], object]
Reads = frozenset[tuple[int, int]]
"""Functions, by number, at variables, by their places in a frame."""


class CompiledTerm(NamedTuple):
    """A term as a function of a frame.

    `settled`: later events do not change its value. `reads` are the functions, by number, that it reads at
    variables, by their places in the frame; None where it reads more than such.
    """

    compute: Compute
    settled: bool = True
    reads: Reads | None = frozenset()
    cell: Callable[[Frame], AtomKey | None] | None = None
    """Of a term that looks up a value: the function, by number, at the values of its arguments."""


def constant(value: object) -> CompiledTerm:
    """A value."""
    return CompiledTerm(lambda frame: value)


def together(parts: Sequence[CompiledTerm]) -> tuple[bool, Reads | None]:
    """Whether parts are settled together, and what they read."""
    reads = [part.reads for part in parts]
    if any(each is None for each in reads):
        return all(part.settled for part in parts), None
    return all(part.settled for part in parts), frozenset[tuple[int, int]]().union(*(r or () for r in reads))


def after(part: CompiledTerm, function: Callable[[Any], object]) -> CompiledTerm:
    """A function of a part."""
    inner = part.compute

    def compute(frame: Frame) -> object:
        value = inner(frame)
        return NO_VALUE if value is NO_VALUE else function(value)

    return part._replace(compute=compute, cell=None)


def strict(parts: Sequence[CompiledTerm], function: Callable[..., object]) -> CompiledTerm:
    """A function of parts, all of which need a value."""
    computes = [part.compute for part in parts]

    def compute(frame: Frame) -> object:
        values = [each(frame) for each in computes]
        for value in values:
            if value is NO_VALUE:
                return NO_VALUE
        return function(*values)

    return CompiledTerm(compute, *together(parts))


def tuple_of(parts: Sequence[CompiledTerm]) -> Compute:
    """The values of all parts, or no value."""
    computes = [part.compute for part in parts]

    def compute(frame: Frame) -> object:
        values = tuple([each(frame) for each in computes])
        for value in values:
            if value is NO_VALUE:
                return NO_VALUE
        return values

    return compute


def cell_at(number: int, key: Compute) -> Callable[[Frame], AtomKey | None]:
    """A function at arguments, if these have values."""

    def cell(frame: Frame) -> AtomKey | None:
        at = key(frame)
        return None if at is NO_VALUE else (number, at)

    return cell


def value_at(number: int, key: Compute) -> Compute:
    """The value of a function at arguments, by its table."""

    def compute(frame: Frame) -> object:
        facts, at = frame[0], key(frame)
        table = facts.tables[number]
        # What has no value is no key: a function without a table has the same value everywhere.
        found = table.get(at, NO_VALUE)
        if found is not NO_VALUE or (at is NO_VALUE and table):
            return found
        return facts.missing(number, at)

    return compute


def assigned_at(number: int, key: Compute) -> Compute:
    """The value of an open predicate: by its table, or else what follows, or else the default."""

    def compute(frame: Frame) -> object:
        facts, at = frame[0], key(frame)
        if at is NO_VALUE:
            return NO_VALUE
        found = facts.tables[number].get(at, NO_VALUE)
        return facts.truth((number, at)) if found is NO_VALUE else found

    return compute


def same(*values: object) -> object:
    """Whether two names are of one thing, which they may be."""
    # Two names of a sort without unique names may be of one thing.
    return True if values[0] == values[1] else NO_VALUE


def differ(*values: object) -> object:
    """Whether all are different, where names may be of one thing."""
    return False if len(set(values)) < len(values) else NO_VALUE


def any_of(computes: Iterable[Compute], frame: Frame) -> object:
    """Whether one of the formulas holds."""
    found: object = False
    for each in computes:
        # Each has the parameters, and its own variables behind them.
        one = each(list(frame))
        if one is True:
            return True
        if one is NO_VALUE:
            found = NO_VALUE
    return found


def operated(row: Operator, computes: list[Compute]) -> Compute:
    """An operator at parts."""
    match row:
        case op.AND:
            return _junction(computes, False)
        case op.OR:
            return _junction(computes, True)
        case op.IMPLIES:
            return _junction([_negation(computes[0]), computes[1]], True)
        case op.NOT:
            return _negation(computes[0])
        case op.ITE:
            return _choice(*computes)
        case op.EQ | op.IFF:
            return _equality(*computes)
    return _applied(row, computes)


def _junction(computes: Sequence[Compute], decisive: bool) -> Compute:
    def compute(frame: Frame) -> object:
        found: object = not decisive
        for each in computes:
            one = each(frame)
            if one is decisive:
                return decisive
            if one is NO_VALUE:
                found = NO_VALUE
        return found

    return compute


def _negation(inner: Compute) -> Compute:
    def compute(frame: Frame) -> object:
        value = inner(frame)
        return NO_VALUE if value is NO_VALUE else not value

    return compute


def _choice(condition: Compute, then: Compute, otherwise: Compute) -> Compute:
    def compute(frame: Frame) -> object:
        chosen = condition(frame)
        if chosen is NO_VALUE:
            return NO_VALUE
        return then(frame) if chosen else otherwise(frame)

    return compute


def _equality(first: Compute, second: Compute) -> Compute:
    def compute(frame: Frame) -> object:
        one = first(frame)
        if one is NO_VALUE:
            return NO_VALUE
        other = second(frame)
        return NO_VALUE if other is NO_VALUE else one == other

    return compute


def _applied(row: Operator, computes: Sequence[Compute]) -> Compute:
    evaluate = row.evaluate

    def compute(frame: Frame) -> object:
        values = [each(frame) for each in computes]
        for value in values:
            if value is NO_VALUE:
                return NO_VALUE
        try:
            return evaluate(*values) if within_bounds(row, values) else NO_VALUE
        except Unspecified:
            return NO_VALUE

    return compute


def each_value(
    compute: Compute, frame: Frame, levels: Sequence[tuple[int, Callable[[Frame], Sequence[object]]]], at: int
) -> Iterable[Any]:
    """The value of a term for all values of the variables it binds."""
    place, listed = levels[at]
    values = listed(frame)
    frame[0].spend(len(values))
    for value in values:
        frame[place] = value
        if at + 1 < len(levels):
            yield from each_value(compute, frame, levels, at + 1)
        else:
            yield compute(frame)


def _count(values: Iterable[Any], sort: Sort) -> object:
    found = 0
    for value in values:
        if value is NO_VALUE:
            return NO_VALUE
        found += value
    return found


def _sum(values: Iterable[Any], sort: Sort) -> object:
    return _folded(values, op.ADD, _zero(sort))


def _product(values: Iterable[Any], sort: Sort) -> object:
    return _folded(values, op.MUL, _zero(sort) + 1)


def _zero(sort: Sort) -> Any:
    return Fraction(0) if sort is REAL else 0


def _folded(values: Iterable[Any], row: Operator, found: Any) -> object:
    for value in values:
        if value is NO_VALUE or not within_bounds(row, (found, value)):
            return NO_VALUE
        found = row.evaluate(found, value)
    return found


def _extreme(best: Callable[[list[Any]], object]) -> Callable[[Iterable[Any], Sort], object]:
    def fold(values: Iterable[Any], sort: Sort) -> object:
        listed = list(values)
        if not listed or any(value is NO_VALUE for value in listed):
            return NO_VALUE
        return best(listed)

    return fold


FOLDS: Final[Mapping[str, Callable[[Iterable[Any], Sort], object]]] = {
    "Count": _count,
    "Sum": _sum,
    "Product": _product,
    "Min": _extreme(min),
    "Max": _extreme(max),
    "Average": _extreme(lambda values: Fraction(sum(values)) / len(values)),
}
