"""Tables as DuckDB reads them: one raw column for each that the program names ([SRC-FORMAT])."""

from __future__ import annotations

import csv
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

from potlang.diag.near import nearest
from potlang.expressions.surface import TableSource
from potlang.tables.access import POSTGRES_VARIABLE, TableAccess, TableProblem
from potlang.tables.database import TableDatabase
from potlang.utils.deadline import look
from potlang.utils.extra import MissingExtraError, needed, not_installed

Family = Literal["written", "json", "integer", "decimal", "float", "text", "bool", "date", "other"]
"""The contents of a raw column: text that is to be read, JSON values, or values of a type."""

_BY_ENDING: Final = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), "sqlite"),
}
_BATCH: Final = 10_000
_CSV_FIELD: Final = (
    "CASE typeof({0}) WHEN 'null' THEN '' WHEN 'blob' THEN NULL "
    "WHEN 'real' THEN '\"' || shortest({0}) || '\"' "
    "ELSE '\"' || replace({0}, '\"', '\"\"') || '\"' END"
)
"""A column as a field of CSV, by SQLite: nothing for NULL, and NULL for bytes, of which there is no text."""
_END: Final = 4_096
"""Bytes of a file's beginning, or end, that are looked at."""
_LONGEST_HEADER: Final = 1 << 20
_CSV: Final = (
    "auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
    "allow_quoted_nulls = false, compression = 'none', max_line_size = 16777216, strict_mode = true"
)
_FAMILIES: Final[dict[str, Family]] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
    "VARCHAR": "text",
    "BOOLEAN": "bool",
    "DATE": "date",
}


NUMBERS: Final = frozenset(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"))


class RawColumn(NamedTuple):
    """A column as an expression of SQL, and what it holds."""

    expression: str
    family: Family
    type: str = ""
    """The word of the file for that."""


class RawTable(NamedTuple):
    """A table before its values are checked.

    `relation` stands behind FROM, with `parameters`; `columns` are those that the program names. `whole` is
    true of each row that is one, such as an object.
    """

    relation: str
    parameters: dict[str, object]
    columns: dict[str, RawColumn]
    whole: str = "true"


def file_of(source: TableSource, access: TableAccess) -> Path | None:
    """The real path of the file of a source; None for PostgreSQL. Raises TableProblem."""
    if source.file is None:
        if access.postgres is None:
            helps = [
                f"name a database in the environment: {POSTGRES_VARIABLE}=postgresql://…",
                "or add `file`",
            ]
            raise TableProblem(
                "POT8010", table=label_of(source), problem="no database is allowed", helps=helps
            )
        return None
    return access.file(source.file)


def label_of(source: TableSource) -> str:
    """The name of a table in reports."""
    return source.name or source.file or source.table or "the table"


@contextmanager
def reading(
    source: TableSource, path: Path | None, access: TableAccess, names: Sequence[str], database: TableDatabase
) -> Iterator[RawTable]:
    """The raw table, to be read at once. Raises TableProblem, also where the file changes meanwhile."""
    try:
        with _raw(source, path, access, names, database) as raw:
            yield raw
    finally:
        for spool in database.folder.glob("spool-*"):
            spool.unlink()


@contextmanager
def _raw(
    source: TableSource, path: Path | None, access: TableAccess, names: Sequence[str], database: TableDatabase
) -> Iterator[RawTable]:
    if path is None:
        yield _postgres(source, str(access.postgres), names, database)
        return
    kind = source.format or _BY_ENDING.get(path.suffix.lower())
    read = _READERS.get(kind or "")
    if read is None:
        helps = ["add `format`: csv, parquet, json or sqlite"]
        raise _unreadable(source, "its format is not known by its ending", helps)
    if (source.table is None) is (kind == "sqlite"):
        problem = "`table` is missing" if source.table is None else f"a {kind} file has no tables"
        raise _unreadable(source, problem, ["`table` names the table of a database, and of nothing else"])
    before = _state(path, source)
    try:
        yield read(source, path, names, database)
    except (database.error, sqlite3.Error, OSError, UnicodeError, csv.Error) as error:
        raise _unreadable(source, _first_line(error).replace(str(path), path.name)) from error
    if _state(path, source) != before:
        raise _unreadable(source, "it has changed while it was read", ["try again when nobody writes to it"])


def number_columns(source: TableSource, path: Path | None, database: TableDatabase) -> frozenset[str]:
    """The columns of a file that hold whole numbers of at most 64 bits, as far as its format says."""
    if path is None or (source.format or _BY_ENDING.get(path.suffix.lower())) != "parquet":
        return frozenset()
    try:
        found = database.rows("DESCRIBE SELECT * FROM read_parquet($path)", {"path": str(path)})
    except database.error:
        # Reading it says why.
        return frozenset()
    return frozenset(str(each[0]) for each in found if each[1] in NUMBERS)


def _state(path: Path, source: TableSource) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError as error:
        raise _unreadable(source, _first_line(error)) from error
    return found.st_ino, found.st_size, found.st_mtime_ns


def _unreadable(source: TableSource, reason: str, helps: Sequence[str] = ()) -> TableProblem:
    return TableProblem("POT8011", table=label_of(source), reason=reason, helps=helps)


def _first_line(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or "it cannot be opened"
    return str(error).partition("\n")[0]


def _chosen(source: TableSource, names: Sequence[str], known: Sequence[str]) -> list[int]:
    """The places of columns. Raises TableProblem for one that is not there, or is there twice."""
    for name in names:
        if known.count(name) != 1:
            near = nearest(name, known, 3)
            listed = ", ".join(f"`{each}`" for each in known[:20])
            helps = [f"did you mean `{near[0]}`?"] if near else [f"its columns are {listed or 'none'}"]
            if name in known:
                helps = ["two columns have this name"]
            raise TableProblem("POT8012", table=label_of(source), column=name, helps=helps)
    return [known.index(name) for name in names]


# --- formats ---------------------------------------------------------------------------------------------


def _csv(source: TableSource, path: Path, names: Sequence[str], database: TableDatabase) -> RawTable:
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader([file.readline(_LONGEST_HEADER)]), [])
    if not header:
        raise _unreadable(source, "it has no header line")
    return _written(path, names, _chosen(source, names, header), len(header), has_header=True)


def _written(
    path: Path, names: Sequence[str], places: Sequence[int], width: int, *, has_header: bool
) -> RawTable:
    types = ", ".join(f"'c{n}': 'VARCHAR'" for n in range(width))
    relation = f"read_csv($path, columns = {{{types}}}, header = {str(has_header).lower()}, {_CSV})"
    columns = {
        name: RawColumn(f"c{place}", "written", "text") for name, place in zip(names, places, strict=True)
    }
    return RawTable(relation, {"path": str(path)}, columns)


def _parquet(source: TableSource, path: Path, names: Sequence[str], database: TableDatabase) -> RawTable:
    parameters: dict[str, object] = {"path": str(path)}
    found = database.rows("DESCRIBE SELECT * FROM read_parquet($path)", parameters)
    places = _chosen(source, names, [str(each[0]) for each in found])
    aliases = ", ".join(f"c{n}" for n in range(len(found)))
    columns = {
        name: RawColumn(f"c{place}", _family(str(found[place][1])), str(found[place][1]))
        for name, place in zip(names, places, strict=True)
    }
    return RawTable(f"read_parquet($path) AS file({aliases})", parameters, columns)


def _family(type_: str) -> Family:
    return "decimal" if type_.startswith("DECIMAL(") else _FAMILIES.get(type_, "other")


def _json(source: TableSource, path: Path, names: Sequence[str], database: TableDatabase) -> RawTable:
    with path.open("rb") as file:
        start = file.read(_END).lstrip(b"\xef\xbb\xbf \t\r\n")
        file.seek(-min(_END, path.stat().st_size), os.SEEK_END)
        end = file.read().rstrip()
    form = "array" if start.startswith(b"[") else "newline_delimited"
    if form == "array" and not end.endswith(b"]"):
        # DuckDB takes a list that is cut off for a whole one.
        raise _unreadable(source, "its list has no end")
    parameters: dict[str, object] = {"path": str(path)}
    relation = f"read_json_objects($path, format = '{form}', compression = 'none')"
    columns = {}
    for number, name in enumerate(names):
        parameters[f"key{number}"] = "/" + name.replace("~", "~0").replace("/", "~1")
        columns[name] = RawColumn(f"json_extract(json, $key{number})", "json", "JSON")
    raw = RawTable(relation, parameters, columns, "json_type(json) = 'OBJECT'")
    counted = ", ".join(f"count({each.expression})" for each in columns.values())
    ((rows, *found),) = database.rows(f"SELECT count(*), {counted} FROM {relation}", parameters)
    for name, count in zip(names, found, strict=True):
        if rows and not count:
            raise TableProblem(
                "POT8012", table=label_of(source), column=name, helps=["no object has this key"]
            )
    return raw


def _sqlite(source: TableSource, path: Path, names: Sequence[str], database: TableDatabase) -> RawTable:
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?", (source.table,)
        ).fetchone()
        if found is None:
            raise _unreadable(source, f"it has no table `{source.table}`")
        table = _identifier(found[0])
        known = [each[0] for each in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]
        _chosen(source, names, known)
        connection.create_function("shortest", 1, repr, deterministic=True)
        line = " || ',' || ".join(_CSV_FIELD.format(_identifier(name)) for name in names)
        rows = connection.execute(f"SELECT {line} FROM {table}")
        spool = database.folder / "spool-0.csv"
        _spool(source, spool, lambda: rows.fetchmany(_BATCH))
    return _written(spool, names, range(len(names)), len(names), has_header=False)


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _spool(source: TableSource, path: Path, batch: Callable[[], list[tuple[str | None]]]) -> None:
    """Writes lines of CSV."""
    done = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        while rows := batch():
            look()
            lines = [line for (line,) in rows]
            if None in lines:
                raise _unreadable(source, f"row {done + lines.index(None) + 1:,} has bytes in a column")
            done += len(lines)
            file.write("\n".join(map(str, lines)) + "\n")


def _postgres(
    source: TableSource, connection: str, names: Sequence[str], database: TableDatabase
) -> RawTable:
    if source.table is None:
        raise _unreadable(source, "`table` is missing", ["name the table, `people` or `schema.people`"])
    try:
        psycopg = needed("psycopg", "postgres")
        sql = needed("psycopg.sql", "postgres")
    except MissingExtraError as error:
        raise _unreadable(source, not_installed(error.name)) from error
    spool = database.folder / "spool-0.csv"
    table = sql.Identifier(*source.table.split("."))
    try:
        with psycopg.connect(connection, connect_timeout=10) as session, session.cursor() as cursor:
            session.read_only = True
            cursor.execute("SET DateStyle = ISO")
            cursor.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(table))
            _chosen(source, names, [each.name for each in cursor.description])
            listed = sql.SQL(", ").join(map(sql.Identifier, names))
            query = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT csv, FORCE_QUOTE *, ENCODING 'UTF8')")
            with cursor.copy(query.format(listed, table)) as copy, spool.open("wb") as file:
                # A part is a row.
                for number, part in enumerate(copy):
                    if number % _BATCH == 0:
                        look()
                    file.write(part)
    except psycopg.Error as error:
        raise _unreadable(source, _first_line(error)) from error
    return _written(spool, names, range(len(names)), len(names), has_header=False)


_READERS: Final = {"csv": _csv, "parquet": _parquet, "json": _json, "sqlite": _sqlite}
