"""The report on a program."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.languages.pot.render import lines_below, render_report, report_rows, verdict_words
from potlang.report.base import ReportBase
from potlang.report.results import ProgramResult


class Report(ProgramResult, ReportBase):
    """The answer to a program: the values of `ProgramResult` with the faces of `ReportBase`."""

    __slots__ = ()

    render = render_report
    _rows = report_rows
    _below = lines_below

    def _words(self) -> Sequence[str]:
        return verdict_words(self)
