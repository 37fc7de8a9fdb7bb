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
    from potlang.convert.deductions import NotEntailed
    from potlang.convert.derivation_to_solution import derivation_to_solution
    from potlang.languages.dagmath.check.form import CheckedSolution, MalformedSolution, check, read
    from potlang.languages.dagmath.check.gold import is_gold
    from potlang.languages.dagmath.check.graph import BrokenGraphError, Graph, Statistics
    from potlang.languages.dagmath.check.metrics import Class, Shape, classify, pass_at, shape_of
    from potlang.languages.dagmath.lower.canonical import canonical
    from potlang.languages.dagmath.read.records import Solution, Step
    from potlang.languages.dagmath.report import SolutionReport
    from potlang.languages.dagmath.results import SolutionVerdict
    from potlang.languages.dagmath.solve.answers import Judge, Judged
    from potlang.languages.dagmath.solve.checking import check_steps
    from potlang.languages.dagmath.solve.results import StepResult, StepsReport, StepVerdict
    from potlang.languages.dagmath.solve.verify import verify
    from potlang.languages.dagmath.write import write_json, write_text
    from potlang.models.gold_builder import Builder, Built, Models, Problem
    from potlang.models.prompts import generation_prompt
    from potlang.report.table import Table
    from potlang.score.inference import Equivalence, Interval, hoeffding_problems, paired_equivalence, wilson
    from potlang.score.rewards import PruneHint, prune_hint, reward
    from potlang.score.scores import Score, Scores
    from potlang.score.scoring import score
    from potlang.score.tables import Comparison, tables_of
    from potlang.score.tally import Tally
    from potlang.score.task import Outcomes, TaskDag, two_chains
    from potlang.utils.extra import MissingExtraError

_HOMES = {
    **dict.fromkeys(("Judge", "Judged"), "potlang.languages.dagmath.solve.answers"),
    **dict.fromkeys(("Builder", "Built", "Models", "Problem"), "potlang.models.gold_builder"),
    **dict.fromkeys(
        ("CheckedSolution", "MalformedSolution", "check", "read"), "potlang.languages.dagmath.check.form"
    ),
    "derivation_to_solution": "potlang.convert.derivation_to_solution",
    "MissingExtraError": "potlang.utils.extra",
    "is_gold": "potlang.languages.dagmath.check.gold",
    **dict.fromkeys(("BrokenGraphError", "Graph", "Statistics"), "potlang.languages.dagmath.check.graph"),
    **dict.fromkeys(
        ("Equivalence", "Interval", "hoeffding_problems", "paired_equivalence", "wilson"),
        "potlang.score.inference",
    ),
    **dict.fromkeys(
        ("Class", "Shape", "classify", "pass_at", "shape_of"), "potlang.languages.dagmath.check.metrics"
    ),
    "generation_prompt": "potlang.models.prompts",
    "SolutionReport": "potlang.languages.dagmath.report",
    "SolutionVerdict": "potlang.languages.dagmath.results",
    **dict.fromkeys(("PruneHint", "prune_hint", "reward"), "potlang.score.rewards"),
    **dict.fromkeys(("Score", "Scores"), "potlang.score.scores"),
    "score": "potlang.score.scoring",
    "canonical": "potlang.languages.dagmath.lower.canonical",
    "check_steps": "potlang.languages.dagmath.solve.checking",
    **dict.fromkeys(("StepResult", "StepVerdict", "StepsReport"), "potlang.languages.dagmath.solve.results"),
    "Table": "potlang.report.table",
    **dict.fromkeys(("Comparison", "tables_of"), "potlang.score.tables"),
    "Tally": "potlang.score.tally",
    **dict.fromkeys(("Outcomes", "TaskDag", "two_chains"), "potlang.score.task"),
    "verify": "potlang.languages.dagmath.solve.verify",
    "NotEntailed": "potlang.convert.deductions",
    **dict.fromkeys(("Solution", "Step"), "potlang.languages.dagmath.read.records"),
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
