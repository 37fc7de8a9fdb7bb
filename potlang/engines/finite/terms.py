"""Formulas as functions of the values of variables ([SEARCH-CELLS]).

A variable is a ground term whose value is unknown: a constant, or a function at given arguments.
"""

from __future__ import annotations

import itertools
from typing import Protocol

from potlang.ir.compile import Compiled, FormulaCompiler, NotFinite, check_shape, listed, unknown
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.sorts import BOOL, INT, REAL, BitVecSort, EnumSort, Sort

_UNKNOWN = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)


class CspVariables(Protocol):
    """Numbers for ground terms."""

    def variable(self, symbol: Symbol, args: tuple[object, ...]) -> int:
        """The number of `symbol` at `args`. Raises `NotFinite`."""


def check_depth(formula: Node) -> None:
    """Raises `NotFinite` where a formula is too deep, or has parts of sorts that are not computed."""
    check_shape(formula, _is_known)


def _is_known(sort: Sort) -> bool:
    return sort in (BOOL, INT, REAL) or isinstance(sort, EnumSort | BitVecSort)


class VariableCompiler(FormulaCompiler):
    """Compiles formulas over variables; `most` parts in all, quantifiers written out, before `NotFinite`."""

    def __init__(self, variables: CspVariables, most: int) -> None:
        super().__init__(most)
        self._variables = variables

    def symbol(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        """The variable of `symbol` at values, or the choice among its variables at terms."""
        if symbol.kind not in _UNKNOWN:
            raise NotFinite(f"{symbol.name} is defined")
        if all(arg.compute is None for arg in args):
            return unknown(self._variables.variable(symbol, tuple(arg.value for arg in args)))
        choices = [
            (arg.value,) if arg.compute is None else listed(sort)
            for arg, sort in zip(args, symbol.domain, strict=True)
        ]
        numbers: dict[tuple[object, ...], int] = {}
        for values in itertools.product(*choices):
            self.spend()
            numbers[values] = self._variables.variable(symbol, values)
        functions = [arg.function for arg in args]
        variables = frozenset(numbers.values()).union(*(arg.variables for arg in args))
        if len(functions) == 1:
            (only,) = functions
            return Compiled(lambda values: values[numbers[only(values),]], variables)
        return Compiled(lambda values: values[numbers[tuple([f(values) for f in functions])]], variables)
