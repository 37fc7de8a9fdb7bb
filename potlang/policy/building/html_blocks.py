"""Blocks of an HTML document, read by the standard library's parser."""

from __future__ import annotations

import html
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

from potlang.policy.building.blocks import BlockBuilder, BlockKind, TextBlock

_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "summary"))
_BREAKING: Final = _HEADINGS | frozenset(
    (
        *("p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "blockquote", "pre"),
        *("ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tfoot", "tr", "hr", "form"),
        *("fieldset", "figure", "figcaption", "address", "details", "body", "html", "td", "th"),
    )
)
"""Elements that begin and end blocks."""
_UNSEEN: Final = frozenset(("script", "style", "template", "head", "noscript", "svg", "math", "object"))
_KINDS: Final[dict[str, BlockKind]] = {
    **dict.fromkeys(_HEADINGS, "heading"),
    **dict.fromkeys(("li", "dt", "dd"), "item"),
}


def html_blocks(text: str) -> Iterator[TextBlock]:
    """The blocks that a reader sees; scripts, styles, comments and what is `hidden` are passed over."""
    parser = _BlockParser(text)
    parser.feed(text)
    parser.close()
    return iter(parser.blocks())


class _Row:
    """The cells of a row of a table."""

    def __init__(self) -> None:
        self.cells: list[TextBlock] = []
        self.is_head = True
        self.is_in_cell = False


class _BlockParser(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self._starts = [0]
        self._starts += [at + 1 for at, char in enumerate(text) if char == "\n"]
        self._found: list[TextBlock] = []
        self._block = BlockBuilder()
        self._unseen: list[str] = []
        """Open elements in one that is not seen, the outermost first."""
        self._row: _Row | None = None
        self._names: list[str] = []

    def blocks(self) -> list[TextBlock]:
        """All that was read."""
        self._end_row()
        self._begin("text")
        return self._found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins, or what is not seen."""
        is_hidden = any(name == "hidden" for name, _ in attrs) and tag not in _VOID
        if self._unseen or tag in _UNSEEN or is_hidden:
            if tag not in _VOID:
                self._unseen.append(tag)
            return
        if tag == "br":
            self._add("\n")
        elif tag in _BREAKING:
            self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        """The end of a block, or of what is not seen."""
        if self._unseen:
            if tag in self._unseen:
                del self._unseen[self._unseen.index(tag) :]
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag in ("tr", "table"):
            self._end_row()
            self._names = [] if tag == "table" else self._names
        elif tag in _BREAKING:
            self._begin("text")

    def handle_data(self, data: str) -> None:
        """Text as it stands there."""
        self._add(data)

    def handle_entityref(self, name: str) -> None:
        """A character by its name."""
        self._reference(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """A character by its number."""
        self._reference(f"&#{name};")

    def _reference(self, text: str) -> None:
        self._add(html.unescape(text), len(text))

    def _add(self, text: str, width: int | None = None) -> None:
        if self._unseen:
            return
        line, column = self.getpos()
        start = self._starts[line - 1] + column
        self._block.add(text, start, None if width is None else start + width)

    def _break(self, tag: str) -> None:
        if tag == "tr":
            self._end_row()
            self._begin("text")
            self._row = _Row()
        elif tag in ("td", "th") and self._row is not None:
            self._end_cell()
            self._row.is_in_cell = True
            self._row.is_head = self._row.is_head and tag == "th"
        elif tag == "table":
            self._end_row()
            self._names = []
            self._begin("text")
        elif self._row is None:
            self._begin(_KINDS.get(tag, "text"))
        else:
            self._add(" ")

    def _begin(self, kind: BlockKind) -> None:
        if self._row is not None:
            return
        block = self._block.block()
        if block is not None:
            self._found.append(block)
        self._block = BlockBuilder(kind)

    def _end_cell(self) -> None:
        """Puts what was read into a cell of the row."""
        if self._row is None:
            return
        was_in_cell, self._row.is_in_cell = self._row.is_in_cell, False
        if not was_in_cell:
            self._block = BlockBuilder()
            return
        line, column = self.getpos()
        block = self._block.block()
        empty = TextBlock("row", "", self._block.places, self._starts[line - 1] + column)
        self._row.cells.append(block or empty)
        self._block = BlockBuilder()

    def _end_row(self) -> None:
        """Makes one block of the cells of a row; a row of heads alone names the columns."""
        row = self._row
        if row is None:
            return
        self._end_cell()
        self._row, self._block = None, BlockBuilder()
        joined = BlockBuilder("row")
        for at, cell in enumerate(row.cells):
            place = cell.places[0] if cell.places else cell.end
            if at:
                joined.add(" | ", place, place)
            if at < len(self._names) and self._names[at]:
                joined.add(f"{self._names[at]}: ", place, place)
            joined.add_block(cell)
        if row.is_head and row.cells:
            self._names = [" ".join(cell.text.split()) for cell in row.cells]
        block = joined.block()
        if block is not None and any(cell.text for cell in row.cells):
            self._found.append(block)


_VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
