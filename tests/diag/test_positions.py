"""Positions: what a writer of JSON with random spaces and escapes put down is what `locate` finds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from hypothesis import example, given
from hypothesis import strategies as st

from potlang.diag import Place
from potlang.source import Document, LineColumn, decode, join_pointer, split_pointer

CHARS = st.text(st.sampled_from('ab/~01"\\\n\té☃😀\u2028 ,:[]{}'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | CHARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(CHARS, inner, max_size=4),
    max_leaves=12,
)


@dataclass
class Writer:
    """Writes JSON and records, for every pointer, raw offsets of the value, key and each character."""

    draw: st.DrawFn
    text: str = ""
    values: dict[str, tuple[int, int]] = field(default_factory=dict)
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    chars: dict[tuple[str, bool], list[int]] = field(default_factory=dict)

    def space(self) -> None:
        self.text += self.draw(st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "\r", " \n  "]))

    def string(self, value: str, pointer: str, on_key: bool) -> None:
        self.text += '"'
        offsets = []
        for char in value:
            offsets.append(len(self.text))
            self.text += self.draw(st.sampled_from(spellings(char)))
        self.chars[pointer, on_key] = [*offsets, len(self.text)]
        self.text += '"'

    def value(self, value: object, pointer: str) -> None:
        self.space()
        start = len(self.text)
        if isinstance(value, str):
            self.string(value, pointer, False)
        elif isinstance(value, list):
            self.items([(f"{pointer}/{index}", None, item) for index, item in enumerate(value)], "[]")
        elif isinstance(value, dict):
            self.items([(join_pointer(pointer, key), key, item) for key, item in value.items()], "{}")
        else:
            self.text += json.dumps(value)
        self.values[pointer] = (start, len(self.text))
        self.space()

    def items(self, items: list[tuple[str, str | None, object]], brackets: str) -> None:
        self.text += brackets[0]
        for index, (pointer, key, item) in enumerate(items):
            self.text += "," if index else ""
            if key is not None:
                self.space()
                start = len(self.text)
                self.string(key, pointer, True)
                self.keys[pointer] = (start, len(self.text))
                self.space()
                self.text += ":"
            self.value(item, pointer)
        self.space()
        self.text += brackets[1]


def spellings(char: str) -> list[str]:
    units = char.encode("utf-16-be")
    escaped = "".join(f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2))
    short = json.dumps(char)[1:-1]
    raw = [char] if char >= " " and char not in '"\\' else [short]
    return [*raw, escaped, "\\/"] if char == "/" else [*raw, escaped]


def slow_line_column(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset].replace("\r\n", "\0\n")
    if text[offset - 1 : offset + 1] == "\r\n" and offset:
        before = before[:-1] + "x"
    line = before.count("\n") + before.count("\r") + 1
    last = max(before.rfind("\n"), before.rfind("\r"))
    return line, offset - last


@given(st.data(), VALUES)
def test_every_value_key_and_character_is_found(data: st.DataObject, value: object) -> None:
    """[DIAG-PLACE-1]"""
    writer = Writer(data.draw)
    writer.value(value, "")
    assert json.loads(writer.text) == value
    document = Document.from_str(writer.text)
    for pointer, span in writer.values.items():
        assert document.raw_span(Place(pointer)) == span
    for pointer, span in writer.keys.items():
        assert document.raw_span(Place(pointer, None, True)) == span
    for (pointer, on_key), offsets in writer.chars.items():
        for start in range(len(offsets)):
            for end in range(start, len(offsets)):
                if not pointer:
                    continue
                place = Place(pointer, (start, end), on_key)
                assert document.raw_span(place) == (offsets[start], offsets[end])
                expected = slow_line_column(writer.text, offsets[start])
                expected += slow_line_column(writer.text, offsets[end])
                assert document.locate(place) == LineColumn(*expected)


@given(st.data(), VALUES)
def test_document_order_is_the_order_of_the_text_and_of_the_value(data: st.DataObject, value: object) -> None:
    writer = Writer(data.draw)
    writer.value(value, "")
    places = [Place(pointer) for pointer in writer.values]
    in_text = Document.from_str(writer.text)
    in_value = Document.from_value(value)
    by_text = sorted(places, key=in_text.order)
    assert by_text == sorted(places, key=lambda place: writer.values[place.pointer][0])
    assert by_text == sorted(places, key=in_value.order)


@given(st.text())
@example("[" * 50)
@example('{"a": "')
@example('{"a" 1')
@example('"\\')
def test_any_text_can_be_asked(text: str) -> None:
    """A pointer into what is not JSON answers with some part of the text and never fails."""
    document = Document.from_str(text)
    for pointer in ("", "/a", "/0", "/a/b", "/-", "/01", "/\u0663"):
        span = document.raw_span(Place(pointer, (1, 3)))
        assert span is not None
        assert 0 <= span[0] <= span[1] <= len(text)
        assert document.locate(Place(pointer)) is not None
        assert document.excerpt(Place(pointer)) is not None


def test_escapes_map_to_the_six_raw_characters() -> None:
    """[DIAG-PLACE-1]"""
    document = Document.from_str('{"k": "a\\u0041\\n"}')
    assert document.locate(Place("/k", (1, 2))) == LineColumn(1, 9, 1, 15)
    assert document.raw_span(Place("/k", (2, 3))) == (14, 16)


def test_of_equal_keys_the_last_counts() -> None:
    text = '{"a": {"b": 1}, "a": {"b": 22}}'
    assert Document.from_str(text).raw_span(Place("/a/b")) == (text.index("22"), text.index("22") + 2)


def test_a_missing_part_is_shown_at_its_nearest_ancestor() -> None:
    document = Document.from_str('{"a": {"b": 1}}')
    assert document.raw_span(Place("/a/x/y", (0, 1))) == (6, 14)


def test_text_that_is_not_json_has_lines_too() -> None:
    """[DIAG-PLACE-1]"""
    document = Document.from_str("first\r\nsecond\rthird")
    assert document.locate(Place("", (7, 13))) == LineColumn(2, 1, 2, 7)
    excerpt = document.excerpt(Place("", (7, 15)))
    assert excerpt is not None
    assert (excerpt.first_line, excerpt.lines) == (2, ("second", "third"))


def test_a_value_has_no_lines() -> None:
    assert Document.from_value({"a": 1}).locate(Place("/a")) is None


def test_byte_order_marks_are_no_part_of_the_text() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert decode('{"é": 1}'.encode(encoding))[0] == '{"é": 1}'
    assert Document.from_str('\ufeff{"a": 1}').locate(Place("/a")) == LineColumn(1, 7, 1, 8)


def test_pointers_split_and_join() -> None:
    tokens = ["a/b", "~", "", "0"]
    assert split_pointer(join_pointer("", *tokens)) == tokens


def test_a_hundred_places_in_a_large_file_take_well_under_a_few_seconds() -> None:
    items = [{"name": f"rule {i}", "constraint": f"p(c{i}) \\u0041" * 3} for i in range(60_000)]
    document = Document.from_str(json.dumps({"knowledge_base": ["x"] * 10, "rules": items}, indent=1))
    for i in range(0, 60_000, 600):
        assert document.locate(Place(f"/rules/{i}/constraint", (3, 5))) is not None
