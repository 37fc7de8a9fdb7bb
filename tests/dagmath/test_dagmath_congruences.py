"""Congruences of numbers and of variables with known residues."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from relations_support import truths

from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.relations.congruences import NotModular, residue


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([r"$n \equiv 3 \pmod 8$", r"$n^2 \equiv 1 \pmod 8$"], ["true"]),
        ([r"$n \equiv 3 \pmod 8$", r"$n^2 \equiv 2 \pmod 8$"], ["false"]),
        ([r"$n \equiv 3 \pmod 8$", r"$n \equiv 3 \pmod 4$"], ["true"]),
        ([r"$n \equiv 3 \pmod 4$", r"$n \equiv 3 \pmod 8$"], ["open"]),
        ([r"$n \equiv 3 \pmod 8$", r"$n + m \equiv 2 \pmod 8$"], ["open"]),
        ([r"$n \equiv 3 \pmod 8$", r"$n \equiv 5 \pmod 8$", r"$n^2 \equiv 2 \pmod 8$"], ["open"]),
        (["Nothing.", r"If $n \equiv 3 \pmod 8$,", r"$n^2 \equiv 2 \pmod 8$"], ["open"]),
        ([r"$5n \equiv 8 \pmod{11}$", r"$7 \cdot 5n \equiv 7 \cdot 8 \pmod{11}$"], ["true"]),
        ([r"$49u \equiv -u \pmod{50}$"], ["true"]),
        ([r"$2n \equiv 6 \pmod 8$", r"$n^2 \equiv 2 \pmod 8$"], ["open"]),
        ([r"$3^{-1} \equiv 13 \pmod{19}$"], ["true"]),
        ([r"$13^{-1} \equiv 15 \pmod{19}$"], ["false"]),
        ([r"$2^{-1} \equiv 3 \pmod{4}$"], ["open"]),
        ([r"$129^{34} + 96^{38} \equiv 9 \pmod{11}$"], ["true"]),
        ([r"$7^{10^{9}} \not\equiv 2 \mod 3$"], ["true"]),
        ([r"\begin{align*} 81 + 27 &\equiv 108 \\ &\equiv 9 \pmod{11} \end{align*}"], ["true", "true"]),
        ([r"$13 + 15 = 28 \mod 19$"], ["unclear"]),
        ([r"$a \equiv b \pmod p$", r"$a + 1 \equiv b + 1 \pmod p$"], ["open"]),
    ],
)
def test_congruences(texts: list[str], expected: list[str]) -> None:
    """[REL-CONGRUENCE]"""
    assert truths(*texts) == expected


@pytest.mark.slow
@given(st.integers(2, 40), st.lists(st.integers(-9, 9), min_size=1, max_size=4), st.integers(-50, 50))
def test_residues_as_integers_have_them(modulus: int, coefficients: list[int], at: int) -> None:
    """[REL-CONGRUENCE] True relations are never false, wrong ones never true."""
    source = " + ".join(f"({each})n^{power}" for power, each in enumerate(coefficients, start=1))
    value = sum(each * at**power for power, each in enumerate(coefficients, start=1))
    known = f"$n \\equiv {at} \\pmod{{{modulus}}}$"
    assert truths(known, f"${source} \\equiv {value} \\pmod{{{modulus}}}$") == ["true"]
    assert truths(known, f"${source} \\equiv {value + 1} \\pmod{{{modulus}}}$") == ["false"]


@given(st.integers(2, 60), st.integers(-99, 99), st.integers(-6, 60))
def test_powers_as_python_computes_them(modulus: int, base: int, power: int) -> None:
    """[REL-CONGRUENCE]"""
    term = read_formula(f"({base})^{{{power}}}")
    try:
        expected = pow(base, power, modulus)
    except ValueError:
        with pytest.raises(NotModular):
            residue(term, modulus)
        return
    assert residue(term, modulus) == expected
