"""The line to show for a place: raw, of a long one the string that the place is in."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from potlang.diag.model import Place
from potlang.diag.wording import visible
from potlang.source import Document, array_index, split_pointer


class Snippet(NamedTuple):
    """One line cut in three, with the marked part in the middle; `line` is None without raw text."""

    line: int | None
    before: str
    marked: str
    after: str


def snippet(document: Document, place: Place, width: int) -> Snippet | None:
    """The line that shows `place` in about `width` characters; None if there is nothing to show."""
    where = document.locate(place)
    span = document.raw_span(place)
    if where is None or span is None:
        return _decoded(document, place, width)
    start, end = document.line_span(where.line)
    text = document.text or ""
    first = min(span[0], end)
    last = max(first, min(span[1], end))
    low, high = max(start, first - width), min(end, last + width)
    whole = document.raw_span(Place(place.pointer)) if place.pointer and place.span is not None else None
    if end - start > width and whole is not None and text[whole[0] : whole[0] + 1] == '"':
        # The raw characters of the string alone: the column that is shown counts these.
        start, end = max(start, whole[0] + 1), max(last, min(end, whole[1] - 1))
        low, high = max(low, start), min(high, end)
    return _crop(where.line, text[low:high], first - low, last - low, width, low > start, high < end)


def _decoded(document: Document, place: Place, width: int) -> Snippet | None:
    if not place.pointer or place.on_key:
        return None
    value = document.value
    for token in split_pointer(place.pointer):
        if isinstance(value, dict):
            value = value.get(token)
        elif isinstance(value, list | tuple):
            index = array_index(token, len(value))
            value = None if index is None else value[index]
        else:
            value = None
    if not isinstance(value, str):
        return None
    start, end = place.span or (0, len(value))
    start = min(max(start, 0), len(value))
    end = min(max(end, start), len(value))
    return _crop(None, value, start, end, width, False, False)


def _crop(
    line: int | None, text: str, start: int, end: int, width: int, cut_before: bool, cut_after: bool
) -> Snippet:
    before, marked, after = text[:start], text[start:end], text[end:]
    if len(marked) > width:
        marked, after, cut_after = marked[: width - 1] + "…", "", False
    room = max(width - len(marked), 20)
    if len(before) + len(after) > room:
        keep_after = min(len(after), room // 3)
        keep_before = min(len(before), room - keep_after)
        keep_after = min(len(after), room - keep_before)
        cut_before, cut_after = cut_before or keep_before < len(before), cut_after or keep_after < len(after)
        before, after = before[len(before) - keep_before :], after[:keep_after]
    before = ("…" if cut_before else "") + before
    after = after + ("…" if cut_after else "")
    return Snippet(line, _flat(before), _flat(marked), _flat(after))


def _flat(text: str) -> str:
    return visible(text.replace("\t", " "))


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
