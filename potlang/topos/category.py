"""Finite categories as tables, with their laws checked: posets, monoids, products, slices, opposites."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from potlang.topos.errors import AxiomError, bounded, require

ARROWS = 1_024
"""The largest number of arrows of a category."""

TRIPLES = 4_000_000
"""The largest number of composable triples for which associativity is checked."""

NOT_COMPOSABLE = -1

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Category:
    """A finite category: objects are `0 .. size-1`, arrows are the indices of `source` and `target`.

    `identities[c]` is the identity arrow of the object `c`. `composites[g][f]` is g ∘ f (first f, then
    g), or -1 where the target of f is not the source of g. Raises `AxiomError` if a law fails.
    """

    size: int
    source: tuple[int, ...]
    target: tuple[int, ...]
    identities: tuple[int, ...]
    composites: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        _check_shape(self)
        _check_units(self)
        _check_associativity(self)

    @property
    def objects(self) -> range:
        """The objects."""
        return range(self.size)

    @property
    def arrows(self) -> range:
        """The arrows, identities included."""
        return range(len(self.source))

    @cached_property
    def into(self) -> tuple[tuple[int, ...], ...]:
        """The arrows with a given target."""
        return tuple(tuple(f for f in self.arrows if self.target[f] == c) for c in self.objects)

    @cached_property
    def proper_arrows(self) -> tuple[int, ...]:
        """The arrows that are not identities."""
        return tuple(f for f in self.arrows if f not in self.identities)

    def hom(self, a: int, b: int) -> tuple[int, ...]:
        """The arrows from `a` to `b`."""
        return tuple(f for f in self.into[b] if self.source[f] == a)

    def compose(self, g: int, f: int) -> int:
        """g ∘ f: first f, then g."""
        composite = self.composites[g][f]
        require(composite != NOT_COMPOSABLE, f"the arrows {f} and {g} do not compose")
        return composite

    def is_thin(self) -> bool:
        """Whether there is at most one arrow from an object to another: whether this is a preorder."""
        return len(set(zip(self.source, self.target, strict=True))) == len(self.source)


def _check_shape(category: Category) -> None:
    count = len(category.source)
    bounded(count, ARROWS, "arrows of a category")
    require(len(category.target) == count, "each arrow has a source and a target")
    ends = {*category.source, *category.target}
    require(all(0 <= c < category.size for c in ends), "sources and targets are objects")
    require(len(category.identities) == category.size, "each object has an identity")
    rows = category.composites
    require(
        len(rows) == count and all(len(row) == count for row in rows), "the table of composites is square"
    )
    for g, f in itertools.product(range(count), repeat=2):
        composite = rows[g][f]
        if category.target[f] != category.source[g]:
            require(
                composite == NOT_COMPOSABLE, f"the arrows {f} and {g} do not compose, yet have a composite"
            )
            continue
        require(0 <= composite < count, f"the arrows {f} and {g} have a composite")
        ends_fit = category.source[composite] == category.source[f]
        ends_fit = ends_fit and category.target[composite] == category.target[g]
        require(ends_fit, f"the composite of {f} and {g} has the wrong ends")


def _check_units(category: Category) -> None:
    for c, unit in enumerate(category.identities):
        ends = 0 <= unit < len(category.source) and category.source[unit] == category.target[unit] == c
        require(ends, f"the identity of {c} goes from {c} to {c}")
    for f in category.arrows:
        left = category.composites[category.identities[category.target[f]]][f]
        right = category.composites[f][category.identities[category.source[f]]]
        require(left == right == f, f"identities do not change the arrow {f}")


def _check_associativity(category: Category) -> None:
    table = category.composites
    leaving: list[list[int]] = [[] for _ in category.objects]
    for f in category.proper_arrows:
        leaving[category.source[f]].append(f)
    seen = 0
    for f in category.proper_arrows:
        for g in leaving[category.target[f]]:
            seen += len(leaving[category.target[g]])
            bounded(seen, TRIPLES, "composable triples of a category")
            for h in leaving[category.target[g]]:
                if table[h][table[g][f]] != table[table[h][g]][f]:
                    raise AxiomError(f"composition is not associative at the arrows {f}, {g}, {h}")


def tabulate(
    size: int,
    arrows: Sequence[tuple[Key, int, int]],
    units: Sequence[Key],
    compose: Callable[[Key, Key], Key],
) -> Category:
    """The category whose arrows are `(key, source, target)`, in this order; `compose(g, f)` gives keys."""
    bounded(len(arrows), ARROWS, "arrows of a category")
    index = {key: at for at, (key, _, _) in enumerate(arrows)}
    require(len(index) == len(arrows), "arrows are distinct")
    rows = [
        tuple(
            index[compose(outer, inner)] if middle == start else NOT_COMPOSABLE for inner, _, middle in arrows
        )
        for outer, start, _ in arrows
    ]
    return Category(
        size,
        tuple(source for _, source, _ in arrows),
        tuple(target for _, _, target in arrows),
        tuple(index[unit] for unit in units),
        tuple(rows),
    )


def discrete(size: int) -> Category:
    """`size` objects, and no arrows but identities."""
    return preorder(size, ())


def chain(size: int) -> Category:
    """The linear order 0 < 1 < … as a category."""
    return preorder(size, tuple(zip(range(size), range(1, size), strict=False)))


def preorder(size: int, pairs: Sequence[tuple[int, int]]) -> Category:
    """The reflexive and transitive closure of `pairs`: an arrow a → b where a ≤ b.

    Arrows are numbered in the order of their pairs (a, b).
    """
    reach = [1 << a for a in range(size)]
    for a, b in pairs:
        require(0 <= a < size and 0 <= b < size, f"the pair {a} ≤ {b} joins objects")
        reach[a] |= 1 << b
    for middle, a in itertools.product(range(size), repeat=2):
        if reach[a] >> middle & 1:
            reach[a] |= reach[middle]
    arrows = [((a, b), a, b) for a in range(size) for b in range(size) if reach[a] >> b & 1]
    return tabulate(size, arrows, [(a, a) for a in range(size)], lambda g, f: (f[0], g[1]))


def monoid(table: Sequence[Sequence[int]]) -> Category:
    """The monoid with multiplication `table[g][f]` = g·f and unit 0, as a category with one object.

    A presheaf on it is a set with an action from the right.
    """
    elements = range(len(table))
    fits = all(len(row) == len(table) and all(value in elements for value in row) for row in table)
    require(bool(table) and fits, "a multiplication table is square and closed")
    return tabulate(1, [(a, 0, 0) for a in elements], [0], lambda g, f: table[g][f])


def opposite(category: Category) -> Category:
    """The same arrows, turned around."""
    rows = category.composites
    turned = tuple(tuple(rows[f][g] for f in category.arrows) for g in category.arrows)
    return Category(category.size, category.target, category.source, category.identities, turned)


def product(left: Category, right: Category) -> Category:
    """The product: the object (a, b) has the index `a * right.size + b`, arrows likewise."""
    arrows = [
        ((f, g), left.source[f] * right.size + right.source[g], left.target[f] * right.size + right.target[g])
        for f in left.arrows
        for g in right.arrows
    ]
    units = [(f, g) for f in left.identities for g in right.identities]
    return tabulate(
        left.size * right.size,
        arrows,
        units,
        lambda g, f: (left.compose(g[0], f[0]), right.compose(g[1], f[1])),
    )


def over_object(category: Category, c: int) -> Category:
    """The slice over `c`: its objects are the arrows into `c`, in the order of `into[c]`.

    An arrow from f to g is an h with g ∘ h = f.
    """
    objects = category.into[c]
    index = {f: at for at, f in enumerate(objects)}
    arrows = [
        ((at, h), index[category.compose(g, h)], at)
        for at, g in enumerate(objects)
        for h in category.into[category.source[g]]
    ]
    units = [(at, category.identities[category.source[g]]) for at, g in enumerate(objects)]
    return tabulate(len(objects), arrows, units, lambda g, f: (g[0], category.compose(g[1], f[1])))
