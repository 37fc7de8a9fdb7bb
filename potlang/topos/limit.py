"""Limits of finite diagrams of presheaves, computed object by object, with their universal property."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.category import Category
from potlang.topos.errors import bounded, require
from potlang.topos.presheaf import POINTS, Presheaf
from potlang.topos.transformation import Map, identity

Edge = tuple[int, int, Map]
"""An edge of a diagram: source node, target node, and the map."""


@dataclass(frozen=True)
class Limit:
    """A limit: the `vertex`, and a map to each node that commutes with the edges."""

    vertex: Presheaf
    legs: tuple[Map, ...]

    @cached_property
    def _index(self) -> list[dict[tuple[int, ...], int]]:
        return [
            {tuple(leg.components[c][x] for leg in self.legs): x for x in range(size)}
            for c, size in enumerate(self.vertex.sizes)
        ]

    def factor(self, source: Presheaf, cone: Sequence[Map]) -> Map:
        """The only map from `source` to the vertex that the legs turn into the `cone`.

        Raises `AxiomError` if the maps are no cone.
        """
        fits = [arrow.target == leg.target for arrow, leg in zip(cone, self.legs, strict=True)]
        require(all(fits), "the maps of a cone go to the nodes")
        require(all(arrow.source == source for arrow in cone), "the maps of a cone start at its vertex")
        rows = []
        for c, size in enumerate(source.sizes):
            values = [tuple(arrow.components[c][x] for arrow in cone) for x in range(size)]
            require(all(value in self._index[c] for value in values), "a cone commutes with the edges")
            rows.append(tuple(self._index[c][value] for value in values))
        return Map(source, self.vertex, tuple(rows))


def limit(category: Category, objects: Sequence[Presheaf], edges: Sequence[Edge]) -> Limit:
    """The limit: families of elements, one for each node, that the maps of the edges turn into each other."""
    check_diagram(category, objects, edges)
    rows = [_families(objects, edges, c) for c in category.objects]
    index = [{family: x for x, family in enumerate(row)} for row in rows]
    actions = tuple(
        tuple(
            index[category.source[f]][
                tuple(node.restrict(x, f) for node, x in zip(objects, family, strict=True))
            ]
            for family in rows[category.target[f]]
        )
        for f in category.arrows
    )
    vertex = Presheaf(category, tuple(map(len, rows)), actions)
    legs = tuple(
        Map(vertex, node, tuple(tuple(family[at] for family in row) for row in rows))
        for at, node in enumerate(objects)
    )
    return Limit(vertex, legs)


def _families(objects: Sequence[Presheaf], edges: Sequence[Edge], c: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for node, presheaf in enumerate(objects):
        ready = [edge for edge in edges if max(edge[0], edge[1]) == node]
        grown = ((*family, x) for family in found for x in range(presheaf.sizes[c]))
        kept = []
        for family in grown:
            if all(arrow.components[c][family[a]] == family[b] for a, b, arrow in ready):
                kept.append(family)
                bounded(len(kept), POINTS, "families of a limit")
        found = kept
    return found


def check_diagram(category: Category, objects: Sequence[Presheaf], edges: Sequence[Edge]) -> None:
    """Raise `AxiomError` unless the maps join the presheaves that the edges say."""
    require(all(node.category == category for node in objects), "all nodes have the same contexts")
    for a, b, arrow in edges:
        require(
            arrow.source == objects[a] and arrow.target == objects[b], f"a map joins the nodes {a} and {b}"
        )


def product(left: Presheaf, right: Presheaf) -> Limit:
    """The product, with its two projections."""
    return limit(left.category, [left, right], [])


def equalizer(left: Map, right: Map) -> Map:
    """The equalizer of two parallel maps, as a mono into their source."""
    require(left.source == right.source and left.target == right.target, "the maps are parallel")
    found = limit(left.source.category, [left.source, left.target], [(0, 1, left), (0, 1, right)])
    return found.legs[0]


def pullback(left: Map, right: Map) -> Limit:
    """The pullback of two maps with one target; the legs go to their sources and to the target."""
    nodes = [left.source, right.source, left.target]
    return limit(left.target.category, nodes, [(0, 2, left), (1, 2, right)])


def kernel_pair(arrow: Map) -> Limit:
    """The pullback of a map with itself."""
    return pullback(arrow, arrow)


def diagonal(presheaf: Presheaf) -> Map:
    """The diagonal map into the product with itself."""
    same = identity(presheaf)
    return product(presheaf, presheaf).factor(presheaf, [same, same])
