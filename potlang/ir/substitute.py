"""Rewriting over the DAG: bottom-up maps, capture-avoiding substitution.

Nothing here recurses, and every node is visited once per scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from potlang.ir.nodes import App, Node, Quant, Sym, Var, free_variables, reachable
from potlang.ir.pool import Pool

Replacements = Mapping[Node, Node]
"""From variables and constant terms to terms of the same sort."""


def with_children(pool: Pool, node: Node, done: Mapping[int, Node]) -> Node:
    """`node` with each child replaced by what `done` has under its id; `node` itself if none differs."""
    if isinstance(node, App):
        args = tuple([done[arg.id] for arg in node.args])
        return node if args == node.args else pool.app(node.op, args)
    if isinstance(node, Quant):
        body = done[node.body.id]
        return node if body is node.body else pool.quant(node.kind, node.binders, body)
    return node


def rebuild(pool: Pool, roots: Iterable[Node], rewrite: Callable[[Node], Node]) -> list[Node]:
    """`roots` with `rewrite` applied to every node below them, children first.

    `rewrite` gets a node whose children are rewritten already and answers one of the same sort. It
    is called once per node. Binders stay: a rewrite must not let a variable leave its quantifier.
    """
    roots = list(roots)
    done: dict[int, Node] = {}
    for node in reachable(*roots):
        done[node.id] = rewrite(with_children(pool, node, done))
    return [done[root.id] for root in roots]


def substitute(pool: Pool, node: Node, replacements: Replacements) -> Node:
    """`node` with its free occurrences of the keys replaced at once, avoiding capture.

    Keys are variables and constant terms. A quantifier gets fresh binders where it binds a key or a
    variable that is free in a replacement. Raises `TypeError` for another key, or where sorts differ.
    """
    for key, value in replacements.items():
        if not isinstance(key, Var | Sym) or key.sort != value.sort:
            raise TypeError(f"cannot replace {type(key).__name__} of {key.sort} by a term of {value.sort}")
    clashing = {*free_variables(*replacements.values()), *(k for k in replacements if isinstance(k, Var))}
    return _Substitution(pool, clashing).run(node, replacements)


class _SubstitutionScope:
    """The replacements of one scope, and the images of the nodes met there."""

    __slots__ = ("done", "mapping")

    def __init__(self, mapping: Replacements) -> None:
        self.mapping = mapping
        self.done: dict[int, Node] = {key.id: value for key, value in mapping.items()}


class _Substitution:
    """One walk. A quantifier with clashing binders opens a scope of its own for its body."""

    def __init__(self, pool: Pool, clashing: set[Var]) -> None:
        self.pool = pool
        self.clashing = clashing
        self.opened: dict[tuple[int, int], tuple[tuple[Var, ...], _SubstitutionScope]] = {}

    def run(self, root: Node, replacements: Replacements) -> Node:
        outer = _SubstitutionScope(replacements)
        stack = [(root, outer)]
        while stack:
            node, scope = stack[-1]
            if node.id in scope.done or not self._pending(node, scope, stack):
                stack.pop()
        return outer.done[root.id]

    def _pending(
        self, node: Node, scope: _SubstitutionScope, stack: list[tuple[Node, _SubstitutionScope]]
    ) -> bool:
        """Push the children that are still to do; if there are none, finish `node`."""
        if isinstance(node, Quant):
            binders, inner = self._scope_of(node, scope)
            if node.body.id not in inner.done:
                stack.append((node.body, inner))
                return True
            body = inner.done[node.body.id]
            unchanged = binders is node.binders and body is node.body
            scope.done[node.id] = node if unchanged else self.pool.quant(node.kind, binders, body)
            return False
        if isinstance(node, App):
            missing = [(arg, scope) for arg in node.args if arg.id not in scope.done]
            if missing:
                stack.extend(missing)
                return True
        scope.done[node.id] = with_children(self.pool, node, scope.done)
        return False

    def _scope_of(
        self, quant: Quant, scope: _SubstitutionScope
    ) -> tuple[tuple[Var, ...], _SubstitutionScope]:
        if self.clashing.isdisjoint(quant.binders):
            return quant.binders, scope
        key = (quant.id, id(scope))
        if key not in self.opened:
            binders = tuple(self.pool.var(old.name, old.sort) for old in quant.binders)
            inner = _SubstitutionScope({**scope.mapping, **dict(zip(quant.binders, binders, strict=True))})
            self.opened[key] = (binders, inner)
        return self.opened[key]
