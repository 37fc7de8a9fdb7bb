"""Tables as plain text, in a form that is Markdown too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def cell(value: Any) -> str:
    """A value as it stands in a table: three digits are enough of a float."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return str(value)


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table with aligned columns, the first to the left and the rest to the right.

    Columns without any value are left out.
    """
    kept = [i for i in range(len(headings)) if i == 0 or any(row[i] is not None for row in rows)]
    cells = [[headings[i] for i in kept], *([cell(row[i]) for i in kept] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(kept))]
    rule = ["-" * width + ":" * (i > 0) for i, width in enumerate(widths)]
    lines = [_line(cells[0], widths), "| " + " | ".join(_ruled(rule, widths)) + " |"]
    return "\n".join([*lines, *(_line(line, widths) for line in cells[1:])])


def _ruled(rule: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        dashes[-width:] if dashes.endswith(":") else dashes
        for dashes, width in zip(rule, widths, strict=True)
    ]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        text.ljust(width) if i == 0 else text.rjust(width)
        for i, (text, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "| " + " | ".join(padded) + " |"
