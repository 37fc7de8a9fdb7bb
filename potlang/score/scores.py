"""The scores of a set of samples: the metrics of each group, from the sums of a tally ([DAG-SCORE])."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

from potlang.languages.dagmath.check.metrics import LEVELS, Class, pass_at, trapezoid
from potlang.score.inference import Interval, wilson
from potlang.score.samples import CountedSample, difficulty_label
from potlang.score.tally import UNIT, Bin, ClassTally, Group, ProblemTally, Tally

LEGAL = (Class.WRONG, Class.IMPERFECT, Class.PERFECT)
CLASSES: Mapping[str, tuple[Class, ...]] = {
    "All": LEGAL,
    "Incorrect": (Class.WRONG,),
    "Correct": (Class.IMPERFECT, Class.PERFECT),
    "Perfect": (Class.PERFECT,),
}
"""The classes of tables 4 to 6; of a malformed sample there is no graph."""
NOT_GIVEN = "not given"
"""The name of the group of samples that lack the field."""


class Means(NamedTuple):
    """The mean graph of some samples; of none, the means are None. `nodes_std` has ddof 1."""

    samples: int
    nodes: float | None = None
    edges: float | None = None
    density: float | None = None
    max_in: float | None = None
    max_out: float | None = None
    nodes_std: float | None = None


class Score(NamedTuple):
    """The metrics of a group; shares are exact but for `auc_exact` (to 2^-64).

    `pass_1` and `prr` (R̂) are means over problems of means over samples. `curve` has the accuracy at a
    required closeness of 0 %, …, 100 %; `auc` is its area by trapezoids, `auc_exact` the mean of
    δ_final · f. `pass_k`: None where a problem has fewer than k samples. `formal_share`: the steps with a
    `formal` field, among all steps of samples with a graph ([DAG-FORMAL-SHARE]).
    """

    group: Group
    problems: int
    samples: int
    malformed: int
    correct: int
    perfect: int
    pass_1: Fraction
    prr: Fraction
    auc: Fraction
    auc_exact: Fraction
    curve: tuple[Fraction, ...]
    pass_k: Mapping[int, Fraction | None]
    classes: Mapping[str, Means]
    formal_share: Fraction = Fraction(0)

    @property
    def gap(self) -> Fraction:
        """Δ: how much of PASS@1 is not perfect reasoning."""
        return self.pass_1 - self.prr

    @property
    def gap_interval(self) -> Interval:
        """The 95 % Wilson interval of the gap, over all samples (table 7)."""
        return wilson(float(self.gap), self.samples)

    def to_dict(self, by: Sequence[str]) -> dict[str, Any]:
        """The score as a JSON value (`schemas/dagmath-score-1.json`)."""
        return {
            "group": dict(zip(by, self.group, strict=True)),
            "problems": self.problems,
            "samples": self.samples,
            "malformed": self.malformed,
            "wrong": self.samples - self.malformed - self.correct,
            "imperfect": self.correct - self.perfect,
            "perfect": self.perfect,
            "pass_1": float(self.pass_1),
            "pass_k": {str(k): None if v is None else float(v) for k, v in self.pass_k.items()},
            "prr": float(self.prr),
            "gap": float(self.gap),
            "gap_interval": list(self.gap_interval),
            "auc": float(self.auc),
            "auc_exact": float(self.auc_exact),
            "formal_share": float(self.formal_share),
            "curve": [float(each) for each in self.curve],
            "classes": {name: means._asdict() for name, means in self.classes.items()},
        }


class Malformed(NamedTuple):
    """A malformed sample: where it is, and the first thing that is wrong with it."""

    file: str
    line: int
    column: int | None
    code: str
    message: str


@dataclass
class Scores:
    """The outcome of scoring: the sums, and what happened on the way.

    `first` are the first malformed samples. `unplaced` of the malformed ones say neither their problem
    nor its text, so they are in no group; `unjudged` samples say neither `correct` nor `answer` and count
    as not correct; so do those with `own_answers`, whose `final_answer` is their own last sentence. `as_text`
    answers were compared as text because the library could not tell. `gold`
    counts gold-standard samples by group and difficulty, if they were looked for. `example` is the first
    imperfect sample that is not too large to be drawn.
    """

    by: tuple[str, ...]
    tally: Tally = field(default_factory=Tally)
    codes: Counter[str] = field(default_factory=Counter)
    first: list[Malformed] = field(default_factory=list)
    unplaced: int = 0
    unjudged: int = 0
    own_answers: int = 0
    as_text: int = 0
    pass_k: tuple[int, ...] = ()
    gold: Counter[tuple[Group, Bin]] | None = None
    example: CountedSample | None = None

    @property
    def samples(self) -> int:
        """How many samples were read, malformed ones among them."""
        return self.tally.samples + self.unplaced

    @property
    def malformed(self) -> int:
        """How many of them are malformed."""
        return self.codes.total()

    def groups(self) -> list[Score]:
        """The score of each group, sorted by the groups' names."""
        return [score_of(self.tally, group, self.pass_k) for group in self.tally.groups()]

    def __getitem__(self, group: str | Group) -> Score:
        """The score of one group, by its labels in the order of `by`. Raises KeyError."""
        labels = (group,) if isinstance(group, str) else group
        if labels not in self.tally.problems:
            raise KeyError(group)
        return score_of(self.tally, labels, self.pass_k)

    def to_dict(self) -> dict[str, Any]:
        """All of it as a JSON value (`schemas/dagmath-score-1.json`)."""
        return {
            "version": 1,
            "by": list(self.by),
            "samples": self.samples,
            "malformed": {
                "count": self.malformed,
                "unplaced": self.unplaced,
                "codes": dict(sorted(self.codes.items())),
                "first": [each._asdict() for each in self.first],
            },
            "unjudged": self.unjudged,
            "own_answers": self.own_answers,
            "compared_as_text": self.as_text,
            "gold": None if self.gold is None else self.gold.total(),
            "groups": [
                {**each.to_dict(self.by), "difficulties": difficulties(self.tally, each.group)}
                for each in self.groups()
            ],
        }


def score_of(tally: Tally, group: Group, pass_k: Iterable[int] = ()) -> Score:
    """The metrics of one group of a tally that has it."""
    problems = list(tally.problems[group].values())
    curve = _curve(problems)
    return Score(
        group=group,
        problems=len(problems),
        samples=sum(each.samples for each in problems),
        malformed=sum(each.malformed for each in problems),
        correct=sum(each.correct for each in problems),
        perfect=sum(each.perfect for each in problems),
        pass_1=curve[0],
        prr=curve[-1],
        auc=trapezoid(curve),
        auc_exact=_mean(_shares((each.samples, each.closeness) for each in problems), len(problems)) / UNIT,
        curve=curve,
        pass_k={k: _pass_k(k, problems) for k in pass_k},
        classes={name: means_of(tally.class_tally(group, kinds)) for name, kinds in CLASSES.items()},
        formal_share=Fraction(
            sum(each.formal for each in problems), sum(each.nodes for each in problems) or 1
        ),
    )


def means_of(tally: ClassTally) -> Means:
    """The mean graph of a class."""
    count = tally.samples
    if not count:
        return Means(0)
    # Division of whole numbers is rounded once, as a fraction would be that becomes a float.
    return Means(
        count,
        _total(tally.nodes) / count,
        _total(tally.edges) / count,
        tally.density / (count * UNIT),
        _total(tally.max_in) / count,
        _total(tally.max_out) / count,
        _deviation(tally.nodes),
    )


def difficulties(tally: Tally, group: Group) -> list[dict[str, Any]]:
    """For each difficulty of a group's samples: counts by class, and the mean graph of the legal ones."""
    found = []
    for level in tally.bins(group):
        counts = class_counts(tally, group, level)
        means = means_of(tally.class_tally(group, LEGAL, [level]))
        found.append({"difficulty": difficulty_label(level), **counts, "graphs": means._asdict()})
    return found


def class_counts(tally: Tally, group: Group, level: Bin) -> dict[str, int]:
    """How many samples of one difficulty are in each class."""
    return {
        str(kind): each.samples if (each := tally.classes.get((group, level, kind))) is not None else 0
        for kind in Class
    }


def _curve(problems: Sequence[ProblemTally]) -> tuple[Fraction, ...]:
    """A(k) for each level k: mean over problems of the share of samples that are right and close enough."""
    # Problems with as many samples share a denominator, so that there are few fractions to be added.
    by_size: dict[int, list[int]] = {}
    for each in problems:
        counts = by_size.setdefault(each.samples, [0] * len(LEVELS))
        for level, count in each.levels.items():
            counts[level] += count
    reached = {size: list(accumulate(reversed(counts)))[::-1] for size, counts in by_size.items()}
    shares = ({size: counts[level] for size, counts in reached.items()} for level in LEVELS)
    return tuple(_mean(each, len(problems)) for each in shares)


def _shares(sums: Iterable[tuple[int, int]]) -> dict[int, int]:
    found = Counter[int]()
    for size, value in sums:
        found[size] += value
    return found


def _mean(by_size: Mapping[int, int], problems: int) -> Fraction:
    """The mean over problems of means over samples; sums come by the number of samples of the problem."""
    return sum((Fraction(value, size) for size, value in by_size.items()), Fraction(0)) / problems


def _pass_k(k: int, problems: Sequence[ProblemTally]) -> Fraction | None:
    kinds = Counter((each.samples, each.correct) for each in problems)
    total = Fraction(0)
    for (samples, correct), count in kinds.items():
        estimate = pass_at(k, samples, correct)
        if estimate is None:
            return None
        total += count * estimate
    return total / len(problems)


def _total(counts: Mapping[int, int]) -> int:
    return sum(value * count for value, count in counts.items())


def _deviation(counts: Counter[int]) -> float | None:
    samples = counts.total()
    if samples < 2:
        return None
    squares = sum(value * value * count for value, count in counts.items())
    return math.sqrt((samples * squares - _total(counts) ** 2) / (samples * (samples - 1)))
