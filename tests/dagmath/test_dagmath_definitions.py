"""What functions, points and sets are said to be, put in their place."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from relations_support import truths


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Let $f(x) = x^2 + 1$.", "$f(3) = 10$"], "true"),
        (["Let $f(x) = x^2 + 1$.", "$f(3) = 11$"], "false"),
        (["$f(x) = x^2 + 1$", "$f(3) = 11$"], "false"),
        (["We want $f(3)$.", "So $f(x) = x^2 + 1$.", "$f(3) = 11$"], "open"),
        (["$f(x) = x^2 + 1$, $g(x) = 2x$", "$f(g(2)) = 17$"], "true"),
        (["$f(x) = x^2 + 1$, $g(x) = 2x$", "$f(g(2)) = 18$"], "false"),
        (["$f(x) = x^2 + 1$", "$f(a + 1) = a^2 + 2a + 2$"], "true"),
        (["$f(x) = x^2 + 1$", "$f(a + 1) = a^2$"], "open"),
        (["$f(x) = ax + b$", "$f(3) = 10$"], "open"),
        (["$f(x) = x^2 + 1$", "$f(x) = 3x$", "$f(3) = 11$"], "open"),
        (["$f(x) = x^2 + 1$", "$f(x) = 0$", "$f(3) = 11$"], "open"),
        ([r"$f(x) = \begin{cases} x & 1 \\ 2 & x \end{cases}$", "$f(x) = x + 1$", "$f(3) = 11$"], "open"),
        (["$f(x) = x^2 + 1$ if $x > 5$.", "$f(3) = 10$"], "open"),
        (["For $x > 5$ let $f(x) = x^2 + 1$.", "$f(3) = 10$"], "open"),
        (["$f(a) = a + 1$", "$f(3) = 11$"], "open"),
        (["$f(x) = f(x - 1) + x$", "$f(3) = 11$"], "open"),
        (["$f(x + y) = f(x) + f(y)$", "$f(x) = 2x$", "$f(3) = 11$"], "open"),
        (["Nothing.", "Suppose $f(x) = 2x$.", "$f(3) = 6$"], "open"),
        ([r"$f(x) = \sum_{k=1}^{3} kx$", "$f(2) = 12$"], "true"),
        ([r"$A = \{1, 2, 3\}$", "$|A| = 3$"], "true"),
        ([r"$A = \{1, 2, 3\}$", "$|A| = 4$"], "false"),
        ([r"$A = \{1, 2\}$, $B = \{2, 3\}$", r"$A \cap B = \{2\}$"], "true"),
        ([r"$A = \{1, 2\}$", r"$3 \in A$"], "false"),
        (["$P = (0, 3)$", "$P = (0, 4)$"], "open"),
        (["$P = (0, 0)$, $A = (3, 4)$", "$P A = 5$"], "open"),
        ([r"$\mathbf{v} = \begin{pmatrix} 3 \\ 4 \end{pmatrix}$", r"$\|\mathbf{v}\| = 5$"], "true"),
    ],
)
def test_definitions(texts: list[str], expected: str) -> None:
    """[REL-DEFINED]"""
    assert truths(*texts)[-1] == expected


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=4), st.integers(-5, 5), st.integers(-3, 3))
def test_values_of_polynomials(coefficients: list[int], at: int, off: int) -> None:
    """[REL-DEFINED] True relations are never false, wrong ones never true."""
    body = " + ".join(f"({each})x^{power}" for power, each in enumerate(coefficients, start=1))
    value = sum(Fraction(at) ** power * each for power, each in enumerate(coefficients, start=1))
    expected = "true" if not off else "false"
    assert truths(f"Let $f(x) = {body}$.", f"$f({at}) = {value + off}$") == [expected]
