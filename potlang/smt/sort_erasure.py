"""Sort erasure: sorts and values as SMT-LIB has them, sets and functions as arrays (of arrays).

What solvers print is read over erased sorts. `decode` makes a value of the program's sort of it,
`encode` is the inverse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from potlang.ir.sorts import (
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    IntSort,
    RealSort,
    Sort,
    StringSort,
    TupleSort,
    table_sorts,
)
from potlang.ir.structure import MOST_MEMBERS, Structure, canonical, cardinality, members
from potlang.ir.values import Bits, Element, MapValue, Record

DEEPEST = 64
"""Sorts nested deeper are not read."""


class UnreadableModel(ValueError):
    """A text is no model, or says something for which there is no value."""


class SortErasure:
    """Erased sorts, and values over them. Tables are canonical in `structure`; without one, as they came."""

    def __init__(self, structure: Structure | None = None) -> None:
        self.structure = structure or Structure()
        self._keeps_tables = structure is None
        self._sorts: dict[Sort, Sort] = {}

    def erase(self, sort: Sort, depth: int = DEEPEST) -> Sort:
        """The sort without sets and functions. Raises `UnreadableModel` if it is nested too deep."""
        if sort not in self._sorts:
            self._sorts[sort] = self._erased(sort, depth)
        return self._sorts[sort]

    def _erased(self, sort: Sort, depth: int) -> Sort:
        if not depth:
            raise UnreadableModel("a sort is nested too deep")
        if isinstance(sort, TupleSort):
            fields = tuple((field, self.erase(part, depth - 1)) for field, part in sort.fields)
            return TupleSort(sort.name, fields)
        maps = table_sorts(sort)
        if maps is None:
            return sort
        indices, element = maps
        result = self.erase(element, depth - 1)
        for index in reversed(indices):
            result = ArraySort(self.erase(index, depth - 1), result)
        return result

    def _canonical(self, table: MapValue, sort: Sort) -> object:
        return table if self._keeps_tables else canonical(table, sort, self.structure)

    def decode(self, value: object, sort: Sort) -> object:
        """The value of `sort` that an erased one is. Raises `UnreadableModel` for functions beyond tables."""
        if isinstance(value, MapValue) and isinstance(sort, FunctionSort):
            return self._joined(value, sort)
        return self._by_parts(value, sort, self.decode, lambda each: each)

    def encode(self, value: object, sort: Sort) -> object:
        """The erased value that a value of `sort` is."""
        if isinstance(value, MapValue) and isinstance(sort, FunctionSort):
            return self._curried(value, sort)
        return self._by_parts(value, sort, self.encode, self.erase)

    def _by_parts(
        self,
        value: object,
        sort: Sort,
        convert: Callable[[object, Sort], object],
        becomes: Callable[[Sort], Sort],
    ) -> object:
        """A record, set or array with its parts converted, as a value of the sort that `sort` becomes."""
        if isinstance(value, Record) and isinstance(sort, TupleSort):
            pairs = zip(value.fields, sort.fields, strict=True)
            return Record(sort.name, tuple(convert(each, part) for each, (_, part) in pairs))
        maps = table_sorts(sort) if isinstance(value, MapValue) else None
        if maps is None or not isinstance(value, MapValue):
            return value
        (index,), element = maps
        entries = {convert(key, index): convert(each, element) for key, each in value.entries}
        return self._canonical(made(convert(value.default, element), entries), becomes(sort))

    def _joined(self, table: MapValue, sort: FunctionSort) -> object:
        """Tables of tables as one table from tuples of arguments."""
        default, pairs = self._flat(table, [self.erase(part) for part in sort.domain])
        entries = {
            tuple(self.decode(part, at) for part, at in zip(key, sort.domain, strict=True)): self.decode(
                value, sort.range
            )
            for key, value in pairs.items()
        }
        return self._canonical(made(self.decode(default, sort.range), entries), sort)

    def _flat(self, table: MapValue, indices: list[Sort]) -> tuple[object, dict[tuple[object, ...], object]]:
        """Default and entries of tables of tables: an index that is not finite has a row of the default."""
        default: object = table
        for _ in indices:
            assert isinstance(default, MapValue)
            default = default.default
        # One argument at a time: the rows are tables until the last argument gives values.
        rows: dict[tuple[object, ...], object] = {(): table}
        for index in indices:
            deeper: dict[tuple[object, ...], object] = {}
            for key, row in rows.items():
                assert isinstance(row, MapValue)
                for part, value in self._row(row, index, default):
                    deeper[(*key, part)] = value
            if len(deeper) > MOST_MEMBERS:
                raise UnreadableModel("a function value is too large")
            rows = deeper
        return default, rows

    def _row(self, row: MapValue, index: Sort, default: object) -> list[tuple[object, object]]:
        """The entries of a row, those of its default included if that is another."""
        if _is_constant(row.default, default):
            return list(row.entries)
        if cardinality(index, self.structure) is None:
            raise UnreadableModel("a function value is no table of few entries")
        known = dict(row.entries)
        return [(key, known.get(key, row.default)) for key in members(index, self.structure)]

    def _curried(self, table: MapValue, sort: FunctionSort) -> object:
        """A table from tuples of arguments as tables of tables."""
        encoded = {
            tuple(self.encode(part, at) for part, at in zip(key, sort.domain, strict=True)): self.encode(
                value, sort.range
            )
            for key, value in _items(table)
        }
        return self._rows(self.encode(table.default, sort.range), encoded, self.erase(sort), len(sort.domain))

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
            entries = {key: self._canonical(made(default, row), array) for key, row in grouped.items()}
            default = self._canonical(MapValue(default), array)
        return entries.get((), default)


def made(default: object, entries: Mapping[Any, object]) -> MapValue:
    """The table with these entries, those of the default left out."""
    return MapValue(default, frozenset((key, value) for key, value in entries.items() if value != default))


def _items(table: MapValue) -> list[tuple[tuple[object, ...], object]]:
    return [(key, value) for key, value in table.entries if isinstance(key, tuple)]


def _is_constant(table: object, value: object) -> bool:
    """True if tables of tables are `value` everywhere, without entries."""
    while isinstance(table, MapValue) and table != value:
        if table.entries:
            return False
        table = table.default
    return table == value


def default_value(sort: Sort, depth: int = DEEPEST) -> object:
    """Some value of `sort`; sorts are non-empty. Raises `UnreadableModel` if it is nested too deep."""
    if not depth:
        raise UnreadableModel("a sort is nested too deep")
    match sort:
        case BoolSort():
            return False
        case IntSort():
            return 0
        case RealSort():
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
            return Record(name, tuple(default_value(part, depth - 1) for _, part in fields))
    maps = table_sorts(sort)
    assert maps is not None
    # A table without entries is canonical over any sort.
    return MapValue(default_value(maps[1], depth - 1))
