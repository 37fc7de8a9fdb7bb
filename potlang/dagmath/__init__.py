"""DAG-MATH: metrics of step graphs, and whether the steps hold (`spec/30-dagmath.md` and the next ones).

    report = potlang.dagmath.verify(Path("solution.dagmath.json"))
    scores = potlang.dagmath.score("samples.jsonl", by=["model"])
    scores["gpt-4.1"].prr

Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from potlang.dagmath.answers import Judge, Judged
    from potlang.dagmath.builder import Builder, Built, Models, Problem
    from potlang.dagmath.checking import CheckedSolution, MalformedSolution, check, read
    from potlang.dagmath.derived import derivation_to_solution
    from potlang.dagmath.extra import MissingExtraError
    from potlang.dagmath.gold import is_gold
    from potlang.dagmath.graph import BrokenGraphError, Graph, Statistics
    from potlang.dagmath.inference import (
        Equivalence,
        Interval,
        hoeffding_problems,
        paired_equivalence,
        wilson,
    )
    from potlang.dagmath.metrics import Class, Shape, classify, pass_at, shape_of
    from potlang.dagmath.prompts import generation_prompt
    from potlang.dagmath.report import SolutionReport, SolutionVerdict
    from potlang.dagmath.rewards import PruneHint, prune_hint, reward
    from potlang.dagmath.scores import Score, Scores
    from potlang.dagmath.scoring import score
    from potlang.dagmath.steps.canonical import canonical
    from potlang.dagmath.steps.checking import check_steps
    from potlang.dagmath.steps.report import StepResult, StepsReport, StepVerdict
    from potlang.dagmath.tables import Comparison, Table, tables_of
    from potlang.dagmath.tally import Tally
    from potlang.dagmath.task import Outcomes, TaskDag, two_chains
    from potlang.dagmath.verifying import verify
    from potlang.deductions import NotEntailed
    from potlang.languages.dagmath.records import Solution, Step
    from potlang.languages.dagmath.write import write_json, write_text

_HOMES = {
    **dict.fromkeys(("Judge", "Judged"), "potlang.dagmath.answers"),
    **dict.fromkeys(("Builder", "Built", "Models", "Problem"), "potlang.dagmath.builder"),
    **dict.fromkeys(("CheckedSolution", "MalformedSolution", "check", "read"), "potlang.dagmath.checking"),
    "derivation_to_solution": "potlang.dagmath.derived",
    "MissingExtraError": "potlang.dagmath.extra",
    "is_gold": "potlang.dagmath.gold",
    **dict.fromkeys(("BrokenGraphError", "Graph", "Statistics"), "potlang.dagmath.graph"),
    **dict.fromkeys(
        ("Equivalence", "Interval", "hoeffding_problems", "paired_equivalence", "wilson"),
        "potlang.dagmath.inference",
    ),
    **dict.fromkeys(("Class", "Shape", "classify", "pass_at", "shape_of"), "potlang.dagmath.metrics"),
    "generation_prompt": "potlang.dagmath.prompts",
    **dict.fromkeys(("SolutionReport", "SolutionVerdict"), "potlang.dagmath.report"),
    **dict.fromkeys(("PruneHint", "prune_hint", "reward"), "potlang.dagmath.rewards"),
    **dict.fromkeys(("Score", "Scores"), "potlang.dagmath.scores"),
    "score": "potlang.dagmath.scoring",
    "canonical": "potlang.dagmath.steps.canonical",
    "check_steps": "potlang.dagmath.steps.checking",
    **dict.fromkeys(("StepResult", "StepVerdict", "StepsReport"), "potlang.dagmath.steps.report"),
    **dict.fromkeys(("Comparison", "Table", "tables_of"), "potlang.dagmath.tables"),
    "Tally": "potlang.dagmath.tally",
    **dict.fromkeys(("Outcomes", "TaskDag", "two_chains"), "potlang.dagmath.task"),
    "verify": "potlang.dagmath.verifying",
    "NotEntailed": "potlang.deductions",
    **dict.fromkeys(("Solution", "Step"), "potlang.languages.dagmath.records"),
    **dict.fromkeys(("write_json", "write_text"), "potlang.languages.dagmath.write"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'potlang.dagmath' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "BrokenGraphError",
    "Builder",
    "Built",
    "CheckedSolution",
    "Class",
    "Comparison",
    "Equivalence",
    "Graph",
    "Interval",
    "Judge",
    "Judged",
    "MalformedSolution",
    "MissingExtraError",
    "Models",
    "NotEntailed",
    "Outcomes",
    "Problem",
    "PruneHint",
    "Score",
    "Scores",
    "Shape",
    "Solution",
    "SolutionReport",
    "SolutionVerdict",
    "Statistics",
    "Step",
    "StepResult",
    "StepVerdict",
    "StepsReport",
    "Table",
    "Tally",
    "TaskDag",
    "canonical",
    "check",
    "check_steps",
    "classify",
    "derivation_to_solution",
    "generation_prompt",
    "hoeffding_problems",
    "is_gold",
    "paired_equivalence",
    "pass_at",
    "prune_hint",
    "read",
    "reward",
    "score",
    "shape_of",
    "tables_of",
    "two_chains",
    "verify",
    "wilson",
    "write_json",
    "write_text",
]
