"""A document: a name, the text as read, the JSON value, and places in lines and columns."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from potlang.source.layout import Extent, Layout, raw_offset
from potlang.source.pointer import array_index, escape_token, split_pointer

_NEWLINE = re.compile(r"\r\n|\r|\n")
_LINE_FEED = re.compile(r"\n")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class DecodeError(ValueError):
    """The bytes are not text: `offset` is the first bad byte, `reason` a phrase without a full stop."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"byte {offset}: {reason}")
        self.offset = offset
        self.reason = reason


class Located(Protocol):
    """A place as `Document.locate` takes it; `potlang.diag.Place` is one."""

    @property
    def pointer(self) -> str: ...
    @property
    def span(self) -> tuple[int, int] | None: ...
    @property
    def on_key(self) -> bool: ...


class LineColumn(NamedTuple):
    """Lines and columns from 1, in characters; the end is the first position after the part."""

    line: int
    column: int
    end_line: int
    end_column: int


class Excerpt(NamedTuple):
    """Whole raw lines, without their line ends, from line `first_line` on."""

    first_line: int
    lines: tuple[str, ...]


class Document:
    """A named input. `text` is None when it was given as a value: then nothing has lines.

    `value` is the parsed JSON value once there is one; `encoding` says how to write the text back.
    """

    __slots__ = ("_layout", "_orders", "_starts", "encoding", "name", "text", "value")

    def __init__(self, name: str, text: str | None, value: object = None, encoding: str = "utf-8") -> None:
        self.name = name
        self.text = text
        self.value = value
        self.encoding = encoding
        self._layout: Layout | None = None
        self._starts: list[int] | None = None
        self._orders: dict[str, dict[str, int]] = {}

    @classmethod
    def from_str(cls, text: str, name: str = "<string>") -> Document:
        """A document from text; a byte order mark in front is dropped."""
        return cls(name, text.removeprefix("\ufeff"))

    @classmethod
    def from_value(cls, value: object, name: str = "<value>") -> Document:
        """A document from a parsed JSON value."""
        return cls(name, None, value)

    @property
    def layout(self) -> Layout:
        """Raw offsets of the JSON text."""
        if self._layout is None:
            self._layout = Layout(self.text or "")
        return self._layout

    def raw_span(self, place: Located) -> tuple[int, int] | None:
        """The raw offsets `(start, end)` of a place, or None without text.

        At the empty pointer a span counts raw characters. A pointer to what is not there means its
        nearest ancestor.
        """
        text = self.text
        if text is None:
            return None
        if not place.pointer:
            return self._raw_part(text, place.span)
        extent, exact = self.layout.find(place.pointer)
        if not exact:
            return extent.start, extent.end
        return _within(text, extent, place)

    def _raw_part(self, text: str, span: tuple[int, int] | None) -> tuple[int, int]:
        if span is None:
            root = self.layout.root()
            return root.start, root.end
        start = min(max(span[0], 0), len(text))
        return start, min(max(span[1], start), len(text))

    def locate(self, place: Located) -> LineColumn | None:
        """Line and column of a place, through the escapes of the raw text; None without text."""
        span = self.raw_span(place)
        if span is None:
            return None
        return LineColumn(*self.line_column(span[0]), *self.line_column(span[1]))

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column (from 1) of a raw offset."""
        starts = self._line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line_span(self, line: int) -> tuple[int, int]:
        """Raw offsets of a line (from 1) without its line end."""
        text = self.text or ""
        starts = self._line_starts()
        start = starts[line - 1]
        end = starts[line] if line < len(starts) else len(text)
        if line < len(starts):
            end -= 2 if text[end - 2 : end] == "\r\n" else 1
        return start, end

    def excerpt(self, place: Located) -> Excerpt | None:
        """The raw lines that a place touches; None without text."""
        where = self.locate(place)
        if where is None:
            return None
        text = self.text or ""
        spans = [self.line_span(line) for line in range(where.line, where.end_line + 1)]
        return Excerpt(where.line, tuple(text[start:end] for start, end in spans))

    def order(self, place: Located) -> tuple[int, ...]:
        """A key that sorts places in document order."""
        inner = -1 if place.span is None else place.span[0]
        if self.text is None:
            return (*self._path_order(place.pointer), inner)
        if not place.pointer:
            return self._raw_part(self.text, place.span)[0], -1
        extent, _ = self.layout.find(place.pointer)
        return (extent.key_start if place.on_key and extent.key_start >= 0 else extent.start), inner

    def _path_order(self, pointer: str) -> list[int]:
        path: list[int] = []
        here, base = self.value, ""
        for token in split_pointer(pointer):
            if isinstance(here, Mapping):
                if token not in here:
                    break
                path.append(self._key_order(base, here)[token])
                here = here[token]
            elif isinstance(here, list | tuple):
                index = array_index(token, len(here))
                if index is None:
                    break
                path.append(index)
                here = here[index]
            else:
                break
            base += "/" + escape_token(token)
        return path

    def _key_order(self, pointer: str, value: Mapping[str, object]) -> dict[str, int]:
        order = self._orders.get(pointer)
        if order is None:
            order = self._orders[pointer] = {key: index for index, key in enumerate(value)}
        return order

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            text = self.text or ""
            # A search for one character is many times as fast, and one without a match cannot be interrupted.
            ends = _NEWLINE if "\r" in text else _LINE_FEED
            self._starts = [0, *(found.end() for found in ends.finditer(text))]
        return self._starts


def _within(text: str, extent: Extent, place: Located) -> tuple[int, int]:
    on_key = place.on_key and extent.key_start >= 0
    start, end = (extent.key_start, extent.key_end) if on_key else (extent.start, extent.end)
    if place.span is None or text[start : start + 1] != '"':
        return start, end
    first = raw_offset(text, start + 1, end - 1, place.span[0])
    return first, max(first, raw_offset(text, start + 1, end - 1, place.span[1]))


def marked_encoding(data: bytes) -> str | None:
    """The encoding that a byte order mark says; None without one."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def decode(data: bytes) -> tuple[str, str]:
    """Text and encoding of JSON bytes: UTF-8, or what a byte order mark says; raises `DecodeError`."""
    encoding = marked_encoding(data) or "utf-8"
    if encoding == "utf-8" and b"\0" in data[:4]:
        raise DecodeError(data.index(b"\0"), "this looks like UTF-16 or UTF-32 without a byte order mark")
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError as error:
        raise DecodeError(error.start, f"not valid {encoding.removesuffix('-sig').upper()}") from None
