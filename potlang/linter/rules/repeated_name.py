"""POT9013: two rules, or two claims, of one name that say different things."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag import Label, Place
from potlang.linter.linted import LintedProgram, Statement, said
from potlang.linter.rule import LintFinding, LintRule


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    for statements in (program.facts, program.rules, program.claims):
        first: dict[str, Statement] = {}
        for each in statements:
            # Options of one question have different names; those of two are told apart by their questions.
            if not each.is_named or "/options/" in each.pointer:
                continue
            earlier = first.setdefault(each.name, each)
            # What is said twice is one mistake, and another rule's.
            if earlier is not each and said(earlier.formula) != said(each.formula):
                yield LintFinding(
                    Place(f"{each.pointer}/name"),
                    {"kind": f"{each.kind}s", "name": each.name},
                    labels=(Label(Place(f"{earlier.pointer}/name"), "the first one"),),
                    helps=("give each its own name: reports, and `overrides`, know them by it",),
                )


RULE = LintRule("POT9013", _find)
