"""A bracket where one is missing: in a formula, or in the JSON around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from potlang.diag import Diagnostic
from potlang.diag.model import Replace
from potlang.repair.subject import WORD, Repair, Subject

_FORMULA_CODES: Final = ("POT1020", "POT1021", "POT1022", "POT1023", "POT1024", "POT3002", "POT2001")
_PAIRS: Final = (("(", ")"), ("[", "]"), ("{", "}"))
# No string begins behind a backslash: else a run of `\'` would be read to its end from each of them.
_QUOTED: Final = re.compile(r"(?<!\\)(?:'(?:\\.|[^'\\])*+'|\"(?:\\.|[^\"\\])*+\"|`[^`]*+`)")
_FORMULA_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_JSON_TOKEN: Final = re.compile(r'(?<!\\)"(?:\\.|[^"\\])*+"|[\[\]{}:,]|[^\s"\[\]{}:,]+')
_OPERATORS: Final = ("And", "Or", "Not", "Implies", "Iff", "Xor", "If", "ForAll", "Exists", "Distinct")
_MOST_PLACES: Final = 300
_LONGEST: Final = 200_000


def formula_candidates(subject: Subject) -> Iterator[Repair]:
    """The bracket that would balance a formula, at each place where it can stand."""
    names = {word for _, text in subject.strings() for word in WORD.findall(text)} | {*_OPERATORS}
    seen = set()
    for error in subject.with_code(_FORMULA_CODES):
        text, pointer = subject.formula(error), error.place.pointer
        if pointer in seen or not text:
            continue
        seen.add(pointer)
        for bracket in _missing(_QUOTED.sub(lambda found: "." * len(found[0]), text)):
            places = _places(text, bracket, names)
            for cost, place in enumerate(sorted(places, key=lambda place: _far(error, place))[:_MOST_PLACES]):
                yield Repair(cost // 8, f"write `{bracket}`", (Replace(pointer, place, place, bracket),))


def _missing(text: str) -> list[str]:
    """The brackets of which there is one too few."""
    counts = [(opening, closing, text.count(opening) - text.count(closing)) for opening, closing in _PAIRS]
    return [closing if more > 0 else opening for opening, closing, more in counts if abs(more) == 1]


def _places(text: str, bracket: str, names: set[str]) -> list[int]:
    """Behind tokens, and where an opening bracket may have stood between two names."""
    places = {0}
    for found in _FORMULA_TOKEN.finditer(text):
        places.add(found.end())
        if bracket in "([" and WORD.fullmatch(found[0]):
            places.update(found.start() + end for end in range(1, len(found[0])) if found[0][:end] in names)
    return list(places)


def _far(error: Diagnostic, place: int) -> int:
    return 0 if error.place.span is None else abs(place - error.place.span[0])


def json_candidates(subject: Subject) -> Iterator[Repair]:
    """The bracket that makes the text JSON, nearest to where it stopped being so."""
    error = next(iter(subject.with_code(["POT1001"])), None)
    text = subject.text
    if error is None or error.place.span is None or len(text) > _LONGEST:
        return
    tokens = list(_JSON_TOKEN.finditer(text))
    places = [0, *(found.end() for found in tokens)]
    # Parentheses are no brackets of JSON, and those in strings belong to formulas.
    bare = "".join([found[0] for found in tokens if found[0][0] != '"'])
    near = sorted(places, key=lambda place: _far(error, place))[:_MOST_PLACES]
    for bracket in _missing(bare.replace("(", "").replace(")", "")):
        found = (place for place in near if _is_json(text[:place] + bracket + text[place:]))
        for cost, place in enumerate(found):
            yield Repair(cost // 8, f"write `{bracket}`", (Replace("", place, place, bracket),))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
