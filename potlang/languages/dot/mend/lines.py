"""The lines of a trace by their kinds, whether they are well formed or not, and its blocks of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from potlang.languages.dot.read.records import END_MARK
from potlang.languages.dot.read.shapes import SHAPES, pattern

_KINDS = re.compile(rf"@({'|'.join(SHAPES)})[ \t]".encode())
_FENCE = re.compile(rb"@@len=(0|[1-9][0-9]{0,17})@@")
_RECORDS = {
    kind: re.compile(pattern(kind).encode() + (rb"(?= )" if kind == "prop" else rb"(?=\r?(?:\n|\Z))"))
    for kind in SHAPES
}
_VALUE = re.compile(rb" ([a-z]+)=([^ \r\n]+)")


class TraceLine(NamedTuple):
    """The bytes `[start, end)` of a line with its end, or of a fence with its content.

    `kind` is that of a record, or `fence`, `end`, `blank`, `text`, or `other` for what else begins with @.
    """

    kind: str
    start: int
    end: int


class WrittenField(NamedTuple):
    """The value of a field of a record, as it is written at the bytes `[start, end)`."""

    name: str
    text: str
    start: int
    end: int


def lines_of(data: bytes, start: int, end: int) -> Iterator[TraceLine]:
    """The lines in the bytes `[start, end)`."""
    while start < end:
        fence = _FENCE.match(data, start, end)
        length = int(fence[1]) if fence else 0
        behind = fence.end() + length if fence and fence.end() + length <= end else start
        found = data.find(b"\n", behind, end)
        line_end = end if found < 0 else found + 1
        kind = "fence" if behind > start else _kind(data, start, line_end)
        yield TraceLine(kind, start, line_end)
        start = line_end


def _kind(data: bytes, start: int, end: int) -> str:
    record = _KINDS.match(data, start, end)
    if record is not None:
        return record[1].decode()
    content = data[start:end].rstrip(b"\r\n")
    if content == END_MARK:
        return "end"
    return "other" if content.startswith(b"@") else "text" if content.strip() else "blank"


def blocks_of(lines: list[TraceLine]) -> list[list[TraceLine]]:
    """The lines of each block, its `@node` the first; lines above the first `@node` are in none."""
    blocks: list[list[TraceLine]] = []
    for line in lines:
        if line.kind == "node":
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    return blocks


def fields_of(data: bytes, line: TraceLine) -> dict[str, WrittenField] | None:
    """The fields of a record by their names; None if it is not written as it should be."""
    record = _RECORDS[line.kind].match(data, line.start, line.end)
    if record is None:
        return None
    values = _VALUE.finditer(data, line.start, record.end())
    found = (WrittenField(each[1].decode(), each[2].decode(), *each.span(2)) for each in values)
    return {each.name: each for each in found}
