"""Topologies and nuclei: all of them, by brute force and by exhaustion of small lattices."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from strategies import presheaves as some
from strategies.presheaves import Choices, Site, Validation
from topos_support import Property

from potlang.topos import category as cat
from potlang.topos import nucleus as nuc
from potlang.topos import omega as om
from potlang.topos import presheaf as pre
from potlang.topos import subobject as sub
from potlang.topos import synthesis
from potlang.topos import topology as top
from potlang.topos import transformation as tra
from potlang.topos.errors import AxiomError, BoundExceeded
from potlang.topos.nucleus import Nucleus
from potlang.topos.omega import Omega
from potlang.topos.orders import bits
from potlang.topos.presheaf import Presheaf
from potlang.topos.subobject import Subobject
from potlang.topos.topology import Topology

CHAIN = cat.chain(2)
OMEGA = om.classifier(CHAIN)  # two sieves on 0, three on 1
LOOP = cat.monoid([[0, 1], [1, 0]])


def test_each_law_of_topologies_is_checked() -> None:
    """Of all maps Ω → Ω over two contexts 0 → 1, each law is broken by some [TOPOS-TOPOLOGY-1]."""
    laws = {top.failing_law(OMEGA, j) for j in tra.maps(OMEGA.presheaf, OMEGA.presheaf)}
    assert laws >= {None, "j(true) is true"}
    square = om.classifier(cat.product(CHAIN, CHAIN))
    more = {top.failing_law(square, j) for j in tra.maps(square.presheaf, square.presheaf)}
    assert more == {None, "j(true) is true", "j ∘ j is j", "j(R ∩ Q) is j(R) ∩ j(Q)"}


BROKEN: list[tuple[str, Callable[[], object]]] = [
    ("j(true) is true", lambda: Topology(OMEGA, ((0, 0), (0, 0, 0)))),
    ("j goes from Ω to Ω", lambda: top.failing_law(om.classifier(LOOP), top.trivial(OMEGA).map)),
    ("idempotent two-sided ideal", lambda: top.from_ideal(OMEGA, 0b001)),
    ("idempotent two-sided ideal", lambda: top.from_ideal(OMEGA, 0b010)),
    ("is a sieve on 1", lambda: top.from_covers(OMEGA, [[], [0b100]])),
    ("has a set of points", lambda: Nucleus(synthesis.space(1), 2)),
    ("belong together", lambda: Nucleus(pre.representable(LOOP, 0), 1)),
    ("of the same presheaf", lambda: Nucleus(synthesis.space(1), 1).closure(sub.top(synthesis.space(2)))),
    ("on the same lattice", lambda: Nucleus(synthesis.space(1), 1) | Nucleus(synthesis.space(2), 1)),
    ("on the same lattice", lambda: Nucleus(synthesis.space(1), 1) <= Nucleus(synthesis.space(2), 1)),
    ("of the same presheaf", lambda: nuc.from_rules(
        synthesis.space(1), nuc.local_entailment(sub.top(synthesis.space(2)), sub.top(synthesis.space(2))))),
]  # fmt: skip


@pytest.mark.parametrize(("law", "make"), BROKEN, ids=[law for law, _ in BROKEN])
def test_what_breaks_a_law_is_refused(law: str, make: Callable[[], object]) -> None:
    """[TOPOS-TOPOLOGY-1] [TOPOS-NUCLEUS-1]"""
    with pytest.raises(AxiomError, match=re.escape(law)):
        make()


def test_too_many_nuclei_are_refused() -> None:
    """[TOPOS-BOUND-1]"""
    with pytest.raises(BoundExceeded, match="nuclei"):
        nuc.nuclei(synthesis.space(17))


# --- topologies ----------------------------------------------------------------------------------


def make_omega(choices: Choices) -> Omega:
    return om.classifier(some.make_category(choices))


def topologies_are_all_topologies(omega: Omega) -> None:
    """Idempotent ideals give all maps Ω → Ω with the laws, none twice [TOPOS-TOPOLOGY-2]."""
    found = top.topologies(omega)
    assert found[0].is_degenerate() and found[-1].is_trivial()
    tables = [j.table for j in found]
    assert len(set(tables)) == len(tables)
    by_law = [
        j.components
        for j in tra.maps(omega.presheaf, omega.presheaf, 3_000)
        if top.failing_law(omega, j) is None
    ]
    assert sorted(tables) == sorted(by_law)


def topologies_are_their_least_covers(omega: Omega) -> None:
    """R covers c exactly if it holds the least cover; what is generated is the least [TOPOS-TOPOLOGY-2]."""
    found = top.topologies(omega)
    for j in found:
        for c, covers in enumerate(j.covers):
            assert covers == tuple(sieve for sieve in omega.sieves[c] if not j.least[c] & ~sieve)
        assert top.from_ideal(omega, j.ideal) == j
        assert top.from_covers(omega, [[least] for least in j.least]) == j
    for c in omega.category.objects:
        for sieve in omega.sieves[c]:
            wanted = [[sieve] if d == c else [] for d in omega.category.objects]
            generated = top.from_covers(omega, wanted)
            able = [j for j in found if sieve in j.covers[c]]
            assert generated in able
            assert all(
                set(row) <= set(other)
                for j in able
                for row, other in zip(generated.covers, j.covers, strict=True)
            )


def known_topologies(omega: Omega) -> None:
    """¬¬ is the largest topology in which nothing is covered by nothing [TOPOS-TOPOLOGY-2]."""
    found = top.topologies(omega)
    assert top.trivial(omega) == found[-1]
    assert top.degenerate(omega) == found[0]
    dense = top.double_negation(omega)
    without_empty = [j for j in found if all(0 not in row for row in j.covers)]
    assert dense in without_empty
    assert all(not dense.ideal & ~j.ideal for j in without_empty)
    objects = list(omega.category.objects)
    assert top.from_objects(omega, objects) == top.trivial(omega)
    for c in objects:
        assert top.from_objects(omega, [c]).least[c] == omega.sieves[c][-1]


def closure_is_by_sieves(site: Site) -> None:
    """x is in the closure of P if the sieve of x in P covers [TOPOS-TOPOLOGY-3]."""
    j = site.topology
    for c in site.category.objects:
        whole = pre.representable(site.category, c)
        for x in sub.subobjects(whole):
            closed = j.closure(x)
            for p, (d, _) in enumerate(whole.points):
                assert (p in closed) == (om.sieve_of(x, p) in j.covers[d])
                assert (p in closed) == (not j.least[d] & ~om.sieve_of(x, p))
            assert j.is_closed(x) == (closed == x)
            assert j.is_dense(x) == (closed == sub.top(whole))


# --- nuclei --------------------------------------------------------------------------------------


def make_lattice(choices: Choices) -> Presheaf:
    return some.make_presheaf(choices, some.make_category(choices), 1, 2, 5)


def nuclei_are_all_nuclei(whole: Presheaf) -> None:
    """Sets of points are all operators with the laws of nuclei [TOPOS-NUCLEUS-1]."""
    found = nuc.nuclei(whole)
    subs = sub.subobjects(whole)
    for c in found:
        assert nuc.failing_law(whole, c.closure) is None
        assert nuc.from_operator(whole, c.closure) == c
        assert c.closed == tuple(x for x in subs if c.closure(x) == x)
        assert c.is_trivial() == (len(c.closed) == len(subs))
        assert c.is_degenerate() == (len(c.closed) == 1)
        for x in subs:
            assert c.is_dense(x) == (c.closure(x) == sub.top(whole))
    for c, d in itertools.product(found, repeat=2):
        assert (c <= d) == all(c.closure(x) <= d.closure(x) for x in subs)
        assert set((c | d).closed) == set(c.closed) & set(d.closed)
    if len(subs) <= 5:
        above = [[y for y in subs if x <= y] for x in subs]
        operators = (dict(zip(subs, row, strict=True)) for row in itertools.product(*above))
        lawful = [row for row in operators if nuc.failing_law(whole, row.__getitem__) is None]
        assert len(lawful) == len(found)


def nuclei_are_from_rules(by: Validation) -> None:
    """Any nucleus is that of the rules c(X) ≤ X [TOPOS-NUCLEUS-2]."""
    rules = [(by.nucleus.closure(x), x) for x in sub.subobjects(by.whole)]
    assert nuc.from_rules(by.whole, rules) == by.nucleus


def the_classical_case(by: Validation) -> None:
    """c(X) is X ∨ ¬R and R ⇒ X exactly where Sub(S) is Boolean [TOPOS-NUCLEUS-7]."""
    rules = by.rules or ()
    if sub.is_boolean(by.whole):
        implications = sub.meet(by.whole, [p >> q for p, q in rules])
        for x in sub.subobjects(by.whole):
            assert by.nucleus.closure(x) == nuc.classical(rules, x) == (implications >> x)
            for y in sub.subobjects(by.whole):
                assert by.nucleus.entails(x, y) == (implications & x <= y)


def make_classical(choices: Choices) -> Validation:
    """Rules over discrete contexts, or over a group: Sub(S) is Boolean."""
    contexts = choices.pick((cat.discrete(1), cat.discrete(2), LOOP))
    whole = pre.constant(contexts, 1 + choices.below(3))
    rules = some.make_rules(choices, whole)
    return Validation(whole, nuc.from_rules(whole, rules), rules=rules)


def posets(size: int) -> list[cat.Category]:
    """All partial orders on `size` objects that have 0 < 1 < … as a linear extension."""
    pairs = list(itertools.combinations(range(size), 2))
    found = {}
    for chosen in itertools.product((False, True), repeat=len(pairs)):
        order = cat.preorder(size, list(itertools.compress(pairs, chosen)))
        found[order.source, order.target] = order
    return list(found.values())


def agree(whole: Presheaf, rules: list[nuc.Rule]) -> None:
    """Points, fixpoint and meet of the closed are one operator."""
    c = nuc.from_rules(whole, rules)
    for x in sub.subobjects(whole):
        assert c.closure(x) == nuc.rule_fixpoint(rules, x) == nuc.rule_meet(rules, x)


def test_all_lattices_of_down_sets_with_up_to_three_points() -> None:
    """Each rule on each of them [TOPOS-NUCLEUS-2] [TOPOS-NUCLEUS-3]."""
    for order in itertools.chain.from_iterable(map(posets, range(4))):
        whole = pre.terminal(order)
        for p, q in itertools.product(sub.subobjects(whole), repeat=2):
            agree(whole, [(p, q)])
            c = nuc.from_rules(whole, [(p, q)])
            assert all(c.closure(x) == nuc.one_rule(p, q, x) for x in sub.subobjects(whole))


@pytest.mark.slow
def test_all_lattices_of_down_sets_with_up_to_four_points() -> None:
    """Each rule, and each two rules that say something, on each [TOPOS-NUCLEUS-2] [TOPOS-NUCLEUS-7]."""
    lattices = {_shape(whole): whole for whole in map(pre.terminal, posets(4))}
    assert len(lattices) == 16
    for whole in lattices.values():
        subs = sub.subobjects(whole)
        single = itertools.product(subs, repeat=2)
        telling = [(p, q) for p, q in itertools.product(subs, repeat=2) if q < p]
        for rules in [*([rule] for rule in single), *map(list, itertools.combinations(telling, 2))]:
            c = nuc.from_rules(whole, rules)
            for x in subs:
                assert c.closure(x) == nuc.rule_fixpoint(rules, x)
                assert c.is_closed(x) == nuc.is_rule_closed(rules, x)
                if sub.is_boolean(whole):
                    assert c.closure(x) == nuc.classical(rules, x)


def _shape(whole: Presheaf) -> tuple[tuple[int, int], ...]:
    """How many points lie below and above each point; on four points this tells posets apart."""
    below = whole.below
    return tuple(sorted((mask.bit_count(), sum(m >> p & 1 for m in below)) for p, mask in enumerate(below)))


def test_points_of_a_nucleus_are_read_off_the_operator() -> None:
    """T holds p exactly if p is not in c(what is properly below p) [TOPOS-NUCLEUS-1]."""
    whole = pre.representable(cat.chain(3), 2)
    for c in nuc.nuclei(whole):
        for p in range(3):
            lower = Subobject(whole, whole.below[p] & ~(1 << p))
            assert (p in set(bits(c.points))) == (p not in c.closure(lower))


OMEGAS = some.built(make_omega, 32)
ALL, LEAST, KNOWN = (
    Property(check, OMEGAS, 25)
    for check in (topologies_are_all_topologies, topologies_are_their_least_covers, known_topologies)
)
CLOSURE = Property(closure_is_by_sieves, some.sites(), 25)
NUCLEI = Property(nuclei_are_all_nuclei, some.built(make_lattice, 48), 20)
RULES = Property(nuclei_are_from_rules, some.validations(), 25)
CLASSICAL = Property(the_classical_case, some.built(make_classical, 48), 25)

test_topologies_are_all_topologies, test_topologies_are_all_topologies_deep = ALL.tests()
test_topologies_are_their_least_covers, test_topologies_are_their_least_covers_deep = LEAST.tests()
test_known_topologies, test_known_topologies_deep = KNOWN.tests()
test_closure_is_by_sieves, test_closure_is_by_sieves_deep = CLOSURE.tests()
test_nuclei_are_all_nuclei, test_nuclei_are_all_nuclei_deep = NUCLEI.tests()
test_nuclei_are_from_rules, test_nuclei_are_from_rules_deep = RULES.tests()
test_the_classical_case, test_the_classical_case_deep = CLASSICAL.tests()
