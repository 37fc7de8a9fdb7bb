"""The report on a solution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from potlang.languages.dagmath.render import lines_below, render_solution, step_rows, verdict_words
from potlang.languages.dagmath.results import SolutionResult
from potlang.report.base import ReportBase, Row


class SolutionReport(SolutionResult, ReportBase):
    """The answer to a solution: the values of `SolutionResult` with the faces of `ReportBase`."""

    __slots__ = ()

    def render(self, *, color: bool = False) -> str:
        """The report as lines of text, diagnostics excluded: those are rendered with their source."""
        return render_solution(self, color=color)

    def _words(self) -> Sequence[str]:
        return verdict_words(self)

    def _rows(self) -> Iterable[Row]:
        return step_rows(self)

    def _below(self) -> Iterable[str]:
        return lines_below(self)
