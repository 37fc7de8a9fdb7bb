"""Prenex normal form: quantifiers in front, in the order they are written.

The rules are [PASS-PRENEX-1] to [PASS-PRENEX-4] of `spec/50-passes.md`. Sorts are not empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from potlang.ir import operators as op
from potlang.ir.module import Module
from potlang.ir.nodes import App, Node, Quant, Var, free_variables, reachable
from potlang.ir.pool import Pool
from potlang.ir.substitute import substitute
from potlang.passes.base import Keeps, PassLimit, Property, finish, is_formula


@dataclass(frozen=True, slots=True)
class Prenex:
    """Pulls the quantifiers of each formula to its front.

    A quantifier that occurs several times is pulled once for each occurrence, with fresh variables
    from the second on. That can grow exponentially: `PassLimit` beyond `limit` steps in one formula.
    """

    limit: int = 1_000_000

    name: ClassVar[str] = "prenex"
    requires: ClassVar[frozenset[Property]] = frozenset({Property.NNF})
    establishes: ClassVar[frozenset[Property]] = frozenset({Property.PRENEX})
    preserves: ClassVar[frozenset[Property]] = frozenset({Property.NNF, Property.SIMPLE})
    keeps: ClassVar[Keeps] = Keeps.EQUIVALENT

    def run(self, module: Module) -> Module:
        """The module with its formulas in prenex normal form; terms are left alone."""
        quantified = _Quantified()
        formulas = [
            _Work(module.pool, quantified, self.limit).run(root) if is_formula(root) else root
            for root in module.formulas()
        ]
        return finish(self, module, formulas)


class _Quantified:
    """Which nodes have a quantifier at formula level."""

    def __init__(self) -> None:
        self.known: dict[int, bool] = {}

    def __call__(self, root: Node) -> bool:
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [part for part in _operands(node) if part.id not in self.known]
            if missing and node.id not in self.known:
                stack.extend(missing)
                continue
            if node.id not in self.known:
                below = any(self.known[part.id] for part in _operands(node))
                self.known[node.id] = isinstance(node, Quant) or below
            stack.pop()
        return self.known[root.id]


def _operands(node: Node) -> tuple[Node, ...]:
    """The subformulas of a conjunction or disjunction."""
    return node.args if isinstance(node, App) and (node.op is op.AND or node.op is op.OR) else ()


def _bound_in_terms(root: Node) -> set[Var]:
    """The variables of quantifiers inside terms, which end up below the prefix."""
    atoms: list[Node] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        below = (node.body,) if isinstance(node, Quant) else _operands(node)
        if not below:
            atoms.append(node)
        stack.extend(below)
    return {var for node in reachable(*atoms) if isinstance(node, Quant) for var in node.binders}


@dataclass(frozen=True, slots=True)
class _Join:
    """Put the last results together as the arguments of `node`."""

    node: App


_Renaming = Mapping[Node, Node]


class _Work:
    """One formula: its prefix so far, the variables in use, and the results waiting to be joined."""

    def __init__(self, pool: Pool, quantified: _Quantified, limit: int) -> None:
        self.pool = pool
        self.quantified = quantified
        self.left = limit
        self.prefix: list[tuple[str, tuple[Var, ...]]] = []
        self.used: set[Var] = set()

    def run(self, root: Node) -> Node:
        if not self.quantified(root):
            return root
        self.used.update(free_variables(root))
        self.used.update(_bound_in_terms(root))
        matrix = self._matrix(root)
        for kind, binders in reversed(self.prefix):
            matrix = self.pool.quant(kind, binders, matrix)
        return matrix

    def _matrix(self, root: Node) -> Node:
        """`root` without its quantifiers, which go to the prefix as they are met, left to right."""
        results: list[Node] = []
        stack: list[tuple[Node, _Renaming] | _Join] = [(root, {})]
        while stack:
            step = stack.pop()
            self._count()
            if isinstance(step, _Join):
                arity = len(step.node.args)
                args = tuple(results[-arity:])
                results[-arity:] = [
                    step.node if args == step.node.args else self.pool.app(step.node.op, args)
                ]
                continue
            node, renaming = step
            if not self.quantified(node):
                results.append(substitute(self.pool, node, renaming) if renaming else node)
            elif isinstance(node, Quant):
                stack.append((node.body, self._pull(node, renaming)))
            else:
                assert isinstance(node, App)
                stack.append(_Join(node))
                stack.extend((arg, renaming) for arg in reversed(node.args))
        return results[0]

    def _pull(self, quant: Quant, renaming: _Renaming) -> _Renaming:
        """Add `quant` to the prefix, under fresh names where its own are in use."""
        fresh: dict[Node, Node] = {}
        binders: list[Var] = []
        for var in quant.binders:
            binder = self.pool.var(var.name, var.sort) if var in self.used else var
            self.used.add(binder)
            binders.append(binder)
            if binder is not var:
                fresh[var] = binder
        self.prefix.append((quant.kind, tuple(binders)))
        return {**renaming, **fresh} if fresh else renaming

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PassLimit("the prenex normal form is too large")
