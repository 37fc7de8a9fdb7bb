"""POT9031: a claim is decided only because two rules disagree: each of them is needed for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.diag import Label
from potlang.linter.clashes import Clash
from potlang.linter.disagreement import disagreements, is_decision
from potlang.linter.linted import LintedProgram, Statement
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    if not program.claims:
        return
    pool = program.module.pool
    pairs = [each for each in disagreements(program, questions) if is_decision(each)]
    for claim in program.claims if pairs else ():
        for verdict, excluded in (("entailed", pool.negate(claim.formula)), ("refuted", claim.formula)):
            if questions.impossible(excluded, *program.without_rules([])):
                for clash in pairs:
                    if all(
                        questions.possible(excluded, *program.without_rules([each.statement]))
                        for each in (clash.one, clash.other)
                    ):
                        yield _finding(claim, verdict, clash)
                break


def _finding(claim: Statement, verdict: str, clash: Clash) -> LintFinding:
    one, other = clash.one.statement, clash.other.statement
    return LintFinding(
        claim.place,
        {"claim": claim.title, "verdict": verdict, "one": one.title, "other": other.title},
        labels=(Label(one.place, "without this one it is open"), Label(other.place, "without this one too")),
        helps=("mend the rules first: the answer says nothing but that they cannot both apply",),
    )


RULE = LintRule("POT9031", ask=_ask)
