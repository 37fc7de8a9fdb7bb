"""The steps that an edge cites: `Step 4`; `Steps 4, 5, and 7` is understood too ([DAG-CITE])."""

from __future__ import annotations

import re
from typing import NamedTuple

_ID = r"[0-9]{1,10}(?![0-9]|\.[0-9])"
_BETWEEN = r"(?:[ \t\n]*+(?:,[ \t\n]*+(?:and|or)[ \t\n]++|[,&–—-]|(?:and|or|to|through)[ \t\n])[ \t\n]*+)"
_CITATION = re.compile(
    rf"\b(?:(?P<plural>Steps)[ \t\n~]*+(?P<list>{_ID}(?:{_BETWEEN}{_ID})*+)"
    rf"|Step[ \t\n~]*+(?P<one>{_ID}(?:,{_ID})*+))",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9]+")
_RANGE = re.compile(r"\s*(?:-|–|—|to\s|through\s)\s*")
_MOST_IN_RANGE = 1_000
ANNOTATION = re.compile(r"<<[^<>]{0,200}>>")
"""A calculator annotation beside the number that it gave: `8*5=<<8*5=40>>40`."""


class Citation(NamedTuple):
    """`[start, end)` of an edge cites `ids`, which stand at `spans`; a range has the spans of its ends.

    `singular` is the text as the format has it, where it is written otherwise.
    """

    start: int
    end: int
    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    singular: str | None


def citations(edge: str) -> list[Citation]:
    """The citations of steps in an edge, in order."""
    return [_citation(found) for found in _CITATION.finditer(edge)]


def _citation(found: re.Match[str]) -> Citation:
    group = "list" if found["plural"] else "one"
    numbers = list(_NUMBER.finditer(found.string, *found.span(group)))
    ids: list[int] = []
    spans: list[tuple[int, int]] = []
    for number, previous in zip(numbers, [None, *numbers], strict=False):
        here = int(number[0])
        if previous is not None and _RANGE.fullmatch(found.string, previous.end(), number.start()):
            first = int(previous[0]) + 1
            between = range(first, here) if here - first < _MOST_IN_RANGE else ()
            ids += between
            spans += [number.span()] * len(between)
        ids.append(here)
        spans.append(number.span())
    plain = found["plural"] is None and len(ids) == 1
    return Citation(*found.span(), tuple(ids), tuple(spans), None if plain else _singular(ids))


def _singular(ids: list[int]) -> str:
    names = [f"Step {each}" for each in ids]
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"
