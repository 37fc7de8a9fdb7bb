"""The numbered statements of the paper about the lattice of subobjects, as they are true.

Each is a function of one random input that fails where the statement does; see spec/25-topos.md.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import reduce

from hypothesis.strategies import SearchStrategy
from strategies import presheaves as some
from strategies.presheaves import Choices, Site, Validation
from topos_support import Validated, closed_of, closure_of, maps_into_chain, meet_of, summary_of

from potlang.topos import nucleus as nuc
from potlang.topos import slice as sli
from potlang.topos import subobject as sub
from potlang.topos import synthesis
from potlang.topos.nucleus import Nucleus
from potlang.topos.omega import classifier
from potlang.topos.presheaf import elements
from potlang.topos.subobject import Subobject
from potlang.topos.transformation import Map

# --- summaries -----------------------------------------------------------------------------------


def theorem_4_5(case: Validated) -> None:
    """4.5: c(⋀ P) is ⋀ c(P), the meet in the lattice of closed subobjects [TOPOS-SUMMARY-1]."""
    found = summary_of(case)
    closures = [case.by.closure(p) for p in case.family]
    assert found == meet_of(case.whole, closures)
    lattice = closed_of(case.by)
    assert found in lattice
    assert all(x <= found for x in lattice if all(x <= p for p in closures))
    joined = closure_of(case.by, sub.join(case.whole, case.family))
    assert all(joined <= x for x in lattice if all(p <= x for p in closures))


def theorem_4_8(case: Validated) -> None:
    """4.8: consistent is c(⋀ P) ≠ c(⊥), that is (⋀ P) ∩ T ≠ ∅ [TOPOS-CONSISTENT-1].

    As the paper has it: what all propositions hold at a context is in the summary there.
    """
    found, met = summary_of(case), meet_of(case.whole, case.family)
    assert all(set(met.at(c)) <= set(found.at(c)) for c in case.whole.category.objects)
    least = closure_of(case.by, sub.bottom(case.whole))
    consistent = synthesis.consistent(case.by.nucleus, case.family)
    assert consistent == (found != least)
    assert consistent == bool(met.mask & case.by.nucleus.points)
    assert consistent == any(not met <= x for x in closed_of(case.by))


def corollary_4_10(case: Validated) -> None:
    """4.10: where the propositions have a common element of T, they are consistent, and so is each part."""
    common = [p for p in range(len(case.whole.points)) if all(p in member for member in case.family)]
    if any(case.by.nucleus.points >> p & 1 for p in common):
        for count in range(len(case.family) + 1):
            for part in itertools.combinations(case.family, count):
                assert synthesis.consistent(case.by.nucleus, part)


def proposition_4_14_1(case: Validated) -> None:
    """4.14.1: the meet of a finite family exists, in any order; that of none is ⊤ [TOPOS-SUMMARY-2]."""
    expected = case.by.closure(meet_of(case.whole, case.family))
    for order in itertools.islice(itertools.permutations(case.family), 6):
        assert synthesis.summary(case.by.nucleus, order) == expected
        folded = reduce(lambda x, y: x & y, order, sub.top(case.whole))
        assert case.by.closure(folded) == expected


def proposition_4_14_2(case: Validated) -> None:
    """4.14.2: under a fixed c one more proposition can only strengthen the summary [TOPOS-SUMMARY-3]."""
    *family, new = case.family
    smaller = case.by.closure(sub.meet(case.whole, case.family))
    assert smaller <= case.by.closure(sub.meet(case.whole, family))
    assert synthesis.summary(case.by.nucleus, [*family, new]) <= synthesis.summary(case.by.nucleus, family)


def proposition_4_14_3(case: Validated) -> None:
    """4.14.3: c(⋀ c(P)) is c(⋀ P), for a nucleus [TOPOS-SUMMARY-4]."""
    again = sub.meet(case.whole, [case.by.closure(p) for p in case.family])
    assert case.by.closure(again) == summary_of(case) == again


def proposition_4_14_4(case: Validated) -> None:
    """4.14.4: redundant is what the summary does not change without [TOPOS-REDUNDANT-1]."""
    whole = summary_of(case)
    for at, member in enumerate(case.family):
        others = [p for index, p in enumerate(case.family) if index != at]
        rest = case.by.closure(meet_of(case.whole, others))
        redundant = synthesis.redundant(case.by.nucleus, case.family, at)
        assert redundant == (rest == whole)
        if meet_of(case.whole, others) <= member:
            assert redundant
    kept = [case.family[at] for at in synthesis.irredundant(case.by.nucleus, case.family)]
    assert synthesis.summary(case.by.nucleus, kept) == whole
    assert not any(synthesis.redundant(case.by.nucleus, kept, at) for at in range(len(kept)))


def proposition_4_16(case: Validated) -> None:
    """4.16: c(⋀ P) is the greatest closed lower bound of the c(P), not of the P [TOPOS-SUMMARY-1].

    It is one of the P if they are closed; and whatever is closed and below the P is below it.
    """
    found, lattice = summary_of(case), closed_of(case.by)
    closures = [closure_of(case.by, p) for p in case.family]
    lower = [x for x in lattice if all(x <= p for p in closures)]
    assert found in lower
    assert all(x <= found for x in lower)
    below = [x for x in lattice if all(x <= p for p in case.family)]
    assert all(x <= found for x in below)
    if all(p in lattice for p in case.family):
        assert found in below


def proposition_4_18(case: Validated) -> None:
    """4.18: the summary of P1 ≥ … ≥ Pn is c(Pn), and Pn only where that is closed [TOPOS-CHAIN-1].

    Of arrows P1 → … → Pn, which go to what is weaker, it is c(P1).
    """
    chain = list(itertools.accumulate(case.family, lambda x, y: x & y))
    found = case.by.closure(sub.meet(case.whole, chain))
    assert found == synthesis.summary(case.by.nucleus, chain) == closure_of(case.by, chain[-1])
    assert (found == chain[-1]) == (chain[-1] in closed_of(case.by))
    arrows = list(itertools.pairwise(case.family))
    claimed = Nucleus(case.whole, case.by.nucleus.points) | nuc.from_rules(case.whole, arrows)
    assert synthesis.summary(claimed, case.family) == claimed.closure(case.family[0])


def proposition_4_20(case: Validated) -> None:
    """4.20: c(c(⋀ A) ∧ c(⋀ B)) is c(⋀ (A ∪ B)), whether or not A and B share something [TOPOS-SUMMARY-5]."""
    for cut in range(len(case.family) + 1):
        for overlap in range(cut + 1):
            left, right = case.family[:cut], case.family[cut - overlap :]
            parts = [case.by.closure(meet_of(case.whole, part)) for part in (left, right)]
            assert case.by.closure(parts[0] & parts[1]) == parts[0] & parts[1] == summary_of(case)


def theorem_4_22(case: Validated) -> None:
    """4.22: a family maps to a chain so that order is reflected exactly if no two are incomparable modulo c.

    A map that merely preserves order, and keeps different closures apart, always exists [TOPOS-CHAIN-2].
    """
    closures = [case.by.closure(p) for p in case.family]
    size = range(len(closures))
    below = [[x <= y for y in closures] for x in closures]
    reflecting = preserving = False
    for f in maps_into_chain(len(closures)):
        pairs = list(itertools.product(size, repeat=2))
        reflecting |= all(below[a][b] for a, b in pairs if f[a] <= f[b])
        preserving |= all(f[a] <= f[b] for a, b in pairs if below[a][b]) and all(
            (f[a] == f[b]) == (closures[a] == closures[b]) for a, b in pairs
        )
    assert reflecting == (not synthesis.incomparable(case.by.nucleus, case.family))
    assert preserving


def counterevidence_4_5(case: Validated) -> None:
    """Section 4.5: c((⋁ valid) ∧ ¬I) is closed, entails no I, and is antitone in I [TOPOS-VARIANTS-1]."""
    against, more, *valid = case.family
    found = synthesis.with_counterevidence(case.by.nucleus, valid, against)
    assert found in closed_of(case.by)
    assert not case.by.nucleus.is_consistent(found & case.by.closure(against))
    assert synthesis.with_counterevidence(case.by.nucleus, valid, against | more) <= found
    joined = closure_of(case.by, sub.join(case.whole, valid))
    assert synthesis.with_counterevidence(case.by.nucleus, valid, sub.bottom(case.whole)) == joined


# --- nuclei from rules ---------------------------------------------------------------------------


def lemma_c_1(case: Validated) -> None:
    """C.1: rules generate a nucleus: points, fixpoint and meet of the closed agree [TOPOS-NUCLEUS-2]."""
    rules, nucleus = case.by.rules or (), case.by.nucleus
    for x in case.family:
        closed = nuc.rule_meet(rules, x)
        assert nucleus.closure(x) == closed == nuc.rule_fixpoint(rules, x)
        assert nucleus.is_closed(x) == nuc.is_rule_closed(rules, x)
    assert nuc.failing_law(case.whole, nucleus.closure) is None
    assert nuc.from_operator(case.whole, nucleus.closure) == nucleus
    assert all(nucleus.closure(p) <= nucleus.closure(q) for p, q in rules)


def lemma_c_1_least(case: Validated) -> None:
    """C.1: of all nuclei with c(P) ≤ c(Q) for each rule, it is the least [TOPOS-NUCLEUS-2]."""
    rules, nucleus = case.by.rules or (), case.by.nucleus
    others = nuc.nuclei(case.whole, 1 << 8)
    sound = [other for other in others if all(other.closure(p) <= other.closure(q) for p, q in rules)]
    assert nucleus in sound
    for other in sound:
        assert nucleus <= other
        assert all(nucleus.closure(x) <= other.closure(x) for x in case.family)


def lemma_c_1_one_rule(case: Validated) -> None:
    """C.1: the nucleus of one rule is (P ∨ X) ∧ (Q ⇒ X), and entailment is X ∩ T ⊆ Y [TOPOS-NUCLEUS-3]."""
    premise, conclusion, *others = case.family
    nucleus = nuc.from_rules(case.whole, [(premise, conclusion)])
    for x in others:
        assert nucleus.closure(x) == nuc.one_rule(premise, conclusion, x)
        assert nucleus.closure(x) == nuc.rule_meet([(premise, conclusion)], x)
        for y in others:
            assert nucleus.entails(x, y) == (nucleus.closure(x) <= nucleus.closure(y))


def lemma_c_1_monos(case: Validated) -> None:
    """C.1: a nucleus is stable under pullback along monos into S [TOPOS-NUCLEUS-5]."""
    nucleus = case.by.nucleus
    for member, x in itertools.product(case.family, repeat=2):
        inclusion = member.inclusion
        part = nuc.restricted(nucleus, member)
        pulled = sub.preimage(inclusion, x)
        assert part.closure(pulled) == sub.preimage(inclusion, nucleus.closure(x))
        for y in sub.subobjects(inclusion.source):
            above = nucleus.closure(sub.image(inclusion, y))
            assert part.closure(y) == sub.preimage(inclusion, above)


def lemma_c_1_schemas(case: Validated) -> None:
    """C.1: LE, EQ and TR give one inclusion, both, and that of the refinement [TOPOS-NUCLEUS-4]."""
    p, q, *others = case.family
    for x in others:
        assert nuc.from_rules(case.whole, nuc.local_entailment(p, q)).entails(p & x, q)
        both = nuc.from_rules(case.whole, nuc.equivalence(p, q))
        assert both.closure(p & x) == both.closure(q & x)
        assert nuc.from_rules(case.whole, nuc.type_refinement(p, q)).entails(q & x, p)


def lemma_c_1_slice(case: Validated) -> None:
    """C.1: the nucleus of rules is the closure of a topology of the slice [TOPOS-NUCLEUS-6]."""
    rules, base = case.by.rules or (), elements(case.whole)
    omega = classifier(base.category)
    topology = sli.rule_topology(omega, base, rules)
    # Without Ω, for contexts that have too many sieves, it is the same topology.
    covers = sli.rule_covers(base, rules)
    assert (covers.least, covers.ideal) == (topology.least, topology.ideal)
    for x in case.family:
        assert sli.slice_closure(topology, x) == case.by.nucleus.closure(x)


def ranked_nuclei(case: Validated) -> None:
    """Appendix C.3: nuclei of rules up to a rank increase with the rank [TOPOS-VARIANTS-2]."""
    rules = [(at % 2 + at // 2, rule) for at, rule in enumerate(case.by.rules or ())]
    found = synthesis.ranked(case.whole, rules)
    assert found[-1] == case.by.nucleus
    for rank, nucleus in enumerate(found):
        kept = [rule for at, rule in rules if at <= rank]
        for x in case.family:
            assert nucleus.closure(x) == nuc.rule_meet(kept, x)
            assert rank == 0 or found[rank - 1].closure(x) <= nucleus.closure(x)


@dataclass(frozen=True)
class Pulled:
    """A map of presheaves on a site, and some subobjects of its target."""

    site: Site
    arrow: Map
    family: tuple[Subobject, ...]

    @property
    def is_proper(self) -> bool:
        return self.site.is_proper


def pulled() -> SearchStrategy[Pulled]:
    """Any map X → S on a site, and subobjects of S."""

    def make(choices: Choices) -> Pulled:
        found = some.make_sliced(choices, 0, 0)
        arrow = some.make_object_over(choices, found.base, 3)
        return Pulled(found.site, arrow, some.make_family(choices, found.base, 1, 3))

    return some.built(make, 80)


def topology_as_nucleus(case: Pulled) -> None:
    """The closure of a topology is a nucleus on each Sub(S), stable along all maps [TOPOS-NUCLEUS-5]."""
    close, whole = case.site.topology.closure, case.arrow.target
    assert nuc.failing_law(whole, close) is None
    nucleus = nuc.from_topology(case.site.topology, whole)
    for x in case.family:
        assert nucleus.closure(x) == close(x)
        assert close(sub.preimage(case.arrow, x)) == sub.preimage(case.arrow, close(x))


@dataclass(frozen=True)
class TwoTraces:
    """Two families with rules over one S, and where the second begins in each."""

    by: Validation
    families: tuple[tuple[Subobject, ...], tuple[Subobject, ...]]
    cut: int

    @property
    def is_proper(self) -> bool:
        return self.by.is_proper


def two_traces() -> SearchStrategy[TwoTraces]:
    """Two reasonings over one S, in the posetal case."""

    def make(choices: Choices) -> TwoTraces:
        by = some.make_ruled(choices)
        families = (some.make_family(choices, by.whole, 0, 3), some.make_family(choices, by.whole, 0, 3))
        return TwoTraces(by, families, choices.below(len(by.rules or ()) + 1))

    return some.built(make, 96)


def proposition_c_3_posetal(case: TwoTraces) -> None:
    """C.3 for inclusions: with R = R1 ∧ R2 the summary of both is c12(s1 ∧ s2) [TOPOS-GLUE-2]."""
    rules, whole = case.by.rules or (), case.by.whole
    first = nuc.from_rules(whole, rules[: case.cut])
    second = nuc.from_rules(whole, rules[case.cut :])
    both = first | second
    assert both == case.by.nucleus
    parts = [synthesis.summary(c, family) for c, family in zip((first, second), case.families, strict=True)]
    whole_family = case.families[0] + case.families[1]
    assert both.closure(parts[0] & parts[1]) == nuc.rule_meet(rules, meet_of(whole, whole_family))
