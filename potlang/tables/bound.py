"""Tables of a program as they are loaded: what their columns give, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from potlang.expressions.surface import FunctionDecl, TableSource
from potlang.ir.measures import DATE
from potlang.ir.sorts import INT, REAL, DeclaredSort, Sort
from potlang.tables.database import TableDatabase
from potlang.tables.reading import label_of


class SourceColumn(NamedTuple):
    """A typed column of a loaded table: its name in the file, and that of SQL.

    Members are texts, but where all columns of their sort are `numbered`.
    """

    name: str
    sql: str
    sort: Sort
    numbered: bool = False


@dataclass
class LoadedTable:
    """A table of the database; `rowid` + 1 is the row of the file."""

    source: TableSource
    sql: str
    columns: dict[tuple[str, Sort], SourceColumn] = field(default_factory=dict)
    rows: int = 0

    keys: dict[tuple[str, ...], bool] = field(default_factory=dict)

    def is_key(self, database: TableDatabase, columns: Sequence[str]) -> bool:
        """Whether no two rows have the same values in these columns."""
        names = tuple(dict.fromkeys(columns))
        if names not in self.keys:
            self.keys[names] = self._is_key(database, names)
        return self.keys[names]

    def _is_key(self, database: TableDatabase, names: tuple[str, ...]) -> bool:
        if self.rows <= 1 or not names:
            return self.rows <= 1
        if len(names) == 1:
            # Most keys rise from row to row, which is seen without a table of them; texts by length first, as
            # numbers do.
            (name,) = names
            column = next(each for each in self.columns.values() if each.sql == name)
            is_number = column.numbered or column.sort in (INT, REAL, DATE)
            rises = "a > b" if is_number else "(length(a), a) > (length(b), b)"
            pairs = f"SELECT {name} AS a, lag({name}) OVER () AS b FROM {self.sql}"
            if not database.rows(f"SELECT 1 FROM ({pairs}) WHERE b IS NOT NULL AND NOT ({rises}) LIMIT 1"):
                return True
        listed = ", ".join(names)
        twice = f"SELECT 1 FROM {self.sql} GROUP BY {listed} HAVING count(*) > 1 LIMIT 1"
        return not database.rows(twice)

    @property
    def label(self) -> str:
        """Its name in reports."""
        return label_of(self.source)

    def place(self, row: int, column: SourceColumn | None = None) -> str:
        """A row, counted from 0, and perhaps a column, as reports name it."""
        at = f"{self.label}, row {row + 1:,}"
        return at if column is None else f"{at}, column {column.name}"


class ColumnValues(NamedTuple):
    """The columns that give a sort its members, or a function its values, where `function` is set."""

    name: str
    columns: tuple[tuple[str, Sort], ...]
    function: FunctionDecl | None
    pointer: str


class BoundSort(NamedTuple):
    """A sort and the column that has its members."""

    sort: DeclaredSort
    table: LoadedTable
    column: SourceColumn
    pointer: str


class BoundFunction(NamedTuple):
    """A function and the columns of its arguments; without `value` it is a predicate that rows make true."""

    declaration: FunctionDecl
    table: LoadedTable
    arguments: tuple[SourceColumn, ...]
    value: SourceColumn | None
    pointer: str


@dataclass
class LoadedTables:
    """All tables of a program, typed and checked."""

    database: TableDatabase
    sorts: dict[DeclaredSort, BoundSort] = field(default_factory=dict)
    functions: dict[str, BoundFunction] = field(default_factory=dict)
    tables: list[LoadedTable] = field(default_factory=list)

    def is_numbered(self, sort: Sort) -> bool:
        """Whether the members of a sort are numbers."""
        bound = self.bound(sort)
        return bound is not None and bound.column.numbered

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.tables)

    def bound(self, sort: Sort | None) -> BoundSort | None:
        """The column with the members of a sort, if one has them."""
        return self.sorts.get(sort) if isinstance(sort, DeclaredSort) else None
