"""Mutants of policies: one token each, of every kind."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import potlang
from potlang.policy.mutations import mutants

RENT: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [
        {"name": "age", "domain": ["Person"], "range": "Int"},
        {"name": "fee", "domain": ["Person"], "range": "Real"},
        *(
            {"name": name, "domain": ["Person"], "range": "Bool"}
            for name in ("licensed", "may_rent", "hard hat")
        ),
    ],
    "constants": {"people": {"sort": "Person", "members": ["ann"]}},
}


def changed(rule: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The kind of each mutant of a rule, and what it changes into what."""
    program = {**RENT, "rules": [rule]}
    before = copy.deepcopy(program)
    found = list(mutants(program))
    for each in found:
        potlang.compile(each.applied(program))
    assert program == before
    return [(each.kind, each.before, each.after) for each in found]


def test_each_kind_of_mutant() -> None:
    rule = {
        "forall": [{"name": "x", "sort": "Person"}],
        "implies": {"antecedent": "licensed(x) and age(x) >= 18", "consequent": "not may_rent(x)"},
        "unless": "fee(x) == 0.50",
    }
    assert set(changed(rule)) == {
        ("premise", "licensed(x)", "True"),
        ("premise", "age(x) >= 18", "True"),
        ("premise", "fee(x) == 0.50", "False"),
        ("connective", "and", "or"),
        ("connective", "not", ""),
        ("connective", "==", "!="),
        ("threshold", ">=", ">"),
        ("threshold", "18", "19"),
        ("threshold", "18", "17"),
        ("threshold", "0.50", "0.51"),
        ("threshold", "0.50", "0.49"),
        *(("predicate", name, other) for name, other in (("licensed", "may_rent"), ("may_rent", "licensed"))),
        *(("predicate", name, "`hard hat`") for name in ("licensed", "may_rent")),
    }


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("ForAll([x: Person], Implies(And(licensed(x), may_rent(x)), Not(licensed(x))))", "ForAll Exists"),
        ("ForAll([x: Person], Implies(And(licensed(x), may_rent(x)), Not(licensed(x))))", "Implies Iff"),
        ("ForAll([x: Person], Implies(And(licensed(x), may_rent(x)), Not(licensed(x))))", "And Or"),
        ("ForAll([x: Person], Implies(And(licensed(x), may_rent(x)), Not(licensed(x))))", "may_rent(x) True"),
        ("ForAll([x: Person], Implies(And(licensed(x), may_rent(x)), Not(licensed(x))))", "Not "),
        ("(licensed(ann) or may_rent(ann)) -> age(ann) < 3", "-> <->"),
        ("(licensed(ann) or may_rent(ann)) -> age(ann) < 3", "or and"),
        ("(licensed(ann) or may_rent(ann)) -> age(ann) < 3", "< <="),
        ("2 < age(ann) <= 5", "<= <"),
    ],
)
def test_every_place_of_a_formula(constraint: str, expected: str) -> None:
    found = [f"{before} {after}" for _, before, after in changed({"constraint": constraint})]
    assert expected in found


def test_a_rule_for_all_becomes_one_for_some() -> None:
    rule = {"name": "r", "forall": [{"name": "x", "sort": "Person"}], "constraint": "licensed(x)"}
    program = {**RENT, "rules": [rule]}
    (found,) = [each for each in mutants(program) if each.kind == "quantifier"]
    assert found.applied(program)["rules"] == [
        {"name": "r", "constraint": "Exists([x: Person], licensed(x))"}
    ]


def test_dates_and_amounts() -> None:
    program = {
        "constants": {"day": {"sort": "Date", "members": ["due"]}},
        "knowledge_base": ["due == 2025-03-01", "due <= 2025-01-01 + 30 days"],
    }
    found = [(each.before, each.after) for each in mutants(program) if each.kind == "threshold"]
    assert ("2025-03-01", "2025-02-28") in found
    assert ("30", "31") in found
    for each in mutants(program):
        potlang.compile(each.applied(program))


@pytest.mark.parametrize(
    "program", [{}, {"rules": 3}, {"knowledge_base": ["p(", 7]}, {"functions": [{"name": "f"}]}]
)
def test_what_is_no_policy_has_none(program: dict[str, Any]) -> None:
    assert list(mutants(program)) == []
