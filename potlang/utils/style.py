"""Words in colours of a terminal, or plain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_CODES: Final[Mapping[str, str]] = {
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "frame": "1;34",
    "help": "1;32",
    "note": "1;36",
    "warning": "1;33",
}
_GREEN, _YELLOW, _PURPLE, _CYAN, _RED = "1;32", "1;33", "1;35", "1;36", "1;31"
_VERDICTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("accepted", "entailed", "faithful", "consistent", "optimal", "proved"), _GREEN),
    **dict.fromkeys(("validated", "perfect", "closed", "right", "holds"), _GREEN),
    **dict.fromkeys(("assumed", "undetermined", "not entailed", "imperfect", "open"), _YELLOW),
    **dict.fromkeys(("unbounded", "unattained"), _YELLOW),
    "unknown": _PURPLE,
    "active": _CYAN,
}
"""Verdicts and statuses; all others are bad news."""
_TONES: Final[Mapping[str, str]] = {_GREEN: "good", _YELLOW: "open", _PURPLE: "open"}
_BAD: Final = frozenset(
    ("refuted", "inconsistent", "rejected", "fails", "wrong", "unfaithful", "infeasible", "invalidated")
)


def tone_of(words: str) -> str | None:
    """Whether a verdict, with what is said behind it, is `good`, `bad` or `open`; None for other words."""
    name = words.partition(" (")[0].partition(",")[0].strip()
    return "bad" if name in _BAD else _TONES.get(_VERDICTS.get(name, ""))


class Style:
    """Colours words with ANSI escapes, or leaves them as they are."""

    __slots__ = ("_color",)

    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, kind: str, words: str) -> str:
        """Words of a kind: `error`, `warning`, `note`, `help`, `frame`, `bold` or `dim`."""
        return self._wrap(words, _CODES[kind])

    def verdict(self, word: str) -> str:
        """A verdict or a status, in the colour of its kind; spaces behind it stay plain."""
        name = word.rstrip()
        return self._wrap(name, _VERDICTS.get(name, _RED)) + word[len(name) :]

    def dim(self, words: str) -> str:
        """Words of less importance."""
        return self("dim", words)

    def _wrap(self, words: str, code: str) -> str:
        return f"\x1b[{code}m{words}\x1b[0m" if self._color and words else words


PLAIN: Final = Style(False)
