"""Finds JSON among other text: a Markdown fence, prose ([DAG-WRAP], [LOOP-REPLY], [DAG-REPLY])."""

from __future__ import annotations

import re
from typing import NamedTuple

from potlang.source.layout import container_end

_LINE_START = re.compile(r"^[ \t]*+([{\[])(?=\s*+[\"{\]}])", re.MULTILINE)
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
    closed = container_end(text, start)
    end = len(text.rstrip()) if closed is None else closed
    another = _NEXT.match(text, end) or _ANOTHER.search(text, end)
    return Wrapped(
        start, end, _around(text, start, end), None if another is None else text.index("{", another.start())
    )


def _around(text: str, start: int, end: int) -> tuple[int, int] | None:
    for first, last in ((0, start), (end, len(text))):
        part = text[first:last]
        if content := part.strip():
            at = first + part.index(content)
            return at, at + len(content.split("\n", 1)[0])
    return None
