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


class RawClause(NamedTuple):
    """A disjunction; `foreign` says what else is in it, or None."""

    literals: tuple[AtomLiteral, ...]
    foreign: str | None = None
    distinct: tuple[Node, ...] = ()
    """Instead of literals: constants that all differ."""


def raw_clauses(matrix: Node, pool: Pool, limits: ClauseLimits = LIMITS) -> list[RawClause]:
    """The clauses of a Skolem matrix. Raises `TooManyClauses`.

    An empty one is the only one: the formula is false, whatever the others say.
    """
    found: list[RawClause] = []
    for clause in clauses_of(matrix, pool, limits).top:
        if not clause:
            return [RawClause(())]
        atom, _ = clause[0]
        if isinstance(atom, App) and atom.op is op.DISTINCT and len(clause) == 1:
            found += _distinct(atom, pool, limits)
        else:
            found.append(_raw(clause))
    return found


def _distinct(atom: App, pool: Pool, limits: ClauseLimits) -> list[RawClause]:
    if all(isinstance(arg, Sym | Lit) for arg in atom.args):
        return [RawClause((), None, atom.args)]
    if len(atom.args) > limits.distinct:
        return [RawClause((), _what(atom))]
    return [_raw(clause) for clause in pairwise(atom.args, pool)]


def _raw(clause: Clause) -> RawClause:
    literals: dict[AtomLiteral, None] = {}
    foreign: str | None = None
    for node, positive in clause:
        literal = _literal(node, positive)
        if literal is None:
            foreign = foreign or _what(node)
        else:
            literals[literal] = None
    return RawClause(tuple(literals), foreign)


def _literal(node: Node, positive: bool) -> AtomLiteral | None:
    match node:
        case Sym():
            return AtomLiteral(positive, node.symbol, ())
        case Var():
            return AtomLiteral(positive, None, (node,))
        case App(op=Symbol() as symbol) if symbol.kind is SymbolKind.FUNCTION:
            return AtomLiteral(positive, symbol, node.args) if _simple(node.args) else None
        case App(op=op.EQ) if node.args[0].sort is not BOOL:
            return AtomLiteral(positive, None, node.args) if _simple(node.args) else None
        case App(op=op.DISTINCT) if len(node.args) == 2:
            return AtomLiteral(not positive, None, node.args) if _simple(node.args) else None
        case _:
            return None


def _simple(args: tuple[Node, ...]) -> bool:
    return all(isinstance(arg, Sym | Var | Lit) for arg in args)


def _what(node: Node) -> str:
    """What a formula that is no literal here is, in a few words."""
    if not isinstance(node, App):
        return "a quantifier inside a term"
    if isinstance(node.op, Symbol) or node.op in (op.EQ, op.DISTINCT):
        return "terms with functions or operators"
    return f"the operator {node.op.name}"
