"""The JSON that `potc policy` prints has the form of its schemas, which allow nothing else."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from policy_schemas import validate
from refund_texts import GOOD, OTHER, POLICY, TEXT

from potlang.cli.policy import policy

ROOT = Path(__file__).parents[2]
REFUND = ROOT / "examples" / "policies" / "refund"
CASE = {"boot": {"sort": "Item", "days": 20}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policies")
    (folder / "refund.json").write_text(json.dumps(POLICY), "utf-8")
    raised = json.dumps(POLICY).replace("<= 30", "<= 14").replace("has_receipt", "receipt_kept")
    (folder / "raised.json").write_text(raised, "utf-8")
    replies = "".join(json.dumps(each) + "\n" for each in (GOOD, OTHER, {"claims": 3}))
    (folder / "replies.jsonl").write_text(replies, "utf-8")
    return folder


def potc(folder: Path, *args: str | Path, codes: Container[int] = (0, 1, 3)) -> str:
    environment = {"NO_COLOR": "1", "POTLANG_POLICIES": str(folder / "store")}
    done = CliRunner(env=environment).invoke(policy, [*map(str, args)])
    assert done.exit_code in codes, done.output
    return done.stdout


def printed(folder: Path, *args: str | Path, codes: Container[int] = (0, 1, 3)) -> Any:
    return json.loads(potc(folder, *args, "--format", "json", codes=codes))


@pytest.mark.parametrize(
    "claim", ["returnable(boot)", "days(boot) == 20", "days(boot) ==", "days(boot) > 20"]
)
def test_answers(folder: Path, claim: str) -> None:
    """[POLICY-FORMS]"""
    answer = printed(folder, "ask", folder / "refund.json", claim, "--case", json.dumps(CASE), codes=range(4))
    validate("policy-answer-1", answer)


def test_differences(folder: Path) -> None:
    """[POLICY-FORMS]"""
    found = printed(folder, "diff", folder / "refund.json", folder / "raised.json")
    assert found["changes"] and found["renames"]
    validate("policy-difference-1", found)
    validate("policy-difference-1", printed(folder, "diff", folder / "refund.json", folder / "refund.json"))


def test_suggested_and_judged_tests_gaps_and_coverage(folder: Path) -> None:
    """[POLICY-FORMS]"""
    suggested = printed(folder, "suggest", folder / "refund.json")
    assert suggested["tests"]
    validate("policy-suggestions-1", suggested)
    rules = [{**each, "cites": [1]} for each in POLICY["rules"]]
    document = {"sentences": ["Whoever has the receipt may return an item for thirty days."]}
    cited = folder / "cited.json"
    cited.write_text(json.dumps({**POLICY, "document": document, "rules": rules}), "utf-8")
    quoting = printed(folder, "suggest", cited, "--rule", "thirty days")
    assert quoting["tests"][0]["quotes"]
    validate("policy-suggestions-1", quoting)
    potc(folder, "add", folder / "refund.json")
    for decision, each in zip(("accept", "reject"), suggested["tests"], strict=False):
        each["decision"] = decision
    rows = folder / "judged.json"
    rows.write_text(json.dumps(suggested), "utf-8")
    judged = printed(folder, "judge", "refund", rows)
    assert judged["added"] == 1 and judged["rejected"]
    validate("policy-judged-1", judged)
    validate("policy-gaps-1", printed(folder, "gaps", folder / "refund.json"))
    coverage = printed(folder, "coverage", "refund", "--most", "6")
    assert coverage["holes"]
    validate("policy-coverage-1", coverage)


def test_builds(folder: Path) -> None:
    """[POLICY-FORMS], [BUILD-REPORT]"""
    replies = REFUND / "replies.jsonl"
    report = printed(folder, "build", REFUND / "document.md", "--replies", replies)
    assert report["flags"] and report["findings"]
    validate("policy-build-1", report)
    part = folder / "part.jsonl"
    part.write_text("".join(replies.read_text("utf-8").splitlines(keepends=True)[:3]), "utf-8")
    failed = printed(folder, "build", REFUND / "document.md", "--replies", part)
    assert failed["failure"]
    validate("policy-build-1", failed)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_findings_on_texts(folder: Path, count: int) -> None:
    """[POLICY-FORMS]"""
    options = ["--replies", folder / "replies.jsonl", "--samples", str(count)]
    validate("text-check-1", printed(folder, "check-text", folder / "refund.json", TEXT, *options))


def test_decisions_records_and_replays(folder: Path) -> None:
    """[POLICY-FORMS], [RECORD-CHAIN]"""
    chain = folder / "chain.jsonl"
    events = folder / "events.jsonl"
    lines = (REFUND / "events.jsonl").read_text("utf-8").splitlines(keepends=True)
    events.write_text("".join([*lines[:4], "no event\n"]), "utf-8")
    decisions = potc(folder, "guard", REFUND / "guard.json", events, "--record", chain, "--format", "json")
    for line in decisions.splitlines():
        validate("guard-decision-1", json.loads(line))
    claim = ["ask", folder / "refund.json", "returnable(boot)", "--case", json.dumps(CASE), "--record", chain]
    chain.write_bytes(chain.read_bytes()[:-7])
    potc(folder, *claim, "--keep-certificates", "text")
    records = [json.loads(line) for line in chain.read_text("utf-8").splitlines()]
    assert {each["kind"] for each in records} == {"policy", "begin", "decision", "outcome", "answer", "cut"}
    for each in records:
        validate("record-1", each)
    replayed = printed(folder, "replay", chain)
    assert replayed["cuts"] and replayed["certified"] == 1 and not replayed["faults"]
    validate("replay-1", replayed)


def test_what_is_no_record_of_its_kind_is_refused() -> None:
    record = {"number": 1, "kind": "cut", "content": {}, "at": "", "potlang": "", "before": "0" * 64}
    with pytest.raises(AssertionError, match="'bytes' is a required property"):
        validate("record-1", {**record, "digest": "0" * 64})
