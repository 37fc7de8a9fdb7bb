"""Bootstrap intervals: seeded, by percentiles, over groups of questions ([EVAL-INTERVALS])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

from potlang.models.evaluation.confusion import METRICS, Counts
from potlang.score.inference import Interval

RESAMPLES: Final = 1_000


Row = Sequence[float]
"""Amounts that are added up over questions: counts, or costs."""


def bootstrap(
    groups: Sequence[Sequence[Counts]], *, seed: str, resamples: int = RESAMPLES, confidence: float = 0.95
) -> tuple[dict[str, Interval], ...]:
    """The intervals of every rate, for each reading; a group has the counts of each reading.

    Groups are drawn with replacement, all readings together. A rate has no interval if no resample
    gives it a value; resamples that do not are left out of it. The same arguments give the same
    intervals, to the last digit. Raises ValueError for a confidence that is not in (0, 1).
    """
    readings = len(groups[0]) if groups else 0
    values: list[dict[str, list[float]]] = [{name: [] for name in METRICS} for _ in range(readings)]
    for drawn in draws(groups, seed=seed, resamples=resamples, confidence=confidence):
        # All readings from the same draw, so that their intervals can be compared.
        for found, sums in zip(values, drawn, strict=True):
            counts = Counts(*map(int, sums))
            for name, rate in METRICS.items():
                if (value := rate(counts)) is not None:
                    found[name].append(value)
    return tuple(intervals(found, confidence) for found in values)


def draws(
    groups: Sequence[Sequence[Row]], *, seed: str, resamples: int, confidence: float
) -> Iterator[list[list[float]]]:
    """The sums of each resample, which draws groups with replacement; a group has one row or several.

    The same arguments give the same sums; the order of the groups does not matter. Raises ValueError for a
    confidence that is not in (0, 1).
    """
    if not 0 < confidence < 1:
        raise ValueError("the confidence is between 0 and 1")
    # Equal groups are drawn as one kind with a weight: thousands of questions have a few kinds.
    kinds = Counter(tuple(map(tuple, group)) for group in groups)
    # Sorted, so that the order of the questions does not matter.
    profiles = sorted(kinds)
    weights = [kinds[each] for each in profiles]
    random = Random(seed)
    for _ in range(resamples if groups else 0):
        drawn = Counter(random.choices(range(len(profiles)), weights, k=len(groups)))
        yield [
            _weighted([(profiles[at][row], times) for at, times in drawn.items()])
            for row in range(len(profiles[0]))
        ]


def _weighted(rows: Sequence[tuple[Row, int]]) -> list[float]:
    sums: list[float] = [0] * len(rows[0][0])
    for row, times in rows:
        for at, value in enumerate(row):
            if value:
                sums[at] += value * times
    return sums


def intervals(values: Mapping[str, list[float]], confidence: float) -> dict[str, Interval]:
    """The interval of each list of values that is not empty, by percentiles."""
    below = (1 - confidence) / 2
    return {
        name: Interval(percentile(found, below), percentile(found, 1 - below))
        for name, found in values.items()
        if found
    }


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies, interpolated between neighbours."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    first = int(at)
    second = min(first + 1, len(ordered) - 1)
    return ordered[first] + (ordered[second] - ordered[first]) * (at - first)
