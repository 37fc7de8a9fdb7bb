"""Each row of each table of operations in formulas broken, one at a time: the tables of values notice.

A row gets a function whose value is off by one, whose arguments are swapped, or that of another row, or is
taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from operation_tables import (
    IRRATIONAL,
    NOT_IN_SYMPY,
    NOT_NUMERIC,
    OTHERWISE_IN_SYMPY,
    REFUSED_TO_SYMPY,
    RELATIONS,
    VALUES,
    inexact,
    misencoded,
    misjudged,
    off_in_doubles,
    off_in_sympy,
    operations,
)

from potlang.ir import operators as ops
from potlang.ir.nodes import Node
from potlang.languages.dagmath.lower import encoding, exact, numeric, to_sympy
from potlang.languages.dagmath.lower.syntax import CONNECTIVES, words
from potlang.languages.dagmath.lower.syntax import RELATIONS as RELATIONS_BETWEEN
from potlang.languages.dagmath.solve.budget import Budget
from potlang.languages.dagmath.solve.theory import StepTheory
from potlang.report.results import Limits

Judge = Callable[[list[Any]], list[str]]
COMMUTATIVE = frozenset(("+", "*", "gcd", "lcm", "max", "min", "=", "!=", "congruent"))
ONE_ARGUMENT = words(
    "neg % sqrt abs floor ceil ! exp ln sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan"
)


def with_operation(op: str, near: frozenset[str] = frozenset()) -> list[str]:
    """The rows of values that have an operation, and none of some others."""
    return [
        each for each in {**VALUES, **IRRATIONAL} if op in operations(each) and not operations(each) & near
    ]


def relations_of(op: str) -> list[tuple[str, int | Fraction, bool]]:
    return [row for row in RELATIONS if op in operations(row[0])]


def fails(judge: Judge, rows: list[Any]) -> bool:
    try:
        return bool(judge(rows))
    except Exception:
        return True


def check(
    table: Any, name: str, op: str, judge: Judge, rows: list[Any], broken: Iterator[tuple[str, Any]]
) -> None:
    """Every way to break one row makes the judge find one of these rows, of which none is wrong before."""
    assert rows and not judge(rows), op
    for title, row in broken:
        known: Mapping[str, Any] = getattr(table, name)
        with patch.object(table, name, {**known, op: row}):
            assert fails(judge, rows), (op, title)


def wrong_functions(table: Mapping[str, Any], op: str) -> Iterator[tuple[str, Any]]:
    function = table[op]
    yield "off", lambda *args: off(function(*args))
    if op not in COMMUTATIVE | ONE_ARGUMENT:
        yield "swapped", lambda a, b, *rest: function(b, a, *rest)
    others = [
        key for key, each in sorted(table.items()) if each is not function and key not in ("/", "ratio")
    ]
    yield "another", table[Random(op).choice([key for key in others if key != op])]


def off(value: Any) -> Any:
    return not value if isinstance(value, bool) else value + 1


@pytest.mark.parametrize("op", exact._FUNCTIONS)
def test_broken_functions(op: str) -> None:
    rows = [each for each in VALUES if op in operations(each)]
    check(exact, "_FUNCTIONS", op, inexact, rows, wrong_functions(exact._FUNCTIONS, op))


@pytest.mark.parametrize("op", exact._TRUTHS)
def test_broken_relations(op: str) -> None:
    check(exact, "_TRUTHS", op, misjudged, relations_of(op), wrong_functions(exact._TRUTHS, op))


@pytest.mark.parametrize("op", numeric._FUNCTIONS)
def test_broken_functions_in_doubles(op: str) -> None:
    rows = [each for each in with_operation(op, NOT_NUMERIC) if each != "(-8)^{1/3}"]
    check(numeric, "_FUNCTIONS", op, off_in_doubles, rows, wrong_functions(numeric._FUNCTIONS, op))


IN_SYMPY = [op for op in to_sympy.SYMPY_NAMES if op not in (*RELATIONS_BETWEEN, *CONNECTIVES, "log")]


def sympy_rows(op: str) -> list[str]:
    """The rows of values with an operation that SymPy is given; the base of `log` is nobody's."""
    return [
        each for each in with_operation(op, NOT_IN_SYMPY) if each not in OTHERWISE_IN_SYMPY | REFUSED_TO_SYMPY
    ]


@pytest.mark.parametrize("op", IN_SYMPY)
def test_broken_names_in_sympy(op: str) -> None:
    names = to_sympy.SYMPY_NAMES

    def broken() -> Iterator[tuple[str, Any]]:
        yield "none", "NoFunction"
        yield "another", Random(op).choice(sorted({*names.values()} - {names[op]}))

    check(to_sympy, "SYMPY_NAMES", op, off_in_sympy, sympy_rows(op), broken())


@pytest.mark.parametrize("op", to_sympy._MADE)
def test_broken_rows_in_sympy(op: str) -> None:
    made: Mapping[str, Any] = to_sympy._MADE

    def broken() -> Iterator[tuple[str, Any]]:
        yield "off", lambda sympy, *args: made[op](sympy, *args) + 1
        if op not in ONE_ARGUMENT:
            yield "swapped", lambda sympy, a, b: made[op](sympy, b, a)

    check(to_sympy, "_MADE", op, off_in_sympy, sympy_rows(op), broken())


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("name", "op"), [(name, op) for name in ("_SIMPLE", "_MADE") for op in getattr(encoding, name)]
)
def test_broken_rows_of_the_encoder(name: str, op: str) -> None:
    """Each row of the encoder's tables exchanged for the others, and off by one."""
    table: Mapping[str, Any] = getattr(encoding, name)
    rows = [row for row in relations_of(op) if not operations(row[0]) & {"!", "binom"}]

    def judge(rows: list[Any]) -> list[str]:
        # A session of its own: the encoder remembers what it made.
        limits = Limits(check_ms=5_000, total_ms=600_000)
        with StepTheory(frozenset("n"), limits, "solver", None, Budget(10_000, limits)) as theory:
            return misencoded(theory, rows)

    def broken() -> Iterator[tuple[str, Any]]:
        if name == "_MADE":
            yield "off", lambda self, args: plus_one(self, table[op](self, args))
        yield "another", Random(op).choice([table[key] for key in sorted(table) if key != op])

    check(encoding, name, op, judge, rows, broken())


def plus_one(encoder: encoding.Encoder, node: Node) -> Node:
    return encoder.pool.app(ops.ADD, tuple(encoder._alike([node, encoder.pool.integer(1)])))
