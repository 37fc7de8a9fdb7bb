"""Evaluation of models, or of recorded programs, on questions with known answers (paper, appendix 7.1).

data = read_questions([("q.jsonl", stream)])
found = run(data.questions, RecordedPrograms(programs), jobs=4)
summaries = summarize(data.questions, found.outcomes)
"""

from potlang.models.evaluation.comparing import RunComparison, compare_runs
from potlang.models.evaluation.confusion import METRICS, Confusion, Counts, metrics
from potlang.models.evaluation.data_files import DataFiles, OtherColumns, read_questions, read_recorded
from potlang.models.evaluation.judging import AnswerReading, Grade, judge
from potlang.models.evaluation.outcome import QuestionOutcome
from potlang.models.evaluation.outcomes import Run, run
from potlang.models.evaluation.questions import Asks, Option, Question, Truth
from potlang.models.evaluation.reasoners import (
    Answerer,
    LoopOptions,
    Reasoner,
    RecordedPrograms,
    SolverSettings,
    WritingModel,
)
from potlang.models.evaluation.records import LineProblem
from potlang.models.evaluation.results_file import KeptRun, read_results
from potlang.models.evaluation.summary import FamilySummary, summarize, to_json

__all__ = [
    "Answerer",
    "METRICS",
    "Asks",
    "Confusion",
    "Counts",
    "DataFiles",
    "LoopOptions",
    "Option",
    "QuestionOutcome",
    "KeptRun",
    "LineProblem",
    "OtherColumns",
    "Question",
    "AnswerReading",
    "Reasoner",
    "RecordedPrograms",
    "Run",
    "RunComparison",
    "SolverSettings",
    "Grade",
    "FamilySummary",
    "Truth",
    "WritingModel",
    "compare_runs",
    "judge",
    "metrics",
    "read_questions",
    "read_recorded",
    "read_results",
    "run",
    "summarize",
    "to_json",
]
