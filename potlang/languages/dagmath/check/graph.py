"""A solution's graph: steps by position, edges from premise to conclusion (paper, definition 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from potlang.ir.graphs import reachable_from
from potlang.languages.dagmath.read.records import Solution


class BrokenGraphError(ValueError):
    """A parent that is no earlier step, an id that comes twice, or no step at all: not a graph of steps."""


class Statistics(NamedTuple):
    """The five statistics of section 4.2. `density` is 2E / (N (N - 1)), 0 for a single node."""

    nodes: int
    edges: int
    density: float
    max_in: int
    max_out: int


class Graph(NamedTuple):
    """`parents[i]` are the positions of the premises of step `i`: all below `i`, none twice."""

    parents: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, solution: Solution) -> Graph:
        """A solution's graph. Raises BrokenGraphError."""
        return cls.from_ids((step.id, step.parents or ()) for step in solution.steps)

    @classmethod
    def from_ids(cls, steps: Iterable[tuple[int, Sequence[int]]]) -> Graph:
        """The graph of (id, ids of parents), in order. Raises BrokenGraphError."""
        positions: dict[int, int] = {}
        found = []
        for position, (name, parents) in enumerate(steps):
            try:
                found.append(tuple(dict.fromkeys([positions[parent] for parent in parents])))
            except KeyError as missing:
                raise BrokenGraphError(f"step {name} has no earlier step {missing.args[0]}") from None
            if name in positions:
                raise BrokenGraphError(f"two steps have the id {name}")
            positions[name] = position
        if not found:
            raise BrokenGraphError("no steps")
        return cls(tuple(found))

    def unclosed(self) -> list[int]:
        """The positions of the steps, the last excepted, that no later step uses ([DAG-CLOSED])."""
        used = {parent for parents in self.parents for parent in parents}
        return [step for step in range(len(self.parents) - 1) if step not in used]

    def closed(self) -> bool:
        """Whether every step but the last has a child: the same as that the last is the only sink."""
        # Counted, not listed: millions of samples are asked this.
        used = {parent for parents in self.parents for parent in parents}
        return len(used) == len(self.parents) - 1

    def out_degrees(self) -> list[int]:
        """How many steps use each."""
        counts = [0] * len(self.parents)
        for parents in self.parents:
            for parent in parents:
                counts[parent] += 1
        return counts

    def ancestors(self, step: int) -> set[int]:
        """The positions of all steps that a step rests on, itself excepted."""
        return reachable_from(self.parents[step], self.parents.__getitem__)

    def sources(self) -> list[int]:
        """The positions of the steps without premises."""
        return [step for step, parents in enumerate(self.parents) if not parents]

    def sinks(self) -> list[int]:
        """The positions of the steps that none uses; the last is always one."""
        return [step for step, count in enumerate(self.out_degrees()) if not count]

    def statistics(self) -> Statistics:
        """Sizes, density and largest degrees."""
        nodes = len(self.parents)
        edges = sum(map(len, self.parents))
        density = 2 * edges / (nodes * (nodes - 1)) if nodes > 1 else 0.0
        return Statistics(nodes, edges, density, max(map(len, self.parents)), max(self.out_degrees()))
