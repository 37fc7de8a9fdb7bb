"""POT9030: two rules contradict each other for a case that the rest of the program allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag import Label
from potlang.linter.clashes import Clash
from potlang.linter.disagreement import advice, case_text, disagreements, is_decision
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    for clash in disagreements(program, questions):
        if is_decision(clash):
            yield _finding(program, clash)


def _finding(program: LintedProgram, clash: Clash) -> LintFinding:
    one, other = clash.one.statement, clash.other.statement
    first, second = (program.text(each, clash.variables) for each in clash.conclusions)
    helps, fixes = advice(program, clash)
    return LintFinding(
        other.place,
        {"one": one.title, "other": other.title, "case": case_text(program, clash)},
        primary=f"`{second}`",
        labels=(Label(one.place, f"`{first}`"),),
        notes=("they cannot both hold of it: with both, the program says that there is no such case",),
        helps=helps,
        fixes=fixes,
    )


RULE = LintRule("POT9030", ask=_ask, stands_for="POT9019")
