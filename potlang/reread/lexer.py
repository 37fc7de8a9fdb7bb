"""Tokens of the core's expressions: [POT-NAME-1], [POT-EXPR-3], [POT-EXPR-7]."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class NotCovered(Exception):
    """The program has something beyond the core; the message says what."""


class Lexeme(NamedTuple):
    """`kind` is name, quoted, number or sign; of a quoted name the text is without backquotes."""

    kind: str
    text: str


_SIGNS: Mapping[str, str] = MappingProxyType(
    {"∧": "and", "∨": "or", "¬": "not", "→": "->", "↔": "<->", "≤": "<=", "≥": ">=", "≠": "!="}
)
_WORDS = ("and", "or", "not", "in")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])"
    r"|(?P<name>[^\W\d]\w*)"
    r"|`(?P<quoted>(?:[^`]|``)+)`"
    r"|(?P<sign><->|->|==|!=|<=|>=|//|\*\*|[<>+\-*/%()\[\]{},:∧∨¬→↔≤≥≠]))"
)

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
"""Without blanks it is no subtraction ([POT-EXPR-20])."""


def tokens(text: str) -> list[Lexeme]:
    """The tokens of an expression, then an empty one. Raises `NotCovered`."""
    found: list[Lexeme] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise NotCovered(f"{text[place : place + 10].strip()!r} in an expression")
        kind, word = match.lastgroup, match[match.lastgroup]
        if kind == "number" and _DATE.match(text, match.start(kind)):
            raise NotCovered("a date")
        if kind == "number" and not word.isascii():
            raise NotCovered("digits of another script")
        # The spec does not say which of several spellings in Unicode are one name.
        if kind in ("name", "quoted") and not unicodedata.is_normalized("NFKC", word):
            raise NotCovered("a name with several spellings in Unicode")
        if kind == "name" and word in _WORDS:
            kind = "sign"
        word = word.replace("``", "`") if kind == "quoted" else _SIGNS.get(word, word)
        found.append(Lexeme(kind, word))
        place = match.end()
    return [*found, Lexeme("end", "")]
