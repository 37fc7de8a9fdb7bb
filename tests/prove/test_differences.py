"""The two models of an undetermined claim, and what to ask ([VERDICT-DIFFERENCE])."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

import potlang
from potlang import tool
from potlang.prove import differences

RETURNS: dict[str, Any] = {
    "sorts": [{"name": "Item", "type": "DeclareSort"}],
    "functions": [
        {"name": "days", "domain": ["Item"], "range": "Int"},
        {"name": "opened", "domain": ["Item"], "range": "Bool"},
        {"name": "liked", "domain": ["Item"], "range": "Bool"},
        {"name": "praised", "domain": ["Item"], "range": "Bool"},
        {"name": "returnable", "domain": ["Item"], "range": "Bool"},
    ],
    "constants": {"items": {"sort": "Item", "members": ["laptop", "phone"]}},
    "knowledge_base": ["days(laptop) == 20", "liked(laptop) <-> not liked(phone)"],
    "rules": [
        {
            "forall": [{"name": "x", "sort": "Item"}],
            "constraint": "days(x) <= 30 -> returnable(x)",
            "unless": "opened(x)",
        },
        {"constraint": "ForAll([x: Item], liked(x) <-> praised(x))"},
    ],
    "verifications": [{"name": "back", "constraint": "returnable(laptop)"}],
}


def differing(evidence: Any) -> set[str]:
    true, false = evidence.could_be_true, evidence.could_be_false
    return {term for term in true.keys() | false.keys() if true.get(term) != false.get(term)}


@pytest.mark.parametrize("models", ["claim", "full"])
def test_no_more_differs_than_the_claim_depends_on(models: Any) -> None:
    """Neither what is free, nor what is tied to it by other rules."""
    (result,) = potlang.verify(RETURNS, models=models).results
    assert differing(result.evidence) == {"opened(laptop)", "returnable(laptop)"}
    assert result.evidence.to_ask == ("opened(laptop)",)
    assert result.trust == "checked"


def test_the_question_is_asked_everywhere() -> None:
    """[VERDICT-DIFFERENCE], [TOOL-VERIFY] In text, words, a page and the tool, without an option."""
    report = potlang.verify(RETURNS, words=True)
    assert "It would help to know whether laptop is opened." in report.render()
    assert "It is so, for example, if laptop is not opened" in report.render()
    assert "  it would help to know: opened(laptop)\n" in potlang.verify(RETURNS).render()
    assert "It would help to know whether laptop is opened." in potlang.view(RETURNS)
    (found,) = tool.call({"program": RETURNS})["results"]
    assert found["to_ask"] == ["opened(laptop)"]
    (full,) = tool.call({"program": RETURNS, "models": "full"})["results"]
    assert "liked(phone)" in full["could_be_true"] and "liked(phone)" not in found["could_be_true"]
    for wrong in ("most", 3):
        refused = tool.call({"program": RETURNS, "models": wrong})
        assert (refused["status"], refused["error"]) == ("error", "wrong_type")
        assert refused["help"] == "one of claim, full"


def test_where_nobody_evaluates_the_option_is_named() -> None:
    """[VERDICT-DIFFERENCE]"""
    report = potlang.verify(RETURNS, trust="solver")
    assert report.results[0].evidence.to_ask is None
    assert "may be seen with `--models full`" in report.render()


def test_without_time_the_models_stay_as_they_were_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """[LIMIT-DIFFERENCE] The verdict and who stands for it do not rest on that."""
    monkeypatch.setattr(differences, "MOST_MS_CALL", 0.0)
    report = potlang.verify(RETURNS)
    (result,) = report.results
    assert (str(result.verdict), result.trust, result.evidence.to_ask) == ("undetermined", "checked", None)
    assert "may be seen with `--models full`" in report.render()
    assert result.evidence.could_be_true and result.evidence.could_be_false


def test_what_is_free_itself_needs_no_question() -> None:
    program = {"functions": [{"name": "rains", "domain": [], "range": "Bool"}]}
    for claim in ("rains", "not rains"):
        report = potlang.verify({**program, "verifications": [{"constraint": claim}]})
        assert report.results[0].evidence.to_ask == ()
        assert "help to know" not in report.render() and "--models" not in report.render()


@pytest.mark.usefixtures("unhurried")
def test_numbers_and_what_a_quantified_claim_does_not_speak_of() -> None:
    program = {
        **RETURNS,
        "knowledge_base": ["not opened(laptop)", "ForAll([x: Item], returnable(x) -> days(x) <= 40)"],
        "semantics": {"closed_domain": True, "unique_names": True},
        "verifications": [
            {"name": "one", "constraint": "returnable(laptop)"},
            {"name": "some", "constraint": "Exists([x: Item], returnable(x))"},
        ],
    }
    one, some = potlang.verify(program, words=True).results
    assert one.evidence.to_ask == ("days(laptop)",)
    assert some.evidence.to_ask and not any("returnable" in each for each in some.evidence.to_ask)


def _holds(clauses: list[list[tuple[int, bool]]], values: tuple[bool, ...]) -> bool:
    return all(any(values[at] is wanted for at, wanted in clause) for clause in clauses)


def test_random_clauses_against_brute_force() -> None:
    """Both are models with opposite truth of the claim, and no value left could be exchanged."""
    chance, count, seen = random.Random(7), 5, 0
    names = [f"p{at}" for at in range(count)]
    for _ in range(14):
        clauses = [
            [(at, chance.random() < 0.5) for at in chance.sample(range(count), chance.choice((2, 3)))]
            for _ in range(chance.choice((3, 4, 6)))
        ]
        program = {
            "functions": [{"name": name, "domain": [], "range": "Bool"} for name in names],
            "knowledge_base": [
                " or ".join(names[at] if wanted else f"not {names[at]}" for at, wanted in clause)
                for clause in clauses
            ],
            "verifications": [{"name": "c", "constraint": "p0"}],
        }
        (result,) = potlang.verify(program, models="full").results
        models = [each for each in product((False, True), repeat=count) if _holds(clauses, each)]
        expected = {each[0] for each in models} == {True, False}
        assert (str(result.verdict) == "undetermined") is expected
        if not expected:
            continue
        seen += 1
        evidence = result.evidence
        true, false = (
            tuple((model or {})[name] == "True" for name in names)
            for model in (evidence.could_be_true, evidence.could_be_false)
        )
        assert _holds(clauses, true) and true[0] and _holds(clauses, false) and not false[0]
        for at in range(1, count):
            if true[at] != false[at]:
                first, second = (
                    (*one[:at], other[at], *one[at + 1 :]) for one, other in ((true, false), (false, true))
                )
                assert not (_holds(clauses, first) and _holds(clauses, second))
        assert set(evidence.to_ask or ()) == {names[at] for at in range(1, count) if true[at] != false[at]}
    assert seen >= 5


def test_models_may_stay_as_they_were_found() -> None:
    """[VERDICT-DIFFERENCE]: then nothing is asked about, and the verdict is the same."""
    program = {
        "functions": [{"name": name, "domain": [], "range": "Bool"} for name in ("open", "lit", "warm")],
        "knowledge_base": ["lit -> open"],
        "verifications": [{"name": "c", "constraint": "open"}],
    }
    near, found = (potlang.verify(program, models=models).results[0] for models in ("claim", "found"))
    assert near.verdict is found.verdict
    assert near.evidence.to_ask is not None
    assert found.evidence.to_ask is None
    assert found.evidence.could_be_true is not None


def test_nothing_is_asked_about_a_claim_that_only_could_be() -> None:
    """[VERDICT-DIFFERENCE]: the two models are the answer."""
    program = {
        "functions": [{"name": "votes", "domain": [], "range": "Int"}],
        "knowledge_base": ["votes >= 40"],
        "verifications": [{"name": "c", "constraint": "votes > 50", "ask": "could"}],
    }
    result = potlang.verify(program).results[0]
    assert result.evidence.to_ask == ()
