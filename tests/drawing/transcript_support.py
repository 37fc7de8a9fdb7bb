"""Transcripts of recorded models: of a program, a trace and solutions."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import potlang
from potlang.models.endpoint import Completion, EndpointError, Recorded
from potlang.models.endpoint.model import Usage
from potlang.models.programs.prompting import examples
from potlang.models.traces.prompting import trace_examples


def step(id_: int, edge: str, parents: list[int] | None, node: str) -> dict[str, Any]:
    return {"step_id": id_, "edge": edge, "direct_dependent_steps": parents, "node": node}


STEPS = [
    step(1, "Given.", None, "A bag has $4$ apples."),
    step(2, "Step 1, three times.", [1], "$3 \\cdot 4 = 12$."),
    step(3, "Step 2.", [2], "The final answer is $\\boxed{12}$."),
]
GOOD = json.dumps({"steps": STEPS})
WRONG = GOOD.replace("12", "13")
PROBLEM = "How many apples have 3 bags with $4$ apples each?"


def counted(text: str) -> Completion:
    return Completion(text, Usage(800, 200, 600, 50), 1.5, cost=0.0125, reasoning="Hm.")


def solutions() -> potlang.dagmath.ReasonedSolution:
    """Two samples with the same answer, of which one took a repair, and one that a failure ended."""
    script = [counted("It is 12."), counted(GOOD), counted(WRONG), counted(GOOD.replace("}]}", "},]}"))]
    model = Recorded([*script, EndpointError("rate limit", "slow down")], name="some-model")
    return potlang.dagmath.reason(PROBLEM, model, k=3, trust="solver")


@cache
def made(kind: str) -> str:
    """A transcript, as JSON."""
    if kind == "solution":
        return solutions().to_json()
    if kind == "trace":
        question, trace = trace_examples()[0]
        fooled = trace.replace("target=4 mark=invalidated", "target=4 mark=validated")
        return potlang.dot.reason(question, Recorded([fooled, trace]), trust="solver").to_json()
    example = examples()[0]
    broken = json.dumps({**example.program, "knowledge_base": ["(("]})
    script = [broken, json.dumps(example.program)]
    return potlang.reason(example.question, Recorded(script), second_look=False, trust="solver").to_json()
