"""Formulas as sentences. A sentence is given only if it reads back as its formula, and as nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from potlang.words.chart import PartRead, fits
from potlang.words.constructs import FORMULA, SpokenBinder
from potlang.words.parts import Part, Unsayable, as_kind, construct, expression, fold
from potlang.words.phrases import Lexicon
from potlang.words.read import read_sentence
from potlang.words.rules import BRACKETED, PatternHole, PhraseRule


class _Phrasing(NamedTuple):
    """Words, and how they may stand in others. `is_exact`: they begin with a name.

    `ends_in_one`: they end in a list of one item, to which what follows may seem to belong.
    `ends_in_several`: in a list of several, of which some may seem to belong to a list around these words.
    """

    words: str
    found: PartRead
    is_exact: bool = False
    ends_in_one: bool = False
    ends_in_several: bool = False


def sentence(part: Part, lexicons: Sequence[Lexicon]) -> str:
    """The formula as a sentence, in the words of the first lexicon in which it is read back as what it is.

    Raises `Unsayable` where there is none.
    """
    return _told(part, lexicons, _ended)


def clause(part: Part, lexicons: Sequence[Lexicon]) -> str:
    """The formula as words in a sentence, without capital and full stop. Raises `Unsayable`."""
    return _told(part, lexicons, lambda said: said.words)


def phrase(part: Part, lexicons: Sequence[Lexicon]) -> str:
    """A term as words: those in which its equation with itself is read back. Raises `Unsayable`."""
    same = construct("equal", (part, part))
    for lexicon in lexicons:
        words = _say(same, lexicon).words
        if read_sentence(words, lexicon, _names(same)).expression == expression(same):
            return _say(part, lexicon).words
    raise Unsayable("no words would be read back as this term")


def binder_words(style: str, binders: Sequence[SpokenBinder], lexicon: Lexicon) -> str:
    """Binders as words, in one of the styles of the language."""
    language = lexicon.language
    out: list[str] = []
    for name, sort in binders:
        noun = lexicon.noun(sort)
        form = language.noun_with_article(style, noun)
        out.append(form.replace("{noun}", noun).replace("{name}", lexicon.variable(name)))
    return language.listed(out)


def _told(part: Part, lexicons: Sequence[Lexicon], finish: Callable[[_Phrasing], str]) -> str:
    part = as_kind(part, FORMULA)
    wanted, names = expression(part), _names(part)
    for lexicon in lexicons:
        text = finish(_say(part, lexicon))
        if read_sentence(text, lexicon, names).expression == wanted:
            return text
    raise Unsayable("no sentence would be read back as this formula")


def _names(part: Part) -> frozenset[str]:
    """The names in a formula: those that nothing else explains are its free variables."""

    def found(each: Part, below: list[frozenset[str]]) -> frozenset[str]:
        own = (each.word,) if each.key == "name" else ()
        return frozenset(own).union(*below)

    return fold(part, found)


def _ended(said: _Phrasing) -> str:
    words = said.words if said.is_exact else said.words[:1].upper() + said.words[1:]
    return words + "."


def _say(root: Part, lexicon: Lexicon) -> _Phrasing:
    return fold(root, _Speaker(lexicon).say)


class _Speaker:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._language = lexicon.language

    def say(self, part: Part, operands: list[_Phrasing]) -> _Phrasing:
        """The words of a part, given those of its operands."""
        match part.key:
            case "name":
                return _Phrasing(self._lexicon.name(part.word), _atom("t"), self._lexicon.is_exact(part.word))
            case "number" | "text" | "amount":
                return _Phrasing(part.word, _atom("t"), is_exact=True)
            case "apply":
                rule = self._lexicon.function(part.word)
                return self._call(part, operands) if rule is None else self._filled(rule, operands)
            case "not":
                inner = part.operands[0]
                rule = self._lexicon.negation(inner.word) if inner.key == "apply" else None
                if rule is not None:
                    return self._negated(rule, inner)
        if part.key in self._language.joins:
            words, level = self._language.joins[part.key]
            return self._run(part, operands, words, level)
        return self._filled(self._language.rules[part.key], operands, part.binders)

    def _negated(self, rule: PhraseRule, inner: Part) -> _Phrasing:
        # The operands of what is negated were said already, within words that are not used: said again here.
        return self._filled(rule, [_say(each, self._lexicon) for each in inner.operands])

    def _filled(
        self, rule: PhraseRule, operands: Sequence[_Phrasing], binders: Sequence[SpokenBinder] = ()
    ) -> _Phrasing:
        out: list[str] = []
        is_open = rule.is_open
        in_one = in_several = False
        for index, piece in enumerate(rule.pieces):
            if isinstance(piece, str):
                out.append(piece)
                continue
            is_last = index + 1 == len(rule.pieces)
            if piece.operand < 0:
                out.append(binder_words(piece.category.partition("*")[0], binders, self._lexicon))
            elif piece.is_list:
                kind, _, level = piece.category.partition("* ")
                items = operands[piece.operand :]
                words = self._items(PatternHole(0, kind, int(level)), items)
                out.append(self._language.listed(words))
                if is_last:
                    is_bare = words[-1] == items[-1].words
                    in_one = len(items) == 1 or (is_bare and items[-1].ends_in_one)
                    in_several = len(items) > 1 or (is_bare and items[-1].ends_in_several)
            else:
                each = operands[piece.operand]
                if is_last and self._is_placed(piece, each, True):
                    is_open = is_open or each.found.is_open
                    in_one, in_several = each.ends_in_one, each.ends_in_several
                out.append(self._placed(piece, each, is_last))
        first = rule.pieces[0]
        exact = not isinstance(first, str) and self._starts_exactly(first, operands, out[0])
        return _Phrasing(
            "".join(out),
            PartRead(rule.category, rule.level, 0, "", is_open, rule.is_prefix),
            exact or rule.exact,
            in_one,
            in_several,
        )

    def _items(self, hole: PatternHole, operands: Sequence[_Phrasing]) -> list[str]:
        """The words of a list's items, in brackets where it would not be seen which list one belongs to."""
        last = len(operands) - 1
        apart = (
            each.ends_in_one if at < last else not last and each.ends_in_several
            for at, each in enumerate(operands)
        )
        return [
            self._bracketed(each) if is_apart else self._placed(hole, each, False)
            for each, is_apart in zip(operands, apart, strict=True)
        ]

    def _starts_exactly(self, hole: PatternHole, operands: Sequence[_Phrasing], words: str) -> bool:
        first = operands[hole.operand]
        return first.is_exact and words.startswith(first.words[:1])

    def _run(self, part: Part, operands: Sequence[_Phrasing], words: str, level: int) -> _Phrasing:
        rule = self._language.rules[part.key]
        hole = PatternHole(0, rule.category, level)
        last = len(operands) - 1
        # What is joined as lists are may seem to go on the inner of two lists.
        apart = [
            words == self._language.last and index < last and each.ends_in_one and each.ends_in_several
            for index, each in enumerate(operands)
        ]
        out = [
            self._bracketed(each) if apart[index] else self._placed(hole, each, index == last)
            for index, each in enumerate(operands)
        ]
        end, is_bare = operands[-1], self._is_placed(hole, operands[-1], True)
        return _Phrasing(
            words.join(out),
            PartRead(rule.category, rule.level, 0, "", is_bare and end.found.is_open, False),
            self._starts_exactly(hole, operands, out[0]),
            is_bare and end.ends_in_one,
            is_bare and end.ends_in_several,
        )

    def _is_placed(self, hole: PatternHole, said: _Phrasing, is_last: bool) -> bool:
        return fits(hole, said.found, is_last=is_last)

    def _placed(self, hole: PatternHole, said: _Phrasing, is_last: bool) -> str:
        if self._is_placed(hole, said, is_last):
            return said.words
        return self._bracketed(said)

    def _bracketed(self, said: _Phrasing) -> str:
        return f"{self._language.opening}{said.words}{self._language.closing}"

    def _call(self, part: Part, operands: Sequence[_Phrasing]) -> _Phrasing:
        level = 5 if part.kind == FORMULA else BRACKETED["t"]
        name = "`" + part.word.replace("`", "``") + "`"
        words = f"{name}({', '.join(each.words for each in operands)})"
        return _Phrasing(words, PartRead(part.kind, level, 0, ""), is_exact=True)


def _atom(kind: str) -> PartRead:
    return PartRead(kind, BRACKETED[kind], 0, "")
