"""Relations of texts for tests."""

from __future__ import annotations

from potlang.languages.dagmath.lower.readings import NO_CONTEXT, Context
from potlang.languages.dagmath.relations.claims import StepRelations
from potlang.languages.dagmath.relations.find import find_chains


def truths(*texts: str, context: Context = NO_CONTEXT) -> list[str]:
    """The truth of the relations of the last text, which rests on those before."""
    relations = StepRelations(texts, context)
    for at in range(len(texts)):
        found = relations.of(at, range(at))
    return [str(each.truth) for each in found]


def shown_chains(text: str) -> list[str]:
    """The chains in a text, as text."""
    found = []
    for chain in find_chains(text).chains:
        sides = [" ".join(side.source.split()) for side in chain.sides]
        pairs = zip(chain.links, sides[1:], strict=True)
        found.append(sides[0] + "".join(f" {link} {side}" for link, side in pairs))
    return found
