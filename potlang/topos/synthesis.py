"""Synthesis of validated propositions under a nucleus: summary, consistency, redundancy.

Source: section 4.2 to 4.6 and appendix C of the paper, in the form in which it is true.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from potlang.topos.category import discrete
from potlang.topos.nucleus import Nucleus, Rule, from_rules
from potlang.topos.presheaf import Presheaf, constant
from potlang.topos.subobject import Subobject, join, meet


def space(models: int) -> Presheaf:
    """The classical case: one context, and a finite set of models `0 .. models-1` as S.

    Any bit mask of models is a subobject, and Sub(S) is Boolean.
    """
    return constant(discrete(1), models)


def summary(nucleus: Nucleus, family: Sequence[Subobject]) -> Subobject:
    """c(⋀ P_v): the greatest closed subobject below all c(P_v)."""
    return nucleus.closure(meet(nucleus.whole, family))


def consistent(nucleus: Nucleus, family: Sequence[Subobject]) -> bool:
    """Whether c(⋀ P_v) ≠ c(⊥): classically, whether the theory, the arrows and the P_v have a model."""
    return nucleus.is_consistent(meet(nucleus.whole, family))


def faithful(nucleus: Nucleus, family: Sequence[Subobject], claim: Subobject) -> bool:
    """Whether the validated propositions entail a claim: ⋀ P_v ≤_c Q."""
    return nucleus.entails(meet(nucleus.whole, family), claim)


def redundant(nucleus: Nucleus, family: Sequence[Subobject], at: int) -> bool:
    """Whether the others entail the proposition `family[at]`."""
    others = [member for index, member in enumerate(family) if index != at]
    return faithful(nucleus, others, family[at])


def irredundant(nucleus: Nucleus, family: Sequence[Subobject]) -> tuple[int, ...]:
    """The propositions that remain when redundant ones are dropped one by one, the last first.

    Of two that are equivalent both are redundant, but one stays.
    """
    kept = list(range(len(family)))
    for at in reversed(range(len(family))):
        rest = [family[index] for index in kept if index != at]
        if faithful(nucleus, rest, family[at]):
            kept.remove(at)
    return tuple(kept)


def incomparable(nucleus: Nucleus, family: Sequence[Subobject]) -> tuple[tuple[int, int], ...]:
    """The pairs of which neither entails the other modulo c (theorem 4.22)."""
    pairs = itertools.combinations(range(len(family)), 2)
    return tuple(
        (a, b)
        for a, b in pairs
        if not nucleus.entails(family[a], family[b]) and not nucleus.entails(family[b], family[a])
    )


def consequences(
    nucleus: Nucleus, family: Sequence[Subobject], others: Sequence[Subobject]
) -> tuple[int, ...]:
    """Which of `others` the validated propositions entail."""
    return tuple(at for at, other in enumerate(others) if faithful(nucleus, family, other))


def with_counterevidence(nucleus: Nucleus, valid: Sequence[Subobject], against: Subobject) -> Subobject:
    """The variant of section 4.5: c((⋁ valid) ∧ ¬I)."""
    return nucleus.closure(join(nucleus.whole, valid) & ~against)


def ranked(whole: Presheaf, rules: Sequence[tuple[int, Rule]]) -> tuple[Nucleus, ...]:
    """The nuclei c^≤ρ of rules with ranks, for ρ = 0 up to the highest rank; they increase with ρ.

    To retract from ρ to a lower ρ' is to take the nucleus of ρ' instead.
    """
    highest = max((rank for rank, _ in rules), default=0)
    return tuple(
        from_rules(whole, [rule for rank, rule in rules if rank <= bound]) for bound in range(highest + 1)
    )
