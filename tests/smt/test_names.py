"""Mangling is injective, plain and cannot meet a builtin."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import INT, TupleSort
from potlang.smt import names
from potlang.smt.symbols import Symbols

SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_\-+=<>.?/][A-Za-z0-9~!@$%^&*_\-+=<>.?/]*")
ODD = [
    "",
    "_",
    "!",
    "and",
    "assert",
    "true",
    "Int",
    "a|b",
    'a"b',
    "a\nb",
    "é",
    "\U0001f600",
    "\ud800",
    "a.62.b",
]


def demangled(text: str) -> str:
    """The name that `mangle` made `text` from, unless it was shortened."""
    return re.sub(r"\.([0-9a-f]+)\.", lambda match: chr(int(match[1], 16)), text)


@given(st.text(), st.text())
def test_different_names_have_different_texts(a: str, b: str) -> None:
    """[SMT-NAME-1]"""
    assert (names.mangle(a) == names.mangle(b)) == (a == b)


@given(st.text(st.characters(), max_size=20) | st.sampled_from(ODD))
def test_mangling_can_be_undone_and_is_a_simple_symbol(name: str) -> None:
    """[SMT-NAME-1]"""
    assert demangled(names.mangle(name)) == name
    for text in (names.function_name(name), names.fresh_name(name), names.binder_name(name, 3)):
        assert SIMPLE.fullmatch(text)


def test_long_names_are_shortened_and_stay_different() -> None:
    """[SMT-NAME-3]"""
    a, b = ("x" * 9_999 + end for end in "ab")
    assert len(names.mangle(a)) <= names.LONGEST
    assert names.mangle(a) != names.mangle(b)


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_kinds_do_not_clash(a: str, b: str, c: str) -> None:
    """[SMT-NAME-2]"""
    texts = [
        names.function_name(a),
        names.fresh_name(a),
        names.value_name(b, a),
        names.constructor_name(c),
        names.binder_name(a, 0),
    ]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("number", [0, 7, 100_000])
def test_assertion_names_are_read_back(number: int) -> None:
    assert names.assertion_number(names.assertion_name(number)) == number
    for other in ("$a1", "!b1", "!a", "!ax", "!a1x", "!a-1", "!a²", "!a٣"):
        assert names.assertion_number(other) is None


def test_symbols_of_one_name_are_kept_apart() -> None:
    """[SMT-NAME-4]"""
    first, second = (Symbol("f", (), INT, SymbolKind.FRESH) for _ in range(2))
    symbols = Symbols()
    assert symbols.symbol(first) != symbols.symbol(second)


def test_selectors_of_one_field_name_are_kept_apart() -> None:
    sorts = [TupleSort(name, (("first", INT),)) for name in ("P", "Q")]
    selectors = [Symbol("first", (sort,), INT, SymbolKind.SELECTOR) for sort in sorts]
    symbols = Symbols()
    assert [symbols.symbol(s) for s in selectors] == ["$P/first", "$Q/first"]
