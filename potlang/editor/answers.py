"""Answers to an editor, in characters of the text; `wire` makes the editor's own form of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

TextSpan = tuple[int, int]
"""The characters `[start, end)` of a text."""
ItemKind = Literal[
    "class",
    "constant",
    "enum",
    "field",
    "file",
    "function",
    "keyword",
    "method",
    "module",
    "property",
    "value",
]
TokenKind = Literal[
    "type", "enumMember", "variable", "parameter", "function", "keyword", "operator", "number", "string"
]
TOKEN_KINDS: tuple[TokenKind, ...] = (
    "type",
    "enumMember",
    "variable",
    "parameter",
    "function",
    "keyword",
    "operator",
    "number",
    "string",
)
"""In the order of the legend that editors are told."""
TOKEN_MODIFIERS = ("declaration", "readonly", "defaultLibrary")


class HoverText(NamedTuple):
    """The hover text of a part of the text, in Markdown."""

    span: TextSpan
    markdown: str


class CompletionItem(NamedTuple):
    """Something that may stand at the cursor: `insert` takes the place of `span`."""

    label: str
    kind: ItemKind
    insert: str
    span: TextSpan
    detail: str = ""
    documentation: str = ""


class Completions(NamedTuple):
    """The items, and whether there are more than are listed."""

    items: tuple[CompletionItem, ...] = ()
    is_cut: bool = False


class TextChange(NamedTuple):
    """A part of the text, and what is to stand there."""

    start: int
    end: int
    text: str


class NotDone(NamedTuple):
    """Why something is not done, in a sentence."""

    reason: str


class SortHint(NamedTuple):
    """Words to be shown behind a character, which are not in the text."""

    offset: int
    text: str


class TextToken(NamedTuple):
    """A part of the text that is coloured by what it means."""

    start: int
    end: int
    kind: TokenKind
    modifiers: tuple[str, ...] = ()


class OutlineItem(NamedTuple):
    """A part of the text in its outline: `span` is the whole of it, `name_span` what names it."""

    name: str
    kind: ItemKind
    span: TextSpan
    name_span: TextSpan
    detail: str = ""
    children: tuple[OutlineItem, ...] = ()


class LanguageText:
    """A text in one of the languages. What a language has no answer to, it leaves as it is here."""

    def hover(self, offset: int) -> HoverText | None:
        """The hover text of the character at an offset."""
        return None

    def completions(self, offset: int) -> Completions:
        """Completions at an offset."""
        return Completions()

    def definition(self, offset: int) -> list[TextSpan]:
        """Where the name at an offset is declared."""
        return []

    def references(self, offset: int, *, with_declarations: bool) -> list[TextSpan]:
        """All places that speak of what the name at an offset speaks of."""
        return []

    def name_at(self, offset: int) -> tuple[TextSpan, str] | NotDone:
        """The name at an offset that can be changed everywhere, or why there is none."""
        return NotDone("there is no name here that can be changed")

    def rename(self, offset: int, new: str) -> list[TextChange] | NotDone:
        """The changes that give the name at an offset another spelling everywhere, or why there are none."""
        return NotDone("there is no name here that can be changed")

    def hints(self, start: int, end: int) -> list[SortHint]:
        """The sorts that variables have without saying so, within a part of the text."""
        return []

    def tokens(self, start: int, end: int) -> list[TextToken]:
        """The coloured parts within a part of the text, in their order."""
        return []

    def outline(self) -> list[OutlineItem]:
        """The parts of the text."""
        return []

    def folds(self) -> list[TextSpan]:
        """The parts that can be folded."""
        return []
