"""How wide text is when it is drawn, and where its lines break, without a font at hand."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

FONT = "Arial, Helvetica, 'Liberation Sans', Arimo, sans-serif"
"""The fonts of drawings. The letters of the named ones have the same widths."""
_WIDTHS = (
    *(278, 278, 355, 556, 556, 889, 667, 222, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(222, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
"""Thousandths of the font size, of the characters from the space to the tilde (Helvetica's metrics)."""
_OTHER = 660
_BOLD = 1.08


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line of text, in the unit of `size`, the size of its font."""
    return sum(map(_thousandths, text)) * size / 1_000 * (_BOLD if bold else 1.0)


def shortened(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """A text cut to a width; what is cut ends in an ellipsis."""
    if text_width(text, size, bold=bold) <= width:
        return text
    return text[: _fitting(text, width - size, size * (_BOLD if bold else 1.0))].rstrip() + "…"


def wrapped(text: str, width: float, size: float, most: int) -> list[str]:
    """A text in lines of at most that width, broken between words where there are any; `most` lines."""
    lines: list[str] = []
    rest = text.strip()
    while rest and len(lines) < most - 1:
        kept = _fitting(rest, width, size)
        if kept == len(rest):
            break
        space = rest.rfind(" ", 0, kept + 1)
        # A long word is broken: a line that is hardly begun would waste the box.
        kept = space if space > kept // 3 else max(kept, 1)
        lines.append(rest[:kept].rstrip())
        rest = rest[kept:].lstrip()
    return [*lines, shortened(rest, width, size)] if rest else lines


def _fitting(text: str, width: float, size: float) -> int:
    """How many of the first characters fit."""
    for number, reached in enumerate(_reached(text, size)):
        if reached > width:
            return number
    return len(text)


def _reached(text: str, size: float) -> Iterator[float]:
    total = 0.0
    for char in text:
        total += _thousandths(char) * size / 1_000
        yield total


def _thousandths(char: str) -> int:
    if " " <= char <= "~":
        return _WIDTHS[ord(char) - 32]
    if unicodedata.combining(char):
        return 0
    return 1_000 if unicodedata.east_asian_width(char) in "WF" or ord(char) > 0xFFFF else _OTHER
