"""Phrases of English that order things, such as `Eve finished below Amy` ([ORDER-PHRASE]).

Read are positive statements alone, and of them what is sure; a phrase that is not read says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple


class Pole(NamedTuple):
    """One of the two ends of a scale."""

    scale: str
    end: bool

    @property
    def opposite(self) -> Pole:
        """The other end of the same scale."""
        return Pole(self.scale, not self.end)


class OrderPhrase(NamedTuple):
    """A thing that is nearer to a pole than another one, or with a `rank` from there, counted from 1.

    `words` are those of the text.
    """

    words: str
    pole: Pole
    first: str
    second: str | None = None
    rank: int | None = None


def order_phrases(text: str, names: Iterable[str]) -> list[OrderPhrase]:
    """The phrases of a text that order the things with these names, spelt as in `blue_jay` or `BlueJay`."""
    lexicon = _lexicon(names)
    return [each for sentence in _sentences(text, lexicon) for each in _Sentence(text, sentence).phrases()]


# --- words ---------------------------------------------------------------------------------------------


class _Token(NamedTuple):
    """A word in small letters, a sign, or the name that some words are."""

    text: str
    start: int
    end: int
    is_name: bool = False


_TOKEN: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\w\s]|\n")
_SENTENCE_ENDS: Final = frozenset(".!?\n;")
_NEXT_CLAUSE: Final = frozenset(("and", "but", "while", "when"))
_RANK_ENDS: Final = _NEXT_CLAUSE.union(",:)]", ("of", "in", "among", "on", "at"))
_UNSURE: Final = frozenset(
    (
        *("if", "unless", "or", "either", "whether", "not", "no", "never", "neither", "nor", "cannot"),
        *("except", "could", "might", "may", "would", "which", "who", "what", "only", "every", "each"),
        *("any", "nobody"),
    )
)
"""Words of sentences that say something else than that things are so ordered."""
_ARTICLES: Final = frozenset(("a", "an", "the", "i"))
_MOST_NAME_WORDS: Final = 4
_MOST_BETWEEN: Final = 6
"""Words between a thing and its place: `was the next manuscript written after`."""
_SPELT: Final = (
    *("first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)
_ENDINGS: Final[Mapping[int, str]] = MappingProxyType({1: "st", 2: "nd", 3: "rd"})
_ORDINALS: Final[Mapping[str, int]] = MappingProxyType(
    {word: rank for rank, word in enumerate(_SPELT, 1)}
    | {f"{rank}{_ENDINGS.get(rank, 'th')}": rank for rank in range(1, 21)}
)


def _poles(scale: str, *ends: str) -> dict[str, Pole]:
    return {word: Pole(scale, bool(at)) for at, words in enumerate(ends) for word in words.split()}


_ENDS: Final[Mapping[str, Pole]] = MappingProxyType(
    {
        **_poles("order", "top front start beginning", "bottom back rear end"),
        **_poles("side", "left", "right"),
    }
)
"""Of `from the left`, and with `most` behind them."""
_LAST: Final = Pole("order", True)
_PREPOSITIONS: Final[Mapping[str, Pole]] = MappingProxyType(
    _poles("order", "above before over", "below beneath underneath under behind after")
)
_PHRASES: Final[Mapping[tuple[str, ...], Pole]] = MappingProxyType(
    {
        ("ahead", "of"): _LAST.opposite,
        ("in", "front", "of"): _LAST.opposite,
        ("left", "of"): Pole("side", False),
        ("right", "of"): Pole("side", True),
    }
)
_ADJECTIVES: Final[Mapping[str, Pole]] = MappingProxyType(
    {
        **_poles("order", "early", "late"),
        **_poles("age", "new young recent", "old ancient"),
        **_poles("price", "cheap inexpensive", "expensive costly pricey dear"),
        **_poles("size", "small little short low", "big large tall long high"),
        **_poles("weight", "light", "heavy"),
        **_poles("speed", "slow", "fast quick"),
        **_poles("warmth", "cold cool", "hot warm"),
        **_poles("strength", "weak", "strong"),
        **_poles("quality", "bad", "good"),
        **_poles("wealth", "poor", "rich"),
        **_poles("difficulty", "easy simple", "hard difficult"),
        **_poles("distance", "near close", "far distant"),
        **_poles("width", "narrow thin", "wide broad thick"),
    }
)
_IRREGULAR: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("better", "best"), "good"),
        **dict.fromkeys(("worse", "worst"), "bad"),
        **dict.fromkeys(("later", "latest"), "late"),
        **dict.fromkeys(("further", "farther", "furthest", "farthest"), "far"),
        **dict.fromkeys(("elder", "eldest"), "old"),
    }
)


def _positive(word: str, ending: str) -> str | None:
    """The adjective of which a word is a comparative (`er`) or a superlative (`est`); None for others."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    stem = word.removesuffix(ending)
    if stem == word:
        return None
    candidates = (stem, f"{stem}e", stem[:-1], f"{stem[:-1]}y" if stem.endswith("i") else stem)
    return next((each for each in candidates if each in _ADJECTIVES), None)


def _adjective(word: str) -> Pole:
    # Of a word that is not known `more` and `less` tell the ends.
    return _ADJECTIVES.get(word, Pole(word, True))


# --- sentences -----------------------------------------------------------------------------------------


def _letters(text: str) -> str:
    found = "".join(each for each in text.casefold() if each.isalnum())
    return found.removesuffix("s") if len(found) > 3 else found


def _lexicon(names: Iterable[str]) -> dict[str, str]:
    """Names by their letters, without those that are words of the language or spelt as another one."""
    found: dict[str, str | None] = {}
    for name in names:
        letters = _letters(name)
        found[letters] = None if letters in found and found[letters] != name else name
    known = (*_ARTICLES, *_ORDINALS, *_ENDS, *_ADJECTIVES, "last")
    return {letters: name for letters, name in found.items() if name and letters and letters not in known}


def _sentences(text: str, lexicon: Mapping[str, str]) -> Iterator[list[_Token]]:
    """The sentences that say something for sure, with the names in them."""
    words = [_Token(each[0].casefold(), *each.span()) for each in _TOKEN.finditer(text)]
    sentence: list[_Token] = []
    at = 0
    while at < len(words):
        token, taken = _named(text, words, at, lexicon)
        at += taken
        if token.text in _SENTENCE_ENDS and not token.is_name:
            if token.text != "?":
                yield from _sure(sentence)
            sentence = []
        else:
            sentence.append(token)
    yield from _sure(sentence)


def _sure(sentence: list[_Token]) -> Iterator[list[_Token]]:
    words = {each.text for each in sentence if not each.is_name}
    if sentence and not words & _UNSURE and not any(each.endswith(("n't", "n’t")) for each in words):
        yield sentence


def _named(text: str, words: Sequence[_Token], at: int, lexicon: Mapping[str, str]) -> tuple[_Token, int]:
    """The longest name that begins at a word, or the word; and how many words it is."""
    for taken in range(min(_MOST_NAME_WORDS, len(words) - at), 0, -1):
        start, end = words[at].start, words[at + taken - 1].end
        spelt = text[start:end]
        name = lexicon.get(_letters(spelt)) if not re.search(r"[^\w\s'’-]|\n", spelt) else None
        # A thing called `F` is no small letter in a word such as `f-th`.
        if name is not None and (len(name) > 1 or spelt == name):
            return _Token(name, start, end, is_name=True), taken
    return words[at], 1


class _Sentence:
    """One sentence, read from left to right."""

    def __init__(self, text: str, tokens: Sequence[_Token]) -> None:
        self._text = text
        self._tokens = tokens

    def phrases(self) -> Iterator[OrderPhrase]:
        """Each phrase that orders things, as it stands."""
        for at, token in enumerate(self._tokens):
            if token.is_name:
                yield from self._of(at)

    def _word(self, at: int) -> str:
        """The word at a place; empty for a name and beyond the end."""
        if at >= len(self._tokens) or self._tokens[at].is_name:
            return ""
        return self._tokens[at].text

    def _words(self, start: int, end: int) -> str:
        return self._text[self._tokens[start].start : self._tokens[end - 1].end]

    def _of(self, subject: int) -> Iterator[OrderPhrase]:
        """The phrases of which a name is the subject."""
        name = self._tokens[subject].text
        for at in range(subject + 1, subject + 2 + _MOST_BETWEEN):
            word = self._word(at)
            if not word or not word[0].isalnum():
                return
            if word in _NEXT_CLAUSE:
                return
            if (place := self._rank(at)) is not None:
                pole, rank, end = place
                yield OrderPhrase(self._words(subject, end), pole, name, None, rank)
                return
            if self._relation(at) is not None:
                yield from self._relations(subject, at)
                return

    def _relations(self, subject: int, at: int) -> Iterator[OrderPhrase]:
        """`earlier than S but later than F`: the subject is that of each."""
        while (found := self._relation(at)) is not None:
            pole, end = found
            end += self._word(end) in _ARTICLES
            if end >= len(self._tokens) or not self._tokens[end].is_name:
                return
            first, second = self._tokens[subject].text, self._tokens[end].text
            if first != second:
                yield OrderPhrase(self._words(subject, end + 1), pole, first, second)
            at = end + 1
            while self._word(at) in (",", "and", "but", "also"):
                at += 1

    def _relation(self, at: int) -> tuple[Pole, int] | None:
        """The pole to which a relation leads, and where its words end."""
        word = self._word(at)
        if word in _PREPOSITIONS:
            return _PREPOSITIONS[word], at + 1
        for words, pole in _PHRASES.items():
            if all(self._word(at + offset) == each for offset, each in enumerate(words)):
                return pole, at + len(words)
        if word in ("more", "less") and self._word(at + 2) == "than":
            pole = _adjective(self._word(at + 1))
            return (pole if word == "more" else pole.opposite), at + 3
        adjective = _positive(word, "er") if self._word(at + 1) == "than" else None
        return None if adjective is None else (_ADJECTIVES[adjective], at + 2)

    def _rank(self, at: int) -> tuple[Pole, int, int] | None:
        """The pole that a rank is counted from, the rank, and where its words end."""
        rank = _ORDINALS.get(self._word(at))
        if rank is None:
            found = self._superlative(at)
            return None if found is None else self._ended(found[0], 1, found[1])
        at += 1
        behind = at + (self._word(at) == "-")
        if self._word(behind) == "to":
            last = behind + 1 + (self._word(behind + 1) == "-")
            return self._ended(_LAST, rank, last + 1) if self._word(last) == "last" else None
        if (counted := self._counted_from(at)) is not None:
            return counted[0], rank, counted[1]
        if (found := self._superlative(behind)) is not None:
            return self._ended(found[0], rank, found[1])
        return self._ended(_LAST.opposite, rank, at)

    def _counted_from(self, at: int) -> tuple[Pole, int] | None:
        """`from the left`, perhaps behind a noun."""
        at += self._word(at) != "from"
        end = at + 1 + (self._word(at + 1) == "the")
        pole = _ENDS.get(self._word(end)) if self._word(at) == "from" else None
        return None if pole is None else (pole, end + 1)

    def _superlative(self, at: int) -> tuple[Pole, int] | None:
        """The pole that a superlative is about, and where its words end."""
        word = self._word(at)
        if word == "last":
            return _LAST, at + 1
        if word in ("most", "least"):
            at += 1
            at += self._word(at) == "-"
            if not self._word(at).isalpha():
                return None
            pole = _adjective(self._word(at))
            return (pole if word == "most" else pole.opposite), at + 1
        if word.endswith("most"):
            end = _ENDS.get(word.removesuffix("most"))
            return None if end is None else (end, at + 1)
        adjective = _positive(word, "est")
        return None if adjective is None else (_ADJECTIVES[adjective], at + 1)

    def _ended(self, pole: Pole, rank: int, end: int) -> tuple[Pole, int, int] | None:
        """The rank, where a clause ends behind it; `the second floor` is no rank of who lives there."""
        following = self._word(end)
        is_over = end >= len(self._tokens) or following in _RANK_ENDS
        return (pole, rank, end) if is_over else None
