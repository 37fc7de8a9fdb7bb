"""A solution in prose, read as one: its steps and their parents are found by rule ([DAG-PROSE-FILES])."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from potlang.diag import Sink
from potlang.languages.dagmath.read.json_form import Draft
from potlang.languages.dagmath.read.prose import Confidence, Prose, ProseLink, Text, from_prose, written
from potlang.languages.dagmath.read.source_map import Part, SourceMap, StepPlaces, Where
from potlang.languages.kind import is_prose

_PARTS: tuple[Part, ...] = ("id", "edge", "parents", "node")
_SHOWN_WORDS = 8
"""Words by which a sentence is found again in its text."""


class ProseDraft(NamedTuple):
    """A solution in prose, and how sure the links between its steps are."""

    draft: Draft
    links: tuple[ProseLink, ...]


def read_prose(text: Text, sink: Sink, places: SourceMap) -> ProseDraft | None:
    """The solution in a text, a message or a chat; None for a text that is no worked solution.

    The problem of a chat is what the user said last.
    """
    said = written(text)
    if not is_prose(said.encode("utf-8", "surrogatepass")):
        return None
    found = from_prose(text, problem=_asked(text))
    if found.solution is None:
        return None
    _note_places(said if isinstance(text, str) else None, found, places)
    counts = found.counts
    sink.report(
        "POT7035",
        places.step(0),
        steps=len(found.solution.steps),
        high=counts[Confidence.HIGH],
        medium=counts[Confidence.MEDIUM],
        low=counts[Confidence.LOW],
    )
    return ProseDraft(Draft(found.solution, True), found.links)


def _asked(text: Text) -> str | None:
    """The last message of a chat's user before the last message."""
    if isinstance(text, str | Mapping):
        return None
    asked = [message for message in text[:-1] if message.get("role") == "user"]
    return written(asked) if asked else None


def _note_places(text: str | None, found: Prose, places: SourceMap) -> None:
    """Notes where each step begins; a message's steps have the place of the whole."""
    assert found.solution is not None
    end = 0
    for step in found.solution.steps:
        where: Where = ("", None)
        if text is not None:
            words = map(re.escape, step.node.split()[:_SHOWN_WORDS])
            match = re.compile(r"\s+".join(words)).search(text, end)
            if match is not None:
                end = match.end()
                where = ("", match.span())
        parents = [where] * len(step.parents or ())
        # No part is written there as it is read, so that none can be edited.
        places.rows.append(StepPlaces(where, dict.fromkeys(_PARTS, where), set(_PARTS), parents))
