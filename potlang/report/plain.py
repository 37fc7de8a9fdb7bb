"""The JSON form of reports: records as objects, and the members that the reports of all languages have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from potlang.diag.model import Diagnostic


class ReportFields(Protocol):
    """The fields that all reports have."""

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


def to_plain(value: Any) -> Any:
    """Records as objects, tuples as arrays, floats to three digits.

    It is as deep as the types of reports are, so no deeper than six.
    """
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: to_plain(each) for name, each in zip(value._fields, value, strict=True)}
    if isinstance(value, tuple | list):
        return [to_plain(each) for each in value]
    return dict(value) if isinstance(value, dict) else value


def json_text(value: Any, indent: int | None = 2) -> str:
    """JSON text with characters beyond ASCII as they are; surrogates, which UTF-8 cannot hold, escaped."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
