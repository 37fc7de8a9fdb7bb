"""Counts of answers against right answers, and the rates that they give ([EVAL-METRICS])."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple


class Confusion(NamedTuple):
    """Answers true and false, where one of them is right: the four cells of the paper's matrix."""

    tp: int
    fp: int
    fn: int
    tn: int


class Counts(NamedTuple):
    """All that the rates of one reading are made of; a sum of such is one too.

    Of claims that are true, false or uncertain: how many were answered true, false, or neither. Of
    questions: how many were answered right, wrong, not at all, and how many had no program that compiles.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0
    silent_true: int = 0
    silent_false: int = 0
    uncertain_as_true: int = 0
    uncertain_as_false: int = 0
    silent_uncertain: int = 0
    right: int = 0
    wrong: int = 0
    abstained: int = 0
    failed: int = 0

    @property
    def confusion(self) -> Confusion:
        """The paper's matrix."""
        return Confusion(self.tp, self.fp, self.fn, self.tn)

    @property
    def questions(self) -> int:
        """The number of questions."""
        return self.right + self.wrong + self.abstained + self.failed

    @property
    def not_true(self) -> int:
        """The number of claims that are false or uncertain."""
        uncertain = self.uncertain_as_true + self.uncertain_as_false + self.silent_uncertain
        return self.fp + self.tn + self.silent_false + uncertain


def total(counts: Iterable[Counts]) -> Counts:
    """The sum; zeros of none."""
    columns = zip(*counts, strict=True)
    return Counts(*map(sum, columns))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _f1(counts: Counts) -> float | None:
    return _share(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn)


METRICS: Final[Mapping[str, Callable[[Counts], float | None]]] = {
    "accuracy": lambda c: _share(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn),
    "precision": lambda c: _share(c.tp, c.tp + c.fp),
    "recall": lambda c: _share(c.tp, c.tp + c.fn),
    "f1": _f1,
    "specificity": lambda c: _share(c.tn, c.tn + c.fp),
    "fpr": lambda c: _share(c.fp, c.fp + c.tn),
    "fnr": lambda c: _share(c.fn, c.fn + c.tp),
    "coverage": lambda c: _share(sum(c.confusion), sum(c.confusion) + c.silent_true + c.silent_false),
    "fpr_of_all": lambda c: _share(c.fp, c.fp + c.tn + c.silent_false),
    "overclaimed": lambda c: _share(c.fp + c.uncertain_as_true, c.not_true),
    "right": lambda c: _share(c.right, c.questions),
}
"""By name; None where there is nothing to divide by. The first seven are the paper's, of claims answered
true or false. `coverage`: how many of the true and false claims those are. `fpr_of_all`: false claims that
were answered true, of all of them. `overclaimed`: the same of false and uncertain ones. `right`: questions
with the right answer of three (or the right option), of all questions."""

TITLES: Final[Mapping[str, str]] = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1 score",
    "specificity": "Specificity",
    "fpr": "False positive rate",
    "fnr": "False negative rate",
    "coverage": "Coverage",
    "fpr_of_all": "False positives of all false claims",
    "overclaimed": "Answered true of all not true",
    "right": "Questions answered right",
}
PAPERS: Final = tuple(METRICS)[:7]


def metrics(counts: Counts) -> dict[str, float | None]:
    """Every rate by name."""
    return {name: rate(counts) for name, rate in METRICS.items()}
