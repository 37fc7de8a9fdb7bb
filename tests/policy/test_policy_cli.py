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
