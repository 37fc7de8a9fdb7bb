"""Names in the texts of formulas."""

from __future__ import annotations

import pytest

from potlang.expressions.names import names_within, with_names


def test_names_are_those_that_are_meant() -> None:
    assert names_within("`a b`(x) and y == 'a word' -> `c``d`") == ["a b", "x", "and", "y", "c`d"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", "`is a` + b"),
        ("`a b`(a) == 'a'", "c(`is a`) == 'a'"),
        ("`a`", "`is a`"),
        (r'abc == "a\"a"', r'abc == "a\"a"'),
    ],
)
def test_names_are_replaced_as_a_whole(text: str, expected: str) -> None:
    assert with_names(text, {"a": "is a", "a b": "c"}) == expected
