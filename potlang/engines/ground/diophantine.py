"""Linear equations over the integers: a form that would have to be a fraction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm

IntegerForm = dict[int, int]
"""Unknowns with their factors."""


def fractional_form(
    equations: Iterable[tuple[Mapping[int, Fraction], Fraction]], step: Callable[[], None]
) -> tuple[IntegerForm, Fraction] | None:
    """A form with whole factors to which equations give a value that is not whole.

    Of equations that have solutions at all there is none exactly if they have whole ones.
    Unknowns are replaced by sums of them, as in Euclid's algorithm, until each equation has one unknown that
    those before it have not (the Hermite normal form). `step` is called for each exchange, and may raise.
    """
    rows = [_whole(*each) for each in equations]
    forms = {unknown: {unknown: 1} for row, _ in rows for unknown in row}
    known: dict[int, int] = {}
    while rows:
        row, number = rows.pop(0)
        number -= sum(row.pop(unknown, 0) * value for unknown, value in known.items())
        while len(row) > 1:
            step()
            least = min(row, key=lambda unknown: (abs(row[unknown]), unknown))
            for other in [unknown for unknown in row if unknown != least]:
                # a·x + b·y is a·(x + q·y) + (b - q·a)·y.
                times = row[other] // row[least]
                _add(forms[least], forms[other], times)
                for each in (row, *(each for each, _ in rows)):
                    _add(each, {other: each.get(least, 0)}, -times)
        for unknown, factor in row.items():
            if number % factor:
                return forms[unknown], Fraction(number, factor)
            known[unknown] = number // factor
    return None


def _whole(form: Mapping[int, Fraction], number: Fraction) -> tuple[IntegerForm, int]:
    """The same equation without denominators."""
    scale = lcm(number.denominator, *(factor.denominator for factor in form.values()))
    return {unknown: int(factor * scale) for unknown, factor in form.items()}, int(number * scale)


def _add(form: IntegerForm, other: IntegerForm, times: int) -> None:
    for unknown, factor in other.items():
        form[unknown] = form.get(unknown, 0) + times * factor
        if not form[unknown]:
            del form[unknown]
