"""The values near their constants that suffice for integers which are only compared ([SEARCH-SMALL])."""

from __future__ import annotations

import math
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.fold import value_of
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, reachable
from potlang.ir.sorts import INT

_COMPARISONS = (op.EQ, op.LE, op.LT, op.DISTINCT)


class Comparisons(NamedTuple):
    """Integers are compared with constants from `least` to `greatest`, or among each other.

    To an integer that is compared with others something may be added, of at most `offset` for both sides.
    """

    least: float = math.inf
    greatest: float = -math.inf
    offset: int = 0

    def joined(self, other: Comparisons) -> Comparisons:
        """Those of both."""
        return Comparisons(
            min(self.least, other.least),
            max(self.greatest, other.greatest),
            max(self.offset, other.offset),
        )

    def values(self, count: int, more: int = 0) -> range:
        """If so many integers have values that satisfy the comparisons, they have some among these.

        There are some `more` at each end.

        Let some lie below all constants. Where two neighbours of them, or the greatest and the least
        constant, are further apart than `offset` + 1, all below move up until they are not: no comparison
        changes, since a difference beyond `offset` stays one. The same above.
        """
        least, greatest = (self.least, self.greatest) if self.least <= self.greatest else (0, 0)
        beyond = count * (self.offset + 1) + more
        return range(int(least) - beyond, int(greatest) + beyond + 1)


def comparisons_of(formula: Node) -> Comparisons | None:
    """The comparisons in a formula; None if it does more with integers."""
    constants: list[int] = []
    most = 0
    counts: set[int] = set()
    # Parts come before what they are parts of.
    for node in reachable(formula):
        if isinstance(node, Quant) and any(var.sort is INT for var in node.binders):
            return None
        integers = [arg for arg in node.args if arg.sort is INT] if isinstance(node, App) else []
        if all(arg.id in counts for arg in integers):
            # Literals under conditions, such as `If(p, 1, 0) + If(q, 1, 0)`, compared among themselves.
            if isinstance(node, Lit) or (isinstance(node, App) and not isinstance(node.op, Symbol)):
                counts.add(node.id)
            continue
        assert isinstance(node, App)
        if node.op not in _COMPARISONS:
            # A sum is looked at where it is compared, and there is no other place for it.
            if isinstance(node.op, Symbol) or _shifted(node) is None:
                return None
            continue
        sides = [_shifted(arg) for arg in node.args]
        if None in sides:
            return None
        known = [side for side in sides if side is not None]
        largest = sorted(abs(shift) for plain, shift in known if plain is not None)[-2:]
        most = max(most, sum(largest))
        literals = [value for plain, value in known if plain is None]
        constants += [value + sign * largest[-1] for value in literals for sign in (-1, 1)]
    return Comparisons(min(constants, default=math.inf), max(constants, default=-math.inf), most)


def _shifted(node: Node) -> tuple[Node | None, int] | None:
    """An integer as an unknown and what is added to it, or as None and its value; None if it is neither."""
    if isinstance(node, Lit):
        value = value_of(node)
        return (None, value) if isinstance(value, int) else None
    if _is_plain(node):
        return node, 0
    if isinstance(node, App) and node.op in (op.ADD, op.SUB) and len(node.args) == 2:
        one, two = node.args
        if isinstance(one, Lit) and node.op is op.ADD:
            one, two = two, one
        value = value_of(two) if isinstance(two, Lit) else None
        if _is_plain(one) and isinstance(value, int):
            return one, value
    return None


def _is_plain(node: Node) -> bool:
    return isinstance(node, Sym) or (isinstance(node, App) and isinstance(node.op, Symbol))
