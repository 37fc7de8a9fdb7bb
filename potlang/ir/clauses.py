"""Clauses of a formula without quantifiers, in negation normal form ([PASS-CLAUSES-1] ff.)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.nnf import Signed
from potlang.ir.nodes import App, Lit, Node, Symbol, SymbolKind, free_variables
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

Clause = tuple[Signed, ...]
"""A disjunction of atoms and of negated (False) ones."""


class TooManyClauses(Exception):
    """The clauses of the formula multiply beyond the limits."""


class ClauseLimits(NamedTuple):
    """`product`: a disjunction of conjunctions is multiplied out up to so many clauses.

    Beyond that, a part gets a name if `naming`, else that is the end, as is writing more than `literals`.
    `distinct` of more than so many terms is left as an atom.
    """

    product: int = 16
    naming: bool = True
    literals: int | None = None
    distinct: int = 200


NAMING = ClauseLimits()


class Clauses(NamedTuple):
    """`top` are the clauses of the formula, `named` those of the named parts: name implies part."""

    top: tuple[Clause, ...]
    named: tuple[Clause, ...] = ()


def clauses_of(matrix: Node, pool: Pool, limits: ClauseLimits = NAMING) -> Clauses:
    """The clauses of a formula in negation normal form. Names and equations are made in `pool`.

    A named part has a fresh predicate of its variables, which implies it: D. A. Plaisted and S. Greenbaum,
    "A structure-preserving clause form translation" (1986). A conjunct that says that terms are distinct
    stays one clause; see `pairwise`. Raises `TooManyClauses`.
    """
    atom = matrix.args[0] if isinstance(matrix, App) and matrix.op is op.NOT else matrix
    if not isinstance(atom, App) or isinstance(atom.op, Symbol):
        return Clauses(tuple(_of_literal(matrix)))
    work = _Conversion(pool, limits)
    top: dict[Clause, None] = {}
    for part in _operands(matrix, op.AND):
        group = isinstance(part, App) and part.op is op.DISTINCT and part.args[0].sort is not BOOL
        top.update(dict.fromkeys([((part, True),)] if group else work.run(part)))
    return Clauses(tuple(top), tuple(work.named))


def pairwise(args: Sequence[Node], pool: Pool) -> list[Clause]:
    """That terms are distinct, as unit clauses."""
    return [((pool.eq(a, b), False),) for a, b in itertools.combinations(args, 2)]


class _Conversion:
    """From the atoms upwards, each shared part once. Conjunctions and disjunctions alternate in between."""

    def __init__(self, pool: Pool, limits: ClauseLimits) -> None:
        self.pool = pool
        self.limits = limits
        self.named: list[Clause] = []
        self._done: dict[int, list[Clause]] = {}
        self._names: dict[int, Node] = {}
        self._literals = 0

    def run(self, root: Node) -> list[Clause]:
        done = self._done
        opened: dict[int, list[Node]] = {}
        stack = [root]
        while stack:
            node = stack.pop()
            if node.id in done:
                continue
            operands = opened.get(node.id)
            if operands is None and isinstance(node, App) and (node.op is op.AND or node.op is op.OR):
                operands = opened[node.id] = _operands(node, node.op)
                stack += [node, *operands]
                continue
            found = done[node.id] = self._combined(node, operands) if operands else self._leaf(node)
            self._literals += sum(map(len, found))
            if self.limits.literals is not None and self._literals > self.limits.literals:
                raise TooManyClauses
        return done[root.id]

    def _leaf(self, node: Node) -> list[Clause]:
        positive = not (isinstance(node, App) and node.op is op.NOT)
        atom = node if positive else node.args[0]  # type: ignore[union-attr]
        if not isinstance(atom, App) or atom.op is not op.DISTINCT or len(atom.args) > self.limits.distinct:
            return _of_literal(node)
        if atom.args[0].sort is BOOL:
            # Two are a connective; of more, some agree, since there are two truth values.
            return [()] if positive else []
        different = pairwise(atom.args, self.pool)
        return different if positive else [tuple([(equal, True) for ((equal, _),) in different])]

    def _combined(self, node: Node, operands: Sequence[Node]) -> list[Clause]:
        if isinstance(node, App) and node.op is op.AND:
            found = itertools.chain.from_iterable(self._done[each.id] for each in operands)
            return list(dict.fromkeys(found))
        return self._product(operands)

    def _product(self, parts: Sequence[Node]) -> list[Clause]:
        """The disjunction of formulas given by their clauses; the largest get names if it grows."""
        chosen = [self._done[part.id] for part in parts]
        total = math.prod(max(len(clauses), 1) for clauses in chosen)
        most = self.limits.product
        # Naming the part with the most clauses first takes the fewest names. Most disjunctions need none.
        largest = sorted(range(len(parts)), key=lambda place: -len(chosen[place])) if total > most else []
        for place in largest:
            size = len(chosen[place])
            if total <= most or size < 2:
                break
            if not self.limits.naming:
                raise TooManyClauses
            chosen[place] = [((self._name(parts[place], chosen[place]), True),)]
            total //= size
        joined = (_join(choice) for choice in itertools.product(*chosen))
        return list(dict.fromkeys([clause for clause in joined if clause is not None]))

    def _name(self, node: Node, clauses: Iterable[Clause]) -> Node:
        name = self._names.get(node.id)
        if name is None:
            variables = free_variables(node)
            domain = tuple([var.sort for var in variables])
            symbol = Symbol(f"part{len(self._names)}", domain, BOOL, SymbolKind.FRESH)
            name = self.pool.app(symbol, variables) if variables else self.pool.sym(symbol)
            self._names[node.id] = name
            self.named.extend(((name, False), *clause) for clause in clauses)
        return name


def _operands(node: Node, operator: Operator | Symbol) -> list[Node]:
    """The operands of nested applications of `operator`, `and` or `or`, each once."""
    found: dict[Node, None] = {}
    seen: set[int] = set()
    stack = [node]
    while stack:
        top = stack.pop()
        if not isinstance(top, App) or top.op is not operator:
            found[top] = None
        elif top.id not in seen:
            seen.add(top.id)
            stack.extend(reversed(top.args))
    return list(found)


def _of_literal(node: Node) -> list[Clause]:
    if isinstance(node, Lit):
        return [] if node.value is True else [()]
    if isinstance(node, App) and node.op is op.NOT:
        return [((node.args[0], False),)]
    return [((node, True),)]


def _join(parts: Sequence[Clause]) -> Clause | None:
    """One clause of several, or None if it is a tautology."""
    literals = dict.fromkeys(itertools.chain.from_iterable(parts))
    if any((atom, not sign) in literals for atom, sign in literals):
        return None
    return tuple(literals)
