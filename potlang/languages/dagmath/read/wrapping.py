"""Finds the JSON of a solution among other text: a Markdown fence, prose ([DAG-WRAP])."""

from __future__ import annotations

import re
from typing import NamedTuple

_LINE_START = re.compile(r"^[ \t]*+([{\[])(?=\s*+[\"{\]}])", re.MULTILINE)
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|([\[{])|([\]}])', re.DOTALL)
_ANOTHER = re.compile(r"(?:^|\r)[ \t]*+\{\s*+\"", re.MULTILINE)
_NEXT = re.compile(r"\s*+\{\s*+\"")


class Wrapped(NamedTuple):
    """`[start, end)` is the JSON; `around` is the first of the other text, None where there is none."""

    start: int
    end: int
    around: tuple[int, int] | None
    more: int | None
    """Where another JSON object begins behind it, as in JSON Lines."""


def find_json(text: str) -> Wrapped | None:
    """The first JSON object or list of a text; None if no line begins with one. Linear time."""
    first = len(text) - len(text.lstrip())
    if text[first : first + 1] in ("{", "["):
        start = first
    elif (found := _LINE_START.search(text)) is not None:
        start = found.start(1)
    else:
        return None
    end = _end(text, start)
    another = _NEXT.match(text, end) or _ANOTHER.search(text, end)
    return Wrapped(
        start, end, _around(text, start, end), None if another is None else text.index("{", another.start())
    )


def _end(text: str, start: int) -> int:
    """The end of the bracket that opens at `start`; that of the text if it is not closed."""
    depth = 0
    for found in _BRACKET.finditer(text, start):
        if found[1]:
            depth += 1
        elif found[2]:
            depth -= 1
            if not depth:
                return found.end()
    return len(text.rstrip())


def _around(text: str, start: int, end: int) -> tuple[int, int] | None:
    for first, last in ((0, start), (end, len(text))):
        part = text[first:last]
        if content := part.strip():
            at = first + part.index(content)
            return at, at + len(content.split("\n", 1)[0])
    return None
