"""The paper's tables 1 to 12, of whatever samples were scored ([DAG-TABLES])."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from potlang.languages.dagmath.check.metrics import Class
from potlang.report.table import Cell, CellStyle, Column, Table
from potlang.score.inference import Equivalence, paired_equivalence
from potlang.score.samples import difficulty_label
from potlang.score.scores import NOT_GIVEN, Score, Scores, class_counts
from potlang.score.tally import Group, Tally

STATISTICS: tuple[tuple[str, str], ...] = (
    ("nodes", "#nodes"),
    ("edges", "#edges"),
    ("density", "density"),
    ("max_in", "d_in^max"),
    ("max_out", "d_out^max"),
)
"""The five statistics of section 4.2 by field, and their names."""


class Comparison(NamedTuple):
    """The comparison of tables 1 and 8 to 12: the conditions are the values of the last `fields` of `by`.

    `baseline` is the condition that others are tested against, the first in order if it is None.
    """

    fields: int = 0
    baseline: str | None = None
    margin: float = 0.10
    alpha: float = 0.05


NOTHING_COMPARED = Comparison()


def tables_of(scores: Scores, comparison: Comparison = NOTHING_COMPARED) -> list[Table]:
    """All tables that these samples have the data for.

    Of the fields that samples are grouped by the first makes the rows and the second the columns; the
    fields of the comparison come last. Raises MissingExtraError where a test needs SciPy, and ValueError
    for a baseline that is no condition.
    """
    plan = _Plan(scores, comparison)
    if comparison.baseline not in (None, *plan.labels(plan.condition)):
        raise ValueError(f"no condition is called {comparison.baseline}")
    found = [accuracy(plan), *statistics_tables(plan), *gaps(plan)]
    if success := success_rates(scores):
        found.insert(0, success)
    if comparison.fields:
        found += [rates(plan), *equivalences(plan), *conditions_tables(plan)]
    return found


class _Plan:
    """The groups by row, column and condition."""

    def __init__(self, scores: Scores, comparison: Comparison) -> None:
        self.tally: Tally = scores.tally
        self.comparison = comparison
        self.by = scores.by
        self.scores: dict[Group, Score] = {each.group: each for each in scores.groups()}
        count = len(scores.by) - comparison.fields
        self.column_at = 1 if count > 1 else None
        self.row_at = [at for at in range(count) if at != self.column_at]
        self.condition_at = range(count, len(scores.by))

    def row(self, group: Group) -> str:
        return ", ".join(group[at] or NOT_GIVEN for at in self.row_at) or "all"

    def column(self, group: Group) -> str:
        return "" if self.column_at is None else group[self.column_at] or NOT_GIVEN

    def condition(self, group: Group) -> str:
        return ", ".join(group[at] or NOT_GIVEN for at in self.condition_at)

    def labels(self, name: Callable[[Group], str]) -> list[str]:
        """The different labels, in order."""
        return sorted({name(group) for group in self.scores})

    def long_row(self, group: Group) -> str:
        """The row's label with the condition."""
        condition = self.condition(group)
        return f"{self.row(group)}, {condition}" if condition else self.row(group)

    def in_column(self, name: str) -> list[tuple[str, Score]]:
        """The scores of one column with the labels of their rows."""
        found = self.scores.items()
        return [(self.long_row(group), score) for group, score in found if self.column(group) == name]

    def heading(self) -> str:
        names = [self.by[at] for at in self.row_at]
        return ", ".join(names).capitalize() if names else ""

    def contexts(self) -> Iterator[tuple[str, str, dict[str, Group]]]:
        """For each row and column its groups by condition, in order, the baseline first."""
        first = self.comparison.baseline
        found: dict[tuple[str, str], dict[str, Group]] = {}
        for group in sorted(self.scores, key=lambda group: (self.condition(group) != first, group)):
            place = self.row(group), self.column(group)
            found.setdefault(place, {})[self.condition(group)] = group
        for (row, column), groups in sorted(found.items()):
            yield row, column, groups

    def where(self, row: str, column: str) -> str:
        return ", ".join(each for each in (row if self.row_at else "", column) if each)


# --- tables 2 to 7 -----------------------------------------------------------------------------------


def success_rates(scores: Scores) -> Table | None:
    """Table 2: how many samples of each difficulty succeed; None where no difficulty is known.

    A success is a gold-standard sample if the scores know of those, else a perfect one.
    """
    levels: dict[int | None, list[int]] = {}
    for group in scores.tally.groups():
        for level in scores.tally.bins(group):
            counts = class_counts(scores.tally, group, level)
            row = levels.setdefault(level, [0, 0])
            row[0] += sum(counts.values())
            row[1] += counts[Class.PERFECT] if scores.gold is None else scores.gold[group, level]
    if not any(level is not None for level in levels):
        return None
    ordered = sorted(levels.items(), key=lambda item: (item[0] is None, item[0] or 0))
    rows = tuple((difficulty_label(level), all_, won, won / all_) for level, (all_, won) in ordered)
    what = "Perfect samples" if scores.gold is None else "Gold-standard samples"
    columns = (
        Column("Difficulty"),
        Column("Total", "count"),
        Column("Success", "count"),
        Column("Rate", "percent"),
    )
    return Table("success", "table 2", f"{what} by problem difficulty", columns, rows)


def accuracy(plan: _Plan) -> Table:
    """Table 3: PASS@1 and R̂ with the gap, and the standard deviation (ddof 1) of each column.

    Conditions that are compared are rows too, and then there is no deviation.
    """
    over = plan.labels(plan.column)
    found = {(plan.long_row(group), plan.column(group)): score for group, score in plan.scores.items()}
    columns = [Column(plan.heading())]
    for each in over:
        columns += [Column("PASS@1", "points", each), Column("R̂ (Δ↓)", "gap", each)]
        columns += [Column("AUC", "points", each)]
    rows: list[tuple[Cell, ...]] = [
        (row, *(cell for column in over for cell in _accuracy_cells(found.get((row, column)))))
        for row in plan.labels(plan.long_row)
    ]
    if len(rows) > 1 and not plan.comparison.fields:
        rows.append(("Std", *(_spread([row[at] for row in rows]) for at in range(1, len(columns)))))
    return Table(
        "accuracy", "table 3", "Final-answer accuracy and reasoning ability", tuple(columns), tuple(rows)
    )


def _accuracy_cells(score: Score | None) -> tuple[Cell, Cell, Cell]:
    if score is None:
        return None, None, None
    return float(score.pass_1), (float(score.prr), float(score.gap)), float(score.auc)


def _spread(cells: Sequence[Cell]) -> Cell:
    """The standard deviation of a column; of a column of pairs, that of the first of each."""
    values = [each[0] if isinstance(each, tuple) else each for each in cells]
    numbers = [each for each in values if isinstance(each, float)]
    if len(numbers) < 2:
        return None
    spread = statistics.stdev(numbers)
    return (spread, None) if any(isinstance(each, tuple) for each in cells) else spread


def statistics_tables(plan: _Plan) -> Iterator[Table]:
    """Tables 4 to 6: the mean graph of each class, a table for each column."""
    columns = (
        Column(plan.heading()),
        Column("Class"),
        *(Column(title, "percent" if name == "density" else "decimal") for name, title in STATISTICS),
        Column("samples", "count"),
    )
    for over in plan.labels(plan.column):
        rows = tuple(
            (row, name, *(getattr(means, field) for field, _ in STATISTICS), means.samples)
            for row, score in plan.in_column(over)
            for name, means in score.classes.items()
        )
        title = "Averaged graph-level statistics by class" + (f" on {over}" if over else "")
        yield Table("statistics", "tables 4 to 6", title, columns, rows, grouped=True)


def gaps(plan: _Plan) -> Iterator[Table]:
    """Table 7: the gap between PASS@1 and PRR with its confidence interval, a table for each column."""
    shares = (Column(name, "percent") for name in ("PASS@1", "PRR", "Δ"))
    columns = (Column(plan.heading()), *shares, Column("CI(Δ)", "percents"))
    for over in plan.labels(plan.column):
        rows = tuple(
            (row, float(score.pass_1), float(score.prr), float(score.gap), score.gap_interval)
            for row, score in plan.in_column(over)
        )
        title = "The gap between PASS@1 and PRR, 95 % Wilson intervals" + (f", on {over}" if over else "")
        yield Table("gap", "table 7", title, columns, rows)


# --- tables 1 and 8 to 12 ----------------------------------------------------------------------------


def rates(plan: _Plan) -> Table:
    """Tables 1 and 12: PASS@1 and PRR under each condition."""
    conditions = list(dict.fromkeys(each for _, _, groups in plan.contexts() for each in groups))
    columns = [Column(plan.heading())]
    columns += [Column(each, "percent", over) for over in ("PASS@1", "PRR") for each in conditions]
    rows: list[tuple[Cell, ...]] = []
    for row, column, groups in plan.contexts():
        found = [plan.scores[groups[each]] if each in groups else None for each in conditions]
        cells = [None if each is None else float(each.pass_1) for each in found]
        cells += [None if each is None else float(each.prr) for each in found]
        rows.append((plan.where(row, column) or "all", *cells))
    return Table("rates", "tables 1 and 12", "PASS@1 and PRR by condition", tuple(columns), tuple(rows))


def equivalences(plan: _Plan) -> Iterator[Table]:
    """Tables 8 and 9: TOST of each condition against the baseline, paired over problems."""
    columns = (
        Column("Stat."),
        Column("Mean Diff.", "fine"),
        Column("CI", "interval"),
        Column("p_left", "pvalue"),
        Column("p_right", "pvalue"),
        Column("Equivalent"),
    )
    for row, column, groups in plan.contexts():
        first, *others = groups.items()
        for condition, group in others:
            found = compare(plan.tally, first[1], group, plan.comparison.margin, plan.comparison.alpha)
            rows = tuple(
                _equivalence_row(title, each) for (_, title), each in zip(STATISTICS, found, strict=True)
            )
            styles = tuple(_equivalence_styles(name) for name, _ in STATISTICS)
            where = plan.where(row, column)
            title = f"TOST of {first[0]} and {condition} over {found[0].pairs} problems, margin "
            title += f"{plan.comparison.margin:.0%}" + (f": {where}" if where else "")
            yield Table("equivalence", "tables 8 and 9", title, columns, rows, styles)


def compare(
    tally: Tally, one: Group, other: Group, margin: float = 0.10, alpha: float = 0.05
) -> list[Equivalence]:
    """TOST on the five statistics, in their order, paired over the problems that both groups have."""
    pairs = []
    for problem, mine in tally.problems[one].items():
        theirs = tally.problems[other].get(problem)
        left, right = mine.means(), None if theirs is None else theirs.means()
        if left is not None and right is not None:
            pairs.append((left, right))
    return [
        paired_equivalence([left[at] for left, _ in pairs], [right[at] for _, right in pairs], margin, alpha)
        for at in range(len(STATISTICS))
    ]


def _equivalence_row(title: str, found: Equivalence) -> tuple[Cell, ...]:
    equivalent = "YES" if found.equivalent else "NO" if found.p_left is not None else "—"
    return title, found.difference, found.interval, found.p_left, found.p_right, equivalent


def _equivalence_styles(name: str) -> tuple[CellStyle, ...]:
    difference: CellStyle = "fine percent" if name == "density" else "fine"
    interval: CellStyle = "fine percents" if name == "density" else "interval"
    return "text", difference, interval, "pvalue", "pvalue", "text"


def conditions_tables(plan: _Plan) -> Iterator[Table]:
    """Table 10, and with two fields compared table 11: the metrics in rows, the conditions in columns."""
    for row, column, groups in plan.contexts():
        where = plan.where(row, column)
        split = plan.comparison.fields == 2
        ordered = sorted(groups.values()) if split else list(groups.values())
        columns = [Column("Metric")]
        if split:
            for over, members in groupby(ordered, key=lambda group: group[-2]):
                columns += [Column(group[-1] or NOT_GIVEN, "percent", over or NOT_GIVEN) for group in members]
        else:
            columns += [Column(condition, "percent") for condition in groups]
        found = [plan.scores[group] for group in ordered]
        rows: list[tuple[Cell, ...]] = []
        rows.append(("#Nodes", *(_nodes(score) for score in found)))
        for name, pick in _METRICS:
            rows.append((name, *(float(pick(score)) for score in found)))
        styles = (_metric_styles("spread", found), *(_metric_styles("percent", found) for _ in _METRICS))
        form = "table 11" if split else "table 10"
        title = "Metrics by condition" + (f": {where}" if where else "")
        yield Table("conditions", form, title, tuple(columns), tuple(rows), styles)


_METRICS: tuple[tuple[str, Callable[[Score], Fraction]], ...] = (
    ("PASS@1", lambda score: score.pass_1),
    ("PRR", lambda score: score.prr),
    ("AUC", lambda score: score.auc),
)


def _metric_styles(style: CellStyle, found: Sequence[Score]) -> tuple[CellStyle, ...]:
    return ("text", *(style for _ in found))


def _nodes(score: Score) -> Cell:
    means = score.classes["All"]
    return None if means.nodes is None else (means.nodes, means.nodes_std)
