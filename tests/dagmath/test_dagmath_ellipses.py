"""Sums and products with an ellipsis, against what they stand for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from relations_support import truths

from potlang.languages.dagmath.lower.exact import value
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.syntax import Unreadable


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"1 + 2 + \cdots + 10 = 55", "true"),
        (r"1 + 2 + 3 + \cdots + 10 = 56", "false"),
        (r"1 + 2 + \cdots + n = \frac{n(n+1)}{2}", "true"),
        (r"1^2 + 2^2 + \cdots + n^2 = \frac{n(n+1)(2n+1)}{6}", "true"),
        (r"2^0 + 2^1 + \cdots + 2^{10} = 2047", "true"),
        (r"1 \cdot 2 \cdots 5 = 120", "true"),
        (r"10 \cdot 9 \cdot \ldots \cdot 1 = 10!", "true"),
        (r"\frac{1}{1 \cdot 2} + \frac{1}{2\cdot 3} + \cdots + \frac{1}{9 \cdot 10} = \frac{9}{10}", "true"),
    ],
)
def test_ellipses(source: str, expected: str) -> None:
    """[STEP-ELLIPSIS]"""
    assert truths(f"${source}$") == [expected]


@pytest.mark.parametrize(
    "source",
    [
        r"1 + 2 + \cdots + 64",
        r"1 + 2 + 4 + \cdots + 64",
        r"1 + 3 + \cdots + 10",
        r"1 + \cdots + 10",
        r"1 + 2 + \cdots",
        r"1 + 2 + \cdots + 9 + 10",
        r"x_1 + x_2 + \cdots + x_n",
        r"1 + x + \cdots + x^n",
        r"1, 2, \ldots, 10",
        r"\ldots + 3",
        r"1 - 2 - \cdots - 10",
        r"10 + 9 + \cdots + n",
    ],
)
def test_an_ellipsis_that_leaves_open_what_is_meant(source: str) -> None:
    """[STEP-ELLIPSIS] What may go on in two ways is refused: in equal steps, by equal factors."""
    with pytest.raises(Unreadable):
        read_formula(source)


@given(st.integers(-9, 9), st.integers(-5, 5).filter(bool), st.integers(3, 12), st.integers(1, 3))
def test_sums_as_written_out(begin: int, step: int, count: int, power: int) -> None:
    """[STEP-ELLIPSIS]"""
    amounts = [begin + step * at for at in range(count + 1)]
    first = " + ".join(f"(0 + {each})^{power}" for each in amounts[:3])
    # A negative number is another formula than a positive one.
    if all(each >= 0 for each in amounts):
        found = read_formula(rf"{first} + \cdots + (0 + {amounts[-1]})^{power}")
        assert value(found) == sum(Fraction(each) ** power for each in amounts)
