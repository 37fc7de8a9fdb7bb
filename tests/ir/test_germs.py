"""Numbers that depend on ω, against the same computations at large ω."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.ir import values
from potlang.ir.germs import Germ, germ
from potlang.ir.structure import NotEvaluable

FACTORS = st.fractions(-9, 9, max_denominator=4)
GERMS = st.dictionaries(st.integers(-2, 2), FACTORS, max_size=3).map(germ)
WHOLE = st.dictionaries(st.integers(0, 2), st.integers(-9, 9).map(Fraction), max_size=3).map(germ)
OMEGA = Fraction(math.lcm(*range(1, 13)) ** 6)
"""Large for these factors, and divisible by what they are divided by."""


def at(value: Any) -> Fraction:
    """A germ at one large ω."""
    if not isinstance(value, Germ):
        return Fraction(value)
    return sum((factor * OMEGA**power for power, factor in value.parts), Fraction(0))


@given(GERMS, GERMS)
def test_order_and_arithmetic(one: Any, other: Any) -> None:
    """What is true of two germs is true of their values at a large ω."""
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        assert compare(one, other) == compare(at(one), at(other))
    arithmetic: list[Callable[[Any, Any], Any]] = [operator.add, operator.sub, operator.mul]
    for compute in arithmetic:
        assert at(compute(one, other)) == compute(at(one), at(other))
    assert at(-one) == -at(one)
    assert at(abs(one)) == abs(at(one))
    assert (hash(one) == hash(other)) or one != other


@given(GERMS, GERMS)
def test_quotients(one: Any, other: Any) -> None:
    """A quotient is right, or there is none: by what is no single power."""
    if other == 0:
        with pytest.raises(values.Unspecified):
            values.real_div(one, other)
        return
    try:
        found = values.real_div(one, other)
    except NotEvaluable:
        assert isinstance(other, Germ)
        assert len(other.parts) > 1
        return
    assert at(found) == at(one) / at(other)


@given(WHOLE, st.integers(-6, 6).filter(bool))
def test_integers(one: Any, other: int) -> None:
    """Remainders and quotients of integers, as SMT-LIB has them."""
    assert at(values.int_mod(one, other)) == values.int_mod(int(at(one)), other)
    assert at(values.int_div(one, other)) == values.int_div(int(at(one)), other)


@given(GERMS)
def test_floor(one: Any) -> None:
    """The floor is that of the value; powers of ω are whole, since ω is divisible as needed."""
    assert at(math.floor(one)) == math.floor(at(one))


def test_out_of_proportion() -> None:
    """What would grow without end has no value."""
    grown: Any = germ({number: Fraction(1) for number in range(60)})
    with pytest.raises(NotEvaluable):
        grown * germ({100: Fraction(1), 0: Fraction(1)})
    with pytest.raises(NotEvaluable):
        values.int_mod(5, germ({1: Fraction(1)}))  # type: ignore[arg-type]
