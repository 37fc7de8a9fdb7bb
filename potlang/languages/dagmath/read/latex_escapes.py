r"""LaTeX that JSON has read otherwise: `"\boxed"` is a backspace and `oxed` ([DAG-ESCAPE])."""

from __future__ import annotations

import re
from typing import NamedTuple

_MISREAD = re.compile(
    "[\x08\x0c]"
    "|\t(?=(?:ext|imes|heta|frac|riangle|herefore|ilde|au)(?![a-z]))"
    "|\r(?=(?:ight|angle|ho|floor|ceil)(?![a-z]))"
    "|\n(?=(?:eq|abla|otin|mid)(?![a-zA-Z]))"
)
_LETTERS = {"\x08": "b", "\x0c": "f", "\t": "t", "\r": "r", "\n": "n"}


class Misread(NamedTuple):
    """A control character at `at` that was a backslash and `letter`."""

    at: int
    letter: str


def misread_escapes(text: str) -> list[Misread]:
    """The control characters of a text that were the beginning of a LaTeX command."""
    # Nearly all texts are, and to ask is cheaper than to search them.
    if text.isprintable():
        return []
    return [Misread(found.start(), _LETTERS[found[0]]) for found in _MISREAD.finditer(text)]


def repaired(text: str) -> str:
    """The text with the commands restored."""
    return _MISREAD.sub(lambda found: f"\\{_LETTERS[found[0]]}", text)
