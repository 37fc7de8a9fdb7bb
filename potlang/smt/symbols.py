"""The texts of sorts, symbols and literals: what a term is made of."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import cast

from potlang.ir.nodes import Lit, Symbol, SymbolKind
from potlang.ir.sorts import (
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
    TupleSort,
    table_sorts,
)
from potlang.smt import names
from potlang.smt.numerals import bits_text, integer_text, real_text, string_text


class Symbols:
    """Gives each sort and symbol its text, always the same, different for different symbols."""

    def __init__(self, known: Iterable[Symbol] = ()) -> None:
        self._texts: dict[Symbol, str] = {}
        self._owners: dict[str, Symbol] = {}
        self._sorts: dict[Sort, str] = {}
        for symbol in known:
            self.symbol(symbol)

    def symbol(self, symbol: Symbol) -> str:
        """The name of a declared function or constant."""
        text = self._texts.get(symbol)
        if text is None:
            text = self._texts[symbol] = self._unused(symbol, _preferred(symbol))
        return text

    def _unused(self, symbol: Symbol, text: str) -> str:
        candidate, number = text, 2
        # Constructors and selectors are named by their sort alone: one that is equal is the same one.
        while self._owners.setdefault(candidate, symbol) is not symbol:
            if symbol.kind in (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR):
                return text
            candidate, number = f"{text}^{number}", number + 1
        return candidate

    def sort(self, sort: Sort) -> str:
        """The text of a sort. Functions as values are arrays of arrays, sets are arrays to Bool."""
        text = self._sorts.get(sort)
        if text is None:
            text = self._sorts[sort] = _sort_text(sort)
        return text

    def literal(self, lit: Lit) -> str:
        """The text of a literal. Raises `Unsupported` for strings that SMT-LIB cannot write."""
        match lit.sort:
            case BoolSort():
                return "true" if lit.value else "false"
            case IntSort():
                return integer_text(cast(int, lit.value))
            case RealSort():
                return real_text(Fraction(cast(Fraction, lit.value)))
            case StringSort():
                return string_text(cast(str, lit.value))
            case BitVecSort(width):
                return bits_text(cast(int, lit.value), width)
            case EnumSort(name):
                return names.value_name(name, cast(str, lit.value))
            case SetSort():
                return self.constant_array(lit.sort, "false")
            case _:
                raise TypeError(f"{lit.sort} has no literals")

    def constant_array(self, sort: Sort, value: str) -> str:
        """The array of `sort` that is `value` everywhere."""
        return f"((as const {self.sort(sort)}) {value})"


def _preferred(symbol: Symbol) -> str:
    match symbol.kind:
        case SymbolKind.CONSTRUCTOR:
            return names.constructor_name(str(symbol.range))
        case SymbolKind.SELECTOR:
            return names.selector_name(str(symbol.domain[0]), symbol.name)
        case SymbolKind.FRESH:
            return names.fresh_name(symbol.name)
        case _:
            return names.function_name(symbol.name)


def _sort_text(sort: Sort) -> str:
    out: list[str] = []
    stack: list[Sort | str] = [sort]
    while stack:
        item = stack.pop()
        match item:
            case str():
                out.append(item)
            case BoolSort() | IntSort() | RealSort() | StringSort():
                out.append(str(item))
            case BitVecSort(width):
                out.append(f"(_ BitVec {width})")
            case DeclaredSort() | EnumSort() | TupleSort():
                out.append(names.sort_name(item.name))
            case _:
                maps = table_sorts(item)
                assert maps is not None
                indices, element = maps
                stack += [")" * len(indices), element]
                for index in reversed(indices):
                    stack += [" ", index, "(Array "]
    return "".join(out)


def datatype(sort: EnumSort | TupleSort, symbols: Symbols) -> str:
    """The declaration of an enum or tuple sort."""
    if isinstance(sort, EnumSort):
        parts = [f"({names.value_name(sort.name, value)})" for value in sort.values]
    else:
        fields = (f" ({names.selector_name(sort.name, f)} {symbols.sort(s)})" for f, s in sort.fields)
        parts = [f"({names.constructor_name(sort.name)}{''.join(fields)})"]
    return f"(declare-datatypes (({names.sort_name(sort.name)} 0)) (({' '.join(parts)})))"
