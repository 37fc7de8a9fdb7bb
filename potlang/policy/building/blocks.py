"""Blocks of text and Markdown: headings, paragraphs, items, rows, with the places of their characters."""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Iterator
from typing import Literal, NamedTuple

BlockKind = Literal["heading", "text", "item", "row"]


class TextBlock(NamedTuple):
    """A run of text; `places` has the offset of each of its characters in the document."""

    kind: BlockKind
    text: str
    places: array[int]
    end: int
    """The offset behind its last character."""


class BlockBuilder:
    """Collects the pieces of one block."""

    def __init__(self, kind: BlockKind = "text") -> None:
        self.kind: BlockKind = kind
        self._pieces: list[str] = []
        self.places: array[int] = array("I")
        self._end = 0

    def add(self, text: str, start: int, end: int | None = None) -> None:
        """Adds text that stands from `start` on; with `end`, text that stands for all up to there."""
        self._pieces.append(text)
        if end is None:
            self.places.extend(range(start, start + len(text)))
            self._end = start + len(text)
        else:
            self.places.extend([start] * len(text))
            self._end = end

    def add_block(self, block: TextBlock) -> None:
        """Adds the text of another block with its places."""
        self._pieces.append(block.text)
        self.places.extend(block.places)
        self._end = block.end

    def block(self) -> TextBlock | None:
        """The block; None if there is nothing in it but white space."""
        text = "".join(self._pieces)
        return TextBlock(self.kind, text, self.places, self._end) if text.strip() else None


# --- plain text ------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\n]*\n?")
_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,9}[.)]|\(?[a-z]\))[ \t]+(?=\S)")


def plain_blocks(text: str) -> Iterator[TextBlock]:
    """Paragraphs between empty lines; a line that begins like an item of a list begins one."""
    block = BlockBuilder()
    for start, line in _lines(text):
        marker = _ITEM.match(line)
        if marker or not line.strip():
            yield from _finished(block)
            block = BlockBuilder("item" if marker else "text")
        skipped = marker.end() if marker else 0
        block.add(line[skipped:], start + skipped)
    yield from _finished(block)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their line ends, and where each begins."""
    for found in _LINE.finditer(text):
        if found[0]:
            yield found.start(), found[0]


def _finished(*blocks: BlockBuilder) -> Iterator[TextBlock]:
    for each in blocks:
        block = each.block()
        if block is not None:
            yield block


# --- Markdown --------------------------------------------------------------------------------------

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?=\S)")
_CLOSING = re.compile(r"[ \t]+#+[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})\s*")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}\s*")
_QUOTE = re.compile(r" {0,3}(?:>[ \t]?)+")
_REFERENCE = re.compile(r" {0,3}\[[^\]\n]+\]:\s*\S+.*")
_DELIMITERS = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?\s*")
_CELL_END = re.compile(r"(?<!\\)\|")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|!?\[(?P<link>[^\[\]\n]*+)\]\([^()\n]*+\)"
    r"|</?[A-Za-z][^<>\n]*+>"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?<!\s)[*~]++|[*~]++(?!\s)|(?<!\w)_++|_++(?!\w)|`++"
)


def markdown_blocks(text: str) -> Iterator[TextBlock]:
    """The blocks of Markdown without its signs. Code is text, line by line; comments are passed over."""
    return _Markdown().blocks(_without_comments(text))


def _without_comments(text: str) -> str:
    """The text with white space in place of comments, so that all places stay."""
    return _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


class _Markdown:
    def __init__(self) -> None:
        self._block = BlockBuilder()
        self._fence = ""
        self._table: list[str] | None = None
        """The column names of the table that goes on here."""
        self._last = (0, "")
        """The line before, if it was of a paragraph."""

    def blocks(self, text: str) -> Iterator[TextBlock]:
        for start, line in _lines(text):
            yield from self._line(start, line)
        yield from _finished(self._block)

    def _line(self, start: int, line: str) -> Iterator[TextBlock]:
        if self._fence or (self._table is None and _FENCE.match(line)):
            yield from self._code(start, line)
            return
        quote = _QUOTE.match(line)
        if quote:
            start, line = start + quote.end(), line[quote.end() :]
        if self._table is not None and "|" in line:
            yield from self._row(start, line, self._table)
            return
        self._table = None
        last, self._last = self._last, (0, "")
        if not line.strip() or _REFERENCE.fullmatch(line.rstrip()):
            yield from self._begin(BlockBuilder())
        elif "|" in last[1] and _DELIMITERS.fullmatch(line):
            # The line before, which looked like text, has the names of the columns.
            self._block = BlockBuilder()
            self._table = [_visible_text(cell) for _, cell in _cells(*last)]
            yield from self._row(*last, [])
        elif last[1] and _UNDERLINE.fullmatch(line):
            self._block.kind = "heading"
            yield from self._begin(BlockBuilder())
        elif _RULE.fullmatch(line):
            yield from self._begin(BlockBuilder())
        else:
            yield from self._text(start, line)

    def _text(self, start: int, line: str) -> Iterator[TextBlock]:
        heading, item = _HEADING.match(line), _ITEM.match(line)
        marker = heading or item
        if marker is None:
            if "|" in line:
                # It may be the head of a table: then it stands by itself.
                yield from self._begin(BlockBuilder())
            self._last = (start, line)
            _add_inline(self._block, line, start)
            return
        yield from self._begin(BlockBuilder("heading" if heading else "item"))
        text = _CLOSING.sub("", line.rstrip()) if heading else line
        _add_inline(self._block, text[marker.end() :], start + marker.end())
        if heading:
            yield from self._begin(BlockBuilder())

    def _begin(self, block: BlockBuilder) -> Iterator[TextBlock]:
        yield from _finished(self._block)
        self._block = block

    def _code(self, start: int, line: str) -> Iterator[TextBlock]:
        fence = _FENCE.match(line)
        if not self._fence:
            assert fence is not None
            yield from self._begin(BlockBuilder())
            self._fence = fence[1]
        elif fence is not None and fence[1].startswith(self._fence) and not line[fence.end() :].strip():
            self._fence = ""
        else:
            block = BlockBuilder()
            block.add(line, start)
            yield from _finished(block)

    def _row(self, start: int, line: str, names: list[str]) -> Iterator[TextBlock]:
        block = BlockBuilder("row")
        for at, (place, cell) in enumerate(_cells(start, line)):
            if at:
                block.add(" | ", place, place)
            if at < len(names) and names[at]:
                block.add(f"{names[at]}: ", place, place)
            _add_inline(block, cell, place)
        yield from _finished(block)


def _cells(start: int, line: str) -> Iterator[tuple[int, str]]:
    """The cells of a row with their places, without the white space around them."""
    whole = line.strip()
    at = line.find(whole) + whole.startswith("|")
    end = len(line.rstrip()) - (whole.endswith("|") and not whole.endswith("\\|"))
    bounds = [at, *(found.start() for found in _CELL_END.finditer(line, at, end)), end]
    for number in range(len(bounds) - 1):
        first = bounds[number] + bool(number)
        cell = line[first : bounds[number + 1]]
        yield start + first + len(cell) - len(cell.lstrip()), cell.strip()


def _visible_text(markdown: str) -> str:
    block = BlockBuilder()
    _add_inline(block, markdown, 0)
    found = block.block()
    return "" if found is None else found.text


def _add_inline(block: BlockBuilder, text: str, start: int) -> None:
    """Adds Markdown without the signs in it."""
    at = 0
    for found in _INLINE.finditer(text):
        block.add(text[at : found.start()], start + at)
        at = found.end()
        if found["entity"]:
            block.add(html.unescape(found["entity"]), start + found.start(), start + at)
        elif found["link"] is not None:
            block.add(found["link"], start + found.start("link"))
        elif found["escaped"]:
            block.add(found["escaped"], start + found.start("escaped"))
    block.add(text[at:], start + at)
