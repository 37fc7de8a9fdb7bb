"""The report on a trace."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.diag.wording import visible
from potlang.languages.dot.render import lines_below, node_rows, render_trace
from potlang.languages.dot.results import TraceResult
from potlang.report.base import ReportBase


class TraceReport(TraceResult, ReportBase):
    """The answer to a trace: the values of `TraceResult` with the faces of `ReportBase`."""

    __slots__ = ()

    _head = ("Trace", "node", "role", "status", "verdict", "says", "remarks")
    render = render_trace
    _rows = node_rows
    _below = lines_below

    def words(self) -> str:
        """The verdicts in plain sentences."""
        # Most reports are not said, and the table of words takes its time.
        from potlang.languages.dot.sentences import trace_sentences

        return "\n".join(trace_sentences(self))

    def _said(self) -> Iterable[str]:
        return [visible(self.words().partition("\n")[0])] if self.verdict != "rejected" else []
