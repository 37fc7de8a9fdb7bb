"""Where the numbers of a calculation come from: which of them nothing before has given ([REL-FITS])."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from potlang.languages.dagmath.lower.phrases import NUMERALS, numbered
from potlang.languages.dagmath.lower.syntax import Num, parts
from potlang.languages.dagmath.lower.tokens import MOST_DIGITS
from potlang.languages.dagmath.relations.formulas import formula_spans
from potlang.languages.dagmath.relations.model import Side

_DIGITS: Final = re.compile(r"(?:\d{1,3}(?:(?:,|\{,\})\d{3})+|\d+)(?:\.\d+)?|\.\d+")
_QUOTIENT: Final = re.compile(r"(?:\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}|\b(\d+)\s*/\s*(\d+)\b)")
_WORD: Final = re.compile(r"[a-z]+")
_NAMED: Final = NUMERALS | numbered(
    "first 1 once 1 second 2 twice 2 double 2 doubled 2 both 2 pair 2 pairs 2 half 2 halves 2 couple 2 "
    "third 3 thirds 3 thrice 3 triple 3 tripled 3 fourth 4 fourths 4 quarter 4 quarters 25 quadruple 4 "
    "fifth 5 fifths 5 sixth 6 seventh 7 eighth 8 ninth 9 tenth 10 dozen 12 dozens 12 score 20 hundred "
    "100 thousand 1000 million 1000000 billion 1000000000 dime 10 nickel 5 decade 10 century 100 week "
    "7 weeks 7 fortnight 14 year 12 day 24 minutes 60"
)
"""Numbers that words stand for, or have in them."""
_COMMON: Final = frozenset(
    map(Fraction, (0, 1, 2, 7, 10, 12, 24, 30, 52, 60, 90, 100, 180, 360, 365, 1000, 3600))
)
"""Numbers that anybody brings along: those of counting, of time, of percent, of angles."""
_TOTAL: Final = re.compile(r"\b(?:total|altogether|in all|combined|overall)\b", re.IGNORECASE)
_LONGEST_AMOUNT: Final = 30
_AMOUNTS: Final = re.compile(r"\$\s?((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)")


_CITED: Final = re.compile(r"\b(?:steps?|equations?|eqs?\.?|cases?|parts?)[ ~]*\(?\d+\)?", re.IGNORECASE)


def numbers_in(text: str, *, in_words: bool = True) -> Counter[Fraction]:
    """How often each number is in a text, in digits and, if `in_words`, in words that have one in them."""
    plain = _CITED.sub(" ", text)
    found = Counter(_number(match[0]) for match in _DIGITS.finditer(plain))
    if in_words:
        found.update(_NAMED[word] for word in _WORD.findall(plain.lower()) if word in _NAMED)
    return found


class Numbers:
    """The numbers that a solution has given so far.

    `is_asked`: the problem gives all numbers that are needed, so that another one fits nothing.
    """

    def __init__(self, *, is_asked: bool) -> None:
        self.is_asked = is_asked
        self._given: set[Fraction] = set()

    def add(self, text: str) -> None:
        """Notes the numbers of a text, in digits and in words, and what percentages leave of a whole."""
        # A number that is longer is nowhere read, and takes its time.
        told = [match[0] for match in _DIGITS.finditer(text) if len(match[0]) <= MOST_DIGITS]
        self._given.update(map(_number, told))
        for match in _QUOTIENT.finditer(text):
            over, under = (each for each in match.groups() if each is not None)
            if len(over) + len(under) <= MOST_DIGITS and int(under):
                self._given.add(Fraction(int(over), int(under)))
        for word in _NAMED.keys() & _WORD.findall(text.lower()):
            self._given.add(_NAMED[word])
            self._given.add(1 / _NAMED[word] if _NAMED[word] else Fraction(0))

    def _is_known(self, number: Fraction) -> bool:
        """Whether a number was given, or what it leaves of a whole or adds to it, also in percent."""
        made_of = (number, 100 * number, number / 100, 1 - number, number - 1, 100 * (1 - number),
                   100 * (number - 1), 100 - number, number - 100)  # fmt: skip
        return number in _COMMON or not self._given.isdisjoint(made_of)

    def unknown(self, sides: Iterable[Side]) -> list[Fraction]:
        """The numbers in calculations that nothing has given, each once."""
        found: dict[Fraction, None] = {}
        for side in sides:
            if side.term is not None:
                for part in parts(side.term):
                    if isinstance(part, Num) and not self._is_known(abs(part.value)):
                        found[part.value] = None
        return list(found)


_LETTER: Final = re.compile(r"\\?[A-Za-z]")


_CALCULATION: Final = re.compile(r"\d[\s$%]*[-+*/×÷−–][\s$]*\d[^=\n]{0,80}=")


def is_word_problem(problem: str, given: Iterable[str]) -> bool:
    """Whether what is given are numbers in words and digits, and no formulas with variables.

    Where no problem is told, and what is given calculates, it is a part of the solution: the problem is
    not known.
    """
    texts = [problem, *given]
    if not problem.strip() and any(map(_CALCULATION.search, texts)):
        return False
    has_numbers = any(
        _DIGITS.search(text) or any(word in _NAMED for word in _WORD.findall(text.lower())) for text in texts
    )
    formulas = (span.source for text in texts for span in formula_spans(text))
    return has_numbers and not any(map(_LETTER.search, formulas))


_ROUNDING: Final = re.compile(
    r"\b(?:round(?:s|ed|ing)?\b|approximat|nearest|estimat|roughly|about|around|almost|nearly|whole|full|complete"
    r"|at (?:most|least)|maximum|minimum|remain|left ?over|enough|afford|integer|partial|can\b|could\b)",
    re.IGNORECASE,
)
"""Words of a solution in which whole numbers may be cut off or rounded."""


def may_round(texts: Iterable[str]) -> bool:
    """Whether words suggest that numbers are rounded, or that whole ones are asked for."""
    return any(map(_ROUNDING.search, texts))


def _number(digits: str) -> Fraction:
    return Fraction(digits.replace("{,}", "").replace(",", ""))


def _amounts(text: str) -> list[Fraction]:
    return [_number(each) for each in _AMOUNTS.findall(text) if len(each) <= _LONGEST_AMOUNT]


def left_out(text: str, premises: Iterable[str]) -> list[str]:
    """Amounts of money that a premise lists beside those that a total adds, and that the total leaves out."""
    if not _TOTAL.search(text) or "=" not in text or "+" not in text:
        return []
    terms = _amounts(text)[:-1]
    if len(terms) < 2:
        return []
    for premise in premises:
        listed = _amounts(premise)
        if len(listed) > 2 and set(terms) < set(listed):
            return [f"${float(each):g}" for each in listed if each not in terms]
    return []
