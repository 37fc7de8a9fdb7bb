"""Colimits of finite diagrams of presheaves, computed object by object, with their universal property."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from potlang.topos.category import Category
from potlang.topos.errors import require
from potlang.topos.limit import Edge, check_diagram
from potlang.topos.presheaf import Presheaf
from potlang.topos.transformation import Map
from potlang.topos.unions import Unions


@dataclass(frozen=True)
class Colimit:
    """A colimit: the `vertex`, and a map from each node that commutes with the edges."""

    vertex: Presheaf
    legs: tuple[Map, ...]

    def factor(self, target: Presheaf, cocone: Sequence[Map]) -> Map:
        """The only map from the vertex to `target` that the legs turn into the `cocone`.

        Raises `AxiomError` if the maps are no cocone.
        """
        rows = [[-1] * size for size in self.vertex.sizes]
        for leg, arrow in zip(self.legs, cocone, strict=True):
            require(arrow.source == leg.source and arrow.target == target, "a cocone goes from the nodes")
            for c, row in enumerate(rows):
                for x, y in zip(leg.components[c], arrow.components[c], strict=True):
                    require(row[x] in (-1, y), "a cocone commutes with the edges")
                    row[x] = y
        return Map(self.vertex, target, tuple(map(tuple, rows)))


def colimit(category: Category, objects: Sequence[Presheaf], edges: Sequence[Edge]) -> Colimit:
    """The colimit: the disjoint union of the nodes, with x and the image of x identified for each edge."""
    check_diagram(category, objects, edges)
    union = coproduct(category, objects)
    pairs = [
        (p, q)
        for a, b, arrow in edges
        for p, q in zip(union.legs[a].images, union.legs[b].after(arrow).images, strict=True)
    ]
    projection = quotient(union.vertex, pairs)
    return Colimit(projection.target, tuple(projection.after(leg) for leg in union.legs))


def coproduct(category: Category, parts: Sequence[Presheaf]) -> Colimit:
    """The disjoint union, with its inclusions."""
    require(all(part.category == category for part in parts), "all parts have the same contexts")
    starts = [[0] * category.size]
    for part in parts:
        starts.append([start + size for start, size in zip(starts[-1], part.sizes, strict=True)])
    actions = tuple(
        tuple(
            start[category.source[f]] + y
            for part, start in zip(parts, starts, strict=False)
            for y in part.actions[f]
        )
        for f in category.arrows
    )
    vertex = Presheaf(category, tuple(starts[-1]), actions)
    legs = tuple(
        Map(part, vertex, tuple(tuple(range(a, a + size)) for a, size in zip(start, part.sizes, strict=True)))
        for part, start in zip(parts, starts, strict=False)
    )
    return Colimit(vertex, legs)


def coequalizer(left: Map, right: Map) -> Map:
    """The coequalizer of two parallel maps, as an epi from their target."""
    require(left.source == right.source and left.target == right.target, "the maps are parallel")
    nodes = [left.source, left.target]
    return colimit(left.source.category, nodes, [(0, 1, left), (0, 1, right)]).legs[1]


def pushout(left: Map, right: Map) -> Colimit:
    """The pushout of two maps with one source; the legs come from their targets and from the source."""
    nodes = [left.target, right.target, left.source]
    return colimit(left.source.category, nodes, [(2, 0, left), (2, 1, right)])


def quotient(presheaf: Presheaf, pairs: Sequence[tuple[int, int]]) -> Map:
    """The quotient by the least congruence that identifies each pair of points, as an epi."""
    category = presheaf.category
    unions = Unions(len(presheaf.points))
    for p, q in pairs:
        c = presheaf.points[p][0]
        require(presheaf.points[q][0] == c, "points that are identified lie over the same object")
        for f in category.into[c]:
            unions.join(presheaf.restrict_point(p, f), presheaf.restrict_point(q, f))
    rows: list[list[int]] = []
    for size, offset in zip(presheaf.sizes, presheaf.offsets, strict=True):
        index: dict[int, int] = {}
        rows.append([index.setdefault(unions.find(offset + x), len(index)) for x in range(size)])
    sizes = tuple(max(row, default=-1) + 1 for row in rows)
    tables = [[0] * sizes[category.target[f]] for f in category.arrows]
    for f, table in enumerate(tables):
        for x, y in enumerate(presheaf.actions[f]):
            table[rows[category.target[f]][x]] = rows[category.source[f]][y]
    target = Presheaf(category, sizes, tuple(map(tuple, tables)))
    return Map(presheaf, target, tuple(map(tuple, rows)))
