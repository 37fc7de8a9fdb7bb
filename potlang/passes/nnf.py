"""Negation normal form: negation on atoms alone; `=>`, iff, xor and choice between formulas gone.

The rules are [PASS-NNF-1] to [PASS-NNF-4] of `spec/50-passes.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from potlang.ir import operators as op
from potlang.ir.module import Module
from potlang.ir.nodes import App, Lit, Node, Quant
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

from .base import Context, Keeps, Property, finish, is_formula

_Signed = tuple[Node, bool]
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
        stack: list[_Signed] = [(root, True)]
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
        got = [self.done[n.id, p] for n, p in _parts(node, positive)]
        if isinstance(node, Quant):
            kind = node.kind if positive else _DUAL[node.kind]
            unchanged = positive and got[0] is node.body
            return node if unchanged else pool.quant(kind, node.binders, got[0])
        if not got:
            return node if positive else pool.negate(node)
        assert isinstance(node, App)
        if node.op is op.NOT:
            return got[0]
        if node.op is op.AND or node.op is op.OR:
            return pool.conj(got) if (node.op is op.AND) is positive else pool.disj(got)
        if node.op is op.IMPLIES:
            return pool.disj(got) if positive else pool.conj(got)
        return pool.conj((pool.disj(got[:2]), pool.disj(got[2:])))


def _parts(node: Node, positive: bool) -> tuple[_Signed, ...]:
    """The subformulas, each with the polarity it is wanted in; none for an atom.

    Equivalences and choices list two clauses of two literals each.
    """
    if isinstance(node, Quant):
        return ((node.body, positive),)
    if not isinstance(node, App):
        return ()
    args = node.args
    match node.op:
        case op.NOT:
            return ((args[0], not positive),)
        case op.AND | op.OR:
            return tuple([(arg, positive) for arg in args])
        case op.IMPLIES:
            return ((args[0], not positive), (args[1], positive))
        case op.IFF:
            return _equivalence(args, positive)
        case op.XOR:
            return _equivalence(args, not positive)
        case op.EQ if args[0].sort is BOOL:
            return _equivalence(args, positive)
        case op.DISTINCT if args[0].sort is BOOL and len(args) == 2:
            return _equivalence(args, not positive)
        case op.ITE if node.sort is BOOL:
            condition, then, otherwise = args
            return ((condition, False), (then, positive), (condition, True), (otherwise, positive))
        case _:
            return ()


def _equivalence(args: tuple[Node, ...], positive: bool) -> tuple[_Signed, ...]:
    """The literals of two clauses that say that `args` agree (`positive`) or differ."""
    left, right = args
    return ((left, False), (right, positive), (left, True), (right, not positive))
