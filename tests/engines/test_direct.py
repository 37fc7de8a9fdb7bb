"""The direct encoding against all structures: models, cores, refutations. [DIRECT-*], [CERT-FINITE*]"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies.formulas import Signature, formulas
from test_finite import DAY, Puzzle, holds, puzzles

import potlang
from potlang.certify import Invalid, Refutation, Theory, read_theory
from potlang.certify.finite import FiniteEncoding
from potlang.certify.tokens import StepBudget
from potlang.engines.check import Check
from potlang.engines.context import ProgramContext
from potlang.engines.encoding import AssertionNames
from potlang.engines.finite import direct
from potlang.engines.finite.direct import DirectProblem, refutation
from potlang.engines.finite.direct_procedure import DirectProcedure
from potlang.engines.messages import SolverAnswer
from potlang.engines.propositional import Propositional
from potlang.engines.sat import SatOutcome
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.ir.structure import FunctionTable, Structure, members
from potlang.ir.text import print_module
from potlang.ir.values import Bits, Element, MapValue, Record
from potlang.processes.pool import Workers
from potlang.utils.deadline import Deadline

SIDES = ("claim", "negation")
STEPS = 5_000_000
RARE = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def soon() -> Deadline:
    return Deadline(20_000)


def module_of(puzzle: Puzzle, goals: Sequence[Node]) -> Module:
    claims = tuple(Claim(f"v{at}", f"v{at}", goal) for at, goal in enumerate(goals))
    symbols = (puzzle.x, puzzle.y, puzzle.p, puzzle.day, puzzle.load)
    return Module(puzzle.pool, (DAY,), symbols, assertions=tuple(puzzle.facts), claims=claims)


# --- a second kind of problem: closed sorts, bit vectors, tuples ---------------------------------------

THING = DeclaredSort("Thing")
PAIR = TupleSort("Pair", (("left", BOOL), ("right", BitVecSort(1))))
CONSTRUCTOR = Symbol("Pair", (BOOL, BitVecSort(1)), PAIR, SymbolKind.CONSTRUCTOR)
SELECTORS = tuple(Symbol(name, (PAIR,), part, SymbolKind.SELECTOR) for name, part in PAIR.fields)
A, B = (Symbol(name, (), THING, SymbolKind.CONSTANT) for name in "ab")
F = Symbol("f", (THING,), THING, SymbolKind.FUNCTION)
Q = Symbol("q", (THING,), BOOL, SymbolKind.FUNCTION)
N = Symbol("n", (THING,), INT, SymbolKind.FUNCTION)
V = Symbol("v", (), BitVecSort(1), SymbolKind.CONSTANT)
T = Symbol("t", (), PAIR, SymbolKind.CONSTANT)
SIGNATURE = Signature((THING, PAIR), (A, B, F, Q, V, T), (CONSTRUCTOR, *SELECTORS))


def problems() -> st.SearchStrategy[Module]:
    """Of both kinds."""
    return st.one_of(puzzles().map(lambda drawn: module_of(*drawn)), closed_problems())


def closure(pool: Pool) -> Assertion:
    x = pool.var("x", THING)
    body = pool.disj([pool.eq(x, pool.sym(each)) for each in (A, B)])
    return Assertion("closed", "closed", AssertionKind.SEMANTICS, pool.quant("forall", (x,), body))


def bounded(pool: Pool) -> Assertion:
    """That numbers are 0 or 1."""
    x = pool.var("x", THING)
    number = pool.app(N, (x,))
    body = pool.conj([pool.app(op.LE, (pool.integer(0), number)), pool.app(op.LT, (number, pool.integer(2)))])
    return Assertion("bounded", "bounded", AssertionKind.FACT, pool.quant("forall", (x,), body))


def of_numbers(pool: Pool) -> list[Node]:
    """Some formulas about numbers of things."""
    a, b, x, y = pool.sym(A), pool.sym(B), pool.var("x", THING), pool.var("y", THING)
    first, second, image = (pool.app(N, (each,)) for each in (a, b, pool.app(F, (a,))))
    one = pool.eq(pool.app(N, (x,)), pool.integer(1))
    return [
        pool.eq(pool.app(op.ADD, (first, second, image)), pool.integer(1)),
        pool.app(op.LT, (image, second)),
        pool.quant("forall", (x,), pool.app(op.IMPLIES, (pool.app(Q, (x,)), one))),
        pool.quant("exists", (x,), pool.conj([pool.app(Q, (x,)), one])),
        # No bounds of n, though each says at some places that a number is 1 unless two terms are equal.
        pool.quant("forall", (x, y), pool.disj([pool.eq(x, y), one])),
        pool.quant("forall", (x, y), pool.disj([pool.negate(pool.eq(x, y)), one])),
        pool.quant("forall", (x,), pool.disj([pool.negate(pool.eq(pool.app(F, (x,)), x)), one])),
        pool.quant("forall", (x,), pool.disj([pool.negate(pool.eq(x, b)), one])),
    ]


@st.composite
def closed_problems(draw: st.DrawFn) -> Module:
    """A program over a sort that two constants name, a bit vector and a pair."""
    pool = Pool()
    made = [draw(formulas(SIGNATURE, pool, 3)) for _ in range(draw(st.integers(2, 4)))]
    facts = [closure(pool), bounded(pool)]
    made += draw(st.lists(st.sampled_from(of_numbers(pool)), max_size=2))
    facts += [Assertion(f"f{at}", f"f{at}", AssertionKind.FACT, each) for at, each in enumerate(made[1:])]
    return Module(
        pool,
        (THING, PAIR),
        (A, B, F, Q, N, V, T),
        assertions=tuple(facts),
        claims=(Claim("v0", "v0", made[0], Origin("")),),
    )


def closed_structures() -> Iterator[Structure]:
    """All that have no member but what the constants name."""
    bits = [Bits(number, 1) for number in range(2)]
    pairs = [Record("Pair", values) for values in itertools.product((False, True), bits)]
    for size, (a, b) in [(1, (0, 0)), (2, (0, 1))]:
        things = [Element("Thing", at) for at in range(size)]

        def tables(values: Sequence[object], things: Sequence[Element] = things) -> list[FunctionTable]:
            images = itertools.product(values, repeat=len(things))
            return [
                FunctionTable({(each,): value for each, value in zip(things, i, strict=True)}) for i in images
            ]

        choices = (tables(things), tables((False, True)), tables((0, 1)), range(2), pairs)
        for f, q, n, number, pair in itertools.product(*choices):
            meanings = {A: things[a], B: things[b], F: f, Q: q, N: n, V: Bits(number, 1), T: pair}
            yield Structure({THING: size}, meanings)


CLOSED = tuple(closed_structures())


# --- a third kind: sets, arrays and functions that have few values ---------------------------------------

COLOR = EnumSort("Color", ("red", "blue"))
TABLES = (SetSort(COLOR), ArraySort(BOOL, COLOR), FunctionSort((COLOR,), BOOL))
S, M, G = (Symbol(name, (), sort, SymbolKind.CONSTANT) for name, sort in zip("smg", TABLES, strict=True))
C = Symbol("c", (), COLOR, SymbolKind.CONSTANT)
OF_TABLES = Signature((COLOR, PAIR), (S, M, G, C, T), (CONSTRUCTOR, *SELECTORS))


@st.composite
def table_problems(draw: st.DrawFn) -> Module:
    """Quantifiers range over sets, arrays, functions and pairs; some say the same of all structures."""
    pool = Pool()
    made = [draw(formulas(OF_TABLES, pool, 4)) for _ in range(draw(st.integers(1, 3)))]
    facts = [Assertion(f"f{at}", f"f{at}", AssertionKind.FACT, each) for at, each in enumerate(made[1:])]
    claims = (Claim("v0", "v0", made[0], Origin("")),)
    return Module(pool, (COLOR, PAIR), (S, M, G, C, T), assertions=tuple(facts), claims=claims)


def table_structures() -> Iterator[Structure]:
    """All of them."""
    symbols = (S, M, G, C, T)
    for values in itertools.product(*(members(each.range, Structure({}, {})) for each in symbols)):
        yield Structure({}, dict(zip(symbols, values, strict=True)))


OVER_TABLES = tuple(table_structures())


# --- answers -----------------------------------------------------------------------------------------


def decided(theory: Theory, keys: Sequence[str], side: str, claim: str | None) -> tuple[bool, object]:
    """Whether there is a model, with the problem and the answer that a worker would give."""
    problem = DirectProblem(theory, keys, side, claim)
    chosen = [int(each) for each in problem.query(keys).assuming]
    solver = Propositional()
    for line in (*problem.base().splitlines(), *(f"{each} 0" for each in chosen)):
        solver.add([int(word) for word in line.split()[:-1]])
    found = solver.solve(100_000, soon())
    assert found is not None
    true = " ".join(map(str, solver.true_variables())) if found else ""
    return found, (problem, SolverAnswer("sat" if found else "unsat", values=(true,)))


def check_answers(module: Module, structures: Sequence[Structure]) -> None:
    """Models are models, and where there is none the kernel accepts that."""
    theory = read_theory(print_module(module))
    theta = {each.key: each.formula for each in module.assertions}
    # Nearly all of the time is for evaluating: the assumptions once for all claims.
    assumed = [holds(each, *theta.values()) for each in structures]
    for claim, side in itertools.product(module.claims, SIDES):
        goal = claim.formula if side == "claim" else module.pool.negate(claim.formula)
        truths = [found and holds(each, goal) for each, found in zip(structures, assumed, strict=True)]
        try:
            found, (problem, answer) = decided(theory, list(theta), side, claim.key)
        except Invalid:
            continue
        if None not in truths:
            assert found is any(truths)
        if found:
            structure = problem.structure(answer, module)
            assert holds(_completed(structure, structures[0]), *theta.values(), goal) is not False
        else:
            lines = refutation(theory, list(theta), side, claim.key, None, soon())
            assert lines is not None
            assert accepted(theory, side, claim.key, lines)


def _completed(found: Structure, like: Structure) -> Structure:
    """With some meaning for what is not mentioned."""
    sizes = {**like.universe, **found.universe}
    return Structure(sizes, {**like.functions, **found.functions}, found.definitions)


def accepted(theory: Theory, side: str, claim: str | None, lines: Sequence[str]) -> bool:
    try:
        work = Refutation(theory, side, claim)
        for line in lines:
            work.statement(line)
    except Invalid:
        return False
    return work.refuted


@settings(RARE, max_examples=12)
@given(puzzles())
def test_answers_are_those_of_all_assignments(drawn: tuple[Puzzle, list[Node]]) -> None:
    """[DIRECT-DECIDES], [CERT-FINITE], [CERT-FINITE-CELL], [CERT-FINITE-TERM], [CERT-FINITE-CLAUSE]"""
    check_answers(module_of(*drawn), list(drawn[0].structures()))


@settings(RARE, max_examples=12)
@given(closed_problems())
def test_answers_over_closed_sorts_are_those_of_all_structures(module: Module) -> None:
    """[DIRECT-DECIDES], [CERT-FINITE-SORT]"""
    check_answers(module, CLOSED)


@pytest.mark.slow
@settings(RARE, max_examples=12)
@given(table_problems())
def test_answers_over_tables_are_those_of_all_structures(module: Module) -> None:
    """[DIRECT-DECIDES], [CERT-FINITE-CELL], [CERT-FINITE-TERM]"""
    check_answers(module, OVER_TABLES)


@pytest.mark.slow
@settings(RARE, max_examples=1_000)
@given(table_problems())
def test_answers_over_tables_are_those_of_very_many(module: Module) -> None:
    """[DIRECT-DECIDES], [CERT-FINITE-CELL], [CERT-FINITE-TERM]"""
    check_answers(module, OVER_TABLES)


@pytest.mark.slow
@settings(RARE, max_examples=500)
@given(problems())
def test_answers_are_those_of_very_many_assignments(module: Module) -> None:
    """[DIRECT-DECIDES], [CERT-FINITE-SORT]"""
    closed = THING in module.sorts
    check_answers(module, CLOSED if closed else list(Puzzle.structures_of(module)))


# --- the encoding against the evaluator ----------------------------------------------------------------


def literals_of(
    encoding: FiniteEncoding, structure: Structure, theory: Theory, module: Module
) -> list[int] | None:
    """The literals of the cells that a structure makes true; None where a value is none of a cell's.

    It has a member for each constant of the closed sort.
    """
    symbols = {theory.symbol(f"@{at}"): symbol for at, symbol in enumerate(module.symbols)}
    found = []
    for (symbol, args), values in encoding.cells.items():
        known = symbols[symbol]
        meaning = structure.functions[known]
        places = zip(args, known.domain, strict=True)
        given = [Element("Thing", each) if sort == THING else each for each, sort in places]
        value = _plain(meaning(*given) if known.domain else meaning)
        if isinstance(value, MapValue):
            same = [each for each in values if _is_table(each, value, known.range)]
            value = same[0] if same else None
        if value not in values:
            return None
        found.append(values[value])
    return found


def _is_table(kernels: Any, table: MapValue, sort: Sort) -> bool:
    """Whether both map each key of the sort to the same."""
    keys = (False, True) if isinstance(sort, ArraySort) else COLOR.values
    wrapped = isinstance(sort, FunctionSort)
    return all(kernels.get((key,)) == table.get((key,) if wrapped else key) for key in keys)


def _plain(value: object) -> object:
    match value:
        case Element():
            return value.index
        case Bits():
            return value.number
        case Record():
            return tuple(map(_plain, value.fields))
    return value


def check_encoding(module: Module, structures: Sequence[Structure]) -> None:
    """With a structure's values the clauses have a model just where the formulas are true in it."""
    theory = read_theory(print_module(module))
    goals = [theory.questions[each.key].sides["claim"].root for each in module.claims]
    parts = [(root.formula, True) for root in (*theory.assertions.values(), *goals) if root is not None]
    wanted = [each.formula for each in (*module.assertions, *module.claims)]
    try:
        encoding = FiniteEncoding(theory, parts, StepBudget(STEPS))
    except Invalid:
        return
    clauses = [*encoding.clauses, *(clause for part in encoding.asserted for clause in part)]
    for structure in structures:
        expected = holds(structure, *wanted)
        literals = literals_of(encoding, structure, theory, module)
        solver = Propositional()
        for clause in (*clauses, *((each,) for each in literals or ())):
            solver.add(clause)
        found = literals is not None and solver.solve(10_000, soon())
        assert expected is None or found is expected


@settings(RARE, max_examples=12)
@given(puzzles(), st.randoms(use_true_random=False))
def test_the_clauses_say_what_the_evaluator_says(
    drawn: tuple[Puzzle, list[Node]], chance: random.Random
) -> None:
    """[CERT-FINITE-TERM], [CERT-FINITE-CLAUSE]"""
    check_encoding(module_of(*drawn), chance.sample(list(drawn[0].structures()), 12))


@settings(RARE, max_examples=12)
@given(closed_problems(), st.randoms(use_true_random=False))
def test_the_clauses_of_closed_sorts_say_what_the_evaluator_says(
    module: Module, chance: random.Random
) -> None:
    """[CERT-FINITE-SORT], [CERT-FINITE-TERM]"""
    two = [each for each in CLOSED if each.universe[THING] == 2]
    check_encoding(module, chance.sample(two, 12))


@settings(RARE, max_examples=12)
@given(table_problems(), st.randoms(use_true_random=False))
def test_the_clauses_of_tables_say_what_the_evaluator_says(module: Module, chance: random.Random) -> None:
    """[CERT-FINITE-CELL], [CERT-FINITE-TERM]"""
    check_encoding(module, chance.sample(OVER_TABLES, 12))


# --- refutations that say something else -----------------------------------------------------------------


def _changed(lines: Sequence[str], chance: random.Random) -> list[str]:
    """The lines with one change: a word or a line left out, repeated or replaced."""
    changed = list(lines)
    at = chance.randrange(len(changed))
    words = changed[at].strip("()").split()
    match chance.randrange(5):
        case 0:
            del changed[at]
        case 1:
            changed.insert(at, changed[at])
        case 2 if len(words) > 1:
            del words[chance.randrange(1, len(words))]
            changed[at] = f"({' '.join(words)})"
        case 3 if len(words) > 1 and words[0] != "finite":
            place = chance.randrange(1, len(words))
            words[place] = str(int(words[place]) * -1 + chance.choice([0, 0, 1]))
            changed[at] = f"({' '.join(words)})"
        case _:
            changed[at], changed[-2] = changed[-2], changed[at]
    return changed


@settings(RARE, max_examples=12)
@given(
    st.one_of(puzzles().map(lambda drawn: module_of(*drawn)), closed_problems()),
    st.randoms(use_true_random=False),
)
def test_what_a_changed_refutation_says_is_true_or_refused(module: Module, chance: random.Random) -> None:
    """[CERT-FINITE]"""
    structures = CLOSED if THING in module.sorts else list(Puzzle.structures_of(module))
    theory = read_theory(print_module(module))
    keys = [each.key for each in module.assertions]
    for claim, side in itertools.product(module.claims, SIDES):
        lines = refutation(theory, keys, side, claim.key, None, soon())
        if lines is None:
            # What has a model is not refuted by the lines of something else either.
            lines = (f"(finite {' '.join(map(repr, keys))} goal)".replace("'", '"'), "(empty)")
        for _ in range(4):
            changed = _changed(lines, chance)
            if accepted(theory, side, claim.key, changed):
                theta = {each.key: each.formula for each in module.assertions}
                used = [theta[key] for key in keys if f'"{key}"' in " ".join(changed)]
                goal = claim.formula if side == "claim" else module.pool.negate(claim.formula)
                used += [goal] if "goal" in " ".join(changed) else []
                assert not any(holds(each, *used) for each in structures)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["(finite)", "(empty)"], "the empty clause does not follow"),
        (['(finite "f9")'], "there is no root"),
        (['(finite "f0")', '(finite "f0")'], "unknown or malformed"),
        (['(finite "f0")', '(instance 1 "f0")'], "numbers of statements"),
        (['(instance 1 "f0")', '(finite "f0")'], "unknown or malformed"),
        (['(finite "f0")', "(lemma 99)"], "no atom of that number"),
        (['(finite "f0")', "(apart 1 1)"], "no cell of that number"),
        (['(finite "f0")', "(apart 0)"], "no cell of that number"),
        (['(finite "f0")', "(apart 1 2)"], "may be equal"),
        (["(apart 1 2)"], "unknown or malformed"),
        (["(finite goal)"], "has no or too many values"),
    ],
)
def test_statements_that_are_refused(lines: list[str], message: str) -> None:
    """[CERT-FINITE], [CERT-FINITE-APART]"""
    theory = read_theory(
        "\n".join(
            [
                "(potlang-ir 1)",
                '(declare constant "x" () Int)',
                '(declare constant "y" () Int)',
                '(assert "f0" "f0" fact (and (<= 0 x) (< x 3) (<= 0 y) (<= y 2)))',
                '(claim "v0" "v0" () (< x y))',
                "",
            ]
        )
    )
    with pytest.raises(Invalid, match=message):
        work = Refutation(theory, "claim", "v0")
        for line in lines:
            work.statement(line)


def pigeons(count: int, holes: int) -> str:
    """Pair by pair different, each in a hole."""
    names = [f"p{at}" for at in range(count)]
    lines = ["(potlang-ir 1)", *(f'(declare constant "{name}" () Int)' for name in names)]
    lines += [f'(assert "b{name}" "" fact (and (<= 0 {name}) (< {name} {holes})))' for name in names]
    pairs = itertools.combinations(names, 2)
    lines += [f'(assert "d{a}{b}" "" fact (not (= {a} {b})))' for a, b in pairs]
    return "\n".join([*lines, '(claim "v" "v" () false)', ""])


@pytest.mark.parametrize(("count", "holes", "possible"), [(20, 19, False), (12, 12, True), (12, 11, False)])
def test_more_pigeons_than_holes(count: int, holes: int, possible: bool) -> None:
    """[CERT-FINITE-APART], [DIRECT-ENCODE] By resolution alone twenty would take for ever."""
    theory = read_theory(pigeons(count, holes))
    keys = list(theory.assertions)
    lines = refutation(theory, keys, "assumptions", None, None, soon())
    assert (lines is None) is possible
    if lines is not None:
        assert lines[0].startswith('(finite "bp0"')
        assert lines[1].startswith("(apart 1 2")
        assert accepted(theory, "assumptions", None, lines)
        assert not accepted(theory, "assumptions", None, [lines[0], "(empty)"])
    assert decided(theory, keys, "assumptions", None)[0] is possible


@pytest.mark.slow
def test_limits_end_an_encoding() -> None:
    """[DIRECT-LIMITS] Products of bit vectors have a million pairs of values; numbers may have too many."""
    text = """(potlang-ir 1)
(declare constant "v" () (BitVec 10))
(declare constant "w" () (BitVec 10))
(declare constant "n" () Int)
(assert "f0" "" fact (= (bvmul v w) (bvadd w (bvmul w v))))
(assert "f1" "" fact (and (<= 0 n) (< n 100000)))
(claim "v0" "" () false)
"""
    theory = read_theory(text)
    with pytest.raises(Invalid, match="more steps than are allowed"):
        DirectProblem(theory, ["f0"], "negation", "v0")
    with pytest.raises(Invalid, match="too many values"):
        DirectProblem(theory, ["f1"], "negation", "v0")
    assert refutation(theory, ["f1"], "negation", "v0", None, soon()) is None


# --- the procedure -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers() as pool:
        yield pool


def procedure_of(module: Module, workers: Workers) -> DirectProcedure:
    return DirectProcedure(ProgramContext.of(module, workers), 10_000)


def test_a_core_has_the_bounds_of_what_is_true_of_all_values(workers: Workers) -> None:
    """[DIRECT-DECIDES] That a product is below 100 is true of all values that are tried."""
    puzzle = Puzzle()
    pool = puzzle.pool
    twice = pool.app(op.MUL, (pool.integer(2), pool.sym(puzzle.x)))
    puzzle.fact(pool.negate(pool.app(op.LT, (twice, pool.integer(100)))))
    module = module_of(puzzle, [pool.sym(puzzle.p)])
    procedure = procedure_of(module, workers)
    check = Check("claim", module.claims[0].formula, claim=module.claims[0])
    names = [AssertionNames(module).name(each) for each in module.assertions]
    found = procedure.decide(check)
    assert found is not None and (found.status, found.core) == ("unsat", (names[0], names[3]))
    last = check._replace(assumptions=module.assertions[3:], alone=True)
    assert procedure.decide(last) is None
    procedure.close()


def test_claims_are_told_apart_by_what_they_say(workers: Workers) -> None:
    """[DIRECT-DECIDES] Of one name, as of claims of sessions; and of none that the program has."""
    puzzle = Puzzle()
    p = puzzle.pool.sym(puzzle.p)
    puzzle.fact(p)
    module = module_of(puzzle, [p])
    procedure = procedure_of(module, workers)
    own = module.claims[0]
    for formula, status in ((p, "sat"), (puzzle.pool.negate(p), "unsat"), (p, "sat")):
        for key in (own.key, "another"):
            claim = own._replace(key=key, formula=formula)
            found = procedure.decide(Check("claim", formula, claim=claim))
            assert found is not None and found.status == status
    procedure.close()


def test_bounds_that_exclude_each_other_are_a_core(workers: Workers) -> None:
    """[DIRECT-DECIDES]"""
    puzzle = Puzzle()
    pool = puzzle.pool
    puzzle.fact(pool.negate(pool.app(op.LT, (pool.sym(puzzle.x), pool.integer(100)))))
    module = module_of(puzzle, [pool.sym(puzzle.p)])
    procedure = procedure_of(module, workers)
    names = [AssertionNames(module).name(each) for each in module.assertions]
    found = procedure.decide(Check("claim", module.claims[0].formula, claim=module.claims[0]))
    assert found is not None and (found.status, found.core) == ("unsat", (names[0], names[3]))
    theory = read_theory(print_module(module))
    lines = refutation(theory, ["f0", "f3"], "assumptions", None, None, soon())
    assert lines is not None and accepted(theory, "assumptions", None, lines)
    procedure.close()


def test_what_bounds_the_numbers_of_a_core_is_used_too() -> None:
    """[TIER-PIECE] Two orders of two numbers contradict each other without any bounds."""
    source = {
        "variables": [{"name": name, "sort": "IntSort"} for name in "xyz"],
        "knowledge_base": ["And(x >= 1, x <= 3)", "And(y >= 1, y <= 3)", "And(z >= 1, z <= 3)", "x < y"],
        "verifications": [{"constraint": "y < x"}],
    }
    result = potlang.verify(source).results[0]
    assert [each.text for each in result.evidence.core or ()] == ["x < y"]
    assert result.evidence.core_minimal
    assert result.trust == "checked"
    module = potlang.compile(source).module
    theory = read_theory(print_module(module))
    key = module.assertions[3].key
    lines = refutation(theory, [key], "claim", module.claims[0].key, None, soon())
    assert lines is not None
    assert lines[0] == f'(finite "{key}" "{module.assertions[0].key}" "{module.assertions[1].key}" goal)'
    assert accepted(theory, "claim", module.claims[0].key, lines)


@settings(RARE, max_examples=12)
@given(puzzles(), st.data())
def test_the_procedure_and_its_parts(
    workers: Workers, drawn: tuple[Puzzle, list[Node]], data: st.DataObject
) -> None:
    """[DIRECT-DECIDES], [DIRECT-PARTS]"""
    puzzle, goals = drawn
    module = module_of(puzzle, goals)
    theta = {each.key: each.formula for each in module.assertions}
    structures = list(puzzle.structures())
    procedure = procedure_of(module, workers)
    claim = data.draw(st.sampled_from(module.claims))
    check = Check("claim", claim.formula, claim=claim)
    found = procedure.decide(check)
    if found is None:
        return
    truths = [holds(each, *theta.values(), claim.formula) for each in structures]
    assert None in truths or (found.status == "sat") is any(truths)
    for _ in range(3):
        keys = data.draw(st.lists(st.sampled_from(sorted(theta)), unique=True))
        part = tuple(each for each in module.assertions if each.key in keys)
        said = procedure.decide(check._replace(assumptions=part, alone=True, claim=None))
        if said is not None and said.status == "unsat":
            names = AssertionNames(module)
            core = [each.formula for each in part if names.name(each) in (said.core or ())]
            assert not any(holds(each, *core, claim.formula) for each in structures)
        elif said is not None:
            assert said.structure is not None
            structure = _completed(said.structure(), structures[0])
            assert holds(structure, *(theta[key] for key in keys), claim.formula) is not False
    procedure.close()


@pytest.mark.parametrize("kind", ["forall", "exists"])
@pytest.mark.parametrize("side", SIDES)
def test_what_has_no_value_is_neither_true_nor_false(kind: str, side: str) -> None:
    """[CERT-FINITE-TERM] [CERT-EVAL-HOLE] Division by zero is something; structures differ in what."""
    body = f"(vars (?x.0 Bool)) ({kind} (?x.0) (= (div 1 0) 0))"
    theory = read_theory(f'(potlang-ir 1)\n(claim "v" "" () {body})\n')
    with pytest.raises(Invalid, match="division by zero"):
        Refutation(theory, side, "v").statement("(finite goal)")


def test_equalities_bound_a_number_in_either_order() -> None:
    """[CERT-FINITE-CELL]"""
    lines = ['(declare constant "x" () Int)', '(declare constant "y" () Int)']
    lines += ['(assert "0" "" fact (or (= x 1) (= 2 x)))', '(assert "1" "" fact (or (= 2 y) (= y 1)))']
    theory = read_theory("\n".join(["(potlang-ir 1)", *lines, ""]))
    parts = [(each.formula, True) for each in theory.assertions.values()]
    encoding = FiniteEncoding(theory, parts, StepBudget(STEPS))
    assert [list(values) for values in encoding.cells.values()] == [[1, 2], [1, 2]]


# --- claims that only have to be computed ------------------------------------------------------------------

COMPUTED = {
    "Count([x: Bool, y: Bool], x -> y) == 3": True,
    "Count([x: Bool, y: Bool], x -> y) == 4": False,
    "Min(1, 0.5) == 0.5": True,
    "Max([c: Color], If(c == red, 1.5, 2)) == 1.5": False,
    "Sum([c: Color], If(c == red, 1, 2)) == 3": True,
    "Product([c: Color], 2) == 2": False,
    "Exists([s: Hues], Union(s, [red]) == s)": True,
    "Exists([s: Hues], Card(s) == 2 and red in s)": True,
    "ForAll([s: Hues, t: Hues], ForAll([c: Color], c in s <-> c in t) -> s == t)": True,
    "ForAll([s: Hues, t: Hues], Union(s, t) == Intersect(s, t))": False,
    "ForAll([s: Hues, t: Hues], Subset(s, t) and Subset(t, s) -> s == t)": True,
    "ForAll([s: Hues, t: Hues], Card(Union(s, t)) <= Card(s) + Card(t))": True,
    "ForAll([m: Shade, n: Shade], Select(m, red) == Select(n, red) -> m == n)": False,
    "ForAll([m: Shade, c: Color], Select(Store(m, c, True), c))": True,
    "ForAll([f: Choice, g: Choice], ForAll([b: Bool], f(b) == g(b)) -> f == g)": True,
    "Exists([f: Choice], f(True) != f(False))": True,
    "ForAll([p: Pair], Pair(left(p), right(p)) == p)": True,
    "ForAll([p: Pair, q: Pair], left(p) == left(q) -> p == q)": False,
    "ForAll([p: Pair, q: Pair], left(p) == left(q) and right(p) == right(q) -> p == q)": True,
    "3 in [1, 2, 3]": True,
    "Member(4, [1, 2])": False,
    "ForAll([x: BitVec(8), y: BitVec(8)], x * y == y * x)": True,
    "ForAll([x: BitVec(16)], BVXor(x, x) == BitVecVal(1, 16))": False,
    'Contains(Concat("ab", "c"), "bc")': True,
    "ForAll([x: Int], 0 <= x and x < 5 -> x * x < 16)": False,
}
DECLARED = [
    {"name": "Color", "type": "EnumSort", "values": ["red", "blue"]},
    {
        "name": "Pair",
        "type": "TupleSort",
        "fields": [{"name": "left", "sort": "Color"}, {"name": "right", "sort": "Bool"}],
    },
    {"name": "Hues", "type": "SetSort(Color)"},
    {"name": "Shade", "type": "ArraySort(Color, Bool)"},
    {"name": "Choice", "type": "FunctionSort(Bool, Color)"},
]


@pytest.mark.usefixtures("unhurried")
def test_what_only_has_to_be_computed_is_checked() -> None:
    """[CERT-FINITE-TERM], [CERT-EVAL-DOMAIN], [TIER-PIECE] The kernel evaluates it."""
    claims = [{"constraint": each} for each in COMPUTED]
    report = potlang.verify({"sorts": DECLARED, "verifications": claims})
    found = {text: (each.verdict, each.trust) for text, each in zip(COMPUTED, report.results, strict=True)}
    assert found == {
        text: ("entailed" if holds else "refuted", "checked") for text, holds in COMPUTED.items()
    }


def test_a_claim_that_closes_a_sort_closes_it_for_itself_alone(workers: Workers) -> None:
    """[DIRECT-DECIDES], [DIRECT-PARTS] The assumptions alone need more members than the claim leaves."""
    pool = Pool()
    third = Symbol("c", (), THING, SymbolKind.CONSTANT)
    differ = pool.app(op.DISTINCT, tuple(pool.sym(each) for each in (A, B, third)))
    fact = Assertion("differ", "differ", AssertionKind.FACT, differ)
    claim = Claim("two", "two", closure(pool).formula)
    module = Module(pool, (THING,), (A, B, third), assertions=(fact,), claims=(claim,))
    procedure = procedure_of(module, workers)
    found = procedure.decide(Check("claim", claim.formula, claim=claim))
    assert found is not None and found.status == "unsat"
    part = procedure.decide(Check("assumptions", assumptions=(fact,), alone=True))
    assert part is None or part.status != "unsat"
    procedure.close()


def test_a_clause_is_deleted_as_often_as_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """[CERT-FINITE] The kernel would not find more: a solver may delete what it had in another form."""
    steps = [
        (False, (1, 2)),
        (True, (3,)),
        (False, (2, 1)),
        (False, (1, 2)),
        (False, (3,)),
        (False, (3,)),
        (True, (4,)),
        (False, (5,)),
        (True, ()),
    ]
    outcome = SatOutcome("unsat", proof=tuple(steps))
    monkeypatch.setattr(direct, "_MOST_CLAUSES", 0)
    monkeypatch.setattr(direct, "solve_clauses", lambda *_: outcome)
    lines = direct._proof([(1, 2), (2, 1), (-4,)], Workers(), soon())
    assert lines == [
        "(delete 1 2)",
        "(lemma 3)",
        "(delete 2 1)",
        "(delete 3)",
        "(lemma 4)",
        "(lemma )",
    ]
