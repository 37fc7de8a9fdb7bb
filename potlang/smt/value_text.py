"""Values in the program's own words: `2.45`, `1/3`, `alice`, `{red, green}`, `Pair(1, True)`."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import cast

from potlang.ir.measures import value_text
from potlang.ir.numerals import decimal, digits
from potlang.ir.sorts import ArraySort, FunctionSort, MeasureSort, SetSort, Sort, StringSort, TupleSort
from potlang.ir.values import Bits, Element, MapValue, Record
from potlang.smt.values import Algebraic, Anonymous, Opaque

_PLACES = 12
"""Decimal places at most: of exact values, and of roots, which are cut there."""

Called = Callable[[Anonymous], str]


def _raw(element: Anonymous) -> str:
    return element.raw


def format_value(value: object, sort: Sort, called: Called = _raw) -> str:
    """`value` of `sort` as the program would write it; `called` names elements of declared sorts."""
    match value:
        case bool():
            return str(value)
        case int() | Fraction() if isinstance(sort, MeasureSort):
            return value_text(value, sort)
        case int() | Fraction():
            return number_text(Fraction(value))
        case str():
            return json.dumps(value, ensure_ascii=False) if isinstance(sort, StringSort) else value
        case Bits(number, width):
            return f"#b{number:0{width}b}"
        case Anonymous():
            return called(value)
        case Element(name, index):
            return f"{name}#{index + 1}"
        case Record(name, fields):
            return _record(name, fields, sort, called)
        case MapValue():
            return _table(value, sort, called)
        case Algebraic(raw, near):
            return raw if near is None else f"{_with_places(near, _PLACES)}..."
        case Opaque(raw):
            return raw
        case _:
            return str(value)


def number_text(value: Fraction) -> str:
    """An integer, a decimal if that is exact within a dozen places, else a fraction."""
    if value.denominator == 1:
        return decimal(value.numerator)
    places = _places(value.denominator)
    if places is None:
        return f"{decimal(value.numerator)}/{decimal(value.denominator)}"
    return _with_places(value, places)


def _places(denominator: int) -> int | None:
    """The decimal places that fractions with this denominator need, if few enough."""
    return next((n for n in range(1, _PLACES + 1) if 10**n % denominator == 0), None)


def _with_places(value: Fraction, places: int) -> str:
    """The number with so many decimal places, the rest cut off."""
    size = abs(value)
    text = digits(size.numerator * 10**places // size.denominator).zfill(places + 1)
    return f"{'-' if value < 0 else ''}{text[:-places]}.{text[-places:]}"


def _record(name: str, fields: tuple[object, ...], sort: Sort, called: Called) -> str:
    assert isinstance(sort, TupleSort)
    parts = (format_value(v, s, called) for v, (_, s) in zip(fields, sort.fields, strict=True))
    return f"{name}({', '.join(parts)})"


def _table(table: MapValue, sort: Sort, called: Called) -> str:
    match sort:
        case SetSort(element):
            known = [format_value(key, element, called) for key in _keys(table)]
            listed = f"{{{', '.join(sorted(known) if not _numeric(table) else known)}}}"
            return f"all but {listed}" if table.default else listed
        case ArraySort(index, element):
            pairs = [(format_value(k, index, called), table.get(k)) for k in _keys(table)]
            return _pairs(pairs, table, element, called)
        case FunctionSort(domain, element):
            pairs = [(_arguments(k, domain, called), table.get(k)) for k in _keys(table)]
            return _pairs(pairs, table, element, called)
        case _:
            return str(table)


def _numeric(table: MapValue) -> bool:
    return all(isinstance(key, int | Fraction) for key, _ in table.entries)


def _keys(table: MapValue) -> list[object]:
    keys = [key for key, _ in table.entries]
    if _numeric(table):
        return sorted(keys, key=lambda key: cast(Fraction, key))
    return sorted(keys, key=repr)


def _arguments(key: object, domain: tuple[Sort, ...], called: Called) -> str:
    assert isinstance(key, tuple)
    return f"({', '.join(format_value(v, s, called) for v, s in zip(key, domain, strict=True))})"


def _pairs(pairs: list[tuple[str, object]], table: MapValue, element: Sort, called: Called) -> str:
    parts = [f"{key}: {format_value(value, element, called)}" for key, value in pairs]
    return f"{{{', '.join([*parts, f'else: {format_value(table.default, element, called)}'])}}}"
