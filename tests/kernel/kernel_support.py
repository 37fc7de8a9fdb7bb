"""Certificates for tests, and models of the IR as the lines that say them."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction

from potlang.certify import Theory, read_theory
from potlang.ir.module import Module
from potlang.ir.nodes import SymbolKind
from potlang.ir.sorts import (
    BOOL,
    INT,
    ArraySort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.ir.structure import FunctionTable, Structure
from potlang.ir.text import IrPrinter, symbols_of
from potlang.ir.values import Bits, Element, MapValue, Record


def certificate(program: str, *lines: str) -> str:
    """A certificate of `program`: head, `lines`, end."""
    digest = hashlib.sha256(program.encode()).hexdigest()
    return "\n".join(["(potlang-certificate 1)", f'(program "{digest}")', *lines, "(end)", ""])


def program(*lines: str) -> str:
    """IR text."""
    return "\n".join(["(potlang-ir 1)", *lines, ""])


def model_lines(module: Module, structure: Structure) -> list[str]:
    """The lines that say `structure`."""
    declared, used = symbols_of(module)
    printer = IrPrinter.of([*declared, *used])
    lines = [f"(universe {printer.sort(sort)} {size})" for sort, size in structure.universe.items()]
    for symbol, meaning in structure.functions.items():
        if symbol.kind in (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR, SymbolKind.DEFINED):
            continue
        name = printer.symbols[symbol]
        if not symbol.domain:
            lines.append(f"(constant {name} {value_text(printer, meaning, symbol.range)})")
            continue
        assert isinstance(meaning, FunctionTable)
        default = value_text(printer, meaning.default, symbol.range)
        entries = [
            f"({' '.join(value_text(printer, *pair) for pair in zip(key, symbol.domain, strict=True))}"
            f" {value_text(printer, value, symbol.range)})"
            for key, value in meaning.entries.items()
        ]
        lines.append(" ".join([f"(function {name} (default {default})", *entries]) + ")")
    return lines


def value_text(printer: IrPrinter, value: object, sort: Sort) -> str:
    """A value as a model line writes it."""
    text = printer.sort(sort)
    match value, sort:
        case bool(), _ if sort is BOOL:
            return "true" if value else "false"
        case int(), _ if sort is INT:
            return str(value)
        case Element(_, index), DeclaredSort():
            return f"(element {text} {index})"
        case Bits(number, _), _:
            return f"(lit {text} {number})"
        case Record(_, fields), TupleSort():
            pairs = zip(fields, (part for _, part in sort.fields), strict=True)
            return f"(record {text} {' '.join(value_text(printer, *pair) for pair in pairs)})"
        case MapValue(), SetSort():
            return _table(printer, value, (sort.element,), BOOL)
        case MapValue(), ArraySort():
            return _table(printer, value, (sort.index,), sort.element)
        case MapValue(), FunctionSort():
            return _table(printer, value, sort.domain, sort.range)
        case str(), EnumSort():
            return f"(lit {text} {json.dumps(value)})"
        case str(), _:
            return f"(lit {text} {json.dumps(value)})"
        case ((int() | Fraction()), _):
            number = Fraction(value)
            return f"(lit {text} {number.numerator}/{number.denominator})"
    raise AssertionError((value, sort))


def _table(printer: IrPrinter, table: MapValue, index: tuple[Sort, ...], result: Sort) -> str:
    parts = [value_text(printer, table.default, result)]
    for key, value in sorted(table.entries, key=repr):
        keys = key if isinstance(key, tuple) else (key,)
        written = [value_text(printer, *pair) for pair in zip(keys, index, strict=True)]
        parts.append(f"({' '.join([*written, value_text(printer, value, result)])})")
    return f"(table {' '.join(parts)})"


def theory_of(*lines: str) -> Theory:
    """The theory of a program of these lines."""
    return read_theory(program(*lines))
