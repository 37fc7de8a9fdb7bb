"""Sentences read back: the formula that a sentence says, or where and why it is not read."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import NamedTuple

from potlang.expressions.names import name_of, written
from potlang.words.chart import Chart, PartRead, TooLong
from potlang.words.parts import amount_text
from potlang.words.phrases import Lexicon
from potlang.words.rules import BRACKETED, SentenceToken, is_amount, tokens_of

MOST_TOKENS = 6_000
"""Words of a sentence that is read."""


class SentenceReading(NamedTuple):
    """The formula of a sentence as an expression; if it is not read, the problem and its place."""

    expression: str | None
    problem: str = ""
    start: int = 0
    end: int = 0


def read_sentence(text: str, lexicon: Lexicon, free: Collection[str] = ()) -> SentenceReading:
    """The one formula that a sentence says over the symbols of a program, and perhaps `free` variables."""
    tokens = tokens_of(text)
    if tokens and tokens[-1].text == ".":
        tokens.pop()
    if not tokens:
        return SentenceReading(None, "there is no sentence")
    if len(tokens) > MOST_TOKENS:
        return SentenceReading(None, "the sentence is too long", 0, len(text))
    try:
        chart = Chart(tokens, lexicon.grammar, _leaves(tokens, lexicon, free))
    except TooLong:
        return SentenceReading(None, "the sentence has too many readings", 0, len(text))
    found = sorted({str(each.value) for each in chart.whole})
    if len(found) == 1:
        return SentenceReading(found[0])
    if found:
        shown = " or ".join(f"`{each}`" for each in found[:2])
        return SentenceReading(None, f"the sentence can mean {shown}", tokens[0].start, tokens[-1].end)
    # Up to the end, or to where no reading goes on; a formula that ends before is followed by something else.
    at = chart.furthest if chart.furthest < len(tokens) else chart.formula or len(tokens)
    if at == len(tokens):
        last = tokens[-1]
        return SentenceReading(None, "the sentence is not complete, or says no formula", last.start, last.end)
    token = tokens[at]
    return SentenceReading(None, f"the sentence is not understood at `{token.text}`", token.start, token.end)


def _leaves(
    tokens: Sequence[SentenceToken], lexicon: Lexicon, free: Collection[str]
) -> dict[int, list[tuple[int, PartRead]]]:
    """Numbers, strings, quoted names, and words that may be names of variables."""
    bound = _bindable(tokens, lexicon).union(free)
    leaves: dict[int, list[tuple[int, PartRead]]] = {}
    level = BRACKETED["t"]
    for at, token in enumerate(tokens):
        text = token.text
        found: list[PartRead] = []
        if text.startswith("`") and len(text) > 2:
            name = name_of(text)
            found.append(PartRead("t", level, at, written(name)))
            found.append(PartRead("quoted", 0, at, name))
            found += [PartRead("noun", 0, at, name), PartRead("name", 0, at, written(name))]
        elif is_amount(text):
            found.append(PartRead("t", level, at, amount_text(text)))
        elif text[0].isdigit() or text[0] in '"#' or (text[0] == "." and len(text) > 1):
            found.append(PartRead("t", level, at, text))
        elif text.isidentifier():
            found.append(PartRead("name", 0, at, written(text)))
            if text in bound:
                found.append(PartRead("t", level, at, written(text)))
        if found:
            leaves[at] = [(at + 1, each) for each in found]
    return leaves


def _bindable(tokens: Sequence[SentenceToken], lexicon: Lexicon) -> set[str]:
    """The words that stand where a noun is given a name."""
    words = [token.text for token in tokens]
    found = {after for before, after in itertools.pairwise(words) if before.startswith("`")}
    for noun in lexicon.nouns:
        size = len(noun)
        for at, word in enumerate(words[: len(words) - size]):
            if word == noun[0] and tuple(words[at : at + size]) == noun:
                found.add(words[at + size])
    return found
