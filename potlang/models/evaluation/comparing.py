"""Runs compared on questions that they share: differences with intervals, exact tests ([EVAL-COMPARE])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from potlang.models.evaluation.confusion import METRICS, Counts, total
from potlang.models.evaluation.intervals import RESAMPLES, draws, intervals
from potlang.models.evaluation.judging import AnswerReading, Grade, judge
from potlang.models.evaluation.outcome import QuestionOutcome
from potlang.models.evaluation.questions import Question
from potlang.models.evaluation.summary import ALL, Estimate
from potlang.score.inference import Interval

COSTS: Final = ("calls", "tokens", "dollars", "seconds")


class PairedDifference(NamedTuple):
    """A value in either run, and the second less the first. None where there is nothing to divide by."""

    first: float | None
    second: float | None
    difference: Estimate

    @property
    def is_one(self) -> bool | None:
        """Whether the interval leaves out 0: only then the runs differ. None without an interval."""
        found = self.difference.interval
        return None if found is None else not found.low <= 0 <= found.high


class RightInBoth(NamedTuple):
    """Questions by which of two runs is right, and the p-value of McNemar's exact test, of two sides."""

    both: int
    first: int
    second: int
    neither: int
    p: float


class Changed(NamedTuple):
    """A question with another grade in the second run."""

    id: str
    reading: AnswerReading
    first: Grade
    second: Grade


class FamilyComparison(NamedTuple):
    """Two runs over the questions of a family that both have.

    `rates` and `right` are by reading; `costs` are those of a question, on average.
    """

    family: str
    questions: int
    rates: dict[AnswerReading, dict[str, PairedDifference]]
    right: dict[AnswerReading, RightInBoth]
    costs: dict[str, PairedDifference]


class RunComparison(NamedTuple):
    """Two runs: the families that they share, those of all last, and the questions that changed.

    `only_first` and `only_second` count questions of one run alone, which have no part in anything.
    """

    families: tuple[FamilyComparison, ...]
    changed: tuple[Changed, ...]
    only_first: int
    only_second: int


SharedQuestion = tuple[Question, QuestionOutcome, QuestionOutcome]


def compare_runs(
    questions: Mapping[str, Question],
    first: Mapping[str, QuestionOutcome],
    second: Mapping[str, QuestionOutcome],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> RunComparison:
    """The second run against the first, on the questions that have outcomes in both, by their ids.

    Questions without an answer to give ([EVAL-REJECT]) have no part. Raises ValueError for a confidence that
    is not in (0, 1).
    """
    shared = [
        (question, first[key], second[key])
        for key, question in sorted(questions.items())
        if key in first and key in second and question.answer is not None
    ]
    families: dict[str, list[SharedQuestion]] = {}
    for each in shared:
        families.setdefault(each[0].family, []).append(each)
    parts = sorted(families.items()) if len(families) > 1 else []
    return RunComparison(
        tuple(
            _family(name, pairs, f"{seed}/{name}", resamples, confidence)
            for name, pairs in [*parts, (ALL, shared)]
        ),
        tuple(_changed(shared)),
        len(first.keys() - second.keys()),
        len(second.keys() - first.keys()),
    )


def mcnemar(first: int, second: int) -> float:
    """The p-value of McNemar's exact test for `first` and `second` pairs of which one alone is right.

    If neither run is better, each pair is a throw of a coin: twice the smaller tail, at most 1.
    """
    pairs = first + second
    ways = tail = 1
    for heads in range(min(first, second)):
        ways = ways * (pairs - heads) // (heads + 1)
        tail += ways
    return float(min(Fraction(1), Fraction(2 * tail, 2**pairs)))


def _family(
    name: str, shared: Sequence[SharedQuestion], seed: str, resamples: int, confidence: float
) -> FamilyComparison:
    rates, right = {}, {}
    for reading in AnswerReading:
        graded = [(judge(q, a, reading), judge(q, b, reading)) for q, a, b in shared]
        rows = [tuple(each.counts() for each in pair) for pair in graded]
        rates[reading] = _rates(_grouped(shared, rows), f"{seed}/{reading}", resamples, confidence)
        right[reading] = _right([tuple(each.status is Grade.RIGHT for each in pair) for pair in graded])
    costs = [tuple(_cost(each) for each in pair) for _, *pair in shared]
    return FamilyComparison(
        name, len(shared), rates, right, _costs(_grouped(shared, costs), seed, resamples, confidence)
    )


def _grouped(
    shared: Sequence[SharedQuestion], rows: Sequence[tuple[Sequence[float], ...]]
) -> list[list[list[float]]]:
    """The sums of both runs in each group of questions."""
    groups: dict[str, list[tuple[Sequence[float], ...]]] = {}
    for (question, *_), pair in zip(shared, rows, strict=True):
        groups.setdefault(question.group, []).append(pair)
    return [
        [[*map(sum, zip(*side, strict=True))] for side in zip(*pairs, strict=True)]
        for pairs in groups.values()
    ]


def _rates(
    groups: Sequence[Sequence[Sequence[float]]], seed: str, resamples: int, confidence: float
) -> dict[str, PairedDifference]:
    values: dict[str, list[float]] = {name: [] for name in METRICS}
    for drawn in _draws(groups, seed, resamples, confidence):
        one, other = (Counts(*map(int, sums)) for sums in drawn)
        for name, rate in METRICS.items():
            if (found := _less(rate(other), rate(one))) is not None:
                values[name].append(found)
    known = intervals(values, confidence)
    sides = [total([Counts(), *(Counts(*map(int, group[at])) for group in groups)]) for at in (0, 1)]
    return {
        name: _difference(rate(sides[0]), rate(sides[1]), known.get(name)) for name, rate in METRICS.items()
    }


def _draws(
    groups: Sequence[Sequence[Sequence[float]]], seed: str, resamples: int, confidence: float
) -> Iterator[list[list[float]]]:
    # One group is drawn as it is each time: an interval of it would say that nothing varies.
    count = resamples if len(groups) > 1 else 0
    return draws(groups, seed=seed, resamples=count, confidence=confidence)


def _less(second: float | None, first: float | None) -> float | None:
    return None if first is None or second is None else second - first


def _difference(first: float | None, second: float | None, interval: Interval | None) -> PairedDifference:
    return PairedDifference(first, second, Estimate(_less(second, first), interval))


def _right(pairs: Sequence[tuple[bool, ...]]) -> RightInBoth:
    first, second = pairs.count((True, False)), pairs.count((False, True))
    both = pairs.count((True, True))
    return RightInBoth(both, first, second, len(pairs) - both - first - second, mcnemar(first, second))


def _cost(outcome: QuestionOutcome) -> tuple[float, ...]:
    """The costs of a question and 1 for it; what is not known counts as nothing, and as not known."""
    spent = outcome.spent
    tokens = [each for each in (spent.prompt_tokens, spent.completion_tokens) if each is not None]
    known = (1, int(bool(tokens)), int(spent.dollars is not None), 1)
    return (spent.calls, sum(tokens), spent.dollars or 0.0, outcome.reasoning_ms / 1000, *known, 1)


def _costs(
    groups: Sequence[Sequence[Sequence[float]]], seed: str, resamples: int, confidence: float
) -> dict[str, PairedDifference]:
    """The average costs of a question; None where no question of a run has any."""
    values: dict[str, list[float]] = {name: [] for name in COSTS}
    for drawn in _draws(groups, f"{seed}/cost", resamples, confidence):
        for at, name in enumerate(COSTS):
            if (found := _less(_average(drawn[1], at), _average(drawn[0], at))) is not None:
                values[name].append(found)
    known = intervals(values, confidence)
    sides = [[*map(sum, zip(*(group[at] for group in groups), strict=True))] for at in (0, 1)]
    return {
        name: _difference(_average(sides[0], at), _average(sides[1], at), known.get(name))
        for at, name in enumerate(COSTS)
    }


def _average(sums: Sequence[float], at: int) -> float | None:
    return sums[at] / sums[-1] if sums and sums[len(COSTS) + at] else None


def _changed(shared: Sequence[SharedQuestion]) -> list[Changed]:
    found = []
    for question, one, other in shared:
        for reading in AnswerReading:
            grades = [judge(question, each, reading).status for each in (one, other)]
            if grades[0] is not grades[1]:
                found.append(Changed(question.id, reading, *grades))
    return found


def to_json(comparison: RunComparison) -> dict[str, Any]:
    """The comparison as JSON values."""
    return {
        "families": [
            {
                "family": each.family,
                "questions": each.questions,
                "rates": {
                    str(reading): {name: _difference_json(value) for name, value in rates.items()}
                    for reading, rates in each.rates.items()
                },
                "right": {str(reading): value._asdict() for reading, value in each.right.items()},
                "costs": {name: _difference_json(value) for name, value in each.costs.items()},
            }
            for each in comparison.families
        ],
        "changed": [
            {name: str(value) for name, value in each._asdict().items()} for each in comparison.changed
        ],
        "only_first": comparison.only_first,
        "only_second": comparison.only_second,
    }


def _difference_json(found: PairedDifference) -> dict[str, Any]:
    value, interval = found.difference
    return {
        "first": found.first,
        "second": found.second,
        "difference": value,
        "interval": None if interval is None else list(interval),
        "differs": found.is_one,
    }
