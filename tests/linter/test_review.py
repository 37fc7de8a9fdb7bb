"""The linter on programs from outside that say something else than was meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import potlang
from potlang.diag.fixes import apply_fix
from potlang.linter.choice import LintChoice

pytestmark = pytest.mark.usefixtures("unhurried")
REVIEW = Path(__file__).parent / "review"


def messages(name: str, **options: int) -> list[str]:
    return [each.message for each in potlang.lint(REVIEW / f"{name}.json", **options).diagnostics]


def test_suspicious_items_are_all_found() -> None:
    """[LINT-ONE]: each has its finding, and no second one."""
    assert messages("lint") == [
        "the sort `Unused` is never used",
        "the function `never_used` is never used",
        "the constant `ghost` is never used",
        "the variable `unused_var` is never used",
        "the fact 2 says the same as the fact 1",
        "the fact 3 is always true, whatever the program says",
        'the condition of the rule "r1" never holds',
        'the rule "r2" and the rule "r3 contradicts r2" disagree for x with days(x) <= 30 and days(x) <= 10',
        'the rule "r2" says the same as the rule "r2"',
        "`Exists` over an implication says next to nothing",
        "`ForAll` over a conjunction says both of everything",
        'the claim "tautology" is always true, whatever the program says',
        'the claim "vacuous" is about nothing: its condition never holds',
        'the claim "same" says the same as the claim "same"',
        'the claim "ground taut" is always true, whatever the program says',
        'the claim "self" is always true, whatever the program says',
    ]


def test_rules_that_disagree_are_shown_with_the_case_and_the_claims_that_rest_on_it() -> None:
    """[LINT-CLASH] [LINT-REST]"""
    assert messages("conflict") == [
        'the rule "2 electronics" and the rule "10 premium" disagree for x with '
        "category(x) == electronics and Not(defective(x)) and premium(x)",
        'the rule "7 defective" and the rule "10 premium" disagree for x with defective(x) and premium(x)',
        'the claim "premium members never buy electronics" is entailed because the rule "2 electronics" and '
        'the rule "10 premium" disagree',
        'the claim "premium members never buy electronics" is entailed because the rule "7 defective" and '
        'the rule "10 premium" disagree',
        'the claim "premium goods are never defective" is entailed because the rule "7 defective" and '
        'the rule "10 premium" disagree',
    ]


def test_an_exception_that_is_a_rule_of_its_own_is_offered_unless() -> None:
    for name in ("unless", "unless2"):
        value = json.loads((REVIEW / f"{name}.json").read_text(encoding="utf-8"))
        found = potlang.lint(REVIEW / f"{name}.json").diagnostics
        assert [each.code for each in found] == ["POT9030", "POT9031"], name
        assert found[0].message.endswith("disagree for x with full_time(x) and on_probation(x)")
        assert 'give the rule "leave" `"unless": "on_probation(x)"`' in found[0].helps[0]
        assert found[1].message.startswith('the claim "nobody on probation (not stated)" is entailed')
        fixed: Any = apply_fix(value, found[0].fixes[0])
        assert "POT9030" not in [each.code for each in potlang.lint(fixed).diagnostics]
        probation = potlang.verify(fixed, language="pot").results[1]
        assert probation.verdict == ("undetermined" if name == "unless" else "refuted")


def test_rules_with_their_own_binders_are_offered_overrides() -> None:
    """[LINT-CLASH]"""
    fixed: Any = json.loads((REVIEW / "conflict.json").read_text(encoding="utf-8"))
    for left in (1, 0):
        found = [each for each in potlang.lint(fixed).diagnostics if each.code == "POT9030"]
        fixed = apply_fix(fixed, found[0].fixes[0])
        assert len([each for each in potlang.lint(fixed).diagnostics if each.code == "POT9030"]) == left
    assert fixed["rules"][9]["overrides"] == ["2 electronics", "7 defective"]
    assert {each.verdict for each in potlang.verify(fixed, language="pot").results} == {"undetermined"}


def test_opposite_rules_are_told_without_a_solver() -> None:
    """[LINT-FACES] [LINT-CLASH]"""
    assert messages("unless", budget_ms=0) == [
        'the rule "leave" and the rule "except" draw opposite conclusions'
    ]
    assert messages("conflict", budget_ms=0) == [
        'the rule "2 electronics" and the rule "10 premium" draw opposite conclusions',
        'the rule "7 defective" and the rule "10 premium" draw opposite conclusions',
    ]


def test_a_fraction_where_the_sort_is_int_names_the_sort() -> None:
    """[LINT-FRACTION]"""
    found = potlang.lint(REVIEW / "fraction.json").diagnostics
    assert [each.code for each in found] == ["POT9018"]
    assert found[0].labels[1].message == "the values of `days` are whole numbers"


def test_claims_about_nothing_are_told_apart() -> None:
    """[LINT-VACUOUS] [LINT-TRUTH]"""
    found = potlang.lint(REVIEW / "vac.json").diagnostics
    assert [(each.message, each.notes[0].split(",")[0]) for each in found[:3]] == [
        (
            'the claim "tautology" is always true, whatever the program says',
            "it asks nothing: it follows from its form",
        ),
        (
            'the claim "vacuous" is about nothing: its condition never holds',
            "its parts contradict each other",
        ),
        (
            'the claim "vacuous in the theory" is about nothing: its condition never holds',
            "under the facts and rules of the program nothing fulfils it",
        ),
    ]


def test_open_claims_say_what_would_decide_them() -> None:
    """[LINT-ASSUMED] [LINT-DENIED]"""
    unique = 'the claim "two names one thing" would be entailed if different names stood for different things'
    denied = 'the claim "negation as failure" would be entailed if what does not follow counted as false'
    assert messages("vac")[3:] == [unique]
    every = potlang.lint(REVIEW / "vac.json", choice=LintChoice(select=("open-predicate",)))
    assert [each.message for each in every.diagnostics][3:] == [unique, denied]
