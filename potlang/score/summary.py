"""The scores of groups as one table, and as text for people with what happened on the way."""

from __future__ import annotations

from collections.abc import Iterator

from potlang.diag.wording import visible
from potlang.report.table import Cell, CellStyle, Column, Table, to_csv, to_text
from potlang.score.scores import Score, Scores

_SHOWN = 20
_COUNTS = ("problems", "samples", "malformed", "wrong", "imperfect", "perfect")


def summary_table(scores: Scores) -> Table:
    """One row for each group: counts by class, the metrics, and the share of `formal` if there are any."""
    columns = [Column(name) for name in scores.by]
    columns += [Column(name, "count") for name in _COUNTS]
    percent: CellStyle = "percent"
    names = ["PASS@1", *(f"PASS@{k}" for k in scores.pass_k if k != 1), "PRR", "Δ"]
    columns += [Column(name, percent) for name in names]
    columns += [Column("CI(Δ)", "percents"), Column("AUC", percent), Column("AUC exact", percent)]
    groups = list(scores.groups())
    rows = tuple(_row(each, scores.pass_k) for each in groups)
    if any(each.formal_share for each in groups):
        columns.append(Column("formal", percent))
        rows = tuple((*row, float(each.formal_share)) for row, each in zip(rows, groups, strict=True))
    return Table("scores", "", "Scores", tuple(columns), rows)


def _row(score: Score, pass_k: tuple[int, ...]) -> tuple[Cell, ...]:
    wrong, imperfect = score.samples - score.malformed - score.correct, score.correct - score.perfect
    counts = score.problems, score.samples, score.malformed, wrong, imperfect, score.perfect
    estimates = [score.pass_k[k] for k in pass_k if k != 1]
    return (
        *(label or None for label in score.group),
        *counts,
        float(score.pass_1),
        *(None if each is None else float(each) for each in estimates),
        float(score.prr),
        float(score.gap),
        score.gap_interval,
        float(score.auc),
        float(score.auc_exact),
    )


def summary_csv(scores: Scores) -> str:
    """The scores as CSV, a row for each group."""
    return to_csv(summary_table(scores))


def summary_text(scores: Scores, color: bool = False) -> str:
    """The scores for people, and notes on samples that count less than they might."""
    return to_text(summary_table(scores), color) + "".join(f"note: {note}\n" for note in notes(scores))


def notes(scores: Scores) -> Iterator[str]:
    """The notes for the reader of the scores."""
    if scores.unplaced:
        yield f"malformed samples that name no problem, and are in no group: {scores.unplaced:,}"
    if scores.unjudged:
        yield f"samples with neither `correct` nor `answer`, which count as not correct: {scores.unjudged:,}"
    if scores.own_answers:
        which = (
            "whose `final_answer` is their own last sentence, which count as not correct (see `--answers`)"
        )
        yield f"samples {which}: {scores.own_answers:,}"
    if scores.as_text:
        yield f"answers that could only be compared as text: {scores.as_text:,}"


def malformed_lines(scores: Scores) -> Iterator[str]:
    """The malformed samples, a line each: the first of them by place, all by code."""
    for each in scores.first[:_SHOWN]:
        column = "" if each.column is None else f":{each.column}"
        yield f"{visible(each.file)}:{each.line}{column}: error[{each.code}]: {visible(each.message)}"
    if scores.malformed:
        codes = ", ".join(f"{count:,} {code}" for code, count in sorted(scores.codes.items()))
        yield f"{scores.malformed:,} of {scores.samples:,} samples are malformed: {codes}"
