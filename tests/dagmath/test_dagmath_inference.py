"""Intervals, equivalence tests and sample sizes, beside SciPy, statsmodels and the paper's own tables."""

from __future__ import annotations

import math
import statistics
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import ttost_paired

from potlang.score.inference import hoeffding_problems, paired_equivalence, wilson

TABLE_7 = {
    "Gemini-2.5-F": (0.363, 0.347, 0.378),
    "Gemini-2.5-F-L": (0.229, 0.216, 0.243),
    "GPT-4.1": (0.090, 0.082, 0.100),
    "GPT-4.1-M": (0.099, 0.090, 0.109),
}
"""Gap, and the ends of its interval, as printed."""
TABLE_8 = {
    "#nodes": (0.56, 0.18, 0.95, 2.59e-11, 7.76e-6),
    "#edges": (0.44, -0.11, 0.99, 5.01e-9, 7.49e-6),
}
"""Mean difference, the ends of its 90 % interval, and the two p-values, as printed."""
MEANS = {"#nodes": 17.8, "#edges": 21.4}
"""Of GPT-4.1 on AIME 2025 (table 4)."""


@pytest.mark.parametrize("model", TABLE_7)
def test_intervals_of_table_7(model: str) -> None:
    """[DAG-GAP]: Wilson with n = 30 problems of 128 samples gives the paper's intervals from its own gaps."""
    gap, low, high = TABLE_7[model]
    # The gap is printed to 0.1 %, and so is each end: some gap that rounds to it gives both.
    near = [gap - 0.0005 + step * 0.00001 for step in range(101)]
    found = {tuple(round(end, 3) for end in wilson(each, 3_840)) for each in near}
    assert (low, high) in found
    assert all(abs(a - b) <= 0.0011 for a, b in zip(wilson(gap, 3_840), (low, high), strict=True))


@given(st.integers(1, 5_000), st.floats(0, 1), st.sampled_from([0.9, 0.95, 0.99]))
@settings(max_examples=80, deadline=None)
def test_wilson_is_that_of_the_libraries(samples: int, share: float, confidence: float) -> None:
    """[DAG-GAP]"""
    count = round(share * samples)
    found = wilson(count / samples, samples, confidence)
    known = binomtest(count, samples).proportion_ci(confidence, "wilson")
    other = proportion_confint(count, samples, 1 - confidence, "wilson")
    for low, high in ((known.low, known.high), other):
        assert math.isclose(found.low, low, abs_tol=1e-12)
        assert math.isclose(found.high, high, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("share", "samples", "confidence"), [(-0.1, 5, 0.9), (1.1, 5, 0.9), (0.5, 0, 0.9), (0, 1, 1)]
)
def test_wilson_needs_sense(share: float, samples: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="interval needs"):
        wilson(share, samples, confidence)


@given(st.integers(2, 40), st.integers(0, 10_000), st.sampled_from([0.02, 0.1, 0.25]))
@settings(max_examples=60, deadline=None)
def test_equivalence_is_that_of_statsmodels(count: int, seed: int, share: float) -> None:
    """[DAG-TOST]"""
    random = Random(seed)
    one = [random.uniform(5, 30) for _ in range(count)]
    other = [each + random.gauss(0.3, 1) for each in one]
    found = paired_equivalence(one, other, share)
    margin = share * statistics.fmean(one)
    p_value, (_, p_left, _), (_, p_right, _) = ttost_paired(np.array(one), np.array(other), -margin, margin)
    assert found.p_left is not None and found.p_right is not None and found.interval is not None
    assert math.isclose(found.p_left, p_left, rel_tol=1e-6, abs_tol=1e-12)
    assert math.isclose(found.p_right, p_right, rel_tol=1e-6, abs_tol=1e-12)
    assert found.equivalent == (p_value < 0.05)
    # Two one-sided tests at 5 % are the question whether the 90 % interval is within the margin.
    assert found.equivalent == (-margin < found.interval.low and found.interval.high < margin)


@pytest.mark.parametrize("name", TABLE_8)
def test_equivalences_of_table_8(name: str) -> None:
    """[DAG-TOST]: differences with the paper's mean and spread give p-values of its size."""
    difference, low, high, p_left, p_right = TABLE_8[name]
    one, other = _pairs_with(difference, (high - low) / 2, MEANS[name])
    found = paired_equivalence(one, other)
    assert found.p_left is not None and found.p_right is not None and found.interval is not None
    assert math.isclose(found.difference, difference, abs_tol=1e-9)
    assert math.isclose(found.interval.low, low, abs_tol=0.006)
    assert math.isclose(found.interval.high, high, abs_tol=0.006)
    assert abs(math.log10(found.p_left / p_left)) < 0.6
    assert abs(math.log10(found.p_right / p_right)) < 0.6
    assert found.equivalent


def _pairs_with(difference: float, half: float, mean: float) -> tuple[list[float], list[float]]:
    """Thirty pairs whose differences have this mean and whose 90 % interval has this half-width."""
    spread = half / 1.6991 * math.sqrt(30)
    offsets = [spread * math.sqrt(29 / 30) * (-1) ** at for at in range(30)]
    return [mean] * 30, [mean - difference - offset for offset in offsets]


def test_equivalence_without_data_decides_nothing() -> None:
    """[DAG-TOST]"""
    assert not paired_equivalence([], []).equivalent
    assert paired_equivalence([1.0], [1.0]).p_left is None
    assert not paired_equivalence([0.0, 0.0], [0.0, 0.0]).equivalent
    assert paired_equivalence([2.0, 3.0], [2.0, 3.0]).equivalent
    assert not paired_equivalence([2.0, 3.0], [3.0, 4.0]).equivalent
    with pytest.raises(ValueError, match="as many"):
        paired_equivalence([1.0], [])


@pytest.mark.parametrize("epsilon", [0.5, 0.1, 0.05, 0.01])
@pytest.mark.parametrize("delta", [0.1, 0.05, 0.001])
def test_hoeffding_is_the_least_that_is_enough(epsilon: float, delta: float) -> None:
    """[DAG-HOEFFDING]"""
    problems = hoeffding_problems(epsilon, delta)
    assert 2 * math.exp(-2 * problems * epsilon**2) <= delta
    assert 2 * math.exp(-2 * (problems - 1) * epsilon**2) > delta
    with pytest.raises(ValueError, match="between 0 and 1"):
        hoeffding_problems(0)


def test_std_of_table_3_has_one_degree_of_freedom_less() -> None:
    """[DAG-TABLES]: the deviations in table 3 are those of its own columns with ddof 1."""
    columns = {
        10.3: (52.4, 37.4, 26.5, 30.5, 43.1),
        2.1: (17.0, 15.9, 16.8, 20.9, 15.8),
        12.2: (63.4, 43.2, 33.3, 34.4, 46.8),
        2.5: (20.7, 17.8, 22.8, 24.6, 21.8),
        11.0: (38.5, 28.8, 11.8, 14.3, 27.3),
        0.9: (5.7, 7.5, 6.5, 7.4, 5.6),
    }
    for printed, values in columns.items():
        assert abs(statistics.stdev(values) - printed) < 0.06
    assert sum(abs(statistics.pstdev(values) - printed) < 0.06 for printed, values in columns.items()) < 3
