"""A part of a program as a program of its own: some assumptions, one claim, what they mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Symbol, symbols_in

_FEW = 200
"""So many symbols are read in less time than it takes to see which of them are mentioned."""


def slice_of(
    module: Module, assertions: Sequence[Assertion], claim: Claim | None, *, same_words: bool
) -> Module:
    """The module with these assumptions and this claim, if any, alone.

    Without `same_words` it declares the symbols that they mention; with it, at least these, such that its
    text calls each symbol what the module's does: by its name, or by its place where that is shared.
    """
    symbols = module.symbols
    if not same_words or len(symbols) > _FEW:
        formulas = [*([] if claim is None else [claim.formula]), *(each.formula for each in assertions)]
        formulas += [each.body for each in module.definitions]
        mentioned = frozenset(symbol for formula in formulas for symbol in symbols_in(formula))
        if not same_words or not _have_places(module, mentioned):
            symbols = tuple(each for each in symbols if each in mentioned)
    return replace(
        module,
        symbols=symbols,
        assertions=tuple(assertions),
        claims=() if claim is None else (claim,),
        norms=(),
        optimization=None,
    )


def _have_places(module: Module, symbols: frozenset[Symbol]) -> bool:
    """Whether one of the symbols may share its name with another in the module, as those of records may."""
    count = Counter(each.name for each in module.symbols)
    return any(count[each.name] != 1 for each in symbols)
