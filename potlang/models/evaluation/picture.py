"""The four panels of the paper's figure 3, one row for each reading ([EVAL-PICTURE])."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from potlang.models.evaluation.confusion import PAPERS, TITLES
from potlang.models.evaluation.judging import AnswerReading
from potlang.models.evaluation.summary import FamilySummary, ReadingSummary
from potlang.score.plots import COLOURS, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RIGHT, _WRONG, _NONE, _FAILED = COLOURS[0], COLOURS[5], "#999999", COLOURS[1]
_TITLES: Final = {
    AnswerReading.PAPER: "Paper's reading (SAT is true)",
    AnswerReading.VERDICT: "Verdicts (entailed is true, refuted is false)",
}


def dashboard(summary: FamilySummary) -> Figure:
    """Questions by attempt, confusion matrix, rates, final status. Raises MissingExtraError."""
    figure = new_figure(14.0, 7.0)
    # The labels of the first panel stand outside of it, where rows have no room of their own.
    grid = figure.add_gridspec(2, 1, left=0.02)
    for at, reading in enumerate(AnswerReading):
        row = figure.add_subfigure(grid[at])
        row.suptitle(_TITLES[reading], fontsize=11)
        attempts, matrix, rates, status = row.subplots(1, 4)
        found = summary.reading(reading)
        _draw_attempts(attempts, found)
        _draw_matrix(matrix, found)
        _draw_rates(rates, found)
        _draw_status(status, found)
    return figure


def _draw_attempts(axes: Axes, found: ReadingSummary) -> None:
    labels = [str(each.attempt) for each in found.attempts]
    below = [0] * len(labels)
    for name, colour, at in (("right", _RIGHT, 1), ("wrong", _WRONG, 2), ("no answer", _NONE, 3)):
        heights = [each[at] for each in found.attempts]
        if any(heights):
            bars = axes.bar(labels, heights, bottom=below, color=colour, label=name)
            axes.bar_label(bars, [str(each) if each else "" for each in heights], label_type="center")
        below = [low + height for low, height in zip(below, heights, strict=True)]
    axes.set(title="Questions by attempt", xlabel="attempt", ylabel="questions")
    axes.locator_params(axis="y", integer=True)
    if any(below):
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)


def _draw_matrix(axes: Axes, found: ReadingSummary) -> None:
    tp, fp, fn, tn = found.counts.confusion
    rows = ((tp, fn), (fp, tn))
    most = max(tp, fp, fn, tn, 1)
    whole = max(sum(found.counts.confusion), 1)
    axes.imshow(rows, cmap="Blues", vmin=0, vmax=most)
    for y, row in enumerate(rows):
        for x, count in enumerate(row):
            colour = "white" if count > 0.6 * most else "black"
            axes.text(x, y, f"{count}\n({count / whole:.1%})", ha="center", va="center", color=colour)
    axes.set(title="Confusion matrix", xlabel="answered", ylabel="right answer")
    axes.set_xticks((0, 1), ("true", "false"))
    axes.set_yticks((0, 1), ("true", "false"))
    axes.spines[:].set_visible(False)


def _draw_rates(axes: Axes, found: ReadingSummary) -> None:
    names = PAPERS[::-1]
    for at, name in enumerate(names):
        value, interval = found.metrics[name]
        if value is None:
            continue
        axes.barh(at, value, color=COLOURS[2])
        if interval is not None:
            axes.hlines(at, interval.low, interval.high, color="black", lw=1)
        axes.text(1.03, at, f"{value:.3f}", va="center")
    axes.set_yticks(range(len(names)), [TITLES[name] for name in names])
    axes.set(title="Performance metrics", xlim=(0, 1.0))


def _draw_status(axes: Axes, found: ReadingSummary) -> None:
    counts = found.counts
    parts = (
        ("right", counts.right, _RIGHT),
        ("wrong", counts.wrong, _WRONG),
        ("no answer", counts.abstained, _NONE),
        ("failed to compile", counts.failed, _FAILED),
    )
    shown = [part for part in parts if part[1]]
    if shown:
        axes.pie(
            [count for _, count, _ in shown],
            labels=[name for name, _, _ in shown],
            colors=[colour for _, _, colour in shown],
            autopct="%.1f%%",
        )
    else:
        axes.axis("off")
    axes.set_title("Final question status")
