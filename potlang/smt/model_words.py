"""What names in a model mean: the inverse of what the printer made of one module's names, never a guess."""

from __future__ import annotations

import re
from collections.abc import Iterable

from potlang.ir.module import Module
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
from potlang.ir.structure import Structure
from potlang.smt import names
from potlang.smt.plain import DEEPEST, Plain, Unreadable
from potlang.smt.sexpr import SExpr, write
from potlang.smt.symbols import Symbols

_Z3_ELEMENT = re.compile(r"(\$[^!]*)!val!([0-9]{1,18})")
_CVC5_ELEMENT = re.compile(r"@(\$.*)_([0-9]{1,18})")


class Words:
    """The names of one module's sorts, values, constructors, selectors and symbols, over plain sorts."""

    def __init__(self, module: Module) -> None:
        self._plain = Plain(Structure())
        known = (*module.symbols, *(definition.symbol for definition in module.definitions))
        printed = Symbols(known)
        self.symbols = {printed.symbol(symbol): symbol for symbol in known}
        self.sorts: dict[str, Sort] = {"Bool": BOOL, "Int": INT, "Real": REAL, "String": STRING}
        self.values: dict[str, tuple[str, EnumSort]] = {}
        self.constructors: dict[str, Symbol] = {}
        self.selectors: dict[str, Symbol] = {}
        for sort in module.sorts:
            self.sorts[names.sort_name(sort.name)] = sort
            if isinstance(sort, EnumSort):
                for value in sort.values:
                    self.values[names.value_name(sort.name, value)] = value, sort
            elif isinstance(sort, TupleSort):
                self._add_tuple(sort)

    def _add_tuple(self, sort: TupleSort) -> None:
        try:
            plain = self._plain.sort(sort)
        except Unreadable:
            return
        assert isinstance(plain, TupleSort)
        parts = tuple(part for _, part in plain.fields)
        constructor = Symbol(sort.name, parts, plain, SymbolKind.CONSTRUCTOR)
        self.constructors[names.constructor_name(sort.name)] = constructor
        for field, part in plain.fields:
            selector = Symbol(field, (plain,), part, SymbolKind.SELECTOR)
            self.selectors[names.selector_name(sort.name, field)] = selector

    def sort(self, expression: SExpr, depth: int = DEEPEST) -> Sort:
        """The plain sort that a text names. Raises `Unreadable`."""
        match expression:
            case str() if expression in self.sorts:
                return self._plain.sort(self.sorts[expression])
            case ["_", "BitVec", str(width)] if width.isdecimal() and len(width) < 9 and int(width):
                return BitVecSort(int(width))
            case ["Array", index, element] if depth:
                return ArraySort(self.sort(index, depth - 1), self.sort(element, depth - 1))
            case _:
                raise Unreadable(f"an unknown sort: {write(expression)[:80]}")

    def elements(self, tokens: Iterable[str]) -> dict[str, tuple[DeclaredSort, int]]:
        """The members of declared sorts that the tokens of a model name, numbered from 0 in each sort."""
        numbers: dict[DeclaredSort, dict[int, str]] = {}
        for token in tokens:
            match = _Z3_ELEMENT.fullmatch(token) or _CVC5_ELEMENT.fullmatch(token)
            sort = self.sorts.get(match[1]) if match else None
            if match and isinstance(sort, DeclaredSort):
                numbers.setdefault(sort, {})[int(match[2])] = token
        return {
            found[number]: (sort, place)
            for sort, found in numbers.items()
            for place, number in enumerate(sorted(found))
        }
