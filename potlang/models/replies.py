"""The program in a model's reply: in a fence, among prose, behind thoughts, or all of it ([LOOP-REPLY])."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final, NamedTuple

from potlang.languages.dagmath.read.wrapping import find_json
from potlang.utils.resources import schema_text

_THOUGHT_ENDS = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_BEGINS = re.compile(r"""\{(?=\s*+["'}])|^[ \t]*+\{(?=\s*+[A-Za-z_])""", re.MULTILINE)
_FENCE_ENDS = re.compile(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
_WRAPPED = re.compile(r'"program"\s*+:\s*+(?=\{)')
_MOST_TRIED: Final = 20


class Found(NamedTuple):
    """The text of a program, and the text of the reply around it."""

    text: str
    around: str


class _Candidate(NamedTuple):
    start: int
    end: int
    value: Any
    is_likely: bool
    has_sections: bool


def find_program(reply: str) -> Found | None:
    """The program in a reply, well formed or not; None if there is no JSON object.

    Of several objects it is the last well-formed one with sections of a program, else the first with such
    sections, else the first that is well formed or begins a line. What stands before the end of a thought
    does not count, unless nothing else does.
    """
    ends = [found.end() for found in _THOUGHT_ENDS.finditer(reply)]
    for first in dict.fromkeys([*ends[-1:], 0]):
        text = reply[first:]
        best = _best(_candidates(text))
        if best is not None:
            start, end = _span(text, best)
            return Found(text[start:end], f"{text[:start]}\n{text[end:]}".strip())
    return None


def _candidates(text: str) -> list[_Candidate]:
    found: list[_Candidate] = []
    at = 0
    while len(found) < _MOST_TRIED and (begin := _BEGINS.search(text, at)) is not None:
        start = text.index("{", begin.start())
        end = _end(text, start)
        value = _json(text[start:end])
        if value is None and (fence := _FENCE_ENDS.search(text, start)) is not None and fence.start() < end:
            # Quotes or brackets are not closed: no object goes on behind its fence.
            end = start + len(text[start : fence.start()].rstrip())
        is_likely = value is not None or not text[text.rfind("\n", 0, start) + 1 : start].strip()
        found.append(_Candidate(start, end, value, is_likely, _has_sections(text[start:end], value)))
        at = end
    return found


def _end(text: str, start: int) -> int:
    wrapped = find_json(text[start:])
    return len(text) if wrapped is None else start + wrapped.end


def _best(candidates: list[_Candidate]) -> _Candidate | None:
    programs = [each for each in candidates if each.has_sections]
    whole = [each for each in programs if each.value is not None]
    likely = [each for each in candidates if each.is_likely]
    return whole[-1] if whole else next(iter([*programs, *likely]), None)


def _span(text: str, candidate: _Candidate) -> tuple[int, int]:
    """Where the program stands: an object with nothing but a `program` is opened."""
    start, end, value = candidate[:3]
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
    whole = json.loads(schema_text("pot-1"))
    return frozenset(whole["properties"]) - {"$schema", "description"}
