"""The DAG of a task, of which solutions are walks (paper, section 2): checked, sampled, classified, counted.

A walk follows the transition rule of equation 1: each step is a node whose parents are all behind it,
none comes twice, and the first sink ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from random import Random
from typing import Generic, Literal, NamedTuple, TypeVar

from potlang.ir.graphs import reachable_from
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.check.metrics import Class

Node = TypeVar("Node", bound=Hashable)
Fault = Literal["unknown", "repeated", "premises", "absorbed", "unfinished"]
"""No node of the task; already visited; a parent is not visited; behind a sink; ends before a sink."""
Weight = Callable[[Sequence[Node], Node], int | Fraction]
"""How much more likely than others a node is after the nodes so far; positive."""

MOST_STATES = 1_000_000


class TaskError(ValueError):
    """Not the DAG of a task: a cycle, a parent that is no node, or a right answer that is no sink."""


class TooManyStates(ValueError):
    """The walks of the task are too many to be counted exactly."""


class Illegal(NamedTuple, Generic[Node]):
    """The first illegal transition of a walk: its place, and the parents that are `missing`, if those are."""

    position: int
    node: Node | None
    fault: Fault
    missing: tuple[Node, ...] = ()


class Outcomes(NamedTuple):
    """The probability of each class of walk under the transition rule; together they are 1."""

    wrong: Fraction
    imperfect: Fraction
    perfect: Fraction

    @property
    def correct(self) -> Fraction:
        """PASS@1."""
        return self.imperfect + self.perfect


class TaskDag(Generic[Node]):
    """The nodes of a task with their parents; sources have none, sinks are answers, and some are correct.

    Raises TaskError.
    """

    def __init__(self, parents: Mapping[Node, Collection[Node]], correct: Iterable[Node]) -> None:
        self.parents = {node: frozenset(premises) for node, premises in parents.items()}
        unknown = [each for premises in self.parents.values() for each in premises if each not in parents]
        if unknown:
            raise TaskError(f"the parent {unknown[0]} is no node")
        try:
            self.order = tuple(TopologicalSorter(parents).static_order())
        except CycleError as error:
            raise TaskError(f"a cycle: {' → '.join(map(str, error.args[1]))}") from None
        used = frozenset[Node]().union(*self.parents.values())
        self.sources = tuple(node for node, premises in self.parents.items() if not premises)
        self.sinks = tuple(node for node in self.parents if node not in used)
        self.correct = frozenset(correct)
        if wrong := [node for node in self.correct if node not in self.sinks]:
            raise TaskError(f"the right answer {wrong[0]} is no sink")

    def available(self, visited: Collection[Node]) -> list[Node]:
        """The nodes that may come next (equation 1), in the order given; none behind a sink."""
        behind = set(visited)
        if any(sink in behind for sink in self.sinks):
            return []
        return [node for node, premises in self.parents.items() if node not in behind and premises <= behind]

    def illegal(self, walk: Sequence[Node]) -> Illegal[Node] | None:
        """The first transition that the rule does not allow; None of a legal walk, which ends in a sink."""
        visited: set[Node] = set()
        sinks = set(self.sinks)
        ended = False
        for position, node in enumerate(walk):
            if node not in self.parents:
                return Illegal(position, node, "unknown")
            if ended:
                return Illegal(position, node, "absorbed")
            if node in visited:
                return Illegal(position, node, "repeated")
            missing = tuple(each for each in self.order if each in self.parents[node] - visited)
            if missing:
                return Illegal(position, node, "premises", missing)
            visited.add(node)
            ended = node in sinks
        return None if ended else Illegal(len(walk), None, "unfinished")

    def classify(self, walk: Sequence[Node]) -> Class:
        """The class of a walk (section 2.2): perfect if it has the right sink and its ancestors only."""
        if self.illegal(walk) is not None:
            return Class.MALFORMED
        if walk[-1] not in self.correct:
            return Class.WRONG
        return Class.IMPERFECT if self.surplus(walk) else Class.PERFECT

    def surplus(self, walk: Sequence[Node]) -> list[Node]:
        """Over-reasoning: the nodes of a walk that its last one does not rest on, in order."""
        kept = self.ancestors(walk[-1]) | {walk[-1]}
        return [node for node in walk if node not in kept]

    def omitted(self, walk: Sequence[Node]) -> list[Node]:
        """Under-reasoning: the nodes that a walk's last one rests on and the walk leaves out, in order."""
        left_out = self.ancestors(walk[-1]) - set(walk)
        return [node for node in self.order if node in left_out]

    def ancestors(self, node: Node) -> frozenset[Node]:
        """All that a node rests on, itself excepted."""
        return frozenset(reachable_from(self.parents[node], self.parents.__getitem__))

    def graph(self, walk: Sequence[Node]) -> Graph:
        """The graph of a legal walk as a solution: its nodes in order, with their parents."""
        at = {node: position for position, node in enumerate(walk)}
        return Graph(tuple(tuple(sorted(at[each] for each in self.parents[node])) for node in walk))

    def sample(self, random: Random, weight: Weight[Node] | None = None) -> list[Node]:
        """A walk by the transition rule, each available node as likely as any other unless weighted."""
        walk: list[Node] = []
        while available := self.available(walk):
            weights = None if weight is None else [float(weight(walk, node)) for node in available]
            walk += random.choices(available, weights)
        return walk

    def outcomes(self, weight: Weight[Node] | None = None, most: int = MOST_STATES) -> Outcomes:
        """The exact probability of each class of walk.

        Dynamic programming over the sets of visited nodes; a weight must not depend on their order.
        Raises TooManyStates beyond `most` sets.
        """
        index = {node: at for at, node in enumerate(self.order)}
        states: dict[int, Fraction] = {0: Fraction(1)}
        found = dict.fromkeys((Class.WRONG, Class.IMPERFECT, Class.PERFECT), Fraction(0))
        count = 0
        while states:
            count += len(states)
            if count > most:
                raise TooManyStates(f"more than {most} sets of nodes can be visited")
            # What may come next depends on the set alone: walks that visited the same nodes are one state.
            following: dict[int, Fraction] = {}
            for mask, chance in states.items():
                visited = [node for node in self.order if mask >> index[node] & 1]
                available = self.available(visited)
                weights = [Fraction(1) if weight is None else Fraction(weight(visited, n)) for n in available]
                whole = sum(weights, Fraction(0))
                for node, part in zip(available, weights, strict=True):
                    share = chance * part / whole
                    if node in self.sinks:
                        found[self.classify([*visited, node])] += share
                    else:
                        after = mask | 1 << index[node]
                        following[after] = following.get(after, Fraction(0)) + share
            states = following
        return Outcomes(found[Class.WRONG], found[Class.IMPERFECT], found[Class.PERFECT])


def two_chains(length: int) -> TaskDag[str]:
    """The toy of figure 2: two chains of `length` nodes with the first in common; L is right, L′ is not.

    Its PRR is (1/2)^(length − 1). Raises TaskError for a length below 2.
    """
    if length < 2:
        raise TaskError("a chain needs a source and a sink")
    parents: dict[str, list[str]] = {"1": []}
    for mark in ("", "′"):
        for at in range(2, length + 1):
            parents[f"{at}{mark}"] = [f"{at - 1}{mark if at > 2 else ''}"]
    return TaskDag(parents, [str(length)])
