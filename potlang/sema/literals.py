"""The short way for literals over declared names and binders: from their words to IR, without a tree.

Where it answers, the ordinary way gives the same node and reports nothing (a property of the tests).
Whatever is unusual, and with it all that has something to report, is left to the ordinary way.
"""

from __future__ import annotations

from potlang.expressions.surface import Words
from potlang.ir import operators as op
from potlang.ir.nodes import App, Node
from potlang.ir.numerals import natural
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, Sort
from potlang.sema.scope import FunctionEntry, Scope


def literal_node(words: Words, scope: Scope, pool: Pool) -> Node | None:
    """The formula, or None where the words do not plainly make one."""
    negation, name, names, right = words
    if negation and scope.meaning(negation) is not None:
        return None
    node: Node | None = call_node(name, names, scope, pool)
    if node is None:
        return None
    if right is not None:
        value = _value(right, node.sort, scope, pool)
        if value is None:
            return None
        node = pool.eq(node, value)
    elif node.sort is not BOOL:
        return None
    return pool.app(op.NOT, (node,)) if negation else node


def call_node(name: str, names: str, scope: Scope, pool: Pool) -> App | None:
    """`name(names)`, or None unless a declared function is applied to terms of the sorts that it takes."""
    entry = scope.meaning(name)
    if type(entry) is not FunctionEntry or entry.symbol is None:
        return None
    args = scope.terms(names.replace(" ", "").split(","))
    return None if args is None else pool.fitting(entry.symbol, args)


def _value(written: str, sort: Sort, scope: Scope, pool: Pool) -> Node | None:
    """The numeral or the term as one of `sort`."""
    if written.isdecimal():
        return pool.integer(natural(written)) if sort is INT else None
    node = scope.term(written)
    return node if node is not None and node.sort == sort else None
