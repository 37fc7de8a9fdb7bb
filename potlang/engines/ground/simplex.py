"""Bounds on linear forms, and why they contradict each other.

The simplex of B. Dutertre and L. de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)" (CAV 2006), with
exact numbers. Strict bounds are bounds a little off: a value has a multiple of an arbitrarily small number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

Form = Mapping[int, Fraction]
"""Variables with their factors."""
Value = tuple[Fraction, Fraction]
"""A number, and a multiple of one that is positive and smaller than all others that occur."""
_ZERO = Fraction(0), Fraction(0)


class VariableBound(NamedTuple):
    """A bound, and its reason: whatever the caller knows it by."""

    value: Value
    reason: object


BoundConflict = list[tuple[object, bool, Fraction]]
"""Reasons of bounds, whether these are upper ones, and positive factors: the sum of the bounds is false."""


class Simplex:
    """Variables, some of which are forms over others, with bounds, and values that are within the bounds
    of all variables but the basic ones.
    """

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, Fraction]] = {}
        self._bounds: tuple[dict[int, VariableBound], dict[int, VariableBound]] = ({}, {})
        """The lower ones, and the upper ones."""
        self._values: list[Value] = []
        self._forms: dict[tuple[tuple[int, Fraction], ...], int] = {}

    def variable(self) -> int:
        """A new variable."""
        self._values.append(_ZERO)
        return len(self._values) - 1

    def value(self, variable: int) -> Value:
        """The value of a variable; once `check` has found nothing, one within its bounds."""
        return self._values[variable]

    def form(self, form: Form) -> int:
        """The variable that is this form of others."""
        key = tuple(sorted(form.items()))
        if key not in self._forms:
            row: dict[int, Fraction] = {}
            for variable, factor in key:
                for each, inner in self._rows.get(variable, {variable: Fraction(1)}).items():
                    _put(row, each, row.get(each, 0) + factor * inner)
            found = self._forms[key] = self.variable()
            self._rows[found] = row
            self._values[found] = self._sum(row)
        return self._forms[key]

    def bound(self, variable: int, value: Value, reason: object, *, upper: bool) -> BoundConflict | None:
        """Takes a bound; a conflict if it excludes the other one."""
        own, other = self._bounds[upper].get(variable), self._bounds[not upper].get(variable)
        if own is not None and (own.value <= value if upper else own.value >= value):
            return None
        if other is not None and (other.value > value if upper else other.value < value):
            return [(reason, upper, Fraction(1)), (other.reason, not upper, Fraction(1))]
        self._bounds[upper][variable] = VariableBound(value, reason)
        is_outside = self._values[variable] > value if upper else self._values[variable] < value
        if variable not in self._rows and is_outside:
            self._move(variable, value)
        return None

    def tight(self) -> list[tuple[Form, Fraction]]:
        """The forms that have the value of a bound, with it: first those that can have no other value."""
        forms = {variable: dict(form) for form, variable in self._forms.items()}
        found: tuple[list[tuple[Form, Fraction]], ...] = [], []
        for variable, value in enumerate(self._values):
            bounds = [each[variable].value for each in self._bounds if variable in each]
            if value in bounds and not value[1]:
                form = forms.get(variable, {variable: Fraction(1)})
                found[bounds != [value, value]].append((form, value[0]))
        return [*found[False], *found[True]]

    def check(self, step: Callable[[], None]) -> BoundConflict | None:
        """Values within all bounds, or a conflict. `step` is called for each exchange, and may raise."""
        while True:
            step()
            wrong = self._wrong()
            if wrong is None:
                return None
            basic, upper = wrong
            row = self._rows[basic]
            # The first that can be changed (Bland's rule): so no exchange comes back.
            ways = ((each, (row[each] > 0) is not upper) for each in sorted(row))
            other = next((each for each, up in ways if self._can_move(each, up)), None)
            if other is None:
                return self._conflict(basic, upper)
            self._exchange(basic, other, self._bounds[upper][basic].value)

    def _wrong(self) -> tuple[int, bool] | None:
        """The first basic variable that is outside of its bounds, and whether it is above them."""
        for basic in sorted(self._rows):
            value = self._values[basic]
            low, high = (bounds.get(basic) for bounds in self._bounds)
            if low is not None and value < low.value:
                return basic, False
            if high is not None and value > high.value:
                return basic, True
        return None

    def _can_move(self, variable: int, up: bool) -> bool:
        bound = self._bounds[up].get(variable)
        return bound is None or self._values[variable] != bound.value

    def _conflict(self, basic: int, upper: bool) -> BoundConflict:
        """A basic variable must go beyond what the bounds of its row let it."""
        found: BoundConflict = [(self._bounds[upper][basic].reason, upper, Fraction(1))]
        for each, factor in self._rows[basic].items():
            side = (factor > 0) is not upper
            found.append((self._bounds[side][each].reason, side, abs(factor)))
        return found

    def _move(self, variable: int, value: Value) -> None:
        """Gives a variable that is not basic a value."""
        change = _minus(value, self._values[variable])
        self._values[variable] = value
        for basic, row in self._rows.items():
            if variable in row:
                self._values[basic] = _plus(self._values[basic], _times(change, row[variable]))

    def _exchange(self, basic: int, other: int, value: Value) -> None:
        """Makes `other` basic in place of a variable, which gets a value."""
        row = self._rows.pop(basic)
        factor = row.pop(other)
        solved = {each: -inner / factor for each, inner in row.items()}
        solved[basic] = 1 / factor
        change = _times(_minus(value, self._values[basic]), 1 / factor)
        self._values[basic] = value
        self._values[other] = _plus(self._values[other], change)
        for each, outer in self._rows.items():
            inner = outer.pop(other, None)
            if inner is not None:
                self._values[each] = _plus(self._values[each], _times(change, inner))
                for part, number in solved.items():
                    _put(outer, part, outer.get(part, 0) + inner * number)
        self._rows[other] = solved

    def _sum(self, row: Form) -> Value:
        total = _ZERO
        for each, factor in row.items():
            total = _plus(total, _times(self._values[each], factor))
        return total


def _put(row: dict[int, Fraction], variable: int, factor: Fraction) -> None:
    if factor:
        row[variable] = factor
    else:
        row.pop(variable, None)


def _plus(one: Value, other: Value) -> Value:
    return one[0] + other[0], one[1] + other[1]


def _minus(one: Value, other: Value) -> Value:
    return one[0] - other[0], one[1] - other[1]


def _times(value: Value, factor: Fraction) -> Value:
    return value[0] * factor, value[1] * factor
