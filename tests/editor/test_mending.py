"""JSON while it is typed is read as what it is about to become."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.editor.mending import MendedJson
from potlang.source.layout import decoded_index, raw_offset
from potlang.testing import damaged

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = [(EXAMPLES / name).read_text(encoding="utf-8") for name in ("giraffe.json", "natascha.dagmath.json")]
VALUES = [json.loads(text) for text in TEXTS]
PIECES = (
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "'",
    "\\",
    "\\u12",
    "//",
    "#",
    "/*",
    "“",
    "1.",
    "-",
    "tru",
    "\n",
    "\t",
    "名",
    "🙂",
)

MENDED = [
    ('{"a": 1,}', {"a": 1}),
    ('{"a": [1, 2', {"a": [1, 2]}),
    ('{"a": "x', {"a": "x"}),
    ('{"a": {"b": "c"', {"a": {"b": "c"}}),
    ('{"a"', {"a": None}),
    ('{"a":', {"a": None}),
    ('{"a": , "b": 1}', {"a": None, "b": 1}),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
    ('{a: 1, "b": x}', {"a": 1, "b": "x"}),
    ("{'a': 'it''s'}", {"a": "it", "s": None}),
    ('{"a": [1, 2}', {"a": [1, 2]}),
    ('{"a": 1}} {"b": 2}', {"a": 1}),
    ('Here it is:\n{"a": 1', {"a": 1}),
    ('{"a": "b\\q"}', {"a": "b q"}),
    ('[{"a": 1}, {"b"', [{"a": 1}, {"b": None}]),
    ('{"rules": [{"name": "r", "constraint": "p(\n"}], "sorts": []}', None),
    ("", None),
]


@pytest.mark.parametrize(("text", "value"), MENDED, ids=range(len(MENDED)))
def test_what_is_missing_is_put_in(text: str, value: object) -> None:
    """[EDIT-BROKEN] Brackets, quotes, commas, colons and values that are still to come."""
    mended = MendedJson(text)
    assert mended.is_broken
    assert json.loads(mended.text) == mended.value
    if value is not None:
        assert mended.value == value


def test_a_string_ends_with_its_line() -> None:
    """[EDIT-BROKEN] A quote that is missing does not turn the rest of the text inside out."""
    text = '{"rules": [\n{"name": "r", "constraint": "p(x},\n{"name": "s", "constraint": "q(x)"}\n]}'
    value = MendedJson(text).value
    assert isinstance(value, dict)
    assert value["rules"] == [{"name": "r", "constraint": "p(x"}, {"name": "s", "constraint": "q(x)"}]


@given(st.sampled_from(VALUES).flatmap(damaged) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_becomes_json(text: str) -> None:
    """[EDIT-BROKEN] Whatever is typed; and each place of it has one in the mended text, and the way back."""
    mended = MendedJson(text)
    assert json.loads(mended.text) == mended.value
    places = [mended.mended(offset) for offset in range(len(text) + 1)]
    assert places == sorted(places)
    assert [mended.original(place) for place in places] == list(range(len(text) + 1))
    back = [mended.original(place) for place in range(len(mended.text) + 1)]
    assert back == sorted(back)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_json_stays_as_it_is(text: str) -> None:
    """[EDIT-BROKEN] Nothing is done to a text that is JSON."""
    mended = MendedJson(text)
    assert not mended.is_broken
    assert mended.text == text


def test_depth_and_digits_do_no_harm() -> None:
    """[EDIT-LIMITS] Brackets a hundred thousand deep, a number of a million digits."""
    assert MendedJson("[" * 100_000).value is None
    assert MendedJson('{"a": ' + "1" * 1_000_000 + "}").value == {"a": 0}


@given(st.lists(st.sampled_from(["a", "é", "🙂", "\\n", "\\u0061", "\\ud83d\\ude42", '\\"'])))
def test_characters_of_a_string_and_of_its_literal(pieces: list[str]) -> None:
    """[EDIT-BROKEN] The way from a character to its place in the text is the way back, through escapes."""
    literal = "".join(pieces)
    for number, piece in enumerate(pieces):
        start = raw_offset(literal, 0, len(literal), number)
        assert start == sum(map(len, pieces[:number]))
        # Each piece is one character, and every place inside it means that one.
        for inside in range(len(piece)):
            assert decoded_index(literal, 0, len(literal), start + inside) == number
    assert decoded_index(literal, 0, len(literal), len(literal)) == len(pieces)
