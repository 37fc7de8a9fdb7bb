"""The nucleus of rules P ≤ Q: with R = ⋀ (P → Q), what follows modulo R follows ([PASS-NUCLEUS-1] ff.).

Over a Boolean lattice the least nucleus c with c(P) ≤ c(Q) for each rule is c(X) = R → X, and X ≤_c Y
exactly if X ∧ R entails Y. So to close under the rules is to assume R, or to ask R → X for X.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from potlang.ir.module import Assertion, AssertionKind, Module, Origin
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.passes.base import Keeps, Property, finish


class Rule(NamedTuple):
    """P ≤ Q: two closed formulas of the module, with what its assertion is to be called."""

    key: str
    name: str
    lower: Node
    upper: Node
    origin: Origin = Origin()

    def formula(self, pool: Pool) -> Node:
        """P → Q."""
        return pool.implies(self.lower, self.upper)


@dataclass(frozen=True, slots=True)
class RuleClosure:
    """Adds the rules as assertions of their own, or puts claims and norms under c.

    `on="assertions"`: the module then assumes R. `on="claims"`: each claim X becomes R → X, which follows
    exactly if X follows with R assumed. A claim with `find` is left alone, its formula being open.
    """

    rules: tuple[Rule, ...]
    on: Literal["assertions", "claims"] = "assertions"

    name: ClassVar[str] = "nucleus"
    requires: ClassVar[frozenset[Property]] = frozenset()
    establishes: ClassVar[frozenset[Property]] = frozenset()
    preserves: ClassVar[frozenset[Property]] = frozenset()
    keeps: ClassVar[Keeps] = Keeps.STRONGER

    def run(self, module: Module) -> Module:
        """The module with R. Raises ValueError for a key that is in use."""
        if self.on == "claims":
            claims = tuple(
                each if each.find else each._replace(formula=closure(module.pool, self.rules, each.formula))
                for each in module.claims
            )
            norms = tuple(
                each._replace(formula=closure(module.pool, self.rules, each.formula)) for each in module.norms
            )
            module = replace(module, claims=claims, norms=norms)
            return finish(self, module, module.formulas())
        added = assumed(module.pool, self.rules)
        keys = {each.key for each in module.assertions}
        for each in added:
            if each.key in keys:
                raise ValueError(f"the key {each.key!r} is in use")
            keys.add(each.key)
        module = replace(module, assertions=(*module.assertions, *added))
        return finish(self, module, module.formulas())


def assumed(pool: Pool, rules: Iterable[Rule]) -> tuple[Assertion, ...]:
    """R as assertions, one for each rule, so that a core names the rules that it needs."""
    return tuple(
        Assertion(each.key, each.name, AssertionKind.RULE, each.formula(pool), each.origin) for each in rules
    )


def conjunction(pool: Pool, rules: Iterable[Rule]) -> Node:
    """R as one formula: the conjunction of the different implications."""
    return pool.conj(dict.fromkeys(each.formula(pool) for each in rules))


def closure(pool: Pool, rules: Iterable[Rule], formula: Node) -> Node:
    """c(X) = R → X; X itself where there are no rules."""
    together = conjunction(pool, rules)
    return formula if together is pool.true else pool.implies(together, formula)
