"""Sheaves, slices, diagrams and summaries, against their definitions."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from strategies import presheaves as some
from strategies.presheaves import Choices, Site, Sliced
from topos_support import Property, Validated, meet_of, validated

from potlang.topos import category as cat
from potlang.topos import diagram as dia
from potlang.topos import nucleus as nuc
from potlang.topos import presheaf as pre
from potlang.topos import sheaf, synthesis
from potlang.topos import slice as sli
from potlang.topos import subobject as sub
from potlang.topos import topology as top
from potlang.topos import transformation as tra
from potlang.topos.diagram import Diagram
from potlang.topos.errors import AxiomError, BoundExceeded
from potlang.topos.omega import classifier, pull_sieve
from potlang.topos.orders import bits
from potlang.topos.presentation import Overlap, Presentation
from potlang.topos.presheaf import Presheaf
from potlang.topos.slice import Reflector
from potlang.topos.transformation import Map, identity

CHAIN = cat.chain(2)
ONE, TWO = pre.terminal(CHAIN), pre.constant(CHAIN, 2)
OVER, SAME = tra.to_terminal(TWO, ONE), identity(ONE)
SWAP = Map(TWO, TWO, ((1, 0), (1, 0)))
NODE = Presentation(1, ())
TRIVIAL = top.trivial(classifier(CHAIN))
REFLECTOR = Reflector(TRIVIAL, ONE)


BROKEN: list[tuple[str, Callable[[], object]]] = [
    ("each node has an object", lambda: Diagram(NODE, ONE, (), ())),
    ("each edge has a map", lambda: Diagram(Presentation(1, ((0, 0),)), ONE, (OVER,), ())),
    ("objects lie over the base", lambda: Diagram(NODE, TWO, (OVER,), ())),
    ("joins the nodes", lambda: Diagram(Presentation(1, ((0, 0),)), ONE, (OVER,), (SAME,))),
    ("maps over the base", lambda: Diagram(Presentation(1, ((0, 0),)), TWO, (identity(TWO),), (SWAP,))),
    ("relations of the shape hold", lambda: Diagram(
        Presentation(1, ((0, 0),), (((0,), ()),)), ONE, (OVER,), (SWAP,))),
    ("is an inclusion", lambda: dia.posetal(ONE, [sub.top(ONE), sub.bottom(ONE)], [(0, 1)])),
    ("over the base of the reflector", lambda: REFLECTOR.reflect(SWAP)),
    ("over the base of the reflector", lambda: dia.reflected(
        REFLECTOR, Diagram(NODE, TWO, (identity(TWO),), ()))),
    ("is one over the base", lambda: Reflector(TRIVIAL, TWO).carry(
        *[Reflector(TRIVIAL, TWO).reflect(identity(TWO))] * 2, SWAP)),
    ("over the same base", lambda: dia.glued(
        Diagram(NODE, ONE, (OVER,), ()), Diagram(NODE, TWO, (identity(TWO),), ()), Overlap())),
    ("agree on shared nodes", lambda: dia.glued(
        Diagram(NODE, ONE, (OVER,), ()), Diagram(NODE, ONE, (SAME,), ()), Overlap(((0, 0),)))),
    ("agree on shared edges", lambda: dia.glued(
        Diagram(Presentation(1, ((0, 0),)), ONE, (OVER,), (SWAP,)),
        Diagram(Presentation(1, ((0, 0),)), ONE, (OVER,), (identity(TWO),)),
        Overlap(((0, 0),), ((0, 0),), (((0,), (0,)),)))),
    ("that of the target", lambda: sli.fibres(OVER, pre.elements(TWO))),
    ("on the category of elements", lambda: sli.total(ONE, pre.elements(TWO))),
    ("is that of the category of elements", lambda: sli.rule_topology(
        classifier(CHAIN), pre.elements(TWO), [])),
    ("starts where the unit does", lambda: sheaf.sheafify(TRIVIAL, ONE).extension(SWAP)),
    ("is a point", lambda: sheaf.restrictions(ONE, 0, 1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("law", "make"), BROKEN, ids=[law for law, _ in BROKEN])
def test_what_breaks_a_law_is_refused(law: str, make: Callable[[], object]) -> None:
    """[TOPOS-DIAGRAM-1]"""
    with pytest.raises(AxiomError, match=re.escape(law)):
        make()


def test_a_map_that_needs_a_sheaf_is_refused() -> None:
    """Neither elements that agree on a cover nor a family without an element are passed over."""
    dense = top.double_negation(classifier(CHAIN))
    forgetful = pre.from_functions(CHAIN, [1, 2], {1: [0, 0]})
    with pytest.raises(AxiomError, match="is separated"):
        sheaf.sheafify(dense, forgetful).extension(identity(forgetful))
    partial = pre.from_functions(CHAIN, [1, 0], {1: []})
    assert sheaf.is_separated(dense, partial) and not sheaf.is_sheaf(dense, partial)
    with pytest.raises(AxiomError, match="is a sheaf"):
        sheaf.sheafify(dense, partial).extension(identity(partial))


def test_too_many_families_are_refused() -> None:
    """[TOPOS-BOUND-1]"""
    square = classifier(cat.preorder(3, [(0, 2), (1, 2)]))
    sieve = square.sieves[2][-2]
    with pytest.raises(BoundExceeded, match="matching families"):
        sheaf.matching_families(pre.constant(square.category, 70), 2, sieve)


# --- sheaves -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OnSite:
    """A presheaf on a site."""

    site: Site
    whole: Presheaf


def make_on_site(choices: Choices) -> OnSite:
    site = some.make_site(choices)
    return OnSite(site, some.make_presheaf(choices, site.category, 0, 3, 8))


def plus_is_a_colimit_over_covers(case: OnSite) -> None:
    """F⁺(c) by its definition: families over all covers, equal if they agree on a cover [TOPOS-SHEAF-1]."""
    topology, whole = case.site.topology, case.whole
    completed = sheaf.plus(topology, whole)
    for c in whole.category.objects:
        kinds = set()
        for sieve in topology.covers[c]:
            for family in sheaf.matching_families(whole, c, sieve):
                values = dict(zip(bits(sieve), family, strict=True))
                kinds.add(_agreeing(topology.covers[c], sieve, values))
        assert len(kinds) == completed.presheaf.sizes[c]


def _agreeing(covers: tuple[int, ...], sieve: int, values: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """What two families that agree on a cover have in common: their values on the smallest cover inside."""
    inside = [cover for cover in covers if not cover & ~sieve]
    smallest = min(inside, key=int.bit_count)
    return tuple((f, values[f]) for f in bits(smallest))


def matching_families_match(case: OnSite) -> None:
    """x_(f ∘ h) = x_f·h, and all families with that are found, by brute force [TOPOS-SHEAF-1]."""
    whole, contexts = case.whole, case.whole.category
    for c in contexts.objects:
        for sieve in case.site.omega.sieves[c]:
            found = sheaf.matching_families(whole, c, sieve)
            arrows = list(bits(sieve))
            choices = [range(whole.sizes[contexts.source[f]]) for f in arrows]
            total = 1
            for choice in choices:
                total *= len(choice)
            if total <= 500:
                expected = [
                    row
                    for row in itertools.product(*choices)
                    if _matches(whole, dict(zip(arrows, row, strict=True)))
                ]
                assert found == expected


def _matches(whole: Presheaf, family: dict[int, int]) -> bool:
    contexts = whole.category
    return all(
        family[contexts.compose(f, h)] == whole.restrict(x, h)
        for f, x in family.items()
        for h in contexts.into[contexts.source[f]]
    )


def sheafification_is_idempotent(case: OnSite) -> None:
    """F⁺ is separated, a sheaf if F is separated; a(F) is a sheaf, F itself if F is one [TOPOS-SHEAF-1]."""
    topology, whole = case.site.topology, case.whole
    once = sheaf.plus(topology, whole)
    assert sheaf.is_separated(topology, once.presheaf)
    separated = sheaf.is_separated(topology, whole)
    assert once.unit.is_mono() == separated
    assert not separated or sheaf.is_sheaf(topology, once.presheaf)
    twice = sheaf.sheafify(topology, whole)
    assert sheaf.is_sheaf(topology, twice.presheaf)
    assert twice.unit.is_iso() == sheaf.is_sheaf(topology, whole)
    assert twice.extension(twice.unit) == identity(twice.presheaf)
    assert sheaf.sheafify(topology, twice.presheaf).unit.is_iso()


def sheaves_see_dense_subobjects(case: OnSite) -> None:
    """Maps to a sheaf extend along dense monos in one way [TOPOS-SHEAF-2].

    The subobjects of a sheaf that are sheaves are those that are closed.
    """
    topology = case.site.topology
    goal = sheaf.sheafify(topology, case.whole).presheaf
    for c in case.site.category.objects:
        represented = pre.representable(case.site.category, c)
        for x in sub.subobjects(represented):
            if topology.is_dense(x):
                restricted = [arrow.after(x.inclusion) for arrow in tra.maps(represented, goal)]
                assert len({arrow.components for arrow in restricted}) == len(restricted)
                assert len(restricted) == len(list(tra.maps(x.inclusion.source, goal)))
    for x in sub.subobjects(goal)[:20]:
        assert topology.is_closed(x) == sheaf.is_sheaf(topology, x.inclusion.source)


# --- the slice -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class OverPair:
    """Two objects of a slice."""

    left: Map
    right: Map


def make_over_pair(choices: Choices) -> OverPair:
    whole = some.make_presheaf(choices, some.make_category(choices), 1, 3, 6)
    return OverPair(some.make_object_over(choices, whole), some.make_object_over(choices, whole))


def the_slice_is_presheaves_on_elements(case: OverPair) -> None:
    """Fibres and total are inverse, and maps over S are maps of fibres [TOPOS-SLICE-1]."""
    base = pre.elements(case.left.target)
    fibres = [sli.fibres(over, base) for over in (case.left, case.right)]
    for over, fibre in zip((case.left, case.right), fibres, strict=True):
        again = sli.total(fibre, base)
        assert again.source.sizes == over.source.sizes
        assert sli.fibres(again, base) == fibre
        compare = sli.isomorphism_over(over, again)
        assert compare is not None and compare.is_iso()
    over_base = len(list(sli.maps_over(case.left, case.right)))
    assert over_base == len(list(tra.maps(fibres[0], fibres[1])))
    assert (sli.isomorphism_over(case.left, case.right) is None) == (
        tra.isomorphism(fibres[0], fibres[1]) is None
    )


def slice_limits_lie_over_the_base(case: Sliced) -> None:
    """Limits and colimits in the slice are universal there, by enumeration [TOPOS-SLICE-1]."""
    diagram = case.diagram
    goals = [*diagram.objects, identity(diagram.base)][:2]
    for goal in goals:
        from_colimit = list(sli.maps_over(diagram.colimit.over, goal))
        assert len(from_colimit) == len(list(_cones(diagram, goal, False)))
        into_limit = list(sli.maps_over(goal, diagram.limit.over))
        assert len(into_limit) == len(list(_cones(diagram, goal, True)))
    if not diagram.objects:
        assert diagram.limit.over.is_iso()
        assert diagram.colimit.over.source == pre.initial(diagram.base.category)


def _cones(diagram: Diagram, vertex: Map, into: bool) -> list[tuple[Map, ...]]:
    homs = [
        list(sli.maps_over(vertex, over) if into else sli.maps_over(over, vertex)) for over in diagram.objects
    ]
    found = []
    for legs in itertools.islice(itertools.product(*homs), 3_000):
        edges = zip(diagram.shape.edges, diagram.maps, strict=True)
        if into:
            commutes = all(arrow.after(legs[a]) == legs[b] for (a, b), arrow in edges)
        else:
            commutes = all(legs[b].after(arrow) == legs[a] for (a, b), arrow in edges)
        found += [legs] if commutes else []
    return found


def reflections_restrict(case: Sliced) -> None:
    """The unit over S, the reflection at the base, and a pulled-back cover again [TOPOS-REFLECT-1]."""
    reflector = Reflector(case.site.topology, case.base)
    for over in case.diagram.objects:
        reflection = reflector.reflect(over)
        assert reflection.sheaf.after(reflection.completion.unit) == reflector.unit.after(over)
        assert reflection.at_base.after(reflection.unit) == over
        again = reflector.reflect(reflection.at_base)
        assert again.unit.is_iso()
        if over.is_mono():
            assert reflection.sheaf.is_mono()
            assert sli.as_subobject(reflection.at_base) == case.site.topology.closure(sli.as_subobject(over))


def test_pulled_back_sieves_are_preimages() -> None:
    """R·f = {h | f ∘ h ∈ R} [TOPOS-OMEGA-1]."""
    omega = classifier(cat.chain(3))
    for f in omega.category.arrows:
        for sieve in omega.sieves[omega.category.target[f]]:
            pulled = pull_sieve(omega.category, sieve, f)
            assert pulled in omega.sieves[omega.category.source[f]]
            assert (sieve >> f & 1) == (pulled == omega.sieves[omega.category.source[f]][-1])


# --- summaries -----------------------------------------------------------------------------------


def summaries_by_brute_force(case: Validated) -> None:
    """Consequences, incomparable pairs and faithful claims by closures alone [TOPOS-SUMMARY-1]."""
    by, family = case.by, case.family
    met = by.closure(meet_of(case.whole, family))
    others = sub.subobjects(case.whole)[:12]
    found = synthesis.consequences(by.nucleus, family, others)
    assert found == tuple(at for at, other in enumerate(others) if met <= by.closure(other))
    assert all(
        synthesis.faithful(by.nucleus, family, others[at]) == (at in found) for at in range(len(others))
    )
    closures = [by.closure(p) for p in family]
    pairs = itertools.combinations(range(len(family)), 2)
    incomparable = {
        (a, b) for a, b in pairs if not (closures[a] <= closures[b] or closures[b] <= closures[a])
    }
    assert set(synthesis.incomparable(by.nucleus, family)) == incomparable


def test_the_trace_of_the_paper() -> None:
    """Appendix A over the points (x, y) with 0 ≤ x, y < 12: the summary is one of them [TOPOS-SUMMARY-1]."""
    points = list(itertools.product(range(12), repeat=2))
    plane = synthesis.space(len(points))

    def region(holds: Callable[[int, int], bool]) -> sub.Subobject:
        return sub.where(plane, lambda _, at: holds(*points[at]))

    here = region(lambda x, y: (x, y) == (4, 6))
    valid = [region(lambda x, _: x > 2), region(lambda _, y: y > 5), region(lambda x, _: x < 10)]
    refuted = region(lambda _, y: y < 0)
    c = nuc.from_rules(plane, [])
    assert synthesis.faithful(c, [here], sub.meet(plane, valid))
    assert not synthesis.consistent(c, [refuted])
    assert synthesis.incomparable(c, valid) == ((0, 1), (0, 2), (1, 2))
    assert len(synthesis.summary(c, valid).at(0)) == 7 * 6


ON_SITE = some.built(make_on_site, 48)
PLUS, MATCHING, IDEMPOTENT, DENSE = (
    Property(check, ON_SITE, 25)
    for check in (
        plus_is_a_colimit_over_covers,
        matching_families_match,
        sheafification_is_idempotent,
        sheaves_see_dense_subobjects,
    )
)
SLICE = Property(the_slice_is_presheaves_on_elements, some.built(make_over_pair), 25)
SLICE_LIMITS = Property(slice_limits_lie_over_the_base, some.sliced(2, 2), 25)
REFLECTIONS = Property(reflections_restrict, some.sliced(2, 0), 25)
SUMMARIES = Property(summaries_by_brute_force, validated(), 25)

test_plus_is_a_colimit_over_covers, test_plus_is_a_colimit_over_covers_deep = PLUS.tests()
test_matching_families_match, test_matching_families_match_deep = MATCHING.tests()
test_sheafification_is_idempotent, test_sheafification_is_idempotent_deep = IDEMPOTENT.tests()
test_sheaves_see_dense_subobjects, test_sheaves_see_dense_subobjects_deep = DENSE.tests()
test_the_slice_is_presheaves_on_elements, test_the_slice_is_presheaves_on_elements_deep = SLICE.tests()
test_slice_limits_lie_over_the_base, test_slice_limits_lie_over_the_base_deep = SLICE_LIMITS.tests()
test_reflections_restrict, test_reflections_restrict_deep = REFLECTIONS.tests()
test_summaries_by_brute_force, test_summaries_by_brute_force_deep = SUMMARIES.tests()
