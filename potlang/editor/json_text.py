"""Places in JSON: what stands at the cursor, and where the parts of a value stand in the original text."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, NamedTuple

from potlang.diag import Place
from potlang.editor.mending import MendedJson
from potlang.source.layout import Extent, decode_string, decoded_index
from potlang.source.pointer import array_index, join_pointer, split_pointer

_KEY_AFTER = re.compile(r"[ \t\n\r]*+:")


class JsonCursor(NamedTuple):
    """The place of the cursor: in the member or item at `pointer`, in its key, or between its parts.

    `span` is what stands there in the mended text: a whole string with its quotes, or nothing. `inside`
    counts characters of the decoded string up to the cursor; None where it is in no string.
    """

    pointer: str
    on_key: bool
    between: bool
    span: tuple[int, int]
    inside: int | None
    text: str


class JsonText:
    """A JSON text with its places."""

    def __init__(self, source: str) -> None:
        self.json = MendedJson(source)

    @property
    def value(self) -> object:
        """The value of the text, as far as it can be read."""
        return self.json.value

    def span(
        self, pointer: str, span: tuple[int, int] | None = None, *, on_key: bool = False
    ) -> tuple[int, int]:
        """The characters of the original text of a part; a whole string without its quotes."""
        start, end = self.json.document.raw_span(Place(pointer, span, on_key)) or (0, 0)
        if span is None and self.json.text[start : start + 1] == '"' and end - start > 1:
            start, end = start + 1, end - 1
        return self.json.original_span((start, end))

    def whole(self, pointer: str) -> tuple[int, int]:
        """The characters of the original text of a member with its key, or of an item."""
        extent, _ = self.json.document.layout.find(pointer)
        start = extent.start if extent.key_start < 0 else extent.key_start
        return self.json.original_span((start, extent.end))

    def cursor(self, offset: int) -> JsonCursor:
        """The place of an offset of the original text."""
        at = self.json.mended(offset)
        layout = self.json.document.layout
        here, pointer = layout.root(), ""
        while True:
            found = _child_at(layout.children(here.start), at)
            if found is None:
                break
            token, extent = found
            pointer = join_pointer(pointer, token)
            if extent.key_start <= at <= extent.key_end and extent.key_start >= 0:
                return self._in_string(pointer, (extent.key_start, extent.key_end), at, on_key=True)
            if not extent.start <= at <= extent.end:
                # Between the colon and the value, or behind the value in front of the comma.
                return JsonCursor(pointer, False, True, (at, at), None, "")
            here = extent
        text = self.json.text
        if text[here.start : here.start + 1] == '"':
            return self._in_string(pointer, (here.start, here.end), at, on_key=False)
        is_inside = text[here.start : here.start + 1] in ("{", "[") and here.start < at < here.end
        return JsonCursor(
            pointer, False, is_inside, (here.start, here.end) if not is_inside else (at, at), None, ""
        )

    def _in_string(self, pointer: str, span: tuple[int, int], at: int, *, on_key: bool) -> JsonCursor:
        text = self.json.text
        start, end = span[0] + 1, max(span[0] + 1, span[1] - 1)
        index = decoded_index(text, start, end, at) if start <= at <= end else None
        return JsonCursor(pointer, on_key, False, span, index, decode_string(text[span[0] : span[1]]))

    def item_before(self, pointer: str, offset: int) -> int:
        """How many items of the list at a pointer stand before an offset of the original text."""
        layout = self.json.document.layout
        children = layout.children(layout.find(pointer)[0].start)
        at = self.json.mended(offset)
        return sum(each.end <= at for each in children) if isinstance(children, list) else 0

    def is_before_colon(self, offset: int) -> bool:
        """Whether a colon follows what ends at an offset of the original text."""
        return _KEY_AFTER.match(self.json.source, offset) is not None

    def brackets(self, most: int) -> list[tuple[int, int]]:
        """The objects and lists of the first three levels, in the original text."""
        layout = self.json.document.layout
        found: list[tuple[int, int]] = []
        level = [layout.root()]
        for _ in range(3):
            inner: list[Extent] = []
            for each in level:
                if self.json.text[each.start : each.start + 1] in ("{", "[") and len(found) < most:
                    found.append(self.json.original_span((each.start, each.end)))
                    children = layout.children(each.start)
                    inner += children.values() if isinstance(children, dict) else children
            level = inner
        return found


def _child_at(children: dict[str, Extent] | list[Extent], at: int) -> tuple[str | int, Extent] | None:
    """The child that a place is in, or behind whose key it is."""
    if isinstance(children, list):
        number = bisect_right(children, at, key=lambda each: each.start) - 1
        if number < 0 or at > children[number].end:
            return None
        return number, children[number]
    for key, each in children.items():
        if each.key_start <= at <= each.end:
            return key, each
    return None


def object_at(value: object, pointer: str) -> Any:
    """The value at a pointer; None where there is none."""
    here = value
    for token in split_pointer(pointer):
        if isinstance(here, dict):
            here = here.get(token)
        elif isinstance(here, list) and (index := array_index(token, len(here))) is not None:
            here = here[index]
        else:
            return None
    return here
