"""Summaries as tables: for people, as CSV ([EVAL-TABLES])."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from potlang.models.evaluation.confusion import METRICS, TITLES
from potlang.models.evaluation.judging import AnswerReading
from potlang.models.evaluation.questions import Truth
from potlang.models.evaluation.richness import Richness
from potlang.models.evaluation.summary import (
    NO_ANSWER,
    PAPER_ANSWERS,
    VERDICTS,
    Estimate,
    FamilySummary,
    ReadingSummary,
)
from potlang.report.table import Cell, Column, Table

KEY_METRICS: Final = {
    "accuracy": "accuracy",
    "fpr": "FPR",
    "fpr_of_all": "FPR, all false",
    "overclaimed": "overclaimed",
    "coverage": "coverage",
    "right": "right",
}
_FIGURE: Final = "as the paper's figure 3"
_HEADINGS: Final = {AnswerReading.PAPER: "paper's reading", AnswerReading.VERDICT: "verdict"}


def tables(summaries: Sequence[FamilySummary], *, detailed: bool = True) -> list[Table]:
    """All tables; without `detailed` the rates that matter most for each family, and all for the last."""
    found = [questions_table(summaries), side_by_side(summaries)]
    if detailed:
        found += [metrics_table(summaries), confusion_table(summaries), three_way(summaries)]
    else:
        found += [key_table(summaries), metrics_table(summaries[-1:])]
    found += [attempts_table(summaries), status_table(summaries), cost_table(summaries)]
    return [*found, richness_table(summaries)]


def questions_table(summaries: Sequence[FamilySummary]) -> Table:
    """Questions and claims, the share that compiled, the cost."""
    titles = ("questions", "claims", "compiled", "executed", "to reject", "rejected", "expected", "agreeing")
    columns = [Column("family"), *(Column(title, "count") for title in titles)]
    columns[5:5] = [Column("compiled share", "percent"), Column("executed share", "percent")]
    columns += [Column("calls", "count"), Column("reasoning s", "decimal"), Column("verifying s", "decimal")]
    rows = tuple(
        (
            _named(each),
            *(each.questions, each.claims, each.compiled, each.executed),
            *(share / each.questions if each.questions else None for share in (each.compiled, each.executed)),
            *(each.to_reject, each.rejected, each.expected, each.agreeing),
            *each.cost[:3],
        )
        for each in summaries
    )
    return Table("questions", "", "Questions", tuple(columns), rows)


def side_by_side(summaries: Sequence[FamilySummary]) -> Table:
    """Claims by right answer: the paper's answer of two, and the verdict of five."""
    columns = [Column("family"), Column("right answer")]
    columns += [Column(name, "count", _HEADINGS[AnswerReading.PAPER]) for name in PAPER_ANSWERS]
    columns += [Column(str(name), "count", _HEADINGS[AnswerReading.VERDICT]) for name in VERDICTS]
    rows: list[tuple[Cell, ...]] = []
    for each in summaries:
        for right in Truth:
            cells = [each.paper_answers[right, name] for name in PAPER_ANSWERS]
            cells += [each.verdicts[right, name] for name in VERDICTS]
            if any(cells):
                rows.append((_named(each), str(right), *cells))
    title = "The two-way reading and the verdicts"
    return Table("side-by-side", "", title, tuple(columns), tuple(rows), grouped=True)


def key_table(summaries: Sequence[FamilySummary]) -> Table:
    """The rates that show how the readings differ, for each family."""
    columns = [Column("family")]
    for title in KEY_METRICS.values():
        columns += [Column(str(reading), "percent", title) for reading in AnswerReading]
    rows: list[tuple[Cell, ...]] = []
    for each in summaries:
        cells = [
            each.reading(reading).metrics[name].value for name in KEY_METRICS for reading in AnswerReading
        ]
        if any(cell is not None for cell in cells):
            rows.append((_named(each), *cells))
    return Table("rates", "", "Rates by family", tuple(columns), tuple(rows))


def metrics_table(summaries: Sequence[FamilySummary]) -> Table:
    """Every rate with its interval, under both readings."""
    columns = [Column("family"), Column("rate")]
    for reading in AnswerReading:
        columns += [
            Column("value", "percent", _HEADINGS[reading]),
            Column("interval", "percents", _HEADINGS[reading]),
        ]
    rows = tuple(
        (_named(each), TITLES[name], *_pair(each.paper.metrics[name]), *_pair(each.verdict.metrics[name]))
        for each in summaries
        for name in METRICS
    )
    return Table("metrics", _FIGURE, "Performance metrics", tuple(columns), rows, grouped=True)


def _pair(estimate: Estimate) -> tuple[Cell, Cell]:
    interval = estimate.interval
    return estimate.value, None if interval is None else (interval.low, interval.high)


def confusion_table(summaries: Sequence[FamilySummary]) -> Table:
    """True and false claims by answer: the four cells, and those without an answer of the two."""
    names = ("TP", "FP", "FN", "TN", "true, unanswered", "false, unanswered")
    columns = [Column("family"), Column("reading"), *(Column(name, "count") for name in names)]
    rows = tuple((*head, *found.counts[:6]) for head, found in _by_reading(summaries))
    return Table("confusion", _FIGURE, "Confusion matrix", tuple(columns), rows, grouped=True)


def three_way(summaries: Sequence[FamilySummary]) -> Table:
    """Claims by right answer and given answer, of true, false and uncertain."""
    answers = (*map(str, Truth), NO_ANSWER)
    columns = [Column("family"), Column("reading"), Column("right answer")]
    columns += [Column(answer, "count", "answered") for answer in answers]
    rows: list[tuple[Cell, ...]] = []
    for head, found in _by_reading(summaries):
        for right in Truth:
            rows.append((*head, str(right), *(found.matrix[right, answer] for answer in answers)))
    return Table("three-way", "", "Three answers", tuple(columns), tuple(rows), grouped=True)


def attempts_table(summaries: Sequence[FamilySummary]) -> Table:
    """Questions by the attempt that compiled."""
    titles = ("right", "wrong", "no answer")
    columns = [Column("family"), Column("attempt", "count")]
    for reading in AnswerReading:
        columns += [Column(title, "count", _HEADINGS[reading]) for title in titles]
    rows: list[tuple[Cell, ...]] = []
    for each in summaries:
        for first, second in zip(each.paper.attempts, each.verdict.attempts, strict=True):
            rows.append((_named(each), *first, *second[1:]))
    return Table("attempts", _FIGURE, "Questions by attempt", tuple(columns), tuple(rows), grouped=True)


def status_table(summaries: Sequence[FamilySummary]) -> Table:
    """Questions by their final status."""
    names = ("right", "wrong", "abstained", "failed")
    columns = [Column("family"), Column("reading"), *(Column(name, "count") for name in names)]
    columns += [Column(f"{name} share", "percent") for name in names]
    rows: list[tuple[Cell, ...]] = []
    for head, found in _by_reading(summaries):
        cells = found.counts[-4:]
        whole = found.counts.questions
        rows.append((*head, *cells, *(count / whole if whole else None for count in cells)))
    return Table("status", _FIGURE, "Final question status", tuple(columns), tuple(rows), grouped=True)


def cost_table(summaries: Sequence[FamilySummary]) -> Table:
    """The cost of the programs: calls, tokens, dollars, safe fixes, second looks."""
    titles = {
        "calls": "calls",
        "prompt_tokens": "prompt",
        "completion_tokens": "completion",
        "cached_tokens": "cached",
        "reasoning_tokens": "reasoning",
        "dollars": "dollars",
        "mended": "safe fixes",
        "second_looks": "second looks",
        "changed": "of which changed",
    }
    columns = [Column("family")]
    for name, title in titles.items():
        over = "tokens" if name.endswith("tokens") else ""
        columns.append(Column(title, "fine" if name == "dollars" else "count", over))
    rows = tuple((_named(each), *(getattr(each.cost, name) for name in titles)) for each in summaries)
    return Table("cost", "", "Cost", tuple(columns), rows)


def richness_table(summaries: Sequence[FamilySummary]) -> Table:
    """Constructs of a program on average, and sentences of the replies for it."""
    columns = [Column("family"), Column("programs", "count")]
    columns += [Column(name, "decimal", "on average") for name in Richness._fields]
    rows = tuple(
        (
            _named(each),
            each.richness.programs,
            *(each.richness.mean.get(name) for name in Richness._fields),
        )
        for each in summaries
    )
    return Table("richness", "", "Richness", tuple(columns), rows)


def _by_reading(summaries: Sequence[FamilySummary]) -> Iterator[tuple[tuple[str, str], ReadingSummary]]:
    """Both readings of each family, with the first two cells of their rows."""
    for each in summaries:
        for reading in AnswerReading:
            yield (_named(each), str(reading)), each.reading(reading)


def _named(each: FamilySummary) -> str:
    return each.family or "—"
