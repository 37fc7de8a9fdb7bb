"""Questions to a policy about a case, from Python, the command and the tool."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from test_policy_cases import RETURNS

import potlang
from potlang.cli.policy import policy as command
from potlang.languages.pot.program import CompileError, Program
from potlang.policy import answers, ask, describe, open_store
from potlang.report.results import Limits, Verdict
from potlang.tool import call

ITEM: dict[str, Any] = {"item": {"kind": "electronics", "days": 20, "opened": False}}
CLAIM = "may_return(item)"


@pytest.fixture(scope="module")
def returns() -> Program:
    return potlang.compile(RETURNS)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POTLANG_POLICIES", str(tmp_path))
    open_store(tmp_path).add("returns", json.dumps({**RETURNS, "description": "What may be returned."}))
    return tmp_path


def test_an_answer_has_the_rules_and_facts_that_decide(returns: Program) -> None:
    """[POLICY-ASK]: facts have their place in the case."""
    found = ask(returns, [CLAIM], ITEM)
    (result,) = found.report.results
    assert result.verdict is Verdict.ENTAILED
    assert [(each.kind, each.pointer) for each in result.evidence.core or ()] == [
        ("case", "/case/item/kind"),
        ("case", "/case/item/days"),
        ("rule", "/rules/0"),
    ]
    (words,) = found.report.sentences or ()
    assert words.claim == "item may return."
    assert "The days of item is 20." in words.because[1]


def test_the_nearest_other_values_that_change_the_answer(returns: Program) -> None:
    """[POLICY-ASK-CHANGE]"""
    changes = ask(returns, [CLAIM], ITEM).changes
    assert [(each.fact, each.old, each.new, each.verdict) for each in changes] == [
        ("item.kind", "electronics", "food", Verdict.REFUTED),
        ("item.days", 20, 31, Verdict.REFUTED),
    ]
    assert changes[1].case == {"item": {**ITEM["item"], "days": 31}}
    back = ask(returns, [CLAIM], changes[1].case)
    assert [(each.fact, each.new, each.verdict) for each in back.changes] == [
        ("item.days", 30, Verdict.ENTAILED)
    ]


def test_what_is_missing_to_decide(returns: Program) -> None:
    """[POLICY-ASK-MISSING]"""
    found = ask(returns, [CLAIM], {"item": {"days": 20}})
    assert found.report.verdict is Verdict.UNDETERMINED
    (missing,) = found.missing
    assert missing.term == "kind(item)"
    assert missing.verdicts == {
        "electronics": Verdict.ENTAILED,
        "food": Verdict.REFUTED,
        "hard hat": Verdict.ENTAILED,
    }
    assert not found.changes
    assert [(each.verdict, each.facts) for each in found.sufficient] == [
        (Verdict.ENTAILED, ("kind(item) == electronics",)),
        (Verdict.REFUTED, ("kind(item) == food",)),
    ]


@pytest.mark.parametrize(
    "facts",
    [["days(item) > 30"], ["not may_return(item)"], ["may_return(item)", "not may_return(item)"]],
)
def test_a_case_that_contradicts_is_an_error_and_no_answer(returns: Program, facts: list[str]) -> None:
    """[POLICY-ASK-CONTRADICTION]"""
    with pytest.raises(CompileError) as caught:
        ask(returns, [CLAIM], {**ITEM, "facts": facts})
    (found,) = caught.value.diagnostics
    assert found.code == "POT4003"
    assert found.severity == "error"
    assert all(each.place.pointer.startswith("/case/") for each in found.labels)


def test_a_policy_that_contradicts_itself_is_inconsistent() -> None:
    """[POLICY-ASK-CONTRADICTION]: that is no mistake of the case."""
    broken = potlang.compile({**RETURNS, "knowledge_base": ["member", "not member"]})
    assert ask(broken, [CLAIM], ITEM).report.verdict is Verdict.INCONSISTENT


def test_without_claims_the_verifications_are_asked() -> None:
    """[POLICY-ASK]"""
    program = potlang.compile({**RETURNS, "verifications": [{"name": "all", "constraint": "premium(ann)"}]})
    found = ask(program, case={"ann": {"premium": True}})
    (result,) = found.report.results
    assert (result.name, result.pointer, result.verdict) == ("all", "/verifications/0", Verdict.ENTAILED)


def test_a_claim_that_is_no_formula_is_rejected(returns: Program) -> None:
    """[POLICY-ASK]: the others are answered."""
    report = ask(returns, [CLAIM, "may_retrun(item)"], ITEM).report
    assert report.verdict is Verdict.REJECTED
    assert [each.verdict for each in report.results] == [Verdict.ENTAILED]
    assert [each.place.pointer for each in report.diagnostics] == ["/claims/1"]


@settings(max_examples=12)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "days": st.integers(25, 35),
            "kind": st.sampled_from(["food", "electronics", "hard hat"]),
            "opened": st.booleans(),
        },
    )
)
def test_changes_and_missing_facts_hold_when_asked_again(fields: dict[str, Any]) -> None:
    """[POLICY-ASK-CHANGE], [POLICY-ASK-MISSING]: against the rule in plain Python."""

    def expected(item: dict[str, Any]) -> Verdict:
        known = {
            days <= 30 and kind != "food"
            for days in ([item["days"]] if "days" in item else [0, 99])
            for kind in ([item["kind"]] if "kind" in item else ["food", "electronics"])
        }
        return (
            Verdict.UNDETERMINED
            if len(known) > 1
            else Verdict.ENTAILED
            if known == {True}
            else Verdict.REFUTED
        )

    found = ask(potlang.compile(RETURNS), [CLAIM], {"item": {"sort": "Item", **fields}})
    verdict = expected(fields)
    assert found.report.verdict is verdict
    for change in found.changes:
        assert change.verdict is expected(change.case["item"]) is not verdict
    for missing in found.missing:
        for value, other in missing.verdicts.items():
            assert other is expected({**fields, "kind": value})
    if verdict is Verdict.ENTAILED:
        assert {each.fact for each in found.changes} == {"item.days", "item.kind"}
    assert len(found.sufficient) == (2 if verdict is Verdict.UNDETERMINED else 0)
    for enough in found.sufficient:
        assert _verdict_with(fields, enough.facts) is enough.verdict
        for left_out in enough.facts:
            assert _verdict_with(fields, [each for each in enough.facts if each != left_out]) is verdict


def _verdict_with(fields: dict[str, Any], facts: Sequence[str]) -> str:
    case = {"item": {"sort": "Item", **fields}, "facts": list(facts)}
    return ask(potlang.compile(RETURNS), [CLAIM], case, explain=False).report.verdict


def test_a_claim_is_no_fact_that_suffices_for_itself() -> None:
    """[POLICY-ASK-MISSING]: nor if its name is no word."""
    constants = {"numbers": {"sort": "Int", "members": ["a b", "least"]}}
    program = potlang.compile({"constants": constants, "knowledge_base": ["`a b` >= least"]})
    found = ask(program, ["`a b` > 5"], {})
    assert found.report.verdict == "undetermined"
    assert not [fact for each in found.sufficient for fact in each.facts if "a b" in fact]


def test_no_facts_suffice_where_the_policy_leaves_it_open() -> None:
    """[POLICY-ASK-MISSING]: nor are what rules conclude and what is known facts to ask for."""
    program = potlang.compile(
        {
            "functions": [
                {"name": each, "domain": [], "range": "Bool"} for each in ("old", "worn", "fine", "kept")
            ],
            "rules": [{"constraint": "old and worn -> fine or kept"}, {"constraint": "not old -> kept"}],
        }
    )
    found = ask(program, ["kept"], {"worn": True})
    assert [(each.verdict, each.facts) for each in found.sufficient] == [(Verdict.ENTAILED, ("not old",))]
    assert [each.term for each in found.missing] == ["old"]


@pytest.mark.parametrize(
    "rule",
    ["days(x) >= 0", "days(x) < -1 -> False", "may_return(x) -> days(x) <= 30", "wear(x) == 2 * days(x)"],
)
def test_a_function_that_a_rule_bounds_or_computes_with_is_asked_about(rule: str) -> None:
    """[POLICY-ASK-MISSING]: neither a bound nor a part of a computed value is a conclusion about it."""
    program = potlang.compile(
        {
            "sorts": [{"name": "Item", "type": "DeclareSort"}],
            "functions": [
                {"name": "days", "domain": ["Item"], "range": "Int"},
                {"name": "wear", "domain": ["Item"], "range": "Int"},
                {"name": "may_return", "domain": ["Item"], "range": "Bool"},
            ],
            "rules": [
                {"forall": [{"name": "x", "sort": "Item"}], "constraint": each}
                for each in ("days(x) <= 20 -> may_return(x)", rule)
            ],
        }
    )
    found = ask(program, [CLAIM], {"item": {"sort": "Item"}})
    assert [each.term for each in found.missing] == ["days(item)"]
    assert Verdict.ENTAILED in [each.verdict for each in found.sufficient]


def run(*args: str, text: str | None = None) -> tuple[int, str, str]:
    found = CliRunner().invoke(command, args, input=text)
    assert not found.exception or isinstance(found.exception, SystemExit), found.exception
    return found.exit_code, found.stdout, found.stderr


def test_the_command_asks_with_a_file_or_json(stored: Path) -> None:
    """[POLICY-ASK]"""
    code, out, _ = run("ask", "returns", CLAIM, "--case", json.dumps(ITEM))
    assert code == 0
    assert "item may return." in out
    assert "the answer to may_return(item) would be another" in out
    assert "  if the days of item is 31: refuted (item.days: 20 → 31)" in out
    path = stored / "case.json"
    path.write_text(json.dumps({"item": {"kind": "food", "days": 2}}), encoding="utf-8")
    assert run("ask", "returns", CLAIM, "--case", str(path))[0] == 1
    code, out, _ = run(
        "ask", "returns@1", CLAIM, "--case", "-", "--format", "json", text='{"item": {"days": 3}}'
    )
    assert code == 1
    assert json.loads(out)["missing"][0]["term"] == "kind(item)"


@pytest.mark.parametrize(
    "case", ['{"item": {"days": 2.5}}', '{"item": ', '{"item": {"kind": "x"}}', "no-such-file.json", "[1]"]
)
def test_a_wrong_case_ends_the_command_without_an_answer(stored: Path, case: str) -> None:
    """[POLICY-CASE-ERROR]"""
    code, out, err = run("ask", "returns", CLAIM, "--case", case)
    assert (code, out) == (2, "")
    assert "error" in err


def test_policies_are_searched_and_described(stored: Path, returns: Program) -> None:
    """[POLICY-DESCRIBE]"""
    assert "returns@1" in run("list", "ELECTRONICS", "days")[1]
    assert run("list", "mortgage")[1] == ""
    code, out, _ = run("describe", "returns")
    assert code == 0
    assert "What may be returned." in out
    assert out.splitlines()[1:3] == ["kind(Item): Kind  the kind of x", "days(Item): Int"]
    assert out.count("days(Item)") == 1
    assert "of sort Kind: electronics, food, `hard hat`, usual_kind" in out
    assert "thirty days: For every item x, if the days of x is at most 30" in out
    assert [each.name for each in describe(returns).rules] == ["thirty days"]


def test_the_tool_asks_with_a_case(stored: Path) -> None:
    """[TOOL-CLAIMS]: an object, or its text for models that write only text."""
    for case in (ITEM, json.dumps(ITEM)):
        answer = call({"operation": "claims", "policy": "returns", "claims": [CLAIM], "case": case})
        assert answer["verdict"] == "entailed"
        assert [each["new"] for each in answer["changes"]] == ["food", 31]
    answer = call(
        {"operation": "claims", "policy": "returns", "claims": [CLAIM], "case": {"item": {"dys": 1}}}
    )
    assert answer["status"] == "rejected"
    assert answer["diagnostics"][0]["pointer"].startswith("/case/item")
    assert any("days(Item): Int" in each for each in answer["notes"])
    for wrong in ("[", [1], 3):
        answer = call({"operation": "claims", "policy": "returns", "claims": [CLAIM], "case": wrong})
        assert answer["error"] == "wrong_type"
    described = call({"operation": "reference", "policy": "returns"})
    assert "thirty days" in described["text"]


def test_so_many_facts_of_a_case_are_looked_at() -> None:
    """[LIMIT-POLICY-ASK]"""
    names = [f"p{number}" for number in range(10)]
    program = potlang.compile({"functions": [{"name": n, "domain": [], "range": "Bool"} for n in names]})
    found = ask(program, [" and ".join(names)], dict.fromkeys(names, True))
    assert [each.fact for each in found.changes] == names[:8]
    open_claim = ask(program, [" or ".join(names)], {})
    assert len(open_claim.missing) <= 4


def test_a_contradiction_quotes_what_its_rules_cite() -> None:
    """[POLICY-ASK-CONTRADICTION]: rules in words, with their sentences."""
    program = {
        **RETURNS,
        "document": {
            "name": "returns.md",
            "sentences": ["Electronics go back within 30 days.", "Nothing else."],
        },
        "rules": [{**RETURNS["rules"][0], "cites": [1]}, *RETURNS["rules"][1:]],
    }
    with pytest.raises(CompileError) as caught:
        ask(potlang.compile(program), [CLAIM], {**ITEM, "facts": ["not may_return(item)"]})
    (found,) = caught.value.diagnostics
    assert any("(By sentence 1: “Electronics go back within 30 days.”)" in note for note in found.notes)
    assert not any("Nothing else" in note for note in found.notes)
    assert found.labels[0].message == "The kind of item is electronics"


def test_the_tool_says_by_which_rules_a_case_contradicts(stored: Path) -> None:
    """[POLICY-ASK-CONTRADICTION]"""
    facts = {**ITEM, "facts": ["not may_return(item)"]}
    answer = call({"operation": "claims", "policy": "returns", "claims": [CLAIM], "case": facts})
    assert answer["message"] == "1 error: repair the case and call again"
    assert answer["notes"][0].startswith("by rule ")


def test_what_would_decide_is_said_in_words(returns: Program) -> None:
    """[POLICY-ASK-MISSING] [POLICY-ASK-CHANGE]"""
    open_ = ask(returns, [CLAIM], {"item": {"days": 20}})
    assert [each.words for each in open_.missing] == ["what the kind of item is"]
    assert [each.words for each in open_.sufficient] == [
        ("the kind of item is electronics",),
        ("the kind of item is food",),
    ]
    changes = ask(returns, [CLAIM], ITEM).changes
    assert [each.words for each in changes] == ["the kind of item is food", "the days of item is 31"]


def test_sentences_ask_for_what_cases_give_alone() -> None:
    """[POLICY-ASK-MISSING]: whether somebody is of age follows from the age."""
    program = potlang.compile(
        {
            "sorts": [{"name": "Person", "type": "DeclareSort"}],
            "functions": [
                {"name": "age", "domain": ["Person"], "range": "Int"},
                {"name": "adult", "domain": ["Person"], "range": "Bool"},
                {"name": "may_vote", "domain": ["Person"], "range": "Bool"},
            ],
            "rules": [
                {"constraint": "ForAll([p: Person], age(p) >= 18 <-> adult(p))"},
                {"constraint": "ForAll([p: Person], adult(p) <-> may_vote(p))"},
            ],
        }
    )
    found = ask(program, ["may_vote(ann)"], {"ann": {"sort": "Person"}})
    (words,) = found.report.sentences or ()
    assert "It would help to know what the age of ann is." in words.answer
    assert found.report.results[0].evidence.to_ask == ("age(ann)",)


def test_what_there_was_no_time_to_look_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """[POLICY-ASK-CHANGE]: and nothing more is begun then, however short each step is."""
    program = potlang.compile(RETURNS)
    entailed = {"item": {"kind": "electronics", "days": 10}}
    assert ask(program, [CLAIM], entailed).explained
    whole = answers.verify_claims

    def late(asked: Program, claims: Any, limits: Limits, trust: Any = "best") -> Any:
        report = whole(asked, claims, limits, trust)
        time.sleep(0.4)
        return report

    monkeypatch.setattr(answers, "verify_claims", late)
    found = ask(program, [CLAIM], entailed, limits=Limits(total_ms=300))
    assert (found.changes, found.missing, found.explained) == ((), (), False)
    assert found.to_dict()["explained"] is False
