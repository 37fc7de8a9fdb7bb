"""Sorts and values as SMT-LIB has them: sets and functions are arrays, functions of functions.

What solvers print is read over plain sorts. `decode` makes a value of the program's sort of it,
`encode` is the inverse; both give tables in canonical form.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from math import prod
from typing import Any

from potlang.ir.sorts import (
    BOOL,
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
    TupleSort,
)
from potlang.ir.structure import MOST_MEMBERS, Structure, canonical, cardinality, members
from potlang.ir.values import Bits, Element, Record, Table

DEEPEST = 64
"""Sorts nested deeper are not read."""


class Unreadable(ValueError):
    """A text is no model, or says something for which there is no value."""


class Plain:
    """The plain forms of the sorts of one module, and of values over them in one structure."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self._sorts: dict[Sort, Sort] = {}

    def sort(self, sort: Sort, depth: int = DEEPEST) -> Sort:
        """The plain form of a sort. Raises `Unreadable` if it is nested too deep."""
        if sort not in self._sorts:
            self._sorts[sort] = self._sort(sort, depth)
        return self._sorts[sort]

    def _sort(self, sort: Sort, depth: int) -> Sort:
        if not depth:
            raise Unreadable("a sort is nested too deep")
        match sort:
            case SetSort(element):
                return ArraySort(self.sort(element, depth - 1), BOOL)
            case ArraySort(index, element):
                return ArraySort(self.sort(index, depth - 1), self.sort(element, depth - 1))
            case FunctionSort(domain, range_):
                result = self.sort(range_, depth - 1)
                for argument in reversed(domain):
                    result = ArraySort(self.sort(argument, depth - 1), result)
                return result
            case TupleSort(name, fields):
                return TupleSort(name, tuple((field, self.sort(part, depth - 1)) for field, part in fields))
            case _:
                return sort

    def decode(self, value: object, sort: Sort) -> object:
        """The value of `sort` that a plain value is. Raises `Unreadable` for functions beyond tables."""
        match value, sort:
            case Record(), TupleSort(name, fields):
                pairs = zip(value.fields, fields, strict=True)
                return Record(name, tuple(self.decode(each, part) for each, (_, part) in pairs))
            case Table(), SetSort(element):
                return self._table(value, element, BOOL, sort)
            case Table(), ArraySort(index, element):
                return self._table(value, index, element, sort)
            case Table(), FunctionSort():
                return self._joined(value, sort)
            case _:
                return value

    def _table(self, table: Table, index: Sort, element: Sort, sort: Sort) -> object:
        default = self.decode(table.default, element)
        entries = {self.decode(key, index): self.decode(value, element) for key, value in table.entries}
        return canonical(made(default, entries), sort, self.structure)

    def _joined(self, table: Table, sort: FunctionSort) -> object:
        """Tables of tables as one table from tuples of arguments."""
        keys = self._keys(sort.domain)
        if keys is None:
            default, pairs = self._flat(table, [self.sort(part) for part in sort.domain])
            found = {
                tuple(self.decode(part, at) for part, at in zip(key, sort.domain, strict=True)): value
                for key, value in pairs.items()
            }
        else:
            found = {key: _nested(table, self._encoded(key, sort.domain)) for key in keys}
            default = next(iter(found.values()), None)
        decoded = {key: self.decode(value, sort.range) for key, value in found.items()}
        return canonical(made(self.decode(default, sort.range), decoded), sort, self.structure)

    def _flat(self, table: Table, indices: list[Sort]) -> tuple[object, dict[tuple[object, ...], object]]:
        """Default and entries of tables of tables: an index that is not finite has a row of the default."""
        default: object = table
        for _ in indices:
            assert isinstance(default, Table)
            default = default.default
        rows: dict[tuple[object, ...], object] = {(): table}
        for index in indices:
            deeper: dict[tuple[object, ...], object] = {}
            for key, row in rows.items():
                assert isinstance(row, Table)
                for part, value in self._row(row, index, default):
                    deeper[(*key, part)] = value
            if len(deeper) > MOST_MEMBERS:
                raise Unreadable("a function value is too large")
            rows = deeper
        return default, rows

    def _row(self, row: Table, index: Sort, default: object) -> list[tuple[object, object]]:
        """The entries of a row, those of its default included if that is another."""
        if _is_constant(row.default, default):
            return list(row.entries)
        if cardinality(index, self.structure) is None:
            raise Unreadable("a function value is no table of few entries")
        known = dict(row.entries)
        return [(key, known.get(key, row.default)) for key in members(index, self.structure)]

    def _keys(self, domain: tuple[Sort, ...]) -> list[tuple[object, ...]] | None:
        sizes = [cardinality(part, self.structure) for part in domain]
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes) or prod(known) > MOST_MEMBERS:
            return None
        return list(itertools.product(*(members(part, self.structure) for part in domain)))

    def _encoded(self, key: tuple[object, ...], domain: tuple[Sort, ...]) -> tuple[object, ...]:
        return tuple(self.encode(part, sort) for part, sort in zip(key, domain, strict=True))

    def encode(self, value: object, sort: Sort) -> object:
        """The plain value that a value of `sort` is."""
        match value, sort:
            case Record(), TupleSort(name, fields):
                pairs = zip(value.fields, fields, strict=True)
                return Record(name, tuple(self.encode(each, part) for each, (_, part) in pairs))
            case Table(), SetSort(element):
                return self._array(value, element, BOOL, sort)
            case Table(), ArraySort(index, element):
                return self._array(value, index, element, sort)
            case Table(), FunctionSort(domain, range_):
                pairs_ = {self._encoded(key, domain): each for key, each in _items(value)}
                encoded = {key: self.encode(each, range_) for key, each in pairs_.items()}
                return self._rows(self.encode(value.default, range_), encoded, self.sort(sort), len(domain))
            case _:
                return value

    def _array(self, table: Table, index: Sort, element: Sort, sort: Sort) -> object:
        entries = {self.encode(key, index): self.encode(value, element) for key, value in table.entries}
        return canonical(made(self.encode(table.default, element), entries), self.sort(sort), self.structure)

    def _rows(
        self, default: object, entries: dict[tuple[object, ...], object], sort: Sort, width: int
    ) -> object:
        """A table from tuples as tables of tables of `sort`, the innermost made first."""
        sorts: list[ArraySort] = []
        for _ in range(width):
            assert isinstance(sort, ArraySort)
            sorts.append(sort)
            sort = sort.element
        for array in reversed(sorts):
            grouped: dict[tuple[object, ...], dict[object, object]] = {}
            for key, value in entries.items():
                grouped.setdefault(key[:-1], {})[key[-1]] = value
            entries = {
                key: canonical(made(default, row), array, self.structure) for key, row in grouped.items()
            }
            default = canonical(Table(default), array, self.structure)
        return entries.get((), default)


def made(default: object, entries: Mapping[Any, object]) -> Table:
    """The table with these entries, those of the default left out."""
    return Table(default, frozenset((key, value) for key, value in entries.items() if value != default))


def _items(table: Table) -> list[tuple[tuple[object, ...], object]]:
    return [(key, value) for key, value in table.entries if isinstance(key, tuple)]


def _nested(table: object, key: tuple[object, ...]) -> object:
    for part in key:
        assert isinstance(table, Table)
        table = table.get(part)
    return table


def _is_constant(table: object, value: object) -> bool:
    """Whether tables of tables are `value` everywhere, without entries."""
    while isinstance(table, Table) and table != value:
        if table.entries:
            return False
        table = table.default
    return table == value


def default_value(sort: Sort, structure: Structure) -> object:
    """Some value of `sort`; sorts are non-empty. Raises `Unreadable` if it is nested too deep."""
    return _default(sort, structure, DEEPEST)


def _default(sort: Sort, structure: Structure, depth: int) -> object:
    if not depth:
        raise Unreadable("a sort is nested too deep")
    match sort:
        case BoolSort():
            return False
        case IntSort():
            return 0
        case RealSort():
            from fractions import Fraction

            return Fraction(0)
        case StringSort():
            return ""
        case BitVecSort(width):
            return Bits(0, width)
        case EnumSort(_, values):
            return values[0]
        case DeclaredSort(name):
            return Element(name, 0)
        case TupleSort(name, fields):
            return Record(name, tuple(_default(part, structure, depth - 1) for _, part in fields))
        case SetSort():
            return Table(False)
        case ArraySort(_, element):
            return canonical(Table(_default(element, structure, depth - 1)), sort, structure)
        case FunctionSort(_, range_):
            return canonical(Table(_default(range_, structure, depth - 1)), sort, structure)
