"""What the paper states and is not true as it stands: each counterexample of spec/25-topos.md."""

from __future__ import annotations

import itertools

import pytest
from strategies.presheaves import SQUARE

from potlang.topos import category, presheaf, sheaf, synthesis
from potlang.topos import diagram as dia
from potlang.topos import nucleus as nuc
from potlang.topos import slice as sli
from potlang.topos import subobject as sub
from potlang.topos.colimit import coproduct
from potlang.topos.diagram import Diagram
from potlang.topos.nucleus import Nucleus
from potlang.topos.omega import classifier
from potlang.topos.presentation import Overlap, Presentation, presented
from potlang.topos.presheaf import elements, terminal
from potlang.topos.slice import Reflector
from potlang.topos.subobject import Subobject
from potlang.topos.topology import from_objects, topologies, trivial
from potlang.topos.transformation import identity, relabelled

TWO = synthesis.space(2)
FIRST, SECOND = Subobject(TWO, 0b01), Subobject(TWO, 0b10)
TOP, BOTTOM = sub.top(TWO), sub.bottom(TWO)


def explode(x: Subobject) -> Subobject:
    """⊤ of everything but ⊥: extensive, monotone, idempotent, and no nucleus."""
    return TOP if x.mask else x


def test_definition_4_1_without_arrows_everything_is_closed() -> None:
    """A false proposition too, so closed cannot mean validated [TOPOS-NUCLEUS-2]."""
    c = nuc.from_rules(TWO, [])
    assert c.is_trivial()
    assert all(c.is_closed(x) for x in sub.subobjects(TWO))
    assert c.is_closed(BOTTOM) and not c.is_consistent(BOTTOM)


def test_definition_4_2_a_refinement_read_along_its_edge_weakens() -> None:
    """x > 2 refined to x > 5: an inclusion that holds anyway, and adds nothing [TOPOS-NUCLEUS-4]."""
    numbers = synthesis.space(8)
    more_than_2 = sub.where(numbers, lambda _, x: x > 2)
    more_than_5 = sub.where(numbers, lambda _, x: x > 5)
    assert nuc.from_rules(numbers, nuc.type_refinement(more_than_2, more_than_5)).is_trivial()
    along = nuc.from_rules(numbers, [(more_than_2, more_than_5)])
    assert synthesis.summary(along, [more_than_5]).at(0) == (3, 4, 5, 6, 7)


def test_theorem_4_5_the_summary_is_no_lower_bound_of_what_is_not_closed() -> None:
    """[TOPOS-SUMMARY-1]"""
    c = nuc.from_rules(TWO, [(TOP, FIRST)])
    assert not c.is_closed(FIRST)
    assert synthesis.summary(c, [FIRST]) == TOP
    assert not synthesis.summary(c, [FIRST]) <= FIRST


def test_corollary_4_6_two_copies_of_the_top() -> None:
    """Their colimit has two sheets, their limit, which extends 4.5, is the meet [TOPOS-COLIMIT-2]."""
    one = terminal(category.chain(2))
    reflector = Reflector(trivial(classifier(one.category)), one)
    copies = Diagram(Presentation(2, ()), one, (identity(one), identity(one)), ())
    colimit = dia.summary(reflector, copies).sheaf
    assert colimit.source.sizes == (2, 2)
    assert not colimit.is_mono()
    assert sli.as_subobject(dia.meet_summary(reflector, copies).at_base) == sub.top(one)


def test_theorem_4_8_closed_and_not_empty_says_nothing() -> None:
    """S = {1, 2}, P = {1}, the arrow P ≤ {2} [TOPOS-CONSISTENT-1]."""
    c = nuc.from_rules(TWO, [(FIRST, SECOND)])
    assert c.is_closed(FIRST) and FIRST != BOTTOM
    assert c.closure(FIRST) == c.closure(BOTTOM)
    assert not synthesis.consistent(c, [FIRST])


def test_theorem_4_8_pairs_are_not_enough() -> None:
    """Each two of three propositions are consistent, all three are not [TOPOS-CONSISTENT-1]."""
    three = synthesis.space(3)
    family = [Subobject(three, mask) for mask in (0b011, 0b110, 0b101)]
    c = nuc.from_rules(three, [])
    assert all(synthesis.consistent(c, pair) for pair in itertools.combinations(family, 2))
    assert not synthesis.consistent(c, family)


def test_theorem_4_8_arrows_are_checked_jointly() -> None:
    """p → q and p → ¬q are each consistent with p, together they are not [TOPOS-CONSISTENT-1]."""
    four = synthesis.space(4)
    p, q = (sub.where(four, lambda _, m, b=b: bool(m >> b & 1)) for b in range(2))
    rules = [(p, q), (p, ~q)]
    assert all(synthesis.consistent(nuc.from_rules(four, [rule]), [p]) for rule in rules)
    assert not synthesis.consistent(nuc.from_rules(four, rules), [p])


def test_proposition_4_14_2_a_new_arrow_makes_the_summary_grow() -> None:
    """[TOPOS-SUMMARY-3]"""
    before, after = nuc.from_rules(TWO, []), nuc.from_rules(TWO, [(TOP, FIRST)])
    assert synthesis.summary(before, [FIRST]) < synthesis.summary(after, [FIRST])


def test_proposition_4_14_3_needs_a_nucleus() -> None:
    """c(⋀ c(P)) differs from c(⋀ P) for a closure operator [TOPOS-SUMMARY-4]."""
    assert nuc.failing_law(TWO, explode) == "c(X ∧ Y) is c(X) ∧ c(Y)"
    assert explode(explode(FIRST) & explode(SECOND)) == TOP
    assert explode(FIRST & SECOND) == BOTTOM


def test_proposition_4_14_4_of_two_equivalent_propositions_one_stays() -> None:
    """[TOPOS-REDUNDANT-1]"""
    c = nuc.from_rules(TWO, [])
    family = [FIRST, FIRST]
    assert synthesis.redundant(c, family, 0) and synthesis.redundant(c, family, 1)
    assert synthesis.irredundant(c, family) == (0,)


def test_proposition_4_18_the_last_step_need_not_be_closed() -> None:
    """[TOPOS-CHAIN-1]"""
    c = nuc.from_rules(TWO, [(TOP, FIRST)])
    assert synthesis.summary(c, [TOP, FIRST]) == c.closure(FIRST) != FIRST


def test_proposition_4_18_along_arrows_the_strongest_comes_first() -> None:
    """An arrow P → Q is P ≤ Q, so the summary of P1 → P2 is P1, not P2 [TOPOS-CHAIN-1]."""
    c = nuc.from_rules(TWO, [])
    assert FIRST <= TOP
    assert synthesis.summary(c, [FIRST, TOP]) == FIRST


def test_proposition_4_20_needs_a_nucleus_and_no_independence() -> None:
    """[TOPOS-SUMMARY-5]"""
    assert explode(FIRST & SECOND) != explode(explode(FIRST) & explode(SECOND))
    c = nuc.from_rules(TWO, [(TOP, FIRST)])
    shared = [FIRST], [FIRST, SECOND]
    parts = [synthesis.summary(c, part) for part in shared]
    assert c.closure(parts[0] & parts[1]) == synthesis.summary(c, [*shared[0], *shared[1]])


def test_theorem_4_22_a_monotone_embedding_into_a_chain_exists() -> None:
    """All of Sub(S) goes to a chain one to one, keeping order; order is not reflected [TOPOS-CHAIN-2]."""
    c = nuc.from_rules(TWO, [])
    assert synthesis.incomparable(c, [FIRST, SECOND]) == ((0, 1),)
    position = {BOTTOM: 0, FIRST: 1, SECOND: 2, TOP: 3}
    pairs = list(itertools.product(position, repeat=2))
    assert all(position[x] <= position[y] for x, y in pairs if x <= y)
    assert [(x, y) for x, y in pairs if position[x] <= position[y] and not x <= y] == [(FIRST, SECOND)]


def test_theorem_4_22_incomparable_propositions_may_have_one_closure() -> None:
    """[TOPOS-CHAIN-2]"""
    c = nuc.from_rules(TWO, nuc.equivalence(FIRST, SECOND))
    assert not FIRST <= SECOND and not SECOND <= FIRST
    assert c.closure(FIRST) == c.closure(SECOND)
    assert synthesis.incomparable(c, [FIRST, SECOND]) == ()


def test_lemma_c_1_closed_in_the_naive_sense_preserves_no_meets() -> None:
    """With "Q ≤ Y implies P ≤ Y" the closed sets of two atoms give no nucleus [TOPOS-NUCLEUS-2]."""

    def naive(x: Subobject, premise: Subobject = FIRST, conclusion: Subobject = SECOND) -> Subobject:
        closed = [y for y in sub.subobjects(TWO) if premise <= y or not conclusion <= y]
        return sub.meet(TWO, [y for y in closed if x <= y])

    assert nuc.failing_law(TWO, naive) == "c(X ∧ Y) is c(X) ∧ c(Y)"
    assert naive(FIRST & SECOND) == BOTTOM
    assert naive(FIRST) & naive(SECOND) == FIRST
    assert nuc.failing_law(TWO, nuc.from_rules(TWO, [(FIRST, SECOND)]).closure) is None


def test_lemma_c_1_composing_the_nuclei_of_single_rules_once_is_not_enough() -> None:
    """Contexts 0 → 1, rules ⊤ ≤ P and P ≤ ⊥ with P at 0 alone [TOPOS-NUCLEUS-3]."""
    one = terminal(category.chain(2))
    early, none = Subobject(one, 0b01), sub.bottom(one)
    rules = [(sub.top(one), early), (early, none)]
    once = none
    for premise, conclusion in rules:
        once = nuc.one_rule(premise, conclusion, once)
    assert once == early
    assert nuc.rule_fixpoint(rules, none) == nuc.from_rules(one, rules).closure(none) == sub.top(one)


def test_a_nucleus_is_not_stable_along_all_maps() -> None:
    """T = {1} under the swap of {1, 2}; of the four nuclei two are topologies [TOPOS-NUCLEUS-5]."""
    swap = relabelled(TWO, [[1, 0]])
    c = Nucleus(TWO, FIRST.mask)
    assert swap.target == TWO
    assert c.closure(sub.preimage(swap, FIRST)) != sub.preimage(swap, c.closure(FIRST))
    assert len(nuc.nuclei(TWO)) == 4
    assert len(topologies(classifier(TWO.category))) == 2


@pytest.mark.parametrize("pairs", [(), ((0, 1),), ((0, 1), (0, 2)), ((0, 2), (1, 2)), ((0, 1), (1, 2))])
def test_over_a_poset_nuclei_are_topologies_of_the_slice(pairs: tuple[tuple[int, int], ...]) -> None:
    """One topology on the category of elements for each nucleus, with the same closure [TOPOS-NUCLEUS-6]."""
    contexts = category.preorder(3, pairs)
    for whole in (terminal(contexts), presheaf.representable(contexts, 2)):
        found = topologies(classifier(elements(whole).category))
        by_points = [nuc.from_operator(whole, lambda x, j=j: sli.slice_closure(j, x)) for j in found]
        assert sorted(c.points for c in by_points) == [c.points for c in nuc.nuclei(whole)]
        for j, c in zip(found, by_points, strict=True):
            assert all(sli.slice_closure(j, x) == c.closure(x) for x in sub.subobjects(whole))


def test_over_a_monoid_there_are_more_topologies_than_nuclei() -> None:
    """The monoid with one idempotent: Sub(1) has two nuclei, the topos three topologies [TOPOS-NUCLEUS-6]."""
    one = terminal(category.monoid([[0, 1], [1, 1]]))
    assert len(nuc.nuclei(one)) == 2
    assert len(topologies(classifier(elements(one).category))) == 3


def test_proposition_c_3_a_shared_node_outside_the_overlap_is_counted_twice() -> None:
    """[TOPOS-GLUE-1]"""
    one = terminal(category.discrete(1))
    single = Diagram(Presentation(1, ()), one, (identity(one),), ())
    apart, _ = dia.glued_colimit(single, single, Overlap())
    together, _ = dia.glued_colimit(single, single, Overlap(((0, 0),)))
    assert apart.vertex.sizes == (2,)
    assert together.vertex.sizes == single.colimit.over.source.sizes == (1,)


def test_one_plus_construction_is_not_enough() -> None:
    """A square whose sheaves live on its middle two objects, values that differ below [TOPOS-SHEAF-1]."""
    contexts = presented(SQUARE).category
    topology = from_objects(classifier(contexts), (1, 2))
    parts = [presheaf.representable(contexts, c) for c in (1, 2)]
    whole = coproduct(contexts, parts).vertex
    once = sheaf.plus(topology, whole)
    assert sheaf.is_separated(topology, once.presheaf)
    assert not sheaf.is_sheaf(topology, once.presheaf)
    twice = sheaf.sheafify(topology, whole)
    assert sheaf.is_sheaf(topology, twice.presheaf)
