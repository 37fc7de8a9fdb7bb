"""Objectives that are sums of weights of conditions: how few have to be given up, by cores.

Soft constraints are such objectives, and so are counts. Each check that cannot have all of some conditions
gives a core: one of these is lost. The cheapest way to lose one of each core (RC2 of python-sat) is a lower
bound; a check that keeps all the others either shows that it is reached, or gives another core. (The
implicit hitting set approach: Davies and Bacchus 2011.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from potlang.engines.check import CheckResult
from potlang.ir.fold import value_of
from potlang.ir.nodes import App, Lit, Node
from potlang.ir.operators import ADD, ITE, MUL, NEG, SUB, TO_REAL
from potlang.ir.pool import Pool

MOST_CONDITIONS = 2_000
_MOST_PARTS = 20_000


class WeightedSum(NamedTuple):
    """`least`, and for each condition that is false its cost, which is positive."""

    least: Fraction
    conditions: tuple[tuple[Node, Fraction], ...]


def weighted_sum(term: Node, maximize: bool, pool: Pool) -> WeightedSum | None:
    """An objective as costs to be made small; None if it is no sum of weights of conditions."""
    least = Fraction(0)
    found: dict[Node, Fraction] = {}
    stack: list[tuple[Node, Fraction]] = [(term, Fraction(-1 if maximize else 1))]
    for _ in range(_MOST_PARTS):
        if not stack:
            break
        node, factor = stack.pop()
        match node:
            case Lit():
                least += factor * _number(node)
            case App(op=op, args=args) if op is ADD:
                stack += [(arg, factor) for arg in args]
            case App(op=op, args=(left, right)) if op is SUB:
                stack += [(left, factor), (right, -factor)]
            case App(op=op, args=(arg,)) if op is NEG:
                stack.append((arg, -factor))
            case App(op=op, args=(arg,)) if op is TO_REAL:
                stack.append((arg, factor))
            case App(op=op, args=(Lit() as times, arg)) | App(op=op, args=(arg, Lit() as times)) if op is MUL:
                stack.append((arg, factor * _number(times)))
            case App(op=op, args=(condition, Lit() as then, Lit() as otherwise)) if op is ITE:
                least += factor * _number(otherwise)
                found[condition] = found.get(condition, Fraction(0)) + factor * (
                    _number(then) - _number(otherwise)
                )
            case _:
                return None
    if stack or not found or len(found) > MOST_CONDITIONS:
        return None
    conditions: list[tuple[Node, Fraction]] = []
    for condition, cost in found.items():
        if cost > 0:
            conditions.append((pool.negate(condition), cost))
        elif cost < 0:
            # What is gained where it is true is lost where it is false.
            least += cost
            conditions.append((condition, -cost))
    return WeightedSum(least, tuple(conditions))


def _number(literal: Lit) -> Fraction:
    value = value_of(literal)
    # Bit vectors have no sums of weights: a carry may be lost.
    return Fraction(value) if isinstance(value, int | Fraction) else Fraction(0)


class CostBound(NamedTuple):
    """A lower bound of the cost, and the cores (numbers of conditions) that show it, each an unsat check.

    `reached`: the check that has a model of just this cost. `impossible`: the one that refused all.
    """

    cost: Fraction
    cores: tuple[tuple[int, ...], ...]
    reached: CheckResult | None = None
    impossible: CheckResult | None = None


Keep = Callable[[Sequence[int]], tuple[CheckResult, tuple[int, ...]]]
"""Checks that all these conditions can be kept; with unsat comes which of them cannot, together."""
Cheapest = Callable[[Sequence[Sequence[int]], Sequence[int]], "tuple[int, ...] | None"]
"""The cheapest variables, from 1, of which each clause has one; None if that took too long."""


def bound_by_cores(total: WeightedSum, keep: Keep, cheapest: Cheapest, over: Callable[[], bool]) -> CostBound:
    """The least cost, or a bound of it where a check is unknown or the time is `over`."""
    scale = lcm(*(cost.denominator for _, cost in total.conditions))
    costs = [int(cost * scale) for _, cost in total.conditions]
    cores: list[tuple[int, ...]] = []
    lost: frozenset[int] = frozenset()
    cost = Fraction(0)
    while not over():
        kept = [number for number in range(len(costs)) if number not in lost]
        checked, core = keep(kept)
        if checked.status == "sat":
            return CostBound(total.least + cost, tuple(cores), checked)
        if checked.status != "unsat":
            break
        if not core:
            return CostBound(total.least + cost, tuple(cores), impossible=checked)
        cores.append(core)
        # Cores without a common part are cheap to come by, and raise the bound each.
        rest = [number for number in kept if number not in core]
        while rest and not over():
            checked, core = keep(rest)
            if checked.status != "unsat" or not core:
                break
            cores.append(core)
            rest = [number for number in rest if number not in core]
        chosen = cheapest([[number + 1 for number in core] for core in cores], costs)
        if chosen is None:
            break
        lost = frozenset(number - 1 for number in chosen if number <= len(costs))
        cost = Fraction(sum(costs[number] for number in lost), scale)
    return CostBound(total.least + cost, tuple(cores))
