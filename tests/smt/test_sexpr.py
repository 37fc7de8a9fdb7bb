"""The reader of solvers' output: nothing recursive, nothing unlimited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.smt.sexpr import (
    SExprError,
    elements,
    has_symbol,
    pair_values,
    read_all,
    read_one,
    unquote,
    write,
)

ATOMS = st.sampled_from(["a", "12", "2.5", '"x y"', '"say ""hi"""', "|a b|", "!a1", "(- 5)"])


@given(st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=4).map(lambda p: f"({' '.join(p)})")))
def test_what_is_written_is_read_back(text: str) -> None:
    assert write(read_one(text)) == text


def test_bars_that_are_not_needed_are_dropped_and_comments_too() -> None:
    assert read_all("(a |b| |c d|) ; end)\n e") == [["a", "b", "|c d|"], "e"]


@pytest.mark.parametrize("text", ["(", ")", '"open', "|open", "a b", ""])
def test_broken_text_is_refused(text: str) -> None:
    with pytest.raises(SExprError):
        read_one(text)


def test_depth_is_limited_and_deep_text_is_fine_below_it() -> None:
    assert write(read_one("(" * 50_000 + ")" * 50_000)) == "(" * 50_000 + ")" * 50_000
    with pytest.raises(SExprError, match="deep"):
        read_one("(" * 100_001 + ")" * 100_001)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("()", []),
        ("", []),
        ("(a)", ["a"]),
        ("((x 1)\n (|a (b| (- 2)))", ["(x 1)", "(|a (b| (- 2))"]),
        ('((s "a) ""(b"))', ['(s "a) ""(b")']),
        ("(a ; (comment)\n b)", ["a", "b"]),
        ("(a) (b)", ["a"]),
        ("(a | (b)", ["a", "(b)"]),
        ('(a " (b)', ["a", "(b)"]),
        ("((a b) (c", ["(a b)"]),
        (")", []),
    ],
)
def test_the_elements_of_a_list(text: str, expected: list[str]) -> None:
    assert elements(text) == expected


def test_a_deep_list_needs_no_stack() -> None:
    deep = "(" * 100_000 + ")" * 100_000
    assert elements(deep) == [deep[1:-1]]


def test_the_values_of_pairs() -> None:
    assert pair_values('((x (- 1)) ((f "a b") |q r|))') == ("(- 1)", "|q r|")
    assert pair_values("(objectives\n (x 3)\n (|y z| (* (- 1) oo))\n)") == ("3", "(* (- 1) oo)")


def test_symbols_are_found_as_tokens_only() -> None:
    assert has_symbol("(* (- 1) oo)", "oo")
    assert not has_symbol('(f |oo| "oo" foo)', "oo")
    assert unquote("|a b|") == "a b"
    assert unquote("a") == "a"


ATOM = st.one_of(
    st.from_regex(r"[a-z0-9.+*-]{1,6}", fullmatch=True),
    st.text(alphabet="ab() ;\"'", max_size=6).map(lambda s: "|" + s + "|"),
    st.text(alphabet="ab() ;|", max_size=6).map(lambda s: '"' + s + '"'),
)
TERM = st.recursive(
    ATOM, lambda inner: st.lists(inner, max_size=4).map(lambda s: f"({' '.join(s)})"), max_leaves=12
)


@given(st.lists(TERM, max_size=6))
def test_what_is_joined_is_cut_apart_again(parts: list[str]) -> None:
    """`elements` inverts writing a list, whatever quoted symbols and strings contain."""
    assert elements(f"({' '.join(parts)})") == parts
