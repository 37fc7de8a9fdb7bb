"""Nuclei on Sub(S): by points, from rules P ≤ Q, from a topology, from any operator.

A nucleus is a map c: Sub(S) → Sub(S) with X ≤ c(X), c(c(X)) = c(X) and c(X ∧ Y) = c(X) ∧ c(Y). For a
finite S they are the sets T of points that hold with a point all that restrict to each other:
c(X) is the largest subobject inside X ∪ ¬T, and X ≤ c(Y) exactly if X ∩ T ⊆ Y.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from potlang.topos.errors import bounded, require
from potlang.topos.orders import DOWN_SETS, classes
from potlang.topos.presheaf import Presheaf
from potlang.topos.subobject import Subobject, bottom, largest, meet, subobjects, top
from potlang.topos.topology import Topology

Rule = tuple[Subobject, Subobject]
"""P ≤ Q: the premise, then the conclusion."""

Operator = Callable[[Subobject], Subobject]


@dataclass(frozen=True)
class Nucleus:
    """The nucleus of a set of points of `whole`, given as a bit mask.

    Raises `AxiomError` if the set holds a point and not one that restricts to it and back.
    """

    whole: Presheaf
    points: int

    def __post_init__(self) -> None:
        require(0 <= self.points <= self.whole.all_points, "a nucleus has a set of points")
        whole = [members & self.points in (0, members) for members in classes(self.whole.below)]
        require(all(whole), "points that restrict to each other belong together")

    def closure(self, sub: Subobject) -> Subobject:
        """c(X): the points whose restrictions in T are in X; linear in points and restrictions."""
        require(sub.whole == self.whole, "the subobject is one of the same presheaf")
        return largest(self.whole, sub.mask | self.whole.all_points & ~self.points)

    def entails(self, left: Subobject, right: Subobject) -> bool:
        """X ≤_c Y, that is c(X) ≤ c(Y): whether X ∩ T ⊆ Y."""
        require(left.whole == right.whole == self.whole, "both are subobjects of the same presheaf")
        return not left.mask & self.points & ~right.mask

    def is_closed(self, sub: Subobject) -> bool:
        """Whether c(X) = X."""
        return self.closure(sub) == sub

    def is_dense(self, sub: Subobject) -> bool:
        """Whether c(X) = ⊤."""
        return self.entails(top(self.whole), sub)

    def is_consistent(self, sub: Subobject) -> bool:
        """Whether c(X) ≠ c(⊥); not the same as c(X) ≠ ⊥, which says nothing of X if c(⊥) ≠ ⊥."""
        return not self.entails(sub, bottom(self.whole))

    def is_trivial(self) -> bool:
        """Whether c is the identity."""
        return self.points == self.whole.all_points

    def is_degenerate(self) -> bool:
        """Whether c is constantly ⊤."""
        return self.points == 0

    @cached_property
    def closed(self) -> tuple[Subobject, ...]:
        """All closed subobjects: the lattice Sub_c(S)."""
        return tuple(sub for sub in subobjects(self.whole) if self.is_closed(sub))

    def __le__(self, other: Nucleus) -> bool:
        """Whether c(X) ≤ d(X) for all X."""
        require(self.whole == other.whole, "both are nuclei on the same lattice")
        return not other.points & ~self.points

    def __or__(self, other: Nucleus) -> Nucleus:
        """The least nucleus above both; its closed subobjects are those that are closed for both."""
        require(self.whole == other.whole, "both are nuclei on the same lattice")
        return Nucleus(self.whole, self.points & other.points)


def nuclei(whole: Presheaf, limit: int = DOWN_SETS) -> list[Nucleus]:
    """All nuclei on Sub(whole)."""
    groups = classes(whole.below)
    bounded(1 << len(groups), limit, "nuclei")
    chosen = itertools.product((False, True), repeat=len(groups))
    masks = sorted(sum(itertools.compress(groups, row)) for row in chosen)
    return [Nucleus(whole, mask) for mask in masks]


# --- rules ---------------------------------------------------------------------------------------


def local_entailment(premise: Subobject, conclusion: Subobject) -> tuple[Rule, ...]:
    """LE: a validated P → Q gives P ≤ Q."""
    return ((premise, conclusion),)


def equivalence(left: Subobject, right: Subobject) -> tuple[Rule, ...]:
    """EQ: validated propositions declared equal include each other."""
    return ((left, right), (right, left))


def type_refinement(refined: Subobject, refinement: Subobject) -> tuple[Rule, ...]:
    """TR: what refines a validated proposition is included in it."""
    return ((refinement, refined),)


def from_rules(whole: Presheaf, rules: Sequence[Rule]) -> Nucleus:
    """The least nucleus with c(P) ≤ c(Q) for each rule: T = ⋂ (¬P ∪ Q), point by point."""
    points = whole.all_points
    for premise, conclusion in rules:
        require(premise.whole == conclusion.whole == whole, "rules speak of subobjects of the same presheaf")
        points &= ~premise.mask | conclusion.mask
    return Nucleus(whole, points)


def is_rule_closed(rules: Sequence[Rule], sub: Subobject) -> bool:
    """Whether P ∧ (Q ⇒ Y) ≤ Y for each rule P ≤ Q: whether Y is closed for the nucleus of the rules."""
    return all(premise & (conclusion >> sub) <= sub for premise, conclusion in rules)


def rule_fixpoint(rules: Sequence[Rule], sub: Subobject) -> Subobject:
    """The least fixpoint above X of Y ← Y ∨ ⋁ (P ∧ (Q ⇒ Y)): c(X) for the nucleus of the rules."""
    while True:
        grown = sub
        for premise, conclusion in rules:
            grown = grown | (premise & (conclusion >> sub))
        if grown == sub:
            return sub
        sub = grown


def rule_meet(rules: Sequence[Rule], sub: Subobject) -> Subobject:
    """The meet of all Y ≥ X that are closed under the rules (lemma C.1): c(X) once more."""
    above = [y for y in subobjects(sub.whole) if sub <= y and is_rule_closed(rules, y)]
    return meet(sub.whole, above)


def one_rule(premise: Subobject, conclusion: Subobject, sub: Subobject) -> Subobject:
    """c(X) for one rule P ≤ Q: (P ∨ X) ∧ (Q ⇒ X)."""
    return (premise | sub) & (conclusion >> sub)


def classical(rules: Sequence[Rule], sub: Subobject) -> Subobject:
    """X ∨ ¬R with R = ⋀ (P ⇒ Q): c(X) where Sub(S) is Boolean, as over discrete contexts."""
    implications = meet(sub.whole, [premise >> conclusion for premise, conclusion in rules])
    return sub | ~implications


# --- other sources -------------------------------------------------------------------------------


def from_topology(topology: Topology, whole: Presheaf) -> Nucleus:
    """The closure of subobjects of `whole` under a topology."""
    return from_operator(whole, topology.closure)


def from_operator(whole: Presheaf, operator: Operator) -> Nucleus:
    """The nucleus that an operator is: T holds the points p that are not in c(all properly below p).

    What is not a nucleus gives some nucleus nevertheless; see `failing_law`.
    """
    points = 0
    for members in classes(whole.below):
        lowest = (members & -members).bit_length() - 1
        lower = Subobject(whole, whole.below[lowest] & ~members)
        if lowest not in operator(lower):
            points |= members
    return Nucleus(whole, points)


def failing_law(whole: Presheaf, operator: Operator) -> str | None:
    """The law of nuclei that an operator on Sub(whole) breaks, or None; tried on all subobjects."""
    values = {sub.mask: operator(sub) for sub in subobjects(whole)}
    for mask, value in values.items():
        if mask & ~value.mask:
            return "X is included in c(X)"
        if values[value.mask] != value:
            return "c(c(X)) is c(X)"
    for left, right in itertools.combinations(values, 2):
        if values[left & right].mask != values[left].mask & values[right].mask:
            return "c(X ∧ Y) is c(X) ∧ c(Y)"
    return None


def restricted(nucleus: Nucleus, sub: Subobject) -> Nucleus:
    """The nucleus on Sub(P), for P ≤ S, that pulls back along the inclusion: X ↦ c(X) ∧ P."""
    arrow = sub.inclusion
    mask = sum(1 << p for p, q in enumerate(arrow.images) if nucleus.points >> q & 1)
    return Nucleus(arrow.source, mask)
