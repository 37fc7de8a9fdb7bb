"""Tables of a batch's results, by DuckDB over its files ([BATCH-RESULTS])."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from potlang.batch.manifest import NAME, read_manifest
from potlang.batch.parquet import json_of, lines_query
from potlang.batch.rows import PARQUET, ROWS_FOLDER, TIMES_FOLDER
from potlang.report.table import Column, Table
from potlang.utils.extra import needed

_PARTS: Final = {
    "claims": ("$.report.results[*]", "pot"),
    "steps": ("$.report.steps[*].result", "dagmath"),
    "diagnostics": ("$.report.diagnostics[*]", None),
}
"""Parts of reports, by path, and the language whose reports alone have them."""
_QUERIES: Final[dict[str, tuple[str, tuple[Column, ...], str]]] = {
    "verdicts": (
        "Jobs by verdict",
        (Column("language"), Column("verdict"), Column("jobs", "count")),
        "SELECT split, language, verdict, count(*) FROM jobs GROUP BY ALL ORDER BY ALL",
    ),
    "claims": (
        "Claims by route and tier of trust",
        (Column("route"), Column("trust"), Column("verdict"), Column("claims", "count")),
        "SELECT split, part->>'$.route', part->>'$.trust', part->>'$.verdict', count(*) FROM claims "
        "GROUP BY ALL ORDER BY ALL",
    ),
    "steps": (
        "Steps of solutions by verdict and by who answered",
        (Column("verdict"), Column("by"), Column("steps", "count")),
        "SELECT split, part->>'$.verdict', part->>'$.by', count(*) FROM steps GROUP BY ALL ORDER BY ALL",
    ),
    "diagnostics": (
        "Diagnostics by code",
        (Column("code"), Column("severity"), Column("found", "count"), Column("jobs", "count")),
        "SELECT split, part->>'$.code', part->>'$.severity', count(*), count(DISTINCT id) FROM diagnostics "
        "GROUP BY ALL ORDER BY ALL",
    ),
    "times": (
        "Milliseconds by verdict",
        (
            Column("verdict"),
            Column("jobs", "count"),
            *(Column(name, "decimal") for name in ("median", "90 %", "99 %", "longest", "all")),
        ),
        "SELECT NULL, verdict, count(*), quantile_cont(ms, 0.5), quantile_cont(ms, 0.9), "
        "quantile_cont(ms, 0.99), max(ms), sum(ms) FROM told GROUP BY ALL ORDER BY ALL",
    ),
}


def results_tables(directory: Path, by: str | None = None) -> list[Table]:
    """The tables of a batch's results, those that are empty left out, as far as it has been answered.

    `by` is a member of rows, such as `file`, by which all are split, but for times. Raises BatchError for a
    directory that has no batch, OSError, and MissingExtraError without DuckDB.
    """
    carry = read_manifest(directory / NAME).options["carry"]
    connection = needed("duckdb", "duckdb").connect(":memory:")
    try:
        _load(connection, "lines", directory / ROWS_FOLDER, carry)
        _load(connection, "timed", directory / TIMES_FOLDER)
        # A member's name goes as a parameter, never into the text of a query.
        member = None if by is None else f'$."{json.dumps(by)[1:-1]}"'
        connection.execute(
            "CREATE TEMP TABLE jobs AS SELECT id, line, line->>'$.language' AS language, "
            "line->>'$.verdict' AS verdict, line->>CAST(? AS VARCHAR) AS split FROM lines",
            [member],
        )
        connection.execute(
            "CREATE TEMP TABLE told AS SELECT line->>'$[0]' AS verdict, CAST(line->>'$[1]' AS DOUBLE) AS ms "
            "FROM timed"
        )
        for name, (path, language) in _PARTS.items():
            connection.execute(
                f"CREATE TEMP TABLE {name} AS SELECT id, split, unnest(json_extract(line, '{path}')) AS part "
                "FROM jobs WHERE language = coalesce(?, language)",
                [language],
            )
        tables = [_table(connection, name, by, *query) for name, query in _QUERIES.items()]
    finally:
        connection.close()
    return [table for table in tables if table.rows]


def _load(connection: Any, name: str, folder: Path, carry: Sequence[str] = ()) -> None:
    """A table of the JSON lines of a folder's files, or of what was made of them, numbered."""
    tables = [str(path) for path in sorted(folder.glob(f"*{PARQUET}"))]
    files = [str(path) for path in sorted(folder.glob("*.jsonl"))]
    if tables:
        query = f"SELECT row_number() OVER () AS id, line FROM ({lines_query(carry)})"
        connection.execute(f"CREATE TEMP TABLE {name} AS {query}", [tables])
        return
    if not files:
        connection.execute(f"CREATE TEMP TABLE {name} (id BIGINT, line JSON)")
        return
    connection.execute(
        f"CREATE TEMP TABLE {name} AS SELECT row_number() OVER () AS id, {json_of('line')} AS line "
        # Rows are JSON text, which has no character of the number 1.
        "FROM read_csv(?, columns = {'line': 'VARCHAR'}, delim = chr(1), quote = '', escape = '', "
        "header = false, auto_detect = false, max_line_size = ?)",
        # DuckDB takes that much memory at once; no line is longer than its file.
        [files, max(1 << 20, *(Path(file).stat().st_size + 1 for file in files))],
    )


def _table(
    connection: Any, name: str, by: str | None, title: str, columns: tuple[Column, ...], query: str
) -> Table:
    # The first column is the member's value, which times have not.
    is_split = by is not None and name != "times"
    found = (row if is_split else row[1:] for row in connection.execute(query).fetchall())
    heads = (Column(by or ""), *columns) if is_split else columns
    return Table(name, "", title, heads, tuple(found), grouped=True)
