"""The words of a text that quotations cover, and those that none does ([POLICY-TEXT-WORDS])."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import dropwhile, groupby
from typing import Final, NamedTuple

_WORD: Final = re.compile(r"\w+(?:['’.,]\w+)*")
_JOINING: Final = frozenset(
    re.split(" ", "also and as because but hence however moreover since so then therefore thus")
)
"""Words that join what is said, and say nothing by themselves. `if`, `not` and `only` are none of them."""
_SAYS_NOTHING: Final = _JOINING | {"a", "an", "that", "the"}
_UNSPACED: Final = 0x2E80
"""From here on, characters are of scripts that put no blanks between words."""


class TextPart(NamedTuple):
    """A part of a text: its place, as a half-open span of characters, and its characters."""

    start: int
    end: int
    text: str


class QuotableText:
    """A text in which quotations are looked for: letter by letter, whatever case and signs are between."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters, self._places = _letters(text)

    def places(self, quotation: str) -> list[TextPart]:
        """The parts that say the quotation, in order; none where the text does not, or it has no letter."""
        wanted, _ = _letters(quotation)
        found: list[TextPart] = []
        at = self._letters.find(wanted) if wanted else -1
        while at >= 0:
            start, end = self._places[at], self._places[at + len(wanted) - 1] + 1
            if self._is_whole(start, end):
                found.append(TextPart(start, end, self.text[start:end]))
            at = self._letters.find(wanted, at + 1)
        return found

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether no word is cut at either end."""
        return not (_joined(self.text[start - 1 : start + 1]) or _joined(self.text[end - 1 : end + 1]))

    def uncovered(self, covered: Iterable[TextPart]) -> list[TextPart]:
        """The runs of words that are outside of all these parts, without joining words before them."""
        inside = [False] * (len(self.text) + 1)
        for part in covered:
            inside[part.start : part.end] = [True] * (part.end - part.start)
        found = []
        words = _WORD.finditer(self.text)
        for is_inside, run in groupby(words, lambda word: all(inside[word.start() : word.end()])):
            left = list(dropwhile(lambda word: word[0].casefold() in _JOINING, run))
            if not is_inside and any(word[0].casefold() not in _SAYS_NOTHING for word in left):
                start, end = left[0].start(), left[-1].end()
                found.append(TextPart(start, end, self.text[start:end]))
        return found


def _letters(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text without regard to case, and the place of each."""
    pairs = [(letter, at) for at, char in enumerate(text) if char.isalnum() for letter in char.casefold()]
    return "".join(letter for letter, _ in pairs), [at for _, at in pairs]


def _joined(pair: str) -> bool:
    """Whether two characters that stand side by side are of one word."""
    return len(pair) == 2 and pair.isalnum() and ord(max(pair)) < _UNSPACED
