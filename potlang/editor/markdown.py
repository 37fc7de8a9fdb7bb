"""Text that others wrote in Markdown: as code or as plain words, never as Markdown or HTML."""

from __future__ import annotations

from typing import Final

from potlang.diag.wording import visible

LONGEST: Final = 300
"""Characters that are shown of one text."""
_MARKS: Final = "\\`*_{}[]<>#|~&"


def shown(text: str) -> str:
    """One line, no more than is looked at, and nothing in it that cannot be seen."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def code(text: str) -> str:
    """Text as code; backquotes in it do not end it."""
    line = shown(text)
    longest = longest_run = 0
    for character in line:
        longest_run = longest_run + 1 if character == "`" else 0
        longest = max(longest, longest_run)
    ticks = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def plain(text: str) -> str:
    """Text as words."""
    return "".join(f"\\{each}" if each in _MARKS else each for each in shown(text))
