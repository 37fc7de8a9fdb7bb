"""Roots of polynomials, which are complex."""

from __future__ import annotations

from itertools import combinations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.dagmath import Solution, Step
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.polynomials import difference_of
from potlang.languages.dagmath.lower.readings import NO_CONTEXT
from potlang.languages.dagmath.relations.claims import StepRelations
from potlang.languages.dagmath.relations.roots import Roots, stated_roots
from potlang.languages.dagmath.solve.checking import check_steps

CUBIC = "Let $r$, $s$, $t$ be the roots of $2x^3 - 3x^2 + 4x - 1 = 0$."


def truths(*texts: str) -> list[str]:
    """The truth of the relations of the last text, which rests on those before."""
    relations = StepRelations(texts, NO_CONTEXT)
    for at in range(len(texts)):
        found = relations.of(at, range(at))
    return [str(each.truth) for each in found]


@pytest.mark.parametrize(
    ("said", "claim", "expected"),
    [
        (CUBIC, "$r + s + t = 3/2$ and $rs + st + tr = 2$", ["true", "true"]),
        (CUBIC, "$rst = -1/2$", ["false"]),
        (CUBIC, "$r^2 + s^2 + t^2 = -7/4$", ["true"]),
        (CUBIC, r"$\\frac{1}{r} + \\frac{1}{s} + \\frac{1}{t} = 4$", ["true"]),
        (CUBIC, r"$\\frac{1}{r} + \\frac{1}{s} + \\frac{1}{t} = 3$", ["false"]),
        (CUBIC, "$r + s = 1$", ["open"]),
        (CUBIC, "$2r^3 = 3r^2 - 4r + 1$", ["true"]),
        (CUBIC, "If $rst = 1$, it is easy", ["open"]),
        ("Let $r$ be a root of $x^2 - x - 1$.", "$r^3 = 2r + 1$", ["true"]),
        ("Let $r$ be a root of $x^2 - x - 1$.", "$r^2 = r + 2$", ["false"]),
        ("Let $a_1, a_2$ be the roots of $x^2 + px + q$.", "$a_1 a_2 = q$", ["true"]),
        ("Let $a_1, a_2$ be the roots of $x^2 + px + q$.", "$a_1 a_2 = p$", ["open"]),
        ("Let $r$ and $s$ be the roots of $f(x) = x^2 - 5x + 7$.", "$r + s = 5$", ["true"]),
        ("Let $r$ and $s$ be roots of $x^3 - 5x + 7$.", "$r + s = 5$", ["open"]),
        ("Let $r$ and $r$ be roots of $x^2 - 5x + 7$.", "$r + r = 5$", ["open"]),
        ("Let $r$ and $s$ be the roots of the tree $x^2$.", "$r + s = 0$", ["open"]),
    ],
)
def test_what_holds_of_roots(said: str, claim: str, expected: list[str]) -> None:
    """[REL-ROOTS]"""
    assert truths(said, claim.replace("\\\\", "\\")) == expected


def test_complex_roots() -> None:
    """[REL-ROOTS] [REL-VERDICT] No real numbers have this sum and these products."""
    claim = r"By Vieta, $r+s+t = \frac{3}{2}$ and $rs+st+tr = 2$."
    steps = (Step(1, "", None, CUBIC), Step(2, "It follows.", (1,), claim))
    assert check_steps(Solution(steps)).steps[-1].verdict == "proved"
    wrong = (Step(1, "", None, CUBIC), Step(2, "It follows.", (1,), "By Vieta, $r+s+t = 2$."))
    assert check_steps(Solution(wrong)).steps[-1].verdict == "refuted"


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=4), st.integers(1, 3), st.data())
@settings(max_examples=150, deadline=None)
def test_normal_forms_are_zero_of_what_is_zero(values: list[int], lead: int, data: st.DataObject) -> None:
    """[REL-ROOTS] Roots that are known: the normal form has the value that the polynomial has."""
    names = "rstu"[: len(values)]
    signed = [
        (-1) ** count * lead * sum(map(prod, combinations(values, count))) for count in range(len(values) + 1)
    ]
    source = " + ".join(f"({each})x^{{{len(values) - at}}}" for at, each in enumerate(signed))
    (found,) = stated_roots(0, f"Let ${', '.join(names)}$ be the roots of ${source}$.", NO_CONTEXT)
    assert isinstance(found, Roots)
    term = data.draw(
        st.lists(st.tuples(*[st.integers(0, 3)] * len(values), st.integers(-4, 4)), min_size=1, max_size=4)
    )
    written = " + ".join(
        f"({factor})" + "".join(f"{name}^{{{power}}}" for name, power in zip(names, powers, strict=True))
        for *powers, factor in term
    )
    polynomial = difference_of(read_formula(written), read_formula("0"))
    rest = found.reduced(polynomial)
    at = dict(zip(names, values, strict=True))
    for each in (polynomial, rest):
        value = sum(
            factor * prod(at[name] ** power for name, power in each_) for each_, factor in each.items()
        )
        expected = sum(
            factor * prod(value**power for value, power in zip(values, powers, strict=True))
            for *powers, factor in term
        )
        assert value == expected
