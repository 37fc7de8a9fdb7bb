"""Lawvere-Tierney topologies j: Ω → Ω, all of them for a small site, and the closure of subobjects.

On a finite category each object c has a least covering sieve, and these are one two-sided ideal I of
arrows with I = I ∘ I (after Kelly and Lawvere): R covers c exactly if it holds the arrows of I into c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from potlang.topos.category import Category
from potlang.topos.errors import require
from potlang.topos.omega import Omega, characteristic, classified, pull_sieve
from potlang.topos.orders import DOWN_SETS, bits, down_sets, interior, mask_of
from potlang.topos.subobject import Subobject, top
from potlang.topos.transformation import Map


class Coverage(Protocol):
    """The covers that sheaves need of a topology: `covers[c]` are those of c, with the least, `least[c]`."""

    @property
    def category(self) -> Category: ...
    @property
    def covers(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def least(self) -> tuple[int, ...]: ...


@dataclass(frozen=True)
class LeastCovers:
    """A topology by its idempotent ideal alone, for contexts of which Ω is too large to be listed."""

    category: Category
    ideal: int

    def __post_init__(self) -> None:
        law = "the arrows are an idempotent two-sided ideal"
        require(is_idempotent_ideal(self.category, self.ideal), law)

    @cached_property
    def least(self) -> tuple[int, ...]:
        """The least covering sieve of each object."""
        return tuple(self.ideal & mask_of(self.category.into[c]) for c in self.category.objects)

    @property
    def covers(self) -> tuple[tuple[int, ...], ...]:
        """The least cover of each object; a sheaf for it is one for all others."""
        return tuple((sieve,) for sieve in self.least)


@dataclass(frozen=True)
class Topology:
    """j: Ω → Ω by its `table`: `table[c][x]` is the image of the sieve x on c.

    Raises `AxiomError` unless j is natural, j(true) = true, j ∘ j = j and j(R ∩ Q) = j(R) ∩ j(Q).
    """

    omega: Omega
    table: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        law = failing_law(self.omega, self.map)
        require(law is None, f"a topology satisfies: {law}")

    @property
    def category(self) -> Category:
        """The contexts."""
        return self.omega.category

    @cached_property
    def map(self) -> Map:
        """j itself."""
        return Map(self.omega.presheaf, self.omega.presheaf, self.table)

    @cached_property
    def covers(self) -> tuple[tuple[int, ...], ...]:
        """The covering sieves of each object: those with j(R) = true."""
        omega = self.omega
        return tuple(
            tuple(
                sieve
                for sieve, value in zip(omega.sieves[c], self.table[c], strict=True)
                if value == omega.true(c)
            )
            for c in omega.category.objects
        )

    @cached_property
    def least(self) -> tuple[int, ...]:
        """The least covering sieve of each object."""
        return tuple(_intersection(row) for row in self.covers)

    @cached_property
    def ideal(self) -> int:
        """All least covering sieves together: the idempotent ideal of the topology."""
        return sum(self.least)

    def closure(self, sub: Subobject) -> Subobject:
        """The subobject that j ∘ χ classifies."""
        return classified(self.omega, self.map.after(characteristic(self.omega, sub)))

    def is_closed(self, sub: Subobject) -> bool:
        """Whether it is its own closure."""
        return self.closure(sub) == sub

    def is_dense(self, sub: Subobject) -> bool:
        """Whether its closure is the whole."""
        return self.closure(sub) == top(sub.whole)

    def is_trivial(self) -> bool:
        """Whether j is the identity."""
        return all(row == tuple(range(len(row))) for row in self.table)

    def is_degenerate(self) -> bool:
        """Whether j is constantly true."""
        return self.ideal == 0


def _intersection(sieves: Sequence[int]) -> int:
    result = sieves[0]
    for sieve in sieves:
        result &= sieve
    return result


def failing_law(omega: Omega, j: Map) -> str | None:
    """The law of Lawvere-Tierney topologies that a map Ω → Ω breaks, or None."""
    require(j.source == omega.presheaf and j.target == omega.presheaf, "j goes from Ω to Ω")
    for c in omega.category.objects:
        sieves, index, row = omega.sieves[c], omega.index[c], j.components[c]
        if row[omega.true(c)] != omega.true(c):
            return "j(true) is true"
        if any(row[y] != y for y in row):
            return "j ∘ j is j"
        for x, left in enumerate(sieves):
            for y in range(x):
                if sieves[row[index[left & sieves[y]]]] != sieves[row[x]] & sieves[row[y]]:
                    return "j(R ∩ Q) is j(R) ∩ j(Q)"
    return None


def from_ideal(omega: Omega, ideal: int) -> Topology:
    """The topology whose covering sieves of c are those that hold the arrows of the ideal into c."""
    category = omega.category
    least = LeastCovers(category, ideal).least
    rows = []
    for c in category.objects:
        images = [
            mask_of(
                [
                    f
                    for f in category.into[c]
                    if not least[category.source[f]] & ~pull_sieve(category, sieve, f)
                ]
            )
            for sieve in omega.sieves[c]
        ]
        rows.append(tuple(omega.index[c][image] for image in images))
    return Topology(omega, tuple(rows))


def from_objects(omega: Omega, objects: Sequence[int]) -> Topology:
    """The topology whose sheaves are determined by their values at some objects.

    Its ideal consists of the arrows that factor through one of the objects.
    """
    below = _ideals_below(omega.category)
    ideal = 0
    for c in objects:
        ideal |= below[omega.category.identities[c]]
    return from_ideal(omega, ideal)


def from_covers(omega: Omega, covers: Sequence[Sequence[int]]) -> Topology:
    """The least topology for which each sieve of `covers[c]` covers c."""
    for c, sieves in enumerate(covers):
        for sieve in sieves:
            require(sieve in omega.index[c], f"each cover of {c} is a sieve on {c}")
    return from_ideal(omega, least_covers(omega.category, covers).ideal)


def least_covers(category: Category, covers: Sequence[Sequence[int]]) -> LeastCovers:
    """The same topology, without Ω. That each of `covers[c]` is a sieve on c is the caller's word."""
    inside = (1 << len(category.source)) - 1
    for c, sieves in enumerate(covers):
        for sieve in sieves:
            inside &= ~(mask_of(category.into[c]) & ~sieve)
    ideal = interior(_ideals_below(category), inside)
    while (smaller := _square(category, ideal)) != ideal:
        ideal = smaller
    return LeastCovers(category, ideal)


def topologies(omega: Omega, limit: int = DOWN_SETS) -> list[Topology]:
    """All topologies, by their idempotent ideals: the degenerate one first, the trivial one last."""
    category = omega.category
    ideals = down_sets(_ideals_below(category), limit)
    return [from_ideal(omega, ideal) for ideal in ideals if _square(category, ideal) == ideal]


def trivial(omega: Omega) -> Topology:
    """j = 1: only maximal sieves cover."""
    return Topology(omega, tuple(tuple(range(len(row))) for row in omega.sieves))


def degenerate(omega: Omega) -> Topology:
    """j = true: all sieves cover."""
    return Topology(omega, tuple((omega.true(c),) * len(row) for c, row in enumerate(omega.sieves)))


def double_negation(omega: Omega) -> Topology:
    """¬¬, the largest topology for which 0 is a sheaf."""
    rows = []
    for c in omega.category.objects:
        stable = [_negated(omega, c, _negated(omega, c, sieve)) for sieve in omega.sieves[c]]
        rows.append(tuple(omega.index[c][sieve] for sieve in stable))
    return Topology(omega, tuple(rows))


def _negated(omega: Omega, c: int, sieve: int) -> int:
    category = omega.category
    return mask_of([f for f in category.into[c] if not pull_sieve(category, sieve, f)])


def is_idempotent_ideal(category: Category, ideal: int) -> bool:
    """Whether a set of arrows holds g ∘ f ∘ h with each f, and each f in it is a composite of two in it."""
    below = _ideals_below(category)
    return all(not below[f] & ~ideal for f in bits(ideal)) and _square(category, ideal) == ideal


def _square(category: Category, ideal: int) -> int:
    """The composites of two arrows of an ideal."""
    composites = (category.composites[g][f] for g in bits(ideal) for f in bits(ideal))
    result = 0
    for composite in composites:
        if composite >= 0:
            result |= 1 << composite
    return result


def _ideals_below(category: Category) -> list[int]:
    """For each arrow f the two-sided ideal {g ∘ f ∘ h}."""
    result = []
    for f in category.arrows:
        outer = [
            category.composites[g][f] for g in category.arrows if category.source[g] == category.target[f]
        ]
        result.append(
            mask_of([category.compose(gf, h) for gf in outer for h in category.into[category.source[f]]])
        )
    return result
