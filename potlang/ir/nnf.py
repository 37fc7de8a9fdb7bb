"""Negation normal form: negation on atoms alone; `=>`, iff, xor and choice between formulas gone.

The rules are [PASS-NNF-1] to [PASS-NNF-4] of `spec/50-passes.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

Signed = tuple[Node, bool]
"""A formula, or (False) its negation."""
Cnf = tuple[tuple[Signed, ...], ...]
"""A conjunction of disjunctions."""

_DUAL = {"forall": "exists", "exists": "forall"}


def signed_conjuncts(node: Node, positive: bool) -> Iterator[Signed]:
    """The parts whose conjunction a formula, or its negation, is, each with the sign that it must have."""
    stack = [(node, positive)]
    while stack:
        each, sign = stack.pop()
        if isinstance(each, App) and each.op is op.NOT:
            stack.append((each.args[0], not sign))
        elif isinstance(each, App) and each.op is (op.AND if sign else op.OR):
            stack += [(arg, sign) for arg in reversed(each.args)]
        elif isinstance(each, App) and each.op is op.IMPLIES and not sign:
            stack += [(each.args[1], False), (each.args[0], True)]
        else:
            yield each, sign


def cnf_of_connective(node: Node, positive: bool) -> Cnf:
    """CNF of a connective (or of its negation) over its operands; empty for all other nodes.

    Equality and `distinct` of two formulas, and choices between formulas, are connectives.
    """
    # Most nodes are atoms: functions are told apart before any operator is compared.
    if not isinstance(node, App) or not isinstance(node.op, op.Operator):
        return ()
    args = node.args
    match node.op:
        case op.NOT:
            return (((args[0], not positive),),)
        case op.AND | op.OR:
            return _joined(tuple([(arg, positive) for arg in args]), (node.op is op.OR) is positive)
        case op.IMPLIES:
            return _joined(((args[0], not positive), (args[1], positive)), positive)
        case op.IFF:
            return _agreement(args, positive)
        case op.XOR:
            return _agreement(args, not positive)
        case op.EQ if args[0].sort is BOOL:
            return _agreement(args, positive)
        case op.DISTINCT if args[0].sort is BOOL and len(args) == 2:
            return _agreement(args, not positive)
        case op.ITE if node.sort is BOOL:
            condition, then, otherwise = args
            return ((condition, False), (then, positive)), ((condition, True), (otherwise, positive))
        case _:
            return ()


def _joined(parts: tuple[Signed, ...], disjoined: bool) -> Cnf:
    return (parts,) if disjoined else tuple([(part,) for part in parts])


def _agreement(args: tuple[Node, ...], agree: bool) -> Cnf:
    """That two formulas agree, or that they differ."""
    left, right = args
    return ((left, False), (right, agree)), ((left, True), (right, not agree))


class NegationNormalForm:
    """Negation normal forms over one pool; each node is done once for each polarity that it occurs under.

    So shared equivalences stay linear. The two polarities of one quantifier bind the same variables, in
    scopes apart.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.existential: dict[int, Quant | None] = {}
        """By the id of an `exists` in a normal form: the quantifier that it comes from; None for several."""
        self._done: dict[tuple[int, bool], Node] = {}

    def of(self, formula: Node, positive: bool = True) -> Node:
        """The normal form of a formula, or of its negation; terms are left alone."""
        # A node under iff is wanted in both polarities: memo by both, or nested iff would be exponential.
        done = self._done
        opened: dict[tuple[int, bool], Cnf] = {}
        stack: list[Signed] = [(formula, positive)]
        while stack:
            node, sign = stack[-1]
            key = (node.id, sign)
            if key in done:
                stack.pop()
                continue
            clauses = opened.get(key)
            if clauses is None:
                if isinstance(node, Quant):
                    clauses = (((node.body, sign),),)
                else:
                    clauses = cnf_of_connective(node, sign)
                if not clauses:
                    done[key] = self._atom(node, sign)
                    stack.pop()
                    continue
                opened[key] = clauses
                stack += [part for each in clauses for part in each if (part[0].id, part[1]) not in done]
                continue
            done[key] = self._combined(node, sign, clauses)
            stack.pop()
        return done[formula.id, positive]

    def _atom(self, node: Node, positive: bool) -> Node:
        if isinstance(node, Lit):
            return self.pool.truth(bool(node.value) is positive)
        return node if positive else self.pool.negate(node)

    def _combined(self, node: Node, positive: bool, clauses: Cnf) -> Node:
        """The normal form of `node`, or of its negation, from those of its parts."""
        if isinstance(node, Quant):
            return self._quantified(node, positive)
        done, pool = self._done, self.pool
        return pool.conj([pool.disj([done[n.id, p] for n, p in each]) for each in clauses])

    def _quantified(self, node: Quant, positive: bool) -> Node:
        body = self._done[node.body.id, positive]
        kind = node.kind if positive else _DUAL[node.kind]
        found = self.pool.quant(kind, node.binders, body)
        if kind == "exists" and self.existential.setdefault(found.id, node) is not node:
            self.existential[found.id] = None
        return found
