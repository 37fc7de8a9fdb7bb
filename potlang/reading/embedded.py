"""A JSON text inside a trace: its own document, and the way from its places to those of the trace."""

from __future__ import annotations

from typing import NamedTuple

from potlang.diag import Fix, Place, Replace
from potlang.source import Document


class Inner(NamedTuple):
    """The document of a JSON text that begins at the character `first` of the trace."""

    document: Document
    first: int

    def place(self, place: Place) -> Place:
        """The place in the trace of a place in the JSON text."""
        start, end = self.document.raw_span(place) or (0, 0)
        return Place("", (self.first + start, self.first + end))

    def fix(self, fix: Fix) -> Fix:
        """The fix of the trace that a fix of the JSON text amounts to; without edits if there is none."""
        from potlang.diag.fixes import raw_edits

        edits = raw_edits(self.document, fix)
        moved = (Replace("", self.first + edit.start, self.first + edit.end, edit.text) for edit in edits)
        return Fix(fix.title, fix.applicability, tuple(moved))
