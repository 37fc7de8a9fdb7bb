"""Integers that are only compared, against z3 over all integers. [SEARCH-SMALL]"""

from __future__ import annotations

import itertools

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from verdict_programs import World

from potlang.engines.finite.problem import ConstraintProblem
from potlang.engines.finite.search import ConstraintSearch
from potlang.engines.finite.small_models import comparisons_of
from potlang.engines.fuel import Fuel, OutOfFuel
from potlang.ir import operators as op
from potlang.ir.compile import NotFinite
from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.ir.sorts import BOOL, INT
from potlang.smt.printer import Printer

RARE = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
ROWS = (op.EQ, op.LE, op.LT)


class Line:
    """Three integers and a truth value, and formulas over them."""

    def __init__(self) -> None:
        self.world = World()
        self.numbers = [self.world.constant(name, INT) for name in "xyz"]
        self.flag = self.world.constant("p", BOOL)
        self.pool = self.world.pool

    def number(self, draw: st.DrawFn) -> Node:
        pool, one = self.pool, draw(st.sampled_from(self.numbers))
        match draw(st.integers(0, 4)):
            case 0:
                return pool.integer(draw(st.integers(-2, 4)))
            case 1:
                row = draw(st.sampled_from((op.ADD, op.SUB)))
                return pool.app(row, (one, pool.integer(draw(st.integers(0, 2)))))
            case _:
                return one

    def formula(self, draw: st.DrawFn, depth: int) -> Node:
        pool = self.pool
        match draw(st.integers(0, 7 if depth else 3)):
            case 0 if draw(st.booleans()):
                args = tuple(self.number(draw) for _ in range(3))
                return pool.app(op.DISTINCT, args)
            case 1 if depth:
                ones = [
                    pool.app(op.ITE, (self.formula(draw, 0), pool.integer(1), pool.integer(0)))
                    for _ in range(2)
                ]
                return pool.app(op.LE, (pool.integer(draw(st.integers(0, 2))), pool.app(op.ADD, tuple(ones))))
            case 2 if draw(st.booleans()):
                return self.flag
            case 4:
                return pool.negate(self.formula(draw, depth - 1))
            case 5:
                return pool.conj([self.formula(draw, depth - 1) for _ in range(2)])
            case 6 | 7:
                return pool.disj([self.formula(draw, depth - 1) for _ in range(2)])
            case _:
                return pool.app(draw(st.sampled_from(ROWS)), (self.number(draw), self.number(draw)))

    def satisfiable(self, formulas: list[Node], within: range | None = None) -> bool:
        """z3's word, perhaps on values within a range alone."""
        solver = z3.Solver()
        module = Module(self.pool, (), tuple(self.world.symbols))
        printer = Printer(module, "z3")
        text = printer.declarations() + "".join(f"(assert {printer.term(each)})\n" for each in formulas)
        if within is not None:
            ends = [self.pool.integer(end) for end in (within[0], within[-1])]
            for each in self.numbers:
                bounds = [self.pool.app(op.LE, pair) for pair in ((ends[0], each), (each, ends[1]))]
                text += "".join(f"(assert {printer.term(bound)})\n" for bound in bounds)
        solver.from_string(text)
        return bool(solver.check() == z3.sat)


@settings(RARE, max_examples=60)
@given(st.data())
def test_who_has_values_has_some_near_the_constants(data: st.DataObject) -> None:
    """[SEARCH-SMALL]"""
    line = Line()
    formula = line.pool.conj([line.formula(data.draw, 0) for _ in range(data.draw(st.integers(2, 6)))])
    if data.draw(st.booleans()):
        formula = line.formula(data.draw, 3)
    found = comparisons_of(formula)
    if found is not None:
        assert line.satisfiable([formula]) == line.satisfiable([formula], found.values(3))


@pytest.mark.parametrize("below", [True, False])
@pytest.mark.parametrize("apart", [0, 1, 3])
def test_chains_leave_the_constants(apart: int, below: bool) -> None:
    """[SEARCH-SMALL] Each further than the one before."""
    line = Line()
    pool = line.pool
    terms = [*line.numbers, pool.integer(0)] if below else [pool.integer(0), *line.numbers]
    steps = []
    for one, two in itertools.pairwise(terms):
        one = one if one is terms[0] and not below else pool.app(op.ADD, (one, pool.integer(apart)))
        steps.append(pool.app(op.LT, (one, two)))
    found = comparisons_of(pool.conj(steps))
    assert found is not None
    assert line.satisfiable(steps, found.values(3))
    assert not line.satisfiable(steps, range(-2, 3))


def check_parts(data: st.DataObject) -> None:
    """The bounds of each are assumptions that a part may lack."""
    line = Line()
    pool = line.pool
    for each in line.numbers:
        low, high = (pool.app(op.LE, pair) for pair in ((pool.integer(0), each), (each, pool.integer(2))))
        line.world.fact(f"bounds {each}", pool.conj([low, high]))
    for at in range(data.draw(st.integers(1, 3))):
        line.world.fact(f"fact {at}", line.formula(data.draw, 2))
    facts = {each.key: each.formula for each in line.world.assertions}
    problem = ConstraintProblem(line.world.assertions)
    search = ConstraintSearch(problem, wide=True)
    for _ in range(4):
        keys = [key for key in facts if data.draw(st.booleans()) and key not in problem.false]
        side = line.formula(data.draw, 2)
        try:
            goal = problem.goal(side)
            values, used = (None, frozenset()) if goal.false else search.find(goal, Fuel(50_000), keys)
        except (NotFinite, OutOfFuel):
            continue
        expected = line.satisfiable([*(facts[key] for key in keys), side])
        assert (values is not None) == expected, (keys, used)
        if values is None:
            assert not line.satisfiable([*(facts[key] for key in used if key is not None), side])


@settings(RARE, max_examples=20)
@given(st.data())
def test_parts_are_decided_over_all_integers(data: st.DataObject) -> None:
    """[SEARCH-SMALL], [SEARCH-PARTS]"""
    check_parts(data)


@pytest.mark.slow
@settings(RARE, max_examples=1_000)
@given(st.data())
def test_very_many_parts_are_decided_over_all_integers(data: st.DataObject) -> None:
    """[SEARCH-SMALL], [SEARCH-PARTS]"""
    check_parts(data)


def test_what_is_more_than_comparing_is_not_told() -> None:
    """[SEARCH-SMALL]"""
    line = Line()
    pool, (x, y, _) = line.pool, line.numbers
    two = pool.integer(2)
    for node in (
        pool.app(op.LE, (pool.app(op.MUL, (x, two)), y)),
        pool.app(op.LE, (pool.app(op.ADD, (x, y)), two)),
        pool.eq(pool.app(op.MOD, (x, two)), pool.integer(0)),
        pool.eq(pool.app(op.ITE, (line.flag, x, y)), two),
        pool.eq(pool.app(op.ADD, (pool.app(op.ADD, (x, two)), two)), y),
    ):
        assert comparisons_of(node) is None
    found = comparisons_of(pool.app(op.LE, (pool.app(op.ADD, (x, two)), pool.app(op.SUB, (y, two)))))
    assert found is not None
    assert found.offset == 4
    assert list(comparisons_of(pool.eq(x, two)).values(1)) == [1, 2, 3]  # type: ignore[union-attr]
