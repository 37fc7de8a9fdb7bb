"""Relations of texts for tests."""

from __future__ import annotations

from potlang.languages.dagmath.lower.readings import NO_CONTEXT, Context
from potlang.languages.dagmath.relations.claims import StepRelations


def truths(*texts: str, context: Context = NO_CONTEXT) -> list[str]:
    """The truth of the relations of the last text, which rests on those before."""
    relations = StepRelations(texts, context)
    for at in range(len(texts)):
        found = relations.of(at, range(at))
    return [str(each.truth) for each in found]
