"""The slice over a presheaf S: maps over S, the category of elements, and the reflector to sheaves.

An object of the slice is a map X → S. The reflector takes it to a(X) → a(S), an object of the slice of
sheaves over a(S); pulled back along S → a(S) it is an object over S again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.errors import require
from potlang.topos.limit import Limit, pullback
from potlang.topos.nucleus import Rule
from potlang.topos.omega import Omega
from potlang.topos.orders import bits, mask_of
from potlang.topos.presheaf import Elements, Presheaf, terminal
from potlang.topos.sheaf import Sheafification, is_sheaf, sheafify
from potlang.topos.subobject import Subobject, image
from potlang.topos.topology import Coverage, LeastCovers, Topology, from_covers, least_covers
from potlang.topos.transformation import STEPS, Map, maps


def is_over(arrow: Map, source: Map, target: Map) -> bool:
    """Whether a map between the domains of two slice objects commutes with them."""
    return target.after(arrow) == source


def maps_over(source: Map, target: Map, limit: int = STEPS) -> Iterator[Map]:
    """All maps in the slice from one object to another."""
    require(source.target == target.target, "both are objects over the same presheaf")
    return (arrow for arrow in maps(source.source, target.source, limit) if is_over(arrow, source, target))


def isomorphism_over(left: Map, right: Map, limit: int = STEPS) -> Map | None:
    """Some isomorphism in the slice, or None if there is none."""
    if left.source.sizes != right.source.sizes:
        return None
    return next((arrow for arrow in maps_over(left, right, limit) if arrow.is_iso()), None)


def pulled_back(along: Map, over: Map) -> Map:
    """The pullback of an object of the slice over the target of `along`, over its source."""
    return pullback(along, over).legs[0]


def as_subobject(over: Map) -> Subobject:
    """The subobject that a mono is."""
    require(over.is_mono(), "subobjects are monos")
    return image(over)


# --- as presheaves on the category of elements --------------------------------------------------


def fibres(over: Map, base: Elements) -> Presheaf:
    """An object X → S of the slice as a presheaf on the category of elements of S: its fibres.

    The elements at a point p are those of X that lie over p, in order.
    """
    require(over.target == base.presheaf, "the category of elements is that of the target")
    rows: list[list[int]] = [[] for _ in base.category.objects]
    for point, lies_over in enumerate(over.images):
        rows[lies_over].append(point)
    index = {point: x for row in rows for x, point in enumerate(row)}
    actions = tuple(
        tuple(index[over.source.restrict_point(point, f)] for point in rows[p]) for f, p in base.arrows
    )
    return Presheaf(base.category, tuple(map(len, rows)), actions)


def total(presheaf: Presheaf, base: Elements) -> Map:
    """The object X → S of the slice whose fibres are a presheaf on the category of elements of S."""
    require(presheaf.category == base.category, "the presheaf is one on the category of elements")
    whole, category = base.presheaf, base.presheaf.category
    rows = [[(p, x) for p in _over(whole, c) for x in range(presheaf.sizes[p])] for c in category.objects]
    index = [{label: x for x, label in enumerate(row)} for row in rows]
    arrow = {label: a for a, label in enumerate(base.arrows)}
    actions = tuple(
        tuple(
            index[category.source[f]][whole.restrict_point(p, f), presheaf.restrict(x, arrow[f, p])]
            for p, x in rows[category.target[f]]
        )
        for f in category.arrows
    )
    source = Presheaf(category, tuple(map(len, rows)), actions)
    return Map(source, whole, tuple(tuple(whole.points[p][1] for p, _ in row) for row in rows))


def _over(whole: Presheaf, c: int) -> range:
    return range(whole.offsets[c], whole.offsets[c] + whole.sizes[c])


# --- the reflector -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reflector:
    """The slice reflector: from objects over S to sheaves over a(S)."""

    topology: Coverage
    base: Presheaf

    @cached_property
    def completion(self) -> Sheafification:
        """The sheafification of S."""
        return sheafify(self.topology, self.base)

    @property
    def unit(self) -> Map:
        """S → a(S)."""
        return self.completion.unit

    def reflect(self, over: Map) -> Reflection:
        """The reflection of an object X → S."""
        require(over.target == self.base, "the object lies over the base of the reflector")
        completion = sheafify(self.topology, over.source)
        return Reflection(self, over, completion)

    def carry(self, source: Reflection, target: Reflection, arrow: Map) -> Map:
        """The image of a map over S: a map over a(S)."""
        require(is_over(arrow, source.over, target.over), "the map is one over the base")
        return source.completion.extension(target.completion.unit.after(arrow))

    def closure(self, sub: Subobject) -> Subobject:
        """c(P) by reflection: a(P) → a(S) pulled back to S."""
        return as_subobject(self.reflect(sub.inclusion).at_base)

    def is_sheaf_over(self, over: Map) -> bool:
        """Whether an object over a(S) is one of the slice of sheaves."""
        return over.target == self.completion.presheaf and is_sheaf(self.topology, over.source)


@dataclass(frozen=True)
class Reflection:
    """The reflection of `over`: X → S."""

    reflector: Reflector
    over: Map
    completion: Sheafification
    """The sheafification of X."""

    @cached_property
    def sheaf(self) -> Map:
        """a(X) → a(S)."""
        return self.completion.extension(self.reflector.unit.after(self.over))

    @cached_property
    def _square(self) -> Limit:
        return pullback(self.reflector.unit, self.sheaf)

    @property
    def at_base(self) -> Map:
        """a(X) → a(S) pulled back along S → a(S): an object over S."""
        return self._square.legs[0]

    @cached_property
    def unit(self) -> Map:
        """The map over S from X to its reflection at the base."""
        legs = [self.over, self.completion.unit, self.reflector.unit.after(self.over)]
        return self._square.factor(self.over.source, legs)

    def extension(self, arrow: Map, target: Map) -> Map:
        """The only map over a(S) from the reflection to a sheaf `target` that restricts to `arrow`.

        `arrow` goes from X to the source of `target`, over a(S).
        """
        require(target.after(arrow) == self.reflector.unit.after(self.over), "the map is one over a(S)")
        return self.completion.extension(arrow)


# --- topologies of the slice ---------------------------------------------------------------------


def slice_closure(topology: Topology, sub: Subobject) -> Subobject:
    """The closure of P ≤ S under a topology of the slice: one on the category of elements of S.

    The subobjects of S are those of the terminal presheaf there, point for point.
    """
    one = terminal(topology.omega.category)
    return Subobject(sub.whole, topology.closure(Subobject(one, sub.mask)).mask)


def rule_topology(omega: Omega, base: Elements, rules: Sequence[Rule]) -> Topology:
    """The least topology of the slice for which P ∧ Q is dense in P, for each rule P ≤ Q.

    `omega` is Ω over the category of elements `base`.
    """
    require(omega.category == base.category, "Ω is that of the category of elements")
    return from_covers(omega, _rule_covers(base, rules))


def rule_covers(base: Elements, rules: Sequence[Rule]) -> LeastCovers:
    """The same topology, without Ω."""
    return least_covers(base.category, _rule_covers(base, rules))


def _rule_covers(base: Elements, rules: Sequence[Rule]) -> list[list[int]]:
    category = base.category
    covers: list[list[int]] = [[] for _ in category.objects]
    for premise, conclusion in rules:
        require(premise.whole == conclusion.whole == base.presheaf, "rules speak of subobjects of the base")
        for p in bits(premise.mask):
            covers[p].append(mask_of([a for a in category.into[p] if category.source[a] in conclusion]))
    return covers
