"""The lines of a trace that mean to be records, with their fields, whatever is still missing in them."""

from __future__ import annotations

import re
from typing import NamedTuple

from potlang.editor.answers import TextSpan
from potlang.languages.dot.read.shapes import SHAPES

_LINE = re.compile(r"^@(?:@len=([0-9]{1,9})@@|([a-z]++)([^\r\n]*+))", re.MULTILINE)
_FIELD = re.compile(r"[ ]([a-z]++)=([^\s]*+)")
_PROP = re.compile(r"[ ]id=([0-9]*+)(?:[ ](.*+))?")
_PLAIN_LINE = re.compile(r"[^\r\n]*+")


class RecordField(NamedTuple):
    """A field of a record as it is written, and where its value stands."""

    name: str
    value: str
    span: TextSpan


class RecordLine(NamedTuple):
    """A record: its kind, its place, its fields, and of a `@prop` the place of its JSON."""

    kind: str
    span: TextSpan
    fields: tuple[RecordField, ...]
    json: TextSpan | None = None

    def value(self, name: str) -> str | None:
        """The value of a field; None where the record does not have it."""
        return next((each.value for each in self.fields if each.name == name), None)


def record_lines(text: str) -> list[RecordLine]:
    """The records of a text in their order; what stands in fences is none."""
    found: list[RecordLine] = []
    position = 0
    while (line := _LINE.search(text, position)) is not None:
        position = line.end()
        if line[1] is not None:
            position = _behind_fence(text, line.end(), int(line[1]))
        elif line[2] in SHAPES:
            found.append(_record(line))
    return found


def _behind_fence(text: str, start: int, size: int) -> int:
    """Where a fence of so many bytes ends; one that is too long ends with its line."""
    content = text[start : start + size].encode("utf-8", "surrogatepass")[:size]
    end = start + len(content.decode("utf-8", "ignore"))
    return end if len(content) == size else start


def _record(line: re.Match[str]) -> RecordLine:
    kind, start = line[2], line.start(3)
    if kind == "prop":
        prop = _PROP.match(line[3])
        if prop is None:
            return RecordLine(kind, line.span(), ())
        field = RecordField("id", prop[1], (start + prop.start(1), start + prop.end(1)))
        json = None if prop[2] is None else (start + prop.start(2), start + prop.end(2))
        return RecordLine(kind, line.span(), (field,), json)
    fields = tuple(
        RecordField(each[1], each[2], (start + each.start(2), start + each.end(2)))
        for each in _FIELD.finditer(line[3])
    )
    return RecordLine(kind, line.span(), fields)


def line_at(text: str, offset: int) -> TextSpan:
    """The line that an offset is in, without its line end."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    found = _PLAIN_LINE.match(text, start)
    return start, found.end() if found is not None else start


def free_text(text: str, start: int, end: int) -> str:
    """The first line of free text within a part of a trace."""
    for line in text[start:end].splitlines():
        if line.strip() and not line.startswith(("@", "<")):
            return line.strip()
    return ""
