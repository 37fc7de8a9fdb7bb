"""POT9040: packs that contradict each other, or what the program says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag import Place
from potlang.ir.module import Assertion, AssertionKind
from potlang.linter.linted import LintedProgram
from potlang.linter.pack_axioms import (
    imported_axioms,
    listed,
    other_places,
    parts_of,
    said_in_words,
    smallest_clash,
)
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    axioms = [axiom for each in imported_axioms(program) for axiom in each.axioms]
    # What packs say of each other comes first: then the facts have no part in it.
    others = [each for each in program.module.assertions if each.kind is not AssertionKind.PACK]
    for premises in (axioms, [*axioms, *others]):
        if axioms and questions.impossible(*(each.formula for each in premises)):
            # Axioms are left out first: a program that contradicts itself without them is no finding here.
            clash = smallest_clash(questions, premises)
            if any(each.kind is AssertionKind.PACK for each in clash):
                yield _finding(program, clash)
            return


def _finding(program: LintedProgram, clash: list[Assertion]) -> LintFinding:
    axioms = [each for each in clash if each.kind is AssertionKind.PACK]
    pointer = axioms[-1].origin.pointer
    parts = parts_of(program, clash)
    return LintFinding(
        Place(pointer),
        {"parts": listed(parts) if len(parts) > 1 else f"the axioms of {parts[0]}"},
        labels=other_places(clash, pointer),
        notes=said_in_words(program, clash),
        helps=(_advice(axioms, len(axioms) < len(clash)),),
    )


def _advice(axioms: list[Assertion], has_statements: bool) -> str:
    if has_statements:
        return "correct what the program says, or bind the pack to the symbols that it is about"
    if len({each.origin.pointer for each in axioms}) == 1:
        return "bind different parameters of the pack to different symbols"
    return "import one of the packs only, or bind them to different symbols"


RULE = LintRule("POT9040", ask=_ask)
