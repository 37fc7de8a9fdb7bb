"""Functions of bit vectors that are several operators: each value against z3's and cvc5's own evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import cvc5
import pytest
import z3

import potlang

WIDTHS = (1, 2, 3, 4)


class Function(NamedTuple):
    """A function of one bit vector `a`: as programs and as SMT-LIB write it."""

    text: str
    smt: str
    width: int
    result: int | None
    """The result's width; None for an integer."""


def functions() -> Iterator[Function]:
    """At all small widths, with all that they may be told."""
    for width in WIDTHS:
        for high in range(width):
            for low in range(high + 1):
                smt = f"((_ extract {high} {low}) a)"
                yield Function(f"Extract({high}, {low}, a)", smt, width, high - low + 1)
        for by in (0, 1, width - 1, width, width + 1, 9):
            for name, smt in (("RotateLeft", "rotate_left"), ("RotateRight", "rotate_right")):
                yield Function(f"{name}(a, {by})", f"((_ {smt} {by}) a)", width, width)
        for more in (0, 1, 3):
            yield Function(f"ZeroExt({more}, a)", f"((_ zero_extend {more}) a)", width, width + more)
            yield Function(f"SignExt({more}, a)", f"((_ sign_extend {more}) a)", width, width + more)
        yield Function("BV2Int(a)", "(ubv_to_int a)", width, None)
        yield Function("SBV2Int(a)", "(sbv_to_int a)", width, None)
        for other in WIDTHS:
            number = f"(- (* 3 (sbv_to_int a)) {other})"
            smt = f"((_ int_to_bv {other}) {number})"
            yield Function(f"Int2BV(3 * SBV2Int(a) - {other}, {other})", smt, width, other)


FUNCTIONS = tuple(functions())


@cache
def values(function: Function) -> tuple[int, ...]:
    """Of each argument in turn; both solvers have to agree."""
    texts = [function.smt.replace("a)", f"(_ bv{at} {function.width}))") for at in range(1 << function.width)]
    sort = "Int" if function.result is None else f"(_ BitVec {function.result})"
    script = "".join(f"(declare-const r{n} {sort})(assert (= r{n} {text}))" for n, text in enumerate(texts))
    by_z3 = [z3.simplify(each.arg(1)).as_long() for each in z3.parse_smt2_string(script)]
    if function.result is None:
        by_z3 = [int(each) for each in by_z3]
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setLogic("ALL")
    symbols = cvc5.SymbolManager(manager)
    by_cvc5 = []
    for text in texts:
        parser = cvc5.InputParser(solver, symbols)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "term")
        found = solver.simplify(parser.nextTerm())
        by_cvc5.append(
            int(found.getIntegerValue()) if function.result is None else int(found.getBitVectorValue(10))
        )
    assert by_z3 == by_cvc5, function
    return tuple(by_z3)


def literal(function: Function, value: int) -> str:
    return f"({value})" if function.result is None else f"BitVecVal({value}, {function.result})"


def program(width: int, *, literals: bool, off: int = 0) -> dict[str, object]:
    """A claim for each function of a width: that it has these values, `off` added to each."""
    names = [f"BitVecVal({at}, {width})" if literals else f"b{at}" for at in range(1 << width)]
    claims = []
    for function in FUNCTIONS:
        if function.width == width:
            wrong = [value + off for value in values(function)]
            parts = [
                f"{_at(function.text, name)} == {literal(function, value)}"
                for name, value in zip(names, wrong, strict=True)
            ]
            claims.append({"name": function.text, "constraint": " and ".join(parts)})
    facts = [] if literals else [f"b{at} == BitVecVal({at}, {width})" for at in range(1 << width)]
    constants = {} if literals else {"of": {"sort": f"BitVec({width})", "members": names}}
    return {"constants": constants, "knowledge_base": facts, "verifications": claims}


def _at(text: str, name: str) -> str:
    """The call with another argument than `a`."""
    return text.replace("(a", f"({name}").replace(" a)", f" {name})")


@pytest.mark.parametrize(
    "width", [WIDTHS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in WIDTHS[1:])]
)
@pytest.mark.parametrize("literals", [True, False])
def test_functions_of_bit_vectors_give_what_solvers_say(width: int, literals: bool) -> None:
    """[SORT-BITS-5] [SORT-BITS-6] [SORT-BITS-7] [CERT-FINITE-TERM] And the kernel has checked it."""
    report = potlang.verify(program(width, literals=literals))
    assert {(each.verdict, each.trust) for each in report.results} == {("entailed", "checked")}, str(report)
    report = potlang.verify(program(width, literals=literals, off=1))
    # Of one bit and more 1 added is another value; of an integer always.
    assert {(each.verdict, each.trust) for each in report.results} == {("refuted", "checked")}, str(report)


@pytest.mark.parametrize("route", ["z3", "cvc5"])
def test_what_solvers_are_told_of_these_functions(route: str) -> None:
    """[SORT-BITS-5] [SORT-BITS-6] [SORT-BITS-7] [SMT-BITS]"""
    report = potlang.verify(program(3, literals=False), route=route, trust="solver")
    assert {each.verdict for each in report.results} == {"entailed"}
    report = potlang.verify(program(3, literals=False, off=1), route=route, trust="solver")
    assert {each.verdict for each in report.results} == {"refuted"}


def test_a_rotation_by_a_bit_vector() -> None:
    """[SORT-BITS-6] That of a numeral, for each; the other way round undoes it."""
    steps = [f"RotateLeft(a, BitVecVal({by}, 4)) == RotateLeft(a, {by})" for by in range(16)]
    claims = [
        f"ForAll([a: BitVec(4)], {' and '.join(steps)})",
        "ForAll([a: BitVec(4), n: BitVec(4)], RotateRight(RotateLeft(a, n), n) == a)",
        "ForAll([a: BitVec(4), n: BitVec(4)], RotateLeft(a, n) == a)",
    ]
    report = potlang.verify({"verifications": [{"constraint": each} for each in claims]})
    found = [(each.verdict, each.trust) for each in report.results]
    assert found == [("entailed", "checked"), ("entailed", "checked"), ("refuted", "checked")]
