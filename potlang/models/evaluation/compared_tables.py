"""Several runs as tables: each data set and run; pairs of runs, with differences ([EVAL-COMPARE])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from potlang.models.evaluation.comparing import PairedDifference, RunComparison
from potlang.models.evaluation.confusion import TITLES
from potlang.models.evaluation.judging import AnswerReading
from potlang.models.evaluation.summary import FamilySummary
from potlang.report.table import Cell, CellStyle, Column, Table

_RATES: Final = {
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "fpr": "FPR",
    "coverage": "coverage",
    "right": "right",
}
_MOST_CHANGED: Final = 50


def runs_table(runs: Mapping[str, Sequence[FamilySummary]]) -> Table:
    """The paper's figures of each data set and run, by both readings."""
    columns = [Column("family"), Column("run"), Column("reading"), Column("questions", "count")]
    columns += [Column("compiled", "percent"), Column("executed", "percent")]
    columns += [Column(title, "percent") for title in _RATES.values()]
    rows: list[tuple[Cell, ...]] = []
    for family in dict.fromkeys(each.family for summaries in runs.values() for each in summaries):
        for name, summaries in runs.items():
            for each in summaries:
                if each.family == family:
                    rows += _rows(name, each)
    return Table("runs", "", "Data sets and runs", tuple(columns), tuple(rows), grouped=True)


def _rows(name: str, each: FamilySummary) -> list[tuple[Cell, ...]]:
    shares = [part / each.questions if each.questions else None for part in (each.compiled, each.executed)]
    return [
        (
            each.family or "—",
            name,
            str(reading),
            each.questions,
            *shares,
            *(each.reading(reading).metrics[rate].value for rate in _RATES),
        )
        for reading in AnswerReading
    ]


def comparison_tables(first: str, second: str, found: RunComparison) -> list[Table]:
    """The tables of two runs; the names are those of the runs."""
    return [
        _rates_table(first, second, found),
        _right_table(first, second, found),
        _costs_table(first, second, found),
        _changed_table(first, second, found),
    ]


def _difference_columns(first: str, second: str) -> list[Column]:
    return [
        Column(first, "percent"),
        Column(second, "percent"),
        Column("difference", "percent"),
        Column("interval", "percents"),
        Column("differ"),
    ]


def _cells(found: PairedDifference) -> tuple[Cell, ...]:
    value, interval = found.difference
    said = {True: "yes", False: "not shown", None: None}[found.is_one]
    return (
        found.first,
        found.second,
        value,
        None if interval is None else (interval.low, interval.high),
        said,
    )


def _rates_table(first: str, second: str, found: RunComparison) -> Table:
    columns = [Column("family"), Column("reading"), Column("rate"), *_difference_columns(first, second)]
    rows = tuple(
        (each.family or "—", str(reading), TITLES[name], *_cells(rates[name]))
        for each in found.families
        for reading, rates in each.rates.items()
        for name in TITLES
    )
    return Table("differences", "", f"{second} less {first}", tuple(columns), rows, grouped=True)


def _right_table(first: str, second: str, found: RunComparison) -> Table:
    columns = [Column("family"), Column("reading"), Column("questions", "count")]
    columns += [
        Column(title, "count", "right in")
        for title in ("both", f"{first} alone", f"{second} alone", "neither")
    ]
    columns.append(Column("p", "pvalue", "McNemar"))
    rows = tuple(
        (each.family or "—", str(reading), each.questions, *right)
        for each in found.families
        for reading, right in each.right.items()
    )
    return Table("right", "", "Questions answered right", tuple(columns), rows, grouped=True)


def _costs_table(first: str, second: str, found: RunComparison) -> Table:
    columns = [Column("family"), Column("of a question"), *_difference_columns(first, second)]
    rows = tuple(
        (each.family or "—", name, *_cells(value))
        for each in found.families
        for name, value in each.costs.items()
    )
    style: tuple[CellStyle, ...] = ("text", "text", "fine", "fine", "fine", "interval", "text")
    return Table("costs", "", "Cost", tuple(columns), rows, styles=(style,) * len(rows), grouped=True)


def _changed_table(first: str, second: str, found: RunComparison) -> Table:
    columns = (Column("question"), Column("reading"), Column(first), Column(second))
    shown = found.changed[:_MOST_CHANGED]
    rows = tuple((each.id, str(each.reading), str(each.first), str(each.second)) for each in shown)
    more = len(found.changed) - len(shown)
    title = f"Questions that changed{f', of which {more} more are not shown' if more else ''}"
    return Table("changed", "", title, columns, rows, grouped=True)
