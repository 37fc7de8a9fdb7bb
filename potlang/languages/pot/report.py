"""The report on a program."""

from __future__ import annotations

from potlang.languages.pot.render import render_html, render_report
from potlang.report.base import ReportBase
from potlang.report.results import ProgramResult


class Report(ProgramResult, ReportBase):
    """The answer to a program: the values of `ProgramResult`, as JSON, as text, and as HTML."""

    __slots__ = ()

    def render(self, *, color: bool = False) -> str:
        """The report as lines of text, diagnostics excluded: those are rendered with their source."""
        return render_report(self, color=color)

    def _repr_html_(self) -> str:
        return render_html(self)
