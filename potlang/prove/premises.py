"""The assumptions around a claim: where the core of an unsatisfiable check over a large base is looked for.

Tracking every assumption of a large base costs a solver several times its check. Most cores are
small and about the claim's own constants, so some hundred assumptions near it usually suffice; that
they do is for the solver to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from potlang.ir.module import Assertion
from potlang.ir.nodes import App, Node, Quant, Sym, Symbol

SIZES = (100, 1_000)
"""How many assumptions the subsets have at most."""


class PremiseSelection:
    """Assumptions by the constants that they mention. Those without (rules) are near everything."""

    def __init__(self, assertions: Sequence[Assertion]) -> None:
        self.assertions = assertions
        self._homes: dict[Symbol, list[int]] = {}
        self._rules: list[int] = []
        homes = self._homes
        for number, assertion in enumerate(assertions):
            found = constants(assertion.formula)
            for symbol in found:
                homes.setdefault(symbol, []).append(number)
            if not found:
                self._rules.append(number)

    def around(self, formula: Node | None) -> Iterator[tuple[Assertion, ...]]:
        """Growing subsets, the nearest to a claim first, each in the order given.

        An assumption is as far as the number of steps from one that shares a constant to the next.
        """
        # Rules mention no constants, so no distance tells them apart, and most cores have some.
        ranked = list(self._rules)
        frontier = [] if formula is None else constants(formula)
        seen = set(ranked)
        known = set(frontier)
        while frontier and len(ranked) < SIZES[-1]:
            reached: dict[Symbol, None] = {}
            for symbol in frontier:
                for number in self._homes.get(symbol, ()):
                    if number not in seen:
                        seen.add(number)
                        ranked.append(number)
                        reached.update(dict.fromkeys(constants(self.assertions[number].formula)))
            frontier = [symbol for symbol in reached if symbol not in known]
            known.update(frontier)
        for size in SIZES:
            yield tuple(self.assertions[number] for number in sorted(ranked[:size]))
            if len(ranked) <= size:
                return


def constants(formula: Node) -> list[Symbol]:
    """The constant symbols of a formula, each once."""
    if type(formula) is App:
        # Most of a large base are predicates of constants.
        atoms = [arg.symbol for arg in formula.args if type(arg) is Sym]
        if len(atoms) == len(formula.args):
            return atoms if len(atoms) == 1 else list(dict.fromkeys(atoms))
    found: dict[Symbol, None] = {}
    visited: set[int] = set()
    stack = [formula]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is Sym:
            found[cast(Sym, node).symbol] = None
        elif kind is App and node.id not in visited:
            visited.add(node.id)
            stack += cast(App, node).args
        elif kind is Quant:
            stack.append(cast(Quant, node).body)
    return list(found)
