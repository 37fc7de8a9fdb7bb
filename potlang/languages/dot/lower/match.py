"""Isomorphisms of labelled graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from potlang.languages.dot.lower.canon import canonical_order, is_isomorphism, smallest_cell
from potlang.languages.dot.lower.labelled import Colouring, LabelledGraph

_STEPS = 20_000_000


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
