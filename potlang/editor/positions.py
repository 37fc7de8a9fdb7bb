"""Places as editors count them: a line, and a column in the units of an encoding ([EDIT-POSITION]).

Lines end in `\\n`, `\\r\\n` or `\\r` and in nothing else, whatever else Unicode calls the end of a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

Encoding = Literal["utf-8", "utf-16", "utf-32"]
_END = re.compile(r"\r\n|\r|\n")


class Position(NamedTuple):
    """A line and a column, both from 0; the column counts units of the encoding that was agreed on."""

    line: int
    character: int


class EditorChange(NamedTuple):
    """A part of a text that is replaced; without a start and an end the whole of it."""

    text: str
    start: Position | None = None
    end: Position | None = None


class TextLines:
    """The lines of a text, to go from offsets in characters to positions and back."""

    __slots__ = ("_starts", "encoding", "text")

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        self._starts = [0, *(found.end() for found in _END.finditer(text))]

    def __len__(self) -> int:
        return len(self._starts)

    def position(self, offset: int) -> Position:
        """The position of an offset; one outside of the text counts as its nearest end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return Position(line, units(self.text[start:offset], self.encoding))

    def offset(self, position: Position) -> int:
        """The offset of a position; a column behind the line's end counts as that end.

        A column inside a character means the beginning of that character.
        """
        if position.line >= len(self._starts):
            return len(self.text)
        if position.line < 0:
            return 0
        start, end = self._extent(position.line)
        return start + _characters(self.text[start:end], max(position.character, 0), self.encoding)

    def _extent(self, line: int) -> tuple[int, int]:
        """Where a line begins, and where its line end does."""
        start = self._starts[line]
        if line + 1 == len(self._starts):
            return start, len(self.text)
        end = self._starts[line + 1] - 1
        return start, end - (self.text[end] == "\n" and end > start and self.text[end - 1] == "\r")


def changed(text: str, changes: list[EditorChange], encoding: Encoding) -> str:
    """The text after the changes, each of which counts in the text that those before have made."""
    for change in changes:
        if change.start is None or change.end is None:
            text = change.text
            continue
        lines = TextLines(text, encoding)
        start = lines.offset(change.start)
        end = max(start, lines.offset(change.end))
        text = f"{text[:start]}{change.text}{text[end:]}"
    return text


def units(text: str, encoding: Encoding) -> int:
    """How many units of the encoding a text has."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def _characters(text: str, count: int, encoding: Encoding) -> int:
    """The characters that begin within the first `count` units of a line, the one that is cut left out."""
    if encoding == "utf-32" or text.isascii():
        return min(count, len(text))
    for number, character in enumerate(text):
        count -= units(character, encoding)
        if count < 0:
            return number
    return len(text)
