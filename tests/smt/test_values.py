"""[SMT-VALUE-1], [SMT-VALUE-2], [SMT-VALUE-3]: values as z3 and cvc5 print them, read and shown."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from smt_solvers import run_cvc5, run_z3, values

from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.ir.values import Bits, MapValue, Record
from potlang.smt.value_text import format_value
from potlang.smt.values import Algebraic, Anonymous, Opaque, read_value

PERSON = DeclaredSort("Person")
COLOR = EnumSort("Color", ("red", "dark green"))
PAIR = TupleSort("Pair", (("first", INT), ("second", REAL)))
UNIT = TupleSort("Unit", ())
INTS = SetSort(INT)
OTHER = "(as @$Person_3 $Person)"
HALF = "(lambda ((x!1 Int)) (<= 5 x!1))"

READ: list[tuple[str, Sort, object, str]] = [
    ("true", BOOL, True, "True"),
    ("5", INT, 5, "5"),
    ("(- 5)", INT, -5, "-5"),
    ("2.5", REAL, Fraction(5, 2), "2.5"),
    ("(/ 1.0 3.0)", REAL, Fraction(1, 3), "1/3"),
    ("(/ (- 1) 3)", REAL, Fraction(-1, 3), "-1/3"),
    ("(- (/ 49.0 20.0))", REAL, Fraction(-49, 20), "-2.45"),
    ('"a""\\u{e9}"', STRING, 'a"é', '"a\\"é"'),
    ("#b0101", BitVecSort(4), Bits(5, 4), "#b0101"),
    ("#xff", BitVecSort(8), Bits(255, 8), "#b11111111"),
    ("(_ bv3 8)", BitVecSort(8), Bits(3, 8), "#b00000011"),
    ("$Color/dark.20.green", COLOR, "dark green", "dark green"),
    ("(as $Color/red $Color)", COLOR, "red", "red"),
    ("$Person!val!3", PERSON, Anonymous("Person", "$Person!val!3"), "$Person!val!3"),
    (OTHER, PERSON, Anonymous("Person", OTHER), OTHER),
    ("($Pair^ 1 (/ 1.0 2.0))", PAIR, Record("Pair", (1, Fraction(1, 2))), "Pair(1, 0.5)"),
    ("$Unit^", UNIT, Record("Unit", ()), "Unit()"),
    ("((as const (Array Int Bool)) false)", INTS, MapValue(False), "{}"),
    (
        "(store (store ((as const (Array Int Bool)) false) 10 true) 9 true)",
        INTS,
        MapValue(False, frozenset({(10, True), (9, True)})),
        "{9, 10}",
    ),
    ("(lambda ((x!1 Bool)) x!1)", SetSort(BOOL), MapValue(False, frozenset({(True, True)})), "{True}"),
    (
        "(lambda ((x Bool)) (not x))",
        SetSort(BOOL),
        MapValue(True, frozenset({(True, False)})),
        "all but {True}",
    ),
    ("(lambda ((x!1 Int)) (not (= x!1 4)))", INTS, MapValue(True, frozenset({(4, False)})), "all but {4}"),
    (
        "(lambda ((x Int)) (or (= x 4) (= 5 x)))",
        INTS,
        MapValue(False, frozenset({(4, True), (5, True)})),
        "{4, 5}",
    ),
    (
        "(let ((a!1 ((as const (Array Int Int)) 0))) (store a!1 1 7))",
        ArraySort(INT, INT),
        MapValue(0, frozenset({(1, 7)})),
        "{1: 7, else: 0}",
    ),
    (
        "(lambda ((x!1 Int)) (ite (= x!1 1) 7 (ite (= x!1 2) 8 9)))",
        ArraySort(INT, INT),
        MapValue(9, frozenset({(1, 7), (2, 8)})),
        "{1: 7, 2: 8, else: 9}",
    ),
    (
        "(store ((as const (Array Int (Array Int Bool))) ((as const (Array Int Bool)) false)) 1 "
        "(store ((as const (Array Int Bool)) false) 2 true))",
        FunctionSort((INT, INT), BOOL),
        MapValue(False, frozenset({((1, 2), True)})),
        "{(1, 2): True, else: False}",
    ),
    (
        "((_ map or) (lambda ((x!1 Bool)) x!1) (store ((as const (Array Bool Bool)) false) false true))",
        SetSort(BOOL),
        MapValue(True),
        "all but {}",
    ),
    (
        f"(store ((as const (Array $Person Bool)) false) {OTHER} true)",
        SetSort(PERSON),
        MapValue(False, frozenset({(Anonymous("Person", OTHER), True)})),
        f"{{{OTHER}}}",
    ),
    ("(! 5 :weight 1)", INT, 5, "5"),
    ("(! (- 5) :weight 1)", INT, -5, "-5"),
    ("(_ as-array f)", INTS, Opaque("(_ as-array f)"), "(_ as-array f)"),
    (HALF, INTS, Opaque(HALF), HALF),
]


@pytest.mark.parametrize(("text", "sort", "value", "shown"), READ)
def test_values_are_read_and_shown(text: str, sort: Sort, value: object, shown: str) -> None:
    """[SMT-VALUE-1] [SMT-VALUE-3]"""
    read = read_value(text, sort)
    assert read == value
    assert type(read) is type(value)
    assert format_value(read, sort) == shown


def test_later_stores_win() -> None:
    text = "(store (store ((as const (Array Int Int)) 0) 1 5) 1 6)"
    assert read_value(text, ArraySort(INT, INT)) == MapValue(0, frozenset({(1, 6)}))


def test_a_store_of_the_default_over_another_value_leaves_the_default() -> None:
    text = "(store (store ((as const (Array Int Int)) 0) 1 5) 1 0)"
    assert read_value(text, ArraySort(INT, INT)) == MapValue(0)


@pytest.mark.parametrize("variable", ["x", "²"])
def test_roots_are_approximated(variable: str) -> None:
    """[SMT-VALUE-2]"""
    root = read_value(f"(root-obj (+ (^ {variable} 2) (- 2)) 2)", REAL)
    assert isinstance(root, Algebraic)
    assert root.approximation is not None
    assert abs(root.approximation**2 - 2) < Fraction(1, 10**12)
    assert format_value(root, REAL) == "1.414213562373..."


@pytest.mark.parametrize(("degree", "known"), [(3, True), (64, True), (65, False)])
def test_roots_are_of_polynomials_of_a_bounded_degree(degree: int, known: bool) -> None:
    """[SMT-VALUE-2]"""
    root = read_value(f"(root-obj (+ (^ x {degree}) (- 2)) {2 - degree % 2})", REAL)
    assert isinstance(root, Algebraic)
    assert (root.approximation is not None) is known
    assert not known or abs(float(root.approximation or 0) ** degree - 2) < 1e-9


def test_a_root_that_counts_twice_is_one_root() -> None:
    """[SMT-VALUE-2] x² (x - 1) has the roots 0 and 1."""
    read = [read_value(f"(root-obj (* x x (- x 1)) {place})", REAL) for place in (1, 2, 3)]
    near = [each.approximation for each in read if isinstance(each, Algebraic)]
    assert near[2] is None
    assert [round(float("nan" if each is None else each), 12) for each in near[:2]] == [0, 1]


LINEAR = ("(- x {r})", "(- {r} x)", "(+ x (- {r}))", "(+ (- x) {r})", "(* (- x {r}))", "(- 0 (+ x) (- {r}))")
"""Polynomials whose only root is a numeral."""
MADE = ("(* {0} {1})", "(^ (* {0} {1}) 2)", "(* {0} (* 3 {1}))", "(- (* {0} {1} {0}))", "(+ (* {0} {1}))")
"""Polynomials whose roots are those of two others."""


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=4), st.data())
@settings(max_examples=25)
def test_the_roots_of_a_product_are_those_of_its_factors(roots: list[int], data: st.DataObject) -> None:
    """[SMT-VALUE-2] However it is written; they are numbered from below, each once."""
    text = ""
    for root in roots:
        numeral = f"(- {-root})" if root < 0 else str(root)
        factor = data.draw(st.sampled_from(LINEAR)).format(r=numeral)
        text = data.draw(st.sampled_from(MADE)).format(text, factor) if text else factor
    known = sorted(set(roots))
    for place, root in enumerate(known, 1):
        read = read_value(f"(root-obj {text} {place})", REAL)
        assert isinstance(read, Algebraic)
        assert read.approximation is not None
        assert abs(read.approximation - root) <= Fraction(1, 10**15)
    for place in (0, len(known) + 1):
        assert read_value(f"(root-obj {text} {place})", REAL) == Algebraic(f"(root-obj {text} {place})", None)


def test_a_sign_before_a_root_is_its_sign() -> None:
    """[SMT-VALUE-2]"""
    text = "(root-obj (+ (^ x 2) (- 2)) 2)"
    near = read_value(text, REAL)
    assert isinstance(near, Algebraic)
    assert near.approximation is not None
    assert read_value(f"(- {text})", REAL) == Algebraic(f"(- {text})", -near.approximation)
    assert read_value(f"(- (- {text}))", REAL) == Algebraic(f"(- (- {text}))", near.approximation)


BETWEEN = "(_ real_algebraic_number <{0}, ({1}, {2})>)"


@pytest.mark.parametrize(
    ("polynomial", "low", "high", "root"),
    [
        ("1*x^2 + (-2)", "1", "2", 2**0.5),
        ("1*x^2 + (-2)", "-3/2", "-5/4", -(2**0.5)),
        ("2*x^2 + (-1)", "-3/4", "-1/2", -(0.5**0.5)),
        ("1*x^4 + (-10*x^2) + (-1*x) + 1", "3", "13/4", 3.1960893279311264),
        ("1*x^5 + (-123456789*x) + 17", "-211/2", "-421/4", -105.40925513356493),
    ],
)
def test_a_root_in_an_interval_is_approximated(polynomial: str, low: str, high: str, root: float) -> None:
    """[SMT-VALUE-2] As cvc5 names it."""
    read = read_value(BETWEEN.format(polynomial, low, high), REAL)
    assert isinstance(read, Algebraic)
    assert read.approximation is not None
    assert float(read.approximation) == pytest.approx(root, abs=1e-13)


@pytest.mark.parametrize(
    ("polynomial", "low", "high"),
    [
        ("1*x^2 + (-2)", "2", "3"),
        ("1*x^2 + (-2)", "2", "1"),
        ("1*x^2 + (-2)", "1", "2/0"),
        ("1*x^99 + (-2)", "1", "2"),
        ("1*y^2 + (-2)", "1", "2"),
        ("1*x^2 + +", "1", "2"),
        ("0", "1", "2"),
        (" + ".join(["1*x^2"] * 1_000), "1", "2"),
    ],
)
def test_an_interval_without_one_root_has_no_approximation(polynomial: str, low: str, high: str) -> None:
    read = read_value(BETWEEN.format(polynomial, low, high), REAL)
    assert isinstance(read, Algebraic)
    assert read.approximation is None


NO_ROOTS = [
    "(root-obj (+ (^ x 2) 2) 1)",
    "(root-obj 5 1)",
    "(root-obj (^ x 900) 1)",
    "(root-obj (^ x 2) ²)",
    "(root-obj (^ x ²) 1)",
    "(root-obj (+ (* (^ x 33) (^ x 32)) (- (* (^ x 33) (^ x 32))) x) 1)",
    "(root-obj (/ x 2) 1)",
    "(root-obj (/ x) 1)",
    "(root-obj (+ x x (*)) 1)",
]


@pytest.mark.parametrize(
    "text", [*NO_ROOTS, "(root-obj () 1)", f"(root-obj {'(+ x ' * 5_000}x{')' * 5_000} 1)"]
)
def test_roots_that_make_no_sense_have_no_approximation(text: str) -> None:
    assert read_value(text, REAL) == Algebraic(text, None)


def test_a_chain_of_many_stores_is_read() -> None:
    text = "(store " * 20_000 + "((as const (Array Int Int)) 0)" + "".join(f" {i} 1)" for i in range(20_000))
    table = read_value(text, ArraySort(INT, INT))
    assert isinstance(table, MapValue)
    assert len(table.entries) == 20_000


def test_elements_are_called_as_the_caller_says() -> None:
    value = read_value("(store ((as const (Array $Person Bool)) false) $Person!val!0 true)", SetSort(PERSON))
    assert format_value(value, SetSort(PERSON), lambda element: "alice") == "{alice}"


ROUND: list[tuple[str, Sort, str, object]] = [
    ("Bool", BOOL, "x", True),
    ("Int", INT, "(= x (- 7))", -7),
    ("Real", REAL, "(= x (- (/ 1.0 3.0)))", Fraction(-1, 3)),
    ("Real", REAL, "(= x 4.0)", Fraction(4)),
    ("String", STRING, '(= x "a""\\u{5c}u{41}")', 'a"\\u{41}'),
    ("(_ BitVec 5)", BitVecSort(5), "(= x #b10001)", Bits(17, 5)),
    ("(_ BitVec 8)", BitVecSort(8), "(= x #b10000001)", Bits(129, 8)),
    ("$Color", COLOR, "(= x $Color/dark.20.green)", "dark green"),
    ("$Pair", PAIR, "(= x ($Pair^ 3 (/ 1.0 4.0)))", Record("Pair", (3, Fraction(1, 4)))),
    (
        "(Array Int Bool)",
        INTS,
        "(= x (store ((as const (Array Int Bool)) false) 3 true))",
        MapValue(False, frozenset({(3, True)})),
    ),
    (
        "(Array Int (Array Int Int))",
        FunctionSort((INT, INT), INT),
        "(= x (store ((as const (Array Int (Array Int Int))) ((as const (Array Int Int)) 4)) 1"
        " (store ((as const (Array Int Int)) 4) 2 5)))",
        MapValue(4, frozenset({((1, 2), 5)})),
    ),
]


@pytest.mark.parametrize("run", [run_z3, run_cvc5])
@pytest.mark.parametrize(("text", "sort", "constraint", "value"), ROUND)
def test_solvers_values_are_read(
    text: str, sort: Sort, constraint: str, value: object, run: Callable[[str], str]
) -> None:
    """[SMT-VALUE-1]"""
    script = "(set-logic ALL)(declare-datatypes (($Color 0)) ((($Color/red) ($Color/dark.20.green))))"
    script += "(declare-datatypes (($Pair 0)) ((($Pair^ ($Pair/first Int) ($Pair/second Real)))))"
    script += f"(declare-const x {text})(assert {constraint})(check-sat)(get-value (x))"
    assert read_value(values(run(script))[0], sort) == value


@pytest.mark.parametrize("run", [run_z3, run_cvc5])
def test_solvers_elements_are_told_apart(run: Callable[[str], str]) -> None:
    """[SMT-VALUE-2]"""
    script = "(set-logic ALL)(declare-sort $Person 0)(declare-const x $Person)(declare-const y $Person)"
    script += "(declare-const z $Person)(assert (distinct x y))(assert (= y z))(check-sat)(get-value (x y z))"
    x, y, z = (read_value(value, PERSON) for value in values(run(script)))
    assert isinstance(x, Anonymous)
    assert x != y == z


def test_z3_names_an_irrational_root() -> None:
    script = "(declare-const x Real)(assert (= (* x x) 2.0))(assert (> x 0.0))(check-sat)(get-value (x))"
    assert format_value(read_value(values(run_z3(script))[0], REAL), REAL).startswith("1.41421356")


def test_sorts_of_one_name_in_two_programs_are_kept_apart() -> None:
    """Sorts are equal by name, so nothing may be remembered for a sort beyond one program."""
    other = TupleSort("Pair", (("left", INT), ("right", BOOL)))
    assert read_value("($Pair^ 1 (/ 1.0 2.0))", PAIR) == Record("Pair", (1, Fraction(1, 2)))
    assert read_value("($Pair^ 1 true)", other) == Record("Pair", (1, True))
