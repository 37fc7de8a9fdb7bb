"""Intervals, equivalence tests and sample sizes (paper, section 3, appendices K.1 and K.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from potlang.utils.extra import needed


class Interval(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float


class Equivalence(NamedTuple):
    """Two one-sided tests on paired differences ([DAG-TOST]); `interval` has confidence 1 − 2α.

    `margin` is what counts as no difference; `equivalent`: both p-values are below α. `pairs` of less
    than two, or a margin of 0, decide nothing: then the p-values are None and it is not equivalent.
    """

    pairs: int
    difference: float
    margin: float
    interval: Interval | None
    p_left: float | None
    p_right: float | None
    equivalent: bool


def wilson(share: float, samples: int, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a share that `samples` samples gave (appendix K.1).

    The share need not be a whole number of samples: the gap is a mean over problems. Raises ValueError
    for a share or a confidence outside of [0, 1] and (0, 1), and for no samples.
    """
    if not 0 <= share <= 1 or not 0 < confidence < 1 or samples < 1:
        raise ValueError("the interval needs a share in [0, 1], a confidence in (0, 1), and samples")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    scale = 1 + z * z / samples
    middle = (share + z * z / (2 * samples)) / scale
    half = z * math.sqrt(share * (1 - share) / samples + (z / (2 * samples)) ** 2) / scale
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def hoeffding_problems(epsilon: float, delta: float = 0.05) -> int:
    """How many problems make |R̂ − R| ≤ ε with probability 1 − δ at least: ln(2/δ) / (2 ε²) (section 3).

    Raises ValueError for an ε or a δ outside of (0, 1).
    """
    if not 0 < epsilon < 1 or not 0 < delta < 1:
        raise ValueError("the number of problems needs an ε and a δ between 0 and 1")
    return math.ceil(math.log(2 / delta) / (2 * epsilon**2))


def paired_equivalence(
    one: Sequence[float], other: Sequence[float], share: float = 0.10, alpha: float = 0.05
) -> Equivalence:
    """Whether paired means are equivalent: TOST with a margin of `share` of the mean of `one`.

    Raises ValueError for sequences of different length, and MissingExtraError without SciPy.
    """
    if len(one) != len(other):
        raise ValueError("a paired test needs as many values on either side")
    pairs = len(one)
    if not pairs:
        return Equivalence(0, 0.0, 0.0, None, None, None, False)
    differences = [a - b for a, b in zip(one, other, strict=True)]
    difference = math.fsum(differences) / pairs
    margin = share * abs(math.fsum(one) / pairs)
    if pairs < 2 or not margin:
        return Equivalence(pairs, difference, margin, None, None, None, False)
    if min(differences) == max(differences):
        # Without variance there is nothing to test: either p-value is 0 or 1.
        left, right = float(difference <= -margin), float(difference >= margin)
        interval = Interval(difference, difference)
    else:
        left, right, interval = _one_sided(differences, margin, alpha)
    return Equivalence(pairs, difference, margin, interval, left, right, max(left, right) < alpha)


def _one_sided(differences: Sequence[float], margin: float, alpha: float) -> tuple[float, float, Interval]:
    stats = needed("scipy.stats")
    left = stats.ttest_1samp(differences, -margin, alternative="greater")
    right = stats.ttest_1samp(differences, margin, alternative="less")
    low, high = stats.ttest_1samp(differences, 0.0).confidence_interval(1 - 2 * alpha)
    return float(left.pvalue), float(right.pvalue), Interval(float(low), float(high))
