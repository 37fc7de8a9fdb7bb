"""Noun phrases: what a phrase names, apart from how it is put ([STEP-QUANTITIES])."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from potlang.languages.dagmath.lower.syntax import words

_WORD: Final = re.compile(r"[A-Za-z]+")
_EMPTY: Final = words("a an the this that these those its our my your it is are was were be s value which")
"""Words that name nothing by themselves."""
_PRONOUNS: Final = words("his her their he she they")
_LINKS: Final = words("of for in on at with")
"""Prepositions whose order does not matter where there is one: `the speed of the boat`, `boat speed`."""
_ORDERING: Final = words(
    "to than from by between and or after before without not if when per over under more less until"
)
"""Words whose sides must not be exchanged: a phrase with one of them keeps its order."""
_GENERIC: Final = words(
    "value answer result expression equation sum product difference quotient left right side hand term "
    "number final simplification calculation computation solution step both formula ratio fraction "
    "quantity above previous simplified form last inequality system statement fact what lowest simplest "
    "standard reduced factored expanded"
)
"""Words that refer to something said before: a phrase of these alone names nothing of its own."""
_SAME: Final = {
    "velocity": "speed", "pace": "speed", "duration": "time", "travelled": "travel", "traveled": "travel",
    "traveling": "travel", "travelling": "travel", "count": "number", "bike": "cycl", "biking": "cycl",
    "ran": "run", "feet": "foot", "people": "person", "children": "child",
    "men": "man", "women": "woman", "mice": "mouse",
}  # fmt: skip


def numbered(text: str) -> dict[str, Fraction]:
    """Words with the numbers behind them: `one 1 two 2`."""
    items = text.split()
    return {word: Fraction(number) for word, number in zip(items[::2], items[1::2], strict=True)}


NUMERALS: Final = numbered(
    "zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 "
    "thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 "
    "thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90"
)
"""Numbers up to ninety-nine in one word."""
TIMES: Final[dict[str, int | Fraction]] = {
    "twice": 2, "double": 2, "triple": 3, "thrice": 3, "half": Fraction(1, 2),
}  # fmt: skip
_KEPT: Final = words(
    "evening morning king ring string thing spring wedding wing sing bring red bed seed feed need speed "
    "breed shed sled weed reed bus gas plus minus less class glass grass cross boss loss radius axis "
    "basis bonus focus genus virus canvas series species news lens alias atlas yes this"
)


def stems(text: str) -> tuple[str, ...]:
    """The stems of the words that a phrase names something by, each once, in alphabetical order.

    A phrase in which the order of words may matter (`the ratio of x to y`) keeps it.
    """
    words = _WORD.findall(re.sub(r"['’]s\b", "", text).lower())
    ordered = not _ORDERING.isdisjoint(words) or sum(word in _LINKS for word in words) > 1
    dropped = _EMPTY | _PRONOUNS | (frozenset() if ordered else _LINKS)
    found = [stem(word) for word in words if word not in dropped]
    return tuple(found) if ordered else tuple(sorted(set(found) - dropped))


def stem(word: str) -> str:
    """A word without its ending: that of `cycling`, `cycles` and `cycle` is the same. A stem is its own."""
    while True:
        shorter = _SAME.get(word) or _shortened(word)
        if shorter == word:
            return word
        word = shorter


def _shortened(word: str) -> str:
    if word in _KEPT or len(word) <= 3:
        return word
    if word.endswith("ing") and len(word) > 5:
        return _single(word[:-3])
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ed") and len(word) > 4:
        return _single(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    if word.endswith("e") and len(word) > 4:
        return word[:-1]
    return word


def _single(word: str) -> str:
    """Without the doubled consonant of `running`."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return word[:-1] if doubled else word


def is_generic(words: tuple[str, ...]) -> bool:
    """Whether a phrase refers to something said before, and names nothing of its own."""
    return all(word in GENERIC_STEMS for word in words)


GENERIC_STEMS: Final = frozenset(stem(word) for word in _GENERIC)
