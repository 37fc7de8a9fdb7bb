"""Grounding: clauses of matrices, normal atoms, sizes before anything is made, violated instances."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from strategies.formulas import Signature, formulas

from potlang.engines.fuel import Fuel, OutOfFuel
from potlang.engines.ground.equality import EqualityClasses
from potlang.engines.ground.forms import Grounding, form_of
from potlang.engines.ground.search import InstanceSearch, plan
from potlang.engines.ground.table import FALSE, TRUE, TermTable
from potlang.engines.propositional import Propositional
from potlang.ir import operators as op
from potlang.ir.clauses import ClauseLimits, TooManyClauses, clauses_of
from potlang.ir.evaluator import evaluate
from potlang.ir.nnf import NegationNormalForm
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
from potlang.ir.operators import Operator
from potlang.ir.pool import Pool
from potlang.ir.skolem import NotSkolemizable
from potlang.ir.sorts import BOOL, INT, REAL, DeclaredSort, EnumSort, Sort
from potlang.ir.structure import Structure
from potlang.utils.deadline import Deadline

THING, OWNER = DeclaredSort("Thing"), DeclaredSort("Owner")
COLOUR = EnumSort("Colour", ("red", "green"))


def function(name: str, *sorts: Sort) -> Symbol:
    kind = SymbolKind.FUNCTION if len(sorts) > 1 else SymbolKind.CONSTANT
    return Symbol(name, sorts[:-1], sorts[-1], kind)


P, Q = function("P", THING, BOOL), function("Q", THING, THING, BOOL)
A, B, OTHER = function("a", THING), function("b", THING), function("o", OWNER)
TRUTHS = tuple(function(name, BOOL) for name in "pqrs")


# --- clauses ---------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.data())
def test_clauses_hold_under_the_assignments_that_the_formula_holds_under(data: DataObject) -> None:
    """[GROUND-CLAUSES]"""
    pool = Pool()
    formula = data.draw(formulas(Signature((), TRUTHS), pool, 6, quantifiers=False))
    found = clauses_of(NegationNormalForm(pool).of(formula), pool)
    for values in itertools.product([False, True], repeat=len(TRUTHS)):
        truth = dict(zip(TRUTHS, values, strict=True))
        expected = evaluate(formula, Structure({}, truth))
        assert _satisfiable(pool, [*found.top, *found.named], truth) is expected


def _satisfiable(
    pool: Pool, clauses: Sequence[Sequence[tuple[Node, bool]]], truth: dict[Symbol, bool]
) -> bool:
    numbers: dict[Node, int] = {}
    solver = Propositional()
    for clause in clauses:
        literals = [(numbers.setdefault(atom, len(numbers) + 1), sign) for atom, sign in clause]
        solver.add([number if sign else -number for number, sign in literals])
    for symbol, value in truth.items():
        number = numbers.setdefault(pool.sym(symbol), len(numbers) + 1)
        solver.add([number if value else -number])
    return bool(solver.solve(1_000, Deadline(10_000)))


def test_a_large_disjunction_of_conjunctions_is_not_multiplied_out() -> None:
    """[GROUND-CLAUSES]"""
    pool = Pool()
    atoms = [pool.sym(function(f"p{at}", BOOL)) for at in range(60)]
    pairs = [pool.conj(atoms[at : at + 2]) for at in range(0, 60, 2)]
    found = clauses_of(pool.disj(pairs), pool)
    assert len(found.top) + len(found.named) < 100


@pytest.mark.parametrize(("most", "fits"), [(10_000, False), (50_000, True)])
def test_a_formula_that_takes_many_literals_to_write_has_no_clauses(most: int, fits: bool) -> None:
    """[CLOSURE-REMAINDER] 100 clauses of 101 literals each: such a formula is not recognised."""
    pool = Pool()
    first, second = ([pool.sym(function(f"{name}{at}", BOOL)) for at in range(100)] for name in "pq")
    formula = pool.disj([pool.conj(first), *second])
    limits = ClauseLimits(product=20_000, naming=False, literals=most)
    if fits:
        assert len(clauses_of(formula, pool, limits).top) == 100
    else:
        with pytest.raises(TooManyClauses):
            clauses_of(formula, pool, limits)


# --- atoms -----------------------------------------------------------------------------------------


def test_atoms_have_one_form() -> None:
    """[GROUND-LITERALS] [GROUND-INTEGERS]"""
    table = TermTable()
    a, b = table.term(A, (), THING), table.term(B, (), THING)
    red, green = (table.literal(table.pool.lit(value, COLOUR)) for value in COLOUR.values)
    n = table.term(function("n", INT), (), INT)
    two, three = (table.literal(table.pool.integer(value)) for value in (2, 3))
    assert table.atom(op.EQ, (a, b)) == table.atom(op.EQ, (b, a))
    assert table.atom(op.EQ, (a, a)) == TRUE
    assert table.atom(op.EQ, (red, green)) == FALSE
    assert table.atom(op.LE, (n, two)) == -table.atom(op.LT, (two, n)) == table.atom(op.LT, (n, three))
    assert (table.atom(op.LT, (two, three)), table.atom(op.LE, (three, two))) == (TRUE, FALSE)
    assert table.term(op.ADD, (two, three), INT) == table.literal(table.pool.integer(5))


# --- sizes -----------------------------------------------------------------------------------------


class Made:
    """A pool with a few helpers."""

    def __init__(self) -> None:
        self.pool = Pool()

    def app(self, symbol: Symbol, *args: Node) -> Node:
        return self.pool.app(symbol, args) if args else self.pool.sym(symbol)

    def closed(self, kind: str, *binders: Var, body: Node) -> Node:
        return self.pool.quant(kind, binders, body)

    def var(self, sort: Sort) -> Var:
        return self.pool.var("x", sort)

    def grounding(self, *formulas: Node) -> Grounding:
        return Grounding(tuple(form_of(f"f{at}", f, self.pool, {}) for at, f in enumerate(formulas)))


def test_twelve_variables_over_a_hundred_constants_are_counted_and_not_built() -> None:
    """[GROUND-SIZE]"""
    made = Made()
    facts = [made.app(P, made.app(function(f"c{at}", THING))) for at in range(100)]
    variables = [made.var(THING) for _ in range(12)]
    wide = Symbol("W", (THING,) * 12, BOOL, SymbolKind.FUNCTION)
    rule = made.closed("forall", *variables, body=made.app(wide, *variables))
    size = made.grounding(*facts, rule).size()
    assert (size.finite, size.complete, size.terms, size.instances) == (True, True, 100, 100 + 100**12)


def test_function_terms_are_counted_with_the_terms_below_them() -> None:
    """[GROUND-SIZE] [GROUND-TERMS]"""
    made = Made()
    owner = function("owner", THING, OWNER)
    likes = function("L", THING, OWNER, BOOL)
    x, y, z = made.var(THING), made.var(OWNER), made.var(THING)
    rule = made.closed("forall", x, y, z, body=made.app(likes, x, made.app(owner, z)))
    other = made.closed("forall", x := made.var(THING), y, body=made.app(likes, x, y))
    size = made.grounding(
        rule, other, made.app(likes, made.app(A), made.app(OTHER)), made.app(P, made.app(B))
    ).size()
    # Things a and b; owners o, owner(a), owner(b); x and z in the first rule, x and y in the second.
    assert (size.terms, size.instances) == (5, 4 + 6 + 1 + 1)


def test_a_choice_for_each_thing_that_is_a_thing_is_a_cycle() -> None:
    """[GROUND-FINITE]"""
    made = Made()
    x, y = made.var(THING), made.var(THING)
    some = made.closed("forall", x, body=made.closed("exists", y, body=made.app(Q, x, y)))
    size = made.grounding(some).size()
    assert (size.finite, size.complete) == (False, False)
    assert "cycle" in size.why
    x, y = made.var(THING), made.var(OWNER)
    other = Symbol("L", (THING, OWNER), BOOL, SymbolKind.FUNCTION)
    some = made.closed("forall", x, body=made.closed("exists", y, body=made.app(other, x, y)))
    assert made.grounding(some).size() == (True, True, 1, 1, "")


def test_ground_function_terms_make_no_cycle() -> None:
    """[GROUND-FINITE]"""
    made = Made()
    next_ = function("next", THING, THING)
    x = made.var(THING)
    fact = made.app(P, made.app(next_, made.app(next_, made.app(A))))
    size = made.grounding(fact, made.closed("forall", x, body=made.app(P, x))).size()
    assert (size.complete, size.terms, size.instances) == (True, 3, 4)


@pytest.mark.parametrize("kind", ["quantifier", "operator", "formula"])
def test_what_is_interpreted_is_incomplete(kind: str) -> None:
    made = Made()
    n = function("n", INT)
    if kind == "quantifier":
        x = made.var(INT)
        formula = made.closed("forall", x, body=made.pool.eq(x, made.app(n)))
    elif kind == "operator":
        formula = made.pool.app(op.LT, (made.app(n), made.pool.integer(3)))
    else:
        holds = function("holds", BOOL, BOOL)
        formula = made.app(holds, made.app(P, made.app(A)))
    size = made.grounding(formula).size()
    assert size.finite and not size.complete and size.why


# --- violated instances ----------------------------------------------------------------------------


def _models(data: DataObject, table: TermTable, things: list[int]) -> list[int]:
    atoms = [table.atom(P, (a,)) for a in things]
    atoms += [table.atom(Q, pair) for pair in itertools.product(things, repeat=2)]
    return data.draw(st.lists(st.sampled_from(atoms), unique=True))


@st.composite
def _matrices(draw: st.DrawFn, made: Made, variables: list[Var]) -> Node:
    def term() -> Node:
        return draw(st.sampled_from([*variables, made.app(A), made.app(B)]))

    def literal() -> Node:
        kind = draw(st.sampled_from("PQ="))
        if kind == "=":
            atom: Node = made.pool.eq(term(), term())
        else:
            atom = made.app(P, term()) if kind == "P" else made.app(Q, term(), term())
        return atom if draw(st.booleans()) else made.pool.negate(atom)

    return made.pool.disj([literal() for _ in range(draw(st.integers(1, 4)))])


@settings(max_examples=200)
@given(st.data())
def test_the_search_finds_the_instances_that_are_false_and_no_others(data: DataObject) -> None:
    """[GROUND-SEARCH] [GROUND-ROUND]"""
    made = Made()
    variables = [made.var(THING) for _ in range(3)]
    matrix = data.draw(_matrices(made, variables))
    grounding = made.grounding(made.closed("forall", *variables, body=matrix), made.app(P, made.app(A)))
    table = grounding.table
    things = [table.term(symbol, (), THING) for symbol in (A, B, function("c", THING))]
    classes = EqualityClasses(table, _models(data, table, things))
    for rule in grounding.rules:
        found = sorted(InstanceSearch(table, classes, Fuel(100_000)).violations(rule, plan(rule)))
        expected = [
            binding
            for binding in itertools.product(things, repeat=len(rule.variables))
            if _is_false(table, classes, table.instance(rule, binding))
        ]
        assert found == sorted(expected)


def test_a_variable_that_equals_a_known_term_is_bound_to_it() -> None:
    """[GROUND-SEARCH] On whichever side of the equation: not every element is tried."""
    for turned in (False, True):
        made = Made()
        x = made.var(THING)
        sides = (made.app(A), x) if turned else (x, made.app(A))
        matrix = made.pool.disj([made.pool.negate(made.pool.app(op.EQ, sides)), made.app(P, x)])
        grounding = made.grounding(made.closed("forall", x, body=matrix))
        (rule,) = grounding.rules
        steps = [type(step).__name__ for step in plan(rule)]
        assert "Bind" in steps and "Enumerate" not in steps


_Build = Callable[[Pool, Node, Callable[[int], Node]], Node]
_LINEAR: dict[str, tuple[_Build, int, int]] = {
    "3 k + 1": (lambda pool, k, n: pool.app(op.ADD, (pool.app(op.MUL, (n(3), k)), n(1))), 3, 1),
    "1 - 3 k": (lambda pool, k, n: pool.app(op.SUB, (n(1), pool.app(op.MUL, (k, n(3))))), -3, 1),
    "-(k - 7)": (lambda pool, k, n: pool.app(op.NEG, (pool.app(op.SUB, (k, n(7))),)), -1, 7),
    "2 (k + 5)": (lambda pool, k, n: pool.app(op.MUL, (n(2), pool.app(op.ADD, (k, n(5))))), 2, 10),
}
"""Terms linear in `k`, with their slopes and their values at 0."""


@pytest.mark.parametrize("sort", [INT, REAL], ids=str)
@pytest.mark.parametrize("linear", _LINEAR.values(), ids=_LINEAR)
@given(value=st.integers(-40, 40), turned=st.booleans())
def test_a_number_in_an_equation_is_what_solves_it(
    linear: tuple[_Build, int, int], sort: Sort, value: int, turned: bool
) -> None:
    """[GROUND-SEARCH] Whole numbers only where there is a whole solution."""
    made = Made()
    k, pool = made.var(sort), made.pool
    build, slope, at_zero = linear
    number = pool.real if sort is REAL else pool.integer
    left = build(pool, k, number)
    sides = (number(value), left) if turned else (left, number(value))
    matrix = pool.disj([pool.negate(pool.app(op.EQ, sides)), made.app(function("q", sort, BOOL), k)])
    grounding = made.grounding(made.closed("forall", k, body=matrix))
    (rule,) = grounding.rules
    table = grounding.table
    search = InstanceSearch(table, EqualityClasses(table, ()), Fuel(1_000))
    found = [table.value(place) for (place,) in search.violations(rule, plan(rule))]
    solution = Fraction(value - at_zero, slope)
    wanted = [solution] if sort is REAL or solution.denominator == 1 else []
    assert [each.value for each in found if each is not None] == wanted


@st.composite
def _comparisons(draw: st.DrawFn) -> list[tuple[bool, Operator, int, int, int]]:
    """Whether each of some comparisons `c k + d < e` (or another operator) is to be true, and its numbers."""
    numbers = st.integers(-9, 9)
    operators = st.sampled_from((op.LT, op.LE, op.EQ))
    slopes = st.sampled_from((-3, -2, -1, 1, 2, 3))
    each = st.tuples(st.booleans(), operators, slopes, numbers, numbers)
    return draw(st.lists(each, min_size=1, max_size=4))


@pytest.mark.parametrize("sort", [INT, REAL], ids=str)
@given(comparisons=_comparisons())
def test_of_compared_numbers_those_around_the_limits_are_enough(
    sort: Sort, comparisons: list[tuple[bool, Operator, int, int, int]]
) -> None:
    """[GROUND-SEARCH] [GROUND-SAMPLE] An instance is found exactly if some number fits."""
    made = Made()
    k, pool = made.var(sort), made.pool
    number = pool.real if sort is REAL else pool.integer
    literals: list[Node] = []
    for wanted, head, slope, offset, bound in comparisons:
        side = pool.app(op.ADD, (pool.app(op.MUL, (number(slope), k)), number(offset)))
        atom = pool.app(head, (side, number(bound)))
        literals.append(pool.negate(atom) if wanted else atom)
    grounding = made.grounding(made.closed("forall", k, body=pool.disj(literals)))
    # Between two limits, which are sixths apart, there is a twelfth.
    step = 12 if sort is REAL else 1
    fits = any(
        all(
            each.evaluate(slope * Fraction(at, step) + offset, bound) is wanted
            for wanted, each, slope, offset, bound in comparisons
        )
        for at in range(-30 * step, 30 * step)
    )
    table = grounding.table
    search = InstanceSearch(table, EqualityClasses(table, ()), Fuel(10_000))
    found = [each for rule in grounding.rules for each in search.violations(rule, plan(rule))]
    assert bool(found) is fits


def _is_false(table: TermTable, classes: EqualityClasses, literals: list[int]) -> bool:
    return TRUE not in literals and all(
        (abs(literal) in classes.true) is (literal < 0) for literal in literals
    )


def test_a_search_ends_with_its_budget() -> None:
    """[GROUND-SEARCH]"""
    made = Made()
    variables = [made.var(THING) for _ in range(6)]
    wide = Symbol("W", (THING,) * 6, BOOL, SymbolKind.FUNCTION)
    facts = [made.app(P, made.app(function(f"c{at}", THING))) for at in range(30)]
    grounding = made.grounding(made.closed("forall", *variables, body=made.app(wide, *variables)), *facts)
    search = InstanceSearch(grounding.table, EqualityClasses(grounding.table, []), Fuel(1_000))
    with pytest.raises(OutOfFuel):
        list(search.violations(grounding.rules[0], plan(grounding.rules[0])))


# --- equality --------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.data())
def test_a_model_violates_no_axiom_exactly_if_it_is_a_congruence(data: DataObject) -> None:
    """[GROUND-EQUALITY] [GROUND-ROUND]"""
    table = TermTable()
    f = function("f", THING, THING)
    things = [table.term(function(name, THING), (), THING) for name in "abc"]
    things += [table.term(f, (each,), THING) for each in things]
    equalities = [table.atom(op.EQ, pair) for pair in itertools.combinations(things, 2)]
    atoms = [*equalities, *(table.atom(P, (each,)) for each in things)]
    true = set(data.draw(st.lists(st.sampled_from(atoms), unique=True, max_size=8)))
    classes = EqualityClasses(table, true)
    assert (not classes.axioms) is _congruent(table, true, things, f)
    for axiom in classes.axioms:
        assert all(axiom.clauses(table))
    # Each round of axioms rules its model out.
    solver = Propositional()
    for axiom in classes.axioms:
        for clause in axiom.clauses(table):
            solver.add([literal for literal in clause if literal != FALSE])
    for atom in atoms:
        solver.add([atom if atom in true else -atom])
    assert bool(solver.solve(1_000, Deadline(10_000))) is (not classes.axioms)


def _congruent(table: TermTable, true: set[int], things: list[int], f: Symbol) -> bool:
    def same(a: int, b: int) -> bool:
        return a == b or table.atom(op.EQ, (a, b)) in true

    def holds(a: int) -> bool:
        return table.atom(P, (a,)) in true

    for a, b in itertools.product(things, repeat=2):
        if not same(a, b):
            continue
        if holds(a) is not holds(b) or any(same(b, c) and not same(a, c) for c in things):
            return False
        images = [table.find(f, (each,)) for each in (a, b)]
        if images[0] is not None and images[1] is not None and not same(images[0], images[1]):
            return False
    return True


def test_quantifiers_in_terms_are_refused() -> None:
    """[GROUND-REFUSED]"""
    made = Made()
    x = made.var(THING)
    holds = function("holds", BOOL, BOOL)
    with pytest.raises(NotSkolemizable):
        made.grounding(made.app(holds, made.closed("exists", x, body=made.app(P, x))))
