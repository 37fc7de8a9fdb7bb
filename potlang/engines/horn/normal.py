"""Clauses over numbered relations, constants and variables, denied equations substituted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from potlang.engines.horn.clauses import AtomLiteral, atom_literal, foreign_part
from potlang.engines.horn.rules import Atom
from potlang.engines.horn.universe import Provenance, Universe, is_constant, is_infinite
from potlang.ir.clauses import Clause
from potlang.ir.nodes import Lit, Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import Sort

PREDICATES = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)


class NotHorn(Exception):
    """Why a clause is left out."""


@dataclass(slots=True)
class Relations:
    """The relations by number: what violates (0), equations (1), sorts, predicates.

    A flipped relation holds the arguments for which its predicate is false. Once they are `fixed` there
    are no more of them: tables are made by their numbers, and a goal has those of the assumptions alone.
    """

    symbols: list[Symbol | None] = field(default_factory=lambda: [None, None])
    arities: list[int] = field(default_factory=lambda: [0, 2])
    numbers: dict[Symbol, int] = field(default_factory=dict)
    domains: dict[Sort, int] = field(default_factory=dict)
    flipped: frozenset[int] = frozenset()
    fixed: bool = False

    def of(self, symbol: Symbol) -> int:
        """The relation of a predicate."""
        number = self.numbers.get(symbol)
        if number is None:
            number = self.numbers[symbol] = self._new(symbol, len(symbol.domain))
        return number

    def domain(self, sort: Sort) -> int:
        """The relation that holds the constants of a sort. Raises `NotHorn` if it is too late to add it."""
        number = self.domains.get(sort)
        if number is None:
            if self.fixed:
                raise NotHorn(f"variables of sort {sort}")
            number = self.domains[sort] = self._new(None, 1)
        return number

    def _new(self, symbol: Symbol | None, arity: int) -> int:
        self.symbols.append(symbol)
        self.arities.append(arity)
        return len(self.symbols) - 1


class NumberedClause(NamedTuple):
    """A clause with numbered variables and constants; denied equations are substituted where possible."""

    source: Provenance
    atoms: tuple[tuple[bool, Atom], ...]
    equations: tuple[tuple[int, int], ...]
    """Positive ones."""
    equal: tuple[tuple[int, int], ...]
    """Pairs of constants in denied equations."""
    sorts: tuple[Sort, ...]
    """Of the variables."""
    infinite: bool
    """Whether a positive equation has a variable of a sort such as Int."""


class _Tautology(Exception):
    """The clause says nothing."""


class Normalizer:
    """Makes `NumberedClause` clauses of one program's formulas."""

    def __init__(self, universe: Universe, relations: Relations, pool: Pool) -> None:
        self.universe = universe
        self.relations = relations
        self.pool = pool

    def normal(self, clause: Clause, key: str | None, universals: Sequence[Var]) -> NumberedClause | None:
        """The clause, or None if it says nothing. Raises `NotHorn`."""
        literals: list[AtomLiteral] = []
        for node, positive in clause:
            literal = atom_literal(node, positive)
            if literal is None:
                raise NotHorn(foreign_part(node))
            literals.append(literal)
        slots = {var: ~number for number, var in enumerate(universals)}
        merged: dict[int, int] = {}
        equal: list[tuple[int, int]] = []
        try:
            # Denied equations first: what they substitute may make other literals equal.
            for literal in literals:
                if literal.symbol is None and (not literal.positive or len(literal.args) == 1):
                    self._assume_equal(literal, slots, merged, equal)
            return self._finish(literals, key, universals, slots, merged, equal)
        except _Tautology:
            return None

    def _term(self, node: Node, slots: dict[Var, int]) -> int:
        if isinstance(node, Var):
            return slots[node]
        assert is_constant(node)
        return self.universe.code(node)

    def _assume_equal(
        self,
        literal: AtomLiteral,
        slots: dict[Var, int],
        merged: dict[int, int],
        equal: list[tuple[int, int]],
    ) -> None:
        """Take a denied equation as a substitution; a variable of sort Bool as one by a truth value."""
        if len(literal.args) == 1:
            a = slots[literal.args[0]]  # type: ignore[index]
            b = self.universe.code(self.pool.truth(not literal.positive))
        else:
            a, b = (self._term(arg, slots) for arg in literal.args)
        a, b = find(merged, a), find(merged, b)
        if a == b:
            return
        if a >= 0 and b >= 0:
            self._constants_equal(a, b, equal)
        elif a < 0:
            merged[a] = b
        else:
            merged[b] = a

    def _constants_equal(self, a: int, b: int, equal: list[tuple[int, int]]) -> None:
        nodes = self.universe.nodes
        if isinstance(nodes[a], Lit) and isinstance(nodes[b], Lit):
            raise _Tautology
        equal.append((a, b))

    def _finish(
        self,
        literals: Sequence[AtomLiteral],
        key: str | None,
        universals: Sequence[Var],
        slots: dict[Var, int],
        merged: dict[int, int],
        equal: list[tuple[int, int]],
    ) -> NumberedClause | None:
        atoms: dict[tuple[bool, Atom], None] = {}
        equations: dict[tuple[int, int], None] = {}
        for literal in literals:
            if literal.symbol is not None:
                args = tuple([find(merged, self._term(arg, slots)) for arg in literal.args])
                atom = Atom(self._relation(literal.symbol), args)
                if (not literal.positive, atom) in atoms:
                    return None
                atoms[literal.positive, atom] = None
            elif literal.positive and len(literal.args) == 2:
                a, b = (find(merged, self._term(arg, slots)) for arg in literal.args)
                if a == b:
                    return None
                if not self._differ_anyway(a, b):
                    equations[a, b] = None
        images = tuple((var, find(merged, slots[var])) for var in universals)
        sorts = tuple(var.sort for var in universals)
        infinite = any(v < 0 and is_infinite(sorts[~v]) for pair in equations for v in pair)
        return NumberedClause(
            Provenance(key, images), tuple(atoms), tuple(equations), tuple(equal), sorts, infinite
        )

    def _relation(self, symbol: Symbol) -> int:
        if symbol not in self.relations.numbers and (self.relations.fixed or symbol.kind not in PREDICATES):
            raise NotHorn("a truth value that the goal supposes")
        return self.relations.of(symbol)

    def _differ_anyway(self, a: int, b: int) -> bool:
        nodes = self.universe.nodes
        return a >= 0 and b >= 0 and isinstance(nodes[a], Lit) and isinstance(nodes[b], Lit)


def find(merged: dict[int, int], value: int) -> int:
    """The constant or variable that a variable is replaced by."""
    # A substitution, not a union-find: a constant must stay the representative, and clauses are short.
    while value in merged:
        value = merged[value]
    return value
