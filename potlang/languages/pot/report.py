"""The report on a program."""

from __future__ import annotations

from collections.abc import Iterable

from potlang.diag.wording import visible
from potlang.languages.pot.render import render_report, report_rows
from potlang.report.base import ReportBase, Row
from potlang.report.results import ProgramResult


class Report(ProgramResult, ReportBase):
    """The answer to a program: the values of `ProgramResult` with the faces of `ReportBase`."""

    __slots__ = ()

    def render(self, *, color: bool = False) -> str:
        """The report as lines of text, diagnostics excluded: those are rendered with their source."""
        return render_report(self, color=color)

    def _rows(self) -> Iterable[Row]:
        return report_rows(self)

    def _below(self) -> Iterable[str]:
        return [f"note: {visible(note)}" for note in self.notes]
