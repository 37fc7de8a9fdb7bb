"""The numbered statements of the paper about diagrams in a slice, their limits and reflections.

Each is a function of one random input that fails where the statement does; see spec/25-topos.md.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from hypothesis.strategies import SearchStrategy
from strategies import presheaves as some
from strategies.presheaves import Choices, Sliced
from topos_support import Validated, meet_of, summary_of

from potlang.topos import diagram as dia
from potlang.topos import sheaf
from potlang.topos import slice as sli
from potlang.topos.colimit import coproduct
from potlang.topos.diagram import Diagram
from potlang.topos.limit import pullback
from potlang.topos.presentation import Overlap, Presentation
from potlang.topos.slice import Reflection, Reflector
from potlang.topos.transformation import Map, identity, maps

FEW = 2_000
"""Steps of an enumeration of maps; examples that need more are passed over."""

# --- the diagram ---------------------------------------------------------------------------------


def theorem_4_3(case: Sliced) -> None:
    """4.3: a diagram is a functor on the index category: units, composites, relations [TOPOS-DIAGRAM-1]."""
    index = case.diagram.index.category
    for c, unit in enumerate(index.identities):
        assert case.diagram.value(unit) == identity(case.diagram.objects[c].source)
    for g, f in itertools.product(index.arrows, repeat=2):
        if index.target[f] == index.source[g]:
            composite = case.diagram.value(g).after(case.diagram.value(f))
            assert case.diagram.value(index.compose(g, f)) == composite
    for e, arrow in enumerate(case.diagram.maps):
        assert case.diagram.value(case.diagram.index.generators[e]) == arrow
    for left, right in case.diagram.shape.relations:
        start = case.diagram.shape.start((left, right))
        assert case.diagram.index.arrow(left, start) == case.diagram.index.arrow(right, start)


# --- the slice -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Probed:
    """A diagram in a slice over a site, with a probe: another object over the base."""

    sliced: Sliced
    probe: Map

    @property
    def is_proper(self) -> bool:
        return self.sliced.is_proper

    @property
    def reflector(self) -> Reflector:
        return Reflector(self.sliced.site.topology, self.sliced.base)


def probed(nodes: int = 2, edges: int = 2, twice: bool = True) -> SearchStrategy[Probed]:
    """A diagram of general arrows and an object over the same base; if `twice`, often two copies of it."""

    def make(choices: Choices) -> Probed:
        found = some.make_sliced(choices, nodes, edges)
        if choices.coin() or not twice:
            return Probed(found, some.make_object_over(choices, found.base))
        copies = coproduct(found.base.category, [found.base] * 2)
        return Probed(found, copies.factor(found.base, [identity(found.base)] * 2))

    return some.built(make, 96)


def sheaf_over(reflector: Reflector, probe: Map) -> Map:
    """A sheaf over a(S), to map into."""
    return reflector.reflect(probe).sheaf


def cocones(diagram: Diagram, target: Map) -> list[tuple[Map, ...]]:
    """All cocones from a diagram to an object of the slice, by brute force."""
    found: list[tuple[Map, ...]] = [()]
    for node, over in enumerate(diagram.objects):
        ready = [e for e, ends in enumerate(diagram.shape.edges) if max(ends) == node]
        found = [
            (*cocone, arrow)
            for cocone in found
            for arrow in sli.maps_over(over, target)
            if all(_commutes(diagram, e, (*cocone, arrow)) for e in ready)
        ]
    return found


def _commutes(diagram: Diagram, edge: int, cocone: tuple[Map, ...]) -> bool:
    a, b = diagram.shape.edges[edge]
    return cocone[b].after(diagram.maps[edge]) == cocone[a]


def corollary_4_6(case: Probed) -> None:
    """4.6: a(colim D) is the colimit of a ∘ D in the slice of sheaves over a(S) [TOPOS-COLIMIT-1].

    The canonical map is an isomorphism, and maps to a sheaf are cocones.
    """
    reflector, diagram = case.reflector, case.sliced.diagram
    found = dia.summary(reflector, diagram)
    sheaves = dia.reflected(reflector, diagram)
    over, legs = dia.colimit_of_sheaves(reflector, sheaves.diagram)
    units = [leg.after(node.completion.unit) for leg, node in zip(legs, sheaves.nodes, strict=True)]
    compare = found.extension(diagram.colimit.colimit.factor(over.source, units), over)
    assert sli.is_over(compare, found.sheaf, over)
    assert compare.is_iso()
    probe = sheaf_over(reflector, case.probe)
    assert reflector.is_sheaf_over(found.sheaf)
    arrows = list(sli.maps_over(found.sheaf, probe))
    assert len(arrows) == len(cocones(sheaves.diagram, probe))


def corollary_4_6_limits(case: Probed) -> None:
    """4.6 for meets: a(lim D) is the limit of a ∘ D over a(S) [TOPOS-COLIMIT-2]."""
    reflector, diagram = case.reflector, case.sliced.diagram
    found = dia.meet_summary(reflector, diagram)
    sheaves = dia.reflected(reflector, diagram)
    cone = [
        reflector.carry(found, node, leg) for leg, node in zip(diagram.limit.legs, sheaves.nodes, strict=True)
    ]
    compare = sheaves.diagram.limit.limit.factor(found.sheaf.source, [found.sheaf, *cone])
    assert compare.is_iso()


def corollary_4_6_posetal(case: Validated) -> None:
    """4.6 and 4.5: for inclusions the reflected slice limit, read over S, is c(⋀ P) [TOPOS-COLIMIT-2]."""
    topology = case.by.topology
    assert topology is not None
    reflector = Reflector(topology, case.whole)
    pairs = itertools.permutations(range(len(case.family)), 2)
    arrows = [(a, b) for a, b in pairs if case.family[a] <= case.family[b]]
    diagram = dia.posetal(case.whole, case.family, arrows)
    assert sli.as_subobject(diagram.limit.over) == meet_of(case.whole, case.family)
    assert sli.as_subobject(dia.meet_summary(reflector, diagram).at_base) == summary_of(case)
    for p in case.family:
        assert reflector.closure(p) == topology.closure(p)


@dataclass(frozen=True)
class Renamed:
    """A diagram and another one that is isomorphic to it: nodes and edges permuted, elements renamed."""

    sliced: Sliced
    other: Diagram
    nodes: tuple[int, ...]
    """Where each node went."""
    isos: tuple[Map, ...]

    @property
    def is_proper(self) -> bool:
        return self.sliced.is_proper


def renamed() -> SearchStrategy[Renamed]:
    """A diagram with an isomorphic copy."""

    def make(choices: Choices) -> Renamed:
        found = some.make_sliced(choices)
        diagram = found.diagram
        nodes = _permutation(choices, diagram.shape.size)
        edges = _permutation(choices, len(diagram.maps))
        isos = tuple(some.make_relabelling(choices, over.source) for over in diagram.objects)
        return Renamed(found, _moved(diagram, nodes, edges, isos), nodes, isos)

    return some.built(make, 128)


def _permutation(choices: Choices, size: int) -> tuple[int, ...]:
    left = list(range(size))
    return tuple(left.pop(choices.below(len(left))) for _ in range(size))


def _moved(
    diagram: Diagram, nodes: tuple[int, ...], edges: tuple[int, ...], isos: tuple[Map, ...]
) -> Diagram:
    objects = dict(zip(nodes, zip(diagram.objects, isos, strict=True), strict=True))
    moved = {}
    for e, ((a, b), arrow) in enumerate(zip(diagram.shape.edges, diagram.maps, strict=True)):
        renamed_map = isos[b].after(arrow).after(isos[a].inverse())
        moved[edges[e]] = ((nodes[a], nodes[b]), renamed_map)
    relations = tuple(
        (tuple(edges[e] for e in left), tuple(edges[e] for e in right))
        for left, right in diagram.shape.relations
    )
    shape = Presentation(diagram.shape.size, tuple(moved[e][0] for e in range(len(moved))), relations)
    return Diagram(
        shape,
        diagram.base,
        tuple(over.after(iso.inverse()) for over, iso in (objects[v] for v in range(len(objects)))),
        tuple(moved[e][1] for e in range(len(moved))),
    )


def proposition_4_12(case: Renamed) -> None:
    """4.12: isomorphic diagrams have isomorphic colimits, limits and reflections [TOPOS-COLIMIT-3]."""
    diagram, other = case.sliced.diagram, case.other
    legs = [other.colimit.legs[case.nodes[v]].after(iso) for v, iso in enumerate(case.isos)]
    compare = diagram.colimit.colimit.factor(other.colimit.over.source, legs)
    assert compare.is_iso()
    assert sli.is_over(compare, diagram.colimit.over, other.colimit.over)
    reflector = Reflector(case.sliced.site.topology, diagram.base)
    left, right = dia.summary(reflector, diagram), dia.summary(reflector, other)
    carried = reflector.carry(left, right, compare)
    assert carried.is_iso()
    assert sli.is_over(carried, left.sheaf, right.sheaf)
    cone = [iso.inverse().after(other.limit.legs[case.nodes[v]]) for v, iso in enumerate(case.isos)]
    assert diagram.limit.limit.factor(other.limit.over.source, [other.limit.over, *cone]).is_iso()


def lemma_c_2(case: Probed) -> None:
    """C.2: the slice reflector is left adjoint to pulling back along S → a(S) [TOPOS-REFLECT-1]."""
    reflector = case.reflector
    assert reflector.is_sheaf_over(identity(reflector.completion.presheaf))
    target = sheaf_over(reflector, case.probe)
    at_base = sli.pulled_back(reflector.unit, target)
    for over in case.sliced.diagram.objects:
        reflection = reflector.reflect(over)
        assert reflector.is_sheaf_over(reflection.sheaf)
        _is_adjoint(reflector, reflection, target, at_base)


def _is_adjoint(reflector: Reflector, reflection: Reflection, target: Map, at_base: Map) -> None:
    down = list(sli.maps_over(reflection.over, at_base))
    up = list(sli.maps_over(reflection.sheaf, target))
    assert len(down) == len(up)
    second = pullback(reflector.unit, target).legs[1]
    extended = [reflection.extension(second.after(arrow), target) for arrow in down]
    assert {arrow.components for arrow in extended} == {arrow.components for arrow in up}
    for arrow, extension in zip(down, extended, strict=True):
        assert extension.after(reflection.completion.unit) == second.after(arrow)


def lemma_c_2_exact(case: Probed) -> None:
    """C.2: sheafification has its universal property, and preserves pullbacks [TOPOS-SHEAF-2]."""
    topology, base = case.sliced.site.topology, case.sliced.base
    completion = sheaf.sheafify(topology, base)
    assert sheaf.is_sheaf(topology, completion.presheaf)
    goal = sheaf.sheafify(topology, case.probe.source)
    arrows = list(maps(base, goal.presheaf, FEW))
    extended = [completion.extension(arrow) for arrow in arrows]
    assert [arrow.after(completion.unit) for arrow in extended] == arrows
    assert len(list(maps(completion.presheaf, goal.presheaf, FEW))) == len(arrows)
    for over in case.sliced.diagram.objects:
        square = pullback(over, case.probe)
        corner = sheaf.sheafify(topology, square.vertex)
        sides = [sheaf.sheafify(topology, over.source), goal, completion]
        images = [
            sheaf.sheafified(side, completion, arrow)
            for side, arrow in zip(sides, (over, case.probe), strict=False)
        ]
        legs = [sheaf.sheafified(corner, side, leg) for side, leg in zip(sides, square.legs, strict=True)]
        compare = pullback(images[0], images[1]).factor(corner.presheaf, legs)
        assert compare.is_iso()


# --- gluing --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Overlapping:
    """Two diagrams over a site that agree on an overlap."""

    sliced: Sliced
    second: Diagram
    overlap: Overlap

    @property
    def is_proper(self) -> bool:
        return self.sliced.is_proper


def overlapping() -> SearchStrategy[Overlapping]:
    """Two diagrams in a slice that agree on what they share."""

    def make(choices: Choices) -> Overlapping:
        found = some.make_sliced(choices)
        return Overlapping(found, *some.make_overlap(choices, found.diagram))

    return some.built(make, 128)


def proposition_c_3(case: Overlapping) -> None:
    """C.3: the colimit over a pushout of index categories is the pushout of the colimits; no monos needed.

    So is the summary, after reflection [TOPOS-GLUE-1].
    """
    first = case.sliced.diagram
    union = dia.glued(first, case.second, case.overlap)
    found, over = dia.glued_colimit(first, case.second, case.overlap)
    legs = union.diagram.colimit.legs
    compare = found.factor(
        union.diagram.colimit.over.source,
        [
            first.colimit.colimit.factor(
                union.diagram.colimit.over.source, [legs[v] for v in union.glued.first]
            ),
            case.second.colimit.colimit.factor(
                union.diagram.colimit.over.source, [legs[v] for v in union.glued.second]
            ),
            union.shared.colimit.colimit.factor(
                union.diagram.colimit.over.source,
                [legs[union.glued.first[a]] for a, _ in case.overlap.nodes],
            ),
        ],
    )
    assert compare.is_iso()
    assert sli.is_over(compare, over, union.diagram.colimit.over)
    reflector = Reflector(case.sliced.site.topology, first.base)
    left, right = reflector.reflect(over), dia.summary(reflector, union.diagram)
    assert reflector.carry(left, right, compare).is_iso()
