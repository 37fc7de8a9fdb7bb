"""The text of a trace or a solution on its page, line by line: lines lead to their node or step, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from potlang.drawing.page import Section
from potlang.report.html import Html, element, joined, text_html
from potlang.source import Document

MOST_LINES = 2_000
"""Lines that are shown of a text."""
_LONGEST_LINE = 2_000


class LineListing(NamedTuple):
    """The section with the lines of a text, and how many of them it has."""

    section: Section
    lines: int

    def link(self, line: int | None) -> Html | None:
        """The link to a line, if it is there."""
        if line is None or not 1 <= line <= self.lines:
            return None
        return element("a", f"line {line:,}", href=f"#line-{line}", class_="to-line")


def line_listing(document: Document, starts: Mapping[int, int], noun: str) -> LineListing:
    """The lines of a document; `starts` has the first line of each node or step by its id, which is a `noun`.

    Its lines go on to the next one that starts another.
    """
    text = document.text or ""
    lines = text.removesuffix("\n").split("\n") if text else []
    shown = lines[:MOST_LINES]
    items = list(_items(shown, {line: id_ for id_, line in sorted(starts.items(), reverse=True)}, noun))
    if len(lines) > len(shown):
        items.append(element("span", f"… {len(lines) - len(shown):,} more lines\n", class_="left-out"))
    body = element("pre", *items, class_="source lines") if items else Html("")
    return LineListing(Section("source", "Text", body), len(shown))


def _items(lines: list[str], owners: Mapping[int, int], noun: str) -> Iterator[Html]:
    owner: int | None = None
    for number, line in enumerate(lines, 1):
        owner = owners.get(number, owner)
        if owner is None or not line.strip():
            sign = element("span", str(number), class_="number")
        else:
            said = f"line {number}, {noun} {owner} in the table"
            sign = element("a", str(number), href=f"#row-{owner}", class_="number", aria_label=said)
        cut = line.removesuffix("\r")
        if len(cut) > _LONGEST_LINE:
            cut = f"{cut[:_LONGEST_LINE]}… {len(cut) - _LONGEST_LINE:,} more"
        yield joined(
            (element("span", sign, element("code", text_html(cut)), id=f"line-{number}"), Html("\n"))
        )
