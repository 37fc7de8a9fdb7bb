"""Patterns of sentences as rules: the same rule says a construct and reads it back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from potlang.ir.measures import CURRENCIES, DAY_UNITS, SECOND_UNITS, UNITS
from potlang.words.constructs import SpokenBinder

BRACKETED = {"f": 6, "t": 4}
"""The level of what stands in brackets: it fits wherever its kind does."""
LOOSE = 3
"""Up to this level the last formula of a pattern could be taken to go on behind its end."""

_UNITS = [*UNITS, *CURRENCIES, *(f"{unit}s?" for unit in (*DAY_UNITS, *SECOND_UNITS))]
_AMOUNT = re.compile(r"[$€£¥]|[0-9.]+(?: ?%| [^\W\d])")
_TOKEN = re.compile(
    r"""`(?:[^`]|``)+`
    |[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?(?![0-9A-Za-z_])
    |[$€£¥][ ]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?![\w])
    |(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[ ]?%|[ ](?:"""
    + "|".join(sorted(_UNITS, key=len, reverse=True))
    + r""")(?!\w))
    |"(?:[^"\\]|\\.)*"|\#b[01]+|\#x[0-9a-fA-F]+
    |[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![^\W\d])|\.[0-9]+|['’]?\w+|\S""",
    re.VERBOSE | re.DOTALL,
)
_HOLE = re.compile(r"\{(\w+?)(\*?)(?::(\d))?\}")

Value = str | tuple[str | SpokenBinder, ...] | SpokenBinder
"""Of a formula or a term its text as an expression; of a list its items."""


class SentenceToken(NamedTuple):
    """A word, a number, a string, a sign or a quoted name, with its place in the sentence."""

    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[SentenceToken]:
    """The tokens of a sentence, or of a pattern's words."""
    return [SentenceToken(found[0], found.start(), found.end()) for found in _TOKEN.finditer(text)]


def is_amount(token: str) -> bool:
    """Whether a token is a number with a unit; a numeral with an exponent is none."""
    return len(token) > 1 and _AMOUNT.match(token) is not None


class PatternHole(NamedTuple):
    """A place in a pattern: the operand that stands there, or binders, and how tight its words must be.

    `category` is a kind (`f`, `t`), a list (`t* 3`: of terms of level 3), or a part of binders.
    """

    operand: int
    category: str
    level: int = 0

    @property
    def is_list(self) -> bool:
        """Whether a list of operands stands there."""
        return "*" in self.category


class PhraseRule(NamedTuple):
    """Words and holes that make a `category` of a `level`, and the text that they amount to.

    `pieces` are words (as they are said) and holes. `text` makes a value of those of the holes, in the order
    of the holes. An `exact` rule is a name: its letters are not capitalized where it begins a sentence.
    """

    category: str
    level: int
    pieces: tuple[str | PatternHole, ...]
    text: Callable[[Sequence[Value]], Value]
    exact: bool = False
    is_open: bool = False

    @property
    def is_prefix(self) -> bool:
        """Whether words tell where it begins."""
        return isinstance(self.pieces[0], str)


class PhraseSymbols(NamedTuple):
    """A rule as readers go through it: one token or hole after the other."""

    rule: PhraseRule
    items: tuple[str | PatternHole, ...]


def symbols(rule: PhraseRule) -> PhraseSymbols:
    """The tokens and holes of a rule."""
    items: list[str | PatternHole] = []
    for piece in rule.pieces:
        items += [piece] if isinstance(piece, PatternHole) else [token.text for token in tokens_of(piece)]
    return PhraseSymbols(rule, tuple(items))


def pieces_of(pattern: str, kind_of: Callable[[int], str]) -> tuple[str | PatternHole, ...]:
    """The words and holes of a pattern of the table; `kind_of` says the kind of an operand."""
    return tuple(_pieces(pattern, kind_of))


def _pieces(pattern: str, kind_of: Callable[[int], str]) -> Iterator[str | PatternHole]:
    end = 0
    for found in _HOLE.finditer(pattern):
        if found.start() > end:
            yield pattern[end : found.start()]
        name, many, level = found[1], found[2], int(found[3] or 0)
        if name.isdecimal():
            operand = int(name)
            kind = kind_of(operand)
            yield (
                PatternHole(operand, list_category(kind, level))
                if many
                else PatternHole(operand, kind, level)
            )
        else:
            yield PatternHole(-1, list_category(name, 0) if many else name)
        end = found.end()
    if end < len(pattern):
        yield pattern[end:]


def list_category(category: str, level: int) -> str:
    """The category of lists of parts of that level."""
    return f"{category}* {level}"


def in_order(pieces: Sequence[str | PatternHole], values: Sequence[Value]) -> list[str]:
    """The texts of the operands, in their own order, given those of the holes in the order of the holes."""
    found: dict[int, Value] = {}
    holes = [piece for piece in pieces if isinstance(piece, PatternHole)]
    for hole, value in zip(holes, values, strict=True):
        if hole.operand >= 0:
            found[hole.operand] = value
    texts: list[str] = []
    for operand in sorted(found):
        value = found[operand]
        texts += map(str, value) if type(value) is tuple else [str(value)]
    return texts
