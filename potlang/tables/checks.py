"""Checks of loaded tables: no key is missing, members are those of their sorts, functions have one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from potlang.diag import Sink
from potlang.expressions.surface import ParsedProgram, SortExpr
from potlang.ir.sorts import INT, REAL, DeclaredSort, EnumSort, Sort
from potlang.tables.bound import BoundFunction, LoadedTable, LoadedTables, SourceColumn

SHOWN: Final = 5
"""Rows with one kind of mistake that are reported; the rest is counted."""
_LONGEST: Final = 60


class TableChecks:
    """Reports what is wrong with tables whose values are of their sorts ([SRC-KEY], [SRC-MEMBER])."""

    def __init__(
        self,
        program: ParsedProgram,
        found: LoadedTables,
        resolve: Callable[[SortExpr], Sort | None],
        sink: Sink,
    ) -> None:
        self._program = program
        self._found = found
        self._database = found.database
        self._resolve = resolve
        self._sink = sink

    def run(self) -> None:
        """Make all reports."""
        for bound in self._found.sorts.values():
            self._no_key_missing(bound.table, bound.column, bound.pointer)
            if not bound.table.rows:
                self._unbound(bound.pointer, bound.sort.name, f"{bound.table.label} has no rows")
        for function in self._found.functions.values():
            for column in function.arguments:
                self._no_key_missing(function.table, column, function.pointer)
        if self._sink.has_errors:
            return
        self._constants()
        checked: set[tuple[str, str]] = set()
        for function in self._found.functions.values():
            for column in (*function.arguments, *([] if function.value is None else [function.value])):
                if (function.table.sql, column.sql) not in checked:
                    checked.add((function.table.sql, column.sql))
                    self._members_alone(function.table, column, function.pointer)
            if function.value is not None:
                self._one_value(function)

    def _unbound(self, pointer: str, name: str, problem: str) -> None:
        self._sink.report("POT8015", pointer, name=name, problem=problem)

    def _each(
        self,
        code: str,
        pointer: str,
        table: LoadedTable,
        column: SourceColumn,
        found: list[tuple[int, int, dict[str, Any]]],
    ) -> None:
        """A report on each row: the row, how many rows have this mistake, and fields of the code."""
        for at, (row, count, fields) in enumerate(found):
            more = count - SHOWN if at == SHOWN - 1 else 0
            notes = [f"{more:,} more rows have this mistake"] if more > 0 else []
            self._sink.report(code, pointer, place=table.place(row, column), notes=notes, **fields)

    def _no_key_missing(self, table: LoadedTable, column: SourceColumn, pointer: str) -> None:
        rows = self._database.rows(
            f"SELECT rowid, count(*) OVER () FROM {table.sql} WHERE {column.sql} IS NULL "
            f"ORDER BY rowid LIMIT {SHOWN}"
        )
        self._each("POT8014", pointer, table, column, [(row, count, {}) for row, count in rows])

    def _constants(self) -> None:
        """The constants of a sort are among its members."""
        for group in self._program.constants:
            bound = self._found.bound(self._resolve(group.sort))
            for name, pointer in group.members if bound is not None else ():
                assert bound is not None
                same = f"CAST({bound.column.sql} AS VARCHAR) = $name"
                query = f"SELECT count(*) FROM {bound.table.sql} WHERE {same}"
                if not self._database.number(query, {"name": name}):
                    where = f"column `{bound.column.name}` of {bound.table.label}"
                    self._unbound(pointer, name, f"{where} has no such member of {bound.sort}")

    def _listed(self, sort: Sort) -> list[str]:
        """The members that the program itself names."""
        if isinstance(sort, EnumSort):
            return list(sort.values)
        groups = [group for group in self._program.constants if self._resolve(group.sort) == sort]
        return [name for group in groups for name, _ in group.members]

    def _members_alone(self, table: LoadedTable, column: SourceColumn, pointer: str) -> None:
        if not isinstance(column.sort, DeclaredSort | EnumSort):
            return
        bound = self._found.bound(column.sort)
        parameters: dict[str, object] = {}
        if bound is not None:
            if (bound.table.sql, bound.column.sql) == (table.sql, column.sql):
                return
            is_key = bound.table.is_key(self._database, [bound.column.sql])
            once = "" if is_key else "DISTINCT "
            members = f"SELECT {once}{bound.column.sql} AS member FROM {bound.table.sql}"
        else:
            parameters["members"] = self._listed(column.sort)
            members = "SELECT DISTINCT unnest($members::VARCHAR[]) AS member"
        # A join with members of which each is there once is several times as fast as NOT IN.
        known = f"SELECT count(*) FROM {table.sql} JOIN ({members}) ON member = {column.sql}"
        said = f"SELECT count({column.sql}) FROM {table.sql}"
        if self._database.number(known, parameters) == self._database.number(said):
            return
        others = f"FROM {table.sql} WHERE {column.sql} IS NOT NULL AND {column.sql} NOT IN ({members})"
        rows = self._database.rows(
            f"SELECT rowid, {column.sql}, count(*) OVER () {others} ORDER BY rowid LIMIT {SHOWN}", parameters
        )
        found = [
            (row, count, {"value": shortened(str(text)), "wanted": wanted(column.sort)})
            for row, text, count in rows
        ]
        self._each("POT8013", pointer, table, column, found)

    def _one_value(self, function: BoundFunction) -> None:
        assert function.value is not None
        table, of_value = function.table, function.value.sql
        if table.is_key(self._database, [each.sql for each in function.arguments]):
            return
        keys = ", ".join(each.sql for each in function.arguments)
        group = f"GROUP BY {keys} HAVING" if keys else "HAVING"
        query = (
            f"SELECT arg_max(rowid, {of_value}) AS high, arg_min(rowid, {of_value}) AS low "
            f"FROM {table.sql} WHERE {of_value} IS NOT NULL {group} min({of_value}) <> max({of_value})"
        )
        pairs = self._database.rows(
            f"SELECT least(high, low) AS one, greatest(high, low), count(*) OVER () FROM ({query}) "
            f"ORDER BY one LIMIT {SHOWN}"
        )
        name = function.declaration.name
        found = [(other, count, {"name": name, "row": f"{one + 1:,}"}) for one, other, count in pairs]
        self._each("POT8016", function.pointer, table, function.value, found)


def wanted(sort: Sort) -> str:
    """The values that a column has to have, in words."""
    if isinstance(sort, DeclaredSort | EnumSort):
        return f"a member of {sort}"
    return {INT: "an Int of 64 bits", REAL: "a Real of at most 12 decimal places"}.get(sort, f"a {sort}")


def shortened(text: str) -> str:
    """A value as it is shown."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
