"""What a good model would answer for a problem, stage by stage, and ways to spoil it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from potlang.diag import Sink
from potlang.languages.dagmath.read.reader import read_solution
from potlang.languages.dagmath.read.records import Solution
from potlang.models.gold.builder import Problem

ROOT = Path(__file__).parents[2]


def example(name: str) -> Solution:
    """A solution of the examples."""
    solution = read_solution(ROOT / "examples" / f"{name}.dagmath.json", Sink()).solution
    assert solution is not None
    return solution


NATASCHA = example("natascha")
PROBLEM = Problem(
    "natascha",
    NATASCHA.problem or "",
    "She runs r in an hour. She cycles 3r for 4 hours, that is 12r, so the ratio is 12:1.",
    "12:1",
    1.5,
    "own",
)


def nodes_reply(solution: Solution = NATASCHA, **changed: str) -> str:
    """Stage 1's answer; `step_3="…"` changes a node."""
    nodes = {f"step_{step.id}": step.node for step in solution.steps} | changed
    return json.dumps({"steps": list(nodes.values())})


def parents_reply(solution: Solution = NATASCHA, **changed: Any) -> str:
    """Stage 2's answer."""
    steps = [
        {"step_id": s.id, "direct_dependent_steps": changed.get(f"step_{s.id}", s.parents)}
        for s in solution.steps
    ]
    return json.dumps({"steps": steps})


def reasons_reply(solution: Solution = NATASCHA) -> str:
    """Dependencies with reasons."""
    steps = [
        {"step_id": s.id, "reason": f"Because {s.id}.", "direct_dependent_steps": s.parents}
        for s in solution.steps
    ]
    return json.dumps({"steps": steps})


def edges_reply(solution: Solution = NATASCHA, **changed: str) -> str:
    """Stage 3's answer."""
    edges = [{"step_id": s.id, "edge": changed.get(f"step_{s.id}", s.edge)} for s in solution.steps]
    return json.dumps({"edges": edges})


GOOD = [nodes_reply(), parents_reply(), edges_reply()]
"""All that a perfect model has to say."""
