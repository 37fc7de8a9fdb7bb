"""The rules of the linter, one a module; `LINT_RULES` is the only list ([LINT-RULES])."""

from __future__ import annotations

from potlang.linter.rule import LintRule
from potlang.linter.rules import (
    dead_antecedent,
    decision_gap,
    exists_implication,
    fixed_truth,
    forall_conjunction,
    fraction_of_int,
    missing_law,
    missing_premise,
    near_names,
    open_predicate,
    open_sort,
    opposite_rules,
    repeated_name,
    repeated_statement,
    rests_on_disagreement,
    rules_disagree,
    same_term,
    unreachable_declaration,
    unstated_assumption,
    unused_declaration,
    vacuous_claim,
)

LINT_RULES: tuple[LintRule, ...] = (
    unused_declaration.RULE,
    unreachable_declaration.RULE,
    repeated_statement.RULE,
    repeated_name.RULE,
    missing_premise.RULE,
    near_names.RULE,
    open_sort.RULE,
    exists_implication.RULE,
    forall_conjunction.RULE,
    fraction_of_int.RULE,
    same_term.RULE,
    opposite_rules.RULE,
    missing_law.RULE,
    rules_disagree.RULE,
    rests_on_disagreement.RULE,
    decision_gap.RULE,
    dead_antecedent.RULE,
    vacuous_claim.RULE,
    fixed_truth.RULE,
    unstated_assumption.RULE,
    open_predicate.RULE,
)
