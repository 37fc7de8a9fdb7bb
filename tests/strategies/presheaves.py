"""Strategies for finite presheaf toposes: contexts, presheaves, subobjects, topologies, rules, diagrams.

Everything is small. Most examples are proper: contexts with an arrow that is no identity, and a
validation that is neither the identity nor constantly ⊤. Each strategy decodes a byte string of a
fixed length, so that large examples are as frequent as small ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from potlang.topos import category as cat
from potlang.topos.category import Category
from potlang.topos.colimit import coproduct, quotient
from potlang.topos.diagram import Diagram
from potlang.topos.nucleus import Nucleus, Rule, from_rules, from_topology
from potlang.topos.omega import Omega, classifier
from potlang.topos.presentation import Overlap, Path, Presentation, presented
from potlang.topos.presheaf import Presheaf, representable
from potlang.topos.slice import maps_over
from potlang.topos.subobject import Subobject, generated, largest
from potlang.topos.topology import Topology, from_objects, topologies
from potlang.topos.transformation import Map, identity, relabelled

T = TypeVar("T")


class Choices:
    """A byte string read as a sequence of choices; when it is used up, the first option is taken."""

    def __init__(self, data: bytes) -> None:
        self._bytes = iter(data)

    def below(self, count: int) -> int:
        """A number from 0 to `count - 1`."""
        value, size = next(self._bytes, 0), 256
        while size < count:
            value, size = value << 8 | next(self._bytes, 0), size << 8
        return value % count

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]

    def several(self, options: Sequence[T], most: int, least: int = 0) -> list[T]:
        """Between `least` and `most` of the options, with repetition; none of none."""
        count = least + self.below(most - least + 1)
        return [self.pick(options) for _ in range(count)] if options else []

    def coin(self) -> bool:
        """True or false."""
        return bool(self.below(2))

    def mostly(self) -> bool:
        """True five times out of six."""
        return self.below(6) < 5


def built(make: Callable[[Choices], T], size: int = 64) -> SearchStrategy[T]:
    """What `make` makes of the choices in `size` bytes."""
    return st.binary(min_size=size, max_size=size).map(lambda data: make(Choices(data)))


# --- contexts ------------------------------------------------------------------------------------


def make_preorder(choices: Choices, size: int = 4, least: int = 0) -> Category:
    """A preorder on up to `size` objects, mostly a poset; with `least` related pairs at least."""
    count = choices.pick(range(2 if least else 1, size + 1))
    ascending = choices.mostly()
    pairs = [(a, b) for a in range(count) for b in range(count) if (a < b if ascending else a != b)]
    return cat.preorder(count, choices.several(pairs, 4, least))


def make_monoid(choices: Choices, order: int = 6, least: int = 0) -> Category:
    """A monoid of functions on two or three elements, of at most `order` members.

    It has at most two generators, and at least `least` that are not the unit.
    """
    letters = range(choices.pick((2, 3)))
    functions = list(itertools.product(letters, repeat=len(letters)))
    functions.remove(tuple(letters))
    members = [tuple(letters)]
    for generator in choices.several(functions, 2, least):
        grown = _generated([*members, generator])
        members = grown if len(grown) <= order else members
    index = {member: at for at, member in enumerate(members)}
    return cat.monoid([[index[_after(g, f)] for f in members] for g in members])


def _after(g: tuple[int, ...], f: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(g[x] for x in f)


def _generated(functions: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    found = dict.fromkeys(functions)
    fresh = list(found)
    while fresh:
        f = fresh.pop()
        for g in functions:
            if _after(g, f) not in found:
                found[_after(g, f)] = None
                fresh.append(_after(g, f))
    return list(found)


def make_acyclic(choices: Choices, size: int = 3) -> Category:
    """A free category on an acyclic graph, or a quotient that identifies two parallel paths."""
    count = choices.pick(range(2, size + 1))
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    shape = Presentation(count, tuple(choices.several(pairs, 3, 1)))
    relations = choices.several(parallel_paths(shape), 1)
    return presented(replace(shape, relations=tuple(relations))).category


def parallel_paths(shape: Presentation) -> list[tuple[Path, Path]]:
    """The pairs of parallel paths of one or two edges."""
    edges = range(len(shape.edges))
    paths: list[Path] = [(e,) for e in edges]
    paths += [(d, e) for d in edges for e in edges if shape.edges[d][1] == shape.edges[e][0]]
    return [pair for pair in itertools.combinations(paths, 2) if shape.ends(pair[0]) == shape.ends(pair[1])]


def make_product(choices: Choices, least: int = 0) -> Category:
    """An arrow times a small monoid, or the opposite of a preorder."""
    if choices.coin():
        return cat.product(cat.chain(2), make_monoid(choices, 3, least))
    return cat.opposite(make_preorder(choices, 3, least))


SQUARE = Presentation(4, ((0, 1), (0, 2), (1, 3), (2, 3)), (((0, 2), (1, 3)),))
FORK = Presentation(3, ((0, 1), (1, 2), (1, 2)), (((0, 1), (0, 2)),))
NOTABLE = (
    SQUARE,
    FORK,
    Presentation(2, ((0, 1), (0, 1))),  # parallel arrows
    Presentation(2, ((0, 1), (1, 0)), (((0, 1), ()), ((1, 0), ()))),  # an isomorphism
    Presentation(2, ((0, 1), (1, 0)), (((0, 1), ()),)),  # a retract
    Presentation(1, ((0, 0),), (((0, 0), (0,)),)),  # an idempotent
    Presentation(1, ((0, 0),), (((0, 0), ()),)),  # a symmetry
    Presentation(2, ((0, 0), (0, 1)), (((0, 0), ()), ((0, 1), (1,)))),  # an arrow that absorbs a symmetry
)


def make_notable(choices: Choices) -> Category:
    """One of some small categories over which sheaves behave in their own ways."""
    return presented(choices.pick(NOTABLE)).category


def make_category(choices: Choices, least: int = 0) -> Category:
    """A category of some sort; with `least` 1, not all of its arrows are identities."""
    kind = choices.below(5)
    if kind == 0:
        return make_preorder(choices, 4, least)
    if kind == 1:
        return make_monoid(choices, 6, least)
    if kind == 2:
        return make_acyclic(choices)
    return make_product(choices, least) if kind == 3 else make_notable(choices)


def make_contexts(choices: Choices) -> Category:
    """A category, most often with an arrow that is no identity."""
    return make_category(choices, int(choices.mostly()))


def categories() -> SearchStrategy[Category]:
    """A finite category of at most some eighteen arrows."""
    return built(make_category, 24)


def is_flat(category: Category) -> bool:
    """Whether all arrows are identities."""
    return not category.proper_arrows


# --- presheaves ----------------------------------------------------------------------------------


def make_presheaf(
    choices: Choices, category: Category, least: int = 0, most: int = 3, points: int = 14
) -> Presheaf:
    """A quotient of a sum of representables, with not many more than `points` points."""
    parts: list[Presheaf] = []
    for c in choices.several(category.objects, most, least):
        part = representable(category, c)
        if not parts or sum(sum(p.sizes) for p in (*parts, part)) <= points:
            parts.append(part)
    union = coproduct(category, parts).vertex
    return _identified(choices, union, [(0,) * size for size in union.sizes]).target


def _identified(choices: Choices, whole: Presheaf, labels: Sequence[Sequence[int]]) -> Map:
    """A quotient of `whole` that identifies elements of one label at one object."""
    pairs = [
        (whole.point(c, x), whole.point(c, y))
        for c, row in enumerate(labels)
        for x, y in itertools.combinations(range(len(row)), 2)
        if row[x] == row[y]
    ]
    return quotient(whole, choices.several(pairs, 2))


def make_subobject(choices: Choices, whole: Presheaf) -> Subobject:
    """What some points generate, or the largest subobject among some points."""
    mask = choices.below(whole.all_points + 1)
    if choices.coin():
        return largest(whole, mask)
    return generated(whole, [p for p in range(len(whole.points)) if mask >> p & 1])


def make_family(choices: Choices, whole: Presheaf, least: int = 0, most: int = 4) -> tuple[Subobject, ...]:
    """Some subobjects."""
    return tuple(make_subobject(choices, whole) for _ in range(choices.pick(range(least, most + 1))))


def make_rules(choices: Choices, whole: Presheaf, most: int = 3) -> tuple[Rule, ...]:
    """Rules P ≤ Q, the first of them most often not true already."""
    found = [
        (make_subobject(choices, whole), make_subobject(choices, whole))
        for _ in range(choices.pick(range(1, most + 1)))
    ]
    if found[0][0] <= found[0][1]:
        found[0] = (found[0][1], found[0][0])
    return tuple(found)


def make_relabelling(choices: Choices, presheaf: Presheaf) -> Map:
    """An isomorphism that gives the elements new names."""
    rows = []
    for size in presheaf.sizes:
        left = list(range(size))
        rows.append([left.pop(choices.below(len(left))) for _ in range(size)])
    return relabelled(presheaf, rows)


def presheaves(category: Category, least: int = 0, most: int = 3) -> SearchStrategy[Presheaf]:
    """A presheaf that `least` to `most` elements generate."""
    return built(lambda choices: make_presheaf(choices, category, least, most), 16)


def subobjects(whole: Presheaf) -> SearchStrategy[Subobject]:
    """A subobject."""
    return built(lambda choices: make_subobject(choices, whole), 16)


def families(whole: Presheaf, least: int = 0, most: int = 4) -> SearchStrategy[tuple[Subobject, ...]]:
    """Some subobjects."""
    return built(lambda choices: make_family(choices, whole, least, most))


def rules(whole: Presheaf, most: int = 3) -> SearchStrategy[tuple[Rule, ...]]:
    """One to `most` rules P ≤ Q."""
    return built(lambda choices: make_rules(choices, whole, most))


# --- validation ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Site:
    """A finite category with its Ω and a topology."""

    omega: Omega
    topology: Topology

    @property
    def category(self) -> Category:
        """The contexts."""
        return self.omega.category

    @property
    def is_proper(self) -> bool:
        """Whether an arrow is no identity, and the topology is neither the identity nor constant."""
        topology = self.topology
        return not (is_flat(self.category) or topology.is_trivial() or topology.is_degenerate())


def make_site(choices: Choices) -> Site:
    """A site, most often a proper one."""
    if choices.below(8) == 0:
        return make_delicate_site(choices)
    omega = classifier(make_contexts(choices))
    found = topologies(omega)
    proper = [j for j in found if not (j.is_trivial() or j.is_degenerate())]
    return Site(omega, choices.pick(proper if proper and choices.mostly() else found))


def make_delicate_site(choices: Choices) -> Site:
    """A site over which one plus construction need not be enough for a sheaf."""
    shape, objects = choices.pick(((SQUARE, (1, 2)), (FORK, (1,))))
    omega = classifier(presented(shape).category)
    return Site(omega, from_objects(omega, objects))


def sites() -> SearchStrategy[Site]:
    """A finite category with a topology, most often a proper one."""
    return built(make_site, 32)


@dataclass(frozen=True)
class Validation:
    """A presheaf S with a validation modality: the closure of a topology, or the nucleus of rules."""

    whole: Presheaf
    nucleus: Nucleus
    topology: Topology | None = None
    rules: tuple[Rule, ...] | None = None

    def closure(self, sub: Subobject) -> Subobject:
        """c(X), from the topology itself if there is one."""
        return self.nucleus.closure(sub) if self.topology is None else self.topology.closure(sub)

    @property
    def is_proper(self) -> bool:
        """Whether an arrow is no identity, and c is neither the identity nor constantly ⊤."""
        nucleus = self.nucleus
        return not (is_flat(self.whole.category) or nucleus.is_trivial() or nucleus.is_degenerate())


def make_ruled(choices: Choices, most: int = 3) -> Validation:
    """A presheaf with the nucleus of one to `most` rules."""
    whole = make_presheaf(choices, make_contexts(choices), 2 * choices.mostly(), 4, 12)
    tries = 4 if choices.mostly() else 1
    for _ in range(tries):
        given = make_rules(choices, whole, most)
        found = Validation(whole, from_rules(whole, given), rules=given)
        if found.is_proper:
            break
    return found


def make_topologized(choices: Choices) -> Validation:
    """A presheaf with the closure of a topology."""
    site = make_site(choices)
    whole = make_presheaf(choices, site.category, 2 * choices.mostly(), 4, 12)
    return Validation(whole, from_topology(site.topology, whole), topology=site.topology)


def make_validation(choices: Choices) -> Validation:
    """A presheaf with a validation modality."""
    return make_ruled(choices) if choices.coin() else make_topologized(choices)


def validations() -> SearchStrategy[Validation]:
    """A presheaf with a validation modality."""
    return built(make_validation)


# --- the slice -----------------------------------------------------------------------------------


def make_object_over(choices: Choices, whole: Presheaf, most: int = 2) -> Map:
    """An object X → S of the slice: generated by points of S, some of it identified; or a subobject."""
    if choices.below(3) == 2:
        return make_subobject(choices, whole).inclusion
    parts = [named(whole, p) for p in choices.several(range(len(whole.points)), most)]
    union = coproduct(whole.category, [part.source for part in parts])
    over = union.factor(whole, parts)
    projection = _identified(choices, over.source, over.components)
    rows = [[0] * size for size in projection.target.sizes]
    for c, row in enumerate(projection.components):
        for x, y in enumerate(row):
            rows[c][y] = over.components[c][x]
    return Map(projection.target, whole, tuple(map(tuple, rows)))


def named(whole: Presheaf, point: int) -> Map:
    """The map from a representable presheaf that names a point (the Yoneda lemma)."""
    c, x = whole.points[point]
    category = whole.category
    rows = tuple(tuple(whole.restrict(x, f) for f in category.hom(d, c)) for d in category.objects)
    return Map(representable(category, c), whole, rows)


def make_diagram(
    choices: Choices, whole: Presheaf, nodes: int = 3, edges: int = 3, forward: bool = False
) -> Diagram:
    """A diagram in the slice over S with general arrows, some of them parallel, and true relations.

    `forward`: arrows go from earlier nodes to later ones only, so that the index category is finite.
    """
    objects = tuple(make_object_over(choices, whole) for _ in range(choices.below(nodes + 1)))
    found: list[tuple[int, int, Map]] = []
    ends = [(a, b) for a in range(len(objects)) for b in range(len(objects)) if not forward or a < b]
    for a, b in choices.several(ends, edges):
        arrows = list(itertools.islice(maps_over(objects[a], objects[b]), 12))
        found += [(a, b, choices.pick(arrows))] if arrows else []
    found += found[:1] if choices.coin() else []
    shape = Presentation(len(objects), tuple((a, b) for a, b, _ in found))
    diagram = Diagram(shape, whole, objects, tuple(arrow for _, _, arrow in found))
    true = [pair for pair in parallel_paths(shape) if diagram.along(pair[0]) == diagram.along(pair[1])]
    return replace(diagram, shape=replace(shape, relations=tuple(choices.several(true, 2))))


def diagrams(whole: Presheaf, forward: bool = False) -> SearchStrategy[Diagram]:
    """A diagram in the slice over S; see `make_diagram`."""
    return built(lambda choices: make_diagram(choices, whole, forward=forward))


@dataclass(frozen=True)
class Sliced:
    """A site, and a diagram in the slice over a presheaf on it."""

    site: Site
    diagram: Diagram

    @property
    def base(self) -> Presheaf:
        """S."""
        return self.diagram.base

    @property
    def is_proper(self) -> bool:
        """Whether the site is."""
        return self.site.is_proper


def make_sliced(choices: Choices, nodes: int = 3, edges: int = 3, forward: bool = False) -> Sliced:
    """A diagram in the slice over a presheaf on a site."""
    site = make_site(choices)
    whole = make_presheaf(choices, site.category, 1 + choices.mostly(), 3, 8)
    return Sliced(site, make_diagram(choices, whole, nodes, edges, forward))


def sliced(nodes: int = 3, edges: int = 3, forward: bool = False) -> SearchStrategy[Sliced]:
    """A diagram in the slice over a presheaf on a site."""
    return built(lambda choices: make_sliced(choices, nodes, edges, forward), 96)


def make_overlap(choices: Choices, first: Diagram) -> tuple[Diagram, Overlap]:
    """A second diagram that shares objects and arrows with the first, and what they share.

    A node of the first may be shared with several of the second: the functors need not be injective.
    """
    copies = choices.several(range(first.shape.size), 3)
    own = [make_object_over(choices, first.base, 1)] if choices.coin() else []
    objects = (*(first.objects[node] for node in copies), *own)
    second = [
        (a, b, arrow)
        for a, x in enumerate(objects)
        for b, y in enumerate(objects)
        if max(a, b) >= len(copies) and choices.coin()
        for arrow in itertools.islice(maps_over(x, y), 1)
    ]
    shared: list[tuple[tuple[int, int], tuple[Path, Path]]] = []
    for a, b, path, arrow in _copied(first, copies):
        if choices.coin():
            shared.append(((a, b), (path, (len(second),))))
            second.append((a, b, arrow))
    shape = Presentation(len(objects), tuple((a, b) for a, b, _ in second))
    diagram = Diagram(shape, first.base, objects, tuple(arrow for _, _, arrow in second))
    nodes = tuple((node, at) for at, node in enumerate(copies))
    return diagram, Overlap(nodes, tuple(ends for ends, _ in shared), tuple(paths for _, paths in shared))


def _copied(first: Diagram, copies: list[int]) -> list[tuple[int, int, Path, Map]]:
    """Edges of a diagram, and identities, between copies of its nodes."""
    found: list[tuple[int, int, Path, Map]] = []
    for (a, x), (b, y) in itertools.product(enumerate(copies), repeat=2):
        if x == y and a < b:
            found.append((a, b, (), identity(first.objects[x].source)))
        found += [(a, b, (e,), first.maps[e]) for e, ends in enumerate(first.shape.edges) if ends == (x, y)]
    return found
