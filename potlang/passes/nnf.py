"""Negation normal form: negation on atoms alone; `=>`, iff, xor and choice between formulas gone.

The rules are [PASS-NNF-1] to [PASS-NNF-4] of `spec/50-passes.md`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar

from potlang.ir.connectives import Signed, disjunctions
from potlang.ir.module import Module
from potlang.ir.nodes import Lit, Node, Quant
from potlang.ir.pool import Pool
from potlang.passes.base import Context, Keeps, Property, finish, is_formula

_DUAL = {"forall": "exists", "exists": "forall"}


@dataclass(frozen=True, slots=True)
class Nnf:
    """Brings every formula of a module into negation normal form.

    Each node is done once for each polarity it occurs under, so shared equivalences stay linear.
    The two polarities of one quantifier bind the same variables, in scopes apart.
    """

    name: ClassVar[str] = "nnf"
    requires: ClassVar[frozenset[Property]] = frozenset()
    establishes: ClassVar[frozenset[Property]] = frozenset({Property.NNF})
    preserves: ClassVar[frozenset[Property]] = frozenset({Property.SIMPLE, Property.PRENEX})
    keeps: ClassVar[Keeps] = Keeps.EQUIVALENT

    def run(self, module: Module, context: Context) -> Module:
        """The module with its formulas in negation normal form; terms are left alone."""
        work = _Work(module.pool)
        return finish(self, module, [work.run(f) if is_formula(f) else f for f in module.formulas()])


class _Work:
    """What is done already, by node and polarity."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.done: dict[tuple[int, bool], Node] = {}

    def run(self, root: Node) -> Node:
        stack: list[Signed] = [(root, True)]
        while stack:
            node, positive = stack[-1]
            if (node.id, positive) in self.done:
                stack.pop()
                continue
            missing = [(n, p) for n, p in _parts(node, positive) if (n.id, p) not in self.done]
            if missing:
                stack.extend(missing)
            else:
                self.done[node.id, positive] = self._combine(node, positive)
                stack.pop()
        return self.done[root.id, True]

    def _combine(self, node: Node, positive: bool) -> Node:
        """The normal form of `node`, or of its negation, from those of its parts."""
        pool = self.pool
        if isinstance(node, Lit):
            return pool.truth(bool(node.value) is positive)
        if isinstance(node, Quant):
            body = self.done[node.body.id, positive]
            kind = node.kind if positive else _DUAL[node.kind]
            return node if positive and body is node.body else pool.quant(kind, node.binders, body)
        parts = disjunctions(node, positive)
        if not parts:
            return node if positive else pool.negate(node)
        return pool.conj([pool.disj([self.done[n.id, p] for n, p in each]) for each in parts])


def _parts(node: Node, positive: bool) -> tuple[Signed, ...]:
    """The subformulas, each with the polarity it is wanted in; none for an atom."""
    if isinstance(node, Quant):
        return ((node.body, positive),)
    return tuple(itertools.chain.from_iterable(disjunctions(node, positive)))
