"""Slicing: for one claim, the assertions that are connected with it through symbols.

The rules are [PASS-SLICE-1] to [PASS-SLICE-3] of `spec/50-passes.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from potlang.ir.graphs import UnionFind
from potlang.ir.module import Claim, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind, symbols_in
from potlang.passes.base import Keeps, Property, finish


@dataclass(frozen=True, slots=True)
class Slice:
    """Keeps the claim or norm with key `claim`, and the assertions connected with it.

    Fewer assertions: what is unsatisfiable afterwards was so before. The converse fails where the
    assertions left out are unsatisfiable by themselves, or bound the size of a sort.
    """

    claim: str

    name: ClassVar[str] = "slice"
    requires: ClassVar[frozenset[Property]] = frozenset()
    establishes: ClassVar[frozenset[Property]] = frozenset()
    preserves: ClassVar[frozenset[Property]] = frozenset(Property)
    keeps: ClassVar[Keeps] = Keeps.CONSERVATIVE

    def run(self, module: Module) -> Module:
        """The slice. Raises `KeyError` if no claim or norm has the key."""
        for claim in (*module.claims, *module.norms):
            if claim.key == self.claim:
                sliced = slice_for(module, claim)
                return finish(self, sliced, sliced.formulas())
        raise KeyError(self.claim)


def slice_for(module: Module, claim: Claim) -> Module:
    """`module` with `claim` alone, and the assertions connected with it; no optimization.

    Two formulas are connected if they share a declared symbol, directly or through others, or through
    definitions. An assertion without symbols speaks of sorts alone and is always kept.
    """
    groups = [[definition.symbol, *_choosable(definition.body)] for definition in module.definitions]
    groups += [_choosable(assertion.formula) for assertion in module.assertions]
    asked = _choosable(claim.formula)
    classes = UnionFind(symbol for group in (*groups, asked) for symbol in group)
    for group in groups:
        for symbol in group[1:]:
            classes.join(group[0], symbol)
    wanted = {classes.find(symbol) for symbol in asked}
    stated = zip(module.assertions, groups[len(module.definitions) :], strict=True)
    kept = tuple(each for each, group in stated if not group or classes.find(group[0]) in wanted)
    return replace(
        module,
        assertions=kept,
        claims=(claim,) if claim in module.claims else (),
        norms=() if claim in module.claims else (claim,),
        optimization=None,
    )


def _choosable(formula: Node) -> list[Symbol]:
    """The symbols of `formula` that a structure can choose."""
    fixed = (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR)
    return [symbol for symbol in symbols_in(formula) if symbol.kind not in fixed]
