"""Embedded documents: a JSON text inside another text, and the way from its places to those of the host.

A DoT `@prop`, and a solution with prose around it, are read as documents of their own. Their places,
fixes and diagnostics become the host's here, and nowhere else.
"""

from __future__ import annotations

from typing import NamedTuple

from potlang.diag import Diagnostic, Edit, Fix, Label, Place, Replace
from potlang.diag.fixes import raw_edits
from potlang.source import Document


class EmbeddedDocument(NamedTuple):
    """The document of a JSON text that begins at the character `start` of its host."""

    document: Document
    start: int

    def place(self, place: Place) -> Place:
        """The place in the host of a place in the document."""
        start, end = self.document.raw_span(place) or (0, 0)
        return Place("", (self.start + start, self.start + end))

    def edits(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        """The edits of the host that edits of the document amount to; none where they do not apply."""
        return tuple(
            Replace("", self.start + edit.start, self.start + edit.end, edit.text)
            for edit in raw_edits(self.document, edits)
        )

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """A diagnostic of the document as one of the host, without the fixes that do not apply there."""
        moved = ((fix, self.edits(fix.edits)) for fix in diagnostic.fixes)
        return diagnostic._replace(
            labels=tuple(Label(self.place(label.place), label.message) for label in diagnostic.labels),
            fixes=tuple(Fix(fix.title, fix.applicability, edits) for fix, edits in moved if edits),
        )
