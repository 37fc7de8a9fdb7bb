"""A sentence taken apart: its words with marks in the place of formulas, and the phrases in them."""

from __future__ import annotations

import re
from typing import Final

from potlang.languages.dagmath.lower.chunks import Template
from potlang.languages.dagmath.lower.phrases import is_generic, stems
from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Quantity, Term, Unreadable
from potlang.languages.dagmath.lower.units import is_unit

MARK: Final = r"⟦(\d+)⟧"
CHUNK: Final = re.compile(MARK)
_LONGEST_PHRASE: Final = 8


class Spoken:
    """A sentence on its way to a reading."""

    def __init__(self, source: Template, context: Context) -> None:
        self.words = source.words
        self.lower = source.words.lower()
        self.chunks = source.chunks
        self.context = context

    def term(self, at: int | str) -> Term:
        """The formula of a mark. Raises the Unreadable that says why there is none."""
        chunk = self.chunks[int(at)]
        if isinstance(chunk, Unreadable):
            raise chunk
        return chunk

    def phrase(self, phrase: str) -> Quantity | None:
        """The quantity that a noun phrase names; None for one that names nothing of its own."""
        people = self.context.people if len(self.context.people) == 1 else frozenset[str]()
        found = tuple(word for word in stems(phrase) if word not in people)
        if not found or is_generic(found):
            return None
        if is_unit(" ".join(found)):
            raise Unreadable("a unit names no quantity")
        if len(found) > _LONGEST_PHRASE:
            raise Unreadable("a phrase is too long to name a quantity")
        several = len(self.context.people) > 1 or len(self.context.pronouns) > 1
        if several and re.search(r"\b(his|her|their|he|she|they)\b", phrase):
            raise Unreadable("it is open whom a pronoun means")
        return Quantity(found, " ".join(phrase.split()).removeprefix("the "))
