"""Where the parts of a solution stand in the input, and what edits of them amount to there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from potlang.diag import Edit, Place
from potlang.diag.model import Patch, Replace
from potlang.reading.embedded import EmbeddedDocument

Part = Literal["id", "edge", "parents", "node", "formal"]
Span = tuple[int, int]
Where = tuple[str, Span | None]
"""The pointer and the span of a `Place`, which is made for the few that are asked for."""


class StepPlaces(NamedTuple):
    """The places of a step, of its parts and of each parent.

    In JSON they are pointers, in the text form spans. `repaired` are the parts that were not read as written:
    of them only the whole has a place.
    """

    step: Where
    parts: Mapping[Part, Where]
    repaired: set[Part]
    parents: list[Where]


class SourceMap:
    """Places of steps by position. The JSON of a solution may be `embedded` in other text.

    `rows` grow with the steps that are read.
    """

    __slots__ = ("embedded", "rows")

    def __init__(self, embedded: EmbeddedDocument | None = None) -> None:
        self.embedded = embedded
        self.rows: list[StepPlaces] = []

    def place(self, place: Place) -> Place:
        """The place in the document of a place in the JSON text."""
        return place if self.embedded is None else self.embedded.place(place)

    def edits(self, *edits: Edit) -> tuple[Edit, ...]:
        """The edits of the document that edits of the JSON text amount to."""
        return edits if self.embedded is None else self.embedded.edits(edits)

    def step(self, at: int) -> Place:
        """The whole step."""
        return self.place(Place(*self.rows[at].step))

    def part(self, at: int, part: Part, span: Span | None = None) -> Place:
        """A part of a step, and characters `span` of its text; the step where it has no such part."""
        row = self.rows[at]
        if part not in row.parts:
            return self.step(at)
        pointer, whole = row.parts[part]
        if span is not None and part not in row.repaired:
            whole = _within(whole, span)
        return self.place(Place(pointer, whole))

    def parent(self, at: int, index: int) -> Place:
        """One of the parents, in the order written."""
        row = self.rows[at]
        if "parents" in row.repaired:
            return self.part(at, "parents")
        return self.place(Place(*row.parents[index]))

    def rewrite(self, at: int, part: Part, span: Span, text: str) -> tuple[Edit, ...]:
        """Edits that put `text` in the place of characters of a part; none where that cannot be done."""
        row = self.rows[at]
        if part not in row.parts or part in row.repaired:
            return ()
        pointer, whole = row.parts[part]
        return self.edits(Replace(pointer, *_within(whole, span), text))

    def set_parents(self, at: int, parents: Sequence[int]) -> tuple[Edit, ...]:
        """Edits that let a step have these parents; no parents are written as null."""
        pointer, span = self.rows[at].parts["parents"]
        if span is None:
            return self.edits(Patch("replace", pointer, list(parents) or None))
        return (Replace(pointer, *span, ", ".join(f"Step {parent}" for parent in parents) or "Null"),)


def _within(whole: Span | None, span: Span) -> Span:
    """Characters of a part, from the beginning of its string in JSON, and of the input in the text form."""
    start = whole[0] if whole else 0
    return start + span[0], start + span[1]
