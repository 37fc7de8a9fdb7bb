"""All structures of a small signature, for brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from potlang.ir.module import Module
from potlang.ir.nodes import Symbol
from potlang.ir.sorts import DeclaredSort, Sort
from potlang.ir.structure import (
    FunctionTable,
    NotEvaluable,
    Structure,
    cardinality,
    definitions_of,
    free_symbols,
    members,
)


def count_structures(module: Module, universe: Mapping[DeclaredSort, int]) -> int:
    """How many structures `structures` yields. Raises `NotEvaluable` if a sort is infinite or large."""
    empty = Structure(universe)
    total = 1
    for symbol in free_symbols(module):
        arguments = 1
        for sort in symbol.domain:
            arguments *= _size(sort, empty)
        total *= _size(symbol.range, empty) ** arguments
    return total


def _size(sort: Sort, structure: Structure) -> int:
    size = cardinality(sort, structure)
    if size is None:
        raise NotEvaluable("a sort is infinite, too large, or has no size")
    return size


def structures(
    module: Module, universe: Mapping[DeclaredSort, int], most: int = 100_000
) -> Iterator[Structure]:
    """All structures over `universe`, isomorphic ones included.

    Raises `NotEvaluable` at once if there are more than `most`, or a sort is infinite or large.
    """
    if count_structures(module, universe) > most:
        raise NotEvaluable(f"there are more than {most} structures")
    return _structures(module, universe)


def _structures(module: Module, universe: Mapping[DeclaredSort, int]) -> Iterator[Structure]:
    empty = Structure(universe)
    symbols = free_symbols(module)
    definitions = definitions_of(module)
    choices = [_meanings(symbol, empty) for symbol in symbols]
    for chosen in itertools.product(*choices):
        yield Structure(universe, dict(zip(symbols, chosen, strict=True)), definitions)


def _meanings(symbol: Symbol, structure: Structure) -> list[object]:
    values = members(symbol.range, structure)
    if not symbol.domain:
        return values
    keys = list(itertools.product(*(members(sort, structure) for sort in symbol.domain)))
    return [
        FunctionTable(dict(zip(keys, chosen, strict=True)))
        for chosen in itertools.product(values, repeat=len(keys))
    ]
