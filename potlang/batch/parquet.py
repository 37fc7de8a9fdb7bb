"""The rows of a shard as a Parquet file, from its JSON Lines ([BATCH-PARQUET])."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from potlang.utils.extra import needed
from potlang.utils.serialize import json_text

_GROUP: Final = 1_000
"""Rows of a group: so many are in memory at once."""
_TEXTS: Final = ("id", "file", "language", "verdict", "fault")


def write_parquet(lines: Path, target: Path, carry: Sequence[str]) -> None:
    """Write the rows of a file of JSON Lines, the same ones to the same bytes; `carry` are further members.

    Raises OSError, and MissingExtraError without pyarrow.
    """
    arrow, parquet = needed("pyarrow", "frames"), needed("pyarrow.parquet", "frames")
    names = ("id", "file", "line", *carry, "language", "verdict", "fault", "report")
    kinds = {"line": arrow.int64()}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in names])
    with (
        lines.open("rb") as stream,
        target.open("wb") as out,
        parquet.ParquetWriter(out, schema, compression="zstd") as writer,
    ):
        rows = (_texts(json.loads(line)) for line in stream)
        for group in iter(lambda: list(islice(rows, _GROUP)), []):
            writer.write_table(arrow.Table.from_pylist(group, schema))
    with target.open("rb") as written:
        os.fsync(written.fileno())


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    """Members that may be anything are JSON text; an `id` is a text as it is, or the digits of a number."""
    texts = {name: None if row.get(name) is None else _encodable(str(row[name])) for name in _TEXTS}
    others = {name: json_text(value, None) for name, value in row.items() if name not in texts}
    return {**others, **texts, "line": row.get("line")}


def _encodable(text: str) -> str:
    """Names of files and ids may have lone surrogates, which UTF-8 has not."""
    return text.encode("utf-8", "backslashreplace").decode()


def lines_query(carry: Sequence[str]) -> str:
    """DuckDB's query for the rows of Parquet files, its parameter, as the JSON objects that they were."""
    casts = (f"{json_of(name)} AS {name}" for name in map(_quoted, ("report", *carry)))
    return f"SELECT to_json(t) AS line FROM (SELECT * REPLACE ({', '.join(casts)}) FROM read_parquet(?)) t"


def json_of(column: str) -> str:
    """DuckDB's expression for JSON text as a value: without lone surrogates, which it takes for no text."""
    escapes, replacement = r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", r"\\ufffd"
    return f"CAST(regexp_replace({column}, '{escapes}', '{replacement}', 'g') AS JSON)"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
