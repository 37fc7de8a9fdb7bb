"""Loads the tables of a program into DuckDB, with every value checked against its sort ([SRC-VALUE])."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from potlang.diag import Sink
from potlang.diag.near import nearest
from potlang.expressions.surface import (
    FunctionColumns,
    MemberColumn,
    ParsedProgram,
    SortExpr,
    TableSource,
)
from potlang.ir.sorts import BOOL, DeclaredSort, Sort
from potlang.sema.sorts import SortTable
from potlang.tables.access import TableAccess, TableProblem
from potlang.tables.bound import (
    BoundFunction,
    BoundSort,
    ColumnValues,
    LoadedTable,
    LoadedTables,
    SourceColumn,
)
from potlang.tables.checks import SHOWN, TableChecks, shortened, wanted
from potlang.tables.database import TableDatabase
from potlang.tables.reading import RawTable, file_of, label_of, number_columns, reading
from potlang.tables.values import fits, given, has_values, may_be_wrong, present, value
from potlang.utils.extra import MissingExtraError, not_installed


def load(program: ParsedProgram, access: TableAccess, sink: Sink) -> LoadedTables | None:
    """The tables of a program; None, with reports, where one cannot be had or has a wrong value."""
    errors = Sink()
    loader = _Loader(program, access, errors)
    try:
        loader.load()
    except MissingExtraError as error:
        source = program.sources[0]
        errors.report("POT8011", source.pointer, table=label_of(source), reason=not_installed(error.name))
    except BaseException:
        loader.close()
        raise
    for each in errors.diagnostics():
        sink.add(each)
    if errors.has_errors:
        loader.close()
        return None
    return loader.found


class _Loader:
    def __init__(self, program: ParsedProgram, access: TableAccess, sink: Sink) -> None:
        self._program = program
        self._access = access
        self._sink = sink
        self._sorts = SortTable(program.sorts, Sink())
        self._functions = {each.name: each for each in program.functions}
        self._taken: set[str] = set()
        """The sorts and functions that have a table."""
        self._numbered: frozenset[Sort] = frozenset()
        self.found: LoadedTables | None = None

    def close(self) -> None:
        if self.found is not None:
            self.found.database.close()

    def load(self) -> None:
        paths = {}
        for source in self._program.sources:
            try:
                paths[source.pointer] = file_of(source, self._access)
            except TableProblem as problem:
                self._report(problem, source)
        needed = [self._given(source) for source in self._program.sources]
        if self._sink.has_errors:
            return
        self.found = LoadedTables(TableDatabase([path for path in paths.values() if path is not None]))
        self._find_numbered(needed, list(paths.values()), self.found.database)
        for source, each in zip(self._program.sources, needed, strict=True):
            if not each:
                # It gives nothing.
                continue
            try:
                self._load(source, each, self.found)
            except TableProblem as problem:
                self._report(problem, source)
        if not self._sink.has_errors:
            TableChecks(self._program, self.found, self._sorts.resolve, self._sink).run()

    def _find_numbered(
        self, needed: Sequence[Sequence[ColumnValues]], paths: Sequence[Path | None], database: TableDatabase
    ) -> None:
        """Finds the sorts whose members are whole numbers in every column: these are quicker than texts."""
        texts: set[Sort] = set()
        for source, path, given_ in zip(self._program.sources, paths, needed, strict=True):
            numbers = number_columns(source, path, database)
            texts.update(sort for each in given_ for name, sort in each.columns if name not in numbers)
        sorts = {each.columns[0][1] for given_ in needed for each in given_ if each.function is None}
        self._numbered = frozenset(sorts - texts)

    def _report(self, problem: TableProblem, source: TableSource) -> None:
        self._sink.report(problem.code, source.pointer, helps=problem.helps, **problem.fields)

    def _unbound(self, pointer: str, name: str, problem: str, helps: Sequence[str] = ()) -> None:
        self._sink.report("POT8015", pointer, name=name, problem=problem, helps=helps)

    # --- what columns give -------------------------------------------------------------------------------

    def _given(self, source: TableSource) -> list[ColumnValues]:
        found = [self._members(each) for each in source.members]
        found += [self._function(each) for each in source.functions]
        return [each for each in found if each is not None]

    def _members(self, each: MemberColumn) -> ColumnValues | None:
        sort = self._sorts.resolve(SortExpr(each.sort, [], each.pointer, 0, len(each.sort)))
        problem, helps = "", []
        if sort is None:
            problem = "no such sort is declared"
            near = nearest(each.sort, [one.name for one in self._program.sorts], 3)
            helps = [f"did you mean `{near[0]}`?"] if near else []
        elif not isinstance(sort, DeclaredSort):
            problem = "its type is not DeclareSort"
        elif f"sort {sort}" in self._taken:
            problem = "another column has its members"
        if problem or sort is None:
            self._unbound(each.pointer, each.sort, problem, helps)
            return None
        self._taken.add(f"sort {sort}")
        return ColumnValues(str(sort), ((each.column, sort),), None, each.pointer)

    def _function(self, each: FunctionColumns) -> ColumnValues | None:
        declared = self._functions.get(each.name)
        problem, helps = "", []
        sorts: list[Sort] = []
        if declared is None:
            problem = "no such function is declared"
            near = nearest(each.name, list(self._functions), 3)
            helps = [f"did you mean `{near[0]}`?"] if near else []
        elif declared.body is not None:
            problem = "its body says its values"
        elif len(declared.domain) != len(each.arguments):
            problem = f"columns for {len(each.arguments)} arguments, where it has {len(declared.domain)}"
        elif each.name in self._taken:
            problem = "another table has its values"
        else:
            resolved = [self._sorts.resolve(one) for one in (*declared.domain, declared.range)]
            sorts = [one for one in resolved if one is not None]
            if len(sorts) < len(resolved):
                # The declaration is reported where it stands.
                return None
            *domain, range_ = sorts
            wrong = [one for one in domain if not has_values(one) or one is BOOL]
            wrong += [] if has_values(range_) else [range_]
            if wrong:
                problem = f"columns have no values of sort {wrong[0]}"
            elif each.value is None and range_ is not BOOL:
                problem, helps = (
                    "no column has its value",
                    ["add `value`, the column of the function's value"],
                )
        if problem:
            self._unbound(each.pointer, each.name, problem, helps)
            return None
        self._taken.add(each.name)
        names = (*each.arguments, *(() if each.value is None else (each.value,)))
        return ColumnValues(each.name, tuple(zip(names, sorts, strict=False)), declared, each.pointer)

    # --- one table ---------------------------------------------------------------------------------------

    def _load(self, source: TableSource, needed: Sequence[ColumnValues], found: LoadedTables) -> None:
        table = LoadedTable(source, f"t{len(found.tables)}")
        for each in needed:
            for name, sort in each.columns:
                sql = f"c{len(table.columns)}"
                table.columns.setdefault((name, sort), SourceColumn(name, sql, sort, sort in self._numbered))
        found.tables.append(table)
        names = list(dict.fromkeys(name for name, _ in table.columns))
        path = file_of(source, self._access)
        with reading(source, path, self._access, names, found.database) as raw:
            if self._fits(table, raw, needed):
                self._read(table, raw, found.database, needed)
        for each in needed:
            columns = tuple([table.columns[pair] for pair in each.columns])
            if each.function is None:
                sort = each.columns[0][1]
                assert isinstance(sort, DeclaredSort)
                found.sorts[sort] = BoundSort(sort, table, columns[0], each.pointer)
            else:
                count = len(each.function.domain)
                of_value = columns[count] if len(columns) > count else None
                found.functions[each.name] = BoundFunction(
                    each.function, table, columns[:count], of_value, each.pointer
                )

    def _fits(self, table: LoadedTable, raw: RawTable, needed: Sequence[ColumnValues]) -> bool:
        """Whether each column may hold values of its sort; reports those that do not."""
        fine = True
        for each in needed:
            for column, sort in each.columns:
                if not fits(sort, raw.columns[column]):
                    kind = raw.columns[column].type
                    problem = f"column `{column}` of {table.label} is of type {kind}, which is not {sort}"
                    self._unbound(each.pointer, each.name, problem)
                    fine = False
        return fine

    def _read(
        self, table: LoadedTable, raw: RawTable, database: TableDatabase, needed: Sequence[ColumnValues]
    ) -> None:
        """Makes the table. `wrong` is the number of a column whose value is not of its sort."""
        columns = list(table.columns.values())
        made = [
            f"{value(each.sort, raw.columns[each.name], numbered=each.numbered)} AS {each.sql}"
            for each in columns
        ]
        said = [f"{present(raw.columns[each.name])} AS g{n}" for n, each in enumerate(columns)]
        wrong = "".join(
            f" WHEN g{n} AND {each.sql} IS NULL THEN {n}"
            for n, each in enumerate(columns)
            if may_be_wrong(each.sort, raw.columns[each.name])
        )
        inner = f"SELECT {', '.join([*made, *said, f'{raw.whole} AS whole'])} FROM {raw.relation}"
        kept = [each.sql for each in columns]
        is_checked = bool(wrong) or raw.whole != "true" or not kept
        flag = f"CAST(CASE WHEN NOT whole THEN -1{wrong} END AS SMALLINT) AS wrong"
        listed = ", ".join([*kept, *([flag] if is_checked else [])])
        database.rows(f"CREATE TABLE {table.sql} AS SELECT {listed} FROM ({inner})", raw.parameters)
        table.rows = database.number(f"SELECT count(*) FROM {table.sql}")
        if not is_checked:
            return
        counts = f"SELECT wrong, count(*) FROM {table.sql} WHERE wrong IS NOT NULL GROUP BY ALL ORDER BY ALL"
        for number, count in database.rows(counts):
            column = None if number < 0 else columns[number]
            places = [
                each.pointer
                for each in needed
                if column is None or (column.name, column.sort) in each.columns
            ]
            rows = database.rows(
                f"SELECT rowid FROM {table.sql} WHERE wrong = $wrong ORDER BY rowid LIMIT {SHOWN}",
                {"wrong": number},
            )
            shown = "json" if column is None else given(raw.columns[column.name])
            for at, (row,) in enumerate(rows):
                one = f"SELECT CAST({shown} AS VARCHAR) FROM {raw.relation} LIMIT 1 OFFSET {row}"
                ((text,),) = database.rows(one, raw.parameters)
                more = count - SHOWN if at == SHOWN - 1 else 0
                notes = [f"{more:,} more rows have this mistake"] if more > 0 else []
                self._sink.report(
                    "POT8013",
                    places[0],
                    place=table.place(row, column),
                    value=shortened(text),
                    wanted="an object" if column is None else wanted(column.sort),
                    notes=notes,
                )
