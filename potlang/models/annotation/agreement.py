"""Agreement of several parsers on the dependencies of the same steps (paper, appendix K.3; [DAG-AGREE])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import NamedTuple

from potlang.languages.dagmath.check.metrics import Shape, shape_of
from potlang.languages.dagmath.read.records import Solution

Edge = tuple[int, int]


class Agreement(NamedTuple):
    """Of two sets of edges over the same steps, summed over all solutions; every share is exact.

    An edge could be between any two steps, from the earlier to the later one: `possible` counts these
    pairs. `kappa` is Cohen's over them; None where chance alone makes both agree on all.
    """

    both: int
    first: int
    second: int
    possible: int

    @property
    def jaccard(self) -> Fraction:
        """Common edges over all edges; 1 where there are none."""
        union = self.first + self.second - self.both
        return Fraction(self.both, union) if union else Fraction(1)

    @property
    def f1(self) -> Fraction:
        """Twice the common edges over the sum of both counts; 1 where there are none."""
        total = self.first + self.second
        return Fraction(2 * self.both, total) if total else Fraction(1)

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's kappa over all pairs of steps."""
        n = self.possible
        if not n:
            return None
        agree = Fraction(n - self.first - self.second + 2 * self.both, n)
        p, q = Fraction(self.first, n), Fraction(self.second, n)
        chance = p * q + (1 - p) * (1 - q)
        return None if chance == 1 else (agree - chance) / (1 - chance)


class ParserGraphs(NamedTuple):
    """The graphs of one parser: the number of solutions, of closed ones, and the mean closed share.

    `share` is the mean over solutions; None of no solution.
    """

    solutions: int
    closed: int
    share: Fraction | None


class ParserComparison(NamedTuple):
    """Each parser by itself, and each two of them."""

    parsers: Mapping[str, ParserGraphs]
    pairs: Mapping[tuple[str, str], Agreement]


class DifferentSteps(ValueError):
    """Solutions that are to be compared have not the same steps."""


def edges_of(solution: Solution) -> frozenset[Edge]:
    """The edges by ids, from premise to conclusion."""
    return frozenset((parent, step.id) for step in solution.steps for parent in step.parents or ())


def agreement(first: Sequence[Solution], second: Sequence[Solution]) -> Agreement:
    """The agreement of two parsers on the same solutions in the same order. Raises DifferentSteps."""
    if len(first) != len(second):
        raise DifferentSteps(f"{len(first)} solutions on one side and {len(second)} on the other")
    counts = [(0, 0, 0, 0)]
    for at, (one, other) in enumerate(zip(first, second, strict=True)):
        ids = [step.id for step in one.steps]
        if ids != [step.id for step in other.steps]:
            raise DifferentSteps(f"solution {at + 1} has not the same steps on both sides")
        mine, theirs = edges_of(one), edges_of(other)
        counts.append((len(mine & theirs), len(mine), len(theirs), comb(len(ids), 2)))
    return Agreement(*map(sum, zip(*counts, strict=True)))


def compare_parsers(parsed: Mapping[str, Sequence[Solution]]) -> ParserComparison:
    """All parsers, by name, with the same solutions in the same order.

    Raises DifferentSteps, and BrokenGraphError for a solution that is no graph.

    >>> from potlang.dagmath import Solution, Step, compare_parsers
    >>> one = Solution((Step(1, "", None, "a"), Step(2, "", (1,), "b")))
    >>> other = Solution((Step(1, "", None, "a"), Step(2, "", None, "b")))
    >>> compare_parsers({"model": [one], "person": [other]}).pairs["model", "person"].jaccard
    Fraction(0, 1)
    """
    parsers = {name: _parser([shape_of(each.steps) for each in found]) for name, found in parsed.items()}
    pairs = {(a, b): agreement(parsed[a], parsed[b]) for a, b in combinations(parsed, 2)}
    return ParserComparison(parsers, pairs)


def _parser(shapes: Sequence[Shape]) -> ParserGraphs:
    closed = sum(shape.is_closed for shape in shapes)
    share = sum((shape.share for shape in shapes), Fraction(0)) / len(shapes) if shapes else None
    return ParserGraphs(len(shapes), closed, share)
