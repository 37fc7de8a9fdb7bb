"""Literals of any size, and strings of any character, as the solvers read them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from smt_solvers import run_cvc5, run_z3, values

from potlang.ir.numerals import digits, digits_of, natural
from potlang.ir.sorts import STRING
from potlang.smt.errors import Unsupported
from potlang.smt.numerals import bits_text, integer_text, real_text, string_text
from potlang.smt.values import read_value


@given(st.integers(min_value=0) | st.integers(0, 30_000).map(lambda n: 10**n + n))
def test_digits_of_any_length_are_read_back(number: int) -> None:
    """[SMT-LIT-1]"""
    assert natural(digits(number)) == number


def test_short_numbers_are_written_as_python_writes_them() -> None:
    assert [digits(n) for n in (0, 7, 10**4299)] == ["0", "7", str(10**4299)]


@given(
    st.tuples(
        st.sampled_from(["", "-"]),
        st.integers(1, 10**12).map(str),
        st.just("") | st.integers(0, 10**9).map(lambda places: f".{places}"),
        st.just("") | st.integers(-30, 30).map(lambda power: f"e{power}"),
    )
)
def test_digits_are_counted_without_writing_them(parts: tuple[str, ...]) -> None:
    numeral = "".join(parts)
    written = format(Decimal(numeral), "f")
    assert digits_of(numeral, 100) == sum(each.isdigit() for each in written)


def test_literals() -> None:
    """[SMT-LIT-1] [SMT-LIT-2] [SMT-LIT-3]"""
    assert [integer_text(number) for number in (-5, 0, 5)] == ["(- 5)", "0", "5"]
    assert [real_text(Fraction(*f)) for f in ((2, 1), (0, 1), (-1, 3))] == ["2.0", "0.0", "(- (/ 1.0 3.0))"]
    assert string_text('say "hi" \\ \n') == '"say ""hi"" \\u{5c} \\u{a}"'
    assert bits_text(5, 4) == "#b0101"
    assert bits_text(5, 100) == "(_ bv5 100)"


TEXTS = ["", 'say "hi"', "a\\b", "\\u{41}", "\\x41", "tab\tnul\0", "é\u2028", "\U0001f600", "\ud800"]


@pytest.mark.parametrize("text", TEXTS)
def test_solvers_read_strings_as_they_are(text: str) -> None:
    """[SMT-LIT-3]"""
    script = f"(set-logic ALL)(declare-const s String)(assert (= s {string_text(text)}))"
    script += "(check-sat)(get-value (s (str.len s)))"
    for run in (run_z3, run_cvc5):
        value, length = values(run(script))
        assert read_value(value, STRING) == text
        assert length == str(len(text))


def test_characters_beyond_smt_lib_are_refused() -> None:
    """[SMT-LIT-3]"""
    with pytest.raises(Unsupported):
        string_text("\U00030000")
