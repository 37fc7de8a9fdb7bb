"""Numbers that decide a quantifier over all numbers: of each cell on which its body is constant, one.

Where a variable occurs only in comparisons that are linear in it and as an argument of functions that have a
table, the body changes at the numbers where two sides meet and at those of the tables, and nowhere else. So
it is enough to try these, and one number between any two (as the sample points of cells in quantifier
elimination: Loos and Weispfenning, "Applying linear quantifier elimination", 1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant, Symbol, Var, children, free_variable_sets
from potlang.policy.guard.kleene import Compute, Frame

_COMPARISONS = (op.LT, op.LE, op.EQ, op.DISTINCT)


class Dependence(NamedTuple):
    """All that a body says of a variable: comparisons by their sides, and places in arguments of functions.

    `complete`: there is nothing else.
    """

    comparisons: tuple[tuple[Node, Node], ...]
    arguments: tuple[tuple[Symbol, int], ...]
    complete: bool


def dependence_on(
    var: Var, body: Node, inner: Iterable[Var], is_table: Callable[[Symbol], bool]
) -> Dependence:
    """How a body depends on a variable; `inner` are variables that are bound between the two.

    `is_table` tells functions of which only a table says the values.
    """
    comparisons: dict[tuple[Node, Node], None] = {}
    arguments: dict[tuple[Symbol, int], None] = {}
    complete = True
    free = free_variable_sets(body)
    start = frozenset(inner)
    stack: list[tuple[Node, frozenset[Var]]] = [(body, start)]
    seen = {(body.id, start)}
    while stack:
        node, bound = stack.pop()
        if node is var:
            complete = False
            continue
        if var not in free[node.id]:
            continue
        below = bound
        parts = children(node)
        if isinstance(node, Quant):
            below = bound.union(node.binders)
        elif isinstance(node, App) and node.op in _COMPARISONS and len(node.args) == 2:
            one, other = node.args
            if all(_is_linear(side, var, bound, free) for side in (one, other)):
                comparisons[one, other] = None
                continue
        elif isinstance(node, App) and isinstance(node.op, Symbol) and is_table(node.op):
            arguments.update({(node.op, at): None for at, arg in enumerate(node.args) if arg is var})
            parts = tuple(arg for arg in node.args if arg is not var)
        new = [(part, below) for part in parts if (part.id, below) not in seen]
        seen.update((part.id, below) for part, below in new)
        stack += new
    return Dependence(tuple(comparisons), tuple(arguments), complete)


def _is_linear(term: Node, var: Var, bound: Set[Var], free: Mapping[int, Set[Var]]) -> bool:
    """Whether a term is linear in a variable, and else about nothing that is bound further inside."""
    stack = [term]
    while stack:
        node = stack.pop()
        if not bound.isdisjoint(free[node.id]):
            return False
        if node is var or var not in free[node.id]:
            continue
        if not isinstance(node, App):
            return False
        if node.op is op.MUL and sum(var in free[arg.id] for arg in node.args) > 1:
            return False
        if node.op is op.DIV and not isinstance(node.args[1], Lit):
            return False
        if node.op not in (op.ADD, op.SUB, op.NEG, op.MUL, op.DIV, op.TO_REAL):
            return False
        stack += node.args
    return True


class SamplePoints(NamedTuple):
    """The numbers to try for a variable at a place of a frame; `tables` are functions, by number."""

    place: int
    is_whole: bool
    comparisons: tuple[tuple[Compute, Compute], ...]
    """Their sides."""
    tables: tuple[tuple[int, int | None], ...]
    """With the place of the variable in a key; None where it is the key."""

    def at(self, frame: Frame) -> list[int] | list[Fraction]:
        """The numbers, by the values of the others in the frame. What has no value has it nowhere."""
        found = sorted({*self._meeting(frame), *self._in_tables(frame)})
        return _whole_points(found) if self.is_whole else _points(found)

    def _meeting(self, frame: Frame) -> Iterator[Fraction]:
        """The numbers at which the sides of a comparison meet."""
        for one, other in self.comparisons:
            differences = []
            for value in (0, 1):
                frame[self.place] = value if self.is_whole else Fraction(value)
                left, right = one(frame), other(frame)
                if isinstance(left, int | Fraction) and isinstance(right, int | Fraction):
                    differences.append(Fraction(left) - Fraction(right))
            # Linear terms differ by as much from 0 to 1 as from any number to the next.
            if len(differences) == 2 and differences[0] != differences[1]:
                yield differences[0] / (differences[0] - differences[1])

    def _in_tables(self, frame: Frame) -> Iterator[Fraction]:
        for number, at in self.tables:
            for key in frame[0].keys_of(number):
                yield Fraction(key if at is None else key[at])


def _whole_points(found: list[Fraction]) -> list[int]:
    if not found:
        return [0]
    points = {math.ceil(found[0]) - 1}
    for each in found:
        points.update((math.floor(each) + 1, math.ceil(each)))
    return sorted(points)


def _points(found: list[Fraction]) -> list[Fraction]:
    if not found:
        return [Fraction(0)]
    between = [(one + other) / 2 for one, other in pairwise(found)]
    return [found[0] - 1, *found, *between, found[-1] + 1]
