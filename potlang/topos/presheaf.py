"""Finite presheaves: functors C^op → FinSet as tables of restriction maps, with their laws checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.category import Category, tabulate
from potlang.topos.errors import bounded, require
from potlang.topos.orders import mask_of

POINTS = 4_096
"""The largest number of points of a presheaf."""


@dataclass(frozen=True)
class Presheaf:
    """A finite presheaf: the elements at the object c are `0 .. sizes[c]-1`.

    `actions[f]` belongs to the arrow f: d → c and goes against it: `actions[f][x]`, also written x·f,
    is the restriction to d of the element x at c. Raises `AxiomError` unless x·1 = x and
    x·(g ∘ f) = (x·g)·f.

    A *point* is an element at an object; points are numbered through, object by object, and sets of
    points are bit masks.
    """

    category: Category
    sizes: tuple[int, ...]
    actions: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        bounded(sum(self.sizes), POINTS, "points of a presheaf")
        _check_shape(self)
        _check_laws(self)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The number of the first point at each object."""
        return tuple(sum(self.sizes[:c]) for c in self.category.objects)

    @cached_property
    def points(self) -> tuple[tuple[int, int], ...]:
        """Each point as (object, element)."""
        return tuple((c, x) for c in self.category.objects for x in range(self.sizes[c]))

    @property
    def all_points(self) -> int:
        """The mask of all points."""
        return (1 << sum(self.sizes)) - 1

    @cached_property
    def below(self) -> tuple[int, ...]:
        """For each point the mask of its restrictions, itself included: the preorder of points."""
        into = self.category.into
        return tuple(
            mask_of([self.restrict_point(p, f) for f in into[c]]) for p, (c, _) in enumerate(self.points)
        )

    def point(self, c: int, x: int) -> int:
        """The number of the element `x` at the object `c`."""
        require(0 <= c < self.category.size and 0 <= x < self.sizes[c], f"({c}, {x}) is a point")
        return self.offsets[c] + x

    def restrict(self, x: int, f: int) -> int:
        """x·f, where x is an element at the target of f."""
        return self.actions[f][x]

    def restrict_point(self, p: int, f: int) -> int:
        """The point p·f; p must lie over the target of f."""
        return self.offsets[self.category.source[f]] + self.actions[f][self.points[p][1]]


def _check_shape(presheaf: Presheaf) -> None:
    category, sizes = presheaf.category, presheaf.sizes
    require(len(sizes) == category.size, "each object has a set")
    require(all(size >= 0 for size in sizes), "sizes are not negative")
    require(len(presheaf.actions) == len(category.source), "each arrow has a restriction map")
    for f, action in enumerate(presheaf.actions):
        fits = len(action) == sizes[category.target[f]]
        fits = fits and all(0 <= y < sizes[category.source[f]] for y in action)
        require(fits, f"the arrow {f} restricts from its target to its source")


def _check_laws(presheaf: Presheaf) -> None:
    category, actions = presheaf.category, presheaf.actions
    for unit in category.identities:
        require(actions[unit] == tuple(range(len(actions[unit]))), "identities restrict to nothing new")
    for g in category.proper_arrows:
        for f in category.into[category.source[g]]:
            whole = actions[category.compose(g, f)]
            steps = tuple(actions[f][y] for y in actions[g])
            require(whole == steps, f"x·({g} ∘ {f}) is (x·{g})·{f}")


def constant(category: Category, size: int) -> Presheaf:
    """The same set at each object; nothing changes in restriction."""
    return Presheaf(category, (size,) * category.size, (tuple(range(size)),) * len(category.source))


def initial(category: Category) -> Presheaf:
    """The empty presheaf 0."""
    return constant(category, 0)


def terminal(category: Category) -> Presheaf:
    """The presheaf 1, with one element at each object."""
    return constant(category, 1)


def representable(category: Category, c: int) -> Presheaf:
    """y(c) = Hom(-, c); the element x at d is the arrow `category.hom(d, c)[x]`."""
    homs = [category.hom(d, c) for d in category.objects]
    index = {f: x for hom in homs for x, f in enumerate(hom)}
    actions = tuple(
        tuple(index[category.compose(g, f)] for g in homs[category.target[f]]) for f in category.arrows
    )
    return Presheaf(category, tuple(map(len, homs)), actions)


@dataclass(frozen=True)
class Elements:
    """The category of elements of a presheaf, with what its objects and arrows are.

    The object p is the point p of the presheaf. `arrows[a]` is (f, p): the arrow over f: d → c, from
    p·f to the point p over c.
    """

    presheaf: Presheaf
    category: Category
    arrows: tuple[tuple[int, int], ...]


def elements(presheaf: Presheaf) -> Elements:
    """The category of elements: an arrow from (d, y) to (c, x) is an f: d → c with x·f = y."""
    base = presheaf.category
    labels = [(f, p) for p, (c, _) in enumerate(presheaf.points) for f in base.into[c]]
    arrows = [((f, p), presheaf.restrict_point(p, f), p) for f, p in labels]
    units = [(base.identities[c], p) for p, (c, _) in enumerate(presheaf.points)]
    category = tabulate(len(units), arrows, units, lambda g, f: (base.compose(g[0], f[0]), g[1]))
    return Elements(presheaf, category, tuple(labels))


def from_functions(category: Category, sizes: Sequence[int], actions: dict[int, Sequence[int]]) -> Presheaf:
    """A presheaf from the restriction maps of some arrows; those of their composites follow.

    Raises `AxiomError` if an arrow is neither given, nor an identity, nor a composite of such.
    """
    known = {unit: tuple(range(sizes[c])) for c, unit in enumerate(category.identities)}
    known.update({f: tuple(action) for f, action in actions.items()})
    fresh = list(known)
    while fresh:
        g = fresh.pop()
        for f in list(known):
            for outer, inner in ((g, f), (f, g)):
                composite = category.composites[outer][inner]
                if composite >= 0 and composite not in known:
                    known[composite] = tuple(known[inner][y] for y in known[outer])
                    fresh.append(composite)
    require(len(known) == len(category.source), "the arrows given generate the others")
    return Presheaf(category, tuple(sizes), tuple(known[f] for f in category.arrows))
