"""Tests made from policies: boundaries, conditions, what a case says, and that they notice changes."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from direct_z3 import means_the_same
from finite_policies import finite_policy

import potlang
from potlang.languages.pot.program import CompileError
from potlang.policy import Case, PolicyError, PolicyTest, SuggestedTest, run_tests, suggest, suggestions
from potlang.policy.mutations import mutants
from potlang.policy.rule_parts import MOST_PARTS, parts_of
from potlang.report.results import Limits, Verdict

LIMITS = Limits(check_ms=5_000)
PREDICATES = ("receipt", "opened", "returnable", "gift")


def policy(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    functions = [{"name": name, "domain": ["Item"], "range": "Bool"} for name in PREDICATES]
    terms = {
        "days": "Int",
        "weight": "Real",
        "price": "Money(USD)",
        "fee": "Money(USD)",
        "bought": "Date",
        "kind": "Kind",
    }
    functions += [{"name": name, "domain": ["Item"], "range": sort} for name, sort in terms.items()]
    functions.append({"name": "member", "domain": [], "range": "Bool"})
    items = [{"forall": [{"name": "x", "sort": "Item"}], **each} for each in rules]
    return {
        "sorts": [
            {"name": "Item", "type": "DeclareSort"},
            {"name": "Kind", "type": "EnumSort", "values": ["electronics", "food"]},
        ],
        "functions": functions,
        "rules": items,
        **more,
    }


def rule(antecedent: str, consequent: str, **more: Any) -> dict[str, Any]:
    return {"name": "rule", "implies": {"antecedent": antecedent, "consequent": consequent}, **more}


def rows(program: dict[str, Any]) -> dict[str, SuggestedTest]:
    """The suggested tests by what they show; each passes, and names its rule."""
    compiled = potlang.compile(program)
    found = suggest(compiled, limits=LIMITS).tests
    for result in run_tests(compiled, [each.test for each in found], LIMITS):
        assert result.passed
    return {shows: each for each in found for shows in each.shows.split("; ")}


def boundary(program: dict[str, Any], shows: str, term: str) -> list[tuple[Any, str]]:
    """The values of a field at a boundary, and the verdicts."""
    found = rows(program)
    at = [found[f"{shows}: {place}"].test for place in ("just below", "at", "just above")]
    return [((each.case or {})["item"][term], str(each.expected)) for each in at]


@pytest.mark.parametrize(
    ("condition", "term", "expected"),
    [
        ("days(x) <= 30", "days", [(29, "entailed"), (30, "entailed"), (31, "undetermined")]),
        ("days(x) < 30", "days", [(29, "entailed"), (30, "undetermined"), (31, "undetermined")]),
        ("weight(x) >= 2.5", "weight", [(2.49, "undetermined"), (2.5, "entailed"), (2.51, "entailed")]),
        (
            "weight(x) < 0.125",
            "weight",
            [(0.124, "entailed"), (0.125, "undetermined"), (0.126, "undetermined")],
        ),
        (
            "price(x) > 100 USD",
            "price",
            [("99.99 USD", "undetermined"), ("100 USD", "undetermined"), ("100.01 USD", "entailed")],
        ),
        (
            "bought(x) >= 2024-03-01",
            "bought",
            [("2024-02-29", "undetermined"), ("2024-03-01", "entailed"), ("2024-03-02", "entailed")],
        ),
        ("days(x) == 7", "days", [(6, "undetermined"), (7, "entailed"), (8, "undetermined")]),
    ],
)
def test_a_threshold_has_cases_at_and_beside_it(
    condition: str, term: str, expected: list[tuple[Any, str]]
) -> None:
    """[POLICY-BOUNDARY]"""
    assert (
        boundary(policy(rule(condition, "returnable(x)")), condition.replace("(x)", "(item)"), term)
        == expected
    )


def test_a_whole_number_beside_a_real_threshold() -> None:
    """[POLICY-BOUNDARY]: the nearest whole numbers, and none at it."""
    found = rows(policy(rule("days(x) <= 20.5", "returnable(x)")))
    values = {
        shows.partition(": ")[2]: ((each.test.case or {})["item"]["days"], str(each.test.expected))
        for shows, each in found.items()
        if each.kind == "boundary"
    }
    assert values == {"just below": (20, "entailed"), "just above": (21, "undetermined")}


def test_two_terms_that_are_compared() -> None:
    """[POLICY-BOUNDARY]"""
    found = rows(policy(rule("fee(x) <= price(x)", "returnable(x)")))
    cases = {
        shows.rpartition(": ")[2]: ((each.test.case or {})["item"], each.test.expected)
        for shows, each in found.items()
        if each.kind == "boundary"
    }
    assert {place: str(verdict) for place, (_, verdict) in cases.items()} == {
        "at": "entailed",
        "just below": "entailed",
        "just above": "undetermined",
    }


@pytest.mark.parametrize(
    "condition",
    [
        "receipt(x) and not opened(x)",
        "receipt(x) or opened(x)",
        "(receipt(x) or gift(x)) and not opened(x)",
        "receipt(x) != opened(x)",
        "kind(x) == food and (member or receipt(x))",
    ],
)
def test_each_condition_decides_by_itself(condition: str) -> None:
    """[POLICY-CONDITION]: with it and without it the claim has another verdict, all else being as it may."""
    found = rows(policy(rule(condition, "returnable(x)")))
    texts = {shows.partition(" ")[2] for shows, each in found.items() if each.kind == "condition"}
    assert len(texts) == condition.count("(x)") + condition.count("member")
    for text in texts:
        sides = [found.get(f"{word} {text}") for word in ("with", "without")]
        assert any(sides)
        if all(sides):
            assert {str(each.test.expected) for each in sides if each} == {"entailed", "undetermined"}
    entailed = [each for each in found.values() if each.test.expected is Verdict.ENTAILED]
    assert entailed and len(entailed) < len(found)


def test_what_no_other_rule_decides() -> None:
    """[POLICY-SUGGEST]: the case of a rule is one in which the others say nothing."""
    program = policy(
        rule("receipt(x)", "returnable(x)"), {**rule("gift(x)", "returnable(x)"), "name": "gift"}
    )
    compiled = potlang.compile(program)
    for each in suggest(compiled, limits=LIMITS).tests:
        if each.test.expected is Verdict.ENTAILED and each.kind == "condition":
            without = {**program, "rules": [one for one in program["rules"] if one["name"] != each.rule]}
            (result,) = run_tests(potlang.compile(without), [each.test], LIMITS)
            assert result.verdict is Verdict.UNDETERMINED, each


def test_a_case_says_no_more_than_it_needs() -> None:
    """[POLICY-SUGGEST-CASE]: things are named by their sorts, numbers are round."""
    found = rows(policy(rule("days(x) <= 30 and receipt(x)", "returnable(x)")))
    assert found["without receipt(item)"].test.case == {
        "item": {"sort": "Item", "days": 10, "receipt": False}
    }
    assert found["without receipt(item)"].test.claim == "returnable(item)"
    assert {tuple(each.test.case or {}) for each in found.values()} == {("item",)}


def test_things_of_one_sort_and_names_that_are_taken() -> None:
    """[POLICY-SUGGEST-CASE]"""
    program: dict[str, Any] = {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            {"name": name, "domain": ["Person"] * 2, "range": "Bool"} for name in ("knows", "trusts")
        ],
        "constants": {"people": {"sort": "Person", "members": ["person"]}},
        "rules": [{"constraint": "ForAll([x: Person, y: Person], knows(x, y) -> trusts(x, y))"}],
    }
    found = rows(program)
    case = found["with knows(person_2, person_3)"].test.case
    assert case == {
        "person_2": {"sort": "Person"},
        "person_3": {"sort": "Person"},
        "facts": ["knows(person_2, person_3)"],
    }


def test_equivalences_and_definitions_are_refuted_where_they_fail() -> None:
    """[POLICY-PARTS]"""
    for program in (
        policy({"name": "rule", "constraint": "returnable(x) <-> days(x) <= 30"}),
        policy(
            functions=[
                *[each for each in policy()["functions"] if each["name"] != "returnable"],
                {
                    "name": "returnable",
                    "domain": ["Item"],
                    "params": ["x"],
                    "range": "Bool",
                    "body": "days(x) <= 30",
                },
            ]
        ),
    ):
        expected = [(29, "entailed"), (30, "entailed"), (31, "refuted")]
        assert boundary(program, "days(item) <= 30", "days") == expected


def test_values_that_are_chosen() -> None:
    """[POLICY-PARTS]: each branch of a choice is a rule of its own."""
    program = policy({"name": "rule", "constraint": "fee(x) == If(days(x) > 30, 10 USD, 0 USD)"})
    found = suggest(potlang.compile(program), limits=LIMITS).tests
    claims = {(str(each.test.claim), str(each.test.expected)) for each in found}
    assert {("fee(item) == 10 USD", "entailed"), ("fee(item) == 0 USD", "entailed")} <= claims


def test_a_conclusion_says_no_more() -> None:
    """[POLICY-SUGGEST]: a limit that is concluded is tried one step further."""
    found = rows(policy(rule("receipt(x)", "fee(x) <= 10 USD")))
    further = found["no more than it says: not fee(item) <= 9.99 USD"].test
    assert (further.claim, further.expected) == ("fee(item) <= 9.99 USD", Verdict.UNDETERMINED)


def test_a_condition_that_never_matters_is_told() -> None:
    """[POLICY-CONDITION]"""
    program = policy(
        rule("receipt(x)", "gift(x)"), rule("receipt(x) and gift(x)", "returnable(x)", name="second")
    )
    found = suggest(potlang.compile(program), limits=LIMITS)
    assert ("second", "without gift(item)") in found.unshown


def test_conditions_beyond_the_limit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """[LIMIT-POLICY-SUGGEST]"""
    monkeypatch.setattr(suggestions, "MOST_CONDITIONS", 1)
    program = policy(rule("receipt(x) and gift(x) and member", "returnable(x)"))
    found = suggest(potlang.compile(program), limits=LIMITS)
    assert ("rule", "2 conditions more than 1") in found.unshown
    assert not any("gift" in each.shows for each in found.tests)
    halves = [f"If(days(x) > {at}, receipt(x), gift(x))" for at in range(MOST_PARTS)]
    many = potlang.compile(policy({"name": "many", "constraint": " and ".join(halves)}))
    assert len(parts_of(many.module)) == MOST_PARTS


def test_cases_without_a_verdict_in_time_are_told_apart() -> None:
    """[POLICY-SUGGEST]: there is a case, which is not the same as that none shows it."""
    program = potlang.compile(policy(rule("days(x) <= 30", "returnable(x)")))
    found = suggest(program, limits=Limits(total_ms=1))
    assert not found.tests
    assert not found.unshown
    assert ("rule", "days(item) <= 30: at") in found.unsettled


def test_the_tests_of_some_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """[POLICY-SUGGEST]: nothing is looked for, and nothing decided, for the others."""
    program = potlang.compile(
        policy(
            rule("days(x) <= 30", "returnable(x)"), {**rule("gift(x)", "not returnable(x)"), "name": "gifts"}
        )
    )
    found = suggest(program, rules=["gifts"])
    whole = [each for each in suggest(program).tests if each.rule == "gifts"]
    assert [each.test for each in found.tests] == [each.test for each in whole] != []
    with pytest.raises(PolicyError, match="no rule is named 'gift'"):
        suggest(program, rules=["gift"])


def test_a_policy_that_contradicts_itself_has_no_cases() -> None:
    """[POLICY-SUGGEST]"""
    with pytest.raises(PolicyError, match="contradicts itself"):
        suggest(potlang.compile(policy(knowledge_base=["member", "not member"])))


def test_closed_predicates_are_refuted() -> None:
    """[POLICY-SUGGEST]"""
    program = policy(rule("days(x) <= 30", "returnable(x)"))
    for each in program["functions"]:
        each["closed"] = each["name"] == "returnable"
    expected = [(29, "entailed"), (30, "entailed"), (31, "refuted")]
    assert boundary(program, "days(item) <= 30", "days") == expected


# --- changes that they notice ----------------------------------------------------------------------


def unnoticed(program: dict[str, Any], most: int, seed: int) -> tuple[int, list[str]]:
    """How many of a policy's mutants mean something else, and those of them that no test notices."""
    compiled = potlang.compile(program)
    tests = [each.test for each in suggest(compiled, limits=LIMITS).tests]
    every = list(mutants(program))
    killable, left = 0, []
    for mutant in Random(seed).sample(every, min(most, len(every))):
        try:
            changed = potlang.compile(mutant.applied(program))
        except CompileError:
            continue
        noticed = notices(changed, tests)
        if noticed or means_the_same(compiled, changed) is False:
            killable += 1
            left += [] if noticed else [f"{mutant.pointer}: {mutant.before} as {mutant.after}"]
    return killable, left


def notices(changed: potlang.Program, tests: list[PolicyTest]) -> bool:
    return any(
        not result.passed and result.verdict is not Verdict.UNKNOWN
        for result in run_tests(changed, tests, LIMITS)
    )


REFUND = policy(
    rule("days(x) <= 30 and receipt(x)", "returnable(x)", name="thirty", unless="opened(x)"),
    rule("price(x) >= 100 USD and not member", "fee(x) == 10 USD", name="fee"),
)


def test_changes_of_a_policy_are_noticed() -> None:
    """[POLICY-SUGGEST]"""
    killable, left = unnoticed(REFUND, 8, 1)
    assert killable >= 6 and not left


@pytest.mark.slow
def test_every_change_of_a_policy_is_noticed() -> None:
    """[POLICY-SUGGEST]"""
    killable, left = unnoticed(REFUND, 1_000, 1)
    assert killable > 20 and not left


@pytest.mark.slow
def test_changes_of_random_policies_are_noticed() -> None:
    """[POLICY-SUGGEST]"""
    killable, left = 0, list[str]()
    for seed in range(40):
        found = finite_policy(Random(seed))
        if found.models():
            more, unseen = unnoticed(found.program(), 8, seed)
            killable, left = killable + more, left + unseen
    assert killable > 150 and len(left) <= killable / 20, left


def test_a_case_of_a_test_is_possible() -> None:
    """[POLICY-SUGGEST]: in no case does the policy contradict itself."""
    compiled = potlang.compile(REFUND)
    for each in suggest(compiled, limits=LIMITS).tests:
        with Case.of(each.test.case or {}).applied(compiled).asking(()).session(trust="solver") as session:
            assert session.run().verdict != "inconsistent"
