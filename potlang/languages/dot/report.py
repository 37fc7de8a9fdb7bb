"""The report on a trace."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.languages.dot.render import lines_below, node_rows, render_trace
from potlang.languages.dot.results import TraceResult
from potlang.report.base import ReportBase, Row


class TraceReport(TraceResult, ReportBase):
    """The answer to a trace: the values of `TraceResult` with the faces of `ReportBase`."""

    __slots__ = ()

    def render(self, *, color: bool = False) -> str:
        """The report as lines of text, diagnostics excluded: those are rendered with their source."""
        return render_trace(self, color=color)

    def _rows(self) -> Iterable[Row]:
        return node_rows(self)

    def _below(self) -> Iterable[str]:
        return lines_below(self)
