"""The reader of solvers' output: nothing recursive, nothing unlimited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.smt.sexpr import SExprError, read_all, read_one, write

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
