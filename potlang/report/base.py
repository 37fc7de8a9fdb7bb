"""The interface of the reports of all languages: JSON, text for people, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from potlang import diag
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from potlang.diag.model import Diagnostic

Row = Sequence[str | Iterable[str]]
"""Cells: any text on one line, or lines of visible characters."""


class ReportFields(Protocol):
    """The fields that all reports have."""

    @property
    def verdict(self) -> str: ...
    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]: ...
    @property
    def located(self) -> tuple[dict[str, Any], ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def limits(self) -> object: ...
    @property
    def time_ms(self) -> float: ...
    @property
    def kind(self) -> str: ...
    @property
    def version(self) -> str: ...


def report_to_dict(report: ReportFields, head: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """A report as JSON values: `head` before the diagnostics, `body` behind them, then notes and limits."""
    return {
        "potlang": report.version,
        "kind": report.kind,
        **head,
        "diagnostics": located_diagnostics(report),
        **body,
        "notes": list(report.notes),
        "limits": to_plain(report.limits),
        "time_ms": to_plain(report.time_ms),
    }


def located_diagnostics(report: ReportFields) -> list[dict[str, Any]]:
    """The diagnostics as JSON objects, without line and column where the document is not known."""
    return list(report.located) or [_bare_diagnostic(each) for each in report.diagnostics]


def _bare_diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": str(found.severity),
        "message": found.message,
        "pointer": found.place.pointer,
        "span": to_plain(found.place.span),
        "line": None,
        "column": None,
        "notes": list(found.notes),
        "helps": list(found.helps),
        "fixes": [to_plain(fix) for fix in found.fixes],
    }


LEFT_OUT = frozenset({"quotes"})
"""Fields of records that JSON leaves out where they are empty: most programs have no document."""


def to_plain(value: Any) -> Any:
    """Records as objects, with properties that they name as `computed`; tuples as arrays, floats to 3 digits.

    It is as deep as the types of reports are, so no deeper than six.
    """
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = {
            name: to_plain(each)
            for name, each in zip(value._fields, value, strict=True)
            if each or name not in LEFT_OUT
        }
        return fields | {name: to_plain(getattr(value, name)) for name in getattr(value, "computed", ())}
    if isinstance(value, tuple | list):
        return [to_plain(each) for each in value]
    return dict(value) if isinstance(value, dict) else value


class AnyReport(ReportFields, Protocol):
    """The interface that `ReportBase` needs of a report, and every report therefore has."""

    def to_dict(self) -> dict[str, Any]: ...
    def render(self, *, color: bool = False) -> str: ...
    def words(self) -> str: ...
    @property
    def _head(self) -> Sequence[str]: ...
    def _lead(self) -> str: ...
    def _words(self) -> Sequence[str]: ...
    def _rows(self) -> Iterable[Row]: ...
    def _notebook_rows(self) -> Iterable[Row]: ...
    def _said(self) -> Iterable[str]: ...
    def _below(self) -> Iterable[str]: ...


class ReportBase:
    """JSON text, text and HTML of a report, the same way for the three languages.

    A report is a record of plain values (`ProgramResult`, `TraceResult`, `SolutionResult`) with this class
    as its second base, so that renderers know records alone, and records no renderer.
    """

    __slots__ = ()

    def to_json(self: AnyReport, *, indent: int | None = 2) -> str:
        """`to_dict` as text; characters that cannot be seen are escapes ([REPORT-JSON])."""
        return json_text(self.to_dict(), indent)

    def __str__(self: AnyReport) -> str:
        """`render`, below the diagnostics if the input was rejected."""
        return "\n".join([*_reasons(self), self.render()])

    def _repr_html_(self: AnyReport) -> str:
        """A table with headings for notebooks; all text is escaped."""
        from potlang.report.html import fragment  # Notebooks alone need it.

        title, *head = self._head
        above = [*_reasons(self), *self._said()]
        return fragment(
            f"potlang-{self.kind}",
            title,
            self._words(),
            above,
            head,
            self._notebook_rows(),
            self._below(),
            lead=self._lead(),
        )

    def _lead(self: AnyReport) -> str:
        """The words before the verdict, where the verdict alone would say too much."""
        return ""

    def _notebook_rows(self: AnyReport) -> Iterable[Row]:
        return self._rows()

    def _said(self: AnyReport) -> Iterable[str]:
        """Sentences above the table of a notebook."""
        return ()

    def _words(self: AnyReport) -> Sequence[str]:
        return [str(self.verdict)]

    def __bool__(self) -> NoReturn:
        """Raises TypeError: a refuted report would be as true as any other."""
        raise TypeError("a report is neither true nor false: ask for `report.ok` or `report.verdict`")


def _reasons(report: AnyReport) -> list[str]:
    """The diagnostics of a rejected input, each as lines of text."""
    if report.verdict != "rejected":
        return []
    return [diag.render_located(each) for each in located_diagnostics(report)]
