"""Versions whose facts stay in large tables: the rows that one has alone, and statements asked of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from shutil import move
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from potlang.ir.module import Module
from potlang.ir.sorts import REAL
from potlang.languages.pot.program import CompileError, Program
from potlang.policy.directions import question
from potlang.policy.statements import PolicyStatement
from potlang.policy.tests import reports
from potlang.policy.wording import value_with_names
from potlang.report.results import Limits, Result
from potlang.sema.emit import Unwritable
from potlang.tables.database import quoted
from potlang.utils.deadline import OutOfFuel, within

if TYPE_CHECKING:
    from potlang.tables.bound import LoadedTables, SourceColumn

_SHOWN: Final = 3
_FILE: Final = "rows.parquet"


class RowsAlone(NamedTuple):
    """How many rows one version has alone, and the first of them.

    A row is the values of its columns: a member; or arguments, and then the value.
    """

    total: int
    first: tuple[tuple[str, ...], ...]


class RowChange(NamedTuple):
    """The rows of a sort or a function that each version has alone."""

    name: str
    old: RowsAlone
    new: RowsAlone


def row_changes(
    old: LoadedTables, new: LoadedTables, names: Mapping[str, str], limits: Limits
) -> tuple[tuple[RowChange, ...], dict[str, str]]:
    """The rows of what both have in large tables, as far as they differ; `names` are renamed words.

    And of what it is not known within the total limit and the database's, the reason by name.
    """
    before = {names.get(name, name): query for name, query in _relations(old)}
    after = dict(_relations(new))
    found: list[RowChange] = []
    unknown: dict[str, str] = {}
    try:
        with within(limits.total_ms):
            for name in sorted(before.keys() & after.keys()):
                try:
                    found.append(_compared(name, old, new, before[name], after[name]))
                except (old.database.error, new.database.error, OSError) as error:
                    unknown[name] = str(error).partition("\n")[0]
    except OutOfFuel:
        known = {*unknown, *(each.name for each in found)}
        unknown |= dict.fromkeys((before.keys() & after.keys()) - known, "timeout")
    changes = [each for each in found if each.old.total or each.new.total]
    return tuple(sorted(changes, key=lambda each: each.name)), unknown


def only_in_one(
    old: LoadedTables | None, new: LoadedTables | None, names: Mapping[str, str]
) -> Iterator[tuple[Literal["old", "new"], str]]:
    """The sorts and functions that have a large table in one version alone, by that version and new names."""
    before, after = (dict(_relations(each)) if each is not None else {} for each in (old, new))
    renamed = {names.get(name, name) for name in before}
    yield from (("old", name) for name in sorted(renamed - after.keys()))
    yield from (("new", name) for name in sorted(after.keys() - renamed))


def _relations(tables: LoadedTables) -> Iterator[tuple[str, str]]:
    """The name of each sort and function with the query for its rows, all columns as text."""
    for sort, bound in tables.sorts.items():
        yield sort.name, _query([bound.column], bound.table.sql)
    for name, function in tables.functions.items():
        value = [] if function.value is None else [function.value]
        yield name, _query([*function.arguments, *value], function.table.sql)


def _query(columns: Sequence[SourceColumn], table: str) -> str:
    listed = ", ".join(f"{_text(each)} AS c{at}" for at, each in enumerate(columns))
    # A row without a value says nothing.
    said = " AND ".join(f"{each.sql} IS NOT NULL" for each in columns) or "true"
    return f"SELECT DISTINCT {listed or '1 AS c0'} FROM {table} WHERE {said}"


def _text(column: SourceColumn) -> str:
    """The value of a column as text; that of a real number without the noughts at its end."""
    text = f"CAST({column.sql} AS VARCHAR)"
    return f"rtrim(rtrim({text}, '0'), '.')" if column.sort is REAL else text


def _compared(name: str, old: LoadedTables, new: LoadedTables, before: str, after: str) -> RowChange:
    # The databases are apart, and neither may read the other's files: the rows go over in one.
    written, place = (each.database.folder / _FILE for each in (old, new))
    old.database.rows(f"COPY ({before}) TO {quoted(str(written))} (FORMAT parquet)")
    if written != place:
        move(written, place)
    try:
        theirs = f"SELECT * FROM read_parquet({quoted(str(place))})"
        only_old, only_new = (
            new.database.new_table(f"{one} EXCEPT {other}")
            for one, other in ((theirs, f"({after})"), (f"({after})", theirs))
        )
    finally:
        place.unlink(missing_ok=True)
    found = RowChange(name, *(_counted(new, table) for table in (only_old, only_new)))
    for table in (only_old, only_new):
        new.database.rows(f"DROP TABLE {table}")
    return found


def _counted(tables: LoadedTables, table: str) -> RowsAlone:
    shown = tables.database.rows(f"SELECT * FROM {table} ORDER BY ALL LIMIT {_SHOWN}")
    return RowsAlone(tables.database.number(f"SELECT count(*) FROM {table}"), tuple(shown))


def asked_of_rows(
    program: Program,
    base: Module,
    other: Module,
    statements: Sequence[PolicyStatement],
    names: Mapping[str, str],
    limits: Limits,
) -> list[Result | None]:
    """The verdicts of a version with its rows on statements of the other, in this version's `names`.

    None for a statement that it has no words for.
    """
    try:
        written = question(base, other, [each.claim for each in statements])["verifications"]
        asked = [(value_with_names(each, names), None) for each in written]
        found = list(reports(program, asked, limits))
    except (Unwritable, CompileError):
        return [None] * len(statements)
    return [each.results[0] if each.results else None for each in found]
