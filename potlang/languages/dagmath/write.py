"""Writes a solution: as JSON in the form of appendix F, or as text in that of appendix C ([DAG-WRITE])."""

from __future__ import annotations

from typing import Any

from potlang.languages.dagmath.read.records import Solution, Step
from potlang.utils.serialize import json_text

_LABELS = {
    "problem_id": "Problem id",
    "problem": "Problem",
    "model": "Model",
    "dataset": "Dataset",
    "sample": "Sample",
    "difficulty": "Difficulty",
    "answer": "Answer",
    "correct": "Correct",
}


def solution_value(solution: Solution) -> dict[str, Any]:
    """The JSON value of a solution; what is not known of it is left out."""
    return {**_metadata(solution), "steps": [_step_value(step) for step in solution.steps]}


def write_json(solution: Solution, *, indent: int | None = 2) -> str:
    """The JSON text of a solution; on one line, for JSON Lines, with `indent=None`. Ends with a line feed."""
    return json_text(solution_value(solution), indent) + "\n"


def write_text(solution: Solution, *, bold: bool = False) -> str:
    """The text form of a solution; white space within a field becomes single spaces.

    `bold`: labels are in bold, as Markdown has it.
    """
    mark = "**" if bold else ""

    def field(label: str, text: str) -> str:
        return f"{mark}{label}:{mark} {' '.join(text.split())}".rstrip()

    blocks = []
    metadata = [
        field(_LABELS[name], str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in _metadata(solution).items()
    ]
    if metadata:
        blocks.append(metadata)
    for at, step in enumerate(solution.steps, 1):
        node = "Sink Node" if at == len(solution.steps) else "Node"
        lines = [f"{mark}Step {step.id}{mark}"]
        lines += [field("Edge", step.edge), field("Parents", _parents(step)), field(node, step.node)]
        blocks.append([*lines, *([field("Formal", step.formal)] if step.formal is not None else [])])
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _metadata(solution: Solution) -> dict[str, Any]:
    return {name: value for name in _LABELS if (value := getattr(solution, name)) is not None}


def _step_value(step: Step) -> dict[str, Any]:
    value: dict[str, Any] = {
        "step_id": step.id,
        "edge": step.edge,
        "direct_dependent_steps": None if step.parents is None else list(step.parents),
        "node": step.node,
    }
    return value if step.formal is None else {**value, "formal": step.formal}


def _parents(step: Step) -> str:
    if step.parents is None:
        return "Null"
    return ", ".join(f"Step {parent}" for parent in step.parents) or "[]"
