"""Closed predicates that only cases make true, and what is found out about a policy ([POLICY-LEFT])."""

from __future__ import annotations

from typing import Any

import pytest

from potlang.languages.pot.check import compile as compile_program
from potlang.policy import compare, coverage, describe, rule_map, suggest
from potlang.policy.left_to_cases import left_to_cases, over_all_cases
from potlang.policy.tests import PolicyTest
from potlang.report.results import Verdict

Json = dict[str, Any]
PEOPLE = [{"name": "p", "sort": "Person"}]
MEMBERS = "member(p) -> fee(p) == 50"
STRANGERS = "not member(p) -> fee(p) == 20"
RULES = {
    "members": "member(p) -> admitted(p)",
    "strangers": "not admitted(p) -> not may_swim(p)",
    "swimming": "admitted(p) and not banned(p) -> may_swim(p)",
}


def pool(closed: tuple[str, ...] = ("member", "banned", "admitted"), **rules: str) -> Json:
    """A policy whose members and banned people come with each case."""
    names = ("member", "banned", "admitted", "may_swim")
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            *(
                {"name": name, "domain": ["Person"], "range": "Bool", "closed": name in closed}
                for name in names
            ),
            {"name": "fee", "domain": ["Person"], "range": "Int"},
        ],
        "rules": [
            {"name": name, "forall": PEOPLE, "constraint": text} for name, text in {**RULES, **rules}.items()
        ],
    }


def test_what_nothing_concludes_is_left_to_cases() -> None:
    """[POLICY-LEFT]"""
    program = compile_program(pool())
    assert left_to_cases(program) == ("member", "banned")
    assert describe(program).left_to_cases == ("member", "banned")
    said = {
        **pool(),
        "constants": {"a": {"sort": "Person", "members": ["ann"]}},
        "knowledge_base": ["member(ann)"],
    }
    assert left_to_cases(compile_program(said)) == ("banned",)
    opened = over_all_cases(program)
    assert [each.name for each in opened.tree.functions if each.closed] == ["admitted"]
    assert over_all_cases(opened) is opened


def test_tests_are_suggested_for_what_cases_say() -> None:
    """[POLICY-LEFT] [POLICY-SUGGEST]"""
    found = suggest(compile_program(pool()))
    assert not found.unshown
    shown = {(each.test.claim, str(each.test.case), each.test.expected) for each in found.tests}
    assert ("admitted(person)", "{'person': {'sort': 'Person', 'member': True}}", Verdict.ENTAILED) in shown
    assert ("admitted(person)", "{'person': {'sort': 'Person', 'member': False}}", Verdict.REFUTED) in shown


def test_a_gap_may_need_what_only_a_case_says() -> None:
    """[POLICY-LEFT] [POLICY-GAP]: nothing is said of members who are banned."""
    found = next(
        each for each in rule_map(compile_program(pool())).gaps if each.subject == "may_swim(person)"
    )
    assert found.case is not None
    assert found.case["person"]["banned"] is True


def test_versions_that_differ_on_what_cases_say_are_not_equal() -> None:
    """[POLICY-LEFT] [POLICY-DIFF]: that members pay 60 and not 50 is a difference, if nobody is one yet."""
    old = compile_program(pool(fees=MEMBERS, others=STRANGERS))
    dearer = compile_program(pool(fees=MEMBERS.replace("50", "60"), others=STRANGERS))
    found = compare(old, dearer)
    assert found.relation == "different"
    assert [each.words for each in found.changes] == ["50 → 60"]
    same = compile_program(pool(fees="member(p) -> 50 == fee(p)", others=STRANGERS))
    assert compare(old, same).relation == "equal"


def test_that_a_predicate_is_no_longer_left_to_cases_is_a_difference() -> None:
    """[POLICY-LEFT] [POLICY-DIFF]"""
    old = compile_program(pool())
    assert compare(old, compile_program(pool(closed=("member", "admitted")))).relation != "equal"
    assert compare(old, compile_program(pool(bans="fee(p) > 100 -> banned(p)"))).relation != "equal"


@pytest.mark.slow
def test_a_mutant_that_differs_on_what_cases_say_is_a_hole() -> None:
    """[POLICY-LEFT] [POLICY-COVERAGE]"""
    program = compile_program(pool())
    found = coverage(program, [], most=6)
    assert found.holes > 0
    assert not any(each.equivalent for each in found.rules if each.name == "members")
    test = PolicyTest("admitted(a)", Verdict.ENTAILED, case={"a": {"member": True}})
    assert coverage(program, [test], most=6).noticed > 0
