"""The report on a solution."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.diag.wording import visible
from potlang.languages.dagmath.render import extent, lines_below, render_solution, step_rows
from potlang.languages.dagmath.results import SolutionResult
from potlang.report.base import ReportBase


class SolutionReport(SolutionResult, ReportBase):
    """The answer to a solution: the values of `SolutionResult` with the faces of `ReportBase`."""

    __slots__ = ()

    _head = ("Solution", "step", "rests on", "verdict", "says", "remarks")
    render = render_solution
    _lead = extent
    _rows = step_rows
    _below = lines_below

    def words(self) -> str:
        """The verdicts in plain sentences."""
        # Most reports are not said, and the table of words takes its time.
        from potlang.languages.dagmath.sentences import solution_sentences

        return "\n".join(solution_sentences(self))

    def _said(self) -> Iterable[str]:
        return [visible(self.words().partition("\n")[0])] if self.verdict != "rejected" else []
