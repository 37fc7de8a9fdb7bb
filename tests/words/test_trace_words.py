"""Traces and solutions in sentences."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import potlang
from potlang.languages.dagmath.results import SolutionVerdict, StepVerdict
from potlang.languages.dot.results import TraceVerdict
from potlang.report.results import Verdict
from potlang.words.table import filled, language

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_trace_is_said() -> None:
    """[WORDS-TRACE]"""
    first, *others = potlang.verify(EXAMPLES / "refinement.dot.txt").words().splitlines()
    assert first.startswith("The trace holds together")
    assert others == [
        "Node 2 says `age > 21`. By the theory it is open. It was invalidated.",
        "Node 4 says `licensed -> (age >= 18)`. This follows from the theory. It was validated.",
        "Node 6 says `licensed -> (age >= 16)`. This follows from the theory. It was validated.",
        "Node 8 says `licensed -> (age >= 16)`. This follows from the theory.",
        "It follows from the theory that node 4 implies node 6.",
        "The summary in node 8 follows from what was validated.",
    ]


@pytest.mark.parametrize(
    ("boxed", "answer", "shown"),
    [
        ("4", None, ["Nothing wrong was found in the solution.", "Step 2 follows from step 1."]),
        ("4", "4", ["Its answer, 4, is the expected one."]),
        ("4", "5", ["The solution does not give the expected answer.", "is not the expected one, 5."]),
        ("5", None, ["A step of the solution is wrong.", "Step 2 contradicts step 1."]),
    ],
)
def test_a_solution_is_said(boxed: str, answer: str | None, shown: list[str]) -> None:
    """[WORDS-TRACE]"""
    steps = [
        {"step_id": 1, "edge": "Given.", "direct_dependent_steps": None, "node": "$x = 3$."},
        {
            "step_id": 2,
            "edge": "Add one.",
            "direct_dependent_steps": [1],
            "node": f"$x + 1 = \\boxed{{{boxed}}}$.",
        },
    ]
    words = potlang.dagmath.verify({"steps": steps}, answer=answer).words()
    assert "Given: step 1." in words
    for each in shown:
        assert each in words


def test_every_verdict_has_its_sentence() -> None:
    """[WORDS-TABLE]"""
    trace, solution = language().table["trace"], language().table["solution"]
    assert {str(each) for each in TraceVerdict} <= set(trace)
    for verdict in Verdict:
        assert verdict is Verdict.REJECTED or f"node {verdict}" in trace or str(verdict) in trace
    assert {str(each) for each in SolutionVerdict} <= set(solution)
    for each in StepVerdict:
        assert f"step {each}" in solution or str(each) in solution


def test_what_fills_a_pattern_is_not_read_for_holes() -> None:
    assert filled("{a} and {b}", {"a": "{b}", "b": "{"}) == "{b} and {"


def test_the_command_says_them_in_place_of_the_table() -> None:
    """[WORDS-TRACE]"""
    command = [sys.executable, "-m", "potlang", "--words", str(EXAMPLES / "refinement.dot.txt")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The trace holds together") and "role" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith("accepted (")
