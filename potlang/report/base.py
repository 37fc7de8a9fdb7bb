"""The interface of all reports: JSON text, text for people, HTML for notebooks."""

from __future__ import annotations

from typing import Any

from potlang.report.plain import json_text


class ReportBase:
    """What the reports of the three languages share.

    A report is a record of plain values (`ProgramResult`, `TraceResult`, `SolutionResult`) with this class
    as its second base, so that renderers know the records alone.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, in the form of its schema."""
        raise NotImplementedError

    def render(self, *, color: bool = False) -> str:
        """The report as lines of text, diagnostics excluded: those are rendered with their source."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """A table for notebooks; all text is escaped."""
        raise NotImplementedError

    def to_json(self, *, indent: int | None = 2) -> str:
        """`to_dict` as text; characters beyond ASCII as they are, unpaired surrogates escaped."""
        return json_text(self.to_dict(), indent)

    def __str__(self) -> str:
        return self.render()
