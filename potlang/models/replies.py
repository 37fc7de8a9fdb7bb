"""The JSON in a model's reply: in a fence, among prose, behind thoughts, or all of it.

The rules are [LOOP-REPLY] for programs and [DAG-REPLY] for other objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from potlang.reading.replies import FENCE_LINE, ends_of_thoughts
from potlang.source.layout import container_end
from potlang.utils.resources import schema

_BEGINS = re.compile(r"""\{(?=\s*+["'}])|^[ \t]*+\{(?=\s*+[A-Za-z_])""", re.MULTILINE)
_WRAPPED = re.compile(r'"program"\s*+:\s*+(?=\{)')
_MOST_TRIED: Final = 20


class Found(NamedTuple):
    """The text of a program, and the text of the reply around it."""

    text: str
    around: str


class JsonObject(NamedTuple):
    """A JSON object in a text: its span and its value, None where it is not well formed."""

    start: int
    end: int
    value: Any


def behind_thoughts(reply: str) -> str:
    """The text behind the last end of a thought; all of it where there is none."""
    ends = ends_of_thoughts(reply)
    return reply[ends[-1] :] if ends else reply


def candidates(text: str) -> Iterator[JsonObject]:
    """The first 20 JSON objects of a text, well formed or not, in linear time."""
    at = 0
    for _ in range(_MOST_TRIED):
        begin = _BEGINS.search(text, at)
        if begin is None:
            return
        start = text.index("{", begin.start())
        at = _end(text, start)
        value = _json(text[start:at])
        if value is None and (fence := FENCE_LINE.search(text, start)) is not None and fence.start() < at:
            # Quotes or brackets are not closed: no object goes on behind its fence.
            at = start + len(text[start : fence.start()].rstrip())
        yield JsonObject(start, at, value)


def find_program(reply: str) -> Found | None:
    """The program in a reply, well formed or not; None if there is no JSON object.

    Of several objects it is the last well-formed one with sections of a program, else the first with such
    sections, else the first that is well formed or begins a line. What stands before the end of a thought
    does not count, unless nothing else does.
    """
    found = _found(reply)
    # A broken object may reach over the end of a thought, and another one stand behind that.
    for _ in range(_MOST_TRIED):
        inner = None if found is None else _found(found.text)
        if found is None or inner is None or inner.text == found.text:
            break
        found = Found(inner.text, f"{found.around}\n{inner.around}".strip())
    return found


def _found(reply: str) -> Found | None:
    # A reply that ends within its thoughts may still have the program in them.
    for text in dict.fromkeys([behind_thoughts(reply), reply]):
        best = _best(text, list(candidates(text)))
        if best is not None:
            start, end = _span(text, best)
            return Found(text[start:end], f"{text[:start]}\n{text[end:]}".strip())
    return None


def program_in(attempt: str | dict[str, Any]) -> str | dict[str, Any]:
    """The program of an attempt: of a reply the one in it ([LOOP-REPLY]), or all of it if there is none."""
    if isinstance(attempt, dict):
        return attempt
    found = find_program(attempt)
    return attempt if found is None else found.text


def _end(text: str, start: int) -> int:
    closed = container_end(text, start)
    return len(text.rstrip()) if closed is None else closed


def _best(text: str, found: list[JsonObject]) -> JsonObject | None:
    programs = [each for each in found if _has_sections(text[each.start : each.end], each.value)]
    whole = [each for each in programs if each.value is not None]
    likely = [each for each in found if each.value is not None or _begins_a_line(text, each.start)]
    # Models write drafts first: of whole programs the last one counts.
    return whole[-1] if whole else next(iter([*programs, *likely]), None)


def _begins_a_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()


def _span(text: str, candidate: JsonObject) -> tuple[int, int]:
    """The span of the program: an object with nothing but a `program` is opened."""
    start, end, value = candidate
    while isinstance(value, dict) and not _sections() & value.keys():
        if not isinstance(value.get("program"), dict):
            break
        inner = _WRAPPED.search(text, start, end)
        if inner is None:
            break
        start, end = inner.end(), _end(text, inner.end())
        value = value["program"]
    return start, end


def _has_sections(text: str, value: Any) -> bool:
    if isinstance(value, dict):
        inner = value.get("program")
        return bool(_sections() & (value.keys() | (inner.keys() if isinstance(inner, dict) else ())))
    return any(f'"{name}"' in text for name in _sections())


def _json(text: str) -> Any:
    """The value; None where it is not well formed."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@cache
def _sections() -> frozenset[str]:
    return frozenset(schema("pot-1")["properties"]) - {"$schema", "description"}
