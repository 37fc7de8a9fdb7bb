"""What the linter finds in a directory of cases: findings and programs for each rule, and the time."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import potlang
from potlang.linter.choice import LintChoice
from potlang.linter.rules import LINT_RULES


@dataclass
class LintCounts:
    """Findings and programs by rule, programs by family, and up to `most` findings of each rule."""

    most: int
    programs: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    with_findings: Counter[str] = field(default_factory=Counter)
    families: dict[str, Counter[str]] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    check_ms: list[float] = field(default_factory=list)
    lint_ms: list[float] = field(default_factory=list)


def counted(cases: Iterable[dict[str, Any]], only: tuple[str, ...], budget_ms: int, most: int) -> LintCounts:
    """The counts over programs; all rules run unless `only` names some."""
    choice = LintChoice(only=only) if only else LintChoice(select=("all",))
    rules = {rule.code: rule.name for rule in LINT_RULES}
    found = LintCounts(most)
    for case in cases:
        text = json.dumps(case["program"])
        began = time.perf_counter()
        potlang.check(text, language="pot")
        checked = time.perf_counter()
        linted = potlang.lint(text, choice=choice, budget_ms=budget_ms, language="pot")
        found.check_ms.append(1000 * (checked - began))
        found.lint_ms.append(1000 * (time.perf_counter() - checked))
        found.programs += 1
        names = [rules[each.code] for each in linted.diagnostics if each.code in rules]
        found.findings.update(names)
        found.with_findings.update(set(names))
        for name in set(names):
            found.families.setdefault(name, Counter())[case["family"]] += 1
        for each in linted.diagnostics:
            shown = found.examples.setdefault(rules.get(each.code, ""), [])
            if len(shown) < most:
                shown.append(f"{case['id']} {each.place.pointer}: {each.message}")
    found.examples.pop("", None)
    return found


def rows(found: LintCounts) -> list[list[Any]]:
    """A row for each rule."""
    return [
        [
            rule.name,
            "yes" if rule.by_default else "no",
            found.findings[rule.name],
            found.with_findings[rule.name],
            ", ".join(f"{name} {count}" for name, count in sorted(found.families.get(rule.name, {}).items())),
        ]
        for rule in LINT_RULES
    ]
