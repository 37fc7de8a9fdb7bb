"""Where the parts of a solution stand in the input, and what edits of them amount to there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from potlang.diag import Edit, Place
from potlang.diag.model import Patch, Replace
from potlang.reading.embedded import EmbeddedDocument
from potlang.source.pointer import join_pointer

Part = Literal["id", "edge", "parents", "node", "prop"]
Span = tuple[int, int]


class SourceMap(Protocol):
    """Places of steps by position; each form of a solution has its own kind."""

    def step(self, at: int) -> Place:
        """The whole step."""

    def part(self, at: int, part: Part, span: Span | None = None) -> Place:
        """A part of a step, and characters `span` of its text; the step where it has no such part."""

    def parent(self, at: int, index: int) -> Place:
        """One of the parents, in the order written."""

    def rewrite(self, at: int, part: Part, span: Span, text: str) -> tuple[Edit, ...]:
        """Edits that put `text` in the place of characters of a part; none where that cannot be done."""

    def set_parents(self, at: int, parents: Sequence[int]) -> tuple[Edit, ...]:
        """Edits that let a step have these parents; no parents are written as null."""


class JsonRow(NamedTuple):
    """A step in JSON: its pointer, the key of each part, and the parts that were not read as written."""

    pointer: str
    keys: Mapping[Part, str]
    repaired: set[Part]

    def pointer_of(self, part: Part) -> str:
        """The pointer of a part that the step has."""
        return join_pointer(self.pointer, self.keys[part])


class JsonSourceMap:
    """Places of a solution in JSON, which may be embedded in other text.

    `rows` grow with the steps that are read.
    """

    __slots__ = ("embedded", "rows")

    def __init__(self, embedded: EmbeddedDocument | None = None) -> None:
        self.embedded = embedded
        self.rows: list[JsonRow] = []

    def place(self, pointer: str, span: Span | None = None, on_key: bool = False) -> Place:
        """The place in the document of a place in the JSON text."""
        place = Place(pointer, span, on_key)
        return place if self.embedded is None else self.embedded.place(place)

    def edits(self, *edits: Edit) -> tuple[Edit, ...]:
        """The edits of the document that edits of the JSON text amount to."""
        return edits if self.embedded is None else self.embedded.edits(edits)

    def step(self, at: int) -> Place:
        return self.place(self.rows[at].pointer)

    def part(self, at: int, part: Part, span: Span | None = None) -> Place:
        row = self.rows[at]
        if part not in row.keys:
            return self.step(at)
        return self.place(row.pointer_of(part), None if part in row.repaired else span)

    def parent(self, at: int, index: int) -> Place:
        row = self.rows[at]
        if "parents" in row.repaired:
            return self.part(at, "parents")
        return self.place(f"{row.pointer_of('parents')}/{index}")

    def rewrite(self, at: int, part: Part, span: Span, text: str) -> tuple[Edit, ...]:
        row = self.rows[at]
        if part not in row.keys or part in row.repaired:
            return ()
        return self.edits(Replace(row.pointer_of(part), *span, text))

    def set_parents(self, at: int, parents: Sequence[int]) -> tuple[Edit, ...]:
        return self.edits(Patch("replace", self.rows[at].pointer_of("parents"), list(parents) or None))


class TextRow(NamedTuple):
    """A step in the text form: raw spans of the step, its parts and each of its parents."""

    span: Span
    parts: Mapping[Part, Span]
    parents: Sequence[Span]


class TextSourceMap:
    """Places of a solution in the text form; `rows` grow with the steps that are read."""

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: list[TextRow] = []

    def step(self, at: int) -> Place:
        return Place("", self.rows[at].span)

    def part(self, at: int, part: Part, span: Span | None = None) -> Place:
        found = self.rows[at].parts.get(part)
        if found is None:
            return self.step(at)
        return Place("", found if span is None else (found[0] + span[0], found[0] + span[1]))

    def parent(self, at: int, index: int) -> Place:
        return Place("", self.rows[at].parents[index])

    def rewrite(self, at: int, part: Part, span: Span, text: str) -> tuple[Edit, ...]:
        found = self.rows[at].parts.get(part)
        if found is None:
            return ()
        return (Replace("", found[0] + span[0], found[0] + span[1], text),)

    def set_parents(self, at: int, parents: Sequence[int]) -> tuple[Edit, ...]:
        found = self.rows[at].parts.get("parents")
        text = ", ".join(f"Step {parent}" for parent in parents) or "Null"
        return () if found is None else (Replace("", *found, text),)
