"""Positions of editors: lines, columns in three encodings, changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.editor.positions import EditorChange, Encoding, Position, TextLines, changed

_PIECES = ("a", "é", "名", "🙂", "\u2028", "\x0b", "\x85", "\n", "\r", "\r\n", "\u202e")
TEXTS = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)
ENCODINGS: st.SearchStrategy[Encoding] = st.sampled_from(["utf-8", "utf-16", "utf-32"])
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def by_bytes(text: str, offset: int, encoding: Encoding) -> Position:
    """The position of an offset, counted in the encoded text itself."""
    before = text[:offset]
    # Between the two characters of a line end the line has not ended.
    cut = before[:-1] if before.endswith("\r") and text[offset : offset + 1] == "\n" else before
    lines = cut.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    last = lines[-1] + before[len(cut) :]
    return Position(
        len(lines) - 1,
        len(last.encode(f"{encoding}-le" if encoding != "utf-8" else encoding)) // _UNIT[encoding],
    )


@given(TEXTS, ENCODINGS, st.data())
def test_a_position_is_counted_in_units_of_the_encoding(
    text: str, encoding: Encoding, data: st.DataObject
) -> None:
    """[EDIT-POSITION] Lines end in line feeds and carriage returns alone; columns count units."""
    offset = data.draw(st.integers(0, len(text)))
    lines = TextLines(text, encoding)
    position = lines.position(offset)
    assert position == by_bytes(text, offset, encoding)
    inside_an_end = text[offset - 1 : offset + 1] == "\r\n"
    assert lines.offset(position) == (offset - 1 if inside_an_end else offset)


@given(TEXTS, ENCODINGS, st.integers(0, 40), st.integers(0, 60))
def test_any_position_is_in_the_text(text: str, encoding: Encoding, line: int, column: int) -> None:
    """[EDIT-POSITION] A column behind its line's end means that end, a line behind the last the text's."""
    lines = TextLines(text, encoding)
    offset = lines.offset(Position(line, column))
    assert 0 <= offset <= len(text)
    found = lines.position(offset)
    assert found <= Position(line, column) or line >= len(lines)


def test_half_of_a_character_means_its_beginning() -> None:
    """[EDIT-POSITION] A client that counts wrongly does not cut a character."""
    assert TextLines("a🙂b", "utf-16").offset(Position(0, 2)) == 1
    assert TextLines("aéb", "utf-8").offset(Position(0, 2)) == 1


@given(TEXTS, ENCODINGS, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), TEXTS), max_size=4))
def test_changes_count_one_after_the_other(
    text: str, encoding: Encoding, edits: list[tuple[int, int, str]]
) -> None:
    """[EDIT-SYNC] Incremental changes make the text that replacing by hand makes."""
    changes: list[EditorChange] = []
    wanted = text
    for low, high, new in edits:
        low, high = min(low, len(wanted)), min(high, len(wanted))
        lines = TextLines(wanted, encoding)
        start, end = lines.position(min(low, high)), lines.position(max(low, high))
        changes.append(EditorChange(new, start, end))
        wanted = wanted[: lines.offset(start)] + new + wanted[lines.offset(end) :]
    assert changed(text, changes, encoding) == wanted


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_change_without_a_range_is_the_whole_text(encoding: Encoding) -> None:
    """[EDIT-SYNC] The two kinds of changes may come together."""
    changes = [EditorChange("x🙂\r\ny"), EditorChange("z", Position(1, 0), Position(1, 1))]
    assert changed("before", changes, encoding) == "x🙂\r\nz"
