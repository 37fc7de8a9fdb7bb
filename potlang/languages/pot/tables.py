"""The LALR tables of the grammar and the tokens that belong to them, read once on first use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

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


@dataclass(frozen=True, slots=True)
class Rule:
    """A production: its left side, how many symbols it has, and its action (None: pass the child on)."""

    origin: str
    length: int
    action: str | None


@dataclass(frozen=True, slots=True)
class Tables:
    """What the parser runs on; see `build_tables.build` for the meaning of the parts."""

    patterns: Mapping[str, str]
    keywords: Mapping[str, str]
    skipped: frozenset[str]
    scanner: re.Pattern[str]
    rules: tuple[Rule, ...]
    actions: tuple[Mapping[str, int], ...]
    gotos: tuple[Mapping[str, int], ...]
    starts: Mapping[str, int]
    ends: Mapping[str, int]


@cache
def tables() -> Tables:
    """The tables of `tables.json`."""
    data = json.loads(files(__package__).joinpath("tables.json").read_text(encoding="utf-8"))
    terminals = sorted(data["terminals"], key=lambda row: row[0] not in _FREQUENT)
    groups = "|".join(f"(?P<{name}>{pattern})" for name, pattern in terminals)
    return Tables(
        patterns=dict(data["terminals"]),
        keywords=data["keywords"],
        skipped=frozenset(data["ignore"]),
        scanner=re.compile(f"{groups}|(?P<_UNKNOWN>.)", re.DOTALL),
        rules=tuple(Rule(*row) for row in data["rules"]),
        actions=tuple(data["actions"]),
        gotos=tuple(data["gotos"]),
        starts=data["starts"],
        ends=data["ends"],
    )


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, `$END` last; reading ends at a character that begins no token (`$UNKNOWN`)."""
    grammar = tables()
    keywords, skipped = grammar.keywords, grammar.skipped
    found: list[Token] = []
    for match in grammar.scanner.finditer(text):
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
