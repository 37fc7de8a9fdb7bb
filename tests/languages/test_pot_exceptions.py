"""Rules with exceptions: what `unless`, `overrides` and `default` mean, and where they mean nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from potlang.api import check, verify
from potlang.languages.pot.check import compile
from potlang.reread import confirm

X = [{"name": "x", "sort": "Emp"}]
LEAVE = {"name": "leave", "forall": X, "implies": {"antecedent": "full(x)", "consequent": "leave(x)"}}
STAY = {"name": "stay", "forall": X, "implies": {"antecedent": "new(x)", "consequent": "not leave(x)"}}


def program(
    rules: list[dict[str, Any]], *claims: str, facts: tuple[str, ...] = ("full(ann)",)
) -> dict[str, Any]:
    return {
        "sorts": [{"name": "Emp", "type": "DeclareSort"}],
        "functions": [
            *(
                {"name": name, "domain": ["Emp"], "range": "Bool"}
                for name in ("full", "new", "leave", "head")
            ),
            {"name": "days", "domain": ["Emp"], "range": "Int"},
            {"name": "room", "domain": ["Int"], "range": "Bool"},
            {"name": "strike", "domain": [], "range": "Bool"},
        ],
        "constants": {"people": {"sort": "Emp", "members": ["ann", "bob"]}},
        "knowledge_base": list(facts),
        "rules": rules,
        "verifications": [{"name": claim, "constraint": claim} for claim in claims],
    }


def verdicts(rules: list[dict[str, Any]], *claims: str, facts: tuple[str, ...] = ("full(ann)",)) -> list[str]:
    report = verify(program(rules, *claims, facts=facts))
    return [str(result.verdict) for result in report.results]


def codes(*rules: dict[str, Any]) -> list[str]:
    return [diagnostic.code for diagnostic in check(program(list(rules))).diagnostics]


def formulas(*rules: dict[str, Any]) -> list[str]:
    text = compile(program(list(rules))).emit("ir", passes="")
    return [line.partition(") (vars")[2] for line in text.splitlines() if line.startswith('(assert "r')]


def test_unless_is_the_denial_of_the_exception_and_no_more() -> None:
    """[EXC-UNLESS] The review's program: nothing follows of the exception, as it did from two rules."""
    claims = ("leave(ann)", "not new(ann)", "leave(ann) or new(ann)")
    assert verdicts([LEAVE | {"unless": "new(x)"}], *claims) == ["undetermined", "undetermined", "entailed"]
    assert verdicts([LEAVE | {"unless": "new(x)"}, STAY], *claims)[1] == "undetermined"
    assert verdicts([LEAVE, STAY], *claims)[1] == "entailed"


def test_a_list_of_exceptions_is_any_of_them() -> None:
    """[EXC-UNLESS]"""
    rule = LEAVE | {"unless": ["new(x)", "strike"]}
    found = verdicts([rule], "leave(ann)", "leave(ann) or strike", facts=("full(ann)", "not new(ann)"))
    assert found == ["undetermined", "entailed"]


def test_a_core_names_the_rule_as_it_was_written() -> None:
    """[EXC-PARTS]"""
    report = verify(program([LEAVE | {"unless": "new(x)"}], "leave(ann) or new(ann)"))
    evidence = report.results[0].evidence
    assert evidence is not None and evidence.core is not None
    assert evidence.core[-1].text == "forall x: Emp: full(x) -> leave(x) unless new(x)"


@pytest.mark.parametrize(
    "rule",
    [
        {"forall": X, "constraint": "full(x) -> leave(x)"},
        {"forall": X, "constraint": "Implies(full(x), leave(x))"},
    ],
)
def test_constraints_are_taken_apart(rule: dict[str, Any]) -> None:
    """[EXC-PARTS] What providers' schemas have in place of `implies` means the same."""
    written = formulas(LEAVE | {"unless": "new(x)"})
    assert formulas(rule | {"name": "leave", "unless": "new(x)"}) == written
    inner = {"name": "leave", "constraint": "ForAll([x: Emp], full(x) -> leave(x))"}
    assert formulas(inner, STAY | {"overrides": ["leave"]})[:1] == written


def test_an_unless_of_a_norm_says_where_it_does_not_count() -> None:
    """[EXC-UNLESS]"""
    norm = LEAVE | {"role": "norm", "unless": "new(x)"}
    assert (
        verdicts([norm], facts=("full(ann)", "new(ann)", "not leave(ann)", "not full(bob)"))[-1] != "refuted"
    )
    assert verdicts([norm], facts=("full(ann)", "not new(ann)", "not leave(ann)")) == ["refuted"]


def test_an_overridden_rule_gives_way_where_the_other_applies() -> None:
    """[EXC-OVERRIDES] [EXC-MATCH] Variables are matched through the heads, whatever they are called."""
    y = [{"name": "y", "sort": "Emp"}]
    stay = {"name": "stay", "forall": y, "implies": {"antecedent": "new(y)", "consequent": "not leave(y)"}}
    rules = [LEAVE, stay | {"overrides": ["leave"]}]
    assert formulas(*rules) == formulas(LEAVE | {"unless": "new(x)"}, stay)
    facts = ("full(ann)", "full(bob)", "new(ann)", "not new(bob)")
    assert verdicts(rules, "leave(ann)", "leave(bob)", facts=facts) == ["refuted", "entailed"]


def test_an_exception_to_an_exception_brings_the_rule_back() -> None:
    """[EXC-OVERRIDES]"""
    head = {"name": "head", "forall": X, "implies": {"antecedent": "head(x)", "consequent": "leave(x)"}}
    rules = [LEAVE, STAY | {"overrides": ["leave"]}, head | {"overrides": ["stay"]}]
    facts = ("full(ann)", "new(ann)", "head(ann)", "full(bob)", "new(bob)", "not head(bob)")
    assert verdicts(rules, "leave(ann)", "leave(bob)", facts=facts) == ["entailed", "refuted"]


def test_values_are_matched_through_their_left_sides() -> None:
    """[EXC-MATCH] [EXC-DEFAULT]"""
    usual = {"name": "usual", "forall": X, "constraint": "days(x) == 20", "default": True}
    new = {"name": "new", "forall": X, "implies": {"antecedent": "new(x)", "consequent": "10 == days(x)"}}
    facts = ("new(ann)", "not new(bob)", "ann != bob")
    assert verdicts([usual, new], "days(ann) == 10", "days(bob) == 20", facts=facts) == ["entailed"] * 2


def test_facts_override_defaults() -> None:
    """[EXC-DEFAULT] Of Ann alone: Bob may be Ann, unless it is said that he is not."""
    rules = [LEAVE | {"default": True}]
    facts = ("full(ann)", "full(bob)", "not leave(ann)")
    assert verdicts(rules, "leave(ann)", "leave(bob)", facts=facts) == ["refuted", "undetermined"]
    assert verdicts(rules, "leave(bob)", facts=(*facts, "ann != bob")) == ["entailed"]


def test_variables_that_are_left_are_bound() -> None:
    """[EXC-MATCH]"""
    said = {
        "name": "said",
        "forall": [*X, {"name": "z", "sort": "Emp"}],
        "implies": {"antecedent": "new(x) and head(z)", "consequent": "not leave(x)"},
        "overrides": ["leave"],
    }
    condition = LEAVE | {"unless": "Exists([z: Emp], new(x) and head(z))"}
    assert formulas(LEAVE, said)[0] == formulas(condition)[0]


def test_a_rule_without_variables_overrides_wherever_it_applies() -> None:
    """[EXC-MATCH]"""
    closed = {"name": "closed", "implies": {"antecedent": "strike", "consequent": "not head(ann)"}}
    assert formulas(LEAVE, closed | {"overrides": ["leave"]})[0] == formulas(LEAVE | {"unless": "strike"})[0]


def test_literals_that_differ_are_never_the_same_thing() -> None:
    """[EXC-MATCH]"""
    one = {"name": "one", "constraint": "room(1)"}
    assert codes(one, {"name": "two", "constraint": "not room(2)", "overrides": ["one"]}) == ["POT4021"]
    assert codes(one, {"name": "two", "constraint": "not room(1)", "overrides": ["one"]}) == []


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ([LEAVE, STAY | {"overrides": ["left"]}], "POT2020"),
        ([LEAVE | {"overrides": ["stay"]}, STAY | {"overrides": ["leave"]}], "POT4020"),
        ([LEAVE | {"default": True}, STAY | {"default": True}], "POT4020"),
        ([LEAVE | {"unless": "leave(x)"}], "POT4020"),
        ([LEAVE | {"role": "norm"}, STAY | {"overrides": ["leave"]}], "POT4021"),
        ([LEAVE | {"role": "norm", "overrides": ["stay"]}, STAY], "POT4021"),
        ([{"exists": X, "constraint": "leave(x)", "unless": "new(x)"}], "POT4021"),
        ([{"forall": X, "constraint": "leave(x) or new(x)", "default": True}], "POT4021"),
        ([{"forall": X, "constraint": "days(x) <= 30", "default": True}], "POT4021"),
        ([LEAVE, {"forall": X, "constraint": "new(x)", "overrides": ["leave"]}], "POT4021"),
        ([LEAVE | {"unless": "gone(x)"}], "POT2001"),
        ([LEAVE | {"unless": "days(x)"}], "POT3006"),
        ([LEAVE | {"unless": 7}, STAY | {"overrides": "leave"}], "POT1010"),
    ],
)
def test_what_makes_no_sense_is_reported(rules: list[dict[str, Any]], code: str) -> None:
    """[EXC-OVERRIDES] [EXC-CIRCLE] [EXC-NONE]"""
    found = codes(*rules)
    assert code in found
    wrong = {"name": "wrong", "constraint": "gone(ann) and lost"}
    assert {code, "POT2001"} <= set(codes(*rules, wrong)), "the rest of the program is checked as well"


def test_the_second_reader_reads_unless_alike() -> None:
    """[EXC-UNLESS] [CERT-REREAD]"""
    value = program(
        [LEAVE | {"unless": ["new(x)", "not strike"]}, {"constraint": "strike", "unless": "head(ann)"}]
    )
    assert confirm(json.dumps(value).encode(), compile(value).emit("ir", passes="")).status == "confirmed"
