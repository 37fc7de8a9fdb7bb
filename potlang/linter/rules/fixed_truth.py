"""POT9035: a fact, a rule or a claim that is true, or false, whatever the program says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from potlang.ir.nodes import Lit, is_flat, reachable
from potlang.linter.disagreement import some
from potlang.linter.linted import LintedProgram, Statement, implication, literal
from potlang.linter.rule import LintFinding, LintRule
from potlang.linter.rules.fraction_of_int import whole_number
from potlang.linter.rules.same_term import compared_with_itself

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    pool = program.module.pool
    # A claim alone is a question about nothing but itself, and the claim True asks for consistency.
    claims = [each for each in program.claims if program.premises and not isinstance(each.formula, Lit)]
    for each in (*program.facts, *program.rules, *claims):
        # A whole number that equals a fraction is another rule's, and so is a term that equals itself.
        if is_flat(literal(each.formula)[0]) or any(map(whole_number, reachable(each.formula))):
            continue
        if any(compared_with_itself(literal(each.formula)[0])):
            continue
        if questions.impossible(pool.negate(each.formula)):
            found = implication(each)
            # Dead antecedents and vacuous claims are said by their own rules.
            if found is None or not questions.impossible(some(pool, found.binders, [found.antecedent])):
                yield _finding(each, "true")
        elif questions.impossible(each.formula):
            yield _finding(each, "false")


def _finding(each: Statement, value: str) -> LintFinding:
    use = "asks nothing" if each.kind == "claim" else "adds nothing" if value == "true" else "cannot hold"
    return LintFinding(
        each.place,
        {"statement": each.title, "value": value},
        notes=(f"it {use}: it follows from its form, not from what the program says",),
        helps=("write what was meant, or remove it",),
    )


RULE = LintRule("POT9035", ask=_ask)
