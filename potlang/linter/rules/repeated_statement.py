"""POT9012: a fact, a rule or a claim that is there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from potlang.diag import Label
from potlang.linter.linted import LintedProgram, Statement, outline, removal, said
from potlang.linter.rule import LintFinding, LintRule


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    for statements in ([*program.facts, *program.rules], program.claims):
        first: dict[object, Statement] = {}
        outlines = [(each.group, outline(each.formula)) for each in statements]
        known = Counter(outlines)
        for each, alike in zip(statements, outlines, strict=True):
            # Few are like another one at all.
            if known[alike] < 2:
                continue
            earlier = first.setdefault((each.group, said(each.formula)), each)
            if earlier is not each:
                yield _finding(program, each, earlier)


def _finding(program: LintedProgram, each: Statement, earlier: Statement) -> LintFinding:
    # Without a claim its result is missing, though what is asked stays the same; and other rules may name
    # this one, or be overridden by it.
    is_safe = each.kind != "claim" and program.ranked.isdisjoint((each.pointer, earlier.pointer))
    return LintFinding(
        each.place,
        {"one": each.title, "other": earlier.title},
        labels=(Label(earlier.place, "the first one"),),
        helps=("remove one of them, or write what was meant",),
        fixes=(removal(each.pointer, f"remove {each.title}", safe=is_safe),),
    )


RULE = LintRule("POT9012", _find)
