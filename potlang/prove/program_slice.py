"""A part of a program as a program of its own: some assumptions, one claim, what they mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import symbols_in


def slice_of(
    module: Module, assertions: Sequence[Assertion], claim: Claim | None, *, every_symbol: bool
) -> Module:
    """The module with these assumptions and this claim, if any, alone.

    With `every_symbol` it declares what the module does, so that its text calls every symbol the same.
    """
    symbols = module.symbols
    if not every_symbol:
        formulas = [*([] if claim is None else [claim.formula]), *(each.formula for each in assertions)]
        formulas += [each.body for each in module.definitions]
        mentioned = frozenset(symbol for formula in formulas for symbol in symbols_in(formula))
        symbols = tuple(each for each in symbols if each in mentioned)
    return replace(
        module,
        symbols=symbols,
        assertions=tuple(assertions),
        claims=() if claim is None else (claim,),
        norms=(),
        optimization=None,
    )
