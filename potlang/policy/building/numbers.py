"""The numbers that a sentence says, and those that a formula has ([BUILD-FLAGS])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

_UNITS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS: Final = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_LARGE: Final[Mapping[str, int]] = MappingProxyType({"hundred": 100, "thousand": 1_000, "million": 10**6})
_WORDS: Final[Mapping[str, Fraction]] = MappingProxyType(
    {
        **{word: Fraction(at) for at, word in enumerate(_UNITS)},
        **{word: Fraction(10 * at) for at, word in enumerate(_TENS, 2)},
        **{word: Fraction(number) for word, number in _LARGE.items()},
        "once": Fraction(1),
        "twice": Fraction(2),
        "dozen": Fraction(12),
        **{word: Fraction(at) for at, word in enumerate(_ORDINALS, 2)},
        "half": Fraction(1, 2),
        "quarter": Fraction(1, 4),
    }
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SCALES: Final[Mapping[str, tuple[Fraction, ...]]] = MappingProxyType(
    {
        "week": (Fraction(7),),
        "fortnight": (Fraction(14),),
        "month": (Fraction(30), Fraction(1, 12)),
        "year": (Fraction(12), Fraction(365), Fraction(52)),
        "hour": (Fraction(60), Fraction(1, 24)),
        "day": (Fraction(24),),
    }
)
"""The worth of one of these in smaller or larger ones."""
_REFERENCE = re.compile(
    r"\b(?:sections?|articles?|chapters?|paragraphs?|annex|appendix|parts?|tables?)\s+\d[\d.]*"
    r"(?:\s*(?:,|and|or|to)\s*\d[\d.]*)*|§+\s*\d[\d.]*|^\s*\d{1,3}[.)]\s",
    re.IGNORECASE,
)
_SPELT = re.compile(
    rf"\b(?:({'|'.join(_TENS)})[- ])?({'|'.join(_WORDS)})\b(?:[ -]({'|'.join(_LARGE)})\b)?", re.IGNORECASE
)
_NUMERAL = re.compile(r"\d{1,3}(?:[,\u00a0\u202f']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_UNIT = re.compile(rf"[\s-]+({'|'.join(_SCALES)})s?\b", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,\u00a0\u202f']")
_MONTH = re.compile(
    rf"\d(?:st|nd|rd|th)?\.?\s+(?:of\s+)?({'|'.join(_MONTHS)})[a-z]*\b"
    rf"|\b({'|'.join(_MONTHS)})[a-z]*\.?,?\s+\d",
    re.IGNORECASE,
)
_RATIO = re.compile(r"(?<![\w.])(\d{1,9})\s*/\s*(\d{1,9})(?![\w.])")
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)|\bDate\((\d{1,4}),\s*(\d{1,2}),\s*(\d{1,2})\)")
_STRING = re.compile(r"'[^']*'|\"[^\"]*\"")
_IN_FORMULA = re.compile(r"(?<![\w.`])\d[\d,]*(?:\.\d+)?")
_LONGEST: Final = 30
STRUCTURAL: Final = frozenset((Fraction(0), Fraction(1)))
"""Numbers that formulas have for reasons of their own."""


def numbers_said(sentence: str) -> frozenset[Fraction]:
    """All numbers that a formula may have because of a sentence: as it says them, and in other units."""
    found = set(stated_numbers(sentence))
    text = _REFERENCE.sub(" ", sentence)
    for value, end in _values(text):
        unit = _UNIT.match(text, end)
        scales = _SCALES[unit[1].casefold()] if unit else ()
        found |= {value * scale for scale in scales} | {value / 100, value * 100}
    return frozenset(found)


def stated_numbers(sentence: str) -> frozenset[Fraction]:
    """The numbers in a sentence, months of dates too, but for those of sections."""
    text = _REFERENCE.sub(" ", sentence)
    months = (found[1] or found[2] for found in _MONTH.finditer(text))
    dated = {Fraction(_MONTHS.index(each.casefold()) + 1) for each in months}
    return frozenset({value for value, _ in _values(text)} | dated)


def _values(text: str) -> Iterator[tuple[Fraction, int]]:
    """Each number of a text, in digits or in words, with the place behind it."""
    for found in _NUMERAL.finditer(text):
        if len(found[0]) <= _LONGEST:
            yield Fraction(_SEPARATOR.sub("", found[0])), found.end()
    for found in _SPELT.finditer(text):
        value = _WORDS[found[2].casefold()]
        value += _WORDS[found[1].casefold()] if found[1] else 0
        yield value * (_LARGE[found[3].casefold()] if found[3] else 1), found.end()


def numbers_in_formula(formula: str) -> frozenset[Fraction]:
    """The numbers of a formula: years, months and days of dates, quotients as they are."""
    text = _STRING.sub(" ", formula)
    found: set[Fraction] = set()
    for date in _DATE.finditer(text):
        found |= {Fraction(part) for part in date.groups() if part is not None}
    text = _DATE.sub(" ", text)
    found |= {Fraction(int(one[1]), int(one[2])) for one in _RATIO.finditer(text) if int(one[2])}
    text = _RATIO.sub(" ", text)
    for numeral in _IN_FORMULA.findall(text):
        if len(numeral) <= _LONGEST:
            found.add(Fraction(numeral.replace(",", "")))
    return frozenset(found)
