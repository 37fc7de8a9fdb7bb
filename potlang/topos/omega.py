"""Sieves, the subobject classifier Ω, and characteristic maps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from potlang.topos.category import Category
from potlang.topos.errors import require
from potlang.topos.orders import DOWN_SETS, down_sets, mask_of
from potlang.topos.presheaf import Presheaf, terminal
from potlang.topos.subobject import Subobject
from potlang.topos.transformation import Map


@dataclass(frozen=True)
class Omega:
    """Ω of the presheaves on a category. `sieves[c]` are the sieves on c, bit masks of arrows, ascending.

    A sieve on c is a set of arrows into c that holds f ∘ h with each f; the largest one is `true`.
    """

    category: Category
    sieves: tuple[tuple[int, ...], ...]

    @cached_property
    def index(self) -> tuple[dict[int, int], ...]:
        """The element of Ω at c that each sieve is."""
        return tuple({sieve: x for x, sieve in enumerate(row)} for row in self.sieves)

    @cached_property
    def presheaf(self) -> Presheaf:
        """Ω itself: the restriction of a sieve R along f is {h | f ∘ h ∈ R}."""
        category = self.category
        actions = tuple(
            tuple(
                self.index[category.source[f]][pull_sieve(category, sieve, f)]
                for sieve in self.sieves[category.target[f]]
            )
            for f in category.arrows
        )
        return Presheaf(category, tuple(map(len, self.sieves)), actions)

    def true(self, c: int) -> int:
        """The maximal sieve on c, as an element."""
        return len(self.sieves[c]) - 1

    @cached_property
    def truth(self) -> Map:
        """true: 1 → Ω."""
        rows = tuple((self.true(c),) for c in self.category.objects)
        return Map(terminal(self.category), self.presheaf, rows)


def classifier(category: Category, limit: int = DOWN_SETS) -> Omega:
    """Ω of the presheaves on a category."""
    principal = principal_sieves(category)
    rows = []
    for c in category.objects:
        arrows = category.into[c]
        local = {f: at for at, f in enumerate(arrows)}
        below = [mask_of([local[g] for g in arrows if principal[f] >> g & 1]) for f in arrows]
        rows.append(tuple(sorted(_widened(mask, arrows) for mask in down_sets(below, limit))))
    return Omega(category, tuple(rows))


def _widened(mask: int, arrows: tuple[int, ...]) -> int:
    return sum(1 << f for at, f in enumerate(arrows) if mask >> at & 1)


def principal_sieves(category: Category) -> list[int]:
    """For each arrow f the sieve {f ∘ h}."""
    return [
        mask_of([category.compose(f, h) for h in category.into[category.source[f]]]) for f in category.arrows
    ]


def pull_sieve(category: Category, sieve: int, f: int) -> int:
    """f*R = {h | f ∘ h ∈ R}, a sieve on the source of f."""
    arrows = category.into[category.source[f]]
    return mask_of([h for h in arrows if sieve >> category.composites[f][h] & 1])


def sieve_of(sub: Subobject, point: int) -> int:
    """The arrows along which a point is restricted into a subobject."""
    whole = sub.whole
    into = whole.category.into[whole.points[point][0]]
    return mask_of([f for f in into if whole.restrict_point(point, f) in sub])


def characteristic(omega: Omega, sub: Subobject) -> Map:
    """χ: S → Ω, the only map along which `true` is pulled back to the subobject."""
    require(sub.whole.category == omega.category, "the subobject lives over the same contexts")
    rows: list[list[int]] = [[] for _ in omega.category.objects]
    for point, (c, _) in enumerate(sub.whole.points):
        rows[c].append(omega.index[c][sieve_of(sub, point)])
    return Map(sub.whole, omega.presheaf, tuple(map(tuple, rows)))


def classified(omega: Omega, chi: Map) -> Subobject:
    """The pullback of `true` along a map to Ω."""
    require(chi.target == omega.presheaf, "the map goes to Ω")
    points = [p for p, (c, x) in enumerate(chi.source.points) if chi.components[c][x] == omega.true(c)]
    return Subobject(chi.source, mask_of(points))
