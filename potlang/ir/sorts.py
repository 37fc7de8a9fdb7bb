"""Sorts: small immutable values, compared by structure; declared, enum and tuple sorts by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BoolSort:
    """Truth values."""

    def __str__(self) -> str:
        return "Bool"


@dataclass(frozen=True, slots=True)
class IntSort:
    """The integers, unbounded."""

    def __str__(self) -> str:
        return "Int"


@dataclass(frozen=True, slots=True)
class RealSort:
    """The real numbers."""

    def __str__(self) -> str:
        return "Real"


@dataclass(frozen=True, slots=True)
class StringSort:
    """Finite strings of Unicode characters."""

    def __str__(self) -> str:
        return "String"


@dataclass(frozen=True, slots=True)
class DeclaredSort:
    """An uninterpreted, non-empty sort."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class EnumSort:
    """A sort of exactly the named values, which are distinct."""

    name: str
    values: tuple[str, ...] = field(compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class BitVecSort:
    """Bit vectors of one width, at least 1."""

    width: int

    def __str__(self) -> str:
        return f"BitVec({self.width})"


@dataclass(frozen=True, slots=True)
class MeasureSort:
    """A sort that numbers of the sort `base` stand for: dates, durations, money, quantities with a unit.

    Typed modules have terms of these sorts until they are lowered; passes and engines see the numbers.
    """

    name: str
    base: IntSort | RealSort

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ArraySort:
    """Total maps from `index` to `element`."""

    index: Sort
    element: Sort

    def __str__(self) -> str:
        return f"Array({self.index}, {self.element})"


@dataclass(frozen=True, slots=True)
class SetSort:
    """Sets of `element`, finite or not: total maps to Bool."""

    element: Sort

    def __str__(self) -> str:
        return f"Set({self.element})"


@dataclass(frozen=True, slots=True)
class TupleSort:
    """Records with named fields; the constructor bears the sort's name."""

    name: str
    fields: tuple[tuple[str, Sort], ...] = field(compare=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FunctionSort:
    """Total functions as values, with at least one argument."""

    domain: tuple[Sort, ...]
    range: Sort

    def __str__(self) -> str:
        return f"Function({', '.join(map(str, (*self.domain, self.range)))})"


Sort = (
    BoolSort
    | IntSort
    | RealSort
    | StringSort
    | DeclaredSort
    | EnumSort
    | BitVecSort
    | MeasureSort
    | ArraySort
    | SetSort
    | TupleSort
    | FunctionSort
)

BOOL = BoolSort()
INT = IntSort()
REAL = RealSort()
STRING = StringSort()


def is_numeric(sort: Sort) -> bool:
    """Whether arithmetic and order apply: Int and Real."""
    return sort is INT or sort is REAL


def parts_of(sorts: Iterable[Sort]) -> list[Sort]:
    """The sorts and what they are built from, at any level, each once."""
    found = dict.fromkeys(sorts)
    waiting = list(found)
    while waiting:
        for part in components(waiting.pop()):
            if part not in found:
                found[part] = None
                waiting.append(part)
    return list(found)


def components(sort: Sort) -> tuple[Sort, ...]:
    """The sorts that `sort` is built from, one level down."""
    match sort:
        case ArraySort(index, element):
            return (index, element)
        case SetSort(element):
            return (element,)
        case TupleSort(_, fields):
            return tuple(part for _, part in fields)
        case FunctionSort(domain, range_):
            return (*domain, range_)
        case _:
            return ()


def table_sorts(sort: Sort) -> tuple[tuple[Sort, ...], Sort] | None:
    """The index sorts of a map of `sort` and the sort of its values; None for sorts that are no maps.

    Arrays have one index sort, sets too (they are maps to Bool), functions as values have one or more.
    """
    match sort:
        case SetSort(element):
            return (element,), BOOL
        case ArraySort(index, element):
            return (index,), element
        case FunctionSort(domain, range_):
            return domain, range_
        case _:
            return None
