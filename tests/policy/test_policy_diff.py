"""Differences between versions, and the claims drawn for them."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest
from statements import Property

import potlang
from potlang.generate.programs import ProgramDifficulty, generate
from potlang.policy import PolicyTest, compare
from potlang.policy.sampling import MOST_RULES, rule_claims, sample_claims
from potlang.report.results import Limits, Verdict
from potlang.testing.programs import finite_programs, programs

LIMITS = Limits(check_ms=5_000)


def without(program: dict[str, Any], name: str) -> dict[str, Any]:
    return {
        **program,
        **{
            key: [each for each in program[key] if each["name"] != name]
            for key in ("knowledge_base", "rules")
        },
    }


def own(program: dict[str, Any], verdict: Verdict) -> list[PolicyTest]:
    return [PolicyTest(program["verifications"][0], verdict, "question")]


@pytest.mark.parametrize("verdict", [Verdict.ENTAILED, Verdict.REFUTED, Verdict.INCONSISTENT])
def test_a_lost_part_changes_its_test(verdict: Verdict) -> None:
    """[POLICY-DIFF]: any part that the verdict needs, and no other."""
    found = generate(11, ProgramDifficulty(depth=2, rules=2, facts=2), verdict)
    old = potlang.compile(found.program)
    names = {each["name"] for key in ("knowledge_base", "rules") for each in found.program[key]}
    for name in sorted(names):
        new = potlang.compile(without(found.program, name))
        difference = compare(old, new, own(found.program, verdict), samples=0)
        changed = [(each.origin, each.name, each.old) for each in difference.changes if each.origin == "test"]
        assert changed == ([("test", "question", verdict)] if name in found.support else []), name
        assert not difference.open
        for each in difference.changes:
            # What is undetermined now shows two models, none of which a part of the program forbids.
            assert each.old_evidence
            assert "could be false" in each.new_evidence or each.new is not Verdict.UNDETERMINED


@pytest.mark.slow
def test_drawn_claims_find_what_no_test_asks() -> None:
    """[POLICY-SAMPLES]: a rule without facts to apply to is missed all the same."""
    functions = [{"name": name, "domain": ["Room"], "range": "Bool"} for name in ("open", "lit", "warm")]
    rule = {"antecedent": "open(x)", "consequent": "lit(x)"}
    base: dict[str, Any] = {
        "sorts": [{"name": "Room", "type": "DeclareSort"}],
        "functions": [*functions, {"name": "seats", "domain": ["Room"], "range": "Int"}],
        "constants": {"rooms": {"sort": "Room", "members": ["hall", "attic"]}},
        "knowledge_base": ["seats(hall) == 40"],
        "rules": [{"forall": [{"name": "x", "sort": "Room"}], "implies": rule}],
    }
    old = potlang.compile(base)
    for changed in ({**base, "rules": []}, {**base, "knowledge_base": ["seats(hall) == 39"]}):
        found = compare(old, potlang.compile(changed), samples=100, seed=1)
        assert found.samples >= 100 - found.rules
        assert found.changes
        assert {each.origin for each in found.changes} == {"sample", "rule"}
    assert not compare(old, potlang.compile(base), samples=100, seed=1).changes


def test_claims_that_one_side_cannot_say() -> None:
    """[POLICY-DIFF]"""
    old = potlang.compile(
        {"functions": [{"name": "p", "domain": [], "range": "Bool"}], "knowledge_base": ["p"]}
    )
    new = potlang.compile(
        {"functions": [{"name": "q", "domain": [], "range": "Bool"}], "knowledge_base": ["q"]}
    )
    found = compare(old, new, [PolicyTest("p", Verdict.ENTAILED), PolicyTest("q", Verdict.ENTAILED)])
    assert [(each.claim, each.old, each.new) for each in found.changes] == [
        ("p", Verdict.ENTAILED, Verdict.REJECTED),
        ("q", Verdict.REJECTED, Verdict.ENTAILED),
    ]
    assert found.changes[0].new_evidence
    assert json.loads(json.dumps(found.to_dict()))["changes"][0]["new"] == "rejected"


@pytest.mark.slow
def test_claims_that_are_open() -> None:
    """[POLICY-DIFF]: what is unknown on a side is no change."""
    hard = {
        "variables": [{"name": n, "sort": "Int"} for n in "xyz"],
        "knowledge_base": ["x ** 3 + y ** 3 + z ** 3 == 42"],
    }
    easy = {**hard, "knowledge_base": ["x + y + z == 7"]}
    tests = [PolicyTest("x + y + z == 7", Verdict.ENTAILED)]
    limits = Limits(check_ms=300, total_ms=900)
    found = compare(potlang.compile(hard), potlang.compile(easy), tests, limits=limits)
    assert found.open[0] == "x + y + z == 7"
    assert not found.changes


RENT: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [
        {"name": "age", "domain": ["Person"], "range": "Int"},
        {"name": "fee", "domain": ["Person"], "range": "Real"},
        {"name": "may_rent", "domain": ["Person"], "range": "Bool"},
        {"name": "licensed", "domain": ["Person"], "range": "Bool"},
    ],
}


def renting(antecedent: str) -> potlang.Program:
    rule = {
        "name": "rent",
        "forall": [{"name": "x", "sort": "Person"}],
        "implies": {"antecedent": f"licensed(x) and {antecedent}", "consequent": "may_rent(x)"},
    }
    return potlang.compile({**RENT, "rules": [rule]})


@pytest.mark.parametrize(
    ("old", "new", "term", "least", "most"),
    [
        ("age(x) >= 18", "age(x) >= 21", "age(x)", 18, 20),
        ("fee(x) <= 100", "fee(x) <= 99.5", "fee(x)", 99.5, 100),
    ],
)
def test_rules_show_a_case_that_the_versions_treat_differently(
    old: str, new: str, term: str, least: float, most: float
) -> None:
    """[POLICY-RULES]"""
    for reverse in (False, True):
        pair = (renting(new), renting(old)) if reverse else (renting(old), renting(new))
        found = compare(*pair, samples=0)
        assert found.rules == 2
        (change,) = found.changes
        assert (change.origin, change.name) == ("rule", "rent")
        assert {change.old, change.new} == {Verdict.ENTAILED, Verdict.UNDETERMINED}
        text = (change.old_evidence if reverse else change.new_evidence).partition("could be false")[2]
        assert "not may_rent(x)" in text and "licensed(x)" in text
        value = re.search(rf"{re.escape(term)} = ([\d./]+)", text)
        assert value is not None and least <= Fraction(value[1]) <= most


def test_rules_of_a_difference_are_limited() -> None:
    """[LIMIT-POLICY-RULES] [POLICY-RULES]"""
    facts = [f"fee(x) > {at}" for at in range(300)]
    many = {**RENT, "rules": [{"forall": [{"name": "x", "sort": "Person"}], "constraint": f} for f in facts]}
    other = {**many, "functions": [each for each in RENT["functions"] if each["name"] != "fee"], "rules": []}
    modules = [potlang.compile(each).module for each in (many, RENT, other)]
    assert len(rule_claims(modules[0], modules[1])) == MOST_RULES
    assert list(rule_claims(modules[1], modules[0]).values())[:2] == ["rule 1", "rule 2"]
    assert rule_claims(modules[0], modules[2]) == {} == rule_claims(modules[0], modules[0])


def check_samples(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """[POLICY-SAMPLES]: formulas over both, each once, the same for the same seed."""
    first, second = (potlang.compile(each) for each in pair)
    claims = sample_claims(first.module, second.module, 12, seed=3)
    assert len(set(claims)) == len(claims) <= 12
    again = [potlang.compile(each) for each in pair]
    assert claims == sample_claims(again[0].module, again[1].module, 12, seed=3)
    for program in (first, second):
        with program.session(limits=Limits(1, 1), trust="solver") as session:
            for claim in claims:
                session.verify(claim)


def fewer(program: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The program, and one with its last function gone and no statements that might use it."""
    less = {
        key: each for key, each in program.items() if key in ("sorts", "constants", "functions", "semantics")
    }
    functions = [each for each in less.get("functions", []) if "body" not in each][:-1]
    return program, {**less, "functions": functions}


test_samples, test_samples_deep = Property(check_samples, programs().map(fewer), quick=25).tests()
test_finite, test_finite_deep = Property(
    check_samples, finite_programs().map(lambda p: (p, p)), quick=15
).tests()


def test_nothing_in_common() -> None:
    """[POLICY-SAMPLES]"""
    first, second = potlang.compile({}), potlang.compile({"knowledge_base": ["1 < 2"]})
    assert sample_claims(first.module, second.module, 10, 0) == []
