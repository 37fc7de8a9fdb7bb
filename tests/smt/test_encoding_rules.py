"""Small tables for the rules of the encoding that no larger test shows."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable

import pytest
from smt_solvers import run_cvc5, run_z3

import potlang
from potlang.ir import operators as ops
from potlang.ir.bits import of_integer
from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, BitVecSort, DeclaredSort, EnumSort, SetSort, TupleSort
from potlang.smt import names
from potlang.smt.encodings import members
from potlang.smt.numerals import bits_text
from potlang.smt.printer import Printer, script
from potlang.smt.symbols import Symbols

PERSON = DeclaredSort("Person")


def constant(name: str, sort: object) -> Symbol:
    return Symbol(name, (), sort, SymbolKind.CONSTANT)  # type: ignore[arg-type]


def answers(text: str) -> list[str]:
    """The answers of both solvers to the checks of a text."""
    return run_z3(text).split() + run_cvc5(text, incremental="true").split()


def test_characters_beyond_letters_and_digits_are_their_code_points() -> None:
    """[SMT-NAME-1]"""
    texts = {"aZ_9": "aZ_9", "a b": "a.20.b", "a.b": "a.2e.b", "é": ".e9.", "\U0001f600": ".1f600.", "": ""}
    assert {name: names.mangle(name) for name in texts} == texts


def test_the_first_or_last_character_says_what_is_named() -> None:
    """[SMT-NAME-2]"""
    assert [
        names.sort_name("n"),
        names.function_name("n"),
        names.value_name("s", "v"),
        names.selector_name("s", "v"),
        names.constructor_name("s"),
        names.fresh_name("n"),
        names.binder_name("n", 4),
        names.assertion_name(4),
    ] == ["$n", "$n", "$s/v", "$s/v", "$s^", "^$n", "?n.4", "!a4"]


@pytest.mark.parametrize("name", ["x" * 200, "x" * 201, "é" * 51])
def test_a_long_name_keeps_its_start_and_gets_its_digest(name: str) -> None:
    """[SMT-NAME-3]"""
    plain = "".join(c if c.isascii() else f".{ord(c):x}." for c in name)
    short = f"{plain[:120]}~{hashlib.sha256(name.encode()).hexdigest()}"
    assert names.mangle(name) == (plain if len(plain) <= 200 else short)


def test_further_symbols_of_one_name_are_numbered() -> None:
    """[SMT-NAME-4]"""
    symbols = Symbols()
    texts = [symbols.symbol(Symbol("f", (), INT, SymbolKind.FRESH)) for _ in range(3)]
    assert texts == ["^$f", "^$f^2", "^$f^3"]


@pytest.mark.parametrize("text", ["x" * 500, "(assert false)\n" * 40, "é\u2028" * 300, '"\\' * 300])
def test_comments_are_one_line_of_short_json_strings(text: str) -> None:
    """[SMT-NAME-5]"""
    pool = Pool()
    fact = Assertion("k", text, AssertionKind.FACT, pool.true, Origin("/x", text))
    lines = script(Module(pool, assertions=(fact,))).splitlines()
    (line,) = [each for each in lines if each.startswith("; fact")]
    assert line == f'; fact {json.dumps(text[:400])} "/x" {json.dumps(text[:400])}'
    assert line.isascii()


def test_sorts_follow_the_sorts_that_they_use() -> None:
    """[SMT-SORT-1]: in whatever order the program declares them."""
    sorts = [
        {"name": "Outer", "type": "TupleSort", "fields": [{"name": "inner", "sort": "Inner"}]},
        {"name": "Inner", "type": "TupleSort", "fields": [{"name": "who", "sort": "Person"}]},
        {"name": "Person", "type": "DeclareSort"},
    ]
    for order in itertools.permutations(sorts):
        text = script(potlang.compile({"sorts": list(order)}).module)
        declared = re.findall(r"\(declare-(?:sort |datatypes \(\()\$(\w+)", text)
        assert declared == ["Person", "Inner", "Outer"]


@pytest.mark.parametrize(
    ("width", "text"), [(4, "#b0101"), (64, f"#b{5:064b}"), (65, "(_ bv5 65)"), (100, "(_ bv5 100)")]
)
def test_wide_bit_vectors_are_written_by_their_value(width: int, text: str) -> None:
    """[SMT-LIT-2]"""
    assert bits_text(5, width) == text


def test_division_by_zero_is_a_function_of_the_dividend() -> None:
    """[SMT-OP-1]"""
    pool = Pool()
    byte = BitVecSort(8)
    symbols = (constant("x", INT), constant("y", INT), constant("b", byte))
    x, y, b = map(pool.sym, symbols)
    zero = pool.integer(0)

    def quotient(dividend: Node) -> Node:
        return pool.app(ops.INT_DIV, (dividend, zero))

    any_value = pool.eq(quotient(x), pool.integer(7))
    two_values = pool.conj([pool.eq(x, y), pool.negate(pool.eq(quotient(x), quotient(y)))])
    all_ones = pool.eq(pool.app(ops.BV_UDIV, (b, pool.lit(0, byte))), pool.lit(255, byte))
    module = Module(pool, symbols=symbols)
    printer = Printer(module)
    text = f"(set-logic ALL)\n{printer.base()}"
    for formula in (any_value, two_values, pool.negate(all_ones)):
        text += f"(push 1)\n{printer.assertion(formula)}\n(check-sat)\n(pop 1)\n"
    assert answers(text) == ["sat", "unsat", "unsat"] * 2


def test_unions_without_map_are_unfolded_or_written_element_by_element() -> None:
    """[SMT-SET-2]: laws of sets in both dialects are in `test_printer`."""
    pool = Pool()
    color = EnumSort("Color", ("red", "green"))
    a, b = (pool.sym(constant(name, SetSort(color))) for name in "ab")
    union = pool.app(ops.UNION, (a, b))
    e = pool.sym(constant("e", color))
    printer = Printer(Module(pool), "cvc5")
    assert (
        printer.term(pool.app(ops.MEMBER, (e, union))) == "(let ((%e $e)) (or (select $a %e) (select $b %e)))"
    )
    f = Symbol("f", (SetSort(color),), BOOL, SymbolKind.FUNCTION)
    text = printer.term(pool.app(f, (union,)))
    assert text.count("(store ") == 2
    assert all(text.count(f"(select %{s} $Color/{v})") == 1 for s in "ab" for v in color.values)


def test_sets_that_no_operation_made_are_written_as_arrays() -> None:
    """[SMT-SET-2] In dialect cvc5 too: only operations are unfolded, and only equations of sets."""
    pool = Pool()
    e, n = pool.sym(constant("e", INT)), pool.sym(constant("n", INT))
    a, b = (pool.sym(constant(name, SetSort(INT))) for name in "ab")
    f = pool.app(Symbol("f", (INT,), SetSort(INT), SymbolKind.FUNCTION), (n,))
    more = pool.app(ops.INSERT, (n, a))
    texts = {
        pool.app(ops.MEMBER, (e, a)): "(select $a $e)",
        pool.app(ops.MEMBER, (e, f)): "(select ($f $n) $e)",
        pool.app(ops.MEMBER, (e, more)): "(let ((%e $e)) (or (= %e $n) (select $a %e)))",
        pool.eq(a, b): "(= $a $b)",
        pool.eq(a, f): "(= $a ($f $n))",
        pool.eq(a, more): "(forall ((%e Int)) (= (select $a %e) (or (= %e $n) (select $a %e))))",
        pool.eq(e, pool.app(ops.ADD, (n, e))): "(= $e (+ $n $e))",
    }
    printer = Printer(Module(pool), "cvc5")
    assert {term: printer.term(term) for term in texts} == texts


@pytest.mark.parametrize("to", [1, 4, 8, 12])
def test_the_bits_of_the_number_of_a_bit_vector(to: int) -> None:
    """[SMT-BITS] Of one moved right a part, of all others the lowest; Python says the values."""
    functions: dict[ops.Operator, Callable[[int, int], int]] = {
        ops.BV_LSHR: lambda x, by: x >> by,
        ops.BV_SHL: lambda x, by: x << by & 255,
        ops.BV_AND: lambda x, by: x & by,
        ops.BV_ADD: lambda x, by: x + by & 255,
        ops.BV_XOR: lambda x, by: x ^ by,
    }
    pool = Pool()
    byte, result = BitVecSort(8), BitVecSort(to)
    symbols = (constant("x", byte), constant("y", byte))
    x, y = map(pool.sym, symbols)
    printer = Printer(Module(pool, symbols=symbols))
    text = f"(set-logic ALL)\n{printer.base()}"
    wrong = []
    for (op, value), by in itertools.product(functions.items(), (0, 1, 4, 7, 8, 255)):
        for other in (pool.lit(by, byte), y):
            number = pool.app(ops.BV_TO_INT, (pool.app(op, (x, other)),))
            bits = of_integer(pool, number, to)
            for at in (0b1011_0110, 0b0100_1101):
                is_so = pool.eq(bits, pool.lit(value(at, by) % 2**to, result))
                given = [pool.eq(x, pool.lit(at, byte)), pool.eq(y, pool.lit(by, byte))]
                wrong.append(pool.conj([*given, pool.negate(is_so)]))
    text += printer.assertion(pool.disj(wrong))
    assert "int2bv" not in text
    assert answers(f"{text}(check-sat)") == ["unsat", "unsat"]


def test_a_claim_with_find_is_asked_existentially() -> None:
    """[SMT-SCRIPT-1]"""
    pool = Pool()
    p = Symbol("p", (PERSON,), BOOL, SymbolKind.FUNCTION)
    x = pool.var("x", PERSON)
    claim = Claim("c", "who", pool.app(p, (x,)), find=(x,))
    lines = script(Module(pool, (PERSON,), (p,), claims=(claim,))).splitlines()
    asked = "(exists ((?x.0 $Person)) ($p ?x.0))"
    asserted = [line for line in lines if line.startswith("(assert")]
    assert asserted == [f"(assert {asked})", f"(assert (not {asked}))"]


def test_the_members_of_small_sorts_are_listed() -> None:
    """[SMT-SET-2] A union is a store for each element: of at most 64 of them, records too."""
    colour = EnumSort("C", ("red", "blue"))
    pair = TupleSort("T", (("on", BOOL), ("of", colour)))
    assert members(BOOL) == ["false", "true"]
    assert members(pair) == [f"($T^ {on} $C/{of})" for on in ("false", "true") for of in ("red", "blue")]
    assert members(EnumSort("One", ("it",))) == ["$One/it"]
    assert members(BitVecSort(6)) == [f"#b{number:06b}" for number in range(64)]
    assert len(members(EnumSort("D", tuple(map(str, range(64))))) or ()) == 64
    unlisted = [BitVecSort(7), EnumSort("D", tuple(map(str, range(65)))), INT, PERSON, TupleSort("U", ())]
    unlisted += [
        TupleSort("V", (("a", BOOL), ("b", INT))),
        TupleSort("W", (("a", BitVecSort(6)), ("b", BOOL))),
    ]
    assert [members(sort) for sort in unlisted] == [None] * len(unlisted)
