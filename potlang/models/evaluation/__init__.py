"""Evaluation of models, or of recorded programs, on questions with known answers (paper, appendix 7.1).

questions, problems = read_questions([("q.jsonl", stream)])
found = run(questions, Recorded(programs), jobs=4)
summaries = summarize(questions, found.outcomes)
"""

from potlang.models.evaluation.confusion import METRICS, Confusion, Counts, metrics
from potlang.models.evaluation.judging import AnswerReading, Grade, judge
from potlang.models.evaluation.outcomes import QuestionOutcome, Run, SolverSettings, run
from potlang.models.evaluation.questions import (
    LineProblem,
    Option,
    Question,
    Truth,
    read_questions,
    read_recorded,
)
from potlang.models.evaluation.reasoners import Attempts, Reasoner, RecordedPrograms
from potlang.models.evaluation.summary import FamilySummary, summarize, to_json

__all__ = [
    "METRICS",
    "Attempts",
    "Confusion",
    "Counts",
    "Option",
    "QuestionOutcome",
    "LineProblem",
    "Question",
    "AnswerReading",
    "Reasoner",
    "RecordedPrograms",
    "Run",
    "SolverSettings",
    "Grade",
    "FamilySummary",
    "Truth",
    "judge",
    "metrics",
    "read_questions",
    "read_recorded",
    "run",
    "summarize",
    "to_json",
]
