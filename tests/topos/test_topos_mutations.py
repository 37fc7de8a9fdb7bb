"""Each property of the paper fails when the library is broken on purpose: a table of mutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from statements import Mutation
from strategies import presheaves as some
from topos_properties import PROPERTIES

from potlang.topos import colimit as col
from potlang.topos import diagram as dia
from potlang.topos import limit as lim
from potlang.topos import nucleus as nuc
from potlang.topos import presentation as pre
from potlang.topos import sheaf, synthesis
from potlang.topos import slice as sli
from potlang.topos.colimit import Colimit
from potlang.topos.errors import AxiomError
from potlang.topos.limit import Limit
from potlang.topos.nucleus import Nucleus, Rule
from potlang.topos.presentation import Overlap, Presentation
from potlang.topos.presheaf import Presheaf
from potlang.topos.subobject import Subobject, bottom, generated, join, top
from potlang.topos.topology import Topology, trivial


def explode(_: object, sub: Subobject) -> Subobject:
    """A closure operator that is no nucleus: ⊤ of everything but ⊥."""
    return top(sub.whole) if sub.mask else sub


def unsteady(_: object, sub: Subobject) -> Subobject:
    """Extensive and idempotent, but not monotone."""
    return sub if sub.mask else top(sub.whole)


def unnatural(_: object, sub: Subobject) -> Subobject:
    """A nucleus on each Sub(S), X ↦ X ∨ A, with an A that has nothing to do with those of other S."""
    return sub | generated(sub.whole, range(len(sub.whole.points))[-1:])


def first_rule(whole: Presheaf, rules: Sequence[Rule]) -> Nucleus:
    return nuc.from_rules(whole, rules[:1])


def both_ways(whole: Presheaf, rules: Sequence[Rule]) -> Nucleus:
    return nuc.from_rules(whole, [*rules, *((q, p) for p, q in rules)])


def composed_once(rules: Sequence[Rule], sub: Subobject) -> Subobject:
    for premise, conclusion in rules:
        sub = nuc.one_rule(premise, conclusion, sub)
    return sub


def naive(rules: Sequence[Rule], sub: Subobject) -> bool:
    return all(premise <= sub for premise, conclusion in rules if conclusion <= sub)


def once(topology: Topology, presheaf: Presheaf) -> sheaf.Sheafification:
    return sheaf.plus(topology, presheaf)


def unsheafified(topology: Topology, presheaf: Presheaf) -> sheaf.Sheafification:
    return sheaf.sheafify(trivial(topology.omega), presheaf)


def disjoint(category: Any, objects: Sequence[Presheaf], _: Sequence[lim.Edge]) -> Colimit:
    return col.coproduct(category, objects)


def outside_the_slice(category: Any, objects: Sequence[Presheaf], edges: Sequence[lim.Edge]) -> Limit:
    return lim.limit(category, objects, [edge for edge in edges if edge[1]])


def fewer_identified(category: Any, objects: Sequence[Presheaf], edges: Sequence[lim.Edge]) -> Colimit:
    return col.colimit(category, objects, edges[1:])


def beside_the_base(category: Any, objects: Sequence[Presheaf], edges: Sequence[lim.Edge]) -> Limit:
    return lim.limit(category, objects, edges[:-1])


def without_last(whole: Presheaf, family: Sequence[Subobject]) -> Subobject:
    return nuc.meet(whole, list(family)[:-1])


def all_at_once(nucleus: Nucleus, family: Sequence[Subobject]) -> tuple[int, ...]:
    return tuple(at for at in range(len(family)) if not synthesis.redundant(nucleus, family, at))


def by_inclusion(_: Nucleus, left: Subobject, right: Subobject) -> bool:
    return left <= right


def unclosed(nucleus: Nucleus, valid: Sequence[Subobject], against: Subobject) -> Subobject:
    return join(nucleus.whole, valid) & ~against


def whole_part(_: Nucleus, sub: Subobject) -> Nucleus:
    part = sub.inclusion.source
    return Nucleus(part, part.all_points)


def weaker(_: Nucleus, other: Nucleus) -> Nucleus:
    return Nucleus(other.whole, other.points | _.points)


def exact_rank(whole: Presheaf, rules: Sequence[tuple[int, Rule]]) -> tuple[Nucleus, ...]:
    highest = max(rank for rank, _ in rules)
    return tuple(
        nuc.from_rules(whole, [rule for at, rule in rules if at == rank]) for rank in range(highest + 1)
    )


def unrelated(shape: Presentation) -> pre.Presented:
    return pre.presented(Presentation(shape.size, shape.edges))


def unshared(first: Any, second: Any, _: Overlap, real: Any = pre.glue) -> Any:
    return real(first, second, Overlap())


def unglued(left: Any, right: Any) -> Colimit:
    empty = col.coproduct(left.source.category, []).vertex
    none = [col.Map(empty, side.target, ((),) * len(empty.sizes)) for side in (left, right)]
    return col.pushout(none[0], none[1])


def reversed_rules(omega: Any, base: Any, rules: Sequence[Rule], real: Any = sli.rule_topology) -> Any:
    return real(omega, base, [(q, p) for p, q in rules])


CLOSURES = (Topology, Nucleus)

MUTATIONS = [
    Mutation("theorem_4_3", "relations identify nothing", (dia,), "presented", unrelated),
    Mutation("theorem_4_3", "paths lose their first edge", (dia.Diagram,), "value",
             lambda self, f: self.along(self.index.paths[f][1:], self.index.category.source[f])),
    Mutation("theorem_4_5", "a closure that is no nucleus", CLOSURES, "closure", explode),
    Mutation("theorem_4_5", "a join for the meet", (synthesis,), "meet", join),
    Mutation("corollary_4_6", "one plus construction", (sli,), "sheafify", once),
    Mutation("corollary_4_6", "no reflection", (sli,), "sheafify", unsheafified),
    Mutation("corollary_4_6", "arrows identify nothing", (dia,), "colimit", disjoint),
    Mutation("corollary_4_6_limits", "limits outside the slice", (dia,), "limit", outside_the_slice),
    Mutation("corollary_4_6_posetal", "no reflection", (sli,), "sheafify", unsheafified),
    Mutation("theorem_4_8", "non-empty for consistent", (Nucleus,), "is_consistent",
             lambda self, x: bool(self.closure(x).mask)),
    Mutation("corollary_4_10", "everything is entailed", (Nucleus,), "entails", lambda *_: True),
    Mutation("proposition_4_12", "the first arrow identifies nothing", (dia,), "colimit", fewer_identified),
    Mutation("proposition_4_12", "the last node lies anywhere", (dia,), "limit", beside_the_base),
    Mutation("proposition_4_14_1", "the last proposition is lost", (synthesis,), "meet", without_last),
    Mutation("proposition_4_14_2", "a closure that is not monotone", CLOSURES, "closure", unsteady),
    Mutation("proposition_4_14_3", "a closure that is no nucleus", CLOSURES, "closure", explode),
    Mutation("proposition_4_14_4", "redundant ones go together", (synthesis,), "irredundant", all_at_once),
    Mutation("proposition_4_14_4", "entailment without c", (Nucleus,), "entails", by_inclusion),
    Mutation("proposition_4_16", "a summary that is not closed", (synthesis,), "summary",
             lambda c, family: synthesis.meet(c.whole, family)),
    Mutation("proposition_4_18", "the last step is lost", (synthesis,), "meet", without_last),
    Mutation("proposition_4_20", "a closure that is no nucleus", CLOSURES, "closure", explode),
    Mutation("theorem_4_22", "entailment without c", (Nucleus,), "entails", by_inclusion),
    Mutation("section_4_5_counterevidence", "not closed", (synthesis,), "with_counterevidence", unclosed),
    Mutation("lemma_c_1", "closed in the naive sense", (nuc,), "is_rule_closed", naive),
    Mutation("lemma_c_1", "one-rule nuclei composed once", (nuc,), "rule_fixpoint", composed_once),
    Mutation("lemma_c_1", "the first rule alone", (some,), "from_rules", first_rule),
    Mutation("lemma_c_1_least", "rules in both directions", (some,), "from_rules", both_ways),
    Mutation("lemma_c_1_one_rule", "the implication is lost", (nuc,), "one_rule", lambda p, _, x: p | x),
    Mutation("lemma_c_1_monos", "the part keeps all points", (nuc,), "restricted", whole_part),
    Mutation("lemma_c_1_schemas", "TR turned around", (nuc,), "type_refinement", nuc.local_entailment),
    Mutation("lemma_c_1_slice", "covers of the conclusions", (sli,), "rule_topology", reversed_rules),
    Mutation("lemma_c_1_topologies", "nuclei that are not natural", (Topology,), "closure", unnatural),
    Mutation("lemma_c_2", "one plus construction", (sli,), "sheafify", once),
    Mutation("lemma_c_2_exact", "one plus construction", (sheaf,), "sheafify", once),
    Mutation("proposition_c_3", "shared nodes stay apart", (dia,), "glue", unshared),
    Mutation("proposition_c_3", "a sum for the pushout", (dia,), "pushout", unglued),
    Mutation("proposition_c_3_posetal", "the arrows that both have", (Nucleus,), "__or__", weaker),
    Mutation("appendix_c_3_ranked", "rules of one rank alone", (synthesis,), "ranked", exact_rank),
]  # fmt: skip


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_broken_library_breaks_the_statement(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement is found false, by an assertion or a law that fails."""
    mutation.check_caught(PROPERTIES[mutation.statement], monkeypatch, AxiomError)


def test_each_statement_has_a_mutation() -> None:
    assert {mutation.statement for mutation in MUTATIONS} == set(PROPERTIES)


def test_mutations_are_the_bugs_they_claim_to_be() -> None:
    """`explode` is a closure operator and no nucleus; `unnatural` is a nucleus."""
    whole = synthesis.space(2)
    assert nuc.failing_law(whole, lambda x: explode(None, x)) == "c(X ∧ Y) is c(X) ∧ c(Y)"
    assert nuc.failing_law(whole, lambda x: unnatural(None, x)) is None
    assert bottom(whole) < unnatural(None, bottom(whole))
