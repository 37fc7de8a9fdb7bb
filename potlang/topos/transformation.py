"""Natural transformations: the arrows of a presheaf topos, composed, inverted, and enumerated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.errors import bounded, require
from potlang.topos.orders import bits
from potlang.topos.presheaf import Presheaf

STEPS = 200_000
"""How many partial assignments an enumeration of maps tries, unless the caller says otherwise."""


@dataclass(frozen=True)
class Map:
    """A natural transformation: `components[c][x]` is the image of the element x at c.

    Raises `AxiomError` unless it commutes with restriction.
    """

    source: Presheaf
    target: Presheaf
    components: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        require(self.source.category == self.target.category, "both presheaves have the same contexts")
        _check_shape(self)
        _check_naturality(self)

    @cached_property
    def images(self) -> tuple[int, ...]:
        """The image of each point, as a point."""
        offsets = self.target.offsets
        return tuple(offsets[c] + self.components[c][x] for c, x in self.source.points)

    def after(self, first: Map) -> Map:
        """The composite: first `first`, then this one."""
        require(first.target == self.source, "the maps compose")
        components = tuple(
            tuple(outer[y] for y in inner)
            for outer, inner in zip(self.components, first.components, strict=True)
        )
        return Map(first.source, self.target, components)

    def is_mono(self) -> bool:
        """Whether it is injective at each object."""
        return all(len(set(row)) == len(row) for row in self.components)

    def is_epi(self) -> bool:
        """Whether it is surjective at each object."""
        sizes = self.target.sizes
        return all(len(set(row)) == size for row, size in zip(self.components, sizes, strict=True))

    def is_iso(self) -> bool:
        """Whether it has an inverse."""
        return self.is_mono() and self.is_epi()

    def inverse(self) -> Map:
        """The inverse of an isomorphism."""
        require(self.is_iso(), "the map is an isomorphism")
        rows = [[0] * len(row) for row in self.components]
        for row, back in zip(self.components, rows, strict=True):
            for x, y in enumerate(row):
                back[y] = x
        return Map(self.target, self.source, tuple(map(tuple, rows)))


def _check_shape(arrow: Map) -> None:
    for c in arrow.source.category.objects:
        row, size = arrow.components[c], arrow.target.sizes[c]
        fits = len(row) == arrow.source.sizes[c] and all(0 <= y < size for y in row)
        require(fits, f"the component at {c} is a function")
    require(len(arrow.components) == arrow.source.category.size, "each object has a component")


def _check_naturality(arrow: Map) -> None:
    category = arrow.source.category
    for f in category.proper_arrows:
        before, after = arrow.components[category.target[f]], arrow.components[category.source[f]]
        left, right = arrow.source.actions[f], arrow.target.actions[f]
        natural = all(after[left[x]] == right[y] for x, y in enumerate(before))
        require(natural, f"the map commutes with restriction along {f}")


def identity(presheaf: Presheaf) -> Map:
    """The identity map."""
    return Map(presheaf, presheaf, tuple(tuple(range(size)) for size in presheaf.sizes))


def from_images(source: Presheaf, target: Presheaf, images: Sequence[int]) -> Map:
    """The map that takes each point p to the point `images[p]`, which must lie over the same object."""
    rows: list[list[int]] = [[] for _ in source.sizes]
    for (c, _), image in zip(source.points, images, strict=True):
        over, y = target.points[image]
        require(over == c, "maps keep the object")
        rows[c].append(y)
    return Map(source, target, tuple(map(tuple, rows)))


def to_terminal(presheaf: Presheaf, one: Presheaf) -> Map:
    """The only map to the presheaf 1."""
    return Map(presheaf, one, tuple((0,) * size for size in presheaf.sizes))


def relabelled(presheaf: Presheaf, permutations: Sequence[Sequence[int]]) -> Map:
    """An isomorphism to a presheaf whose elements have new names: x at c is `permutations[c][x]`."""
    category = presheaf.category
    rows = [[0] * len(action) for action in presheaf.actions]
    for f, action in enumerate(presheaf.actions):
        for x, y in enumerate(action):
            rows[f][permutations[category.target[f]][x]] = permutations[category.source[f]][y]
    target = Presheaf(category, presheaf.sizes, tuple(map(tuple, rows)))
    return Map(presheaf, target, tuple(map(tuple, permutations)))


def maps(source: Presheaf, target: Presheaf, limit: int = STEPS) -> Iterator[Map]:
    """All maps from `source` to `target`, by backtracking over the points that generate `source`."""
    choices = [_choices(source, target, root) for root in _roots(source)]
    for images in _joined(choices, len(source.points), limit):
        yield from_images(source, target, images)


def _roots(presheaf: Presheaf) -> list[int]:
    """Points whose restrictions are all points, largest first."""
    found: list[int] = []
    covered = 0
    for p in sorted(range(len(presheaf.points)), key=lambda p: (-presheaf.below[p].bit_count(), p)):
        if not covered >> p & 1:
            found.append(p)
            covered |= presheaf.below[p]
    return found


def _choices(source: Presheaf, target: Presheaf, root: int) -> list[dict[int, int]]:
    """For each image of a point, the images of its restrictions; contradictory images are left out."""
    c, _ = source.points[root]
    found = []
    for y in range(target.sizes[c]):
        image = target.point(c, y)
        forced: dict[int, int] = {}
        for f in source.category.into[c]:
            restricted = target.restrict_point(image, f)
            if forced.setdefault(source.restrict_point(root, f), restricted) != restricted:
                break
        else:
            found.append(forced)
    return found


def _joined(choices: list[list[dict[int, int]]], size: int, limit: int) -> Iterator[list[int]]:
    """All assignments that take one choice for each root and agree where these overlap."""
    stack: list[dict[int, int]] = [{}]
    depths = [0]
    steps = 0
    while stack:
        chosen, depth = stack.pop(), depths.pop()
        if depth == len(choices):
            yield [chosen[p] for p in range(size)]
            continue
        for forced in reversed(choices[depth]):
            steps += 1
            bounded(steps, limit, "steps in the enumeration of maps")
            if all(chosen.get(p, q) == q for p, q in forced.items()):
                stack.append(chosen | forced)
                depths.append(depth + 1)


def isomorphism(left: Presheaf, right: Presheaf, limit: int = STEPS) -> Map | None:
    """Some isomorphism, or None if there is none."""
    if left.sizes != right.sizes:
        return None
    return next((found for found in maps(left, right, limit) if found.is_iso()), None)


def image_mask(arrow: Map, mask: int) -> int:
    """The image of a set of points."""
    result = 0
    for p in bits(mask):
        result |= 1 << arrow.images[p]
    return result


def preimage_mask(arrow: Map, mask: int) -> int:
    """The preimage of a set of points."""
    return sum(1 << p for p, q in enumerate(arrow.images) if mask >> q & 1)
