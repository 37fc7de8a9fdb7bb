"""Clauses of a Skolem matrix for Horn rules: literals of predicates, equations and differences.

Nothing here knows of Horn clauses; `recognition` sorts the clauses into rules, facts and the rest.
"""

from __future__ import annotations

from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.clauses import Clause, ClauseLimits, clauses_of, pairwise
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

# Names for parts would be predicates that no derivation can speak of, so parts are multiplied out.
LIMITS = ClauseLimits(product=20_000, naming=False, literals=500_000, distinct=64)


class AtomLiteral(NamedTuple):
    """`symbol` applied to `args`, an equation (`symbol` None, two arguments), or the denial of either."""

    positive: bool
    symbol: Symbol | None
    args: tuple[Node, ...]


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
    return all(isinstance(term, Sym | Lit) for term in terms)


def atom_literal(node: Node, positive: bool) -> AtomLiteral | None:
    """A literal of a clause; None where it has functions or operators."""
    match node:
        case Sym():
            return AtomLiteral(positive, node.symbol, ())
        case Var():
            return AtomLiteral(positive, None, (node,))
        case App(op=Symbol() as symbol) if symbol.kind is SymbolKind.FUNCTION:
            return AtomLiteral(positive, symbol, node.args) if _simple(node.args) else None
        case App(op=op.EQ) if node.args[0].sort is not BOOL:
            return AtomLiteral(positive, None, node.args) if _simple(node.args) else None
        case _:
            return None


def _simple(args: tuple[Node, ...]) -> bool:
    return all(isinstance(arg, Sym | Var | Lit) for arg in args)


def foreign_part(node: Node) -> str:
    """What keeps an atom from being a literal here, in a few words."""
    if not isinstance(node, App):
        return "a quantifier inside a term"
    if isinstance(node.op, Symbol) or node.op in (op.EQ, op.DISTINCT):
        return "terms with functions or operators"
    return f"the operator {node.op.name}"
