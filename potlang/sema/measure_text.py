"""Texts in which numbers stand for dates, durations and amounts, as our own reader takes them.

The typed program has conversions between a measure and its number, the source has none: the number under a
date is written like the date. So each text of a number is told apart by the sort that it will be read with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from potlang.expressions.names import written
from potlang.ir import operators as op
from potlang.ir.measures import (
    CURRENCIES,
    DATE,
    DATETIME,
    DAYS,
    SECONDS,
    UNITS,
    is_point,
    unit_of,
    value_text,
)
from potlang.ir.operators import Operator
from potlang.ir.sorts import MeasureSort

ReadSort = MeasureSort | None
"""The sort that a text is read with; None where that is the sort of its term."""
_STEPS: Mapping[MeasureSort, MeasureSort] = MappingProxyType({DATE: DAYS, DATETIME: SECONDS})
_FIRST: Mapping[MeasureSort, str] = MappingProxyType({DATE: "1970-01-01", DATETIME: "1970-01-01T00:00"})
_COMPARISONS = (op.LT, op.LE, op.EQ, op.DISTINCT)


def read_as(head: Operator, sorts: Sequence[ReadSort]) -> tuple[bool, ReadSort]:
    """Whether the operator means the same over texts of these sorts ([QTY-ARITH]), and its result's sort."""
    first, last = sorts[0], sorts[-1]
    same = all(sort == first for sort in sorts)
    if head in _COMPARISONS:
        return same, None
    if head is op.ITE:
        return sorts[1] == last, last
    if head in (op.NEG, op.ABS):
        return not is_point(first), first
    if len(sorts) != 2:
        return False, None
    if head is op.ADD:
        for point, step in ((first, last), (last, first)):
            if point is not None and point in _STEPS and _STEPS[point] == step:
                return True, point
        return same and not is_point(first), first
    if head is op.SUB:
        if first is not None and is_point(first):
            return (same or last == _STEPS[first]), _STEPS[first] if same else first
        return same, first
    if head is op.MUL:
        return None in sorts and not is_point(first or last), first or last
    if head is op.DIV and first is not None and unit_of(first) is not None:
        return (same or last is None), None if same else first
    if head in (op.INT_DIV, op.MOD):
        return same and not is_point(first), first if head is op.MOD else None
    return False, None


def number_text(text: str, sort: ReadSort) -> str:
    """The number that stands for what a text of this sort says."""
    if sort is None:
        return text
    if sort in _FIRST:
        return f"(({text} - {_FIRST[sort]}) // {_one(_STEPS[sort])})"
    return f"({text} {'/' if unit_of(sort) else '//'} {_one(sort)})"


def measure_text(text: str, sort: MeasureSort) -> str:
    """A number, given as text, written as a date, an amount or a quantity of the sort."""
    if sort in _FIRST:
        return f"({_FIRST[sort]} + {measure_text(text, _STEPS[sort])})"
    return f"({_one(sort)} * {text})"


def _one(sort: MeasureSort) -> str:
    return literal_text(Fraction(1), sort)


def literal_text(value: Fraction, sort: MeasureSort) -> str:
    """A literal of a date, a duration, an amount of money or a quantity."""
    unit, text = unit_of(sort), value_text(value, sort)
    if unit is None:
        return f"({text})" if value < 0 and not is_point(sort) else text
    if unit in CURRENCIES | UNITS and "/" not in text:
        return f"({text})" if value < 0 else text
    head = sort.name.partition("(")[0]
    number = real_text(value) if "/" in text else text.removesuffix(f" {unit}")
    return f"{head}({number}, {written(unit)})"


def real_text(value: Fraction) -> str:
    """A literal of a real."""
    whole = value.denominator == 1
    text = f"{abs(value.numerator)}.0" if whole else f"{abs(value.numerator)}/{value.denominator}"
    if value < 0:
        return f"(-{text})"
    return text if whole else f"({text})"
