"""Prenex normal form: quantifiers in front, existential ones as far as their dependencies allow.

The rules are [PASS-PRENEX-1] to [PASS-PRENEX-4] of `spec/50-passes.md`. Sorts are not empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from potlang.ir import operators as op
from potlang.ir.module import Module
from potlang.ir.nodes import App, Node, Quant, Var, free_variable_sets, quantified, reachable
from potlang.ir.pool import Pool
from potlang.ir.substitute import substitute
from potlang.passes.base import Keeps, PassLimit, Property, finish, is_formula


@dataclass(frozen=True, slots=True)
class Prenex:
    """Pulls the quantifiers of each formula to its front.

    A quantifier that occurs several times is pulled once for each occurrence, with fresh variables
    from the second on. That can grow exponentially: `PassLimit` beyond `limit` steps in one formula,
    and with `same_arity` where a Skolem function would get more arguments than as written.
    """

    limit: int = 1_000_000
    same_arity: bool = False

    name: ClassVar[str] = "prenex"
    requires: ClassVar[frozenset[Property]] = frozenset({Property.NNF})
    establishes: ClassVar[frozenset[Property]] = frozenset({Property.PRENEX})
    preserves: ClassVar[frozenset[Property]] = frozenset({Property.NNF, Property.SIMPLE})
    keeps: ClassVar[Keeps] = Keeps.EQUIVALENT

    def run(self, module: Module) -> Module:
        """The module with its formulas in prenex normal form; terms are left alone."""
        formulas = [
            _Prefixing(module.pool, self).run(root) if is_formula(root) else root
            for root in module.formulas()
        ]
        return finish(self, module, formulas)


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


class _Pulled(NamedTuple):
    """A quantifier on its way to the front, and the places of those that bind variables free in it."""

    kind: str
    binders: tuple[Var, ...]
    needs: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Rejoin:
    """Put the last results together as the arguments of `node`."""

    node: App


_Renaming = Mapping[Node, Node]


class _Prefixing:
    """One formula: the quantifiers met so far, the variables in use, and the results waiting to be joined."""

    def __init__(self, pool: Pool, options: Prenex) -> None:
        self.pool = pool
        self.same_arity = options.same_arity
        self.quantified: frozenset[int] = frozenset()
        self.left = options.limit
        self.pulled: list[_Pulled] = []
        self.owner: dict[Node, int] = {}
        self.used: set[Var] = set()
        self.free: dict[int, frozenset[Var]] = {}

    def run(self, root: Node) -> Node:
        self.quantified = quantified(root, _operands)
        if root.id not in self.quantified:
            return root
        self.free = free_variable_sets(root)
        self.used.update(self.free[root.id])
        self.used.update(_bound_in_terms(root))
        matrix = self._matrix(root)
        order = _in_order(self.pulled)
        if self.same_arity and not _needs_all_before(self.pulled, order):
            raise PassLimit("a Skolem function would get more arguments")
        for place in reversed(order):
            kind, binders, _ = self.pulled[place]
            matrix = self.pool.quant(kind, binders, matrix)
        return matrix

    def _matrix(self, root: Node) -> Node:
        """`root` without its quantifiers, which are pulled as they are met, left to right."""
        results: list[Node] = []
        stack: list[tuple[Node, _Renaming] | _Rejoin] = [(root, {})]
        while stack:
            step = stack.pop()
            self._count()
            if isinstance(step, _Rejoin):
                arity = len(step.node.args)
                args = tuple(results[-arity:])
                results[-arity:] = [
                    step.node if args == step.node.args else self.pool.app(step.node.op, args)
                ]
                continue
            node, renaming = step
            if node.id not in self.quantified:
                results.append(self._renamed(node, renaming) if renaming else node)
            elif isinstance(node, Quant):
                stack.append((node.body, self._pull(node, renaming)))
            else:
                assert isinstance(node, App)
                stack.append(_Rejoin(node))
                stack.extend((arg, renaming) for arg in reversed(node.args))
        return results[0]

    def _renamed(self, node: Node, renaming: _Renaming) -> Node:
        """A part without quantifiers in new variables. It is a copy, so each of its nodes is a step."""
        self._count(len(reachable(node)))
        return substitute(self.pool, node, renaming)

    def _pull(self, quant: Quant, renaming: _Renaming) -> _Renaming:
        """Note `quant` as pulled, under fresh names where its own are in use."""
        outer = (renaming.get(var, var) for var in self.free[quant.id])
        needs = frozenset(self.owner[var] for var in outer if var in self.owner)
        self._count(len(needs))
        fresh: dict[Node, Node] = {}
        binders: list[Var] = []
        for var in quant.binders:
            binder = self.pool.var(var.name, var.sort) if var in self.used else var
            self.used.add(binder)
            self.owner[binder] = len(self.pulled)
            binders.append(binder)
            if binder is not var:
                fresh[var] = binder
        self.pulled.append(_Pulled(quant.kind, tuple(binders), needs))
        return {**renaming, **fresh} if fresh else renaming

    def _count(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise PassLimit("the prenex normal form is too large")


def _in_order(pulled: Sequence[_Pulled]) -> list[int]:
    """The places in `pulled` in the order in which they stand in front ([PASS-PRENEX-1]).

    A quantifier may leave the scope of another that binds nothing free in it. An existential one that
    comes to stand behind a universal one that it does not need would get a Skolem function of more
    arguments than as written, and solvers decide less.
    """
    needed = [False] * len(pulled)
    for place in range(len(pulled) - 1, -1, -1):
        if needed[place] or pulled[place].kind == "exists":
            needed[place] = True
            for other in pulled[place].needs:
                needed[other] = True
    # Even levels hold existential quantifiers, odd ones universal; the last is for what nothing waits for.
    levels: list[int] = []
    for place, each in enumerate(pulled):
        least = max((levels[other] for other in each.needs), default=0)
        own = 0 if each.kind == "exists" else 1
        levels.append(least + (least + own) % 2 if needed[place] else 2 * len(pulled) + 1)
    return sorted(range(len(pulled)), key=lambda place: (levels[place], place))


def _needs_all_before(pulled: Sequence[_Pulled], order: Iterable[int]) -> bool:
    """Whether each existential quantifier needs, at least indirectly, all universal ones in front of it."""
    # Bits are places: a set of those for each quantifier would be slow where hundreds are nested.
    reached: list[int] = []
    for each in pulled:
        bits = 0
        for other in each.needs:
            bits |= reached[other] | 1 << other
        reached.append(bits)
    universal = 0
    for place in order:
        if pulled[place].kind == "forall":
            universal |= 1 << place
        elif universal & ~reached[place]:
            return False
    return True
