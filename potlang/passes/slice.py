"""Slicing: for one claim, the assertions that are connected with it through symbols.

The rules are [PASS-SLICE-1] to [PASS-SLICE-3] of `spec/50-passes.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import App, Node, Sym, Symbol, SymbolKind, reachable
from potlang.passes.base import Context, Keeps, Property, finish


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

    def run(self, module: Module, context: Context) -> Module:
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
    components = _Components(module)
    wanted = {components.of(symbol) for symbol in components.symbols(claim.formula)}
    kept = tuple(a for a in module.assertions if components.touches(a, wanted))
    return replace(
        module,
        assertions=kept,
        claims=(claim,) if claim in module.claims else (),
        norms=() if claim in module.claims else (claim,),
        optimization=None,
    )


class _Components:
    """The components of the graph whose edges are assertions and definitions."""

    def __init__(self, module: Module) -> None:
        self.leader: dict[Symbol, Symbol] = {}
        self.first: dict[str, Symbol | None] = {}
        for definition in module.definitions:
            self._join([definition.symbol, *self.symbols(definition.body)])
        for assertion in module.assertions:
            symbols = self.symbols(assertion.formula)
            self._join(symbols)
            self.first[assertion.key] = symbols[0] if symbols else None

    @staticmethod
    def symbols(formula: Node) -> list[Symbol]:
        """The symbols of `formula` that a structure can choose."""
        found: dict[Symbol, None] = {}
        for node in reachable(formula):
            symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
            if isinstance(symbol, Symbol) and symbol.kind not in (
                SymbolKind.CONSTRUCTOR,
                SymbolKind.SELECTOR,
            ):
                found[symbol] = None
        return list(found)

    def of(self, symbol: Symbol) -> Symbol:
        """The component of `symbol`, by one of its members."""
        leader = self.leader
        while leader.setdefault(symbol, symbol) is not symbol:
            leader[symbol] = leader[leader[symbol]]
            symbol = leader[symbol]
        return symbol

    def _join(self, symbols: list[Symbol]) -> None:
        for symbol in symbols[1:]:
            self.leader[self.of(symbol)] = self.of(symbols[0])

    def touches(self, assertion: Assertion, wanted: set[Symbol]) -> bool:
        first = self.first[assertion.key]
        return first is None or self.of(first) in wanted
