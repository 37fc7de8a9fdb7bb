"""Runs the rules of the linter over a compiled program, and merges what they find with its diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from potlang.diag import Place, Sink
from potlang.languages.pot.program import Checked
from potlang.linter.choice import USUAL, LintChoice, chosen_rules
from potlang.linter.linted import LintedProgram
from potlang.linter.rule import LintFinding, LintRule
from potlang.utils.deadline import OutOfFuel
from potlang.utils.gc_pause import collector_paused

if TYPE_CHECKING:
    from potlang.processes.pool import Workers

BUDGET_MS = 5_000
"""The usual time for the questions of one program to a solver."""
_MOST_STATEMENTS = 2_000
"""Statements up to which questions are asked: each carries the whole program."""


def lint(
    checked: Checked,
    choice: LintChoice = USUAL,
    *,
    budget_ms: int = BUDGET_MS,
    workers: Workers | None = None,
) -> Checked:
    """The result of checking with the findings of the linter among its diagnostics.

    `choice` says which rules run; the program's own key `lint` says it after that. Those that ask a solver
    have `budget_ms` milliseconds together, and do not run if that is 0. A program with errors is left as it
    is.
    """
    # Rules of large tables would be about a program without its facts.
    if checked.program is None or checked.program.tables is not None:
        return checked
    sink = Sink(checked.document)
    for each in checked.diagnostics:
        sink.add(each)
    program = checked.program
    rules = chosen_rules(choice, program.tree.lint, deep=budget_ms > 0)
    linted = LintedProgram(program)
    with program.borrowed(), collector_paused(len(program.module.assertions) > _MOST_STATEMENTS):
        for rule in rules:
            if rule.find is not None:
                _report(sink, rule, rule.find(linted))
        asking = [rule for rule in rules if rule.ask is not None]
        if asking:
            late = _ask(sink, asking, linted, budget_ms, workers)
            # What was to be said better is said by form, rather than not at all.
            cheaper = chosen_rules(choice, program.tree.lint, deep=False)
            unsaid = {each.stands_for for each in late}
            for rule in cheaper:
                if rule.code in unsaid and rule.find is not None:
                    _report(sink, rule, rule.find(linted))
    found = Checked(checked.document, tuple(sink.diagnostics(checked.document)), None)
    # The program's own diagnostics stay those of the compiler, which a report on it shows.
    return found._replace(program=program)


def _ask(
    sink: Sink, rules: list[LintRule], linted: LintedProgram, budget_ms: int, workers: Workers | None
) -> list[LintRule]:
    """Reports what rules find that ask a solver; those that are not done and have found nothing."""
    from potlang.linter.questions import OutOfBudget, Questions

    late, silent = list[LintRule](), list[LintRule]()
    if len(linted.module.assertions) + len(linted.module.claims) > _MOST_STATEMENTS:
        late = silent = rules
    else:
        with Questions(linted.module, budget_ms, workers) as questions:
            for rule in rules:
                assert rule.ask is not None
                has_found = False
                try:
                    for each in rule.ask(linted, questions):
                        has_found = True
                        _report(sink, rule, (each,))
                except (OutOfBudget, OutOfFuel):
                    late.append(rule)
                    silent += [] if has_found else [rule]
    if late:
        names = ", ".join(f"`{each.name}`" for each in late)
        helps = ["give more time with `--budget-ms`", "or name the rules that matter with `--rule`"]
        sink.report("POT9003", Place(), rules=names, budget=budget_ms, helps=helps)
    return silent


def _report(sink: Sink, rule: LintRule, findings: Iterable[LintFinding]) -> None:
    report: Callable[..., None] = sink.report
    for each in findings:
        report(
            rule.code,
            each.place,
            primary=each.primary,
            labels=each.labels,
            notes=each.notes,
            helps=each.helps,
            fixes=each.fixes,
            **each.fields,
        )
