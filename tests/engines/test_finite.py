"""The search against all assignments: answers, models, cores, and what is left to others. [SEARCH-*]"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import potlang
from potlang.engines.finite.problem import ConstraintProblem, CspVariable
from potlang.engines.finite.search import ConstraintSearch
from potlang.engines.fuel import Fuel, OutOfFuel
from potlang.ir import operators as op
from potlang.ir.compile import NotFinite
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, REAL, DeclaredSort, EnumSort, Sort
from potlang.ir.structure import FunctionTable, Structure
from potlang.ir.values import Unspecified

DAY = EnumSort("Day", ("mon", "tue"))
NUMBERS = (0, 1, 2)
ENOUGH = 1_000_000


class Puzzle:
    """Two numbers from 0 to 2, a truth value, a day, and a number for each day."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.x, self.y = self._constant("x", INT), self._constant("y", INT)
        self.p, self.day = self._constant("p", BOOL), self._constant("day", DAY)
        self.load = Symbol("load", (DAY,), INT, SymbolKind.FUNCTION)
        self.facts: list[Assertion] = []
        var = self.pool.var("d", DAY)
        self.bound(self.pool.sym(self.x))
        self.bound(self.pool.sym(self.y))
        self.bound(self.pool.app(self.load, (var,)), var)

    def _constant(self, name: str, sort: Sort) -> Symbol:
        return Symbol(name, (), sort, SymbolKind.CONSTANT)

    def fact(self, formula: Node) -> None:
        key = f"f{len(self.facts)}"
        self.facts.append(Assertion(key, key, AssertionKind.FACT, formula, Origin("")))

    def bound(self, term: Node, var: Var | None = None) -> None:
        """That a number is from 0 to 2."""
        pool = self.pool
        between = pool.conj(
            [
                pool.app(op.LE, (pool.integer(0), term)),
                pool.negate(pool.app(op.LE, (pool.integer(3), term))),
            ]
        )
        self.fact(between if var is None else pool.quant("forall", (var,), between))

    @staticmethod
    def structures_of(module: Module) -> Iterator[Structure]:
        """Those over the symbols of a puzzle's module, which are in the order x, y, p, day, load."""
        puzzle = Puzzle()
        puzzle.x, puzzle.y, puzzle.p, puzzle.day, puzzle.load = module.symbols
        return puzzle.structures()

    def structures(self) -> Iterator[Structure]:
        """All that keep the bounds."""
        for x, y, mon, tue in itertools.product(NUMBERS, repeat=4):
            load = FunctionTable({("mon",): mon, ("tue",): tue})
            for p, day in itertools.product((False, True), DAY.values):
                yield Structure({}, {self.x: x, self.y: y, self.p: p, self.day: day, self.load: load})


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Puzzle, list[Node]]:
    """A puzzle with some constraints, and some formulas over it."""
    puzzle = Puzzle()
    pool = puzzle.pool

    def number(depth: int, bound: tuple[Var, ...]) -> Node:
        match draw(st.integers(0, 5 if depth else 3)):
            case 0:
                return pool.integer(draw(st.integers(-1, 4)))
            case 1 | 2:
                return pool.sym(draw(st.sampled_from([puzzle.x, puzzle.y])))
            case 3:
                return pool.app(puzzle.load, (day(bound),))
            case 4:
                row = draw(st.sampled_from([op.ADD, op.SUB, op.MUL, op.MOD]))
                return pool.app(row, (number(depth - 1, bound), number(depth - 1, bound)))
            case _:
                args = (formula(depth - 1, bound), number(depth - 1, bound), number(depth - 1, bound))
                return pool.app(op.ITE, args)

    def day(bound: tuple[Var, ...]) -> Node:
        return draw(st.sampled_from([pool.sym(puzzle.day), *(pool.lit(v, DAY) for v in DAY.values), *bound]))

    def formula(depth: int, bound: tuple[Var, ...] = ()) -> Node:
        below = max(0, depth - 1)
        match draw(st.integers(0, 9 if depth else 4)):
            case 0:
                return pool.sym(puzzle.p)
            case 1:
                return pool.eq(day(bound), day(bound))
            case 2 | 3:
                row = draw(st.sampled_from([op.LT, op.LE]))
                return pool.app(row, (number(below, bound), number(below, bound)))
            case 4:
                return pool.eq(number(below, bound), number(below, bound))
            case 5:
                return pool.negate(formula(below, bound))
            case 6:
                return pool.conj([formula(below, bound), formula(below, bound)])
            case 7:
                row = draw(st.sampled_from([op.OR, op.IMPLIES, op.IFF, op.XOR]))
                return pool.app(row, (formula(below, bound), formula(below, bound)))
            case 8:
                args = tuple(number(below, bound) for _ in range(draw(st.integers(2, 3))))
                return pool.app(op.DISTINCT, args)
            case _:
                var = pool.var("d", DAY)
                kind = draw(st.sampled_from(["forall", "exists"]))
                return pool.quant(kind, (var,), formula(below, (*bound, var)))

    for _ in range(draw(st.integers(0, 4))):
        puzzle.fact(formula(2))
    return puzzle, [formula(2) for _ in range(draw(st.integers(1, 3)))]


def holds(structure: Structure, *formulas: Node) -> bool | None:
    """Whether all are true; None where one divides by zero."""
    try:
        return all(evaluate(each, structure) is True for each in formulas)
    except Unspecified:
        return None


def check_search(puzzle: Puzzle, goals: list[Node]) -> None:
    """Each answer against all structures; a model is one, a core suffices."""
    try:
        problem = ConstraintProblem(puzzle.facts)
        search = ConstraintSearch(problem)
    except Unspecified:
        return
    theta = {each.key: each.formula for each in puzzle.facts}
    every = list(puzzle.structures())
    for goal in goals:
        try:
            found = problem.goal(goal)
            values, keys = (None, frozenset()) if found.false else search.find(found, Fuel(ENOUGH))
        except Unspecified:
            continue
        if problem.false:
            values, keys = None, frozenset(problem.false)
        if values is None:
            core = [theta[key] for key in keys if key is not None]
            assert not any(holds(each, *core, goal) for each in every), keys
        else:
            named = dict(zip(problem.variables, values, strict=False))
            fitting = [
                each for each in every if all(_value(each, *variable) == v for variable, v in named.items())
            ]
            assert any(holds(each, *theta.values(), goal) is not False for each in fitting)


def _value(structure: Structure, symbol: Symbol, args: tuple[object, ...]) -> object:
    meaning = structure.functions[symbol]
    return meaning(*args) if callable(meaning) else meaning


RARE = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


@settings(RARE, max_examples=80)
@given(puzzles())
def test_answers_are_those_of_all_assignments(drawn: tuple[Puzzle, list[Node]]) -> None:
    """[SEARCH-DECIDES], [SEARCH-CONSTRAINTS], [SEARCH-STEP]"""
    check_search(*drawn)


@pytest.mark.slow
@settings(RARE, max_examples=3_000)
@given(puzzles())
def test_answers_are_those_of_very_many_assignments(drawn: tuple[Puzzle, list[Node]]) -> None:
    """[SEARCH-DECIDES], [SEARCH-CONSTRAINTS], [SEARCH-STEP]"""
    check_search(*drawn)


def search_of(*formulas: Node) -> ConstraintSearch:
    facts = [
        Assertion(f"f{i}", f"f{i}", AssertionKind.FACT, each, Origin("")) for i, each in enumerate(formulas)
    ]
    return ConstraintSearch(ConstraintProblem(facts))


POOL = Pool()
C = POOL.sym(Symbol("c", (), INT, SymbolKind.CONSTANT))
D = POOL.sym(Symbol("d", (), INT, SymbolKind.CONSTANT))


def compare(row: op.Operator, a: Node | int, b: Node | int) -> Node:
    one, two = (POOL.integer(each) if isinstance(each, int) else each for each in (a, b))
    return POOL.app(row, (one, two))


@pytest.mark.parametrize(
    "bounds",
    [
        [compare(op.LE, 1, C), compare(op.LE, C, 3)],
        [compare(op.LT, 0, C), compare(op.LT, C, 4)],
        [POOL.negate(compare(op.LT, C, 1)), POOL.negate(compare(op.LE, 4, C))],
        [POOL.disj([compare(op.EQ, C, 3), compare(op.EQ, 1, C), compare(op.EQ, C, 2)])],
        [POOL.conj([compare(op.LE, 1, C), compare(op.LE, C, 3)]), compare(op.LE, C, 7)],
    ],
)
def test_bounds_are_read(bounds: list[Node]) -> None:
    """[SEARCH-BOUNDS]"""
    problem = search_of(*bounds).problem
    domain = problem.domain(0, problem.values(0))
    assert domain.complete
    assert [value for at, value in enumerate(problem.values(0)) if domain.mask >> at & 1] == [1, 2, 3]
    assert not problem.domain(0, problem.values(0), []).complete


@pytest.mark.parametrize(
    "formulas",
    [
        [compare(op.LE, 1, C)],
        [compare(op.LE, 1, C), compare(op.LE, C, 1_000)],
        [POOL.disj([compare(op.LE, 1, C), compare(op.LE, C, 3)])],
        [compare(op.LE, 1, C), compare(op.LE, C, D), compare(op.LE, D, 3)],
        [POOL.eq(*(POOL.sym(Symbol(n, (), DeclaredSort("S"), SymbolKind.CONSTANT)) for n in "ab"))],
        [POOL.eq(*(POOL.sym(Symbol(n, (), REAL, SymbolKind.CONSTANT)) for n in "ab"))],
        [POOL.quant("forall", (var := POOL.var("n", INT),), compare(op.LE, var, C))],
    ],
)
def test_what_is_not_finite_is_left_to_others(formulas: list[Node]) -> None:
    """[SEARCH-CELLS], [SEARCH-BOUNDS]"""
    with pytest.raises(NotFinite):
        search_of(*formulas)


def test_a_goal_bounds_nothing() -> None:
    """[SEARCH-BOUNDS] `d = 3` has models without `c`, but a search for them would have to know all of d."""
    problem = ConstraintProblem([])
    search = ConstraintSearch(problem)
    with pytest.raises(NotFinite):
        problem.goal(compare(op.EQ, D, 3))
    assert search.find(None, Fuel(ENOUGH)) == ([], frozenset())


def test_a_claim_that_is_left_to_others_does_not_change_the_next() -> None:
    """[SEARCH-CELLS] The first claim has a colour, known by then, and a number without bounds."""
    program = {
        "sorts": [
            {"name": "Colour", "type": "EnumSort", "values": ["red"]},
            {"name": "Size", "type": "EnumSort", "values": ["small", "large", "huge"]},
        ],
        "constants": {
            "colours": {"sort": "Colour", "members": ["c"]},
            "sizes": {"sort": "Size", "members": ["s", "t"]},
            "numbers": {"sort": "Int", "members": ["n"]},
        },
        "knowledge_base": ["t != small"],
        "verifications": [
            {"name": "left to others", "constraint": "And(c == red, n == 3)"},
            {"name": "searched", "constraint": "s == huge"},
        ],
        "actions": ["verify_conditions"],
    }
    for trust in ("solver", "best"):
        report = potlang.verify(program, trust=trust)
        assert [(each.verdict, each.route) for each in report.results] == [
            ("undetermined", "z3"),
            ("undetermined", "search"),
        ]


def check_parts(drawn: tuple[Puzzle, list[Node]], data: st.DataObject) -> None:
    puzzle, goals = drawn
    every = list(puzzle.structures())
    theta = {each.key: each.formula for each in puzzle.facts}
    try:
        problem = ConstraintProblem(puzzle.facts)
        search = ConstraintSearch(problem)
    except Unspecified:
        return
    for _ in range(4):
        keys = data.draw(st.lists(st.sampled_from(sorted(theta)), unique=True))
        goal = data.draw(st.sampled_from(goals))
        try:
            part = problem.goal(goal)
            values, used = (None, frozenset()) if part.false else search.find(part, Fuel(ENOUGH), keys)
        except (NotFinite, Unspecified):
            continue
        if values is None:
            assert used - {None} <= set(keys)
            core = [theta[key] for key in used if key is not None]
            assert not any(holds(each, *core, goal) for each in every)
        elif not any(key in problem.false for key in keys):
            named = dict(zip(problem.variables, values, strict=False))
            found = Structure(
                {},
                {symbol: _meaning(symbol, named) for symbol in every[0].functions},
            )
            assert holds(found, *(theta[key] for key in keys), goal) is not False


@settings(RARE, max_examples=60)
@given(puzzles(), st.data())
def test_parts_of_the_assumptions_are_searched_too(
    drawn: tuple[Puzzle, list[Node]], data: st.DataObject
) -> None:
    """[SEARCH-PARTS]"""
    check_parts(drawn, data)


@pytest.mark.slow
@settings(RARE, max_examples=2_000)
@given(puzzles(), st.data())
def test_very_many_parts_are_searched_too(drawn: tuple[Puzzle, list[Node]], data: st.DataObject) -> None:
    """[SEARCH-PARTS]"""
    check_parts(drawn, data)


def _meaning(symbol: Symbol, named: dict[CspVariable, object]) -> object:
    first: dict[Sort, object] = {BOOL: False, INT: 0, DAY: "mon"}
    table = {args: value for (known, args), value in named.items() if known is symbol}
    return FunctionTable(table, first[symbol.range]) if symbol.domain else table.get((), first[symbol.range])


def test_limits_end_a_search() -> None:
    """[SEARCH-LIMITS] Eight pigeons in seven holes, and few steps; wide quantifiers, and deep formulas."""
    pigeons = [POOL.sym(Symbol(f"c{i}", (), INT, SymbolKind.CONSTANT)) for i in range(8)]
    bounds = [POOL.conj([compare(op.LE, 1, each), compare(op.LE, each, 7)]) for each in pigeons]
    search = search_of(*bounds, POOL.app(op.DISTINCT, tuple(pigeons)))
    with pytest.raises(OutOfFuel):
        search.find(None, Fuel(500))
    values, keys = search.find(None, Fuel(ENOUGH))
    assert values is None
    assert keys == {f"f{i}" for i in range(9)}
    sort = EnumSort("Many", tuple(f"m{i}" for i in range(40)))
    binders = tuple(POOL.var("x", sort) for _ in range(4))
    predicate = Symbol("r", (sort,) * 4, BOOL, SymbolKind.FUNCTION)
    with pytest.raises(NotFinite, match="instances"):
        search_of(POOL.quant("forall", binders, POOL.app(predicate, binders)))
    deep: Node = POOL.sym(Symbol("p", (), BOOL, SymbolKind.CONSTANT))
    for _ in range(200):
        deep = POOL.app(op.XOR, (deep, POOL.sym(Symbol("q", (), BOOL, SymbolKind.CONSTANT))))
    with pytest.raises(NotFinite, match="deep"):
        search_of(deep)


def test_cores_leave_out_what_takes_no_part() -> None:
    """[SEARCH-DECIDES]"""
    search = search_of(compare(op.LE, 1, C), compare(op.LE, C, 3), compare(op.LE, 5, D), compare(op.LE, D, 6))
    problem = search.problem
    goal = problem.goal(compare(op.LT, C, 1))
    assert not goal.false
    values, keys = search.find(goal, Fuel(ENOUGH))
    assert values is None
    assert {key for key in keys if key} <= {"f0", "f1"}


def test_a_fact_that_is_false_by_itself_is_the_core() -> None:
    """[ROUTE-NAMES] Where others clash too: a subset without it is not refuted by it."""
    found = potlang.verify(
        {
            "sorts": [{"name": "C", "type": "EnumSort", "values": ["r", "g"]}],
            "constants": {"n": {"sort": "C", "members": ["u", "v"]}},
            "knowledge_base": ["1 == 2", "u != v", "u == v"],
            "verifications": [{"constraint": "u == r"}],
        },
        route="search",
        cores="all",
    )
    evidence = found.results[0].evidence
    assert [[each.text for each in core] for core in evidence.cores or ()] == [
        ["1 == 2"],
        ["u != v", "u == v"],
    ]
    assert evidence.cores_complete
