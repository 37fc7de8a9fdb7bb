"""The table of a natural language: its patterns as rules, and how its words are built."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from potlang.words.constructs import BINDING, CONSTRUCTS, SpokenBinder, bound
from potlang.words.rules import BRACKETED, LOOSE, PatternHole, PhraseRule, Value, in_order, pieces_of


class Language:
    """One table, with its constructs as rules by key."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.table = table
        self.rules: dict[str, PhraseRule] = {}
        self.joins: dict[str, tuple[str, int]] = {}
        """Of constructs that are written as runs: the words between, and the level of the items."""
        for key, entry in table["patterns"].items():
            self._add(key, entry)
        self.comma: str = table["list"]["comma"]
        self.last: str = table["list"]["last"]
        self.opening, self.closing = table["brackets"]
        self.sorts: dict[str, str] = table["sorts"]
        self.reserved = frozenset(table["reserved"])
        """Words that hold sentences together: names that have one in them are said in quotes."""

    def _add(self, key: str, entry: dict[str, Any]) -> None:
        level = entry["level"]
        if key in BINDING:
            kind, operands, _ = BINDING[key]
            pieces = pieces_of(entry["say"], operands.__getitem__)
            self.rules[key] = PhraseRule(
                kind, level, pieces, _binding_text(key, pieces), is_open=_is_open(pieces, level)
            )
            return
        construct = CONSTRUCTS[key]
        if "join" in entry:
            self.joins[key] = entry["join"], entry["item"]
            hole = PatternHole(0, f"{construct.kind} {key}", 0)
            self.rules[key] = PhraseRule(construct.kind, level, (hole,), _text_of(key, (hole,)))
            return
        pieces = pieces_of(entry["say"], construct.kind_of)
        is_open = entry.get("open", _is_open(pieces, level))
        self.rules[key] = PhraseRule(construct.kind, level, pieces, _text_of(key, pieces), is_open=is_open)

    def noun_with_article(self, style: str, noun: str) -> str:
        """The pattern of a binder for a noun, among those of one style."""
        forms: dict[str, str] = self.table["binders"]
        other = forms.get(f"{style} before a vowel")
        return other if other is not None and self.starts_with_vowel(noun) else forms[style]

    def listed(self, items: Sequence[str]) -> str:
        """The items as a list."""
        if len(items) < 2:
            return "".join(items)
        return self.comma.join(items[:-1]) + self.last + items[-1]

    def binder_forms(self, style: str) -> list[str]:
        """All patterns of binders of one style."""
        forms: dict[str, str] = self.table["binders"]
        return [form for name, form in forms.items() if name.split(" ")[0] == style]

    def starts_with_vowel(self, word: str) -> bool:
        """Whether a word is spoken with a vowel first, as far as letters tell."""
        low = word.lower()
        if low.startswith(tuple(self.table["vowels that sound"])):
            return True
        return low.startswith(tuple(self.table["vowels"])) and not low.startswith(
            tuple(self.table["not vowels"])
        )


def _is_open(pieces: Sequence[str | PatternHole], level: int) -> bool:
    last = pieces[-1]
    return (
        isinstance(last, PatternHole)
        and last.category == "f"
        and last.level <= LOOSE
        and level < BRACKETED["f"]
    )


def _text_of(key: str, pieces: Sequence[str | PatternHole]) -> Callable[[Sequence[Value]], Value]:
    text = CONSTRUCTS[key].text
    return lambda values: text(in_order(pieces, values))


def _binding_text(key: str, pieces: Sequence[str | PatternHole]) -> Callable[[Sequence[Value]], Value]:
    at = next(i for i, hole in enumerate(_holes(pieces)) if hole.operand < 0)

    def text(values: Sequence[Value]) -> Value:
        found = values[at]
        assert isinstance(found, tuple)
        binders = [each for each in found if isinstance(each, SpokenBinder)]
        return bound(key, binders, in_order(pieces, values))

    return text


def _holes(pieces: Sequence[str | PatternHole]) -> list[PatternHole]:
    return [piece for piece in pieces if isinstance(piece, PatternHole)]


def filled(pattern: str, parts: Mapping[str, str]) -> str:
    """A pattern with its holes filled; what fills them is not read for holes."""
    pieces: list[str] = []
    words = pattern
    while words:
        before, opening, rest = words.partition("{")
        pieces.append(before)
        if not opening:
            break
        name, _, words = rest.partition("}")
        pieces.append(parts[name])
    return "".join(pieces)


@cache
def language(name: str = "en") -> Language:
    """The table of a language, read once. Raises FileNotFoundError if there is none."""
    text = resources.files("potlang.words").joinpath(f"{name}.json").read_text("utf-8")
    return Language(json.loads(text))
