"""Each row of each table of operators broken, one at a time: the quick tests of this folder notice.

Rows get another function (the arguments swapped, the value off by one, that of another row), other sorts,
another name in SMT-LIB, another way to be printed or read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from random import Random
from types import MappingProxyType, ModuleType
from typing import Any

import pytest
from operator_tables import (
    answered_otherwise,
    benches,
    compiled_otherwise,
    evaluated_otherwise,
    folded_otherwise,
    kernel_otherwise,
    lines,
    read_otherwise,
    simplified_otherwise,
    sorted_otherwise,
)

from potlang.certify import evaluate as kernel_evaluation
from potlang.certify import operators as kernel
from potlang.ir import evaluator
from potlang.ir.operators import OPERATORS, Operator
from potlang.ir.values import Bits, MapValue
from potlang.smt import encodings, model_terms

pytestmark = pytest.mark.slow
rows = pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
Break = tuple[str, AbstractContextManager[None]]
"""What is broken, and for how long."""

COMMUTATIVE = frozenset(
    {"and", "or", "iff", "xor", "=", "distinct", "+", "*", "union", "intersect"}
    | {"bvand", "bvor", "bvxor", "bvadd", "bvmul"}
)


@contextmanager
def put(owner: object, name: str, value: object) -> Iterator[None]:
    """`value` as the attribute of a module, or of a row, which is frozen and compared by identity."""
    before = getattr(owner, name)
    change = setattr if isinstance(owner, ModuleType) else object.__setattr__
    change(owner, name, value)
    try:
        yield
    finally:
        change(owner, name, before)


def with_row(owner: object, name: str, key: object, value: object) -> AbstractContextManager[None]:
    """One row of a table replaced, or taken out by None."""
    table: Mapping[Any, Any] = getattr(owner, name)
    changed = {**table, key: value} if value is not None else {k: v for k, v in table.items() if k != key}
    return put(owner, name, MappingProxyType(changed))


def is_noticed(row: Operator) -> bool:
    """Whether one of the quick tests fails, in what it asks of one operator."""
    own = [line for line in lines() if line.operator is row]
    chosen = [bench for bench in benches() if bench.line in own]
    judges = [
        evaluated_otherwise,
        kernel_otherwise,
        folded_otherwise,
        compiled_otherwise,
        simplified_otherwise,
    ]
    asked: list[Callable[[], object]] = [lambda: sorted_otherwise(row)]
    asked += [partial(judge, bench) for judge in judges for bench in chosen]
    asked += [partial(answered_otherwise, own, "z3"), partial(answered_otherwise, own, "cvc5")]
    asked += [partial(read_otherwise, [line]) for line in own]
    return any(map(fails, asked))


def fails(ask: Callable[[], object]) -> bool:
    try:
        return bool(ask())
    except Exception:
        return True


def check_noticed(row: Operator, breaks: Iterator[Break]) -> None:
    assert not is_noticed(row)
    unnoticed = []
    for title, broken in breaks:
        with broken:
            if not is_noticed(row):
                unnoticed.append(title)
    assert not unnoticed


# --- ways to break ----------------------------------------------------------------------------------------


def wrong_functions(function: Callable[..., Any], others: list[Any], name: str) -> Iterator[tuple[str, Any]]:
    """A value off by one, the arguments swapped, another row's function."""
    yield "off", lambda *args: off(function(*args))
    if name not in COMMUTATIVE and OPERATORS[name].most != 1:
        yield "swapped", lambda a, *rest: function(*rest[:1], a, *rest[1:])
    different = [each for each in others if each is not function]
    if different:
        yield "another", Random(name).choice(different)


def off(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case str():
            return value + "a"
        case Bits(number, width):
            return Bits((number + 1) % (1 << width), width)
        case MapValue(default, entries):
            return MapValue(off(default), entries)
        case kernel.TotalMap():
            return kernel.TotalMap(off(value.default), value.entries)
        case kernel.NoValue():
            return 0
    return value + 1


def other_sorts(row: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """A row of the kernel that takes other arguments, or makes another sort of them."""
    least, most, kinds, gives, function = row
    if not kinds:
        # The sorts of these are told one by one: the row has to fit nothing.
        yield "fits", (1, 9, "any", None, function)
        return
    yield "one more", (least + 1, max(most, least + 1), kinds, gives, function)
    yield "one less", (least, least if most > least else most + 1, kinds, gives, function)
    yield "another kind", (least, most, "Set" if "Set" not in kinds else "Array", gives, function)
    wider = " ".join({*kinds.split(), "BitVec", "String"}) if kinds != "any" else "Bool Int"
    yield "more kinds", (least, most, wider, gives, function)
    yield "result", (least, most, kinds, kernel.INT if gives is kernel.BOOL else kernel.BOOL, function)


@rows
def test_broken_rows_of_the_kernel(row: Operator) -> None:
    def breaks() -> Iterator[Break]:
        old = kernel.OPERATORS[row.name]
        same = [each[4] for each in kernel.OPERATORS.values() if each[:4] == old[:4]]
        # The evaluator has functions of its own for the connectives and `ite`.
        own = kernel_evaluation._KLEENE.get(row.name)
        if own is None:
            # `<=` is never computed: its normal form is that of `<`.
            for title, function in () if row.name == "<=" else wrong_functions(old[4], same, row.name):
                yield title, with_row(kernel, "OPERATORS", row.name, (*old[:4], function))
        else:
            yield "off", with_row(kernel_evaluation, "_KLEENE", row.name, lambda given: off(own(given)))
            yield "strict", with_row(kernel_evaluation, "_KLEENE", row.name, strict(own))
            for name, function in kernel_evaluation._KLEENE.items():
                if name != row.name:
                    yield name, with_row(kernel_evaluation, "_KLEENE", row.name, function)
        for title, changed in other_sorts(old):
            yield title, with_row(kernel, "OPERATORS", row.name, changed)

    def strict(function: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
        """Without a value wherever an argument has none; those that are so anyway take a hole for true."""
        holes = kernel.NoValue
        if row.name in ("not", "iff", "xor"):
            return lambda given: function([True if isinstance(each, holes) else each for each in given])
        return lambda given: (
            next((each for each in given if isinstance(each, holes)), None) or function(given)
        )

    check_noticed(row, breaks())


@rows
def test_broken_rows_of_the_ir(row: Operator) -> None:
    def breaks() -> Iterator[Break]:
        same = [
            each.evaluate for each in OPERATORS.values() if (each.least, each.sort) == (row.least, row.sort)
        ]
        for title, function in wrong_functions(row.evaluate, same, row.name):
            yield title, put(row, "evaluate", function)
        yield "least", put(row, "least", row.least + 1)
        yield "most", put(row, "most", row.most + 1 if row.most else 3)
        yield "sort", put(row, "sort", lambda sorts: None)
        rule = row.sort
        yield (
            "result",
            put(row, "sort", lambda sorts: rule(sorts) and (sorts[0] if rule(sorts) != sorts[0] else sorts)),
        )
        unwritten = {*encodings._COMMON, *(encodings._Z3.keys() & encodings._CVC5.keys())}
        if row not in unwritten:
            alike = {
                each.smt for each in OPERATORS.values() if each.sort is row.sort and each not in unwritten
            }
            yield "name", put(row, "smt", min(alike - {row.smt}, default="not"))
        if row in evaluator._LAZY:
            yield "strict", put(evaluator, "_LAZY", evaluator._LAZY - {row})
        for key, value in evaluator._DECIDES.items():
            if key[0] is row:
                yield f"decides {key[1]}", with_row(evaluator, "_DECIDES", key, not value)

    check_noticed(row, breaks())


KNOWN = ("abs", "member", "=")
"""Solvers take more than SMT-LIB has: both the absolute value of a real, z3 the names of set operations.
Membership and equality that are not unfolded are the same over finite sorts.
"""


@pytest.mark.parametrize("name", ["_COMMON", "_Z3", "_CVC5"])
def test_broken_encodings(name: str) -> None:
    """The printer makes its table of three: each row taken out, or another's."""
    table: dict[Operator, Any] = dict(getattr(encodings, name))
    for row, encode in table.items():
        others = [each for each in table.values() if each is not encode]
        for other in others if str(row) in KNOWN or name == "_Z3" else [None, *others]:
            with with_row(encodings, name, row, other):
                assert is_noticed(row), (str(row), other)
    if name == "_CVC5":
        for row, text in encodings._CONNECTIVES.items():
            for other in {*encodings._CONNECTIVES.values()} - {text}:
                with with_row(encodings, "_CONNECTIVES", row, other):
                    assert is_noticed(row), (str(row), other)


@pytest.mark.parametrize("name", ["_ROWS", "_SWAPPED", "_POINTWISE"])
def test_broken_reading(name: str) -> None:
    """Each row of the tables by which models are read taken out, or another's."""
    table: Mapping[str, Any] = getattr(model_terms, name)
    # These are told before the table is asked.
    names = [each for each in table if name != "_ROWS" or each not in ("=", "and", "or", "=>")]
    for each in names:
        known = table[each]
        same = [other for other in table.values() if other is not known]
        for other in (None, Random(each).choice(same)):
            with with_row(model_terms, name, each, other):
                spelled = [
                    line
                    for line in lines()
                    if any(f"{each} " in text or f"{each})" in text for text in line.spellings)
                ]
                assert spelled and fails(lambda spelled=spelled: read_otherwise(spelled)), each


@pytest.mark.parametrize("name", sorted(model_terms._LEFT))
def test_broken_sums_of_three(name: str) -> None:
    with put(model_terms, "_LEFT", model_terms._LEFT - {name}):
        assert fails(lambda: read_otherwise([line for line in lines() if line.operator is None]))
