"""`potc check` and `potc fix` on solutions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SLOPPY = r"""Sure:
```json
{"steps": [
  {"step_id": "1", "edge": "Given.", "direct_dependent_steps": "null", "node": "$x = 4$."},
  {"step_id": 2, "edge": "Given.", "direct_dependent_steps": null, "node": "$y = 5$."},
  {"step_id": 3, "edge": "From Steps 1 and 2.", "direct_dependent_steps": [2, 1],
   "node": "The final answer is \boxed{9}."}
]}
```
"""


class Result(NamedTuple):
    """What a command printed on standard output, and its exit code."""

    exit_code: int
    output: str


def potc(*arguments: str, given: str = "") -> Result:
    command = [sys.executable, "-m", "potlang", *arguments]
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    found = subprocess.run(command, input=given.encode(), capture_output=True, env=environment, timeout=60)
    assert b"Traceback" not in found.stderr
    return Result(found.returncode, found.stdout.decode())


def test_check_of_solutions_without_fault() -> None:
    """[FACE-EXIT]"""
    names = [str(ROOT / "examples" / name) for name in ("natascha.dagmath.json", "logarithms.dagmath.txt")]
    found = potc("check", *names)
    *lines, totals = found.output.splitlines()
    assert (found.exit_code, lines) == (0, [f"{name}: no errors, no warnings" for name in names])
    assert totals.startswith("totals: valid 2; 2 inputs in ")


def test_check_of_a_broken_solution() -> None:
    """[DAG-READ]: exit code 2, and the same code in each format."""
    broken = SLOPPY.replace("[2, 1]", "[2, 7]")
    for style in ("text", "json", "sarif"):
        found = potc("check", "--format", style, "-", given=broken)
        assert found.exit_code == 2
        assert "POT7003" in found.output
    codes = [
        each["code"]
        for each in json.loads(potc("check", "--format", "json", "-", given=broken).output)["diagnostics"]
    ]
    assert codes.count("POT7003") == 1


def test_safe_fixes_leave_a_clean_solution(tmp_path: Path) -> None:
    """[DAG-LENIENT], [DAG-WRAP], [DAG-ESCAPE]: round by round, until nothing is left."""
    path = tmp_path / "a.json"
    path.write_text(SLOPPY, encoding="utf-8")
    found = potc("fix", str(path))
    assert found.exit_code == 0
    assert potc("check", str(path)).output == f"{path}: no errors, no warnings\n"
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    assert [each["direct_dependent_steps"] for each in steps] == [None, None, [1, 2]]
    assert (steps[2]["edge"], steps[2]["node"]) == (
        "From Step 1 and Step 2.",
        r"The final answer is \boxed{9}.",
    )


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_box_is_closed_only_when_told_so(unsafe: bool) -> None:
    """[DAG-BOX]"""
    broken = SLOPPY.replace(r"\boxed{9}", r"\\boxed{9")
    found = potc("fix", *(["--unsafe"] if unsafe else []), "-", given=broken)
    assert found.exit_code == (0 if unsafe else 2)
    assert (r"\\boxed{9}" in found.output) == unsafe
