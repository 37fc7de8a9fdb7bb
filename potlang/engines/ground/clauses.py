"""Clauses of a Skolem form's matrix, its variables being universal.

Disjunctions of conjunctions are multiplied out while that stays small; beyond, a part gets a name, a
fresh predicate of its variables that implies it (D. A. Plaisted and S. Greenbaum, 1986).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.connectives import Disjunctions, Signed, disjunctions
from potlang.ir.nodes import App, Lit, Node, Symbol, SymbolKind, free_variables
from potlang.ir.pool import Pool
from potlang.ir.skolem import NotSkolemizable
from potlang.ir.sorts import BOOL

MOST_PRODUCT = 16
"""More clauses than this a disjunction is not multiplied out to."""

MOST_DISTINCT = 200
"""More terms than this are not told apart, pair by pair."""

Clause = tuple[Signed, ...]
Shape = tuple[str, Sequence["Signed | Shape"]]
"""`and` or `or` of signed formulas and of such, nested no deeper than three."""


class Clauses(NamedTuple):
    """`top` are the clauses of the formula, `named` those of the named parts: name implies part."""

    top: tuple[Clause, ...]
    named: tuple[Clause, ...]


def clauses_of(matrix: Node, pool: Pool) -> Clauses:
    """The clauses of a formula without quantifiers. Names and equalities are made in `pool`.

    Raises `NotSkolemizable` for a `distinct` of very many terms.
    """
    work = _Work(pool)
    top = work.run(matrix)
    return Clauses(tuple(top), tuple(work.named))


class _Work:
    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.done: dict[tuple[int, bool], list[Clause]] = {}
        self.names: dict[tuple[int, bool], Node] = {}
        self.named: list[Clause] = []

    def run(self, root: Node) -> list[Clause]:
        stack: list[Signed] = [(root, True)]
        shapes: dict[tuple[int, bool], Shape | None] = {}
        while stack:
            node, sign = stack[-1]
            key = (node.id, sign)
            if key in self.done:
                stack.pop()
                continue
            if key not in shapes:
                shapes[key] = shape_of(node, sign, self.pool)
            shape = shapes[key]
            missing = [part for part in _parts(shape) if (part[0].id, part[1]) not in self.done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self.done[key] = self._leaf(node, sign) if shape is None else self._combined(shape)
        return self.done[root.id, True]

    def _leaf(self, node: Node, sign: bool) -> list[Clause]:
        if isinstance(node, Lit):
            return [] if node.value is sign else [()]
        return [((node, sign),)]

    def _combined(self, shape: Shape) -> list[Clause]:
        """The clauses of a shape whose parts are done."""
        operator, parts = shape
        got = [self._combined(part) if isinstance(part[0], str) else self._of(part) for part in parts]
        if operator == "and":
            return list(dict.fromkeys(itertools.chain.from_iterable(got)))
        return self._product([(part, found) for part, found in zip(parts, got, strict=True)])

    def _of(self, part: Signed) -> list[Clause]:
        return self.done[part[0].id, part[1]]

    def _product(self, parts: list[tuple[Signed | Shape, list[Clause]]]) -> list[Clause]:
        """The disjunction of formulas given by their clauses; the largest get names if it grows."""
        total = 1
        for _, found in parts:
            total *= max(len(found), 1)
        order = sorted(range(len(parts)), key=lambda place: -len(parts[place][1]))
        chosen = [found for _, found in parts]
        for place in order:
            size = len(chosen[place])
            if total <= MOST_PRODUCT or size < 2:
                break
            part = parts[place][0]
            if not isinstance(part[0], str):
                chosen[place] = self._named(part[0], bool(part[1]), chosen[place])
                total //= size
        joined = (_join(choice) for choice in itertools.product(*chosen))
        return list(dict.fromkeys(clause for clause in joined if clause is not None))

    def _named(self, node: Node, sign: bool, clauses: list[Clause]) -> list[Clause]:
        key = (node.id, sign)
        name = self.names.get(key)
        if name is None:
            variables = free_variables(node)
            domain = tuple(var.sort for var in variables)
            symbol = Symbol(f"part{len(self.names)}", domain, BOOL, SymbolKind.FRESH)
            name = self.pool.app(symbol, variables) if variables else self.pool.sym(symbol)
            self.names[key] = name
            self.named.extend(((name, False), *clause) for clause in clauses)
        return [((name, True),)]


def _join(parts: Sequence[Clause]) -> Clause | None:
    """One clause of several, or None if it is a tautology."""
    literals = dict.fromkeys(itertools.chain.from_iterable(parts))
    if any((atom, not sign) in literals for atom, sign in literals):
        return None
    return tuple(literals)


def _parts(shape: Shape | None) -> list[Signed]:
    if shape is None:
        return []
    found: list[Signed] = []
    for part in shape[1]:
        if isinstance(part[0], str):
            found.extend(_parts(part))
        else:
            found.append(part)
    return found


def shape_of(node: Node, sign: bool, pool: Pool) -> Shape | None:
    """A formula, or its negation, in terms of smaller ones; None for an atom."""
    parts = disjunctions(node, sign)
    if parts:
        return _shape(parts)
    if isinstance(node, App) and node.op is op.DISTINCT:
        return _distinct(node.args, sign, pool)
    return None


def _shape(parts: Disjunctions) -> Shape:
    if len(parts) == 1 and len(parts[0]) > 1:
        return "or", parts[0]
    return "and", [each[0] if len(each) == 1 else ("or", each) for each in parts]


def _distinct(args: tuple[Node, ...], sign: bool, pool: Pool) -> Shape:
    if len(args) > MOST_DISTINCT:
        raise NotSkolemizable(f"{len(args)} terms are distinct")
    pairs = itertools.combinations(args, 2)
    parts: list[Signed | Shape] = []
    for a, b in pairs:
        equal = (pool.eq(a, b), not sign)
        parts.append(_shape(disjunctions(*equal)) if a.sort is BOOL else equal)
    return "and" if sign else "or", parts
