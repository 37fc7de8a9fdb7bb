"""Formulas in the form of first-order logic: no choices within terms, no truth values but as constants.

`f(ite(c, a, b)) = d` becomes `c and f(a) = d or not c and f(b) = d`: whatever a term chooses by is said
outside of the atom that it stands in. Truth values stay as arguments only if they are literals.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Final

from potlang.export.problem import NoCounterpart, TooLarge, pairs_of
from potlang.ir import operators as op
from potlang.ir.module import Definition
from potlang.ir.nodes import App, Lit, Node, Quant, children, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, REAL
from potlang.ir.substitute import rebuild, substitute, with_children

_MOST_CASES: Final = 256
"""Choices within one atom, multiplied."""
_MOST_NODES: Final = 100_000
"""Nodes that a formula may have when quantifiers over Bool are written out."""

_CONNECTIVES: Final = (op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR)

Case = tuple[Node, Node]
"""A condition, and what a term is where it is true. The conditions of one term exclude each other."""


def defining_formula(pool: Pool, definition: Definition) -> Node:
    """That a defined function is its body, for all values of its parameters."""
    symbol, params, body = definition.symbol, definition.params, definition.body
    head = pool.app(symbol, params) if params else pool.sym(symbol)
    said = pool.app(op.IFF, (head, body)) if body.sort is BOOL else pool.eq(head, body)
    return pool.quant("forall", params, said) if params else said


def first_order(pool: Pool, formula: Node) -> Node:
    """An equivalent formula of connectives, quantifiers, none of them over Bool, and atoms without choices.

    Connectives are `not`, `and`, `or`, `=>`, `iff`, `xor`; `distinct` is gone. Raises `TooLarge`, and
    `NoCounterpart` for an atom with too many choices.
    """
    _require_few_truth_values(formula)
    [plain] = rebuild(pool, [formula], lambda node: _plain(pool, node))
    lifting = _Lifting(pool)
    for node in reachable(plain):
        lifting.add(node)
    return lifting.formulas[plain.id]


def _require_few_truth_values(formula: Node) -> None:
    """Raises `TooLarge` where quantifiers over Bool within one another have too many values together."""
    nodes = reachable(formula)
    depth: dict[int, int] = {}
    for node in nodes:
        own = sum(var.sort is BOOL for var in node.binders) if isinstance(node, Quant) else 0
        depth[node.id] = own + max((depth[part.id] for part in children(node)), default=0)
    if depth[formula.id] and len(nodes) << depth[formula.id] > _MOST_NODES:
        raise TooLarge


def _plain(pool: Pool, node: Node) -> Node:
    """Quantifiers over Bool written out, and choices in place of what chooses by another name."""
    if isinstance(node, Quant):
        return _without_truth_values(pool, node)
    if isinstance(node, App):
        if node.op is op.ABS:
            (arg,) = node.args
            zero = pool.real(0) if arg.sort is REAL else pool.integer(0)
            return pool.app(op.ITE, (pool.app(op.LT, (arg, zero)), pool.app(op.NEG, (arg,)), arg))
        if node.args[0].sort is BOOL and node.op is op.EQ:
            return pool.app(op.IFF, node.args)
        if node.args[0].sort is BOOL and node.op is op.DISTINCT:
            # Of three truth values two are equal.
            return pool.app(op.XOR, node.args) if len(node.args) == 2 else pool.false
        if node.op is op.DISTINCT:
            return pool.conj([pool.negate(pool.eq(*pair)) for pair in pairs_of(node.args)])
        if node.op is op.ITE and node.sort is BOOL:
            return _chosen(pool, [(node.args[0], node.args[1]), (pool.negate(node.args[0]), node.args[2])])
    return node


def _without_truth_values(pool: Pool, node: Quant) -> Node:
    over = [var for var in node.binders if var.sort is BOOL]
    others = tuple(var for var in node.binders if var.sort is not BOOL)
    bodies = [node.body]
    for var in over:
        bodies = [
            substitute(pool, body, {var: value}) for body in bodies for value in (pool.false, pool.true)
        ]
    body = pool.conj(bodies) if node.kind == "forall" else pool.disj(bodies)
    return pool.quant(node.kind, others, body) if others else body


class _Lifting:
    """Formulas without choices in their atoms, and terms by cases, from the leaves upwards."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.formulas: dict[int, Node] = {}
        """The translation of each formula."""
        self._cases: dict[int, list[Case]] = {}

    def add(self, node: Node) -> None:
        """One more node; its parts are known."""
        if node.sort is not BOOL:
            self._cases[node.id] = self._of_term(node)
        elif isinstance(node, Quant) or (isinstance(node, App) and node.op in _CONNECTIVES):
            self.formulas[node.id] = with_children(self._pool, node, self.formulas)
        elif isinstance(node, App):
            self.formulas[node.id] = _chosen(self._pool, self._applied(node))
        else:
            self.formulas[node.id] = node

    def _of_term(self, node: Node) -> list[Case]:
        pool = self._pool
        if not isinstance(node, App):
            return [(pool.true, node)]
        if node.op is not op.ITE:
            return self._applied(node)
        condition = self.formulas[node.args[0].id]
        found = []
        for guard, branch in ((condition, node.args[1]), (pool.negate(condition), node.args[2])):
            found += [(_both(pool, guard, case), term) for case, term in self._cases[branch.id]]
        if len(found) > _MOST_CASES:
            raise _too_many()
        return found

    def _applied(self, node: App) -> list[Case]:
        """The application to each choice of its arguments."""
        pool = self._pool
        choices = [self._of_argument(arg) for arg in node.args]
        if prod(map(len, choices)) > _MOST_CASES:
            raise _too_many()
        found: list[Case] = []
        for chosen in product(*choices):
            guard: Node = pool.true
            for case, _ in chosen:
                guard = _both(pool, guard, case)
            found.append((guard, pool.app(node.op, tuple(term for _, term in chosen))))
        return found

    def _of_argument(self, arg: Node) -> list[Case]:
        if arg.sort is not BOOL:
            return self._cases[arg.id]
        pool, formula = self._pool, self.formulas[arg.id]
        if isinstance(formula, Lit):
            return [(pool.true, formula)]
        return [(formula, pool.true), (pool.negate(formula), pool.false)]


def _both(pool: Pool, one: Node, other: Node) -> Node:
    if one is pool.true:
        return other
    return one if other is pool.true else pool.conj((one, other))


def _chosen(pool: Pool, cases: list[Case]) -> Node:
    """That the formula of the case that is true holds."""
    return pool.disj([_both(pool, guard, formula) for guard, formula in cases])


def _too_many() -> NoCounterpart:
    return NoCounterpart(
        f"more than {_MOST_CASES} choices by `If`, `Abs` or truth values within one atom",
        "name the parts by functions of their own",
    )
