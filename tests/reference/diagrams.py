"""Isomorphisms of the validated diagrams of two traces ([DOT-CANON-6]), by the canonical order of vertices.

Nothing of the package asks for one: it is what proposition 4.12 is tested with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from potlang.languages.dot.lower.canon import canonical_order, is_isomorphism, smallest_cell
from potlang.languages.dot.lower.extract import Extraction
from potlang.languages.dot.lower.labelled import Colouring, LabelledGraph

_STEPS = 20_000_000


class DiagramIsomorphism(NamedTuple):
    """An isomorphism of two diagrams: images of objects, and of classes of generating arrows."""

    objects: dict[int, int]
    arrows: dict[int, int]


def isomorphism(a: Extraction, b: Extraction) -> DiagramIsomorphism | None:
    """An isomorphism of the validated diagrams of two traces, if there is one (proposition 4.12).

    It takes objects to objects that say the same, generating arrows to generating arrows, relations to
    relations. Raises `UndecidedError`.
    """
    (first, first_names), (second, second_names) = _presentation(a), _presentation(b)
    mapping = find_isomorphism(first, _labels(a, first_names), second, _labels(b, second_names))
    if mapping is None:
        return None
    images = [(kind, id_, second_names[mapping[i]][1]) for i, (kind, id_) in enumerate(first_names)]
    return DiagramIsomorphism(
        {here: there for kind, here, there in images if kind == "object"},
        {here: there for kind, here, there in images if kind == "arrow"},
    )


def isomorphic(a: Extraction, b: Extraction) -> bool:
    """Whether the validated diagrams of two traces are isomorphic."""
    return isomorphism(a, b) is not None


def _presentation(extraction: Extraction) -> tuple[LabelledGraph, list[tuple[str, int]]]:
    """The diagram as a graph: a vertex for each object, class of generating arrows, and relation."""
    index = extraction.index.validated()
    related = dict.fromkeys((each.source, each.target) for each in index.relations)
    names = [("object", id_) for id_ in index.objects]
    place = {id_: i for i, id_ in enumerate(index.objects)}
    edges: list[tuple[int, int, int]] = []
    joins = [("arrow", name, ends) for name, ends in index.generators().items()]
    for kind, name, (source, target) in [*joins, *(("relation", 0, ends) for ends in related)]:
        edges += [(len(names), place[source], 0), (len(names), place[target], 1)]
        names.append((kind, name))
    return LabelledGraph.of_edges(len(names), edges, 2), names


def _labels(extraction: Extraction, names: list[tuple[str, int]]) -> list[tuple[str, tuple[str, ...]]]:
    says = extraction.diagram()
    return [(kind, says[id_] if kind == "object" else ()) for kind, id_ in names]


# --- labelled graphs -----------------------------------------------------------------------------


class UndecidedError(RuntimeError):
    """Two graphs are so regular that the search for an isomorphism was given up."""


def find_isomorphism(
    a: LabelledGraph, labels_a: Sequence[Any], b: LabelledGraph, labels_b: Sequence[Any]
) -> list[int] | None:
    """For each vertex of `a` its image in `b`; None if they are not isomorphic.

    Raises `UndecidedError`, which needs graphs that refinement leaves nearly alone, made for the
    purpose.
    """
    if a.width != b.width or sorted(labels_a) != sorted(labels_b):
        return None
    first, second = _refined(a, labels_a), _refined(b, labels_b)
    if first.size != second.size:
        return None
    orders = canonical_order(first), canonical_order(second)
    if len(orders[0].unordered) != len(orders[1].unordered):
        return None
    if orders[0].unordered:
        return _search(a, labels_a, b, labels_b)
    images = dict(zip(orders[0].vertices, orders[1].vertices, strict=True))
    mapping = [images[vertex] for vertex in range(len(a))]
    return mapping if is_isomorphism(a, b, mapping) else None


def _search(
    a: LabelledGraph, labels_a: Sequence[Any], b: LabelledGraph, labels_b: Sequence[Any]
) -> list[int] | None:
    """Pairs of vertices are singled out in both graphs until all are, going back where colours differ."""
    stack: list[tuple[list[int], list[int]]] = [([], [])]
    steps = 0
    while stack:
        chosen_a, chosen_b = stack.pop()
        first, second = _refined(a, labels_a, chosen_a), _refined(b, labels_b, chosen_b)
        steps += first.steps + second.steps + 1
        if steps > _STEPS:
            raise UndecidedError("the graphs are too regular")
        if first.size != second.size:
            continue
        if first.is_discrete:
            images = dict(zip(second.colour, range(len(b)), strict=True))
            mapping = [images[colour] for colour in first.colour]
            if is_isomorphism(a, b, mapping):
                return mapping
            continue
        cell = smallest_cell(first)
        vertex = first.members(cell)[0]
        stack.extend(([*chosen_a, vertex], [*chosen_b, image]) for image in reversed(second.members(cell)))
    return None


def _refined(graph: LabelledGraph, labels: Sequence[Any], chosen: Sequence[int] = ()) -> Colouring:
    """The stable colouring once some vertices are singled out."""
    colouring = Colouring(graph, labels)
    colouring.refine()
    for vertex in chosen:
        colouring.single_out(vertex)
    return colouring
