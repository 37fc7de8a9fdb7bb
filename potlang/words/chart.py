"""All readings of a sentence: a chart over the rules of the language and of the program.

Bottom-up and from left to right; words that follow decide which rules go on, so that few are tried in vain
(M. Kay, "Algorithm schemata and data structures in syntactic processing", 1980).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from potlang.utils.deadline import look
from potlang.words.rules import PatternHole, PhraseRule, PhraseSymbols, SentenceToken, Value, list_category

MOST_STEPS = 200_000
"""Parts of readings that are looked at before a sentence is given up."""


class TooLong(Exception):
    """The sentence has more readings of its parts than are looked at."""


class PartRead(NamedTuple):
    """A part of the sentence that has been read, from its `start` on."""

    category: str
    level: int
    start: int
    value: Value
    is_open: bool = False
    is_prefix: bool = False


class _ActiveEdge(NamedTuple):
    """A rule of which the first symbols have been read."""

    symbols: PhraseSymbols
    dot: int
    start: int
    values: tuple[Value, ...]
    ends_open: bool = False


class Grammar:
    """The rules that a sentence may be read by, by what they begin with."""

    def __init__(self, rules: Iterable[PhraseSymbols]) -> None:
        self.by_word: dict[str, list[PhraseSymbols]] = {}
        self.by_category: dict[str, list[PhraseSymbols]] = {}
        for each in rules:
            first = each.items[0]
            if isinstance(first, PatternHole):
                self.by_category.setdefault(first.category, []).append(each)
            else:
                self.by_word.setdefault(first, []).append(each)


def fits(hole: PatternHole, found: PartRead, *, is_last: bool) -> bool:
    """Whether a part may stand in a hole without brackets; at level 0 what follows the hole ends any part."""
    if hole.category != found.category:
        return False
    if is_last:
        return found.level >= hole.level or (found.is_open and found.is_prefix)
    return found.level >= hole.level and not (found.is_open and hole.level)


class Chart:
    """The parts of one sentence.

    `furthest` is the number of tokens up to which some reading of it comes, and `formula` that up to which it
    is a formula.
    """

    def __init__(
        self, tokens: Sequence[SentenceToken], grammar: Grammar, leaves: dict[int, list[tuple[int, PartRead]]]
    ) -> None:
        self._words = [token.text for token in tokens]
        self._grammar = grammar
        self._leaves = leaves
        self._waiting: list[dict[str, list[_ActiveEdge]]] = [{} for _ in range(len(tokens) + 1)]
        self._scanning: list[list[_ActiveEdge]] = [[] for _ in range(len(tokens) + 1)]
        self._ready: list[list[PartRead]] = [[] for _ in range(len(tokens) + 1)]
        self._steps = 0
        self._reached = {0}
        self.furthest = self.formula = 0
        self.whole: list[PartRead] = []
        self._run()

    def _run(self) -> None:
        for at in range(len(self._words) + 1):
            self._complete(at)
            if at == len(self._words):
                return
            for active in self._scanning[at]:
                self._advance(active, at + 1, None)
            self._begin(at)
            for end, found in self._leaves.get(at, ()):
                self._ready[end].append(found)

    def _begin(self, at: int) -> None:
        """The rules that begin with the word at a place."""
        for each in self._beginning(self._words[at], at):
            self._advance(_ActiveEdge(each, 0, at, ()), at + 1, None)

    def _beginning(self, word: str, at: int) -> Iterator[PhraseSymbols]:
        known = self._grammar.by_word
        yield from known.get(word, ())
        # A sentence begins with a capital letter, which no name gets by that.
        if at == 0 and word != word.lower():
            yield from (each for each in known.get(word.lower(), ()) if not each.rule.exact)

    def _advance(self, active: _ActiveEdge, at: int, found: PartRead | None) -> None:
        """Reads one symbol of a rule, which ends at a place."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TooLong
        if not self._steps % 1024:
            look(1024)
        if active.start in self._reached:
            self._reach(at)
        values = active.values if found is None else (*active.values, found.value)
        items = active.symbols.items
        dot = active.dot + 1
        if dot == len(items):
            rule = active.symbols.rule
            is_open = rule.is_open or (found is not None and found.is_open)
            self._ready[at].append(
                PartRead(rule.category, rule.level, active.start, rule.text(values), is_open, rule.is_prefix)
            )
            return
        following = _ActiveEdge(active.symbols, dot, active.start, values)
        wanted = items[dot]
        if isinstance(wanted, PatternHole):
            self._waiting[at].setdefault(wanted.category, []).append(following)
        elif at < len(self._words) and self._words[at] == wanted:
            self._scanning[at].append(following)

    def _reach(self, at: int) -> None:
        self._reached.add(at)
        self.furthest = max(self.furthest, at)

    def _complete(self, at: int) -> None:
        """All parts that end at a place, and what they make."""
        ready = self._ready[at]
        seen: set[PartRead] = set()
        while ready:
            found = ready.pop()
            if found in seen:
                continue
            seen.add(found)
            # Any word may be a name for a variable: that alone gets nowhere.
            if found.category in ("f", "t") and found.start in self._reached:
                self._reach(at)
            if found.start == 0 and found.category == "f":
                self.formula = at
                if at == len(self._words):
                    self.whole.append(found)
            for active in self._waiting[found.start].get(found.category, ()):
                self._fill(active, at, found)
            for each in self._grammar.by_category.get(found.category, ()):
                self._fill(_ActiveEdge(each, 0, found.start, ()), at, found)

    def _fill(self, active: _ActiveEdge, at: int, found: PartRead) -> None:
        items = active.symbols.items
        hole = items[active.dot]
        assert isinstance(hole, PatternHole)
        is_last = active.dot + 1 == len(items)
        if not is_last:
            after = items[active.dot + 1]
            # A word that must follow and does not: most rules that begin with a hole end here.
            if isinstance(after, str) and (at == len(self._words) or self._words[at] != after):
                return
        if fits(hole, found, is_last=is_last):
            self._advance(active, at, found)


def listed(values: Sequence[Value]) -> Value:
    """The values as a list."""
    return cast("Value", tuple(values))


def longer(values: Sequence[Value]) -> Value:
    """A list with one value more."""
    several, item = values
    return cast("Value", (*several, item))


def list_rules(category: str, level: int, comma: str, last: str) -> list[PhraseRule]:
    """The rules of a list of parts: one; two; more with commas. Its category has a star and the level."""
    item, several = PatternHole(0, category, level), f"{category} commas {level}"
    whole = list_category(category, level)
    return [
        PhraseRule(whole, 0, (item,), listed),
        PhraseRule(whole, 0, (item, last, item), listed),
        PhraseRule(whole, 0, (PatternHole(0, several), last, item), longer),
        PhraseRule(several, 0, (item, comma, item), listed),
        PhraseRule(several, 0, (PatternHole(0, several), comma, item), longer),
    ]


def run_rules(category: str, name: str, level: int, words: str) -> list[PhraseRule]:
    """The rules of a run of parts with the same words between them."""
    # Not of level 0: a run whose last part is open does not go on.
    item, run = PatternHole(0, category, level), PatternHole(0, name, 1)
    return [
        PhraseRule(name, 1, (item, words, item), listed),
        PhraseRule(name, 1, (run, words, item), longer),
    ]
