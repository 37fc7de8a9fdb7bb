"""Clauses of a Skolem matrix: disjunctions of signed atoms, equations and differences.

Nothing here knows of Horn clauses; `recognition` sorts the clauses into rules, facts and the rest.
"""

from __future__ import annotations

from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.connectives import Disjunctions, Signed, disjunctions
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL

MOST_CLAUSES = 20_000
"""Of one formula."""
_MOST_DISTINCT = 64
MOST_STEPS = 500_000
"""Parts looked at and literals written, from one formula to its clauses."""


class Literal(NamedTuple):
    """`symbol` applied to `args`, an equation (`symbol` None, two arguments), or the denial of either."""

    positive: bool
    symbol: Symbol | None
    args: tuple[Node, ...]


class RawClause(NamedTuple):
    """A disjunction; `foreign` says what else is in it, or None."""

    literals: tuple[Literal, ...]
    foreign: str | None = None
    distinct: tuple[Node, ...] = ()
    """Instead of literals: constants that all differ."""


class TooManyClauses(Exception):
    """The clauses of the formula multiply beyond the limit."""


_Pending = tuple[Signed, "_Pending"] | tuple[()]
_Found = tuple[Literal, "_Found"] | tuple[()]


def clauses_of(
    matrix: Node, pool: Pool, most: int = MOST_CLAUSES, most_steps: int = MOST_STEPS
) -> list[RawClause]:
    """The clauses of a formula without quantifiers. Raises `TooManyClauses`.

    An empty one is the only one: the formula is false, whatever the others say.
    """
    done: list[RawClause] = []
    stack: list[tuple[_Pending, _Found, str | None]] = [(((matrix, True), ()), (), None)]
    steps = 0
    while stack:
        pending, found, foreign = stack.pop()
        if not pending:
            if not found and foreign is None:
                return [RawClause((), None)]
            done.append(RawClause(_listed(found), foreign))
            steps += len(done[-1].literals)
            if len(done) > most and not _flat(matrix):
                raise TooManyClauses
            continue
        steps += 1
        if steps > most_steps:
            raise TooManyClauses
        (node, positive), rest = pending
        if isinstance(node, Lit):
            if node.value is not positive:
                stack.append((rest, found, foreign))
            continue
        group = _group(node, positive)
        if group is not None and not rest and not found and foreign is None:
            done.append(RawClause((), None, group))
            continue
        literal = _literal(node, positive)
        if literal is not None:
            stack.append((rest, (literal, found), foreign))
            continue
        parts = _parts(node, positive, pool)
        if parts is None:
            stack.append((rest, found, foreign or _what(node)))
            continue
        for disjunction in reversed(parts):
            more = rest
            for part in reversed(disjunction):
                more = (part, more)
            stack.append((more, found, foreign))
    return done


def _flat(matrix: Node) -> bool:
    """Whether clauses cannot multiply: a conjunction of literals."""
    return isinstance(matrix, App) and matrix.op is op.AND


def _listed(found: _Found) -> tuple[Literal, ...]:
    literals: dict[Literal, None] = {}
    while found:
        literal, found = found
        literals[literal] = None
    return tuple(reversed(literals))


def _group(node: Node, positive: bool) -> tuple[Node, ...] | None:
    """Constants said to be pairwise different."""
    if not positive or not isinstance(node, App) or node.op is not op.DISTINCT:
        return None
    constant = node.args[0].sort is not BOOL and all(isinstance(arg, Sym | Lit) for arg in node.args)
    return node.args if constant else None


def _literal(node: Node, positive: bool) -> Literal | None:
    match node:
        case Sym():
            return Literal(positive, node.symbol, ())
        case Var():
            return Literal(positive, None, (node,))
        case App(op=Symbol() as symbol) if symbol.kind is SymbolKind.FUNCTION:
            return Literal(positive, symbol, node.args) if _simple(node.args) else None
        case App(op=op.EQ) if node.args[0].sort is not BOOL:
            return Literal(positive, None, node.args) if _simple(node.args) else None
        case App(op=op.DISTINCT) if node.args[0].sort is not BOOL and len(node.args) == 2:
            return Literal(not positive, None, node.args) if _simple(node.args) else None
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


def _parts(node: Node, positive: bool, pool: Pool) -> Disjunctions | None:
    """The conjunction of disjunctions that a signed connective stands for; None for no connective."""
    if isinstance(node, App) and node.op is op.DISTINCT:
        return disjunctions(node, positive) or _distinct(node.args, positive, pool)
    return disjunctions(node, positive) or None


def _distinct(args: tuple[Node, ...], positive: bool, pool: Pool) -> Disjunctions | None:
    """`distinct` of more than two formulas, which is false, or of terms some of which are no constants."""
    if args[0].sort is BOOL:
        return ((),) if positive else ()
    if len(args) > _MOST_DISTINCT:
        return None
    pairs = [(pool.eq(a, b), not positive) for i, a in enumerate(args) for b in args[i + 1 :]]
    return tuple((pair,) for pair in pairs) if positive else (tuple(pairs),)
