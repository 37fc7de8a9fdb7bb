"""All relations in a text, in formulas and in prose ([REL-FIND])."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from unicodedata import normalize

from potlang.languages.dagmath.lower.readings import NO_CONTEXT, Context
from potlang.languages.dagmath.read.citations import ANNOTATION
from potlang.languages.dagmath.relations.formulas import formula_chains, formula_spans
from potlang.languages.dagmath.relations.model import Chain
from potlang.languages.dagmath.relations.prose import FIRST_FORMULA, MOST_FORMULAS, prose_chains

MOST_CHARACTERS: Final = 20_000
_FRACTION: Final = re.compile(r"(\d?)\s?([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_PARTS: Final = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_SHARE: Final = re.compile(
    r"\b(?:(one|two|three|four|a|an)[- ])?(half|third|quarter|fourth|fifth|sixth|eighth|tenth)s? of "
    r"(?=\$?\d)",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"^[ \t]*(?:[-–•*]|\(?\d{1,2}[.)])[ \t]+", re.MULTILINE)
_PRIVATE: Final = re.compile(f"[{chr(FIRST_FORMULA)}-{chr(FIRST_FORMULA + MOST_FORMULAS - 1)}]")

NOTHING: Final = re.compile(r"[\s\\\[\]().,:&$\-]*")
"""A text between two formulas that says nothing."""
_SAID: Final = re.compile(r"(?<!\\)\b(?!end\b|align|aligned|split|gather)[A-Za-z]{2,}|;")


class FoundChains(NamedTuple):
    """The chains of relations in a text, by their place; `text` is what their places are in."""

    text: str
    chains: tuple[Chain, ...]


def find_chains(source: str, context: Context = NO_CONTEXT) -> FoundChains:
    """The chains of relations in a text: none in one that is too long. Never raises for what it contains."""
    if len(source) > MOST_CHARACTERS:
        return FoundChains(source, ())
    text = _FRACTION.sub(_spelled, ANNOTATION.sub("", _PRIVATE.sub(" ", source)))
    text = _BULLET.sub(lambda mark: ";".rjust(len(mark[0])), text)
    text = _SHARE.sub(_in_digits, text)
    found: list[Chain] = []
    pieces: list[str] = []
    plain: list[str] = []
    end = 0
    for span in formula_spans(text):
        chains = list(formula_chains(span, context))
        pieces.append(text[end : span.start])
        end = span.end
        found += chains
        # What stands for a formula has its length, so that places stay what they are.
        size = span.end - span.start
        if chains:
            pieces.append(";".ljust(size))
        else:
            pieces.append(chr(FIRST_FORMULA + len(plain)).ljust(size))
            plain.append(span.source)
    pieces.append(text[end:])
    prose = "".join(pieces).replace("\\$", " $").replace("\\%", " %")
    found += prose_chains(prose, plain, context)
    return FoundChains(text, tuple(sorted(found, key=lambda chain: chain.start)))


def continued(chain: Chain, text: str, preceding: FoundChains) -> Chain:
    """A chain that begins its text by its relation, `= 5`, after the last side of the text before."""
    if chain.sides[0].source.strip() or not preceding.chains or not NOTHING.fullmatch(text[: chain.start]):
        return chain
    last = preceding.chains[-1]
    if _SAID.search(preceding.text[last.end :]):
        return chain
    return chain._replace(sides=(last.sides[-1], *chain.sides[1:]), goes_on=True)


def _spelled(match: re.Match[str]) -> str:
    """`2½` as `2 1/2`."""
    over, _, under = normalize("NFKC", match[2]).partition("\u2044")
    before = f"{match[1]} " if match[1] else match[0][:-1]
    return f"{before}{over}/{under}"


def _in_digits(match: re.Match[str]) -> str:
    """`one third of 27` as `(1/3) * 27`, in as many characters."""
    over = {"two": 2, "three": 3, "four": 4}.get((match[1] or "").lower(), 1)
    return f"({over}/{_PARTS[match[2].lower()]}) *".rjust(len(match[0]) - 1) + " "
