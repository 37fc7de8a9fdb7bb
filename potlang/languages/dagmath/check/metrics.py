"""The metrics of one solution's reasoning, from its graph and answer (paper, definitions 1 and 2, section 3).

All is computed from whole numbers; a fraction becomes a float where it is shown and not before.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, Protocol

from potlang.languages.dagmath.check.graph import BrokenGraphError, Graph

LEVELS = range(101)
"""The required closeness in per cent at each point of the AUC curve (paper, figure 4)."""


class Premised(Protocol):
    """A step as far as its graph goes: its id, and the ids of its premises if it has any."""

    @property
    def id(self) -> int: ...
    @property
    def parents(self) -> Collection[int] | None: ...


class Class(StrEnum):
    """Where a sample stands in the taxonomy of section 3; each has one place ([DAG-CLASS])."""

    MALFORMED = "malformed"
    """Structurally illegal: no graph of steps."""
    WRONG = "wrong"
    """Legal, and the last step does not give the right answer."""
    IMPERFECT = "imperfect"
    """The right answer, but not closed: over-reasoning."""
    PERFECT = "perfect"
    """The right answer, and logically closed."""

    __hash__ = str.__hash__  # Enum's own is Python code, and too slow to be called for each sample.


class Shape(NamedTuple):
    """The shape of a graph for the metrics. `closed` counts the steps before the last that some step uses."""

    nodes: int
    edges: int
    max_in: int
    max_out: int
    closed: int

    @property
    def is_closed(self) -> bool:
        """δ_close: each step but the last is used ([DAG-CLOSED])."""
        return self.closed == self.nodes - 1

    @property
    def share(self) -> Fraction:
        """The closed share f of the steps before the last; 1 of a single step ([DAG-SHARE])."""
        return Fraction(self.closed, self.nodes - 1) if self.nodes > 1 else Fraction(1)

    @property
    def density(self) -> Fraction:
        """The edges over the most that a graph without cycles has; 0 of a single step."""
        return Fraction(2 * self.edges, self.nodes * (self.nodes - 1)) if self.nodes > 1 else Fraction(0)

    @property
    def level(self) -> int:
        """The highest required closeness in per cent that it meets, in whole numbers ([DAG-AUC])."""
        return 100 * self.closed // (self.nodes - 1) if self.nodes > 1 else 100


def shape_of(steps: Iterable[Premised]) -> Shape:
    """The shape of the graph of some steps; a parent that is named twice counts once.

    Raises BrokenGraphError.
    """
    return shape_of_distinct([_Node(step.id, frozenset(step.parents or ())) for step in steps])


def shape_of_distinct(steps: Collection[Premised]) -> Shape:
    """As `shape_of`, in one pass over steps none of which names a parent twice."""
    uses: dict[int, int] = {}
    edges = widest = 0
    try:
        for step in steps:
            if parents := step.parents:
                for parent in parents:
                    uses[parent] += 1
                size = len(parents)
                edges += size
                if size > widest:
                    widest = size
            # Only now: a step that rests on itself, or on a later one, has just been missed.
            uses[step.id] = 0
    except KeyError as missing:
        raise BrokenGraphError(f"a step has no earlier step {missing.args[0]}") from None
    count = len(steps)
    if len(uses) < count or not count:
        raise BrokenGraphError("two steps have the same id" if count else "no steps")
    counts = list(uses.values())
    return Shape(count, edges, widest, max(counts), count - counts.count(0))


class _Node(NamedTuple):
    id: int
    parents: frozenset[int]


def classify(shape: Shape | None, correct: bool) -> Class:
    """The class of a sample from δ_close and δ_final; no shape: malformed."""
    if shape is None:
        return Class.MALFORMED
    if not correct:
        return Class.WRONG
    return Class.PERFECT if shape.closed == shape.nodes - 1 else Class.IMPERFECT


def surplus(graph: Graph) -> list[int]:
    """Over-reasoning: the positions of the steps that the last one does not rest on ([DAG-OVER]).

    Empty if and only if the graph is closed.
    """
    last = len(graph.parents) - 1
    needed = graph.ancestors(last)
    return [step for step in range(last) if step not in needed]


def pass_at(k: int, samples: int, correct: int) -> Fraction | None:
    """The unbiased estimate of PASS@k of one problem, 1 − C(n − c, k) / C(n, k) (Chen et al. 2021).

    None with fewer than k samples. Raises ValueError for k below 1.
    """
    if k < 1:
        raise ValueError("PASS@k needs a k of at least 1")
    if samples < k:
        return None
    return 1 - Fraction(math.comb(samples - correct, k), math.comb(samples, k))


def trapezoid(curve: Sequence[Fraction]) -> Fraction:
    """The area under a curve of equally spaced points over [0, 1] (the paper's AUC)."""
    inner = sum(curve[1:-1], Fraction(0)) + (curve[0] + curve[-1]) / 2
    return inner / (len(curve) - 1)
