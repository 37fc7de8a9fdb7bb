"""Where conditions begin and cease to hold, and values to try for the terms in them ([POLICY-BOUNDARY])."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Final, NamedTuple

from potlang.ir import operators as op
from potlang.ir.measures import is_point
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Value, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, REAL, STRING, EnumSort, IntSort, MeasureSort, RealSort, Sort
from potlang.ir.substitute import rebuild
from potlang.linter.linted import literal
from potlang.policy.rule_parts import declared

_COMPARISONS: Final = (op.LT, op.LE, op.EQ, op.DISTINCT)
_STEP: Final = Fraction(1, 100)
"""The step of real numbers: a cent; finer where a literal has more decimals."""
_MOST_PLACES: Final = 12
_MOST_LITERALS: Final = 8
_YEAR: Final = 365
OTHER_TEXT: Final = "other"


class Boundary(NamedTuple):
    """A place at or beside a threshold: `formula`, over numbers, says that the two sides differ so."""

    text: str
    formula: Node


def is_comparison(atom: Node) -> bool:
    """Whether an atom over numbers compares two numbers."""
    return isinstance(atom, App) and atom.op in _COMPARISONS and atom.args[0].sort in (INT, REAL)


def boundaries(pool: Pool, atom: Node) -> list[Boundary]:
    """The places at, just above and just below the threshold of a comparison over numbers."""
    assert isinstance(atom, App)
    left, right = atom.args[:2]
    if isinstance(left, Lit):
        left, right = right, left
    if isinstance(left, App) and left.op is op.TO_REAL and isinstance(right, Lit):
        return _of_whole_number(pool, left.args[0], Fraction(_number(right)))
    step = _step(atom)
    found = [Boundary("at", pool.eq(left, right))]
    for text, distance in (("just above", step), ("just below", -step)):
        found.append(Boundary(text, pool.eq(left, _moved(pool, right, distance))))
    return found


def _of_whole_number(pool: Pool, term: Node, threshold: Fraction) -> list[Boundary]:
    """Of a whole number compared with a real one: the nearest whole numbers."""
    places = [("just above", floor(threshold) + 1), ("just below", ceil(threshold) - 1)]
    if threshold.denominator == 1:
        places.insert(0, ("at", int(threshold)))
    return [Boundary(text, pool.eq(term, pool.integer(value))) for text, value in places]


def _moved(pool: Pool, term: Node, distance: Fraction) -> Node:
    if isinstance(term, Lit):
        return pool.lit(_fitting(_number(term) + distance, term.sort), term.sort)
    return pool.app(op.ADD, (term, pool.lit(_fitting(distance, term.sort), term.sort)))


def _step(atom: Node) -> Fraction:
    """The smallest step of the numbers in a comparison."""
    numbers = [_number(each) for each in reachable(atom) if isinstance(each, Lit) and each.sort is REAL]
    sides = atom.args if isinstance(atom, App) else ()
    if any(side.sort is INT for side in sides):
        return Fraction(1)
    return min((_place(each) for each in numbers), default=_STEP)


def _place(number: Fraction) -> Fraction:
    """The last decimal place of a number, a hundredth at least."""
    step = _STEP
    while number % step and step > Fraction(1, 10**_MOST_PLACES):
        step /= 10
    return step if not number % step else _STEP


def _number(literal: Lit) -> Fraction:
    value = literal.value
    assert isinstance(value, int | Fraction)
    return Fraction(value)


def _fitting(value: Fraction, sort: Sort) -> Value:
    whole = isinstance(sort, IntSort) or (isinstance(sort, MeasureSort) and sort.base is INT)
    return int(value) if whole else Fraction(value)


def strengthened(pool: Pool, formula: Node) -> Iterator[Node]:
    """The comparisons that a comparison with a literal becomes if that moves by a step, up or down."""
    atom, holds = literal(formula)
    if not isinstance(atom, App) or atom.op not in (op.LT, op.LE):
        return
    for at, side in enumerate(atom.args):
        found = next((each for each in reachable(side) if isinstance(each, Lit)), None)
        if found is None or not _is_number(found.sort) or not is_literal(side):
            continue
        step = _step_of(found)
        for distance in (step, -step):
            moved = pool.lit(_fitting(_number(found) + distance, found.sort), found.sort)
            changed = _with_literal(pool, side, found, moved)
            args = (changed, atom.args[1]) if at == 0 else (atom.args[0], changed)
            claim = pool.app(atom.op, args)
            yield claim if holds else pool.negate(claim)


def is_literal(term: Node) -> bool:
    """Whether a term is a literal, perhaps under a conversion."""
    while isinstance(term, App) and len(term.args) == 1 and declared(term) is not term:
        term = term.args[0]
    return isinstance(term, Lit)


def _with_literal(pool: Pool, term: Node, old: Lit, new: Lit) -> Node:
    """The term with another literal in the place of one."""
    return rebuild(pool, [term], lambda node: new if node is old else node)[0]


def _step_of(literal: Lit) -> Fraction:
    sort = literal.sort
    if sort is INT or (isinstance(sort, MeasureSort) and sort.base is INT):
        return Fraction(1)
    return _place(_number(literal))


def _is_number(sort: Sort) -> bool:
    return isinstance(sort, IntSort | RealSort | MeasureSort)


# --- terms and their values ------------------------------------------------------------------------


def terms_of(atom: Node, things: frozenset[Node]) -> list[Node]:
    """The functions and constants of the program in an atom whose values decide it, outermost ones."""
    found: dict[Node, None] = {}
    stack = [atom]
    while stack:
        node = stack.pop()
        if isinstance(node, Quant) or node in things:
            continue
        own = node.sort is not BOOL and declared(node) is node
        if own and has_values(node.sort) and not _is_built(node):
            found[node] = None
        elif isinstance(node, App):
            stack += reversed(node.args)
    return list(found)


def has_values(sort: Sort) -> bool:
    return _is_number(sort) or sort is STRING or isinstance(sort, EnumSort)


def _is_built(node: Node) -> bool:
    symbol = node.op if isinstance(node, App) else node.symbol if isinstance(node, Sym) else None
    return isinstance(symbol, Symbol) and symbol.kind in (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR)


def candidates(pool: Pool, term: Node, atoms: list[Node]) -> list[Lit]:
    """Values to try for a term, round ones first: around the literals that the atoms compare with it."""
    sort = term.sort
    literals = [
        node
        for atom in atoms
        if term in (nodes := reachable(atom))
        for node in nodes
        if isinstance(node, Lit) and (node.sort == sort or (_is_number(node.sort) and _is_number(sort)))
    ][:_MOST_LITERALS]
    if isinstance(sort, EnumSort):
        named = [each for each in literals if each.sort == sort]
        return list(dict.fromkeys([*named, *(pool.lit(value, sort) for value in sort.values)]))
    if sort is STRING:
        return list(dict.fromkeys([*literals, pool.lit(OTHER_TEXT, STRING)]))
    values = dict.fromkeys(_round_values([_number(each) for each in literals], sort))
    whole = isinstance(_fitting(Fraction(0), sort), int)
    return [pool.lit(_fitting(each, sort), sort) for each in values if not whole or each.denominator == 1]


def _round_values(literals: list[Fraction], sort: Sort) -> Iterator[Fraction]:
    if is_point(sort):
        for each in literals:
            yield from (each - _YEAR, each + _YEAR)
    else:
        for each in literals:
            yield from (_rounded(each / 2), _rounded(each * 2))
        yield from map(Fraction, (10, 100, 1, 0, 1000, -1, -10))
    for each in literals:
        step = _place(each)
        yield from (each, each + 1, each - 1, each + step, each - step)
        if each.denominator > 1:
            yield from (Fraction(floor(each)), Fraction(ceil(each)))


def _rounded(value: Fraction) -> Fraction:
    """The number cut off behind its first digit."""
    size, power = abs(value), Fraction(1)
    if not size:
        return value
    while size >= 10 * power:
        power *= 10
    while size < power:
        power /= 10
    return floor(size / power) * power * (1 if value > 0 else -1)


def decided_by(atom: Node, terms: set[Node]) -> bool:
    """Whether the values of these terms decide an atom."""
    stack = [atom]
    while stack:
        node = stack.pop()
        if node in terms or isinstance(node, Lit):
            continue
        if not isinstance(node, App) or (declared(node) is node):
            return False
        stack += node.args
    return True
