"""Labelled directed multigraphs, and the coarsest stable colouring of their vertices.

Colours are the same for isomorphic graphs: they depend on labels and edges alone, not on the order
of the vertices. Refinement is that of Hopcroft and of Berkholz, Bonsma and Grohe: a cell that splits
lets its largest part keep its colour, so that a vertex changes colour at most log n times and the
whole takes O((n + m) log n) steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any


class LabelledGraph:
    """Vertices 0, 1, … and, for each, its incident edges packed as `neighbour * width + kind`.

    The kind of an edge tells its direction, its name and how often it occurs; seen from the other end
    it is `kind ^ 1`.
    """

    __slots__ = ("incident", "width")

    def __init__(self, incident: list[list[int]], width: int) -> None:
        self.incident = incident
        self.width = width

    @classmethod
    def of_edges(cls, vertices: int, edges: Sequence[tuple[int, int, int]], names: int) -> LabelledGraph:
        """The graph of edges (source, target, name), where names are below `names`."""
        count = Counter(edges)
        most = max(count.values(), default=1)
        width = 2 * names * most
        incident: list[list[int]] = [[] for _ in range(vertices)]
        for (source, target, name), times in count.items():
            # Parallel edges become one edge whose kind counts them: refinement need not look at each.
            kind = 2 * (name + names * (times - 1))
            incident[source].append(target * width + kind)
            incident[target].append(source * width + kind + 1)
        return cls(incident, width)

    def __len__(self) -> int:
        return len(self.incident)


class Colouring:
    """A partition of the vertices into cells; the colour of a cell is a number of its own.

    `size[c]` is the number of vertices of colour c. `steps` counts the edges that were looked at.
    """

    __slots__ = ("_members", "colour", "graph", "size", "steps")

    def __init__(self, graph: LabelledGraph, labels: Sequence[Any]) -> None:
        """One cell for each label, in the order of the labels."""
        self.graph = graph
        self.colour = [0] * len(labels)
        self.size: dict[int, int] = {}
        self.steps = 0
        self._members: dict[int, list[int]] = {}
        cells: dict[Hashable, list[int]] = {}
        for vertex, label in enumerate(labels):
            cells.setdefault(label, []).append(vertex)
        first = 0
        # A colour is the number of vertices in the cells before its own, so colours are the same for
        # isomorphic graphs whatever order the vertices came in.
        for label in sorted(cells):  # type: ignore[type-var]
            self._paint(first, cells[label])
            first += len(cells[label])

    def _paint(self, colour: int, vertices: list[int]) -> None:
        for vertex in vertices:
            self.colour[vertex] = colour
        self.size[colour] = len(vertices)
        self._members[colour] = vertices

    @property
    def is_discrete(self) -> bool:
        """Whether each vertex has a colour of its own."""
        return len(self.size) == len(self.colour)

    def members(self, colour: int) -> list[int]:
        """The vertices of a colour."""
        found = self._members[colour]
        # Cells shrink lazily: a split only lowers `size`; members that left are dropped when asked for.
        if len(found) != self.size[colour]:
            found = self._members[colour] = [v for v in found if self.colour[v] == colour]
        return found

    def single_out(self, vertex: int) -> None:
        """Gives a vertex a colour of its own, and refines."""
        colour = self.colour[vertex]
        if self.size[colour] > 1:
            self.size[colour] -= 1
            self._paint(colour + self.size[colour], [vertex])
            self.refine([vertex])

    def refine(self, changed: Iterable[int] | None = None) -> None:
        """Makes the colouring stable: vertices of one colour have equally coloured neighbours.

        `changed` are the vertices whose colours are new since it was stable; None means all.
        """
        active = range(len(self.colour)) if changed is None else changed
        while active:
            active = self._round(active)

    def _round(self, active: Iterable[int]) -> list[int]:
        """Splits cells by their edges to the active vertices; returns the vertices that changed colour."""
        touched = self._touched(active)
        colour = self.colour
        cells: dict[int, dict[tuple[int, ...], list[int]]] = {}
        for vertex, seen in touched.items():
            # The order in which edges were met depends on the numbering; the multiset of them does not.
            seen.sort()
            cells.setdefault(colour[vertex], {}).setdefault(tuple(seen), []).append(vertex)
        return [vertex for cell, parts in cells.items() for vertex in self._split(cell, parts, touched)]

    def _touched(self, active: Iterable[int]) -> dict[int, list[int]]:
        """For each vertex with an edge to an active one, and not alone in its cell: those edges, coloured."""
        colour, size, width = self.colour, self.size, self.graph.width
        incident = self.graph.incident
        touched: dict[int, list[int]] = {}
        for vertex in active:
            base = colour[vertex] * width
            edges = incident[vertex]
            self.steps += len(edges)
            for edge in edges:
                other, kind = divmod(edge, width)
                # A cell of one vertex cannot split.
                if size[colour[other]] == 1:
                    continue
                seen = touched.get(other)
                if seen is None:
                    touched[other] = [base + (kind ^ 1)]
                else:
                    seen.append(base + (kind ^ 1))
        return touched

    def _split(
        self, cell: int, parts: dict[tuple[int, ...], list[int]], touched: dict[int, list[int]]
    ) -> list[int]:
        """Splits one cell into its parts, and what is left; all but the largest get new colours."""
        # Vertices without an edge to an active one are never listed: counting them keeps a round linear in
        # the edges that it looks at.
        left = self.size[cell] - sum(map(len, parts.values()))
        if not left and len(parts) == 1:
            return []
        sizes = [left, *(len(parts[seen]) for seen in sorted(parts))]
        # The largest part keeps the colour, so a vertex that changes colour is in a cell of at most half the
        # size: this is the bound of log n changes for each vertex.
        largest = sizes.index(max(sizes))
        changed: list[int] = []
        rest = [] if largest == 0 or not left else [v for v in self.members(cell) if v not in touched]
        # New colours follow the sorted edge lists, not the order of vertices.
        ordered = [rest, *(parts[seen] for seen in sorted(parts))]
        colour = cell + sizes[largest]
        for index, vertices in enumerate(ordered):
            if index != largest and vertices:
                self._paint(colour, vertices)
                colour += len(vertices)
                changed += vertices
        self.size[cell] = sizes[largest]
        if largest:
            self._members[cell] = ordered[largest]
        return changed
