"""Parts around the answer in a reply, whatever the answer is: thoughts and Markdown fences."""

from __future__ import annotations

import re

_THOUGHT = r"(?:think|thinking|thought|reasoning)>"
_THOUGHT_BEGINS = re.compile(rf"\s*+<{_THOUGHT}", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(rf"</{_THOUGHT}", re.IGNORECASE)
FENCE_LINE = re.compile(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
"""The beginning of a line that opens or closes a fence."""


def ends_of_thoughts(reply: str) -> list[int]:
    """Where thoughts end in a reply: the places behind `</think>` and its like, in order."""
    return [found.end() for found in _THOUGHT_ENDS.finditer(reply)]


def begins_with_thought(reply: str) -> bool:
    """Whether a reply begins with a thought, blanks aside."""
    return _THOUGHT_BEGINS.match(reply) is not None
