"""Sums over samples: what the metrics of a set need, added up sample by sample ([DAG-TALLY]).

Memory grows with groups and problems, and not with samples. All sums are whole numbers, so neither the
order of the samples nor the way in which tallies are merged changes a result by a bit.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from potlang.languages.dagmath.check.metrics import Class, Shape, classify

UNIT = 1 << 64
"""Shares and densities are added up in units of 2^-64, rounded down: exact to 2^-64 a sample."""

Group = tuple[str, ...]
"""The values of the fields that samples are grouped by."""
Bin = int | None
"""Difficulty k stands for (k − 1, k] (paper, figure 3); None: not known."""


@dataclass(slots=True)
class ProblemTally:
    """The samples of one problem. `levels` counts the correct ones by the closeness that they meet, `formal`
    the steps that have a `formal` field.

    `classes` are the tallies, by class, that samples of `difficulty` count in, found without their keys:
    the samples of a problem have the same difficulty as a rule.
    """

    samples: int = 0
    malformed: int = 0
    correct: int = 0
    perfect: int = 0
    closeness: int = 0
    nodes: int = 0
    formal: int = 0
    edges: int = 0
    density: int = 0
    max_in: int = 0
    max_out: int = 0
    levels: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    difficulty: float | None = None
    classes: dict[Class, ClassTally] = field(default_factory=dict)

    def merge(self, other: ProblemTally) -> None:
        """Adds the sums of another."""
        for name in self.__slots__:
            if name not in ("levels", "difficulty", "classes"):
                setattr(self, name, getattr(self, name) + getattr(other, name))
        for level, count in other.levels.items():
            self.levels[level] += count

    def means(self) -> tuple[float, float, float, float, float] | None:
        """The means of the five statistics over the samples that have a graph; None without one."""
        legal = self.samples - self.malformed
        if not legal:
            return None
        nodes, edges, max_in, max_out = (
            each / legal for each in (self.nodes, self.edges, self.max_in, self.max_out)
        )
        return nodes, edges, self.density / (legal * UNIT), max_in, max_out


@dataclass(slots=True)
class ClassTally:
    """The graphs of one class: how many have each value of each statistic; densities by the per mille."""

    samples: int = 0
    density: int = 0
    nodes: Counter[int] = field(default_factory=Counter)
    edges: Counter[int] = field(default_factory=Counter)
    densities: Counter[int] = field(default_factory=Counter)
    max_in: Counter[int] = field(default_factory=Counter)
    max_out: Counter[int] = field(default_factory=Counter)

    def merge(self, other: ClassTally) -> None:
        """Adds the counts of another."""
        self.samples += other.samples
        self.density += other.density
        for name in ("nodes", "edges", "densities", "max_in", "max_out"):
            getattr(self, name).update(getattr(other, name))


class Tally:
    """The sums over all samples added so far, by group and problem, and by group, difficulty and class."""

    def __init__(self) -> None:
        self.problems: dict[Group, dict[Hashable, ProblemTally]] = {}
        self.classes: dict[tuple[Group, Bin, Class], ClassTally] = {}

    def add(
        self,
        shape: Shape | None,
        correct: bool,
        *,
        group: Group = (),
        problem: Hashable = None,
        difficulty: float | None = None,
        formal: int = 0,
    ) -> Class:
        """Adds a sample and says its class; no shape: it is malformed, and counts as not correct.

        `formal`: how many of its steps have a `formal` field.
        """
        in_group = self.problems.setdefault(group, {})
        # `setdefault` would make a tally for each sample, to be thrown away.
        of_problem = in_group.get(problem)
        if of_problem is None:
            of_problem = in_group[problem] = ProblemTally()
        kind = classify(shape, correct)
        if of_problem.difficulty != difficulty:
            of_problem.difficulty = difficulty
            of_problem.classes = {}
        of_class = of_problem.classes.get(kind)
        if of_class is None:
            of_class = of_problem.classes[kind] = self._of_class(group, bin_of(difficulty), kind)
        of_problem.samples += 1
        of_class.samples += 1
        if shape is None:
            of_problem.malformed += 1
        else:
            of_problem.formal += formal
            _add_shape(of_problem, of_class, shape, kind)
        return kind

    def _of_class(self, group: Group, level: Bin, kind: Class) -> ClassTally:
        return self.classes.setdefault((group, level, kind), ClassTally())

    def merge(self, other: Tally) -> None:
        """Adds the sums of another tally, of samples that are not in this one."""
        for group, problems in other.problems.items():
            mine = self.problems.setdefault(group, {})
            for name, tally in problems.items():
                mine.setdefault(name, ProblemTally()).merge(tally)
        for key, of_class in other.classes.items():
            self._of_class(*key).merge(of_class)

    @property
    def samples(self) -> int:
        """How many samples were added."""
        return sum(each.samples for each in self.classes.values())

    def class_tally(
        self, group: Group, kinds: Iterable[Class], bins: Iterable[Bin] | None = None
    ) -> ClassTally:
        """The graphs of some classes of a group together, of all difficulties or of some."""
        found = ClassTally()
        wanted = set(kinds)
        wanted_bins = None if bins is None else set(bins)
        for (of, level, kind), tally in self.classes.items():
            if of == group and kind in wanted and (wanted_bins is None or level in wanted_bins):
                found.merge(tally)
        return found

    def bins(self, group: Group) -> list[Bin]:
        """The difficulties of a group's samples in order, unknown at the end."""
        found = {level for of, level, _ in self.classes if of == group}
        return sorted(found, key=lambda level: (level is None, level or 0))

    def groups(self) -> Iterator[Group]:
        """The groups, sorted."""
        yield from sorted(self.problems)


def bin_of(difficulty: float | None) -> Bin:
    """The group that a difficulty is in."""
    return None if difficulty is None or not math.isfinite(difficulty) else math.ceil(difficulty)


def _add_shape(of_problem: ProblemTally, of_class: ClassTally, shape: Shape, kind: Class) -> None:
    nodes, edges, max_in, max_out, closed = shape
    most = nodes * (nodes - 1) // 2
    density = edges * UNIT // most if most else 0
    of_problem.nodes += nodes
    of_problem.edges += edges
    of_problem.density += density
    of_problem.max_in += max_in
    of_problem.max_out += max_out
    if kind is not Class.WRONG:
        of_problem.correct += 1
        of_problem.levels[shape.level] += 1
        if kind is Class.PERFECT:
            of_problem.perfect += 1
            of_problem.closeness += UNIT
        else:
            of_problem.closeness += closed * UNIT // (nodes - 1)
    of_class.density += density
    of_class.densities[edges * 1000 // most if most else 0] += 1
    of_class.nodes[nodes] += 1
    of_class.edges[edges] += 1
    of_class.max_in[max_in] += 1
    of_class.max_out[max_out] += 1
