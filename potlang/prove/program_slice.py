"""A part of a program as a program of its own: some assumptions, one claim, what they mention."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import App, Node, Sym, Symbol, reachable


def slice_of(
    module: Module, assertions: Sequence[Assertion], claim: Claim | None, *, every_symbol: bool
) -> Module:
    """The module with these assumptions and this claim, if any, alone.

    With `every_symbol` it declares what the module does, so that its text calls every symbol the same.
    """
    kept = None if every_symbol else frozenset(_mentioned(module, assertions, claim))
    return replace(
        module,
        symbols=tuple(each for each in module.symbols if kept is None or each in kept),
        assertions=tuple(assertions),
        claims=() if claim is None else (claim,),
        norms=(),
        optimization=None,
    )


def _mentioned(module: Module, assertions: Sequence[Assertion], claim: Claim | None) -> Iterable[Symbol]:
    formulas: list[Node] = [] if claim is None else [claim.formula]
    formulas += [each.formula for each in assertions]
    formulas += [each.body for each in module.definitions]
    for node in reachable(*formulas):
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        if isinstance(symbol, Symbol):
            yield symbol
