"""SARIF has a result for each thing that is asked and does not hold."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def results(*args: str | Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "potlang", *map(str, args), "--format", "sarif"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    log = json.loads(done.stdout)
    (run,) = log["runs"]
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert log["version"] == "2.1.0" and rules == sorted({each["ruleId"] for each in run["results"]})
    for each in run["results"]:
        assert rules[each["ruleIndex"]] == each["ruleId"] and each["message"]["text"]
        # Of a result that is no failure the level is `none`, by section 3.27.10 of the standard.
        assert (each["level"] == "none") == (each.get("kind", "fail") != "fail")
        assert each["level"] in ("none", "note", "warning", "error")
    found: list[dict[str, Any]] = run["results"]
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("giraffe.json", [("refuted", "error", 24)]),
        ("ladder.json", [("inconsistent", "error", 29), ("inconsistent", "error", 30)]),
        ("norms.json", [("violated", "error", 15)]),
        ("undetermined.json", [("undetermined", "warning", 10)]),
        ("derivation.json", []),
        ("natascha.dagmath.json", []),
    ],
)
def test_what_does_not_hold_is_a_result(name: str, expected: list[tuple[str, str, int]]) -> None:
    """[CLI-SARIF]"""
    found = results(ROOT / "examples" / name)
    places = [each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in found]
    assert [
        (each["ruleId"], each["level"], line) for each, line in zip(found, places, strict=True)
    ] == expected


def test_a_result_has_the_core_and_who_violates(tmp_path: Path) -> None:
    """[CLI-SARIF]"""
    (norm,) = results("examples/norms.json")
    assert norm["message"]["text"] == "the norm Harness on scaffolds is violated by w = ben"
    core = [each["message"]["text"] for each in norm["relatedLocations"]]
    assert core == ["fact fact 3: on_scaffold(ben)", "fact fact 4: Not(harnessed(ben))"]


def test_what_is_asked_otherwise_and_what_is_open(tmp_path: Path) -> None:
    """[CLI-SARIF]"""
    hard = "Exists([x: Int, y: Int, z: Int], x**3 + y**3 + z**3 == 33 and x*y*z > 10**9)"
    program = {
        "verifications": [
            {"name": "a", "ask": "cannot", "constraint": "1 > 2"},
            {"name": "b", "ask": "cannot", "constraint": "1 < 2"},
            {"name": "c", "constraint": hard},
        ]
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps(program))
    found = results(path, "--timeout", "0.5", "--total-timeout", "10")
    assert [(each["ruleId"], each["level"]) for each in found] == [("entailed", "error"), ("unknown", "none")]
    assert found[0]["message"]["text"] == "b (cannot): entailed"


def test_an_optimization_and_a_refuted_step(tmp_path: Path) -> None:
    """[CLI-SARIF]"""
    program = {
        "variables": [{"name": "x", "sort": "Int"}],
        "optimization": {"objectives": [{"type": "minimize", "expression": "x"}]},
    }
    solution = """Step 1
Edge: Given.
Parents: none
Node: $x = 2$.

Step 2
Edge: Double Step 1.
Parents: Step 1
Node: $2x = 5$.
"""
    (tmp_path / "a.json").write_text(json.dumps(program))
    (tmp_path / "b.dagmath.txt").write_text(solution)
    (optimum,) = results(tmp_path / "a.json")
    assert (optimum["ruleId"], optimum["message"]["text"]) == (
        "optimization",
        "the optimization is unbounded",
    )
    found = [each for each in results(tmp_path / "b.dagmath.txt") if not each["ruleId"].startswith("POT")]
    assert [(each["ruleId"], each["message"]["text"][:17]) for each in found] == [
        ("refuted", "step 2 is refuted")
    ]
    assert found[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 6
