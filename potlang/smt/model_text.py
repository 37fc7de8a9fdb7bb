"""Structures as the lines of a certificate that say what a model is (`spec/80-certificates.md`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import cast

from potlang.ir.germs import Germ
from potlang.ir.module import Module
from potlang.ir.nodes import Symbol
from potlang.ir.numerals import decimal
from potlang.ir.sorts import (
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    FunctionSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    TupleSort,
    table_sorts,
)
from potlang.ir.structure import FunctionTable, Structure
from potlang.ir.text import IrPrinter, symbols_of
from potlang.ir.values import Bits, Element, MapValue, Record


def structure_text(module: Module, structure: Structure) -> list[str]:
    """The lines `universe`, `constant` and `function` of a model of `module`.

    What the structure gives no meaning, or one that is no table, has no line. A `Computed` function is
    written as the table of what it was asked.
    """
    declared, used = symbols_of(module)
    printer = IrPrinter.of([*declared, *used])
    lines = []
    for sort in module.sorts:
        if isinstance(sort, DeclaredSort):
            lines.append(f"(universe {printer.sort(sort)} {structure.universe.get(sort, 1)})")
    for symbol in (*declared, *used):
        if symbol in structure.functions:
            line = _line(printer, symbol, structure.functions[symbol])
            if line is not None:
                lines.append(line)
    return lines


def _line(printer: IrPrinter, symbol: Symbol, meaning: object) -> str | None:
    name = printer.symbols[symbol]
    if not symbol.domain:
        return f"(constant {name} {_text(printer, meaning, symbol.range)})"
    table = meaning if isinstance(meaning, FunctionTable) else getattr(meaning, "table", lambda: None)()
    if not isinstance(table, FunctionTable) or not _is_total(table):
        return None
    parts = [f"(function {name} (default {_text(printer, table.default, symbol.range)})"]
    for key, value in table.entries.items():
        values = (*key, value)
        sorts = (*symbol.domain, symbol.range)
        parts.append(f"({' '.join(_texts(printer, values, sorts))})")
    return " ".join(parts) + ")"


def _is_total(table: FunctionTable) -> bool:
    """True if there is a value everywhere: `NotEvaluable` stands for none."""
    return not any(isinstance(value, type) for value in (table.default, *table.entries.values()))


def _texts(printer: IrPrinter, values: Iterable[object], sorts: Iterable[Sort]) -> list[str]:
    return [_text(printer, value, sort) for value, sort in zip(values, sorts, strict=True)]


def _text(printer: IrPrinter, value: object, sort: Sort) -> str:
    simple = _simple(printer, value, sort)
    if simple is not None:
        return simple
    out: list[str] = []
    stack: list[str | tuple[object, Sort]] = [(value, sort)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        text = _simple(printer, *item)
        if text is not None:
            out.append(text)
        else:
            stack.extend(reversed(_pieces(printer, *item)))
    return "".join(out)


def _simple(printer: IrPrinter, value: object, sort: Sort) -> str | None:
    """The text of a value without parts."""
    if isinstance(value, Germ):
        return f"(powers {' '.join(f'({power} {_real(factor)})' for power, factor in value.parts)})"
    match sort:
        case BoolSort():
            return "true" if value else "false"
        case IntSort():
            return decimal(cast(int, value))
        case RealSort():
            return _real(Fraction(cast(Fraction, value)))
        case BitVecSort(width):
            return f"(lit (BitVec {width}) {decimal(cast(Bits, value).number)})"
        case DeclaredSort():
            return f"(element {printer.sort(sort)} {cast(Element, value).index})"
        case TupleSort() | ArraySort() | SetSort() | FunctionSort():
            return None
        case _:
            return f"(lit {printer.sort(sort)} {json.dumps(value)})"


def _real(number: Fraction) -> str:
    return f"(lit Real {decimal(number.numerator)}/{decimal(number.denominator)})"


def _pieces(printer: IrPrinter, value: object, sort: Sort) -> list[str | tuple[object, Sort]]:
    """The pieces of `(record T v…)` or `(table DEFAULT (k v)…)`."""
    if isinstance(sort, TupleSort):
        pieces: list[str | tuple[object, Sort]] = [f"(record {printer.sort(sort)}"]
        for part, (_, part_sort) in zip(cast(Record, value).fields, sort.fields, strict=True):
            pieces += [" ", (part, part_sort)]
        return [*pieces, ")"]
    table = cast(MapValue, value)
    maps = table_sorts(sort)
    assert maps is not None
    keys, element = maps
    pieces = ["(table ", (table.default, element)]
    # Entries are a set; certificates of one model must be the same text in every run.
    for key, each in sorted(table.entries, key=repr):
        parts = cast(tuple[object, ...], key) if isinstance(sort, FunctionSort) else (key,)
        pieces.append(" (")
        for part, part_sort in zip(parts, keys, strict=True):
            pieces += [(part, part_sort), " "]
        pieces += [(each, element), ")"]
    return [*pieces, ")"]
