"""Where the formulas of a text are, for sentences and relations alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.languages.dagmath.lower.chunks import Template
from potlang.languages.dagmath.lower.marks import marked_formulas
from potlang.languages.dagmath.lower.readings import NO_CONTEXT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$x = 1$ and \(y\) or \[z\]", ["x = 1", "y", "z"]),
        (r"\begin{align*} a &= b \end{align*}", [" a &= b "]),
        ("$19 = 10^x - 9^x$, so $4cd = 3$ and $5x$", ["19 = 10^x - 9^x", "4cd = 3", "5x"]),
        (r"$2 * \angle QXS = 72^\circ$", [r"2 * \angle QXS = 72^\circ"]),
        ("$5 AB$ is $3 AB$", ["5 AB", "3 AB"]),
        ("It costs $5 and $6.", []),
        ("$2000 + $200 = $2200", []),
        ("$5 x $6 = $30", []),
        ("$5x$6 = $30", []),
        (r"A bike is $500: \[ 2 \cdot 500 = 1000 \] A car is $900.", [r" 2 \cdot 500 = 1000 "]),
        (r"It is \$5 and $x$.", ["x"]),
    ],
)
def test_formulas_between_marks(text: str, expected: list[str]) -> None:
    """[STEP-CHUNKS] [REL-FORMULAS] A dollar sign before an amount is no mark."""
    assert [span.source for span in marked_formulas(text)] == expected


@given(st.text(alphabet="$\\()[]x5= \nabc", max_size=60))
def test_places_are_in_the_text(text: str) -> None:
    """[STEP-CHUNKS]"""
    end = 0
    for span in marked_formulas(text):
        assert end <= span.start < span.end <= len(text)
        assert text[span.start + span.mark :].startswith(span.source)
        end = span.end


def test_displays_are_formulas_of_a_sentence() -> None:
    """[STEP-CHUNKS]"""
    assert Template(r"It is \begin{equation} x = 1 \end{equation}.", NO_CONTEXT).lower == "it is ⟦0⟧."
