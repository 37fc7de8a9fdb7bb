"""The inverse of the printer's names (`names`): what a name in a solver's text stands for, never a guess."""

from __future__ import annotations

import re
from collections.abc import Iterable

from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    Sort,
    TupleSort,
)
from potlang.smt import names
from potlang.smt.sexpr import SExpr, write
from potlang.smt.sort_erasure import DEEPEST, SortErasure, UnreadableModel
from potlang.smt.symbols import Symbols

_Z3_ELEMENT = re.compile(r"(\$[^!]*)!val!([0-9]{1,18})")
_CVC5_ELEMENT = re.compile(r"@(\$.*)_([0-9]{1,18})")


class Unmangling:
    """The names of sorts, enum values, constructors, selectors and symbols, over erased sorts."""

    def __init__(self, symbols: Iterable[Symbol], sorts: Iterable[Sort]) -> None:
        self._erasure = SortErasure()
        known = tuple(symbols)
        printed = Symbols(known)
        self.symbols = {printed.symbol(symbol): symbol for symbol in known}
        self.sorts: dict[str, Sort] = {"Bool": BOOL, "Int": INT, "Real": REAL, "String": STRING}
        self.values: dict[str, tuple[str, EnumSort]] = {}
        self.constructors: dict[str, Symbol] = {}
        self.selectors: dict[str, Symbol] = {}
        for sort in sorts:
            if isinstance(sort, DeclaredSort | EnumSort | TupleSort):
                self.sorts[names.sort_name(sort.name)] = sort
            if isinstance(sort, EnumSort):
                for value in sort.values:
                    self.values[names.value_name(sort.name, value)] = value, sort
            elif isinstance(sort, TupleSort):
                self._add_tuple(sort)

    def _add_tuple(self, sort: TupleSort) -> None:
        try:
            erased = self._erasure.erase(sort)
        except UnreadableModel:
            return
        assert isinstance(erased, TupleSort)
        parts = tuple(part for _, part in erased.fields)
        constructor = Symbol(sort.name, parts, erased, SymbolKind.CONSTRUCTOR)
        self.constructors[names.constructor_name(sort.name)] = constructor
        for field, part in erased.fields:
            selector = Symbol(field, (erased,), part, SymbolKind.SELECTOR)
            self.selectors[names.selector_name(sort.name, field)] = selector

    def sort(self, expression: SExpr, depth: int = DEEPEST) -> Sort:
        """The erased sort that a text names. Raises `UnreadableModel`."""
        match expression:
            case str() if expression in self.sorts:
                return self._erasure.erase(self.sorts[expression])
            case ["_", "BitVec", str(width)] if width.isdecimal() and len(width) < 9 and int(width):
                return BitVecSort(int(width))
            case ["Array", index, element] if depth:
                return ArraySort(self.sort(index, depth - 1), self.sort(element, depth - 1))
            case _:
                raise UnreadableModel(f"an unknown sort: {write(expression)[:80]}")

    def elements(self, tokens: Iterable[str]) -> dict[str, tuple[DeclaredSort, int]]:
        """The members of declared sorts that the tokens name, numbered from 0 in each sort."""
        numbers: dict[DeclaredSort, dict[int, str]] = {}
        for token in tokens:
            match = _Z3_ELEMENT.fullmatch(token) or _CVC5_ELEMENT.fullmatch(token)
            sort = self.sorts.get(match[1]) if match else None
            if match and isinstance(sort, DeclaredSort):
                numbers.setdefault(sort, {})[int(match[2])] = token
        # Solvers' numbers have gaps, universes have none.
        return {
            found[number]: (sort, place)
            for sort, found in numbers.items()
            for place, number in enumerate(sorted(found))
        }
