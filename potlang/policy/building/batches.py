"""The sentences that a model is asked about at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from potlang.policy.building.reading import SourceSentence

RULE_BATCH: Final = 14
"""Sentences whose rules are asked for in one request, more or less: sections stay whole where they can."""
WORD_BATCH: Final = 150
"""Sentences whose words are asked for in one request."""
LONGEST_BATCH: Final = 20_000
"""Characters of the sentences of one request."""


def batches(sentences: Sequence[SourceSentence], most: int) -> Iterator[tuple[SourceSentence, ...]]:
    """The sentences in their order, a few at a time; a batch ends before a heading where it may."""
    if not sentences:
        return
    usual = len(sentences) / -(-len(sentences) // most)
    found: list[SourceSentence] = []
    length = 0
    for each in sentences:
        is_full = len(found) >= 1.5 * usual or length + len(each.text) > LONGEST_BATCH
        if found and (is_full or (each.kind == "heading" and len(found) > 0.6 * usual < len(sentences) / 2)):
            yield tuple(found)
            found, length = [], 0
        found.append(each)
        length += len(each.text)
    yield tuple(found)


def shown(batch: Sequence[SourceSentence]) -> list[dict[str, Any]]:
    """The sentences as a model is shown them."""
    kinds = {"heading": "heading", "item": "item of a list", "row": "row of a table"}
    return [
        {
            "number": each.number,
            **({"kind": kinds[each.kind]} if each.kind in kinds else {}),
            "text": each.text,
        }
        for each in batch
    ]
