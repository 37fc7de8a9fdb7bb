"""Finite categories, by tables, by generators and relations, glued: laws are checked, sizes bounded."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from strategies import presheaves as some
from strategies.presheaves import Choices
from topos_support import Property

from potlang.topos import category as cat
from potlang.topos import presentation as pre
from potlang.topos.category import Category
from potlang.topos.errors import AxiomError, BoundExceeded
from potlang.topos.presentation import Overlap, Presentation, Presented
from potlang.topos.unions import Unions

ARROW = cat.chain(2)  # the arrows (0, 0), (0, 1), (1, 1)
S3 = Presentation(1, ((0, 0), (0, 0)), (((0, 0), ()), ((1, 1), ()), ((0, 1, 0, 1, 0, 1), ())))


BROKEN: list[tuple[str, Callable[[], object]]] = [
    ("each arrow has a source and a target", lambda: replace(ARROW, target=(0, 1))),
    ("sources and targets are objects", lambda: replace(ARROW, source=(0, 0, 2))),
    ("each object has an identity", lambda: replace(ARROW, identities=(0,))),
    ("the table of composites is square", lambda: replace(ARROW, composites=ARROW.composites[:2])),
    ("do not compose, yet", lambda: replace(ARROW, composites=((0, 1, -1), (1, -1, -1), (-1, 1, 2)))),
    ("have a composite", lambda: replace(ARROW, composites=((0, -1, -1), (-1, -1, -1), (-1, 1, 2)))),
    ("wrong ends", lambda: replace(ARROW, composites=((1, -1, -1), (1, -1, -1), (-1, 1, 2)))),
    ("the identity of 1 goes from 1 to 1", lambda: replace(ARROW, identities=(0, 1))),
    ("identities do not change the arrow", lambda: cat.monoid([[1, 1], [1, 1]])),
    ("not associative", lambda: cat.monoid([[0, 1, 2], [1, 2, 1], [2, 2, 1]])),
    ("square and closed", lambda: cat.monoid([[0, 1]])),
    ("square and closed", lambda: cat.monoid([])),
    ("the pair 0 ≤ 2 joins objects", lambda: cat.preorder(2, [(0, 2)])),
    ("arrows are distinct", lambda: cat.tabulate(1, [("f", 0, 0)] * 2, ["f"], lambda g, f: f)),
    ("the arrows 1 and 0 do not compose", lambda: ARROW.compose(0, 1)),
    ("edges join nodes", lambda: Presentation(1, ((0, 1),))),
    ("not empty", lambda: Presentation(1, ((0, 0),), (((), ()),))),
    ("relations are parallel", lambda: Presentation(2, ((0, 1), (0, 0)), (((0,), (1,)),))),
    ("paths consist of edges", lambda: Presentation(1, ((0, 0),), (((1,), ()),))),
    ("the edges of a path meet", lambda: Presentation(2, ((0, 1),), (((0, 0), (0,)),))),
    ("an empty path needs a node", lambda: S3.ends(())),
    ("identified are parallel", lambda: pre.quotient(ARROW, [(0, 1)])),
    ("shared nodes", lambda: pre.glue(S3, S3, Overlap(((0, 1),)))),
    ("has a path in both", lambda: pre.glue(S3, S3, Overlap(((0, 0),), ((0, 0),)))),
    ("join its nodes", lambda: pre.glue(
        Presentation(2, ((0, 1),)), S3, Overlap(((0, 0),), ((0, 0),), (((0,), (0,)),)))),
]  # fmt: skip


@pytest.mark.parametrize(("law", "make"), BROKEN, ids=[law for law, _ in BROKEN])
def test_what_breaks_a_law_is_refused(law: str, make: Callable[[], object]) -> None:
    """[TOPOS-CATEGORY-1]"""
    with pytest.raises(AxiomError, match=re.escape(law)):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: cat.discrete(1_025),
        lambda: cat.preorder(50, [(a, b) for a in range(50) for b in range(50)]),
        lambda: pre.free(1, [(0, 0)]),
        lambda: pre.presented(Presentation(1, ((0, 0), (0, 0)), (((0, 1), (1, 0)),))),
        lambda: pre.presented(S3, 5),
    ],
    ids=[
        "arrows",
        "arrows of a preorder",
        "a free category with a cycle",
        "two commuting loops",
        "a limit given",
    ],
)
def test_what_is_too_large_is_refused(make: Callable[[], object]) -> None:
    """[TOPOS-BOUND-1]"""
    with pytest.raises(BoundExceeded):
        make()


def test_associativity_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """[TOPOS-BOUND-1]"""
    monkeypatch.setattr(cat, "TRIPLES", 0)
    assert cat.chain(3).size == 3
    with pytest.raises(BoundExceeded, match="composable triples"):
        cat.chain(4)


def test_sizes_of_known_categories() -> None:
    """[TOPOS-CATEGORY-2] [TOPOS-CATEGORY-3]"""
    assert len(cat.chain(4).source) == 10
    assert cat.chain(3).hom(0, 2) == (2,) and cat.chain(3).hom(2, 0) == ()
    assert len(cat.product(cat.chain(2), cat.chain(3)).source) == 18
    assert len(cat.discrete(3).proper_arrows) == 0
    assert cat.preorder(2, [(0, 1), (1, 0)]).is_thin()
    assert not pre.free(2, [(0, 1), (0, 1)]).category.is_thin()
    assert len(pre.presented(S3).category.source) == 6
    cyclic = Presentation(1, ((0, 0),), (((0,) * 12, ()),))
    assert len(pre.presented(cyclic).category.source) == 12


@settings(max_examples=60)
@given(some.categories())
def test_opposites_and_slices(category: Category) -> None:
    """Twice opposite is the same; the slice over c has an object for each arrow into c [TOPOS-CATEGORY-2]."""
    assert cat.opposite(cat.opposite(category)) == category
    for c in category.objects:
        found = cat.over_object(category, c)
        assert found.size == len(category.into[c])
        last = category.into[c].index(category.identities[c])
        assert all(len(found.hom(a, last)) == 1 for a in found.objects)


@settings(max_examples=40)
@given(some.categories())
def test_a_category_is_presented_by_its_table(category: Category) -> None:
    """[TOPOS-CATEGORY-3]"""
    found = pre.presented(pre.presentation_of(category))
    assert _is_isomorphic_along_edges(found, category)


def _is_isomorphic_along_edges(found: Presented, category: Category) -> bool:
    """Whether edges, which are the arrows other than identities, make the two categories the same."""
    arrow = dict(zip(category.identities, found.category.identities, strict=True))
    arrow |= dict(zip(category.proper_arrows, found.generators, strict=True))
    same = len(set(arrow.values())) == len(arrow) == len(found.category.source)
    pairs = itertools.product(category.arrows, repeat=2)
    return same and all(
        found.category.compose(arrow[g], arrow[f]) == arrow[category.compose(g, f)]
        for g, f in pairs
        if category.target[f] == category.source[g]
    )


def _quotient_case(choices: Choices) -> tuple[Category, list[tuple[int, int]]]:
    category = some.make_category(choices)
    parallel = [
        (f, g)
        for f, g in itertools.combinations(category.arrows, 2)
        if (category.source[f], category.target[f]) == (category.source[g], category.target[g])
    ]
    return category, choices.several(parallel, 2)


def quotients_are_congruences(case: tuple[Category, list[tuple[int, int]]]) -> None:
    """The quotient has an arrow for each class of the congruence, by brute force [TOPOS-CATEGORY-3]."""
    category, pairs = case
    unions = Unions(len(category.source))
    pending = list(pairs)
    while pending:
        f, g = pending.pop()
        if unions.find(f) == unions.find(g):
            continue
        unions.join(f, g)
        for h in category.arrows:
            if category.source[h] == category.target[f]:
                pending.append((category.compose(h, f), category.compose(h, g)))
            if category.target[h] == category.source[f]:
                pending.append((category.compose(f, h), category.compose(g, h)))
    assert len(pre.quotient(category, pairs).category.source) == max(unions.numbers()) + 1


QUOTIENTS = Property(quotients_are_congruences, some.built(_quotient_case, 32), 60)
test_quotients_are_congruences, test_quotients_are_congruences_deep = QUOTIENTS.tests()


# --- gluing --------------------------------------------------------------------------------------


def functors(shape: Presentation, target: Category) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All functors from a presented category, as the objects of its nodes and the arrows of its edges."""
    for objects in itertools.product(target.objects, repeat=shape.size):
        homs = [target.hom(objects[a], objects[b]) for a, b in shape.edges]
        for arrows in itertools.product(*homs):
            if all(
                _along(target, objects, arrows, left, shape.start((left, right)))
                == _along(target, objects, arrows, right, shape.start((left, right)))
                for left, right in shape.relations
            ):
                yield objects, arrows


def _along(
    target: Category, objects: tuple[int, ...], arrows: tuple[int, ...], path: pre.Path, start: int
) -> int:
    found = target.identities[objects[start]]
    for edge in path:
        found = target.compose(arrows[edge], found)
    return found


def _glue_case(choices: Choices) -> tuple[Presentation, Presentation, Overlap, Category]:
    shapes = []
    for _ in range(2):
        edges = tuple(choices.several(((0, 1), (0, 1), (1, 0), (0, 0)), 2, 1))
        shape = Presentation(2, edges)
        relations = tuple(choices.several(some.parallel_paths(shape), 1))
        shapes.append(replace(shape, relations=relations))
    nodes = tuple(choices.several(list(itertools.product(range(2), repeat=2)), 2))
    shared = [
        ((a, b), (left, right))
        for (a, x), (b, y) in itertools.product(enumerate(nodes), repeat=2)
        for left in [(), *((e,) for e in range(len(shapes[0].edges)))]
        for right in [(), *((e,) for e in range(len(shapes[1].edges)))]
        if shapes[0].ends(left, x[0]) == (x[0], y[0]) and shapes[1].ends(right, x[1]) == (x[1], y[1])
    ]
    chosen = choices.several(shared, 2)
    overlap = Overlap(nodes, tuple(ends for ends, _ in chosen), tuple(paths for _, paths in chosen))
    target = choices.pick((cat.chain(2), cat.monoid([[0, 1], [1, 0]]), cat.monoid([[0, 1], [1, 1]])))
    return shapes[0], shapes[1], overlap, target


def gluing_is_a_pushout(case: tuple[Presentation, Presentation, Overlap, Category]) -> None:
    """Functors on the glued category are pairs of functors that agree on the overlap [TOPOS-CATEGORY-4]."""
    first, second, overlap, target = case
    glued = pre.glue(first, second, overlap)
    found = {
        (
            tuple(objects[v] for v in glued.first),
            tuple(objects[v] for v in glued.second),
            arrows[: glued.shift],
            arrows[glued.shift :],
        )
        for objects, arrows in functors(glued.presentation, target)
    }
    expected = {
        (f_objects, g_objects, f, g)
        for f_objects, f in functors(first, target)
        for g_objects, g in functors(second, target)
        if all(f_objects[a] == g_objects[b] for a, b in overlap.nodes)
        and all(
            _along(target, f_objects, f, left, overlap.nodes[source][0])
            == _along(target, g_objects, g, right, overlap.nodes[source][1])
            for (source, _), (left, right) in zip(overlap.edges, overlap.paths, strict=True)
        )
    }
    assert found == expected


GLUING = Property(gluing_is_a_pushout, some.built(_glue_case, 32), 60)
test_gluing_is_a_pushout, test_gluing_is_a_pushout_deep = GLUING.tests()


def presented_categories_have_the_functors_of_their_presentation(
    case: tuple[Presentation, Presentation, Overlap, Category],
) -> None:
    """A functor on the category that was enumerated is one on the graph that respects the relations."""
    shape, _, _, target = case
    try:
        found = pre.presented(shape, 64)
    except BoundExceeded:
        return
    whole = pre.presentation_of(found.category)
    assert len(list(functors(whole, target))) == len(list(functors(shape, target)))


PRESENTED = Property(
    presented_categories_have_the_functors_of_their_presentation, some.built(_glue_case, 32), 40
)
test_presented_has_its_functors, test_presented_has_its_functors_deep = PRESENTED.tests()


def test_an_index_category_glued_from_two_chains() -> None:
    """0 → 1 and 1 → 2 along their shared node give 0 → 1 → 2 [TOPOS-CATEGORY-4]."""
    arrow = Presentation(2, ((0, 1),))
    glued = pre.glue(arrow, arrow, Overlap(((1, 0),)))
    assert (glued.first, glued.second, glued.shift) == ((0, 1), (1, 2), 1)
    assert glued.index.category == cat.chain(3)
    assert glued.index.arrow((0, 1)) == 2
    assert glued.index.arrow((), 2) == glued.index.category.identities[2]
