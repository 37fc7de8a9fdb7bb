"""Tables in each format, and programs over them."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

Row = Sequence[Any]
FILES = ("csv", "parquet", "json", "jsonl", "sqlite")
"""The endings of the formats that are files."""


def write_table(path: Path, columns: Mapping[str, str], rows: Sequence[Row]) -> dict[str, str]:
    """Writes a table, whose columns have types of SQL, as the ending says; the keys that name it."""
    names = list(columns)
    match path.suffix:
        case ".csv":
            # The library's writer does not tell an empty string from nothing.
            lines = [",".join(map(quoted, each)) for each in (names, *rows)]
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
        case ".json":
            path.write_text(json.dumps([objects(names, row) for row in rows], ensure_ascii=False), "utf-8")
        case ".jsonl":
            lines = [json.dumps(objects(names, row), ensure_ascii=False) for row in rows]
            path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        case ".sqlite":
            with closing(sqlite3.connect(path)) as connection:
                listed = ", ".join(f'"{name}"' for name in names)
                connection.execute(f"CREATE TABLE people ({listed})")
                marks = ", ".join("?" * len(names))
                connection.executemany(f"INSERT INTO people VALUES ({marks})", rows)
                connection.commit()
            return {"file": path.name, "table": "people"}
        case ".parquet":
            with closing(duckdb.connect(":memory:")) as database:
                listed = ", ".join(f'"{name}" {type_}' for name, type_ in columns.items())
                database.execute(f"CREATE TABLE people ({listed})")
                for row in rows:
                    database.execute(f"INSERT INTO people VALUES ({', '.join('?' * len(names))})", list(row))
                database.execute(f"COPY people TO '{path}' (FORMAT parquet)")
    return {"file": path.name}


def quoted(value: Any) -> str:
    """A field of CSV: nothing for None."""
    return "" if value is None else '"' + str(value).replace('"', '""') + '"'


def objects(names: Sequence[str], row: Row) -> dict[str, Any]:
    return {name: value for name, value in zip(names, row, strict=True) if value is not None}


def csv_text(*lines: Row) -> str:
    """Lines as the standard library writes them."""
    from io import StringIO

    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def people(source: Mapping[str, Any], **sections: Any) -> dict[str, Any]:
    """A program over a table of people with `id`, `age` and `boss`, and what else it has."""
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            {"name": "age", "domain": ["Person"], "range": "Int"},
            {"name": "boss", "domain": ["Person"], "range": "Person"},
        ],
        "sources": [
            {
                **source,
                "members": [{"sort": "Person", "column": "id"}],
                "functions": [
                    {"name": "age", "arguments": ["id"], "value": "age"},
                    {"name": "boss", "arguments": ["id"], "value": "boss"},
                ],
            }
        ],
        **sections,
    }
