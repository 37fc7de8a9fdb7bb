"""The items of JSON arrays, one by one out of a stream: the samples of the authors' files ([DAG-ARRAY])."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from potlang.languages.dagmath.read.samples import LONGEST_LINE

_IN_STRING = re.compile(rb'["\\]')
_OUTSIDE = re.compile(rb'["\[\]{},]')
_BLANK = b" \t\r\n\xef\xbb\xbf"


class Item(NamedTuple):
    """An item of an array as JSON text, and the line on which it begins, from 1."""

    line: int
    text: bytes


def array_items(chunks: Iterable[bytes]) -> Iterator[Item]:
    """The items of the arrays that a text in UTF-8 consists of, whatever they are; constant memory.

    An item of more than 16 MiB is cut there, so that whoever reads it finds it too long. Of an array that
    never ends the last item is what there is of it. What stands outside of arrays is one item more.
    """
    splitter = _Splitter()
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.item()


def begins_array(head: bytes) -> bool:
    """Whether a text begins as an array of objects, as far as its beginning tells."""
    rest = head.lstrip(_BLANK)
    return rest[:1] == b"[" and rest[1:].lstrip(_BLANK)[:1] in (b"{", b"")


def is_whole_array(text: bytes) -> bool:
    """Whether the array that a text begins with ends in it."""
    splitter = _Splitter()
    for _ in splitter.feed(text):
        pass
    return splitter.depth == 0


class _Splitter:
    """Cuts at the commas of the outermost arrays, with regard to strings and brackets alone."""

    def __init__(self) -> None:
        self.depth = 0
        self._in_string = False
        self._skip = 0
        self._text = bytearray()
        self._line = 1
        self._lines = 0
        """Line ends in the item that is being read; `_line` is where that begins."""

    def feed(self, chunk: bytes) -> Iterator[Item]:
        """The items that end in a chunk."""
        start, at = 0, min(self._skip, len(chunk))
        self._skip -= at
        while (found := (_IN_STRING if self._in_string else _OUTSIDE).search(chunk, at)) is not None:
            sign, at = found[0], found.end()
            if self._in_string:
                if sign == b'"':
                    self._in_string = False
                else:
                    # What is escaped ends no string, though it may stand in the next chunk.
                    self._skip = max(0, at + 1 - len(chunk))
                    at = min(at + 1, len(chunk))
            elif sign == b'"':
                self._in_string = True
            elif (self.depth, sign) in ((0, b"["), (1, b"]"), (1, b",")):
                self._take(chunk[start : at - 1])
                yield from self.item()
                self.depth = 0 if sign == b"]" else 1
                start = at
            elif sign in b"[{":
                self.depth += 1
            elif sign in b"]}":
                self.depth = max(0, self.depth - 1)
        self._take(chunk[start:])

    def item(self) -> Iterator[Item]:
        """The item that is being read, if there is anything of it; the next begins behind it."""
        text = bytes(self._text)
        self._text.clear()
        bare = text.lstrip(_BLANK)
        first = self._line + text[: len(text) - len(bare)].count(b"\n")
        self._line += self._lines
        self._lines = 0
        if bare:
            yield Item(first, bare.rstrip(_BLANK))

    def _take(self, part: bytes) -> None:
        self._lines += part.count(b"\n")
        self._text += part[: max(0, LONGEST_LINE + 1 - len(self._text))]
