"""The report on a solution."""

from __future__ import annotations

from potlang.languages.dagmath.render import lines_below, render_solution, step_rows, verdict_words
from potlang.languages.dagmath.results import SolutionResult
from potlang.report.base import ReportBase


class SolutionReport(SolutionResult, ReportBase):
    """The answer to a solution: the values of `SolutionResult` with the faces of `ReportBase`."""

    __slots__ = ()

    render = render_solution
    _words = verdict_words
    _rows = step_rows
    _below = lines_below
