"""Places that an expert should look at in a policy that a model wrote ([BUILD-FLAGS])."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Final, Literal, NamedTuple

from potlang.policy.building.draft import (
    DECLARING,
    STATING,
    Item,
    PolicyDraft,
    cited,
    declared_names,
    formulas_of,
    names_in,
    title_of,
)
from potlang.policy.building.numbers import STRUCTURAL, numbers_in_formula, numbers_said, stated_numbers
from potlang.policy.building.reading import SourceDocument
from potlang.policy.building.replies import JudgedSentence

FlagKind = Literal["number", "name", "left out", "instruction", "reading", "unused", "alike"]
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_STEM: Final = 5
_CLEARLY_ALIKE: Final = 2
_MEANINGLESS = re.compile(
    r"is|has|are|was|can|may|must|of|the|an?|for|to|in|on|by|at|and|or|not|be|been|other", re.IGNORECASE
)
_INSTRUCTS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:above|previous|prior|earlier|preceding"
    r"|following|instructions?|rules?|prompts?)\b"
    r"|\b(?:you are|act as|pretend to be)\b[^.]{0,20}\b(?:AI|assistant|language model|chat ?bot|LLM|GPT)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|\blanguage models?\b|\bLLMs?\b"
    r"|\bAI (?:models?|assistants?|systems?)\b"
    r"|\b(?:reply|respond|answer|output)\b[^.]{0,20}\b(?:with|only|in)\b[^.]{0,20}\b(?:JSON|exactly)\b"
    r"|\b(?:mark|treat|label)\b[^.]{0,30}\b(?:sentences?|rules?)\b[^.]{0,30}\b(?:ignored|covered)\b"
    r"|</?(?:system|assistant|user|instructions?)>",
    re.IGNORECASE,
)


class PolicyFlag(NamedTuple):
    """Something to look at: an item by its title, or a sentence by its number, and what there is to see."""

    kind: FlagKind
    text: str
    item: str = ""
    sentence: int | None = None


def flags_of(
    source: SourceDocument, draft: PolicyDraft, readings: Mapping[int, JudgedSentence]
) -> tuple[PolicyFlag, ...]:
    """All that is to be looked at, of items first and then of sentences."""
    return tuple(_Flagging(source, draft, readings).flags())


def instructs(sentence: str) -> bool:
    """Whether a sentence speaks to a model, or to who writes a program, rather than to people."""
    return _INSTRUCTS.search(sentence) is not None


def like_names(draft: PolicyDraft, least: int = 1) -> list[tuple[str, str]]:
    """Pairs of words of one kind and signature, where all words in the name of one are in that of the other.

    Of names that are not the same but for their form, so many words must be common.
    """
    groups: dict[str, list[str]] = {}
    for section, _, item in draft.items(("sorts", "functions")):
        signature = [section, str(item.get("domain") or item.get("type")), str(item.get("range"))]
        groups.setdefault(" ".join(signature), []).append(str(item.get("name")))
    stems = {name: _stems(name) for names in groups.values() for name in names}
    pairs = (pair for names in groups.values() for pair in combinations(names, 2))
    return [(one, other) for one, other in pairs if _is_like(stems[one], stems[other], least)]


def _is_like(one: frozenset[str], other: frozenset[str], least: int) -> bool:
    if not one or not other:
        return False
    return one == other or (len(one & other) >= least and (one <= other or other <= one))


def _stems(text: str) -> frozenset[str]:
    """The words of a text by their first letters, but for those that mean nothing alone."""
    words = (found.casefold() for found in _WORD.findall(text))
    return frozenset(_stem(each) for each in words if len(each) > 1 and not _MEANINGLESS.fullmatch(each))


def _stem(word: str) -> str:
    return word.removesuffix("s")[:_STEM] if len(word) > 3 else word


class _Flagging:
    def __init__(
        self, source: SourceDocument, draft: PolicyDraft, readings: Mapping[int, JudgedSentence]
    ) -> None:
        self._draft = draft
        self._readings = readings
        self._texts = {each.number: each.text for each in source.sentences}
        self._instructing = {number for number, text in self._texts.items() if instructs(text)}

    def flags(self) -> Iterator[PolicyFlag]:
        used: set[str] = set()
        for section, at, item in self._draft.items(STATING):
            title = title_of(section, at, item)
            used |= names_in(item)
            yield from self._of_numbers(item, title)
            yield from self._of_sentences(item, title)
        used |= {name for item in self._draft.sections["functions"] for name in names_in(item)}
        for section, at, item in self._draft.items(DECLARING):
            yield from self._of_declaration(section, item, title_of(section, at, item), used)
        for one, other in like_names(self._draft, _CLEARLY_ALIKE):
            text = f"`{one}` and `{other}` look like two names for one thing"
            yield PolicyFlag("alike", text, f"function {one}")
        for number in sorted(self._texts):
            yield from self._left_out(number)

    def _of_declaration(self, section: str, item: Item, title: str, used: set[str]) -> Iterator[PolicyFlag]:
        """Words that nothing uses, or that are in no sentence which the declaration cites."""
        yield from self._of_sentences(item, title)
        if section == "functions" and item.get("name") not in used:
            yield PolicyFlag("unused", "no rule and no fact uses it", title)
        stems = self._stems_of(cited(item))
        for name in declared_names(section, item):
            if not _stems(name) & stems and _stems(name):
                yield PolicyFlag("name", f"`{name}` is in no sentence that it cites", title)

    def _of_numbers(self, item: Item, title: str) -> Iterator[PolicyFlag]:
        """Numbers of which no sentence that it cites says anything."""
        said = {number for each in cited(item) for number in numbers_said(self._texts.get(each, ""))}
        for number in sorted(_numbers_of(item) - said - STRUCTURAL):
            yield PolicyFlag("number", f"{number} is in no sentence that it cites", title)

    def _stems_of(self, numbers: Iterable[int]) -> frozenset[str]:
        return frozenset().union(*(_stems(self._texts.get(each, "")) for each in numbers))

    def _of_sentences(self, item: Item, title: str) -> Iterator[PolicyFlag]:
        """Sentences that it should not rest on, or rests on in one reading."""
        for number in cited(item):
            if number in self._instructing:
                text = f"it rests on sentence {number}, which gives instructions to a model"
                yield PolicyFlag("instruction", text, title, number)
            reading = self._readings.get(number)
            if reading is not None and reading.status == "ambiguous":
                yield PolicyFlag("reading", f"it takes one reading of sentence {number}", title, number)

    def _left_out(self, number: int) -> Iterator[PolicyFlag]:
        """Numbers that a sentence says and nothing that cites it has."""
        reading = self._readings.get(number)
        if number in self._instructing:
            yield PolicyFlag("instruction", "it gives instructions to a model", sentence=number)
        if reading is None or reading.status != "covered":
            return
        citing = [item for _, _, item in self._draft.items() if number in cited(item)]
        had = {each for item in citing for each in _with_units(_numbers_of(item) | self._described(item))}
        text = self._texts[number]
        for each in sorted(stated_numbers(text) - had - STRUCTURAL):
            if not any(scaled in had for scaled in (each / 100, each * 100)):
                yield PolicyFlag("left out", f"no item that cites it has its number {each}", sentence=number)

    def _described(self, item: Item) -> frozenset[Fraction]:
        """The numbers in the descriptions of the words of an item: they may be part of what a word means."""
        names = names_in(item) | {str(item.get("name"))}
        said = (each for each in self._draft.sections["functions"] if each.get("name") in names)
        return frozenset().union(*(stated_numbers(str(each.get("description") or "")) for each in said))


def _numbers_of(item: Item) -> frozenset[Fraction]:
    return frozenset().union(*map(numbers_in_formula, formulas_of(item)))


def _with_units(numbers: Iterable[Fraction]) -> set[Fraction]:
    """Numbers, and what they are as another unit of time."""
    return {each / scale for each in numbers for scale in (1, 7, 14, 12, 30, 365, 52, 60, 24)}
