"""Where the parts of a JSON text stand: pointers and decoded characters to raw offsets.

Nothing is indexed before it is asked for. A container's children are listed on the first question
about one of them and remembered, so a hundred questions about a large file read it about twice.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from potlang.source.pointer import array_index, split_pointer

STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRING = re.compile(STRING, re.DOTALL)
_MEMBER = re.compile(rf"[ \t\n\r]*+({STRING})[ \t\n\r]*+:[ \t\n\r]*+", re.DOTALL)
_COMMA = re.compile(r"[ \t\n\r]*+,")
_SPACE = re.compile(r"[ \t\n\r]*+")
_SCALAR = re.compile(r'[^ \t\n\r,:"\[\]{}]*+')
# Everything up to the next bracket that is not in a string, in one match without backtracking.
_FLAT = re.compile(rf'[^"\[\]{{}}]*+(?:{STRING}[^"\[\]{{}}]*+)*+', re.DOTALL)
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)


class Extent(NamedTuple):
    """Raw offsets of a value and, in an object, of its key with the quotes (else -1)."""

    key_start: int
    key_end: int
    start: int
    end: int


Children = dict[str, Extent] | list[Extent]


class Layout:
    """Raw offsets of the values of one JSON text; the text must be valid JSON to be of use."""

    __slots__ = ("_children", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._children: dict[int, Children] = {}

    def root(self) -> Extent:
        """The whole value without the space around it."""
        start = skip_space(self.text, 0)
        return Extent(-1, -1, start, max(start, len(self.text.rstrip(" \t\n\r"))))

    def find(self, pointer: str) -> tuple[Extent, bool]:
        """The extent at `pointer`, and whether it exists: if not, the extent is the nearest ancestor's.

        Of equal keys the last counts, as it does for `json.loads`.
        """
        here = self.root()
        for token in split_pointer(pointer):
            below = child(self.children(here.start), token)
            if below is None:
                return here, False
            here = below
        return here, True

    def children(self, start: int) -> Children:
        """The children of the container that opens at `start`, in order; none for a scalar."""
        known = self._children.get(start)
        if known is None:
            known = self._children[start] = _list_children(self.text, start)
        return known


def child(children: Children, token: str) -> Extent | None:
    """The child that one reference token names."""
    if isinstance(children, dict):
        return children.get(token)
    index = array_index(token, len(children))
    return None if index is None else children[index]


def skip_space(text: str, position: int) -> int:
    """The next position that is not JSON white space."""
    found = _SPACE.match(text, position)
    return found.end() if found else position


def skip_value(text: str, start: int) -> int:
    """The end of the JSON value that starts at `start`; that of the text where it does not end."""
    first = text[start : start + 1]
    if first in ("[", "{"):
        end = container_end(text, start)
        return len(text) if end is None else end
    found = (_STRING if first == '"' else _SCALAR).match(text, start)
    return found.end() if found else len(text)


def container_end(text: str, position: int) -> int | None:
    """The end of the object or list that opens at `position`; None if it is not closed. Linear time."""
    depth = 0
    size = len(text)
    match = _FLAT.match
    while position < size:
        mark = text[position]
        if mark == '"':
            # A string that is not closed: the brackets in it count for nothing.
            return None
        depth += 1 if mark in "[{" else -1
        position += 1
        if depth == 0:
            return position
        flat = match(text, position)
        position = flat.end() if flat else size
    return None


def _list_children(text: str, start: int) -> Children:
    first = text[start : start + 1]
    if first == "{":
        return _list_members(text, start + 1)
    return _list_items(text, start + 1) if first == "[" else []


def _list_members(text: str, position: int) -> dict[str, Extent]:
    members: dict[str, Extent] = {}
    while found := _MEMBER.match(text, position):
        start = found.end()
        end = skip_value(text, start)
        members[decode_string(found[1])] = Extent(found.start(1), found.end(1), start, end)
        comma = _COMMA.match(text, end)
        if comma is None:
            break
        position = comma.end()
    return members


def _list_items(text: str, position: int) -> list[Extent]:
    items: list[Extent] = []
    start = skip_space(text, position)
    while start < len(text) and text[start] not in "],:}":
        end = skip_value(text, start)
        items.append(Extent(-1, -1, start, end))
        comma = _COMMA.match(text, end)
        if comma is None:
            break
        start = skip_space(text, comma.end())
    return items


def decode_string(literal: str) -> str:
    """The string that a JSON string literal (with its quotes) stands for."""
    if "\\" not in literal:
        return literal[1:-1]
    try:
        decoded: str = json.loads(literal, strict=False)
    except ValueError:
        return literal[1:-1]
    return decoded


def raw_offset(text: str, start: int, end: int, index: int) -> int:
    """Where the `index`-th character of the string literal's content `text[start:end]` starts.

    Counts decoded characters: an escape is one, and so is a pair of escaped surrogates.
    """
    # Characters between escapes are skipped at once: only escapes make raw and decoded counts differ.
    raw, decoded = start, 0
    for escape in _ESCAPE.finditer(text, start, end):
        run = escape.start() - raw
        if decoded + run >= index:
            break
        decoded += run + 1
        raw = escape.end()
    return max(start, min(raw + index - decoded, end))


def decoded_index(text: str, start: int, end: int, offset: int) -> int:
    """Which character of the string literal's content `text[start:end]` stands at the raw `offset`.

    The inverse of `raw_offset`; an offset inside an escape means the character that the escape stands for.
    """
    raw, decoded = start, 0
    for escape in _ESCAPE.finditer(text, start, end):
        if escape.start() >= offset:
            break
        decoded += escape.start() - raw
        if escape.end() > offset:
            return decoded
        decoded += 1
        raw = escape.end()
    return decoded + max(0, min(offset, end) - raw)
