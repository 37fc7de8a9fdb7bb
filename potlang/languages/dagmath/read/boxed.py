r"""The boxed answer of a sentence: the last `\boxed{…}`, its braces balanced ([DAG-BOX])."""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENING = re.compile(r"\\boxed\s*+\{")
_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)
_FINAL = re.compile(
    r"\s*+(?:\*\*)?the final answer is:?\s*+(?:\*\*)?[$\s]*+(?:\\\(|\\\[)?\s*+$", re.IGNORECASE
)
_REST = re.compile(r"\s*(?:\\\)|\\\])?[$\s.]*(?:\*\*)?\.?\s*")


class Box(NamedTuple):
    r"""`\boxed{…}` at `[start, end)` of a text; `content` is None where it never ends."""

    start: int
    end: int
    content: str | None


def boxes(text: str) -> list[Box]:
    r"""Every `\boxed{` that is in no other one, in order; one that never ends is the last. Linear time."""
    found: list[Box] = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        end = _closing(text, opening.end())
        if end is None:
            return [*found, Box(opening.start(), len(text), None)]
        found.append(Box(opening.start(), end, text[opening.end() : end - 1].strip()))
        at = end
    return found


def last_box(text: str) -> Box | None:
    r"""The last `\boxed{` of a text that is in no other one; None if there is none."""
    found = boxes(text)
    return found[-1] if found else None


def boxed_answer(text: str) -> str | None:
    r"""The content of the last `\boxed{…}`; None if there is none, or it never ends."""
    box = last_box(text)
    return None if box is None else box.content


def is_final_answer(text: str) -> bool:
    r"""Whether a sentence is "The final answer is \boxed{…}" and nothing else ([DAG-FINAL])."""
    box = last_box(text)
    if box is None or box.content is None:
        return False
    return _FINAL.match(text[: box.start]) is not None and _REST.fullmatch(text, box.end) is not None


def _closing(text: str, at: int) -> int | None:
    """The end of a group whose content begins at `at`; an escaped brace does not count."""
    depth = 1
    for found in _BRACE.finditer(text, at):
        if found[1] is not None:
            depth += 1 if found[1] == "{" else -1
            if not depth:
                return found.end()
    return None
