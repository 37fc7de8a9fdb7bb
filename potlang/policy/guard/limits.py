"""Values that no fact gives, as clauses equate or limit them: `threshold >= 5000`, `total(e) == fee + 10`.

Where all else of a clause is false, a comparison that is left of it holds: it gives a function a value at its
arguments, or limits it, by which other comparisons are decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.nodes import App, Node
from potlang.ir.operators import Operator
from potlang.ir.sorts import INT, REAL, Sort
from potlang.policy.guard.kleene import CompiledTerm, Frame, together
from potlang.policy.guard.session_facts import NO_VALUE, AtomKey, SessionFacts, ValueLimits

COMPARISONS = (op.LT, op.LE, op.EQ)


class LimitingComparison(NamedTuple):
    """A comparison that has to be true, or (`wanted` False) false, with its sides."""

    row: Operator
    wanted: bool
    sides: tuple[CompiledTerm, CompiledTerm]
    sort: Sort

    def learn(self, frame: Frame) -> int | None:
        """The function, by number, of whose values it says more than was known; that is noted."""
        left, right = self.sides
        for side, other, is_left in ((left, right, True), (right, left, False)):
            if side.cell is None or side.compute(frame) is not NO_VALUE:
                continue
            value = other.compute(frame)
            cell = None if value is NO_VALUE else side.cell(frame)
            if cell is not None:
                return cell[0] if self._limit(frame[0], cell, value, is_left) else None
        return None

    def _limit(self, facts: SessionFacts, cell: AtomKey, value: object, is_left: bool) -> bool:
        if self.row is op.EQ:
            facts.known[cell] = value
            return True
        assert isinstance(value, int | Fraction)
        # The denial of x < t is t <= x, that of x <= t is t < x.
        strict = (self.row is op.LT) is self.wanted
        step = 1 if strict and self.sort is INT else 0
        strict = strict and not step
        before = facts.limits.get(cell, ValueLimits())
        is_most = is_left is self.wanted
        found = before.at_most(value - step, strict) if is_most else before.at_least(value + step, strict)
        facts.limits[cell] = found
        if found.least == found.most is not None and not found.strict_least and not found.strict_most:
            facts.known[cell] = found.least
        return found != before


def limiting_comparisons(
    parts: Sequence[tuple[Node, bool]], compiled: dict[Node, CompiledTerm]
) -> list[LimitingComparison]:
    """The comparisons among parts with their signs, whose sides are compiled."""
    found = []
    for node, wanted in parts:
        if isinstance(node, App) and is_limiting(node, wanted):
            one, other = node.args
            found.append(LimitingComparison(node.op, wanted, (compiled[one], compiled[other]), one.sort))  # type: ignore[arg-type]
    return found


def is_limiting(node: Node, wanted: bool) -> bool:
    """Whether a formula with this sign may say what a value is, or limit it."""
    if not isinstance(node, App) or node.op not in COMPARISONS:
        return False
    return wanted if node.op is op.EQ else node.args[0].sort in (INT, REAL)


def by_limits(row: Operator, parts: tuple[CompiledTerm, CompiledTerm], plain: CompiledTerm) -> CompiledTerm:
    """A comparison that limits of its sides decide where a side has no value."""
    if all(part.cell is None for part in parts):
        return plain
    compute = plain.compute

    def compared(frame: Frame) -> object:
        value = compute(frame)
        if value is not NO_VALUE or not frame[0].limits:
            return value
        one, other = (_limits(part, frame) for part in parts)
        if row is op.EQ:
            apart = one.is_below(other, strictly=True) or other.is_below(one, strictly=True)
            return False if apart else NO_VALUE
        strictly = row is op.LT
        if one.is_below(other, strictly=strictly):
            return True
        return False if other.is_below(one, strictly=not strictly) else NO_VALUE

    return CompiledTerm(compared, *together(parts))


def _limits(part: CompiledTerm, frame: Frame) -> ValueLimits:
    value = part.compute(frame)
    if isinstance(value, int | Fraction):
        return ValueLimits(value, value)
    cell = None if part.cell is None else part.cell(frame)
    return ValueLimits() if cell is None else frame[0].limits.get(cell, ValueLimits())
