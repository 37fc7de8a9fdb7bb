"""POT9033: a rule whose condition never holds, by itself or under the rest of the program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.ir.nodes import App, Node, Quant, Symbol, is_flat, reachable
from potlang.linter.disagreement import disagreements, some
from potlang.linter.linted import Implication, LintedProgram, literal
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    pool = program.module.pool
    consistent = questions.possible(*program.in_any_case())
    # What is so in the case at hand keeps a rule from applying to it, and may be otherwise in another.
    case_facts = [each for each in program.facts if _is_of_the_case(each.formula)]
    pairs = disagreements(program, questions) if consistent else ()
    told = {rule.statement.pointer for each in pairs for rule in (each.one, each.other)}
    for rule in program.implications:
        if program.counts_named_members(rule.statement.pointer):
            continue
        # Facts that are implications state constraints of a puzzle: that one is met says nothing.
        if rule.statement.kind == "fact" and not rule.binders:
            continue
        case = some(pool, rule.binders, [rule.antecedent])
        if not is_flat(literal(rule.antecedent)[0]) and questions.impossible(case):
            yield _finding(rule, "its parts contradict each other")
            continue
        others = program.in_any_case([rule.statement, *case_facts])
        if consistent and rule.statement.pointer not in told and questions.impossible(case, *others):
            yield _finding(rule, "the other rules exclude it")


def _is_of_the_case(formula: Node) -> bool:
    """Whether a fact says something of individuals, rather than of everything or of a setting."""
    nodes = reachable(formula)
    return not any(isinstance(node, Quant) for node in nodes) and any(
        isinstance(node, App) and isinstance(node.op, Symbol) and node.args for node in nodes
    )


def _finding(rule: Implication, why: str) -> LintFinding:
    return LintFinding(
        rule.statement.place,
        {"statement": rule.statement.title},
        primary="never true",
        notes=(f"{why}, so that the rule says nothing",),
        helps=("correct the condition, or remove the rule",),
    )


RULE = LintRule("POT9033", ask=_ask)
