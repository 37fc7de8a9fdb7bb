"""Quantifiers over integers that their bodies bound: evaluator and kernel against brute force and z3."""

from __future__ import annotations

from typing import Any

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_support import certificate, model_lines, program

import potlang
from potlang.certify import check, read_theory
from potlang.certify.evaluate import ModelEvaluation
from potlang.certify.models import CertificateModel
from potlang.certify.operators import NoValue
from potlang.certify.tokens import StepBudget, tree
from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Assertion, AssertionKind, Module, Origin
from potlang.ir.nodes import Node, Quant, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.ranges import NumberLimit, NumberRanges
from potlang.ir.sorts import BOOL, INT
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure
from potlang.ir.text import print_module
from potlang.ir.values import Unspecified

Tree = Any
"""A number, the name of a variable or of `n`, or an operator with its parts."""
Values = dict[str, int]

N = Symbol("n", (), INT, SymbolKind.CONSTANT)
F = Symbol("f", (INT,), INT, SymbolKind.FUNCTION)
P = Symbol("p", (INT,), BOOL, SymbolKind.FUNCTION)
F_ENTRIES, F_DEFAULT = {0: 2, 1: -1, 3: 4}, 1
P_ENTRIES = (-2, 0, 1, 4)
FAR = range(-60, 61)
"""Every bound lies within: brute force tries all of these."""


# --- formulas -----------------------------------------------------------------------------------------


@st.composite
def terms(draw: st.DrawFn, names: tuple[str, ...]) -> Tree:
    leaves = [st.integers(-3, 3), st.just("n"), *(st.just(name) for name in names)]
    leaf = st.one_of(leaves)
    shape = draw(st.sampled_from(["leaf", "leaf", "leaf", "+", "-", "div", "mod", "f"]))
    if shape == "leaf":
        return draw(leaf)
    return (shape, draw(leaf)) if shape == "f" else (shape, draw(leaf), draw(leaf))


@st.composite
def limits(draw: st.DrawFn, name: str, names: tuple[str, ...], least: bool) -> Tree:
    """That a variable is at least, or at most, something: strict or not, from either side, or denied."""
    bound = draw(terms(names))
    sign = draw(st.sampled_from(["<", "<="]))
    positive = (sign, bound, name) if least else (sign, name, bound)
    denied = ("not", (sign, name, bound) if least else (sign, bound, name))
    return draw(st.sampled_from([positive, denied]))


@st.composite
def formulas(draw: st.DrawFn, depth: int, names: tuple[str, ...] = ()) -> Tree:
    if depth == 0 or (names and draw(st.booleans())):
        kind = draw(st.sampled_from(["<", "<=", "=", "p"]))
        return (kind, draw(terms(names))) if kind == "p" else (kind, draw(terms(names)), draw(terms(names)))
    kind = draw(st.sampled_from(["forall", "exists", "forall", "exists", "and", "or", "=>", "not"]))
    if kind == "not":
        return kind, draw(formulas(depth - 1, names))
    if kind not in ("forall", "exists"):
        return kind, draw(formulas(depth - 1, names)), draw(formulas(depth - 1, names))
    name = f"x{len(names)}"
    inside = (*names, name)
    both = [draw(limits(name, names, least)) for least in draw(st.permutations([True, False]))]
    body = draw(formulas(depth - 1, inside))
    if draw(st.booleans()):
        both = [("and", *both)]
    if kind == "exists":
        # Conjuncts in any order and nesting.
        parts = draw(st.permutations([*both, body]))
        whole = parts[0]
        for part in parts[1:]:
            whole = ("and", whole, part)
        return kind, name, whole
    for part in both:
        body = draw(
            st.sampled_from([("=>", part, body), ("or", ("not", part), body), ("or", body, ("not", part))])
        )
    return kind, name, body


def brute(formula: Tree, values: Values) -> Any:
    """Kleene's value; of quantifiers over all numbers that are not far away."""
    match formula:
        case int():
            return formula
        case str():
            return values[formula]
        case ("forall" | "exists") as kind, name, body:
            parts = [brute(body, {**values, name: each}) for each in FAR]
            decisive = kind == "exists"
            return decisive if decisive in parts else None if None in parts else not decisive
        case operator, *args:
            return _applied(operator, [brute(arg, values) for arg in args])


def _applied(operator: str, args: list[Any]) -> Any:
    if operator == "=>":
        operator, args = "or", [_applied("not", args[:1]), args[1]]
    if operator in ("and", "or"):
        decisive = operator == "or"
        return decisive if decisive in args else None if None in args else not decisive
    if None in args or (operator in ("div", "mod") and args[1] == 0):
        return None
    one, two = args[0], args[-1]
    match operator:
        case "not":
            return not one
        case "p":
            return one in P_ENTRIES
        case "f":
            return F_ENTRIES.get(one, F_DEFAULT)
        case "mod":
            return one % abs(two)
        case "div":
            return one // two if two > 0 else -(one // -two)
    return {"<": one < two, "<=": one <= two, "=": one == two, "+": one + two, "-": one - two}[operator]


OPERATORS = {
    "<": op.LT, "<=": op.LE, "=": op.EQ, "+": op.ADD, "-": op.SUB, "div": op.INT_DIV, "mod": op.MOD,
    "not": op.NOT, "and": op.AND, "or": op.OR, "=>": op.IMPLIES, "f": F, "p": P,
}  # fmt: skip


def node(pool: Pool, formula: Tree, variables: dict[str, Var]) -> Node:
    match formula:
        case int():
            return pool.integer(formula)
        case "n":
            return pool.sym(N)
        case str():
            return variables[formula]
        case ("forall" | "exists") as kind, name, body:
            var = pool.var(name, INT)
            return pool.quant(kind, (var,), node(pool, body, {**variables, name: var}))
        case operator, *args:
            return pool.app(OPERATORS[operator], tuple(node(pool, arg, variables) for arg in args))
    raise AssertionError(formula)


def solved(formula: Tree, number: int) -> bool | None:
    """What z3 says of the formula in the structure; None if it does not know in time."""

    def made(part: Tree, names: dict[str, Any]) -> Any:
        match part:
            case int():
                return z3.IntVal(part)
            case "n":
                return z3.IntVal(number)
            case str():
                return names[part]
            case ("forall" | "exists") as kind, name, body:
                var = z3.FreshInt(name)
                return (z3.ForAll if kind == "forall" else z3.Exists)([var], made(body, {**names, name: var}))
            case "f", arg:
                found: Any = z3.IntVal(F_DEFAULT)
                for key, value in F_ENTRIES.items():
                    found = z3.If(made(arg, names) == key, value, found)
                return found
            case "p", arg:
                return z3.Or([made(arg, names) == key for key in P_ENTRIES])
            case operator, *args:
                return written[operator](*(made(arg, names) for arg in args))

    written: dict[str, Any] = {
        "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "=": lambda a, b: a == b,
        "+": lambda a, b: a + b, "-": lambda a, b: a - b,
        "div": lambda a, b: a / b, "mod": lambda a, b: a % b,
        "not": z3.Not, "and": lambda *a: z3.And(*a), "or": lambda *a: z3.Or(*a), "=>": z3.Implies,
    }  # fmt: skip
    solver = z3.Solver()
    solver.set("timeout", 300)
    solver.add(z3.Not(made(formula, {})))
    status = solver.check()
    if status == z3.unsat:
        return True
    solver = z3.Solver()
    solver.set("timeout", 300)
    solver.add(made(formula, {}))
    return False if solver.check() == z3.unsat else None


def agree(formula: Tree, number: int) -> bool:
    """[IR-EVAL-7] [CERT-EVAL-RANGE] Whether there was a value: then all have it."""
    pool = Pool()
    made = node(pool, formula, {})
    facts = (Assertion("0", "", AssertionKind.FACT, made, Origin("")),)
    module = Module(pool=pool, sorts=(), symbols=(N, F, P), assertions=facts)
    structure = Structure(
        {},
        {
            N: number,
            F: FunctionTable({(key,): value for key, value in F_ENTRIES.items()}, F_DEFAULT),
            P: FunctionTable({(key,): True for key in P_ENTRIES}, False),
        },
    )
    expected = brute(formula, {"n": number})
    try:
        found: object = evaluate(made, structure)
    except (NotEvaluable, Unspecified):
        found = None
    theory = read_theory(print_module(module))
    model = CertificateModel(theory)
    for line in model_lines(module, structure):
        model.read(tree(line))
    checked = ModelEvaluation(model, StepBudget(5_000_000)).truth(theory.assertions["0"].formula)
    # Where a division by zero is a bound, brute force may see from the rest what the evaluator does not.
    divided = number == 0 and any(each in str(formula) for each in ("'div'", "'mod'"))
    assert found is expected or (divided and found is None), formula
    # The kernel computes closed parts as it reads, and so may know more.
    allowed = {expected} | ({True, False} if expected is None else {None} if divided else set())
    assert (None if isinstance(checked, NoValue) else checked) in allowed, checked
    if expected is not None:
        assert solved(formula, number) in (expected, None)
    return expected is not None


@given(formulas(2), st.integers(-3, 3))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_ranges_agree_with_brute_force(formula: Tree, number: int) -> None:
    agree(formula, number)


@pytest.mark.slow
@given(formulas(3), st.integers(-3, 3))
@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
def test_many_ranges_agree_with_brute_force(formula: Tree, number: int) -> None:
    agree(formula, number)


def test_a_bound_without_a_value_bounds_nothing() -> None:
    """[IR-EVAL-7] [CERT-EVAL-RANGE] 3 div 0 is some number, and nobody knows which."""
    agree(("forall", "x0", ("or", ("not", ("<", "x0", ("div", 3, "n"))), ("<", "n", "x0"))), 0)


# --- by hand ------------------------------------------------------------------------------------------

SIGNATURE = (
    '(declare constant "n" () Int)',
    '(declare constant "q" () Int)',
    '(declare function "p" (Int) Bool)',
)
MEANINGS = ("(constant n 3)", "(constant q 70000)", "(function p (default true) (10 false))")
INFINITE = "a quantifier ranges over an infinite or very large sort"
TOO_MANY = "a quantifier ranges over too many integers"
NOT_P = "(not (p ?x.0))"
Y = "(<= 1 ?y.1) (<= ?y.1 3)"
V = "(vars (?x.0 Int) (?y.1 Int) (?z.2 Int))"


def value(formula: str, *meanings: str) -> object:
    """Of a formula where n is 3, q is 70,000 and p is false of 10 alone; a hole's reason."""
    theory = read_theory(program(*SIGNATURE, f'(assert "0" "" fact {formula})'))
    model = CertificateModel(theory)
    for line in meanings or MEANINGS:
        model.read(tree(line))
    found = ModelEvaluation(model, StepBudget(1_000_000)).truth(theory.assertions["0"].formula)
    return found.reason if isinstance(found, NoValue) else found


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        # An empty range.
        ("(exists (?x.0) (and (<= 5 ?x.0) (< ?x.0 5) (p ?x.0)))", False),
        ("(forall (?x.0) (=> (and (<= 5 ?x.0) (< ?x.0 n)) (not (p ?x.0))))", True),
        # What an inner quantifier says of the same variable is of another one.
        ("(exists (?x.0) (and (<= 5 ?x.0) (<= ?x.0 6) (exists (?x.0) (and (<= 1 ?x.0) (< ?x.0 3)))))", True),
        # Bounds by another variable, which is bound behind it in the list.
        (f"(forall (?x.0 ?y.1) (=> (and {Y} (<= ?y.1 ?x.0) (<= ?x.0 (+ ?y.1 n))) (p ?x.0)))", True),
        (f"(exists (?x.0 ?y.1) (and {Y} (< ?y.1 ?x.0) (<= ?x.0 10) (not (p ?x.0))))", True),
        # Bounds below a quantifier of the same kind.
        (f"(exists (?x.0) (and (p 1) (exists (?y.1) (and (< 9 ?x.0) (< ?x.0 11) {Y} {NOT_P}))))", True),
        # A bound without a value excludes nothing; the other one of its side does.
        ("(forall (?x.0) (=> (and (<= (div 1 0) ?x.0) (<= 1 ?x.0) (<= ?x.0 2)) (p ?x.0)))", True),
        # Beyond one side, or with too many numbers in between.
        ("(forall (?x.0) (=> (<= 11 ?x.0) (p ?x.0)))", INFINITE),
        ("(forall (?x.0) (=> (and (<= 11 ?x.0) (<= ?x.0 q)) (p ?x.0)))", TOO_MANY),
        # A few are tried: one of them may decide.
        ("(exists (?x.0) (and (<= ?x.0 11) (p ?x.0)))", True),
        ("(exists (?x.0) (and (<= -5 ?x.0) (<= ?x.0 q) (p ?x.0)))", True),
        ("(forall (?x.0) (p (+ ?x.0 8)))", False),
        # Its own value is no bound of a variable.
        ("(forall (?x.0) (=> (and (<= 1 ?x.0) (<= ?x.0 (+ ?x.0 1))) (p ?x.0)))", INFINITE),
        # An alternative is no bound.
        ("(forall (?x.0) (=> (or (<= 1 ?x.0) (<= ?x.0 0)) (p ?x.0)))", INFINITE),
    ],
)  # fmt: skip
def test_ranges_by_hand(formula: str, expected: object) -> None:
    """[CERT-EVAL-RANGE]"""
    assert value(f"{V} {formula}") == expected


def test_a_number_that_grows_bounds_nothing() -> None:
    """[CERT-EVAL-RANGE] [CERT-FAMILY]"""
    grown = ("(constant n (powers (1 (lit Real 1/1))))", *MEANINGS[1:])
    every = f"{V} (forall (?x.0) (=> (and (<= 1 ?x.0) (<= ?x.0 n)) (p ?x.0)))"
    assert value(every, *grown) == TOO_MANY
    some = f"{V} (exists (?x.0) (and (<= 1 ?x.0) (<= ?x.0 n) (<= ?x.0 2) (p ?x.0)))"
    assert value(some, *grown) is True


def test_limits_of_a_variable_that_is_bound_again_refute_nothing() -> None:
    """[CERT-FINITE-TERM]: with them the outer variable would have no values, and nothing could hold."""
    inner = "(exists (?x.0) (and (< 0 ?x.0) (< ?x.0 3)))"
    claim = f"(vars (?x.0 Int)) (exists (?x.0) (and (< 5 ?x.0) (< ?x.0 9) (< (f 0) ?x.0) {inner}))"
    declared = '(declare function "f" (Int) Int)'
    text = program(declared, f'(assert "0" "" fact {claim})', '(actions "verify")')
    lines = ["(refutation r assumptions)", '(finite "0")', "(empty)"]
    lines += ['(result "assumptions" inconsistent)', "(unsat assumptions r)"]
    assert check(certificate(text, *lines), text).status == "INVALID"


def test_a_variable_that_is_bound_again_is_another_one() -> None:
    """[IR-EVAL-7]: an evaluator is given any node."""
    pool = Pool()
    x = pool.var("x", INT)

    def between(low: int, high: int) -> tuple[Node, ...]:
        return (pool.app(op.LE, (pool.integer(low), x)), pool.app(op.LE, (x, pool.integer(high))))

    inner = pool.quant("exists", (x,), pool.conj(between(1, 2)))
    outer = pool.quant("exists", (x,), pool.conj((*between(5, 6), inner)))
    assert evaluate(outer, Structure({})) is True


def test_limits_below_shared_quantifiers_are_found_at_once() -> None:
    """[IR-EVAL-7]: of a formula in which each part is twice in the next one, below other quantifiers."""
    pool = Pool()
    x = pool.var("x", INT)
    inner: Node = pool.app(op.LT, (x, pool.integer(2)))
    for number in range(60):
        both = []
        for name in "yz":
            var = pool.var(f"{name}{number}", INT)
            both.append(pool.quant("exists", (var,), pool.conj((pool.eq(var, pool.integer(0)), inner))))
        inner = pool.conj(both)
    least = pool.app(op.LE, (pool.integer(0), x))
    outer = pool.quant("exists", (x,), pool.conj((least, inner)))
    assert isinstance(outer, Quant)
    assert NumberRanges({}).limits(outer)[x] == [
        NumberLimit(False, pool.integer(2), -1),
        NumberLimit(True, pool.integer(0), 0),
    ]


def test_definitions_bound_numbers() -> None:
    """[IR-EVAL-7]: but not those that have a quantifier in them."""
    policy = {
        "functions": [
            {"name": "most", "domain": [], "range": "Int", "params": [], "body": "2 + 3"},
            {"name": "p", "domain": ["Int"], "range": "Bool"},
        ],
        "knowledge_base": ["ForAll([b: Int], 1 <= b and b <= most() -> p(b))", "not p(6)"],
        "verifications": [{"name": "six", "constraint": "ForAll([b: Int], 0 < b and b < 7 -> p(b))"}],
    }
    report = potlang.verify(potlang.compile(policy))
    assert report.verdict == "refuted"
    assert {each.tier for each in report.results[0].assurances} == {"checked"}
