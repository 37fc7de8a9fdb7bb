"""A program's own text on its page: what results rest on is marked, and linked to them and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from potlang.languages.pot.format import format_text
from potlang.report.html import Html, element, joined, text_html
from potlang.report.results import ProgramResult
from potlang.source import Document
from potlang.source.layout import Layout
from potlang.utils.serialize import json_text

_AROUND = 3
"""Lines that are shown before and behind a marked one of a long program."""
_SHORT = 400
"""Lines of a program that is shown whole."""
_LONGEST_LINE = 2_000
_ENDS = re.compile(r"\n")


class _Place(NamedTuple):
    """A marked part of the text: whether it is asked, and the results that rest on it."""

    start: int
    end: int
    id: str
    is_claim: bool
    results: tuple[int, ...]


class Listing(NamedTuple):
    """The text of a program as HTML, and the id of the mark at each pointer that has one."""

    html: Html
    ids: Mapping[str, str]


NO_LISTING = Listing(Html(""), {})


def listing(document: Document, report: ProgramResult) -> Listing:
    """A program laid out, with the claims and the assumptions of all cores marked."""
    text = _laid_out(document)
    if text is None:
        return NO_LISTING
    uses = _uses(report)
    claims = {result.pointer for result in report.results}
    layout = Layout(text)
    ranges: dict[tuple[int, int], list[str]] = {}
    for pointer in [*claims, *uses]:
        extent, exact = layout.find(pointer)
        if exact and pointer:
            ranges.setdefault((extent.start, extent.end), []).append(pointer)
    places: list[_Place] = []
    ids: dict[str, str] = {}
    for (start, end), pointers in sorted(ranges.items(), key=lambda each: (each[0][0], -each[0][1])):
        if not places or start >= places[-1].end:
            places.append(_Place(start, end, f"source-{len(places) + 1}", False, ()))
        # What is inside of a marked part is marked with it.
        last = places[-1]
        ids.update(dict.fromkeys(pointers, last.id))
        rest = {number for pointer in pointers for number in uses.get(pointer, ())}
        places[-1] = last._replace(
            is_claim=last.is_claim or bool(claims.intersection(pointers)),
            results=tuple(sorted({*last.results, *rest})),
        )
    return Listing(element("pre", *_pieces(text, places), class_="source"), ids)


def _laid_out(document: Document) -> str | None:
    """The text of a program as `potc fmt` writes it; None if it is no JSON, as it may be from Python."""
    try:
        json.loads(document.text or "")
        return format_text(document.text or "")
    except (ValueError, RecursionError):
        pass  # What was mended while it was read is shown as it was understood.
    try:
        return format_text(json_text(document.value, None))
    except (TypeError, ValueError, RecursionError):
        return None


def _uses(report: ProgramResult) -> dict[str, list[int]]:
    """The numbers of the results that rest on what is at a pointer; 0 is the conflict of the assumptions."""
    uses: dict[str, list[int]] = {}
    cores = [(number, each.evidence.core) for number, each in enumerate(report.results, 1)]
    if report.evidence is not None:
        cores.append((0, report.evidence.core))
    if report.optimization is not None:
        cores.append((-1, report.optimization.core))
    for number, core in cores:
        for item in core or ():
            uses.setdefault(item.pointer, []).append(number)
    return uses


def result_id(number: int) -> str:
    """The id of the part of the page on a result, by its number as in `_Place`."""
    return {0: "assumptions", -1: "optimization"}.get(number, f"result-{number}")


def _pieces(text: str, places: Sequence[_Place]) -> Iterator[Html]:
    """The text with its marks; of a long one the lines around these."""
    shown = _shown_lines(text, places)
    at = 0
    for place in places:
        yield from _plain(text, at, place.start, shown)
        yield _mark(text, place)
        at = place.end
    yield from _plain(text, at, len(text), shown)


def _mark(text: str, place: _Place) -> Html:
    said = element("code", text_html(_cut(text[place.start : place.end])))
    if place.is_claim:
        return element("span", said, id=place.id, class_="claim")
    links = map(_use, place.results)
    return element("mark", said, element("span", *links, class_="uses"), id=place.id)


def _use(number: int) -> Html:
    """The link from a mark to a result that rests on it."""
    sign, of = (str(number), f"result {number}") if number > 0 else ("!", result_id(number))
    return element("a", sign, href=f"#{result_id(number)}", aria_label=f"used by {of}")


def _shown_lines(text: str, places: Sequence[_Place]) -> list[tuple[int, int]]:
    """The parts of a text that are shown, as ranges of whole lines."""
    starts = [0, *(found.end() for found in _ENDS.finditer(text))]
    if len(starts) <= _SHORT:
        return [(0, len(text))]
    near = [*range(_AROUND)]
    line = 0
    for place in places:
        while line + 1 < len(starts) and starts[line + 1] <= place.start:
            line += 1
        last = line + text.count("\n", place.start, place.end)
        near += range(max(line - _AROUND, 0), min(last + _AROUND + 1, len(starts)))
    bounds = [*starts, len(text)]
    return [(bounds[each], bounds[each + 1]) for each in dict.fromkeys(sorted(near))]


def _plain(text: str, start: int, end: int, shown: Sequence[tuple[int, int]]) -> Iterator[Html]:
    """A part without marks, and how many lines of it are left out."""
    inside = [(max(low, start), min(high, end)) for low, high in shown if low < end and high > start]
    edges = [(start, start), *inside, (end, end)]
    for (_, before), (low, high) in pairwise(edges):
        if before < low:
            lines = text.count("\n", before, low)
            yield element("span", f"… {lines:,} lines\n" if lines else "…\n", class_="left-out")
        yield text_html(_cut(text[low:high]))


def _cut(text: str) -> str:
    """A text in which the long lines end early."""
    if len(text) <= _LONGEST_LINE:
        return text
    return "\n".join(
        line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}… {len(line) - _LONGEST_LINE:,} more"
        for line in text.split("\n")
    )


def source_link(ids: Mapping[str, str], pointer: str, *content: Html | str) -> Html:
    """Content that leads to its mark, if the listing has one."""
    if pointer not in ids:
        return joined(content)
    return element("a", *content, href=f"#{ids[pointer]}")
