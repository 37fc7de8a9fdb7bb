"""Presheaves, maps, subobjects and their logic, Ω, limits and colimits."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from strategies import presheaves as some
from strategies.presheaves import Choices
from topos_support import Property, meet_of

from potlang.topos import category as cat
from potlang.topos import colimit as col
from potlang.topos import limit as lim
from potlang.topos import omega as om
from potlang.topos import presheaf as pre
from potlang.topos import slice as sli
from potlang.topos import subobject as sub
from potlang.topos import transformation as tra
from potlang.topos.errors import AxiomError, BoundExceeded
from potlang.topos.presheaf import Presheaf
from potlang.topos.subobject import Subobject
from potlang.topos.transformation import Map

CHAIN = cat.chain(2)
ONE = pre.terminal(CHAIN)
TWO = pre.constant(CHAIN, 2)
LOOP = cat.monoid([[0, 1], [1, 0]])
LINE = cat.chain(3)
SWAP = Map(TWO, TWO, ((1, 0), (1, 0)))


BROKEN: list[tuple[str, Callable[[], object]]] = [
    ("each object has a set", lambda: Presheaf(CHAIN, (1,), ())),
    ("sizes are not negative", lambda: Presheaf(CHAIN, (-1, 2), ())),
    ("each arrow has a restriction map", lambda: Presheaf(CHAIN, (1, 1), ((0,),))),
    ("restricts from its target to its source", lambda: Presheaf(CHAIN, (1, 2), ((0,), (0,), (0, 1)))),
    ("identities restrict to nothing new", lambda: Presheaf(CHAIN, (2, 1), ((1, 0), (0,), (0,)))),
    ("is (x·1)·1", lambda: Presheaf(LOOP, (2,), ((0, 1), (0, 0)))),
    ("(0, 1) is a point", lambda: ONE.point(0, 1)),
    ("generate the others", lambda: pre.from_functions(LINE, [1, 1, 1], {1: [0]})),
    ("the same contexts", lambda: Map(ONE, pre.terminal(LINE), ((0,), (0,)))),
    ("the component at 0 is a function", lambda: Map(TWO, ONE, ((0, 1), (0, 0)))),
    ("commutes with restriction", lambda: Map(TWO, TWO, ((1, 0), (0, 1)))),
    ("the maps compose", lambda: SWAP.after(Map(ONE, ONE, ((0,), (0,))))),
    ("the map is an isomorphism", lambda: tra.to_terminal(TWO, ONE).inverse()),
    ("maps keep the object", lambda: tra.from_images(ONE, ONE, [1, 0])),
    ("consists of points", lambda: Subobject(ONE, 8)),
    ("holds the restrictions", lambda: Subobject(ONE, 0b10)),
    ("of the same presheaf", lambda: sub.top(ONE) & sub.top(TWO)),
    ("one of the target", lambda: sub.preimage(SWAP, sub.top(ONE))),
    ("one of the source", lambda: sub.image(SWAP, sub.top(ONE))),
    ("one of the source", lambda: sub.universal_image(SWAP, sub.top(ONE))),
    ("over the same contexts", lambda: om.characteristic(om.classifier(LINE), sub.top(ONE))),
    ("the map goes to Ω", lambda: om.classified(om.classifier(CHAIN), SWAP)),
    ("the same contexts", lambda: lim.limit(CHAIN, [pre.terminal(LINE)], [])),
    ("a map joins the nodes", lambda: lim.limit(CHAIN, [ONE, TWO], [(0, 1, SWAP)])),
    ("a cone commutes", lambda: lim.pullback(SWAP, SWAP).factor(TWO, [tra.identity(TWO), SWAP, SWAP])),
    ("go to the nodes", lambda: lim.product(ONE, ONE).factor(TWO, [SWAP, SWAP])),
    ("start at its vertex", lambda: lim.product(TWO, TWO).factor(ONE, [SWAP, SWAP])),
    ("the maps are parallel", lambda: lim.equalizer(SWAP, tra.to_terminal(TWO, ONE))),
    ("the maps are parallel", lambda: col.coequalizer(SWAP, tra.to_terminal(TWO, ONE))),
    ("all parts have the same contexts", lambda: col.coproduct(CHAIN, [pre.terminal(LINE)])),
    ("over the same object", lambda: col.quotient(ONE, [(0, 1)])),
    ("goes from the nodes", lambda: col.coproduct(CHAIN, [TWO]).factor(ONE, [SWAP])),
    ("a cocone commutes", lambda: col.pushout(SWAP, SWAP).factor(TWO, [tra.identity(TWO), SWAP, SWAP])),
    ("over the same presheaf", lambda: list(sli.maps_over(SWAP, tra.to_terminal(TWO, ONE)))),
]  # fmt: skip


@pytest.mark.parametrize(("law", "make"), BROKEN, ids=[law for law, _ in BROKEN])
def test_what_breaks_a_law_is_refused(law: str, make: Callable[[], object]) -> None:
    """[TOPOS-PRESHEAF-1] [TOPOS-PRESHEAF-2]"""
    with pytest.raises(AxiomError, match=re.escape(law)):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: pre.constant(CHAIN, 3_000),
        lambda: sub.subobjects(pre.constant(cat.discrete(1), 17)),
        lambda: list(tra.maps(pre.constant(CHAIN, 8), pre.constant(CHAIN, 8), 1_000)),
        lambda: lim.limit(CHAIN, [pre.constant(CHAIN, 8)] * 5, []),
        lambda: om.classifier(cat.product(cat.chain(6), cat.chain(6)), 100),
    ],
    ids=["points", "subobjects", "maps", "families", "sieves"],
)
def test_what_is_too_large_is_refused(make: Callable[[], object]) -> None:
    """[TOPOS-BOUND-1]"""
    with pytest.raises(BoundExceeded, match="limit"):
        make()


def test_variance() -> None:
    """Over 0 → 1 elements over 1 restrict to 0, and what holds at 1 holds at 0 [TOPOS-PRESHEAF-1]."""
    assert CHAIN.hom(0, 1) == (1,)
    joined = pre.from_functions(CHAIN, [1, 2], {1: [0, 0]})
    assert joined.actions[1] == (0, 0)
    assert joined.below == (0b001, 0b011, 0b101)
    assert [s.mask for s in sub.subobjects(ONE)] == [0b00, 0b01, 0b11]
    action = pre.from_functions(LINE, [1, 2, 3], {1: [0, 0], 4: [0, 1, 1]})
    assert action.actions[2] == (0, 0, 0)


# --- maps and elements ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Two presheaves over the same contexts, and a map between them if there is one."""

    left: Presheaf
    right: Presheaf
    arrow: Map | None


def make_pair(choices: Choices) -> Pair:
    contexts = some.make_category(choices)
    left = some.make_presheaf(choices, contexts, points=6)
    right = some.make_presheaf(choices, contexts, 1, points=6)
    found = list(itertools.islice(tra.maps(left, right), 8))
    return Pair(left, right, choices.pick(found) if found else None)


PAIRS = some.built(make_pair)


def maps_are_all_maps(case: Pair) -> None:
    """The maps that are enumerated are those that brute force finds [TOPOS-PRESHEAF-2]."""
    rows = [
        itertools.product(range(case.right.sizes[c]), repeat=case.left.sizes[c])
        for c in case.left.category.objects
    ]
    count = 0
    for components in itertools.islice(itertools.product(*map(list, rows)), 3_000):
        try:
            Map(case.left, case.right, components)
        except AxiomError:
            continue
        count += 1
    total = 1
    for c in case.left.category.objects:
        total *= case.right.sizes[c] ** case.left.sizes[c]
    found = list(tra.maps(case.left, case.right))
    assert len({arrow.components for arrow in found}) == len(found)
    assert count == len(found) if total <= 3_000 else count <= len(found)


def yoneda(case: Pair) -> None:
    """Maps from y(c) are the elements over c, by the image of the identity [TOPOS-PRESHEAF-2]."""
    contexts = case.right.category
    for c in contexts.objects:
        represented = pre.representable(contexts, c)
        at = contexts.hom(c, c).index(contexts.identities[c])
        named = [arrow.components[c][at] for arrow in tra.maps(represented, case.right)]
        assert sorted(named) == list(range(case.right.sizes[c]))
        for p, (d, x) in enumerate(case.right.points):
            assert d != c or some.named(case.right, p).components[c][at] == x


def elements_are_points(case: Pair) -> None:
    """∫S has an arrow for each point and arrow into its object [TOPOS-PRESHEAF-3].

    Its preorder is that of points.
    """
    base = pre.elements(case.right)
    contexts = case.right.category
    assert len(base.arrows) == sum(len(contexts.into[c]) for c, _ in case.right.points)
    for a, (f, p) in enumerate(base.arrows):
        assert base.category.target[a] == p
        assert base.category.source[a] == case.right.restrict_point(p, f)
    for p, below in enumerate(case.right.below):
        assert below == sum(1 << q for q in base.category.objects if base.category.hom(q, p))


# --- subobjects ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """A presheaf and three subobjects."""

    whole: Presheaf
    parts: tuple[Subobject, ...]


def make_parts(choices: Choices) -> Parts:
    whole = some.make_presheaf(choices, some.make_category(choices), 0, 3, 10)
    return Parts(whole, some.make_family(choices, whole, 3, 3))


def subobjects_are_a_heyting_algebra(case: Parts) -> None:
    """Meet, join, implication and negation by their adjunctions, over all subobjects [TOPOS-PRESHEAF-4]."""
    p, q, r = case.parts
    everything = sub.subobjects(case.whole)
    assert sub.meet(case.whole, [p, q, r]) == meet_of(case.whole, [p, q, r])
    for x in everything:
        assert (x <= p & q) == (x <= p and x <= q)
        assert (p | q <= x) == (p <= x and q <= x)
        assert (x <= (p >> q)) == (p & x <= q)
        assert (x <= ~p) == (not (p & x).mask)
        assert (x < p) == (x <= p and x != p)
    assert sub.is_boolean(case.whole) == all((x | ~x) == sub.top(case.whole) for x in everything)


def subobjects_are_all_subobjects(case: Parts) -> None:
    """All sets of points closed under restriction, none twice [TOPOS-PRESHEAF-4]."""
    whole = case.whole
    if len(whole.points) <= 8:
        closed = []
        for mask in range(whole.all_points + 1):
            try:
                closed.append(Subobject(whole, mask))
            except AxiomError:
                continue
        assert sub.subobjects(whole) == closed
    for x in case.parts:
        rows = [x.at(c) for c in whole.category.objects]
        assert sub.sections(whole, rows) == x
        assert sub.where(whole, lambda c, e, rows=rows: e in rows[c]) == x
        assert sub.image(x.inclusion) == x
        assert sub.generated(whole, [p for p in range(len(whole.points)) if p in x]) == x


def preimages_have_adjoints(case: Pair) -> None:
    """∃_f is left and ∀_f right adjoint to f*, and ∃_f(P ∧ f*Q) = ∃_f(P) ∧ Q [TOPOS-PRESHEAF-5]."""
    arrow = case.arrow
    if arrow is None:
        return
    for x, y in itertools.product(sub.subobjects(arrow.source), sub.subobjects(arrow.target)):
        pulled = sub.preimage(arrow, y)
        assert (sub.image(arrow, x) <= y) == (x <= pulled)
        assert (pulled <= x) == (y <= sub.universal_image(arrow, x))
        assert sub.image(arrow, x & pulled) == sub.image(arrow, x) & y


def omega_classifies(case: Parts) -> None:
    """Subobjects of S and maps S → Ω are the same [TOPOS-OMEGA-1] [TOPOS-OMEGA-2]."""
    omega = om.classifier(case.whole.category)
    for c in case.whole.category.objects:
        assert len(omega.sieves[c]) == len(sub.subobjects(pre.representable(case.whole.category, c)))
    for x in case.parts:
        chi = om.characteristic(omega, x)
        assert om.classified(omega, chi) == x
        legs = lim.pullback(chi, omega.truth).legs
        assert sub.image(legs[0]) == x
        assert legs[0].is_mono()
    if len(case.whole.points) <= 5:
        found = {om.classified(omega, chi) for chi in tra.maps(case.whole, omega.presheaf)}
        assert found == set(sub.subobjects(case.whole))
        assert len(list(tra.maps(case.whole, omega.presheaf))) == len(found)


# --- limits and colimits -------------------------------------------------------------------------


@dataclass(frozen=True)
class Span:
    """Two maps with one source, two maps with one target."""

    span: tuple[Map, Map] | None
    cospan: tuple[Map, Map] | None


def make_span(choices: Choices) -> Span:
    contexts = some.make_category(choices)
    a, b, c = (some.make_presheaf(choices, contexts, 1, 2, 4) for _ in range(3))
    picked = []
    for source, target in ((a, b), (a, c), (b, a), (c, a)):
        found = list(itertools.islice(tra.maps(source, target), 8))
        picked.append(choices.pick(found) if found else None)
    span = (picked[0], picked[1]) if picked[0] and picked[1] else None
    return Span(span, (picked[2], picked[3]) if picked[2] and picked[3] else None)


def pushouts_and_pullbacks_are_universal(case: Span) -> None:
    """The factor exists and is the only map, by enumeration [TOPOS-PRESHEAF-6]."""
    if case.cospan is not None:
        left, right = case.cospan
        square = lim.pullback(left, right)
        assert left.after(square.legs[0]) == right.after(square.legs[1]) == square.legs[2]
        factor = square.factor(square.vertex, square.legs)
        assert factor == tra.identity(square.vertex)
        over = [
            m for m in tra.maps(square.vertex, square.vertex) if square.legs[0].after(m) == square.legs[0]
        ]
        assert [m for m in over if square.legs[1].after(m) == square.legs[1]] == [factor]
    if case.span is not None:
        left, right = case.span
        corner = col.pushout(left, right)
        assert corner.legs[0].after(left) == corner.legs[1].after(right) == corner.legs[2]
        goal = left.target
        cocones = [
            (m, n)
            for m in tra.maps(left.target, goal)
            for n in tra.maps(right.target, goal)
            if m.after(left) == n.after(right)
        ]
        factors = [corner.factor(goal, [m, n, m.after(left)]) for m, n in cocones]
        assert [(f.after(corner.legs[0]), f.after(corner.legs[1])) for f in factors] == cocones
        assert len(list(tra.maps(corner.vertex, goal))) == len(cocones)


def pushouts_of_monos_are_monos(case: Parts) -> None:
    """A pushout along a mono is a mono, and its square is a pullback [TOPOS-PRESHEAF-6]."""
    p, q, r = case.parts
    small = (p & q).inclusion.source
    left, right = (_within(p & q, member) for member in (p, q))
    corner = col.pushout(left, right)
    assert corner.legs[0].is_mono() and corner.legs[1].is_mono()
    square = lim.pullback(corner.legs[0], corner.legs[1])
    assert square.factor(small, [left, right, corner.legs[2]]).is_iso()
    union = corner.factor(case.whole, [p.inclusion, q.inclusion, (p & q).inclusion])
    assert union.is_mono()
    assert sub.image(union) == p | q
    one = tra.to_terminal(r.inclusion.source, pre.terminal(case.whole.category))
    along_mono = col.pushout(r.inclusion, one)
    assert along_mono.legs[1].is_mono()
    again = lim.pullback(along_mono.legs[0], along_mono.legs[1])
    assert again.factor(r.inclusion.source, [r.inclusion, one, along_mono.legs[2]]).is_iso()


def _within(small: Subobject, large: Subobject) -> Map:
    images = {q: p for p, q in enumerate(large.inclusion.images)}
    return tra.from_images(
        small.inclusion.source, large.inclusion.source, [images[q] for q in small.inclusion.images]
    )


def maps_factor_through_their_images(case: Pair) -> None:
    """An epi is the coequalizer of its kernel pair; colimits are stable under pullback [TOPOS-PRESHEAF-6]."""
    arrow = case.arrow
    if arrow is None:
        return
    pair = lim.kernel_pair(arrow)
    projection = col.coequalizer(pair.legs[0], pair.legs[1])
    image = sub.image(arrow).inclusion
    assert projection.target.sizes == image.source.sizes
    mono = col.colimit(
        arrow.source.category,
        [pair.vertex, arrow.source],
        [(0, 1, pair.legs[0]), (0, 1, pair.legs[1])],
    ).factor(arrow.target, [pair.legs[2], arrow])
    assert mono.is_mono()
    assert (mono.is_epi() and mono.is_iso()) == arrow.is_epi()
    both = col.coproduct(arrow.source.category, [arrow.source, arrow.source])
    fold = both.factor(arrow.target, [arrow, arrow])
    pulled = sli.pulled_back(arrow, fold)
    parts = [lim.pullback(arrow, arrow).vertex.sizes] * 2
    assert pulled.source.sizes == tuple(x + y for x, y in zip(*parts, strict=True))


def test_equalizers_and_diagonals() -> None:
    """[TOPOS-PRESHEAF-6]"""
    assert lim.equalizer(SWAP, tra.identity(TWO)).source.sizes == (0, 0)
    assert sub.image(lim.diagonal(TWO)).mask.bit_count() == 4
    assert lim.limit(CHAIN, [], []).vertex == ONE
    assert col.colimit(CHAIN, [], []).vertex == pre.initial(CHAIN)
    assert tra.isomorphism(TWO, SWAP.target) is not None
    assert tra.isomorphism(TWO, ONE) is None
    flat = replace(TWO, actions=(TWO.actions[0], (0, 0), TWO.actions[2]))
    assert tra.isomorphism(TWO, flat) is None


MAPS, YONEDA, ELEMENTS = (
    Property(check, PAIRS, 40) for check in (maps_are_all_maps, yoneda, elements_are_points)
)
ADJOINTS, IMAGES = (
    Property(check, PAIRS, 30) for check in (preimages_have_adjoints, maps_factor_through_their_images)
)
HEYTING, ALL_PARTS, OMEGA, MONOS = (
    Property(check, some.built(make_parts), 30)
    for check in (
        subobjects_are_a_heyting_algebra,
        subobjects_are_all_subobjects,
        omega_classifies,
        pushouts_of_monos_are_monos,
    )
)
SPANS = Property(pushouts_and_pullbacks_are_universal, some.built(make_span), 15)

test_maps_are_all_maps, test_maps_are_all_maps_deep = MAPS.tests()
test_yoneda, test_yoneda_deep = YONEDA.tests()
test_elements_are_points, test_elements_are_points_deep = ELEMENTS.tests()
test_preimages_have_adjoints, test_preimages_have_adjoints_deep = ADJOINTS.tests()
test_maps_factor_through_images, test_maps_factor_through_images_deep = IMAGES.tests()
test_subobjects_are_a_heyting_algebra, test_subobjects_are_a_heyting_algebra_deep = HEYTING.tests()
test_subobjects_are_all_subobjects, test_subobjects_are_all_subobjects_deep = ALL_PARTS.tests()
test_omega_classifies, test_omega_classifies_deep = OMEGA.tests()
test_pushouts_of_monos_are_monos, test_pushouts_of_monos_are_monos_deep = MONOS.tests()
test_pushouts_and_pullbacks_are_universal, test_pushouts_and_pullbacks_are_universal_deep = SPANS.tests()
