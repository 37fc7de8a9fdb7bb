"""Rows of small tables as facts, so that every route has them ([SRC-SMALL])."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from potlang.diag import Sink
from potlang.expressions.names import written
from potlang.expressions.surface import (
    Call,
    Compare,
    ConstantGroup,
    DateLiteral,
    Expr,
    FactDecl,
    Formula,
    Name,
    Number,
    ParsedProgram,
    Prefix,
    SortDecl,
    StringLiteral,
)
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, Sort
from potlang.sema.emit import string_text
from potlang.sema.sorts import SortTable
from potlang.tables.bound import BoundFunction, BoundSort, LoadedTables

MOST_ROWS: Final = 1_000
"""Rows of all tables together up to which they are facts."""


def with_facts(program: ParsedProgram, loaded: LoadedTables) -> ParsedProgram:
    """The program with its sources written out: sorts have their members as values, functions their facts."""
    resolve = SortTable(program.sorts, Sink()).resolve
    named: dict[DeclaredSort, dict[str, str]] = {sort: {} for sort in loaded.sorts}
    constants: list[ConstantGroup] = []
    for group in program.constants:
        sort = resolve(group.sort)
        if isinstance(sort, DeclaredSort) and sort in named:
            named[sort].update(group.members)
        else:
            constants.append(group)
    names = {bound.sort: _members(bound, named[bound.sort], loaded) for bound in loaded.sorts.values()}
    sorts = [_with_values(each, loaded, names, named) for each in program.sorts]
    facts = [fact for bound in loaded.functions.values() for fact in _facts(bound, loaded, names)]
    return replace(program, sorts=sorts, constants=constants, facts=[*program.facts, *facts])


def member_name(sort: Sort, text: str) -> str:
    """The name of a member that the program does not name: no table changes what a formula means."""
    return f"{sort}:{text}"


def with_tables(program: ParsedProgram, loaded: LoadedTables) -> ParsedProgram:
    """The program whose facts stay in their tables; what is closed is known by the rows alone."""
    tabled = frozenset(sort.name for sort in loaded.sorts)
    functions = [replace(each, closed=False) for each in program.functions]
    return replace(program, functions=functions, tabled=tabled)


_MemberNames = dict[DeclaredSort, dict[str, str]]


def _members(bound: BoundSort, named: dict[str, str], loaded: LoadedTables) -> dict[str, str]:
    """The names of the members of a sort, by their text, in the order of their first rows."""
    column = bound.column.sql
    rows = loaded.database.rows(
        f"SELECT {column} FROM {bound.table.sql} GROUP BY {column} ORDER BY min(rowid)"
    )
    texts = [str(value) for (value,) in rows]
    return {text: text if text in named else member_name(bound.sort, text) for text in texts}


def _with_values(
    sort: SortDecl, loaded: LoadedTables, names: _MemberNames, named: dict[DeclaredSort, dict[str, str]]
) -> SortDecl:
    bound = next((each for each in loaded.sorts.values() if each.sort.name == sort.name), None)
    if bound is None:
        return sort
    places = named[bound.sort]
    values = [(name, places.get(text, bound.pointer)) for text, name in names[bound.sort].items()]
    return replace(sort, kind="EnumSort", values=values)


def _facts(bound: BoundFunction, loaded: LoadedTables, names: _MemberNames) -> Iterator[FactDecl]:
    """The facts of a function, one for each row that says something new."""
    columns = (*bound.arguments, *([] if bound.value is None else [bound.value]))
    listed = "".join(f"{each.sql}, " for each in columns)
    group = f"GROUP BY {listed.rstrip(', ')}" if columns else ""
    rows = loaded.database.rows(
        f"SELECT {listed}min(rowid) AS row FROM {bound.table.sql} {group} ORDER BY row"
    )
    for *values, row in rows:
        if row is None or (bound.value is not None and values[-1] is None):
            continue
        terms = [_term(each.sort, value, names) for each, value in zip(columns, values, strict=True)]
        root, text = _formula(bound, terms)
        shown = bound.value or (columns[0] if columns else None)
        yield FactDecl(
            bound.table.place(row, shown), Formula(bound.pointer, text, root), True, (), bound.pointer
        )


_Term = tuple[Expr, str]
"""A term and its text."""


def _formula(bound: BoundFunction, terms: list[_Term]) -> _Term:
    count = len(bound.arguments)
    head = written(bound.declaration.name)
    called = f"{head}({', '.join(text for _, text in terms[:count])})" if count else head
    name = Name(bound.declaration.name, 0, len(head))
    call: Expr = Call(name, [expr for expr, _ in terms[:count]], 0, len(called)) if count else name
    if bound.value is None:
        return call, called
    expr, text = terms[count]
    if bound.value.sort is BOOL:
        return (
            (call, called) if text == "True" else (Prefix("not", call, 0, len(called) + 4), f"not {called}")
        )
    whole = f"{called} == {text}"
    return Compare([call, expr], ["=="], 0, len(whole)), whole


def _term(sort: Sort, value: object, names: _MemberNames) -> _Term:
    if isinstance(sort, DeclaredSort | EnumSort):
        text = str(value)
        name = names[sort].get(text, text) if isinstance(sort, DeclaredSort) and sort in names else text
        return Name(name, 0, 0), written(name)
    if isinstance(value, bool):
        return Name(str(value), 0, 0), str(value)
    if isinstance(value, int | Decimal):
        text = f"{abs(value):f}" if isinstance(value, Decimal) else str(abs(value))
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        number = Number(text, 0, 0)
        return (Prefix("-", number, 0, 0), f"-{text}") if value < 0 else (number, text)
    if isinstance(value, date):
        return DateLiteral(value.isoformat(), 0, 0), value.isoformat()
    return StringLiteral(str(value), 0, 0), string_text(str(value))
