"""A part of a program as a program of its own calls its symbols what the whole does."""

from __future__ import annotations

import itertools

import pytest

from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL
from potlang.ir.text import print_module
from potlang.prove import program_slice
from potlang.prove.program_slice import slice_of


@pytest.mark.parametrize("names", ["pqr", "ppq", "qpp"])
def test_slices_call_symbols_what_the_module_does(names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[CERT-TERM] Also where a symbol that is left out has the name of one that is not."""
    monkeypatch.setattr(program_slice, "_FEW", 0)
    pool = Pool()
    symbols = tuple(Symbol(name, (), BOOL, SymbolKind.CONSTANT) for name in names)
    facts = tuple(
        Assertion(f"f{at}", "", AssertionKind.FACT, pool.sym(each)) for at, each in enumerate(symbols)
    )
    facts += tuple(
        Assertion(f"g{a.name}{b.name}{at}", "", AssertionKind.FACT, pool.conj([pool.sym(a), pool.sym(b)]))
        for at, (a, b) in enumerate(itertools.combinations(symbols, 2))
    )
    module = Module(pool, (), symbols, (), facts, ())
    whole = print_module(module, origins=False).splitlines()
    for fact in facts:
        lines = print_module(slice_of(module, [fact], None, same_words=True), origins=False).splitlines()
        (said,) = [line for line in lines if line.startswith("(assert")]
        assert said in whole
    assert slice_of(module, facts[:1], None, same_words=False).symbols == symbols[:1]


def test_symbols_with_names_of_their_own_are_left_out() -> None:
    """[CERT-TERM] Thousands of constants that a small part does not mention are not read again."""
    pool = Pool()
    symbols = tuple(Symbol(f"p{at}", (), BOOL, SymbolKind.CONSTANT) for at in range(1_000))
    fact = Assertion("f0", "", AssertionKind.FACT, pool.sym(symbols[1]))
    module = Module(pool, (), symbols, (), (fact,), ())
    assert slice_of(module, [fact], None, same_words=True).symbols == symbols[1:2]
