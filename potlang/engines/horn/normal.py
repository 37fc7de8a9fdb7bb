"""From a Skolem matrix to clauses over numbered relations, constants and variables.

Nothing here knows of Horn clauses; `recognition` sorts the clauses into rules, facts and the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from potlang.engines.horn.rules import Atom
from potlang.engines.horn.universe import Provenance, Universe, is_constant, is_infinite
from potlang.ir import operators as op
from potlang.ir.clauses import Clause, ClauseLimits, clauses_of, pairwise
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, Sort

PREDICATES = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)
# Names for parts would be predicates that no derivation can speak of, so parts are multiplied out.
LIMITS = ClauseLimits(product=20_000, naming=False, literals=500_000, distinct=64)


class NotHorn(Exception):
    """Why a clause is left out."""


# --- clauses --------------------------------------------------------------------------------------


def predicate_clauses(matrix: Node, pool: Pool, limits: ClauseLimits = LIMITS) -> list[Clause]:
    """The clauses of a Skolem matrix. Raises `TooManyClauses`.

    An empty one is the only one: the formula is false, whatever the others say. Constants that are distinct
    stay one clause; see `distinct_constants`.
    """
    found: list[Clause] = []
    for clause in clauses_of(matrix, pool, limits).top:
        if not clause:
            return [clause]
        terms = _distinct(clause)
        whole = _are_constants(terms) or len(terms) > limits.distinct
        found += [clause] if whole else pairwise(terms, pool)
    return found


def distinct_constants(clause: Clause) -> tuple[Node, ...]:
    """The constants that a clause says are distinct, if that is all it says; none for other clauses."""
    terms = _distinct(clause)
    return terms if _are_constants(terms) else ()


def _distinct(clause: Clause) -> tuple[Node, ...]:
    atom, positive = clause[0] if len(clause) == 1 else (None, False)
    return atom.args if positive and isinstance(atom, App) and atom.op is op.DISTINCT else ()


def _are_constants(terms: tuple[Node, ...]) -> bool:
    return all(map(is_constant, terms))


# --- numbers --------------------------------------------------------------------------------------


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


class _Literal(NamedTuple):
    """`symbol` applied to `args`, an equation (`symbol` None, two arguments), or the denial of either."""

    positive: bool
    symbol: Symbol | None
    args: tuple[Node, ...]


class Normalizer:
    """Makes `NumberedClause` clauses of one formula: the assertion `key`, or (None) a goal."""

    def __init__(
        self,
        universe: Universe,
        relations: Relations,
        pool: Pool,
        key: str | None,
        universals: Sequence[Var],
    ) -> None:
        self.universe = universe
        self.relations = relations
        self.pool = pool
        self.key = key
        self.slots = {var: ~number for number, var in enumerate(universals)}
        self.sorts = tuple([var.sort for var in universals])

    def normal(self, clause: Clause) -> NumberedClause | None:
        """The clause, or None if it says nothing. Raises `NotHorn`."""
        literals = [self._literal(node, positive) for node, positive in clause]
        merged: dict[int, int] = {}
        equal: list[tuple[int, int]] = []
        # Denied equations first: what they substitute may make other literals equal.
        for literal in literals:
            if literal.symbol is None and not literal.positive:
                a, b = (find(merged, self._term(arg)) for arg in literal.args)
                if self._differ_anyway(a, b):
                    return None
                if a != b and min(a, b) >= 0:
                    equal.append((a, b))
                elif a != b:
                    variable, other = (a, b) if a < 0 else (b, a)
                    merged[variable] = other
        atoms: dict[tuple[bool, Atom], None] = {}
        equations: dict[tuple[int, int], None] = {}
        for literal in literals:
            args = tuple([find(merged, self._term(arg)) for arg in literal.args])
            if literal.symbol is not None:
                atom = Atom(self._relation(literal.symbol), args)
                if (not literal.positive, atom) in atoms:
                    return None
                atoms[literal.positive, atom] = None
            elif literal.positive:
                a, b = args
                if a == b:
                    return None
                if not self._differ_anyway(a, b):
                    equations[a, b] = None
        images = tuple([(var, find(merged, slot)) for var, slot in self.slots.items()])
        infinite = any(v < 0 and is_infinite(self.sorts[~v]) for pair in equations for v in pair)
        return NumberedClause(
            Provenance(self.key, images), tuple(atoms), tuple(equations), tuple(equal), self.sorts, infinite
        )

    def _literal(self, node: Node, positive: bool) -> _Literal:
        match node:
            case App(op=Symbol() as symbol) if symbol.kind is SymbolKind.FUNCTION and _are_simple(node.args):
                return _Literal(positive, symbol, node.args)
            case Sym():
                return _Literal(positive, node.symbol, ())
            case Var():
                # A variable of sort Bool is not the other truth value.
                return _Literal(False, None, (node, self.pool.truth(not positive)))
            case App(op=op.EQ) if node.args[0].sort is not BOOL and _are_simple(node.args):
                return _Literal(positive, None, node.args)
            case App(op=Symbol() | op.EQ | op.DISTINCT):
                raise NotHorn("terms with functions or operators")
            case App():
                raise NotHorn(f"the operator {node.op.name}")
            case _:
                raise NotHorn("a quantifier inside a term")

    def _term(self, node: Node) -> int:
        return self.slots[node] if isinstance(node, Var) else self.universe.code(node)

    def _relation(self, symbol: Symbol) -> int:
        if symbol not in self.relations.numbers and (self.relations.fixed or symbol.kind not in PREDICATES):
            raise NotHorn("a truth value that the goal supposes")
        return self.relations.of(symbol)

    def _differ_anyway(self, a: int, b: int) -> bool:
        """Whether two values are different literals."""
        nodes = self.universe.nodes
        return a != b and a >= 0 and b >= 0 and isinstance(nodes[a], Lit) and isinstance(nodes[b], Lit)


def _are_simple(args: tuple[Node, ...]) -> bool:
    return all(isinstance(arg, Sym | Var | Lit) for arg in args)


def find(merged: dict[int, int], value: int) -> int:
    """The constant or variable that a variable is replaced by."""
    # A substitution, not a union-find: a constant must stay the representative, and clauses are short.
    while value in merged:
        value = merged[value]
    return value
