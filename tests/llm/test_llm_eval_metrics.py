"""Rates and intervals: the paper's figure, an independent count, NumPy, and what must not matter."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import strategies as st
from statements import Property

from potlang.models.evaluation.confusion import METRICS, Counts, metrics, total
from potlang.models.evaluation.intervals import bootstrap, percentile

FIGURE = {
    "accuracy": 0.665,
    "precision": 0.582,
    "recall": 0.914,
    "f1": 0.711,
    "specificity": 0.460,
    "fpr": 0.540,
    "fnr": 0.086,
}


def test_figure_3_comes_out_of_its_own_counts() -> None:
    """[EVAL-FIGURE3]"""
    found = metrics(Counts(tp=340, fp=244, fn=32, tn=208))
    assert {name: round(found[name] or 0, 3) for name in FIGURE} == FIGURE


def test_figure_3_is_transposed_as_it_is_printed() -> None:
    """[EVAL-FIGURE3]"""
    printed = metrics(Counts(tp=340, fn=244, fp=32, tn=208))
    assert round(printed["recall"] or 0, 3) == FIGURE["precision"]
    assert round(printed["precision"] or 0, 3) == FIGURE["recall"]


ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(["true", "false", "uncertain"]), st.sampled_from(["true", "false", "uncertain", None])
    ),
    max_size=40,
)
NAMES = {
    ("true", "true"): "tp",
    ("false", "true"): "fp",
    ("true", "false"): "fn",
    ("false", "false"): "tn",
    ("uncertain", "true"): "uncertain_as_true",
    ("uncertain", "false"): "uncertain_as_false",
}


def counted(answers: list[tuple[str, str | None]]) -> Counts:
    return total([Counts(), *(Counts(**{NAMES.get(pair, f"silent_{pair[0]}"): 1}) for pair in answers)])  # type: ignore[call-overload]


def share(part: list[object], whole: list[object]) -> float | None:
    return len(part) / len(whole) if whole else None


def check_against_lists(answers: list[tuple[str, str | None]]) -> None:
    """[EVAL-METRICS]: every rate is a share of a list of answers, counted one by one."""
    found = metrics(counted(answers))
    two = [(r, a) for r, a in answers if r != "uncertain" and a in ("true", "false")]
    asked = [(r, a) for r, a in answers if r != "uncertain"]
    true = [pair for pair in two if pair[0] == "true"]
    false = [pair for pair in two if pair[0] == "false"]
    claimed = [pair for pair in two if pair[1] == "true"]
    expected = {
        "accuracy": share([p for p in two if p[0] == p[1]], [*two]),
        "precision": share([p for p in claimed if p[0] == "true"], [*claimed]),
        "recall": share([p for p in true if p[1] == "true"], [*true]),
        "specificity": share([p for p in false if p[1] == "false"], [*false]),
        "fpr": share([p for p in false if p[1] == "true"], [*false]),
        "fnr": share([p for p in true if p[1] == "false"], [*true]),
        "coverage": share([*two], [*asked]),
        "fpr_of_all": share(
            [p for p in answers if p == ("false", "true")], [p for p in answers if p[0] == "false"]
        ),
        "overclaimed": share(
            [p for p in answers if p[0] != "true" and p[1] == "true"],
            [p for p in answers if p[0] != "true"],
        ),
    }
    assert {name: found[name] for name in expected} == expected
    precision, recall = expected["precision"], expected["recall"]
    if precision and recall:
        assert found["f1"] == pytest.approx(2 * precision * recall / (precision + recall))


test_rates, test_rates_deep = Property(check_against_lists, ANSWERS, quick=100).tests()


def check_percentile(values: list[float]) -> None:
    """[EVAL-INTERVALS]: percentiles are NumPy's."""
    for part in (0.025, 0.5, 0.975):
        assert percentile(values, part) == pytest.approx(float(np.percentile(values, 100 * part)))


test_percentile, test_percentile_deep = Property(
    check_percentile, st.lists(st.floats(0, 1), min_size=1, max_size=50), quick=50
).tests()


def groups(count: int, right: int, size: int = 1) -> list[tuple[Counts, ...]]:
    """Groups of `size` claims each, of which the first `right` groups are answered rightly."""
    return [(Counts(tp=size) if at < right else Counts(fn=size),) for at in range(count)]


def test_intervals_are_those_of_resampling() -> None:
    """[EVAL-INTERVALS]: against another sampler, within what a thousand draws leave open."""
    (found,) = bootstrap(groups(200, 140), seed="s", resamples=4_000)
    draws = np.random.default_rng(0).binomial(200, 0.7, 100_000) / 200
    assert found["recall"].low == pytest.approx(np.percentile(draws, 2.5), abs=0.006)
    assert found["recall"].high == pytest.approx(np.percentile(draws, 97.5), abs=0.006)
    assert "precision" in found and "specificity" not in found


def test_groups_are_drawn_whole() -> None:
    """[EVAL-INTERVALS]: ten claims that stand and fall together say no more than one."""
    (alone,) = bootstrap(groups(40, 20), seed="s")
    (together,) = bootstrap(groups(40, 20, size=10), seed="s")
    (apart,) = bootstrap(groups(400, 200), seed="s")
    assert together["recall"] == alone["recall"]
    width = together["recall"].high - together["recall"].low
    assert width > 2 * (apart["recall"].high - apart["recall"].low)


def test_order_does_not_matter_and_the_seed_does() -> None:
    """[EVAL-INTERVALS]"""
    rows = [*groups(30, 11), *groups(9, 9, size=3)]
    shuffled = Random(1).sample(rows, len(rows))
    assert bootstrap(rows, seed="a") == bootstrap(shuffled, seed="a")
    assert bootstrap(rows, seed="a") != bootstrap(rows, seed="b")


def test_intervals_are_the_same_in_every_run() -> None:
    """[EVAL-INTERVALS]: a figure of an earlier run, to the last digit."""
    (found,) = bootstrap(groups(30, 11), seed="0/all")
    assert tuple(found["recall"]) == RECORDED


RECORDED = (0.2, 0.5333333333333333)


def test_nothing_to_resample() -> None:
    """[EVAL-INTERVALS]"""
    assert bootstrap([], seed="s") == ()
    (found,) = bootstrap(groups(3, 3), seed="s", resamples=0)
    assert found == {}
    with pytest.raises(ValueError, match="between 0 and 1"):
        bootstrap([], seed="s", confidence=1.0)


def test_every_rate_is_a_share() -> None:
    """[EVAL-METRICS]"""
    random = Random(0)
    for _ in range(300):
        found = metrics(Counts(*(random.randrange(4) for _ in Counts._fields)))
        assert set(found) == set(METRICS)
        assert all(value is None or 0 <= value <= 1 for value in found.values())
