"""Evaluation of models, or of recorded programs, on questions with known answers (paper, appendix 7.1).

data = read_questions([("q.jsonl", stream)])
found = run(data.questions, RecordedPrograms(programs), jobs=4)
summaries = summarize(data.questions, found.outcomes)

Names are imported on first use: the help of a command needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.models.evaluation import compared_tables as compared_tables
    from potlang.models.evaluation import comparing as comparing
    from potlang.models.evaluation import picture as picture
    from potlang.models.evaluation import report_folder as report_folder
    from potlang.models.evaluation import table as table
    from potlang.models.evaluation.comparing import RunComparison as RunComparison
    from potlang.models.evaluation.comparing import compare_runs as compare_runs
    from potlang.models.evaluation.confusion import METRICS as METRICS
    from potlang.models.evaluation.confusion import Confusion as Confusion
    from potlang.models.evaluation.confusion import Counts as Counts
    from potlang.models.evaluation.confusion import metrics as metrics
    from potlang.models.evaluation.data_files import DataFiles as DataFiles
    from potlang.models.evaluation.data_files import OtherColumns as OtherColumns
    from potlang.models.evaluation.data_files import read_questions as read_questions
    from potlang.models.evaluation.data_files import read_recorded as read_recorded
    from potlang.models.evaluation.judging import AnswerReading as AnswerReading
    from potlang.models.evaluation.judging import Grade as Grade
    from potlang.models.evaluation.judging import judge as judge
    from potlang.models.evaluation.outcome import QuestionOutcome as QuestionOutcome
    from potlang.models.evaluation.outcomes import Run as Run
    from potlang.models.evaluation.outcomes import run as run
    from potlang.models.evaluation.questions import Asks as Asks
    from potlang.models.evaluation.questions import Option as Option
    from potlang.models.evaluation.questions import Question as Question
    from potlang.models.evaluation.questions import Truth as Truth
    from potlang.models.evaluation.reasoners import Answerer as Answerer
    from potlang.models.evaluation.reasoners import LoopOptions as LoopOptions
    from potlang.models.evaluation.reasoners import Reasoner as Reasoner
    from potlang.models.evaluation.reasoners import RecordedPrograms as RecordedPrograms
    from potlang.models.evaluation.reasoners import SolverSettings as SolverSettings
    from potlang.models.evaluation.reasoners import WritingModel as WritingModel
    from potlang.models.evaluation.records import LineProblem as LineProblem
    from potlang.models.evaluation.results_file import KeptRun as KeptRun
    from potlang.models.evaluation.results_file import read_results as read_results
    from potlang.models.evaluation.summary import FamilySummary as FamilySummary
    from potlang.models.evaluation.summary import summarize as summarize
    from potlang.models.evaluation.summary import to_json as to_json

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.models.evaluation.comparing": "RunComparison compare_runs",
        "potlang.models.evaluation.confusion": "METRICS Confusion Counts metrics",
        "potlang.models.evaluation.data_files": "DataFiles OtherColumns read_questions read_recorded",
        "potlang.models.evaluation.judging": "AnswerReading Grade judge",
        "potlang.models.evaluation.outcome": "QuestionOutcome",
        "potlang.models.evaluation.outcomes": "Run run",
        "potlang.models.evaluation.questions": "Asks Option Question Truth",
        "potlang.models.evaluation.reasoners": "Answerer LoopOptions Reasoner RecordedPrograms "
        "SolverSettings WritingModel",
        "potlang.models.evaluation.records": "LineProblem",
        "potlang.models.evaluation.results_file": "KeptRun read_results",
        "potlang.models.evaluation.summary": "FamilySummary summarize to_json",
    },
    modules="comparing compared_tables picture report_folder table",
)
