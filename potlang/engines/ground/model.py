"""A structure from a model of ground clauses: classes of equal terms are the elements."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from potlang.engines.ground.equality import EqualityClasses
from potlang.engines.ground.table import TermTable, is_plain
from potlang.ir.fold import value_of
from potlang.ir.module import Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import BOOL, INT, REAL, STRING, BitVecSort, DeclaredSort, Sort
from potlang.ir.structure import FunctionTable, Structure, definitions_of
from potlang.ir.values import Bits, Element

_FIXED = (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR, SymbolKind.DEFINED)


def structure_of(module: Module, table: TermTable, classes: EqualityClasses) -> Structure | None:
    """The structure that `classes` describe; None if a sort has values that are not made here."""
    return _ModelReading(module, table, classes).run()


class _ModelReading:
    def __init__(self, module: Module, table: TermTable, classes: EqualityClasses) -> None:
        self.module = module
        self.table = table
        self.classes = classes
        self.values: dict[int, object] = {}
        self.sizes: dict[DeclaredSort, int] = {}

    def run(self) -> Structure | None:
        table = self.table
        if not all(_is_known(sort) for sort in table.by_sort):
            return None
        for sort in self.module.sorts:
            if isinstance(sort, DeclaredSort):
                table.default(sort)
        for known in list(table.by_sort):
            self._name(known)
        functions: dict[Symbol, object] = {}
        entries = self._entries()
        for symbol in self.module.symbols:
            if symbol.kind not in _FIXED and _is_known(symbol.range):
                functions[symbol] = self._meaning(symbol, entries.get(symbol, {}))
        return Structure(self.sizes, functions, definitions_of(self.module))

    def _name(self, sort: Sort) -> None:
        """Give each class of a sort its value."""
        leaders = dict.fromkeys(self.classes.leader(term) for term in self.table.by_sort[sort])
        if isinstance(sort, DeclaredSort):
            self.values.update({leader: Element(sort.name, at) for at, leader in enumerate(leaders)})
            self.sizes[sort] = len(leaders)
            return
        unnamed = []
        for leader in leaders:
            literal = self.classes.literal(leader)
            value = None if literal is None else self.table.value(literal)
            if value is None:
                unnamed.append(leader)
            else:
                self.values[leader] = value_of(value)
        used = set(self.values.values())
        fresh = (value for value in _unused(sort) if value not in used)
        self.values.update(zip(unnamed, fresh, strict=False))

    def _value(self, term: int) -> object:
        return self.values[self.classes.leader(term)]

    def _entries(self) -> dict[Symbol, dict[tuple[object, ...], object]]:
        table = self.table
        found: dict[Symbol, dict[tuple[object, ...], object]] = {}
        for term, head in enumerate(table.heads):
            if isinstance(head, Symbol) and table.sorts[term] is not BOOL:
                args = tuple([self._value(arg) for arg in table.args[term]])
                found.setdefault(head, {})[args] = self._value(term)
        for number in sorted(self.classes.true):
            head, terms = table.atoms[number]
            if isinstance(head, Symbol):
                found.setdefault(head, {})[tuple([self._value(arg) for arg in terms])] = True
        return found

    def _meaning(self, symbol: Symbol, entries: dict[tuple[object, ...], object]) -> object:
        if symbol.range is BOOL:
            default: object = False
        else:
            number = self.table.default(symbol.range)
            if self.classes.leader(number) not in self.values:
                self._name(symbol.range)
            default = self._value(number)
        return FunctionTable(entries, default) if symbol.domain else entries.get((), default)


def _is_known(sort: Sort) -> bool:
    return is_plain(sort) or sort in (INT, REAL, STRING) or isinstance(sort, BitVecSort)


def _unused(sort: Sort) -> Iterator[object]:
    """Values of an infinite or large sort, for terms that have none yet."""
    number = 0
    while not isinstance(sort, BitVecSort) or number >> sort.width == 0:
        number += 1
        if sort is INT:
            yield number
        elif sort is REAL:
            yield Fraction(number)
        elif sort is STRING:
            yield "a" * number
        elif isinstance(sort, BitVecSort):
            yield Bits(number % (1 << sort.width), sort.width)
        else:
            return
