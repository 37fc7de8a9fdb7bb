"""Which subterms are named instead of repeated, so that text stays linear in the graph.

A term used more than once is named if it is larger than `SMALL`. One without free variables gets a
command before the assertion, one with free variables a `let` under the innermost of their binders.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field

from potlang.ir.nodes import App, Node, Quant, Var, children, free_variable_sets
from potlang.ir.operators import Operator
from potlang.ir.sorts import is_numeric

SMALL = 8
"""Nodes that a shared term may print and still be repeated."""

TINY = 2
"""The same for arithmetic."""


@dataclass(slots=True)
class Plan:
    """`closed` in an order in which each follows its parts; `open` by each free variable, likewise."""

    closed: list[Node] = field(default_factory=list)
    open: dict[Var, list[tuple[Node, frozenset[Var]]]] = field(default_factory=dict)


def plan(roots: list[Node], known: Container[int], may: Callable[[Node], bool]) -> Plan:
    """The terms to name in `roots`. Nodes whose ids are `known` have names; `may` rules nodes out."""
    order, uses = _count(roots, known)
    sizes: dict[int, int] = {}
    shared: list[Node] = []
    for node in order:
        size = 1 + sum(sizes.get(part.id, 1) for part in children(node))
        if uses[node.id] > 1 and size > (TINY if wants_equation(node) else SMALL) and may(node):
            shared.append(node)
            size = 1
        sizes[node.id] = size
    return _split(shared) if shared else Plan()


def _count(roots: list[Node], known: Container[int]) -> tuple[list[Node], dict[int, int]]:
    """The nodes with parts, children first, and how often each is used."""
    uses: dict[int, int] = {}
    found: dict[int, Node] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        key = node.id
        if key in known:
            continue
        uses[key] = uses.get(key, 0) + 1
        # Parts are counted at the first use alone, or a shared term would seem to use its parts twice.
        if uses[key] == 1 and isinstance(node, App | Quant):
            found[key] = node
            stack.extend(children(node))
    return [found[key] for key in sorted(found)], uses


def _split(shared: list[Node]) -> Plan:
    free = free_variable_sets(*shared)
    result = Plan()
    for node in shared:
        variables = free[node.id]
        if not variables:
            result.closed.append(node)
        for variable in variables:
            result.open.setdefault(variable, []).append((node, variables))
    return result


def wants_equation(node: Node) -> bool:
    """True for arithmetic: its shared closed terms become constants with an equation ([SMT-SHARE-3])."""
    # Solvers unfold definitions, and then multiply out what was shared.
    return is_numeric(node.sort) and isinstance(node, App) and isinstance(node.op, Operator)
