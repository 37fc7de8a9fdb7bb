"""Tables in text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from potlang.diag.snippet import columns


def aligned(rows: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> Iterator[list[str]]:
    """The cells of each row filled up to their columns; the last one is not, unless it is on the right."""
    widths = [max(map(columns, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        yield [
            _filled(cell, width, at < len(right) and right[at], at == len(row) - 1)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]


def _filled(cell: str, width: int, to_the_right: bool, is_last: bool) -> str:
    space = " " * (width - columns(cell))
    return space + cell if to_the_right else cell if is_last else cell + space
