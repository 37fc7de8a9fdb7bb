"""Subobjects as subpresheaves: the Heyting algebra Sub(S), its enumeration, images and preimages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.errors import require
from potlang.topos.orders import DOWN_SETS, bits, down_sets, downward, interior, is_down_set, mask_of
from potlang.topos.presheaf import Presheaf
from potlang.topos.transformation import Map, image_mask, preimage_mask


@dataclass(frozen=True)
class Subobject:
    """A set of points of `whole` (a bit mask) that holds the restrictions of its points.

    `&`, `|`, `>>` and `~` are meet, join, implication and negation of the Heyting algebra Sub(whole);
    `<=` is inclusion. Raises `AxiomError` unless it is closed under restriction.
    """

    whole: Presheaf
    mask: int

    def __post_init__(self) -> None:
        require(0 <= self.mask <= self.whole.all_points, "a subobject consists of points")
        require(is_down_set(self.whole.below, self.mask), "a subobject holds the restrictions of its points")

    def __and__(self, other: Subobject) -> Subobject:
        return Subobject(self.whole, self.mask & _mask(self, other))

    def __or__(self, other: Subobject) -> Subobject:
        return Subobject(self.whole, self.mask | _mask(self, other))

    def __rshift__(self, other: Subobject) -> Subobject:
        """P ⇒ Q, the largest X with P ∧ X ≤ Q: the points whose restrictions in P are in Q."""
        return largest(self.whole, self.whole.all_points & ~self.mask | _mask(self, other))

    def __invert__(self) -> Subobject:
        """¬P, the largest X with P ∧ X = ⊥."""
        return self >> bottom(self.whole)

    def __le__(self, other: Subobject) -> bool:
        return not self.mask & ~_mask(self, other)

    def __lt__(self, other: Subobject) -> bool:
        return self <= other and self.mask != other.mask

    def __contains__(self, point: int) -> bool:
        return bool(self.mask >> point & 1)

    def at(self, c: int) -> tuple[int, ...]:
        """The elements at the object `c`, ascending."""
        offset = self.whole.offsets[c]
        return tuple(x for x in range(self.whole.sizes[c]) if offset + x in self)

    @cached_property
    def inclusion(self) -> Map:
        """The mono into the whole, from the presheaf that consists of these points alone."""
        whole = self.whole
        kept = [self.at(c) for c in whole.category.objects]
        index = [{x: new for new, x in enumerate(row)} for row in kept]
        actions = tuple(
            tuple(
                index[whole.category.source[f]][whole.restrict(x, f)] for x in kept[whole.category.target[f]]
            )
            for f in whole.category.arrows
        )
        part = Presheaf(whole.category, tuple(map(len, kept)), actions)
        return Map(part, whole, tuple(kept))


def _mask(left: Subobject, right: Subobject) -> int:
    require(left.whole == right.whole, "both are subobjects of the same presheaf")
    return right.mask


def top(whole: Presheaf) -> Subobject:
    """The whole."""
    return Subobject(whole, whole.all_points)


def bottom(whole: Presheaf) -> Subobject:
    """The empty subobject."""
    return Subobject(whole, 0)


def meet(whole: Presheaf, family: Iterable[Subobject]) -> Subobject:
    """The meet of a finite family; of the empty family, ⊤."""
    result = top(whole)
    for member in family:
        result = result & member
    return result


def join(whole: Presheaf, family: Iterable[Subobject]) -> Subobject:
    """The join of a finite family; of the empty family, ⊥."""
    result = bottom(whole)
    for member in family:
        result = result | member
    return result


def largest(whole: Presheaf, mask: int) -> Subobject:
    """The largest subobject inside a set of points."""
    return Subobject(whole, interior(whole.below, mask))


def generated(whole: Presheaf, points: Iterable[int]) -> Subobject:
    """The least subobject that holds some points."""
    return Subobject(whole, downward(whole.below, mask_of(list(points))))


def sections(whole: Presheaf, parts: Sequence[Iterable[int]]) -> Subobject:
    """The subobject with the elements `parts[c]` at each object c."""
    return Subobject(whole, mask_of([whole.point(c, x) for c, part in enumerate(parts) for x in set(part)]))


def where(whole: Presheaf, holds: Callable[[int, int], bool]) -> Subobject:
    """The elements x at c of which `holds(c, x)`; they must be closed under restriction."""
    return Subobject(whole, mask_of([p for p, (c, x) in enumerate(whole.points) if holds(c, x)]))


def subobjects(whole: Presheaf, limit: int = DOWN_SETS) -> list[Subobject]:
    """All subobjects, ⊥ first and ⊤ last."""
    return [Subobject(whole, mask) for mask in down_sets(whole.below, limit)]


def preimage(arrow: Map, sub: Subobject) -> Subobject:
    """f*(P): the pullback of a subobject of the target."""
    require(arrow.target == sub.whole, "the subobject is one of the target")
    return Subobject(arrow.source, preimage_mask(arrow, sub.mask))


def image(arrow: Map, sub: Subobject | None = None) -> Subobject:
    """∃_f(P), left adjoint to the preimage; without `sub`, the image of all."""
    require(sub is None or arrow.source == sub.whole, "the subobject is one of the source")
    mask = arrow.source.all_points if sub is None else sub.mask
    return Subobject(arrow.target, image_mask(arrow, mask))


def universal_image(arrow: Map, sub: Subobject) -> Subobject:
    """∀_f(P), right adjoint to the preimage: the largest Q whose preimage lies in P."""
    require(arrow.source == sub.whole, "the subobject is one of the source")
    outside = image_mask(arrow, arrow.source.all_points & ~sub.mask)
    return largest(arrow.target, arrow.target.all_points & ~outside)


def is_boolean(whole: Presheaf) -> bool:
    """Whether every subobject has a complement: whether no point lies properly below another."""
    below = whole.below
    return all(below[q] == below[p] for p in range(len(below)) for q in bits(below[p]))
