"""DAG-MATH: metrics of step graphs, and whether the steps hold (`spec/30-dagmath.md` and the next ones).

    report = potlang.dagmath.verify(Path("solution.dagmath.json"))
    scores = potlang.dagmath.score("samples.jsonl", by=["model"])
    scores["gpt-4.1"].prr

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.convert.deductions import NotEntailed as NotEntailed
    from potlang.convert.derivation_to_solution import derivation_to_solution as derivation_to_solution
    from potlang.languages.dagmath.check.form import CheckedSolution as CheckedSolution
    from potlang.languages.dagmath.check.form import MalformedSolution as MalformedSolution
    from potlang.languages.dagmath.check.form import check as check
    from potlang.languages.dagmath.check.form import is_gold as is_gold
    from potlang.languages.dagmath.check.form import read as read
    from potlang.languages.dagmath.check.graph import BrokenGraphError as BrokenGraphError
    from potlang.languages.dagmath.check.graph import Graph as Graph
    from potlang.languages.dagmath.check.graph import Statistics as Statistics
    from potlang.languages.dagmath.check.metrics import Class as Class
    from potlang.languages.dagmath.check.metrics import Shape as Shape
    from potlang.languages.dagmath.check.metrics import classify as classify
    from potlang.languages.dagmath.check.metrics import pass_at as pass_at
    from potlang.languages.dagmath.check.metrics import shape_of as shape_of
    from potlang.languages.dagmath.lower.canonical import canonical as canonical
    from potlang.languages.dagmath.read.prose import Confidence as Confidence
    from potlang.languages.dagmath.read.prose import Prose as Prose
    from potlang.languages.dagmath.read.prose import ProseLink as ProseLink
    from potlang.languages.dagmath.read.prose import from_prose as from_prose
    from potlang.languages.dagmath.read.records import Solution as Solution
    from potlang.languages.dagmath.read.records import Step as Step
    from potlang.languages.dagmath.report import SolutionReport as SolutionReport
    from potlang.languages.dagmath.results import SolutionVerdict as SolutionVerdict
    from potlang.languages.dagmath.results import StepResult as StepResult
    from potlang.languages.dagmath.results import StepsReport as StepsReport
    from potlang.languages.dagmath.results import StepVerdict as StepVerdict
    from potlang.languages.dagmath.solve.answers import AnswerChecker as AnswerChecker
    from potlang.languages.dagmath.solve.answers import Judged as Judged
    from potlang.languages.dagmath.solve.checking import check_steps as check_steps
    from potlang.languages.dagmath.solve.verify import verify as verify
    from potlang.languages.dagmath.write import write_json as write_json
    from potlang.languages.dagmath.write import write_text as write_text
    from potlang.models.annotation.agreement import Agreement as Agreement
    from potlang.models.annotation.agreement import ParserComparison as ParserComparison
    from potlang.models.annotation.agreement import compare_parsers as compare_parsers
    from potlang.models.annotation.dependencies import Annotated as Annotated
    from potlang.models.annotation.dependencies import annotate as annotate
    from potlang.models.annotation.formals import Formalized as Formalized
    from potlang.models.annotation.formals import formalize as formalize
    from potlang.models.annotation.scripts import ScriptError as ScriptError
    from potlang.models.annotation.scripts import script_dependencies as script_dependencies
    from potlang.models.annotation.scripts import script_differences as script_differences
    from potlang.models.gold.builder import Builder as Builder
    from potlang.models.gold.builder import Built as Built
    from potlang.models.gold.builder import Models as Models
    from potlang.models.prompts import generation_prompt as generation_prompt
    from potlang.models.solutions.loop import reason as reason
    from potlang.models.solutions.problems import Problem as Problem
    from potlang.models.solutions.reasoned import ReasonedSolution as ReasonedSolution
    from potlang.report.table import Table as Table
    from potlang.score.harnesses import inspect_scorer as inspect_scorer
    from potlang.score.harnesses import reward_frame as reward_frame
    from potlang.score.harnesses import reward_parquet as reward_parquet
    from potlang.score.inference import Equivalence as Equivalence
    from potlang.score.inference import Interval as Interval
    from potlang.score.inference import hoeffding_problems as hoeffding_problems
    from potlang.score.inference import paired_equivalence as paired_equivalence
    from potlang.score.inference import wilson as wilson
    from potlang.score.references import References as References
    from potlang.score.references import read_references as read_references
    from potlang.score.rewards import CompletionReward as CompletionReward
    from potlang.score.rewards import PruneHint as PruneHint
    from potlang.score.rewards import assess as assess
    from potlang.score.rewards import prune_hint as prune_hint
    from potlang.score.rewards import reward as reward
    from potlang.score.scores import Score as Score
    from potlang.score.scores import Scores as Scores
    from potlang.score.scoring import score as score
    from potlang.score.tables import Comparison as Comparison
    from potlang.score.tables import tables_of as tables_of
    from potlang.score.tally import Tally as Tally
    from potlang.score.task import Outcomes as Outcomes
    from potlang.score.task import TaskDag as TaskDag
    from potlang.score.task import two_chains as two_chains
    from potlang.score.trainers import Rewarder as Rewarder
    from potlang.score.trainers import compute_score as compute_score
    from potlang.score.trainers import compute_scores as compute_scores
    from potlang.score.trainers import rubric_reward as rubric_reward
    from potlang.score.trainers import trl_reward as trl_reward
    from potlang.utils.extra import MissingExtraError as MissingExtraError

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.convert.deductions": "NotEntailed",
        "potlang.convert.derivation_to_solution": "derivation_to_solution",
        "potlang.languages.dagmath.check.form": "CheckedSolution MalformedSolution check is_gold read",
        "potlang.languages.dagmath.check.graph": "BrokenGraphError Graph Statistics",
        "potlang.languages.dagmath.check.metrics": "Class Shape classify pass_at shape_of",
        "potlang.languages.dagmath.lower.canonical": "canonical",
        "potlang.languages.dagmath.read.prose": "Confidence Prose ProseLink from_prose",
        "potlang.languages.dagmath.read.records": "Solution Step",
        "potlang.languages.dagmath.report": "SolutionReport",
        "potlang.languages.dagmath.results": "SolutionVerdict StepResult StepVerdict StepsReport",
        "potlang.languages.dagmath.solve.answers": "AnswerChecker Judged",
        "potlang.languages.dagmath.solve.checking": "check_steps",
        "potlang.languages.dagmath.solve.verify": "verify",
        "potlang.languages.dagmath.write": "write_json write_text",
        "potlang.models.annotation.agreement": "Agreement ParserComparison compare_parsers",
        "potlang.models.annotation.dependencies": "Annotated annotate",
        "potlang.models.annotation.formals": "Formalized formalize",
        "potlang.models.gold.builder": "Builder Built Models",
        "potlang.models.solutions.problems": "Problem",
        "potlang.models.prompts": "generation_prompt",
        "potlang.models.solutions.reasoned": "ReasonedSolution",
        "potlang.models.annotation.scripts": "ScriptError script_dependencies script_differences",
        "potlang.models.solutions.loop": "reason",
        "potlang.report.table": "Table",
        "potlang.score.harnesses": "inspect_scorer reward_frame reward_parquet",
        "potlang.score.inference": "Equivalence Interval hoeffding_problems paired_equivalence wilson",
        "potlang.score.references": "References read_references",
        "potlang.score.rewards": "CompletionReward PruneHint assess prune_hint reward",
        "potlang.score.scores": "Score Scores",
        "potlang.score.scoring": "score",
        "potlang.score.tables": "Comparison tables_of",
        "potlang.score.tally": "Tally",
        "potlang.score.task": "Outcomes TaskDag two_chains",
        "potlang.score.trainers": "Rewarder compute_score compute_scores rubric_reward trl_reward",
        "potlang.utils.extra": "MissingExtraError",
    },
    moved={"Judge": "potlang.languages.dagmath.solve.answers.AnswerChecker"},
)
