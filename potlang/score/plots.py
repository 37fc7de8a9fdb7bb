"""Figures 3 and 4 of the paper, of whatever samples were scored, with Matplotlib ([DAG-PLOTS])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from potlang.score.samples import difficulty_label
from potlang.score.scores import LEGAL, NOT_GIVEN, Score, Scores
from potlang.score.tally import ClassTally, Tally
from potlang.utils.extra import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C510A")
"""Told apart with any kind of colour vision (after Okabe and Ito; yellow is too light for lines)."""
_DASHES = ("-", "--", "-.", ":")
_SETTINGS = {
    "svg.hashsalt": "potlang",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_STATISTICS = (
    ("nodes", "#Nodes"),
    ("edges", "#Edges"),
    ("densities", "density (%)"),
    ("max_in", r"$d_{\mathrm{in}}^{\max}$"),
    ("max_out", r"$d_{\mathrm{out}}^{\max}$"),
)
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_LEGEND_ROWS = 12


def curves_figure(scores: Scores) -> Figure:
    """Figure 4: accuracy against required closeness, a line for each group.

    There is a panel for each value of the second field that samples are grouped by.
    """
    panels = _panels(scores)
    lines = list(dict.fromkeys(_line_label(score) for panel in panels.values() for score in panel))
    highest = max((float(each.pass_1) for panel in panels.values() for each in panel), default=0.0)
    columns = -(-len(lines) // _LEGEND_ROWS)
    figure = new_figure(3.4 * len(panels) + 2.2 * columns, 3.2)
    all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, panel) in zip(all_axes, panels.items(), strict=True):
        for score in panel:
            at = lines.index(_line_label(score))
            values = [100 * float(each) for each in score.curve]
            dashes = _DASHES[(at + at // len(COLOURS)) % len(_DASHES)]
            axes.plot(
                range(len(values)),
                values,
                color=COLOURS[at % len(COLOURS)],
                ls=dashes,
                lw=1.6,
                label=lines[at],
            )
        axes.set(
            xlabel="required closeness (%)",
            xlim=(0, 100),
            xticks=range(0, 101, 25),
            ylim=(0, max(5.0, min(104.0, 108 * highest))),
        )
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.25, lw=0.5)
    all_axes[0].set_ylabel("accuracy (%)")
    handles = {line.get_label(): line for axes in all_axes for line in axes.get_lines()}
    if len(handles) > 1:
        figure.legend(
            [handles[each] for each in lines],
            [_shortened(each) for each in lines],
            loc="outside right upper",
            ncols=columns,
            frameon=False,
        )
    return figure


def difficulty_figure(tally: Tally) -> Figure | None:
    """Figure 3: the five statistics by difficulty, of all graphs; None without difficulties.

    Boxes are quartiles, whiskers reach from 5 % to 95 %, dots are means.
    """
    by_level: dict[int, ClassTally] = {}
    for (_, level, kind), counts in tally.classes.items():
        if level is not None and kind in LEGAL:
            by_level.setdefault(level, ClassTally()).merge(counts)
    if not by_level:
        return None
    levels = sorted(by_level)
    figure = new_figure(2.3 * len(_STATISTICS) + 0.12 * len(levels) * len(_STATISTICS), 3.2)
    for axes, (field, title) in zip(figure.subplots(1, len(_STATISTICS)), _STATISTICS, strict=True):
        scale = 10 if field == "densities" else 1
        _boxes(axes, [getattr(by_level[level], field) for level in levels], scale)
        labels = [difficulty_label(level) for level in levels]
        axes.set_xticks(
            range(len(levels)), labels, rotation=60, ha="right", rotation_mode="anchor", fontsize=8
        )
        axes.set_title(title, fontsize=10)
        axes.set_ylim(0, 1.08 * axes.dataLim.ymax or 1.0)
        axes.grid(axis="y", alpha=0.25, lw=0.5)
    legend = "box: quartiles; line: median; dot: mean; whiskers: 5 % to 95 %"
    figure.supxlabel(f"problem difficulty ({legend})", fontsize=9)
    return figure


def save(figure: Figure, path: Path) -> list[Path]:
    """Writes a figure as `path` with `.svg` and with `.png`; both are reproducible. Raises OSError."""
    rc_context = needed("matplotlib").rc_context
    found = []
    with rc_context(_SETTINGS):
        # A date or a version in the file would make the same figure another file.
        for suffix, metadata in ((".svg", {"Date": None}), (".png", {"Software": None})):
            to = path.parent / f"{path.name}{suffix}"
            figure.savefig(to, metadata=metadata, dpi=160)
            found.append(to)
    return found


def quantile(counts: Mapping[int, int], share: float) -> float:
    """The smallest value that at least this share of the counted ones does not exceed."""
    values = sorted(counts)
    needed_count = share * sum(counts.values())
    for value, below in zip(values, accumulate(counts[each] for each in values), strict=True):
        if below >= needed_count:
            return float(value)
    return float(values[-1])


def new_figure(width: float, height: float) -> Figure:
    """An empty figure in inches, with the settings of all figures. Raises MissingExtraError."""
    engine = needed("matplotlib.layout_engine").ConstrainedLayoutEngine(wspace=0.06)
    with needed("matplotlib").rc_context(_SETTINGS):
        figure: Figure = needed("matplotlib.figure").Figure(figsize=(width, height), layout=engine)
    return figure


def _panels(scores: Scores) -> dict[str, list[Score]]:
    """The groups by the second field, in order; one panel where there is none."""
    found: dict[str, list[Score]] = {}
    for score in scores.groups():
        found.setdefault((score.group[1] or NOT_GIVEN) if len(score.group) > 1 else "", []).append(score)
    return dict(sorted(found.items()))


def _line_label(score: Score) -> str:
    labels = [label or NOT_GIVEN for at, label in enumerate(score.group) if at != 1]
    return ", ".join(labels) or "all"


def _shortened(label: str) -> str:
    return label if len(label) <= 32 else f"{label[:31]}…"


def _boxes(axes: Axes, counts: Sequence[Mapping[int, int]], scale: int) -> None:
    boxes = [{name: value / scale for name, value in _box(each).items()} for each in counts]
    drawn = axes.bxp(
        boxes, positions=range(len(boxes)), showfliers=False, showmeans=True, patch_artist=True, widths=0.6
    )
    for box in drawn["boxes"]:
        box.set(facecolor="#BFD9EA", edgecolor=COLOURS[0])
    for mean in drawn["means"]:
        mean.set(marker="o", markersize=4, markerfacecolor=COLOURS[1], markeredgecolor="none")
    for median in drawn["medians"]:
        median.set(color="#000000", linewidth=1.4)


def _box(counts: Mapping[int, int]) -> dict[str, float]:
    names = "whislo", "q1", "med", "q3", "whishi"
    box = {name: quantile(counts, share) for name, share in zip(names, _QUANTILES, strict=True)}
    return {**box, "mean": sum(value * count for value, count in counts.items()) / sum(counts.values())}
