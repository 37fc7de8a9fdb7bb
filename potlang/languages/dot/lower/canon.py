"""A canonical order of the vertices of a labelled graph.

Where refinement leaves several vertices of one colour, these fall into parts that can be ordered
independently: outside of a part, two cells are joined completely or not at all. A part is ordered by
individualising, of each orbit in its smallest cell, one vertex, and refining again; parts of one form are
interchangeable. The search prunes by automorphisms as McKay's algorithm does ([DOT-CANON-4]).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from potlang.ir.graphs import UnionFind
from potlang.languages.dot.lower.labelled import Colouring, LabelledGraph

TRIES = 256
MOST_STEPS = 1_000_000
"""How often the edges of a part may be gone through, and how many steps that may be in all.

A part that needs more is left unordered. Steps are counted once for each orbit, so that their number
depends on the form of the part alone.
"""
_DEEPEST = 50

Edges = dict[int, list[int]]


class _Exceeded(Exception):
    """A part takes too long to order."""


class Order(NamedTuple):
    """All vertices in canonical order; the places of the `unordered` among their colour are arbitrary."""

    vertices: list[int]
    unordered: frozenset[int]


class _CanonicalPart(NamedTuple):
    form: bytes
    vertices: list[int]
    steps: int = 0
    is_ordered: bool = True


class _Limit(NamedTuple):
    """The steps that the search in a part may take, and its depth."""

    steps: int
    depth: int = 0

    def check(self, steps: int) -> None:
        """Raises `_Exceeded` beyond the limit."""
        if steps > self.steps or self.depth > _DEEPEST:
            raise _Exceeded


def canonical_order(colouring: Colouring) -> Order:
    """The canonical order of a graph's vertices under a stable colouring.

    In their orders, isomorphic graphs with the same labels are one graph, as far as no vertices are
    `unordered`. Which are does not depend on how the graph is given.
    """
    parts = _parts(colouring, None)
    unordered = [vertex for part in parts if not part.is_ordered for vertex in part.vertices]
    return Order(_joined(colouring, parts), frozenset(unordered))


def mapping_between(a: Colouring, b: Colouring) -> list[int] | None:
    """The image of each vertex under an isomorphism that keeps colours, if singling out finds one at once.

    Both colourings become discrete; where None is returned there may be an isomorphism all the same.
    """
    while a.size == b.size:
        if a.is_discrete:
            images = dict(zip(b.colour, range(len(b.colour)), strict=True))
            mapping = [images[colour] for colour in a.colour]
            return mapping if is_isomorphism(a.graph, b.graph, mapping) else None
        # Any vertex of the cell may be taken on both sides: if one choice fails, an isomorphism may still
        # exist, and the caller only uses a result to skip work.
        cell = smallest_cell(a)
        a.single_out(a.members(cell)[0])
        b.single_out(b.members(cell)[0])
    return None


def is_isomorphism(a: LabelledGraph, b: LabelledGraph, mapping: Sequence[int]) -> bool:
    """Whether a bijection of the vertices keeps the edges."""
    width = a.width
    return all(
        sorted(mapping[edge // width] * width + edge % width for edge in edges) == sorted(b.incident[image])
        for edges, image in zip(a.incident, mapping, strict=True)
    )


def smallest_cell(colouring: Colouring) -> int:
    """The colour that the fewest vertices share, but more than one."""
    return min((size, colour) for colour, size in colouring.size.items() if size > 1)[1]


def _parts(colouring: Colouring, limit: _Limit | None) -> list[_CanonicalPart]:
    """The parts of the vertices that share their colours, in the order of their forms."""
    edges = _dependent_edges(colouring)
    width = colouring.graph.width
    classes = UnionFind(edges)
    for vertex, some in edges.items():
        for edge in some:
            classes.join(vertex, edge // width)
    found = [_part(colouring, vertices, edges, limit) for vertices in classes.classes()]
    return sorted(found, key=lambda part: part.form)


def _joined(colouring: Colouring, parts: Iterable[_CanonicalPart]) -> list[int]:
    """All vertices by colour, and those of one colour in the order of the parts and in them."""
    colour = colouring.colour
    shared = [vertex for part in parts for vertex in part.vertices]
    rank = dict(zip(shared, range(len(shared)), strict=True))
    return sorted(range(len(colour)), key=lambda vertex: (colour[vertex], rank.get(vertex, 0)))


def _dependent_edges(colouring: Colouring) -> Edges:
    """For each vertex that shares its colour, its edges into cells of which it does not reach everything."""
    colour, size, width = colouring.colour, colouring.size, colouring.graph.width
    found: Edges = {}
    for vertex, edges in enumerate(colouring.graph.incident):
        if size[colour[vertex]] == 1:
            continue
        to_cells: dict[tuple[int, int], list[int]] = {}
        for edge in edges:
            other, kind = divmod(edge, width)
            # A vertex alone in its cell is fixed by its colour: its edges say nothing of the others' order.
            if size[colour[other]] > 1:
                to_cells.setdefault((kind, colour[other]), []).append(edge)
        # A cell that is reached completely imposes no order either; the same holds seen from the other side,
        # because the colouring is stable.
        found[vertex] = [
            edge for (_, cell), some in to_cells.items() if len(some) < size[cell] for edge in some
        ]
    return found


def _part(colouring: Colouring, vertices: list[int], edges: Edges, limit: _Limit | None) -> _CanonicalPart:
    """One part, ordered if the limit allows; what exceeds the limit inside a part exceeds that part's."""
    colour, width = colouring.colour, colouring.graph.width
    vertices = sorted(vertices, key=lambda vertex: colour[vertex])
    colours = [colour[vertex] for vertex in vertices]
    place = dict(zip(vertices, range(len(vertices)), strict=True))
    local = LabelledGraph(
        [[place[e // width] * width + e % width for e in edges[v]] for v in vertices], width
    )
    # Every vertex of the part has a colour of its own within the part: there is nothing to try.
    if len(set(colours)) == len(colours):
        return _CanonicalPart(_form(local, colours, range(len(vertices))), vertices)
    own = limit or _Limit(min(MOST_STEPS, TRIES * sum(len(edges[vertex]) + 1 for vertex in vertices)))
    try:
        form, order, steps = _search(local, colours, own)
    except _Exceeded:
        # Inside a search the steps are the outer part's: it is given up as a whole, so that whether a part is
        # ordered does not depend on which of its vertices was tried first.
        if limit is not None:
            raise
        return _CanonicalPart(_unordered_form(local, colours), vertices, is_ordered=False)
    return _CanonicalPart(form, [vertices[i] for i in order], steps)


def _search(graph: LabelledGraph, colours: list[int], limit: _Limit) -> tuple[bytes, Sequence[int], int]:
    """The smallest form of a part, an order that has it, and the steps that counted."""
    whole = Colouring(graph, colours)
    members = whole.members(smallest_cell(whole))
    orbits = UnionFind(members)
    forms: dict[bytes, Sequence[int]] = {}
    tried: dict[int, dict[int, int]] = {}
    steps = 0
    for vertex in members:
        # An automorphism takes a vertex that was tried to this one: the forms below are the same.
        if any(orbits.find(other) == orbits.find(vertex) for other in tried):
            continue
        refined = _singled_out(graph, colours, vertex)
        sizes = dict(refined.size)
        # Cells of other sizes rule an automorphism out at once. If the colouring is discrete, computing the
        # form is as cheap as looking for one.
        alike = [] if refined.is_discrete else [other for other, known in tried.items() if known == sizes]
        if any(_exchanged(graph, colours, other, vertex, orbits) for other in alike):
            continue
        form, order, taken = _ordered(graph, colours, refined, limit._replace(depth=limit.depth + 1))
        # The same form in two orders is an automorphism: their orbits join, and this vertex adds no steps,
        # so that the count does not depend on how many of an orbit were tried.
        if form in forms:
            _join_orbits(orbits, dict(zip(forms[form], order, strict=True)))
            continue
        forms[form] = order
        tried[vertex] = sizes
        steps += taken
        limit.check(steps)
    # Any total order on forms will do, as long as it does not depend on the order of the vertices.
    best = min(forms)
    return best, forms[best], steps


def _singled_out(graph: LabelledGraph, colours: list[int], vertex: int) -> Colouring:
    refined = Colouring(graph, colours)
    refined.single_out(vertex)
    return refined


def _ordered(
    graph: LabelledGraph, colours: list[int], refined: Colouring, limit: _Limit
) -> tuple[bytes, Sequence[int], int]:
    """The form, the order and the steps of a part, one vertex of which is singled out."""
    limit.check(0)
    parts = _parts(refined, limit)
    order = _joined(refined, parts)
    return _form(graph, colours, order), order, len(graph) + refined.steps + sum(each.steps for each in parts)


def _exchanged(graph: LabelledGraph, colours: list[int], a: int, b: int, orbits: UnionFind[int]) -> bool:
    """Whether an automorphism that takes `a` to `b` is easily found; if so, the orbits know it."""
    found = mapping_between(_singled_out(graph, colours, a), _singled_out(graph, colours, b))
    if found is None:
        return False
    _join_orbits(orbits, dict(enumerate(found)))
    return True


def _join_orbits(orbits: UnionFind[int], image: dict[int, int]) -> None:
    for vertex in orbits.items():
        orbits.join(vertex, image[vertex])


def _form(graph: LabelledGraph, colours: Sequence[int], order: Sequence[int]) -> bytes:
    """The hash of a part in an order: parts of equal forms are, but for collisions, isomorphic."""
    width = graph.width
    place = dict(zip(order, range(len(order)), strict=True))
    rows = [
        (colours[v], sorted((edge % width, place[edge // width]) for edge in graph.incident[v]))
        for v in order
    ]
    return hashlib.sha256(repr(rows).encode()).digest()


def _unordered_form(graph: LabelledGraph, colours: Sequence[int]) -> bytes:
    """The hash of the colours of a part that is left unordered."""
    width = graph.width
    rows = sorted(
        (colour, sorted((edge % width, colours[edge // width]) for edge in graph.incident[v]))
        for v, colour in enumerate(colours)
    )
    return hashlib.sha256(b"unordered" + repr(rows).encode()).digest()
