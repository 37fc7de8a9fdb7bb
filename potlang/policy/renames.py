"""Renames between two versions, found by structure: words that stand in the same places of what is said.

A word is a sort, a symbol or a value of an enum. Its colour is made of the statements that it is in, with
the colours of the other words that one version alone has (colour refinement, as for isomorphisms of graphs).
Words of one colour are taken for renamed. Nothing rests on that but readability: what the renamed old
version says is compared with the new one by proof.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from json.encoder import encode_basestring_ascii as quoted
from typing import Final, Literal, NamedTuple

from potlang.ir.module import Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import EnumSort, Sort, TupleSort
from potlang.ir.text import name_text
from potlang.policy.statements import signature, statements

WordKind = Literal["sort", "function", "constant", "value"]

MOST_RENAMES: Final = 100
"""Words that only one version has; of more, none is looked for in the other ([LIMIT-POLICY-RENAMES])."""
_ROUNDS: Final = 4
_LEAST_ALIKE: Final = 0.5
_NUMERAL: Final = re.compile(r"(?<![\w.?%@\"])-?\d+(?:/\d+)?(?![\w\"])")
_DECLARED: Final = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.DEFINED)
"""The kinds of symbols that a program declares by name."""


class VocabularyWord(NamedTuple):
    """A name that a version declares; `what` is its sort or symbol, of a value its sort."""

    kind: WordKind
    name: str
    what: Sort | Symbol


def symbols_of(module: Module) -> list[Symbol]:
    """The symbols that the program declares by name."""
    return [each for each in module.symbols if each.kind in _DECLARED]


def renames_between(old: Module, new: Module) -> list[tuple[WordKind, str, str]]:
    """Kind, old and new name of each word that is renamed, as far as can be told."""
    names = [{each.name for each in _words(module)} for module in (old, new)]
    alone = [each for each in _words(old) if each.name not in names[1]]
    others = [each for each in _words(new) if each.name not in names[0]]
    if not alone or not others or max(len(alone), len(others)) > MOST_RENAMES:
        return []
    sides = _VersionWords(old, alone), _VersionWords(new, others)
    for masked in (False, True):
        _match_colours(*sides, masked)
    _match_most_alike(*sides)
    found = [
        (first, second) for first, second in sides[0].partner.items() if _is_kept(first, second, sides[0])
    ]
    return [(first.kind, first.name, second.name) for first, second in found]


def _words(module: Module) -> Iterator[VocabularyWord]:
    for sort in module.sorts:
        yield VocabularyWord("sort", sort.name, sort)
        if isinstance(sort, EnumSort):
            yield from (VocabularyWord("value", value, sort) for value in sort.values)
    for symbol in symbols_of(module):
        yield VocabularyWord("function" if symbol.domain else "constant", symbol.name, symbol)


def _is_kept(old: VocabularyWord, new: VocabularyWord, side: _VersionWords) -> bool:
    """Whether the sorts of a renamed word are those of its partner, once they are renamed."""
    renamed = {each.name: other.name for each, other in side.partner.items() if each.kind == "sort"}

    def profile(word: VocabularyWord, names: Mapping[str, str]) -> list[str]:
        return [names.get(text, text) for text in map(str, _sorts(word))]

    return profile(old, renamed) == profile(new, {}) or old.kind == "sort"


def _sorts(word: VocabularyWord) -> tuple[Sort, ...]:
    """The sorts in a word's declaration."""
    what = word.what
    if isinstance(what, Symbol):
        return (*what.domain, what.range)
    return tuple(part for _, part in what.fields) if isinstance(what, TupleSort) else (what,)


class _VersionWords:
    """One version: its words that are still without partner, and the statements that these are in."""

    def __init__(self, module: Module, words: Sequence[VocabularyWord]) -> None:
        self.free = list(words)
        self.partner: dict[VocabularyWord, VocabularyWord] = {}
        self.colours: dict[VocabularyWord, str] = {}
        self._fixed: dict[VocabularyWord, str] = {}
        self._all = words
        self._formulas = [each.formula for each in statements(module)]
        plain = [signature(each) for each in self._formulas]
        self._places = {word: [at for at, text in enumerate(plain) if _mark(word) in text] for word in words}

    def settle(self, word: VocabularyWord, other: VocabularyWord) -> None:
        """Takes a word as found: `other` is its partner, or itself in the new version."""
        self.free.remove(word)
        self.partner[word] = other
        self._fixed[word] = f"={other.name}"

    def refine(self, masked: bool) -> None:
        """Makes the colours of all free words anew."""
        self.colours = {word: _colour(word.kind, str(len(_sorts(word)))) for word in self.free}
        for _ in range(_ROUNDS):
            self.colours = {word: self._next(word, masked) for word in self.free}

    def _next(self, word: VocabularyWord, masked: bool) -> str:
        known = {**self._fixed, **self.colours}
        sorts = {each.what: known[each] for each in self._all if each.kind == "sort"}
        uses = [
            f"{known[each]} {[part == word.what for part in _sorts(each)]}"
            for each in self._all
            if word.kind == "sort" and word.what in _sorts(each)
        ]
        said = sorted(self.signatures(word, known, masked))
        profile = [sorts.get(each, str(each)) for each in _sorts(word) if each != word.what]
        return _colour(self.colours[word], *profile, *sorted(uses), *said)

    def signatures(
        self, word: VocabularyWord, known: Mapping[VocabularyWord, str], masked: bool
    ) -> list[str]:
        """The statements that a word is in, as texts in which it is marked and others have their colours."""
        marks = {**known, word: "*"}
        symbols = {each.what: mark for each, mark in marks.items() if isinstance(each.what, Symbol)}
        sorts = {
            each.what: mark
            for each, mark in marks.items()
            if each.kind == "sort" and not isinstance(each.what, Symbol)
        }
        found = []
        for at in self._places[word]:
            text = signature(self._formulas[at], symbols, sorts)
            for each, mark in marks.items():
                if each.kind == "value":
                    text = text.replace(f" {quoted(each.name)})", f" {mark})")
            found.append(_NUMERAL.sub("#", text) if masked else text)
        return found

    def is_said(self, word: VocabularyWord) -> bool:
        """Whether anything tells a word from others of its sorts."""
        return bool(self._places[word]) or any(
            word.what in _sorts(each) for each in self._all if word.kind == "sort" and each != word
        )


def _mark(word: VocabularyWord) -> str:
    """The place of the word itself in a signature."""
    return quoted(word.name) if word.kind == "value" else name_text(word.name)


def _colour(*parts: str) -> str:
    return "!" + blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _match_colours(old: _VersionWords, new: _VersionWords, masked: bool) -> None:
    """Pairs words of equal colours; of several of one colour the first two, since then the rest differs."""
    while old.free and new.free:
        old.refine(masked)
        new.refine(masked)
        counts = Counter(old.colours.values()), Counter(new.colours.values())
        alike = [
            (first, second)
            for first in old.free
            if old.is_said(first) and counts[0][old.colours[first]] == counts[1][old.colours[first]]
            for second in new.free
            if new.colours[second] == old.colours[first]
        ]
        if not alike:
            return
        sure = [pair for pair in alike if counts[0][old.colours[pair[0]]] == 1]
        for first, second in sure or alike[:1]:
            old.settle(first, second)
            new.settle(second, second)


def _match_most_alike(old: _VersionWords, new: _VersionWords) -> None:
    """Pairs what is left by the share of statements that are the same but for such words."""
    blank = [dict.fromkeys(side.free, "?") for side in (old, new)]
    said = [
        {word: Counter(side.signatures(word, known, True)) for word in side.free}
        for side, known in zip((old, new), blank, strict=True)
    ]
    scored = []
    for first, own in said[0].items():
        for second, theirs in said[1].items():
            every = (own | theirs).total()
            if first.kind == second.kind and every:
                scored.append(((own & theirs).total() / every, first, second))
    for score, first, second in sorted(scored, key=lambda each: -each[0]):
        if score >= _LEAST_ALIKE and first in old.free and second in new.free:
            old.settle(first, second)
            new.settle(second, second)
