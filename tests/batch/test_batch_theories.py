"""Jobs that share a theory, which is compiled once ([BATCH-THEORY])."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from seed_programs import EACH_KIND

import potlang
from potlang import api
from potlang.batch import theories
from potlang.batch.jobs import Job, job_of_line
from potlang.batch.rows import row_of
from potlang.batch.run import run_batch
from potlang.batch.theories import Theories
from potlang.report.results import Limits

PEOPLE: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
    "functions": [{"name": "tall", "domain": ["Person"], "range": "Bool"}],
    "knowledge_base": ["tall(ann)"],
}
CLAIMS = {"tall(ann)": "entailed", "Not(tall(ann))": "refuted", "tall(bob)": "undetermined"}
TRACE = """@node id=1 role=problem
Who is tall?
@node id=2 role=proposer
@edge src=1 dst=2 kind=use
@prop id=2 {"pot": "tall(ann)"}
Ann.
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated
Right.
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
Ann.
"""


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The theories that were compiled."""
    found: list[object] = []
    check = api.check

    def noted(source: Any, **more: Any) -> Any:
        found.append(source)
        return check(source, **more)

    monkeypatch.setattr(api, "check", noted)
    return found


def job(**members: Any) -> Job:
    return job_of_line(json.dumps(members).encode(), "jobs.jsonl", 1)


def report(shared: Theories, **members: Any) -> Any:
    return shared.report(job(**members), "auto", "best", Limits(), "found")


@pytest.mark.parametrize("path", EACH_KIND)
def test_claims_have_the_verdicts_of_the_whole_program(path: Path) -> None:
    """Each claim of the paper's programs as a job of its own."""
    source = json.loads(path.read_text(encoding="utf-8"))
    theory = {key: value for key, value in source.items() if key not in ("verifications", "actions")}
    shared = Theories()
    found = [
        result.verdict
        for claim in source.get("verifications", [])
        for result in report(shared, theory=theory, claim=claim).results
    ]
    whole = potlang.verify({**source, "actions": ["verify"]}).results
    assert found == [each.verdict for each in whole if each.kind == "verification"]


def test_a_theory_is_compiled_once(compiled: list[object]) -> None:
    """However many claims and traces it has."""
    shared = Theories()
    assert {claim: report(shared, theory=PEOPLE, claim=claim).verdict for claim in CLAIMS} == CLAIMS
    assert report(shared, theory=PEOPLE, trace=TRACE).verdict == "accepted"
    assert len(compiled) == 1
    assert (
        report(shared, theory={**PEOPLE, "knowledge_base": []}, claim="tall(ann)").verdict == "undetermined"
    )
    assert len(compiled) == 2


def test_answers_do_not_depend_on_those_before(
    compiled: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are the same in whatever order jobs are answered, and whether a theory is compiled again."""

    def told(shared: Theories, claims: list[str]) -> dict[str, Any]:
        found = {claim: report(shared, theory=PEOPLE, claim=claim).to_dict() for claim in claims}
        return {claim: row_of(job(claim=claim), each)["report"] for claim, each in found.items()}

    forward = told(Theories(), list(CLAIMS))
    assert told(Theories(), list(CLAIMS)[::-1]) == forward
    monkeypatch.setattr(theories, "_MOST_JOBS", 1)
    monkeypatch.setattr(theories, "_MOST_THEORIES", 1)
    compiled.clear()
    assert told(Theories(), list(CLAIMS)) == forward
    assert len(compiled) == len(CLAIMS)


@pytest.mark.parametrize(
    ("members", "verdict"),
    [
        ({"claim": "1 < 2"}, "entailed"),
        ({"claim": "1 +"}, "rejected"),
        ({"claim": ["1 < 2"]}, "rejected"),
        ({"claim": 7}, "rejected"),
        ({"theory": 7, "claim": "1 < 2"}, "rejected"),
        ({"theory": "{", "claim": "1 < 2"}, "rejected"),
        ({"theory": {"sorts": [{"name": "P"}]}, "trace": TRACE}, "rejected"),
        ({"theory": json.dumps(PEOPLE), "claim": "tall(ann)"}, "entailed"),
    ],
    ids=str,
)
def test_each_job_has_its_own_mistake(members: dict[str, Any], verdict: str) -> None:
    """A theory or a claim with mistakes rejects its job, with diagnostics; no theory is the empty one."""
    found = report(Theories(), **members)
    assert found.verdict == verdict
    assert bool(found.diagnostics) == (verdict == "rejected")


def test_decimals_of_theories_are_no_reason_to_fail() -> None:
    """A number where a formula is to stand is a mistake like others."""
    read = job(theory={**PEOPLE, "knowledge_base": [0.1]}, claim="0.1 * 3 == 0.3")
    assert read.theory["knowledge_base"] == [Decimal("0.1")]
    assert Theories().report(read, "auto", "best", Limits(), "found").verdict == "rejected"


def test_a_batch_of_claims(tmp_path: Path) -> None:
    """As rows of a run."""
    path = tmp_path / "claims.jsonl"
    path.write_text("".join(json.dumps({"id": c, "theory": PEOPLE, "claim": c}) + "\n" for c in CLAIMS))
    run_batch([str(path)], tmp_path / "out", workers=1)
    (rows,) = (tmp_path / "out" / "rows").iterdir()
    found = [json.loads(line) for line in rows.read_text().splitlines()]
    assert {row["id"]: row["verdict"] for row in found} == CLAIMS
