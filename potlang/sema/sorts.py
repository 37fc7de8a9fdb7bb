"""Sort declarations and sort expressions: aliases, constructed sorts, cycles, unknown names."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable

from potlang.diag import Applicability, Fix, Label, Patch, Place, Replace, Sink, nearest
from potlang.expressions.surface import SortDecl, SortExpr
from potlang.ir.graphs import ordered
from potlang.ir.measures import DATE, DATETIME, DAYS, SECONDS, money, quantity
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    MeasureSort,
    SetSort,
    Sort,
    TupleSort,
)
from potlang.source import join_pointer

BUILTIN: dict[str, Sort] = {
    **dict.fromkeys(("Bool", "BoolSort", "bool", "Boolean"), BOOL),
    **dict.fromkeys(("Int", "IntSort", "int", "Integer"), INT),
    **dict.fromkeys(("Real", "RealSort", "real", "Float", "float"), REAL),
    **dict.fromkeys(("String", "StringSort", "str", "string"), STRING),
    "Date": DATE,
    "DateTime": DATETIME,
    "Duration": DAYS,
}
CONSTRUCTORS = {
    **dict.fromkeys(("BitVec", "BitVecSort"), "BitVec"),
    **dict.fromkeys(("Array", "ArraySort"), "Array"),
    **dict.fromkeys(("Set", "SetSort"), "Set"),
    **dict.fromkeys(("Function", "FunctionSort"), "Function"),
}
_BUILT: dict[str, tuple[str, range, Callable[..., Sort]]] = {
    "Array": ("`ArraySort(Index, Element)`", range(2, 3), ArraySort),
    "Set": ("`SetSort(Element)`", range(1, 2), SetSort),
    "Function": (
        "`FunctionSort(Argument, …, Result)`",
        range(2, sys.maxsize),
        lambda *parts: FunctionSort(parts[:-1], parts[-1]),
    ),
}
"""Constructors of sorts from sorts: as helps show them, how many arguments they take, what they make."""

_OTHER_NAMES = {
    **dict.fromkeys(
        ("boolean", "bool", "truth", "truthvalue", "prop", "proposition", "predicate", "bit", "flag", "𝔹"),
        "Bool",
    ),
    **dict.fromkeys(("logical", "o", "formula"), "Bool"),
    **dict.fromkeys(
        ("integer", "int", "nat", "natural", "long", "short", "uint", "int32", "int64", "whole", "ℤ", "ℕ"),
        "Int",
    ),
    **dict.fromkeys(("count", "positive", "bigint", "z"), "Int"),
    **dict.fromkeys(("date", "day"), "Date"),
    **dict.fromkeys(("days", "duration", "timedelta"), "Duration"),
    **dict.fromkeys(("datetime", "timestamp"), "DateTime"),
    **dict.fromkeys(
        ("number", "num", "numeric", "real", "float", "double", "decimal", "rational", "float64", "ℝ", "ℚ"),
        "Real",
    ),
    **dict.fromkeys(("percent", "percentage", "fraction"), "Real"),
    **dict.fromkeys(("money", "currency"), "Money(USD)"),
    **dict.fromkeys(("string", "str", "text", "char", "varchar", "character"), "String"),
}
"""Names that other languages have for the built-in sorts, in lower case."""
_CODE = re.compile("[A-Z]{3}")
_MEASURES: dict[str, tuple[str, Callable[[str], Sort | None]]] = {
    "Money": (
        "`Money(USD)`, with a code of three capitals",
        lambda code: money(code) if _CODE.fullmatch(code) else None,
    ),
    "Quantity": ("`Quantity(kg)`, with the name of a unit", quantity),
    "Duration": (
        "`Duration` for whole days, `Duration(seconds)` for hours and minutes",
        lambda unit: {"seconds": SECONDS, "days": DAYS}.get(unit),
    ),
}
"""Sorts of amounts by their heads: as helps show them, and what they make of the unit."""
WIDEST = 65_536
"""Bits of the widest bit vector."""
_DEEPEST = 64


def place_of(expr: SortExpr) -> Place:
    """Where a sort expression stands."""
    return Place(expr.pointer, (expr.start, expr.end))


class SortTable:
    """Resolves sort expressions against the declared sorts. Reports each unknown name once."""

    def __init__(self, declarations: list[SortDecl], sink: Sink, broken: Iterable[str] = ()) -> None:
        self._sink = sink
        self._declarations: dict[str, SortDecl] = {}
        self._resolved: dict[str, Sort | None] = {}
        self._unknown = set(broken)
        self.order: list[DeclaredSort | EnumSort | TupleSort] = []
        """Nominal sorts, each after those that it uses."""
        self.places: dict[str, Place] = {}
        self.measured = False
        """Whether a sort of dates, durations, money or quantities has been asked for."""
        for declaration in declarations:
            self._declare(declaration)
        for name in self._in_order():
            self._resolved[name] = self._define(self._declarations[name])

    def _declare(self, declaration: SortDecl) -> None:
        place = Place(join_pointer(declaration.pointer, "name"))
        known = self.places.get(declaration.name)
        if known is not None:
            self._sink.report(
                "POT2002",
                place,
                name=declaration.name,
                labels=[Label(known, "first declared here")],
                helps=["give one of the two sorts another name, or remove it"],
                fixes=[_removal(declaration.pointer, "remove the second declaration")],
            )
            return
        self.places[declaration.name] = place
        self._declarations[declaration.name] = declaration

    def bind(self, name: str, sort: Sort) -> None:
        """Lets `name` stand for `sort`: a parameter of a pack."""
        self._resolved[name] = sort

    def names(self) -> list[str]:
        """Declared names, then the built-in ones."""
        return [*dict.fromkeys((*self._declarations, *self._resolved)), "Bool", "Int", "Real", "String"]

    def resolve(self, expr: SortExpr) -> Sort | None:
        """The sort meant, or None where it is in error (reported)."""
        if not expr.args and expr.name in self._resolved:
            return self._resolved[expr.name]
        return self._resolve(expr, 0)

    def _resolve(self, expr: SortExpr, depth: int) -> Sort | None:
        if depth > _DEEPEST:
            self._sink.report("POT0003", place_of(expr), limit=_DEEPEST)
            return None
        if not expr.args:
            return self._by_name(expr.name, expr)
        if expr.name in _MEASURES and expr.name not in self._declarations:
            return self._measure(expr)
        constructor = CONSTRUCTORS.get(expr.name)
        if constructor is None:
            self._sink.report(
                "POT1025",
                place_of(expr),
                problem=f"`{expr.name}` takes no arguments",
                helps=[
                    "sorts with arguments are BitVecSort(n), ArraySort(A, B), SetSort(A), FunctionSort(A, B)"
                ],
            )
            return None
        if constructor == "BitVec":
            return self._bit_vector(expr)
        parts = [self._resolve(arg, depth + 1) for arg in expr.args if isinstance(arg, SortExpr)]
        usage, arity, build = _BUILT[constructor]
        if len(parts) != len(expr.args) or len(parts) not in arity:
            self._malformed(expr, usage)
            return None
        resolved = [part for part in parts if part is not None]
        return build(*resolved) if len(resolved) == len(parts) else None

    def _measure(self, expr: SortExpr) -> Sort | None:
        self.measured = True
        usage, build = _MEASURES[expr.name]
        match expr.args:
            case [SortExpr(name=unit, args=[])]:
                sort = build(unit)
                if sort is not None:
                    return sort
        self._malformed(expr, usage)
        return None

    def _bit_vector(self, expr: SortExpr) -> Sort | None:
        match expr.args:
            case [int(width)] if 1 <= width <= WIDEST:
                return BitVecSort(width)
            case _:
                self._malformed(expr, f"`BitVecSort(n)` with a width n from 1 to {WIDEST}")
                return None

    def _malformed(self, expr: SortExpr, usage: str) -> None:
        self._sink.report(
            "POT1025", place_of(expr), problem=f"`{expr.name}` has wrong arguments", helps=[f"write {usage}"]
        )

    def _by_name(self, name: str, use: SortExpr | None = None) -> Sort | None:
        if name in self._resolved:
            return self._resolved[name]
        if name in BUILTIN and name not in self._declarations:
            sort = BUILTIN[name]
            self.measured |= type(sort) is MeasureSort
            return sort
        if name in _MEASURES and use is not None:
            self._malformed(use, _MEASURES[name][0])
            return None
        self._report_unknown(name, use)
        return None

    def _in_order(self) -> list[str]:
        """Declared names, each after those it uses; cycles are reported and left out, resolved to None."""
        cyclic: set[str] = set()

        def report(cycle: list[str]) -> None:
            if cyclic.isdisjoint(cycle):
                cyclic.update(cycle)
                self._report_cycle(cycle)

        return [name for name in ordered(self._declarations, self._uses, report) if name not in cyclic]

    def _uses(self, name: str) -> list[str]:
        declaration = self._declarations[name]
        exprs = [sort for _, sort, _ in declaration.fields]
        if declaration.definition is not None:
            exprs.append(declaration.definition)
        found: dict[str, None] = {}
        while exprs:
            expr = exprs.pop()
            exprs += [arg for arg in expr.args if isinstance(arg, SortExpr)]
            restates_builtin = expr is declaration.definition and expr.name == name and name in BUILTIN
            if expr.name in self._declarations and not restates_builtin:
                found[expr.name] = None
        return list(found)

    def _define(self, declaration: SortDecl) -> Sort | None:
        match declaration.kind:
            case "DeclareSort":
                return self._nominal(DeclaredSort(declaration.name))
            case "EnumSort":
                values = dict.fromkeys(value for value, _ in declaration.values)
                return self._nominal(EnumSort(declaration.name, tuple(values)))
            case "TupleSort":
                parts = [(field, self.resolve(sort)) for field, sort, _ in declaration.fields]
                known = tuple((field, sort) for field, sort in parts if sort is not None)
                return self._nominal(TupleSort(declaration.name, known)) if len(known) == len(parts) else None
            case _ if declaration.definition is None:
                return BUILTIN[declaration.kind]
            case _:
                if declaration.definition.name == declaration.name and not declaration.definition.args:
                    # `{"name": "Real", "type": "Real"}` restates a built-in sort.
                    self.measured |= type(BUILTIN.get(declaration.name)) is MeasureSort
                    return BUILTIN.get(declaration.name)
                return self.resolve(declaration.definition)

    def _nominal(self, sort: DeclaredSort | EnumSort | TupleSort) -> Sort:
        self.order.append(sort)
        return sort

    def _report_unknown(self, name: str, use: SortExpr | None) -> None:
        if name in self._unknown or use is None:
            return
        self._unknown.add(name)
        meant = _OTHER_NAMES.get(name.casefold().removesuffix("sort"))
        near = [meant] if meant is not None else nearest(name, self.names())
        fixes = [
            Fix(f"write `{other}`", Applicability.UNSAFE, (Replace(use.pointer, use.start, use.end, other),))
            for other in near[:1]
        ]
        if not near:
            fixes.append(_declaration_fix(name, bool(self._declarations)))
        helps = [f"did you mean {' or '.join(f'`{other}`' for other in near)}?"] if near else []
        if meant is not None:
            helps = [f"write `{meant}`: sorts of numbers and texts are `Bool`, `Int`, `Real` and `String`"]
        else:
            declared = [f"`{other}`" for other in self._declarations]
            if declared and not near and len(declared) <= 5:
                helps.append(f"the program declares {', '.join(declared)}")
            helps.append(f'declare it: add {{"name": "{name}", "type": "DeclareSort"}} to `sorts`')
        self._sink.report("POT2005", place_of(use), name=name, helps=helps, fixes=fixes)

    def _report_cycle(self, cycle: list[str]) -> None:
        self._resolved.update(dict.fromkeys(cycle))
        first, *rest = cycle
        self._sink.report(
            "POT2006",
            self.places[first],
            cycle=" -> ".join([*cycle, first]),
            labels=[Label(self.places[part], "part of the cycle") for part in rest],
            helps=["declare one of them with DeclareSort, or define it without the others"],
        )


def _removal(pointer: str, title: str) -> Fix:
    return Fix(title, Applicability.UNSAFE, (Patch("remove", pointer),))


def _declaration_fix(name: str, has_section: bool) -> Fix:
    item = {"name": name, "type": "DeclareSort"}
    edit = Patch.append(item, "/sorts", has_section)
    return Fix(f"declare the sort `{name}`", Applicability.UNSAFE, (edit,))
