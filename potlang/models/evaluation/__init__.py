"""Evaluation of models, or of recorded programs, on questions with known answers (paper, appendix 7.1).

questions, problems = read_questions([("q.jsonl", stream)])
found = run(questions, Recorded(programs), jobs=4)
summaries = summarize(questions, found.outcomes)
"""

from potlang.models.evaluation.confusion import METRICS, Confusion, Counts, metrics
from potlang.models.evaluation.judging import Reading, Status, judge
from potlang.models.evaluation.outcomes import Outcome, Settings
from potlang.models.evaluation.questions import (
    Option,
    Problem,
    Question,
    Truth,
    read_questions,
    read_recorded,
)
from potlang.models.evaluation.reasoners import Attempts, Reasoner, Recorded
from potlang.models.evaluation.running import Run, run
from potlang.models.evaluation.summary import Summary, summarize, to_json

__all__ = [
    "METRICS",
    "Attempts",
    "Confusion",
    "Counts",
    "Option",
    "Outcome",
    "Problem",
    "Question",
    "Reading",
    "Reasoner",
    "Recorded",
    "Run",
    "Settings",
    "Status",
    "Summary",
    "Truth",
    "judge",
    "metrics",
    "read_questions",
    "read_recorded",
    "run",
    "summarize",
    "to_json",
]
