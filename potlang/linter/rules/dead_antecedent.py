"""POT9033: a rule whose condition never holds, by itself or under the rest of the program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.ir.nodes import is_flat
from potlang.linter.disagreement import disagreements, some
from potlang.linter.linted import Implication, LintedProgram, literal
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    pool = program.module.pool
    consistent = questions.possible(*program.without_rules([]))
    pairs = disagreements(program, questions) if consistent else ()
    told = {rule.statement.pointer for each in pairs for rule in (each.one, each.other)}
    for rule in program.implications:
        # Facts that are implications state constraints of a puzzle: that one is met says nothing.
        if rule.statement.kind == "fact" and not rule.binders:
            continue
        case = some(pool, rule.binders, [rule.antecedent])
        if not is_flat(literal(rule.antecedent)[0]) and questions.impossible(case):
            yield _finding(rule, "its parts contradict each other")
            continue
        others = program.without_rules([rule.statement])
        if consistent and rule.statement.pointer not in told and questions.impossible(case, *others):
            yield _finding(rule, "the rest of the program excludes it")


def _finding(rule: Implication, why: str) -> LintFinding:
    return LintFinding(
        rule.statement.place,
        {"statement": rule.statement.title},
        primary="never true",
        notes=(f"{why}, so that the rule says nothing",),
        helps=("correct the condition, or remove the rule",),
    )


RULE = LintRule("POT9033", ask=_ask)
