"""`potc policy` as real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HATS = ROOT / "tests" / "seed" / "07_hard_hat_rule.json"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def potc(store: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", "policy", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "POTLANG_POLICIES": str(store)}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=ROOT, env=environment, check=False
    )


def changed(tmp_path: Path) -> Path:
    program = json.loads(HATS.read_text("utf-8"))
    program["rules"] = []
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(program), "utf-8")
    return path


def as_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_a_policy_from_first_to_last(store: Path, tmp_path: Path) -> None:
    """[POLICY-EXIT]"""
    first = potc(store, "add", HATS, "--name", "hats")
    assert first.returncode == 0 and first.stdout.startswith("hats@1  ")
    assert "stored already" in potc(store, "add", HATS, "--name", "hats").stdout
    assert [
        (each["name"], each["versions"]) for each in as_json(potc(store, "list", "--format", "json"))
    ] == [("hats", [1])]
    shown = as_json(potc(store, "show", "hats@1", "--format", "json"))
    assert json.loads(shown["program"]) == json.loads(HATS.read_text("utf-8"))
    assert [each["expected"] for each in shown["tests"]] == ["entailed"]
    assert "entailed: Check Hard Hat Compliance" in potc(store, "show", "hats").stdout

    tests = tmp_path / "tests.json"
    tests.write_text(json.dumps(shown["tests"]), "utf-8")
    refused = potc(store, "add", changed(tmp_path), "--name", "hats", "--tests", tests)
    assert refused.returncode == 1
    assert "undetermined, expected entailed" in refused.stdout
    forced = potc(store, "add", changed(tmp_path), "--name", "hats", "--tests", tests, "--force")
    assert forced.returncode == 1 and forced.stdout.startswith("hats@2  ")

    assert potc(store, "test", "hats@1").returncode == 0
    failed = potc(store, "test", "--format", "json")
    assert failed.returncode == 1
    assert [each["verdict"] for each in as_json(failed)[0]["results"]] == ["undetermined"]

    same = potc(store, "diff", "hats@1", HATS)
    assert same.returncode == 0 and same.stdout.splitlines()[-1].endswith("both allow the same")
    found = potc(store, "diff", "hats@1", "hats@2", "--format", "json")
    assert found.returncode == 1
    value = as_json(found)
    assert value["relation"] == "weaker"
    assert {(each["origin"], each["old"], each["new"]) for each in value["verdicts"]} == {
        ("verification", "entailed", "undetermined"),
        ("test", "entailed", "undetermined"),
    }
    text = potc(store, "diff", "hats@1", "hats@2").stdout
    assert "the new version allows and the old one does not: " in text
    assert "it follows from" in text and "could be false" in text
    assert text.splitlines()[-1].startswith("1 statement differs; ")

    assert potc(store, "remove", "hats").returncode == 0
    assert potc(store, "list").stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "nobody"),
        ("test", "nobody"),
        ("diff", "nobody", "nobody"),
        ("diff", HATS, HATS, "--past-cases", "no such file"),
        ("diff", HATS, HATS, "--past-cases", HATS),
        ("remove", "nobody"),
        ("add", HATS, "--name", "Not A Name"),
        ("add", "no such file.json"),
        ("add", HATS, "--tests", "no such file.json"),
        ("add", HATS, "--tests", HATS),
    ],
)
def test_mistakes(store: Path, arguments: tuple[str | Path, ...]) -> None:
    """[POLICY-EXIT]"""
    done = potc(store, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "error" in done.stderr and "Traceback" not in done.stderr


def test_the_name_comes_from_the_file(store: Path) -> None:
    """[POLICY-ID]"""
    added = as_json(potc(store, "add", HATS, "--format", "json"))
    assert added["added"]["name"] == "07_hard_hat_rule"


REFUND: dict[str, Any] = {
    "sorts": [{"name": "Item", "type": "DeclareSort"}],
    "functions": [
        {"name": "days", "domain": ["Item"], "range": "Int"},
        *({"name": name, "domain": ["Item"], "range": "Bool"} for name in ("opened", "returnable")),
    ],
    "rules": [
        {
            "name": "thirty",
            "forall": [{"name": "x", "sort": "Item"}],
            "implies": {"antecedent": "days(x) <= 30", "consequent": "returnable(x)"},
        },
        {
            "name": "opened",
            "forall": [{"name": "x", "sort": "Item"}],
            "implies": {"antecedent": "opened(x)", "consequent": "not returnable(x)"},
        },
    ],
}


def refund(tmp_path: Path, **more: Any) -> Path:
    path = tmp_path / "refund.json"
    path.write_text(json.dumps({**REFUND, **more}), "utf-8")
    return path


@pytest.mark.slow
def test_tests_are_suggested_judged_and_measured(store: Path, tmp_path: Path) -> None:
    """[POLICY-SUGGEST] [POLICY-JUDGE] [POLICY-COVERAGE]"""
    potc(store, "add", refund(tmp_path))
    suggested = potc(store, "suggest", "refund", "--format", "json")
    assert suggested.returncode == 0, suggested.stderr
    rows = as_json(suggested)["tests"]
    for row in rows:
        row["decision"] = "accept"
    at = next(each for each in rows if each["shows"] == "days(item) <= 30: at")
    at |= {"decision": "reject", "note": "29 days are enough"}
    judged = tmp_path / "judged.json"
    judged.write_text(json.dumps(rows), "utf-8")
    done = potc(store, "judge", "refund", judged)
    assert done.returncode == 1
    assert f"refund@2: {len(rows) - 1} tests added, 0 without a decision" in done.stdout
    assert (
        "item: days 30 -> returnable(item): entailed" in done.stdout and "29 days are enough" in done.stdout
    )
    assert potc(store, "test", "refund").returncode == 0
    measured = potc(store, "coverage", "refund", "--most", "4", "--seed", "3")
    assert measured.returncode == 1 and "not noticed: threshold, `30` as `29`" in measured.stdout
    assert "4 of 11 tried" in measured.stdout
    wrong = [{**rows[-1], "verdict": "refuted" if rows[-1]["verdict"] == "entailed" else "entailed"}]
    judged.write_text(json.dumps(wrong), "utf-8")
    refused = potc(store, "judge", "refund", judged)
    assert refused.returncode == 1 and "nothing is stored" in refused.stderr
    judged.write_text("decision\n", "utf-8")
    assert potc(store, "judge", "refund", judged).returncode == 2
    assert potc(store, "judge", "refund", tmp_path / "none").returncode == 2


@pytest.mark.slow
def test_suggested_tests_for_people_and_spreadsheets(store: Path, tmp_path: Path) -> None:
    """[POLICY-SUGGEST] [POLICY-JUDGE]"""
    path = refund(tmp_path)
    text = potc(store, "suggest", path, "--rule", "thirty").stdout
    assert "item: days 30" in text and "with opened(item)" not in text
    table = potc(store, "suggest", path, "--format", "csv").stdout
    assert table.startswith("decision,note,rule,shows,case,claim,verdict\n")
    assert "| decision | note |" in potc(store, "suggest", path, "--format", "markdown").stdout
    assert potc(store, "suggest", path, "--rule", "sixty").returncode == 2


def test_gaps_and_conflicts_are_shown(store: Path, tmp_path: Path) -> None:
    """[POLICY-GAP] [POLICY-OVERLAP]"""
    done = potc(store, "gaps", refund(tmp_path))
    assert done.returncode == 1
    assert "gap: no rule decides returnable(item), in the case item: " in done.stdout
    assert "conflict: thirty and opened contradict each other on returnable(item)" in done.stdout
    later = {"antecedent": "days(x) > 30", "consequent": "not returnable(x)"}
    rules = [REFUND["rules"][0], {**REFUND["rules"][1], "implies": later}]
    whole = potc(store, "gaps", refund(tmp_path, rules=rules))
    assert (whole.returncode, whole.stdout) == (
        0,
        "no gap: returnable(item)\n1 pair of rules proved to be apart\n",
    )
    assert as_json(potc(store, "gaps", refund(tmp_path, rules=rules), "--format", "json"))["gaps"] == [
        {"subject": "returnable(item)", "rules": ["thirty", "opened"], "status": "absent", "case": None}
    ]
    same = [REFUND["rules"][0], {**REFUND["rules"][0], "name": "thirty again"}]
    counted = potc(store, "gaps", refund(tmp_path, rules=same))
    assert "1 pair of rules says the same in some case (--agreements shows them)" in counted.stdout
    listed = potc(store, "gaps", refund(tmp_path, rules=same), "--agreements")
    assert "agreement: thirty and thirty again say the same of returnable(item), in" in listed.stdout
    contradictory = potc(store, "gaps", refund(tmp_path, knowledge_base=["False"]))
    assert contradictory.returncode == 2 and "contradicts itself" in contradictory.stderr


def test_equal_versions_have_certificates(store: Path, tmp_path: Path) -> None:
    """[POLICY-DIFF-CERT]: which `potc cert check` accepts."""
    written = tmp_path / "certificates"
    done = potc(store, "diff", HATS, HATS, "--certificates", written)
    assert done.returncode == 0
    for side in ("old", "new"):
        check = [sys.executable, "-m", "potlang", "cert", "check"]
        files = [str(written / f"{side}.cert"), str(written / f"{side}.json")]
        checked = subprocess.run(
            [*check, *files], capture_output=True, text=True, timeout=60, cwd=ROOT, check=False
        )
        assert (checked.returncode, checked.stdout.splitlines()[0]) == (0, "VALID")


def test_the_impact_on_a_log(store: Path, tmp_path: Path) -> None:
    """[POLICY-DIFF-IMPACT]: claims with their cases, in order."""
    program = {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            {"name": "age", "domain": ["Person"], "range": "Int"},
            {"name": "may_rent", "domain": ["Person"], "range": "Bool"},
        ],
        "rules": [
            {
                "name": "adult",
                "forall": [{"name": "x", "sort": "Person"}],
                "constraint": "age(x) >= 18 <-> may_rent(x)",
            }
        ],
    }
    paths = []
    for age in (18, 21):
        paths.append(tmp_path / f"{age}.json")
        paths[-1].write_text(json.dumps(program).replace(">= 18", f">= {age}"), "utf-8")
    log = tmp_path / "log.jsonl"
    lines = [{"case": {"ann": {"age": age}}, "claim": "may_rent(ann)"} for age in (17, 18, 20, 21)]
    log.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    done = potc(store, "diff", *paths, "--past-cases", log)
    assert done.returncode == 1
    assert "rule adult: 18 → 21  /rules/0" in done.stdout
    changed = [line for line in done.stdout.splitlines() if line.startswith("log ")]
    assert [line.split(":")[0] for line in changed] == ["log line 2", "log line 3"]
    assert all(line.endswith("entailed → refuted") for line in changed)
    assert done.stdout.splitlines()[-1].startswith("1 statement differs; 0 the same")
    assert "2 verdicts differ of 4 logged claims" in done.stdout
