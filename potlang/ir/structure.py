"""Structures: what the sorts and symbols of a module mean, with the sorts of interest finite."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from potlang.ir.module import Definition, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.sorts import (
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
    components,
    table_sorts,
)
from potlang.ir.values import Bits, Element, MapValue, Record

MOST_MEMBERS = 1 << 16
"""Larger sorts are not enumerated."""


class NotEvaluable(Exception):
    """There is no value, for the reason given: an infinite sort, a missing meaning, a number too large."""


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """A function by its values: `entries` from tuples of arguments, `default` for all others.

    Without a default, a call with other arguments has no value (`NotEvaluable`).
    """

    entries: Mapping[tuple[object, ...], object] = field(default_factory=dict)
    default: object = NotEvaluable

    def __call__(self, *args: object) -> object:
        """The value at `args`."""
        value = self.entries.get(args, self.default)
        if value is NotEvaluable:
            raise NotEvaluable("the structure has no value for these arguments")
        return value


Interpretation = object
"""Of a constant: its value. Of a function: a callable from the arguments' values, as `FunctionTable`."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Sizes for declared sorts, meanings for symbols, bodies for defined functions.

    The members of a declared sort with size n are `Element(name, 0)` to `Element(name, n - 1)`.
    Arguments of callables are in the form `members` yields them: tables over finite sorts canonical.
    """

    universe: Mapping[DeclaredSort, int] = field(default_factory=dict)
    functions: Mapping[Symbol, Interpretation] = field(default_factory=dict)
    definitions: Mapping[Symbol, Definition] = field(default_factory=lambda: MappingProxyType({}))


def definitions_of(module: Module) -> Mapping[Symbol, Definition]:
    """The module's definitions by symbol, as a structure wants them."""
    return {definition.symbol: definition for definition in module.definitions}


def free_symbols(module: Module) -> list[Symbol]:
    """The symbols that a structure interprets: declared and not defined."""
    defined = definitions_of(module)
    fixed = (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR, SymbolKind.DEFINED)
    return [symbol for symbol in module.symbols if symbol not in defined and symbol.kind not in fixed]


def cardinality(sort: Sort, structure: Structure, most: int = MOST_MEMBERS) -> int | None:
    """How many members `sort` has, or None if there are more than `most` or infinitely many.

    None also where a table of `sort` has more than `most` keys, however few such tables there are.
    Sorts nest no deeper than expressions may; the walk keeps its own stack.
    """
    sizes: dict[Sort, int | None] = {}
    stack = [sort]
    while stack:
        top = stack[-1]
        missing = [part for part in components(top) if part not in sizes]
        if missing and top not in sizes:
            stack.extend(missing)
            continue
        stack.pop()
        size = _size(top, [sizes[part] for part in components(top)], structure, most)
        sizes[top] = size if size is not None and size <= most else None
    return sizes[sort]


def _size(sort: Sort, parts: list[int | None], structure: Structure, most: int) -> int | None:
    match sort:
        case BoolSort():
            return 2
        case EnumSort():
            return len(sort.values)
        case BitVecSort():
            return 1 << sort.width if sort.width < most.bit_length() else None
        case DeclaredSort():
            return structure.universe.get(sort)
        case TupleSort():
            return _product(parts, most)
        case SetSort():
            return _power(2, parts[0], most)
        case ArraySort() | FunctionSort():
            return _power(parts[-1], _product(parts[:-1], most), most)
        case _:
            return None


def _product(sizes: list[int | None], most: int) -> int | None:
    total = 1
    for size in sizes:
        if size is None or total * size > most:
            return None
        total *= size
    return total


def _power(base: int | None, exponent: int | None, most: int) -> int | None:
    if base is None or exponent is None:
        return None
    return int(base**exponent) if base == 1 or exponent <= most.bit_length() else None


def members(sort: Sort, structure: Structure) -> list[object]:
    """All members of `sort` in a fixed order. Raises `NotEvaluable` for infinite and large sorts."""
    if cardinality(sort, structure) is None:
        raise NotEvaluable(f"{_label(sort)} is infinite, too large, or has no size in the structure")
    return _members(sort, structure)


def _label(sort: Sort) -> str:
    return sort.name if isinstance(sort, DeclaredSort | EnumSort | TupleSort) else type(sort).__name__


def _members(sort: Sort, structure: Structure) -> list[object]:
    # Recursion is bounded: a sort of at most MOST_MEMBERS members has few levels that add members,
    # and `cardinality` has walked it already.
    match sort:
        case BoolSort():
            return [False, True]
        case EnumSort():
            return list(sort.values)
        case BitVecSort():
            return [Bits(number, sort.width) for number in range(1 << sort.width)]
        case DeclaredSort():
            return [Element(sort.name, index) for index in range(structure.universe[sort])]
        case TupleSort():
            parts = [_members(part, structure) for part in components(sort)]
            return [Record(sort.name, fields) for fields in itertools.product(*parts)]
    maps = table_sorts(sort)
    if maps is None:
        raise NotEvaluable(f"{_label(sort)} is infinite")
    return list(_tables(_keys(sort, maps[0], structure), _members(maps[1], structure)))


def _keys(sort: Sort, indices: tuple[Sort, ...], structure: Structure) -> list[object]:
    """The keys of tables of `sort`: tuples for functions, also for those of one argument."""
    if not isinstance(sort, FunctionSort):
        return _members(indices[0], structure)
    return list(itertools.product(*(_members(part, structure) for part in indices)))


def _tables(keys: list[object], values: list[object]) -> Iterator[MapValue]:
    for chosen in itertools.product(values, repeat=len(keys)):
        yield _listed(keys, list(chosen))


def _listed(keys: list[object], values: list[object]) -> MapValue:
    """The canonical table: its default is the value at the first key."""
    default = values[0]
    pairs = zip(keys, values, strict=True)
    return MapValue(default, frozenset((key, value) for key, value in pairs if value != default))


def canonical(value: object, sort: Sort, structure: Structure) -> object:
    """`value` such that equal members of `sort` are equal values, whatever their tables' defaults.

    Over an infinite index sort tables are canonical as they are, and so they are over one too large
    to be covered by their entries.
    """
    if not isinstance(value, MapValue) or not value.entries:
        return value
    maps = table_sorts(sort)
    if maps is None or _product([cardinality(part, structure) for part in maps[0]], MOST_MEMBERS) is None:
        return value
    keys = _keys(sort, maps[0], structure)
    known = dict(value.entries)
    return _listed(keys, [known.get(key, value.default) for key in keys])


def lookup(structure: Structure, symbol: Symbol) -> Callable[..., object] | object:
    """The meaning of `symbol`. Raises `NotEvaluable` if the structure has none."""
    try:
        return structure.functions[symbol]
    except KeyError:
        raise NotEvaluable(f"the structure gives {symbol.name[:100]} no meaning") from None
