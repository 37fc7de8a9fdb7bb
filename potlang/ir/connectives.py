"""What connectives between formulas say: each, and the denial of each, as a conjunction of disjunctions."""

from __future__ import annotations

from potlang.ir import operators as op
from potlang.ir.nodes import App, Node
from potlang.ir.sorts import BOOL

Signed = tuple[Node, bool]
"""A formula, or (False) its denial."""
Disjunctions = tuple[tuple[Signed, ...], ...]
"""A conjunction of disjunctions."""


def disjunctions(node: Node, positive: bool) -> Disjunctions:
    """What `node` (`positive`) or its denial says, in terms of its operands; nothing for no connective.

    Equality and `distinct` of two formulas, and choices between formulas, are connectives.
    """
    if not isinstance(node, App):
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


def _joined(parts: tuple[Signed, ...], disjoined: bool) -> Disjunctions:
    return (parts,) if disjoined else tuple([(part,) for part in parts])


def _agreement(args: tuple[Node, ...], agree: bool) -> Disjunctions:
    """That two formulas agree, or that they differ."""
    left, right = args
    return ((left, False), (right, agree)), ((left, True), (right, not agree))
