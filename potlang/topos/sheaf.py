"""Sheaves and sheafification: matching families, the plus construction, the universal property.

A topology on a finite category has a least covering sieve for each object, so the colimit over all
covering sieves that defines F⁺(c) is the set of matching families on the least one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from potlang.topos.errors import bounded, require
from potlang.topos.orders import bits
from potlang.topos.presheaf import Presheaf, representable
from potlang.topos.subobject import Subobject
from potlang.topos.topology import Coverage
from potlang.topos.transformation import STEPS, Map, maps

FAMILIES = 4_096
"""How many matching families on one sieve are enumerated."""

Family = tuple[int, ...]
"""The elements of a matching family, in the order of the arrows of its sieve, ascending."""


def matching_families(presheaf: Presheaf, c: int, sieve: int, limit: int = STEPS) -> list[Family]:
    """All matching families for a sieve R on c: x_f at the source of each f ∈ R, with x_f·h = x_(f ∘ h).

    They are the maps R → F from the sieve as a subobject of the representable presheaf.
    """
    category = presheaf.category
    if not sieve:
        return [()]
    if sieve >> category.identities[c] & 1:
        # The sieve is y(c) itself, and the families are those of the elements at c.
        return sorted(restrictions(presheaf, c, x, sieve) for x in range(presheaf.sizes[c]))
    whole = representable(category, c)
    arrows = [f for d in category.objects for f in category.hom(d, c)]
    mask = sum(1 << p for p, f in enumerate(arrows) if sieve >> f & 1)
    part = Subobject(whole, mask).inclusion
    labels = [arrows[p] for p in part.images]
    families: list[Family] = []
    for found in maps(part.source, presheaf, limit):
        bounded(len(families) + 1, FAMILIES, "matching families")
        values = [found.components[d][x] for d, x in part.source.points]
        families.append(tuple(value for _, value in sorted(zip(labels, values, strict=True))))
    return sorted(families)


def restrictions(presheaf: Presheaf, c: int, x: int, sieve: int) -> Family:
    """The matching family that an element x at c gives: (x·f) for f in the sieve."""
    require(0 <= x < presheaf.sizes[c], f"({c}, {x}) is a point")
    return tuple(presheaf.restrict(x, f) for f in bits(sieve))


def is_separated(topology: Coverage, presheaf: Presheaf) -> bool:
    """Whether an element is determined by its restrictions along any cover."""
    return all(
        len({restrictions(presheaf, c, x, sieve) for x in range(presheaf.sizes[c])}) == presheaf.sizes[c]
        for c in presheaf.category.objects
        for sieve in topology.covers[c]
    )


def is_sheaf(topology: Coverage, presheaf: Presheaf) -> bool:
    """Whether each matching family for a cover comes from exactly one element."""
    return is_separated(topology, presheaf) and all(
        len(matching_families(presheaf, c, sieve)) == presheaf.sizes[c]
        for c in presheaf.category.objects
        for sieve in topology.covers[c]
    )


@dataclass(frozen=True)
class Sheafification:
    """The presheaf that one or two plus constructions make of F, with `unit` from F to it."""

    topology: Coverage
    unit: Map
    families: tuple[tuple[Family, ...], ...]
    """The last step: each element at c as a matching family on the least cover of c."""
    before: Sheafification | None = None
    """The step before the last, if there are two."""

    @property
    def presheaf(self) -> Presheaf:
        """The completed presheaf."""
        return self.unit.target

    @cached_property
    def last(self) -> Map:
        """The unit of the last step."""
        middle = self.unit.source if self.before is None else self.before.presheaf
        return _unit(self.topology, middle, self.presheaf, self.families)

    def extension(self, arrow: Map) -> Map:
        """The only map g with g ∘ unit = `arrow`, where `arrow` goes from F to a sheaf.

        Raises `AxiomError` if a family that is needed there has no amalgamation, or elements are not
        separated: if the lack of being a sheaf shows.
        """
        require(arrow.source == self.unit.source, "the map starts where the unit does")
        first = arrow if self.before is None else self.before.extension(arrow)
        return _extended(self, first)


def plus(topology: Coverage, presheaf: Presheaf) -> Sheafification:
    """F⁺, with its unit; it is separated, and a sheaf if F is separated."""
    category, least = presheaf.category, topology.least
    families = tuple(tuple(matching_families(presheaf, c, least[c])) for c in category.objects)
    index = [{family: x for x, family in enumerate(row)} for row in families]
    actions = []
    for f in category.arrows:
        d, c = category.source[f], category.target[f]
        place = {g: at for at, g in enumerate(bits(least[c]))}
        kept = [place[category.compose(f, g)] for g in bits(least[d])]
        actions.append(tuple(index[d][tuple(family[at] for at in kept)] for family in families[c]))
    completed = Presheaf(category, tuple(map(len, families)), tuple(actions))
    return Sheafification(topology, _unit(topology, presheaf, completed, families), families)


def _unit(
    topology: Coverage, source: Presheaf, target: Presheaf, families: tuple[tuple[Family, ...], ...]
) -> Map:
    rows = []
    for c, row in enumerate(families):
        index = {family: x for x, family in enumerate(row)}
        given = (restrictions(source, c, x, topology.least[c]) for x in range(source.sizes[c]))
        rows.append(tuple(index[family] for family in given))
    return Map(source, target, tuple(rows))


def sheafify(topology: Coverage, presheaf: Presheaf) -> Sheafification:
    """The associated sheaf a(F) = F⁺⁺, with its unit F → a(F)."""
    once = plus(topology, presheaf)
    twice = plus(topology, once.presheaf)
    return Sheafification(topology, twice.unit.after(once.unit), twice.families, once)


def _extended(step: Sheafification, arrow: Map) -> Map:
    """The extension along one plus construction: each family goes to the amalgamation of its image."""
    target, topology = arrow.target, step.topology
    rows = []
    for c, families in enumerate(step.families):
        cover = topology.least[c]
        sources = [topology.category.source[f] for f in bits(cover)]
        glued: dict[Family, int] = {}
        for x in range(target.sizes[c]):
            family = restrictions(target, c, x, cover)
            require(family not in glued, "the target of a map to extend is separated")
            glued[family] = x
        images = [
            tuple(arrow.components[d][x] for d, x in zip(sources, family, strict=True)) for family in families
        ]
        require(all(image in glued for image in images), "the target of a map to extend is a sheaf")
        rows.append(tuple(glued[image] for image in images))
    return Map(step.presheaf, target, tuple(rows))


def sheafified(source: Sheafification, target: Sheafification, arrow: Map) -> Map:
    """a(f): a(F) → a(G), for f: F → G and the two sheafifications."""
    return source.extension(target.unit.after(arrow))
