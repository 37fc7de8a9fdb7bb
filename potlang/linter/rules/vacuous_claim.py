"""POT9034: a claim that holds because its condition never does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.linter.clashes import exclude_each_other
from potlang.linter.disagreement import some
from potlang.linter.linted import LintedProgram, Statement, implication
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    pool = program.module.pool
    premises = program.in_any_case()
    consistent = None
    for claim in program.claims:
        found = implication(claim)
        # "If it were both, it would not be one of them" says itself that nothing is.
        if found is None or exclude_each_other(program, found.antecedent, found.consequent):
            continue
        case = some(pool, found.binders, [found.antecedent])
        if questions.impossible(case):
            yield _finding(claim, "its parts contradict each other, whatever the program says")
            continue
        consistent = questions.possible(*premises) if consistent is None else consistent
        if consistent and questions.impossible(case, *premises):
            yield _finding(claim, "under the facts and rules of the program nothing fulfils it")


def _finding(claim: Statement, why: str) -> LintFinding:
    return LintFinding(
        claim.place,
        {"claim": claim.title},
        notes=(why,),
        helps=(
            "the claim is entailed, and so is the one with the opposite conclusion: correct its condition",
        ),
    )


RULE = LintRule("POT9034", ask=_ask)
