"""Diagrams in the slice over S, their limits and colimits, reflection and gluing (corollary 4.6, C.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.colimit import Colimit, colimit, pushout
from potlang.topos.errors import require
from potlang.topos.limit import Limit, limit
from potlang.topos.presentation import (
    GluedPresentation,
    Overlap,
    Path,
    Presentation,
    Presented,
    glue,
    presented,
)
from potlang.topos.presheaf import Presheaf
from potlang.topos.slice import Reflection, Reflector, is_over
from potlang.topos.subobject import Subobject
from potlang.topos.transformation import Map, identity


@dataclass(frozen=True)
class Diagram:
    """A diagram in the slice over `base`: a functor from a presented category (theorem 4.3).

    `objects[v]` is the map X → S of the node v, `maps[e]` the map over S of the edge e. Raises
    `AxiomError` if a map is not one over S, or if a relation of the shape does not hold (A3).
    """

    shape: Presentation
    base: Presheaf
    objects: tuple[Map, ...]
    maps: tuple[Map, ...]

    def __post_init__(self) -> None:
        require(len(self.objects) == self.shape.size, "each node has an object")
        require(len(self.maps) == len(self.shape.edges), "each edge has a map")
        require(all(over.target == self.base for over in self.objects), "objects lie over the base")
        for (a, b), arrow in zip(self.shape.edges, self.maps, strict=True):
            joins = arrow.source == self.objects[a].source and arrow.target == self.objects[b].source
            require(joins, f"a map joins the nodes {a} and {b}")
            require(
                is_over(arrow, self.objects[a], self.objects[b]), "the maps of edges are maps over the base"
            )
        for left, right in self.shape.relations:
            start = self.shape.start((left, right))
            require(self.along(left, start) == self.along(right, start), "the relations of the shape hold")

    @cached_property
    def index(self) -> Presented:
        """The index category, if it is finite."""
        return presented(self.shape)

    def along(self, path: Path, start: int = 0) -> Map:
        """The map of a path; `start` is the node of the empty path."""
        found = identity(self.objects[self.shape.ends(path, start)[0]].source)
        for edge in path:
            found = self.maps[edge].after(found)
        return found

    def value(self, arrow: int) -> Map:
        """The map of an arrow of the index category."""
        return self.along(self.index.paths[arrow], self.index.category.source[arrow])

    @cached_property
    def colimit(self) -> Cocone:
        """The colimit in the slice: that of the domains, with its map to S."""
        found = colimit(self.base.category, self._domains, self._edges)
        return Cocone(found, found.factor(self.base, self.objects))

    @cached_property
    def limit(self) -> Cone:
        """The limit in the slice: families that lie over one element of S; of no objects, S itself."""
        nodes = [self.base, *self._domains]
        edges = [(a + 1, b + 1, arrow) for a, b, arrow in self._edges]
        edges += [(at, 0, over) for at, over in enumerate(self.objects, 1)]
        found = limit(self.base.category, nodes, edges)
        return Cone(found, found.legs[0])

    @property
    def _domains(self) -> list[Presheaf]:
        return [over.source for over in self.objects]

    @property
    def _edges(self) -> list[tuple[int, int, Map]]:
        return [(a, b, arrow) for (a, b), arrow in zip(self.shape.edges, self.maps, strict=True)]


@dataclass(frozen=True)
class Cocone:
    """A colimit in a slice; `over` is its map to the base."""

    colimit: Colimit
    over: Map

    @property
    def legs(self) -> tuple[Map, ...]:
        """The map from each node."""
        return self.colimit.legs


@dataclass(frozen=True)
class Cone:
    """A limit in a slice; `over` is its map to the base."""

    limit: Limit
    over: Map

    @property
    def legs(self) -> tuple[Map, ...]:
        """The map to each node."""
        return self.limit.legs[1:]


def posetal(base: Presheaf, family: Sequence[Subobject], arrows: Sequence[tuple[int, int]]) -> Diagram:
    """The diagram of subobjects of S with an inclusion for each arrow i → k, which needs P_i ≤ P_k."""
    maps = [_included(family[a], family[b]) for a, b in arrows]
    shape = Presentation(len(family), tuple(arrows))
    return Diagram(shape, base, tuple(sub.inclusion for sub in family), tuple(maps))


def _included(small: Subobject, large: Subobject) -> Map:
    require(small <= large, "an arrow of a posetal diagram is an inclusion")
    rows = []
    for c in small.whole.category.objects:
        index = {x: at for at, x in enumerate(large.at(c))}
        rows.append(tuple(index[x] for x in small.at(c)))
    return Map(small.inclusion.source, large.inclusion.source, tuple(rows))


# --- reflection ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reflected:
    """A diagram of sheaves over a(S), with the reflection of each node."""

    diagram: Diagram
    nodes: tuple[Reflection, ...]


def reflected(reflector: Reflector, diagram: Diagram) -> Reflected:
    """The diagram a ∘ D in the slice over a(S)."""
    require(diagram.base == reflector.base, "the diagram lies over the base of the reflector")
    nodes = tuple(reflector.reflect(over) for over in diagram.objects)
    maps = tuple(
        reflector.carry(nodes[a], nodes[b], arrow)
        for (a, b), arrow in zip(diagram.shape.edges, diagram.maps, strict=True)
    )
    objects = tuple(node.sheaf for node in nodes)
    return Reflected(Diagram(diagram.shape, reflector.completion.presheaf, objects, maps), nodes)


def summary(reflector: Reflector, diagram: Diagram) -> Reflection:
    """Corollary 4.6: the reflection of the colimit in the slice; `.sheaf` is its map to a(S)."""
    return reflector.reflect(diagram.colimit.over)


def meet_summary(reflector: Reflector, diagram: Diagram) -> Reflection:
    """The reflection of the limit in the slice: what extends theorem 4.5 to general arrows."""
    return reflector.reflect(diagram.limit.over)


def colimit_of_sheaves(reflector: Reflector, diagram: Diagram) -> tuple[Map, tuple[Map, ...]]:
    """The colimit in the slice of sheaves: that in the slice over a(S), sheafified; and its legs.

    `diagram` consists of sheaves over a(S).
    """
    found = diagram.colimit
    over_sheaf = Reflector(reflector.topology, diagram.base)
    reflection = over_sheaf.reflect(found.over)
    back = over_sheaf.unit.inverse()
    legs = tuple(reflection.completion.unit.after(leg) for leg in found.legs)
    return back.after(reflection.sheaf), legs


# --- gluing --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GluedDiagram:
    """The diagram on a pushout of index categories, and what was glued."""

    diagram: Diagram
    glued: GluedPresentation
    shared: Diagram
    """The restriction of both to the overlap."""


def glued(first: Diagram, second: Diagram, overlap: Overlap) -> GluedDiagram:
    """D1 ∪_K D2: two diagrams that agree on their overlap, on the pushout of their index categories.

    Raises `AxiomError` if they do not agree there.
    """
    require(first.base == second.base, "both diagrams lie over the same base")
    shape = glue(first.shape, second.shape, overlap)
    for a, b in overlap.nodes:
        require(first.objects[a] == second.objects[b], "the diagrams agree on shared nodes")
    shared = restriction(first, overlap, 0)
    require(shared.maps == restriction(second, overlap, 1).maps, "the diagrams agree on shared edges")
    objects = list(first.objects + second.objects)[: shape.presentation.size]
    for node, over in zip(shape.first + shape.second, first.objects + second.objects, strict=True):
        objects[node] = over
    diagram = Diagram(shape.presentation, first.base, tuple(objects), first.maps + second.maps)
    return GluedDiagram(diagram, shape, shared)


def restriction(diagram: Diagram, overlap: Overlap, side: int) -> Diagram:
    """A diagram (the first, `side` 0, or the second) seen from the overlap, which has no relations."""
    nodes = [pair[side] for pair in overlap.nodes]
    maps = tuple(
        diagram.along(pair[side], nodes[source])
        for (source, _), pair in zip(overlap.edges, overlap.paths, strict=True)
    )
    shape = Presentation(len(nodes), overlap.edges)
    return Diagram(shape, diagram.base, tuple(diagram.objects[node] for node in nodes), maps)


def glued_colimit(first: Diagram, second: Diagram, overlap: Overlap) -> tuple[Colimit, Map]:
    """colim D1 ⨿_(colim K) colim D2, the right side of proposition C.3, and its map to the base."""
    shared = restriction(first, overlap, 0).colimit
    sides = []
    for side, diagram in enumerate((first, second)):
        legs = [diagram.colimit.legs[pair[side]] for pair in overlap.nodes]
        sides.append(shared.colimit.factor(diagram.colimit.over.source, legs))
    found = pushout(sides[0], sides[1])
    over = found.factor(first.base, [first.colimit.over, second.colimit.over, shared.over])
    return found, over
