"""Answers of `verify_many` as tables for notebooks, from the JSON form of their reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from potlang.diag.render_text import render_located
from potlang.diag.wording import visible
from potlang.languages.pot.report import Report
from potlang.report.base import Row
from potlang.report.from_json import report_from_dict
from potlang.report.html import fragment

_TITLES: Final = {"pot": "Program", "dot": "Trace", "dagmath": "Solution"}
_MOST_ROWS: Final = 200


def answer_html(verdict: str, report: Mapping[str, Any] | None, fault: str | None) -> str:
    """The table of one answer: that of its report, or why there is none."""
    if report is None:
        return fragment("potlang-answer", "Answer", [verdict], [visible(fault or "")], (), (), ())
    if report["kind"] == "pot":
        return Report._make(report_from_dict(report))._repr_html_()
    rejected = verdict == "rejected"
    above = [render_located(each) for each in report["diagnostics"]] if rejected else []
    head, rows = _parts(report)
    more = [f"… {len(rows) - _MOST_ROWS:,} more"] if len(rows) > _MOST_ROWS else []
    title = _TITLES.get(report["kind"], "Answer")
    return fragment(f"potlang-{report['kind']}", title, [verdict], above, head, rows[:_MOST_ROWS], more)


def _parts(report: Mapping[str, Any]) -> tuple[tuple[str, ...], list[Row]]:
    """The column names and rows of a trace's nodes, or of a solution's steps."""
    if report["kind"] == "dot":
        return ("node", "role", "status", "verdict", "says"), list(_nodes(report))
    return ("step", "verdict", "says"), list(_steps(report))


def _nodes(report: Mapping[str, Any]) -> Iterator[Row]:
    for each in report["nodes"]:
        says = each["proposition"] or each["text"]
        yield str(each["id"]), each["role"], each["status"] or "", each["verdict"] or "", says or ""


def _steps(report: Mapping[str, Any]) -> Iterator[Row]:
    for each in report["steps"]:
        yield str(each["id"]), (each["result"] or {}).get("verdict", ""), each["node"]
