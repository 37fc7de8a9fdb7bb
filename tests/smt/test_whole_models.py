"""[MODEL-READ] Texts of whole models, as z3 and cvc5 write them, read as structures."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.formulas import sorts, values_of

from potlang.ir import operators as op
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
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
from potlang.ir.structure import FunctionTable, Structure
from potlang.ir.values import Bits, Element, MapValue, Record
from potlang.smt.encodings import Dialect
from potlang.smt.models import (
    Computed,
    SolverModel,
    UnreadableModel,
    complete,
    read_structure,
    structure_text,
)
from potlang.smt.sexpr import SExpr, read_all, tokenize
from potlang.smt.sort_erasure import DEEPEST, SortErasure
from potlang.smt.symbols import Symbols
from potlang.smt.unmangling import Unmangling

P = DeclaredSort("P")
E = EnumSort("E", ("red", "dark green"))
PAIR = TupleSort("Pair", (("first", INT), ("second", E)))
UNIVERSE = "".join(f"(declare-fun $P!val!{n} () $P)" for n in (4, 0, 2))
REPS = "; cardinality of $P is 3\n" + "".join(f"; rep: (as @$P_{n} $P)\n" for n in range(3))


def p(index: int) -> Element:
    return Element("P", index)


def module(*symbols: Symbol) -> Module:
    return Module(Pool(), (P, E, PAIR), symbols)


def symbol(name: str, range_: Sort, *domain: Sort) -> Symbol:
    return Symbol(name, domain, range_, SymbolKind.FUNCTION if domain else SymbolKind.CONSTANT)


def read(text: str, *symbols: Symbol, dialect: Dialect = "z3") -> SolverModel:
    return read_structure(f"(\n{text})", module(*symbols), dialect)


CONSTANTS: list[tuple[Sort, str, object]] = [
    (BOOL, "true", True),
    (INT, "(- 5)", -5),
    (INT, "12345678901234567890123", 12345678901234567890123),
    (REAL, "2.0", Fraction(2)),
    (REAL, "(- (/ 7.0 2.0))", Fraction(-7, 2)),
    (REAL, "(/ (- 7) 2)", Fraction(-7, 2)),
    (REAL, "3", Fraction(3)),
    (STRING, '"a""\\u{e9} $P!val!9"', 'a"é $P!val!9'),
    (STRING, "(str.++ (seq.unit (_ Char 97)) (as seq.empty String) (seq.unit (_ Char 233)))", "aé"),
    (BitVecSort(8), "#x1f", Bits(31, 8)),
    (BitVecSort(3), "#b101", Bits(5, 3)),
    (BitVecSort(70), "(_ bv9 70)", Bits(9, 70)),
    (E, "$E/dark.20.green", "dark green"),
    (E, "(as $E/red $E)", "red"),
    (P, "$P!val!2", p(1)),
    (PAIR, "($Pair^ 3 $E/red)", Record("Pair", (3, "red"))),
    (SetSort(INT), "((as const (Array Int Bool)) false)", MapValue(False)),
    (
        SetSort(INT),
        "(store (store ((as const (Array Int Bool)) true) 1 false) 1 true)",
        MapValue(True),
    ),
    (
        SetSort(P),
        "(store ((as const (Array $P Bool)) false) $P!val!4 true)",
        MapValue(False, frozenset({(p(2), True)})),
    ),
    (SetSort(INT), "(lambda ((x!1 Int)) (not (= x!1 4)))", MapValue(True, frozenset({(4, False)}))),
    (SetSort(BOOL), "(lambda ((x!1 Bool)) x!1)", MapValue(False, frozenset({(True, True)}))),
    (
        ArraySort(E, INT),
        "(lambda ((x!1 $E)) (ite ((_ is $E/red) x!1) (+ 1 1) 5))",
        MapValue(2, frozenset({("dark green", 5)})),
    ),
    (
        ArraySort(INT, INT),
        "(let ((a!1 (store ((as const (Array Int Int)) 0) 1 7))) (store a!1 2 (select a!1 1)))",
        MapValue(0, frozenset({(1, 7), (2, 7)})),
    ),
    (
        SetSort(P),
        "(lambda ((x $P)) (exists ((y $P)) (and (= y x) (not (= y $P!val!0)))))",
        MapValue(False, frozenset({(p(1), True), (p(2), True)})),
    ),
    (ArraySort(INT, INT), "(_ as-array k!3)", MapValue(0, frozenset({(1, 9)}))),
    (
        SetSort(INT),
        "((_ map or) (store ((as const (Array Int Bool)) false) 1 true) $other)",
        MapValue(False, frozenset({(1, True), (2, True)})),
    ),
    (
        FunctionSort((INT, INT), BOOL),
        "(store ((as const (Array Int (Array Int Bool))) ((as const (Array Int Bool)) false)) 1 "
        "(store ((as const (Array Int Bool)) false) 2 true))",
        MapValue(False, frozenset({((1, 2), True)})),
    ),
    (
        FunctionSort((INT, E), INT),
        "(store ((as const (Array Int (Array $E Int))) ((as const (Array $E Int)) 0)) 1 "
        "((as const (Array $E Int)) 4))",
        MapValue(0, frozenset({((1, "red"), 4), ((1, "dark green"), 4)})),
    ),
    (
        FunctionSort((E,), SetSort(E)),
        "((as const (Array $E (Array $E Bool))) ((as const (Array $E Bool)) true))",
        MapValue(MapValue(True)),
    ),
]
AUXILIARY = (
    "(define-fun k!3 ((x!0 Int)) Int (ite (= x!0 1) 9 0))"
    "(define-fun $other () (Array Int Bool) (store ((as const (Array Int Bool)) false) 2 true))"
)


@pytest.mark.parametrize(("sort", "text", "value"), CONSTANTS)
def test_values_of_constants_are_exact(sort: Sort, text: str, value: object) -> None:
    own, other = symbol("c", sort), symbol("other", SetSort(INT))
    found = read(f"{UNIVERSE}{AUXILIARY}(define-fun $c () {'$E' if sort == E else 'S'} {text})", own, other)
    assert found.unread == {}
    assert found.functions[own] == value
    assert type(found.functions[own]) is type(value)


IS_0, IS_2 = "(= x!0 $P!val!0)", "(= $P!val!2 x!0)"
YES: dict[object, object] = {(p(0),): True}
FUNCTIONS: list[tuple[str, Sort, tuple[Sort, ...], dict[object, object], object]] = [
    ("true", BOOL, (P,), {}, True),
    (IS_0, BOOL, (P,), YES, False),
    (f"(not {IS_0})", BOOL, (P,), {(p(0),): False}, True),
    (f"(or {IS_0} {IS_2})", BOOL, (P,), {(p(0),): True, (p(1),): True}, False),
    (f"(and (not {IS_0}) (not {IS_2}))", BOOL, (P,), {(p(0),): False, (p(1),): False}, True),
    (f"(not (or {IS_0} {IS_2}))", BOOL, (P,), {(p(0),): False, (p(1),): False}, True),
    (f"(ite {IS_0} 5 (ite (or {IS_2} {IS_0}) (- 6) 7))", INT, (P,), {(p(0),): 5, (p(1),): -6}, 7),
    (f"(and {IS_0} (not {IS_2}))", BOOL, (P,), YES, False),
    (f"(and {IS_0} {IS_2})", BOOL, (P,), {}, False),
    (
        f"(ite (and {IS_0} (= x!1 4)) 1.5 (ite (and (= 3 x!1) {IS_2}) 2.5 0.0))",
        REAL,
        (P, INT),
        {(p(0), 4): Fraction(3, 2), (p(1), 3): Fraction(5, 2)},
        Fraction(0),
    ),
    ("(or (not x!0) (= x!0 true))", BOOL, (BOOL,), {}, True),
    ("x!0", P, (P,), {(p(1),): p(1), (p(2),): p(2)}, p(0)),
    ("(let ((a!1 (= x!0 $E/red))) (ite a!1 $P!val!4 $P!val!2))", P, (E,), {("red",): p(2)}, p(1)),
    ("(k!7 (k!8 x!0))", INT, (P,), {(p(1),): 8}, 7),
    (
        "(ite (= (k!8 x!0) $P!val!4) 1 (ite (= (k!8 x!0) $P!val!0) 2 3))",
        INT,
        (P,),
        {(p(1),): 1, (p(0),): 2, (p(2),): 2},
        3,
    ),
    (f"(ite (and {IS_0} (= x!0 (k!8 $P!val!0))) 1 2)", INT, (P,), {(p(0),): 1}, 2),
    (f"(ite (and (= x!0 (k!8 $P!val!0)) {IS_0}) 1 2)", INT, (P,), {(p(0),): 1}, 2),
    ("(exists ((?y.0 $P)) (and (= ?y.0 x!0) (not (= ?y.0 $P!val!0))))", BOOL, (P,), {(p(0),): False}, True),
]
MORE = (
    "(define-fun k!7 ((x!0 $P)) Int (ite (= x!0 $P!val!4) 8 7))"
    "(define-fun k!8 ((x!0 $P)) $P (ite (= x!0 $P!val!2) $P!val!4 $P!val!0))"
)


@pytest.mark.parametrize(("body", "range_", "domain", "entries", "default"), FUNCTIONS)
def test_functions_become_tables(
    body: str, range_: Sort, domain: tuple[Sort, ...], entries: dict[object, object], default: object
) -> None:
    own = symbol("f", range_, *domain)
    params = " ".join(f"(x!{place} {'Int' if sort is INT else '$P'})" for place, sort in enumerate(domain))
    found = read(f"{UNIVERSE}{MORE}(define-fun $f ({params}) S {body})", own)
    assert found.unread == {}
    table = found.functions[own]
    assert isinstance(table, FunctionTable)
    keys = {*table.entries, *entries, *(((p(n),) * len(domain)) for n in range(3) if domain == (P,))}
    for key in keys:
        assert table(*key) == entries.get(key, default)
    if domain[-1] is INT:
        assert table.default == default


def test_a_table_lists_what_differs_from_its_default() -> None:
    own = symbol("f", INT, P)
    found = read(f"{UNIVERSE}(define-fun $f ((x!0 $P)) Int (ite {IS_0} 5 (ite {IS_2} 7 7)))", own)
    assert found.functions[own] == FunctionTable({(p(0),): 5}, 7)


def test_a_function_that_is_no_table_is_computed_where_it_is_asked() -> None:
    double, cut = symbol("double", INT, INT), symbol("cut", BOOL, INT, P)
    found = read(
        f"{UNIVERSE}(define-fun $double ((x!0 Int)) Int (* 2 x!0))"
        "(define-fun k!1 ((x!0 Int)) Int (ite (>= x!0 10) 10 0))"
        "(define-fun $cut ((x!0 Int) (x!1 $P)) Bool (and (= (k!1 x!0) 10) (= x!1 $P!val!2)))",
        double,
        cut,
    )
    twice, above = found.functions[double], found.functions[cut]
    assert isinstance(twice, Computed)
    assert isinstance(above, Computed)
    assert [twice(n) for n in (3, -4, 3)] == [6, -8, 6]
    assert [above(n, p(1)) for n in (9, 10, 11)] == [False, True, True]
    assert not above(11, p(0))
    assert twice.table() == FunctionTable({(3,): 6, (-4,): -8}, 0)


TWO = FunctionSort((INT, INT), BOOL)
NESTED = "(Array Int (Array Int Bool))"


@pytest.mark.parametrize(
    ("params", "body", "domain", "range_", "points"),
    [
        ("(x!0 $Pair)", "(* 2 ($Pair/first x!0))", (PAIR,), INT, {(Record("Pair", (4, "red")),): 8}),
        ("(x!0 $Pair)", "($Pair/second x!0)", (PAIR,), E, {(Record("Pair", (4, "red")),): "red"}),
        (
            f"(x!0 {NESTED})",
            "(select (select x!0 1) 2)",
            (TWO,),
            BOOL,
            {
                (MapValue(False, frozenset({((1, 2), True)})),): True,
                (MapValue(False, frozenset({((2, 1), True)})),): False,
                (MapValue(True),): True,
            },
        ),
        (
            "(x!0 Int)",
            f"(store ((as const {NESTED}) ((as const (Array Int Bool)) false)) x!0 "
            "(store ((as const (Array Int Bool)) false) 7 true))",
            (INT,),
            TWO,
            {(at,): MapValue(False, frozenset({((at, 7), True)})) for at in (0, 3)},
        ),
    ],
)
def test_functions_of_sorts_that_smt_lib_lacks_are_computed_over_the_programs_values(
    params: str, body: str, domain: tuple[Sort, ...], range_: Sort, points: dict[tuple[object, ...], object]
) -> None:
    """A function value is an array of arrays in the text, and has pairs as keys in the structure."""
    own = symbol("f", range_, *domain)
    found = read(f"(define-fun $f ({params}) S {body})", own)
    assert found.unread == {}
    function = found.functions[own]
    assert isinstance(function, Computed)
    assert {args: function(*args) for args in points} == points


def test_a_constant_among_the_keys_of_a_table_is_its_value() -> None:
    """Two keys may be the same: then the first counts, as in the text."""
    n, f, g = symbol("n", INT), symbol("f", INT, INT), symbol("g", INT, INT)
    found = read(
        "(define-fun $n () Int (+ 2 3))"
        "(define-fun $f ((x!0 Int)) Int (ite (= x!0 $n) 1 (ite (= x!0 5) 2 3)))"
        "(define-fun $g ((x!0 Int)) Int (ite (and (= x!0 $n) (= x!0 5)) 1 2))",
        n,
        f,
        g,
    )
    assert found.unread == {}
    of_f, of_g = found.functions[f], found.functions[g]
    assert callable(of_f) and callable(of_g)
    assert [(of_f(at), of_g(at)) for at in (4, 5, 6)] == [(3, 2), (1, 1), (3, 2)]


def nested(inner: SExpr, depth: int, place: int) -> SExpr:
    """An array sort around `inner`, `depth` times, as the index (1) or the element (2)."""
    for _ in range(depth):
        inner = ["Array", inner, "Int"] if place == 1 else ["Array", "Int", inner]
    return inner


def test_sorts_that_solvers_name() -> None:
    """The inverse of what the printer writes, sets as arrays; anything else is refused."""
    known = Unmangling((), (P, E, PAIR))
    printed = Symbols()
    for sort in (BOOL, INT, REAL, STRING, BitVecSort(1), BitVecSort(70), P, E, PAIR, ArraySort(P, E)):
        assert known.sort(read_all(printed.sort(sort))[0]) == sort
    assert known.sort(read_all(printed.sort(SetSort(P)))[0]) == ArraySort(P, BOOL)
    for place in (1, 2):
        known.sort(nested("Int", DEEPEST, place))
        with pytest.raises(UnreadableModel):
            known.sort(nested("Int", DEEPEST + 1, place))
    for width in ("0", "x", "-1", "²", "", "999999999", ["8"]):
        with pytest.raises(UnreadableModel):
            known.sort(["_", "BitVec", width])
    for text in ("$Nobody", "Array", "(Array Int)", "(Array Int Int Int)", "(_ BitVec)", "(_ Bits 8)", "()"):
        with pytest.raises(UnreadableModel):
            known.sort(read_all(text)[0])


def test_members_are_those_of_the_universe_and_those_that_values_name() -> None:
    a, b = symbol("a", P), symbol("b", P)
    listed = read(f"{UNIVERSE}(define-fun $a () $P $P!val!4)", a, b)
    assert listed.universe == {P: 3}
    assert (listed.functions[a], listed.functions[b]) == (p(2), p(0))
    named = read("(define-fun $a () $P $P!val!7)(define-fun $b () $P $P!val!3)", a, b)
    assert named.universe == {P: 2}
    assert (named.functions[a], named.functions[b]) == (p(1), p(0))
    assert read("", a).universe == {P: 1}


def test_members_that_cvc5_lists_in_comments_alone() -> None:
    a, f = symbol("a", P), symbol("f", BOOL, P)
    text = (
        f"{REPS}(define-fun $a () $P (as @$P_1 $P))\n"
        "(define-fun $f (($x1 $P)) Bool (and (not (= (as @$P_0 $P) $x1)) (not (= (as @$P_1 $P) $x1))))"
    )
    found = read(text, a, f, dialect="cvc5")
    assert found.universe == {P: 3}
    assert found.functions[a] == p(1)
    assert found.functions[f] == FunctionTable({(p(0),): False, (p(1),): False}, True)


def test_a_parameter_hides_a_constant_of_the_same_name() -> None:
    x1, f = symbol("x1", P), symbol("f", BOOL, P)
    text = f"{REPS}(define-fun $x1 () $P (as @$P_2 $P))(define-fun $f (($x1 $P)) Bool (= $x1 (as @$P_0 $P)))"
    found = read(text, x1, f, dialect="cvc5")
    assert found.functions == {x1: p(2), f: FunctionTable({(p(0),): True}, False)}


def test_what_is_used_and_not_defined_has_one_meaning_throughout() -> None:
    c, d, f, g = symbol("c", INT), symbol("d", INT), symbol("f", INT, INT), symbol("g", INT, INT)
    found = read("(define-fun $c () Int $d)(define-fun $f ((x!0 Int)) Int (+ ($g x!0) $d))", c, d, f, g)
    assert found.unread == {}
    of_f, of_g = found.functions[f], found.functions[g]
    assert callable(of_f) and callable(of_g)
    assert found.functions[c] == found.functions[d]
    assert [of_f(n) - of_g(n) for n in range(3)] == [found.functions[d]] * 3


def test_what_the_text_does_not_mention_has_some_meaning() -> None:
    known = [
        symbol(f"c{place}", sort)
        for place, sort in enumerate(
            (
                BOOL,
                INT,
                REAL,
                STRING,
                BitVecSort(4),
                E,
                P,
                PAIR,
                SetSort(E),
                ArraySort(INT, P),
                FunctionSort((P,), E),
            )
        )
    ]
    f = symbol("f", SetSort(P), INT, E)
    found = read("", *known, f)
    structure = Structure(found.universe)
    for each in known:
        SortErasure(structure).encode(found.functions[each], each.range)
    assert found.functions[known[0]] is False
    assert found.functions[known[6]] == p(0)
    assert found.functions[known[7]] == Record("Pair", (0, "red"))
    assert found.functions[f] == FunctionTable({}, MapValue(False))


UNREAD = [
    ("$c", "() Real (root-obj (+ (^ x 2) (- 2)) 2)", "an irrational number"),
    ("$c", "() Real (_ real_algebraic_number <1*x^2 + (-2), (1, 2)>)", "an irrational number"),
    ("$c", "() Real 1.4142?", "no literal"),
    ("$c", "() Real $nobody", "means nothing"),
    ("$c", "() Real (sin 1.0)", "an unknown function"),
    ("$c", "() Real true", "where a Real is wanted"),
    ("$c", "() Real (/ 1.0 0.0)", "it divides by zero"),
    ("$c", "() Real (let ((x)) 1.0)", "a malformed let"),
    ("$c", "() Real ()", "an empty list"),
    ("$c", "((x!0 Int)) Real 1.0", "another number of arguments"),
    ("$c", "() Real (select (lambda ((x!0 Int)) (to_real (* x!0 x!0))) 2)", "lambda over an infinite"),
    ("$c", "() Real $d)(define-fun $d () Real (+ 1.0 $c)", "defined by itself"),
]


@pytest.mark.parametrize(("name", "text", "reason"), UNREAD)
def test_what_cannot_be_read_is_listed_and_harms_nothing_else(name: str, text: str, reason: str) -> None:
    c, n = symbol("c", REAL), symbol("n", INT)
    found = read(f"(define-fun {name} {text})(define-fun $n () Int 7)", c, n)
    assert found.functions == {c: Fraction(0), n: 7}
    assert reason in found.unread[c]
    assert n not in found.unread


@pytest.mark.parametrize("text", ["", "sat", "()()", "(", "(define-fun", '(define-fun $a () Int "', "(()))"])
def test_what_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(UnreadableModel):
        read_structure(text, module(), "z3")


SOUND = "".join(
    f"(define-fun $c{place} () S {text})\n" for place, (_, text, _) in enumerate(CONSTANTS)
) + "".join(
    f"(define-fun $f{place} ({' '.join(f'(x!{n} $P)' for n in range(len(row[2])))}) S {row[0]})\n"
    for place, row in enumerate(FUNCTIONS)
)
TOKENS = tokenize(f"(\n{UNIVERSE}{AUXILIARY}{MORE}{SOUND})")
OTHERS = [
    "(",
    ")",
    "",
    "_",
    "as",
    "store",
    "lambda",
    "let",
    "#b",
    "#x",
    '""',
    "1",
    "-",
    "ite",
    "$P!val!99",
    "bv0",
]


@settings(max_examples=60)
@given(st.data())
def test_damaged_texts_are_read_or_refused(data: st.DataObject) -> None:
    """Tokens dropped, doubled, exchanged or replaced: a structure, total and listed, or `UnreadableModel`."""
    tokens = list(TOKENS)
    place = st.integers(0, len(tokens) - 3)
    for _ in range(data.draw(st.integers(1, 6))):
        at, other = data.draw(place), data.draw(place)
        match data.draw(st.integers(0, 2)):
            case 0:
                tokens[at] = data.draw(st.sampled_from(OTHERS))
            case 1:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case _:
                tokens[at] = f"{tokens[at]} {tokens[other]}"
    own = [symbol(f"c{place}", sort) for place, (sort, _, _) in enumerate(CONSTANTS)]
    own += [symbol(f"f{place}", row[1], *row[2]) for place, row in enumerate(FUNCTIONS)]
    try:
        found = read_structure(" ".join(tokens), module(*own), "z3")
    except UnreadableModel:
        return
    assert found.functions.keys() == set(own)
    assert found.unread.keys() <= set(own)
    structure_text(module(*own), found)


def test_long_and_deep_definitions_are_read() -> None:
    """Chains as long as large programs make them, without recursion and in linear time."""
    count = 5_000
    f, g = symbol("f", INT, INT), symbol("g", BOOL, INT)
    chain = "".join(f"(ite (= x!0 {n}) {n + 1} " for n in range(count)) + "0" + ")" * count
    deep = "".join(f"(or (= x!0 {n}) " for n in range(count)) + "false" + ")" * count
    found = read(f"(define-fun $f ((x!0 Int)) Int {chain})(define-fun $g ((x!0 Int)) Bool {deep})", f, g)
    table, other = found.functions[f], found.functions[g]
    assert isinstance(table, FunctionTable)
    assert isinstance(other, FunctionTable)
    assert len(table.entries) == len(other.entries) == count
    assert table(17) == 18
    assert other(17) is True


def test_shared_lets_are_not_written_out() -> None:
    """A value whose text without `let` would have 2 to the 60 characters."""
    n = symbol("n", INT)
    text = "(+ a!60 0)"
    for level in range(60, 0, -1):
        inner = f"a!{level - 1}" if level > 1 else "1"
        text = f"(let ((a!{level} (+ {inner} {inner}))) {text})"
    assert read(f"(define-fun $n () Int {text})", n).functions[n] == 2**60


def test_another_module_completes_a_model() -> None:
    a, f, fresh = symbol("a", P), symbol("f", INT, P), symbol("fresh", P)
    found = read(
        f"{UNIVERSE}(define-fun $a () $P $P!val!4)(define-fun $f ((x!0 $P)) Int (root-obj x 1))", a, f
    )
    whole = complete(found, module(a, f, fresh))
    assert whole.universe == {P: 3}
    assert whole.functions == {a: p(2), f: FunctionTable({}, 0), fresh: p(0)}
    assert isinstance(whole, SolverModel)
    assert [*whole.unread] == [f]


# --- plain values --------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.data())
def test_plain_values_are_the_same_values(data: st.DataObject) -> None:
    structure = Structure({P: 2})
    inner = sorts(P, E, PAIR)
    sort = data.draw(
        st.one_of(
            inner,
            st.builds(
                lambda a, b, c: FunctionSort((a, b), c), *[sorts(P, E, finite=True, nested=False)] * 2, inner
            ),
            st.builds(lambda a: FunctionSort((INT, BOOL), a), sorts(P, nested=False)),
        )
    )
    plain = SortErasure(structure)
    value = data.draw(values_of(sort, structure))
    once = plain.decode(plain.encode(value, sort), sort)
    assert plain.encode(once, sort) == plain.encode(value, sort)
    assert plain.decode(plain.encode(once, sort), sort) == once
    if isinstance(value, MapValue) and isinstance(once, MapValue) and isinstance(sort, SetSort):
        assert {plain.encode(key, sort.element) for key, _ in value.entries} >= {
            plain.encode(key, sort.element) for key, each in once.entries if each is not value.default
        }


# --- cases ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.data())
def test_a_read_function_is_its_body(data: st.DataObject) -> None:
    """Random bodies over two parameters: the table, or the computed function, has the body's values."""
    own = symbol("f", BOOL, P, E)
    body = data.draw(_bodies(3))
    found = read(f"{UNIVERSE}{MORE}(define-fun $f ((x!0 $P) (x!1 $E)) Bool {body})", own)
    other = read(f"{UNIVERSE}{MORE}(define-fun $f ((x!0 $P) (x!1 $E)) Bool (and {body} {_SLOW}))", own)
    pool = Pool()
    x, y = pool.var("x", P), pool.var("y", E)
    for index in range(3):
        for value in E.values:
            env = {x: p(index), y: value}
            node = pool.app(own, (x, y))
            assert evaluate(node, found, env) is evaluate(node, other, env)


_SLOW = "(exists ((z Bool)) (= z (= x!0 x!0)))"
_ATOMS = (
    *("(= x!0 $P!val!0)", "(= $P!val!2 x!0)", "(= x!1 $E/red)", "(= $E/dark.20.green x!1)", "true", "false"),
    *("(= (k!8 x!0) $P!val!4)", "(and (= x!0 $P!val!0) (= x!1 $E/red))", "(= x!0 (k!8 x!0))"),
    *(
        "(and (= (k!8 x!0) $P!val!0) (= x!1 $E/red))",
        "(and (= x!0 $P!val!2) (not (= x!1 $E/red)) (= x!1 x!1))",
    ),
)


def _bodies(depth: int) -> st.SearchStrategy[str]:
    leaf = st.sampled_from(_ATOMS)
    if not depth:
        return leaf
    part = _bodies(depth - 1)
    return st.one_of(
        leaf,
        part.map(lambda a: f"(not {a})"),
        st.tuples(st.sampled_from(["and", "or"]), part, part).map(lambda t: f"({' '.join(t)})"),
        st.tuples(part, part, part).map(lambda t: f"(ite {' '.join(t)})"),
    )


def test_operators_of_models_are_those_of_the_language() -> None:
    """Each row that has one SMT-LIB name is read back under it, and the others by their shape."""
    from potlang.smt.model_terms import _ROWS, _SWAPPED

    special = (op.EQ, op.IFF, op.SUB, op.NEG, op.APPLY, op.MEMBER, op.INSERT, op.INT_TO_BV)
    sets = (op.UNION, op.INTERSECT, op.DIFFERENCE, op.SUBSET)
    assert {row for row in op.OPERATORS.values() if row not in (*special, *sets)} == set(_ROWS.values())
    assert {*_SWAPPED.values()} <= set(_ROWS.values())
