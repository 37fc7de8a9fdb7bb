"""The LALR tables of the grammar and the tokens that belong to them, read once on first use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

END = "$END"
UNKNOWN = "$UNKNOWN"
# Tried first, for speed: no other token begins as one of these does.
_FREQUENT = frozenset(["NAME", "LPAR", "RPAR", "COMMA", "SPACE"])


class Token(NamedTuple):
    """A token: the terminal's name, its text, and its place in the expression."""

    kind: str
    text: str
    start: int
    end: int


class Production(NamedTuple):
    """A production: its left side, how many symbols it has, and its action (None: pass the child on)."""

    origin: str
    length: int
    action: str | None


class Tokens(NamedTuple):
    """The terminals: their patterns in the order in which they are tried, words, what is skipped."""

    patterns: Mapping[str, str]
    keywords: Mapping[str, str]
    skipped: frozenset[str]


class ParserTables(NamedTuple):
    """The LALR tables; `build_tables.build` explains the parts."""

    rules: tuple[Production, ...]
    actions: tuple[Mapping[str, int], ...]
    gotos: tuple[Mapping[str, int], ...]
    starts: Mapping[str, int]
    ends: Mapping[str, int]


def _read(name: str) -> Any:
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


@cache
def tokens() -> Tokens:
    """The terminals, from `tokens.json`."""
    data = _read("tokens.json")
    terminals = sorted(data["terminals"], key=lambda row: row[0] not in _FREQUENT)
    return Tokens(dict(terminals), data["keywords"], frozenset(data["ignore"]))


@cache
def scanner() -> re.Pattern[str]:
    """One pattern for all tokens, a group each."""
    groups = "|".join(f"(?P<{name}>{pattern})" for name, pattern in tokens().patterns.items())
    return re.compile(f"{groups}|(?P<_UNKNOWN>.)", re.DOTALL)


@cache
def tables() -> ParserTables:
    """The LALR tables, from `tables.json`."""
    data = _read("tables.json")
    return ParserTables(
        rules=tuple(Production(*row) for row in data["rules"]),
        actions=tuple(data["actions"]),
        gotos=tuple(data["gotos"]),
        starts=data["starts"],
        ends=data["ends"],
    )


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, `$END` last; reading ends at a character that begins no token (`$UNKNOWN`)."""
    keywords, skipped = tokens().keywords, tokens().skipped
    found: list[Token] = []
    for match in scanner().finditer(text):
        kind = match.lastgroup or UNKNOWN
        if kind in skipped:
            continue
        start, end = match.span()
        word = match.group()
        if kind == "NAME":
            kind = keywords.get(word, kind)
        elif kind == "_UNKNOWN":
            found.append(Token(UNKNOWN, word, start, end))
            break
        found.append(Token(kind, word, start, end))
    found.append(Token(END, "", len(text), len(text)))
    return found
