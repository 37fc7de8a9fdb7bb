"""Jobs: the programs, traces and solutions of a batch, one by one from a part of an input ([BATCH-JOB])."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import accumulate, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from potlang.languages.dagmath.read.samples import read_lines
from potlang.languages.kind import DEFAULT, Kind, kind_of, kind_of_value
from potlang.source import DEFAULT_LIMITS
from potlang.utils.extra import needed

MEMBERS: Final[Mapping[str, Kind | None]] = {
    "program": "pot",
    "trace": "dot",
    "solution": "dagmath",
    "claim": "pot",
    "source": None,
}
"""Members of a job's object that hold what is to be verified, and its language where that is told."""
_WITH_THEORY: Final = frozenset(("claim", "trace"))
_OWN: Final = frozenset(
    ("steps", "sorts", "functions", "constants", "rules", "verifications", "knowledge_base")
)
"""Members of programs and solutions: an object with one of them is the input itself."""

ROWS: Final = (".parquet",)
"""The endings of tables whose rows are jobs."""
_BATCH: Final = 256
"""Rows of a Parquet file that are in memory at once."""


class NoParquet(ValueError):
    """A file with the name of a table is none."""


class Job(NamedTuple):
    """One input to be verified, where it stands, and what the report is to be known by.

    `line` is its line or row from 1, None for a file of its own. `source` is what `potlang.verify` takes, or
    a claim about a `theory`; traces may have a theory, too. `members` are those of the object that it is or
    stands in. `unread` says why there is no source: then the report says that alone.
    """

    file: str
    line: int | None
    id: str | int | None
    source: Any
    language: Kind
    answer: str | None = None
    members: Mapping[str, Any] = MappingProxyType({})
    theory: Any = None
    unread: str = ""

    @property
    def name(self) -> str:
        """Its place, for diagnostics."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def readable(self) -> Job:
        """The job, a value that is no input of its language as text, whose report says so."""
        kinds = (str, bytes, dict, Path) if self.language == "pot" else (str, bytes, dict, Path, list)
        is_input = isinstance(self.source, kinds)
        return self if is_input else self._replace(source=json.dumps(self.source, default=str))


def changed(file: str) -> OSError:
    """The error of an input that has not the jobs any more that it had when the batch began."""
    return OSError(errno.ESTALE, "the input is not what it was when the batch began", file)


def jobs_of_lines(file: str, start: int, end: int, first: int, count: int) -> Iterator[Job]:
    """So many jobs of JSON Lines from the byte `start`, which begins line `first`; blank lines are none.

    `end` is the byte behind the last one. Raises OSError, also where the file has become shorter: what is
    read could be half a line.
    """
    with Path(file).open("rb") as stream:
        stream.seek(start)
        for number, line in islice(read_lines(stream, DEFAULT_LIMITS), count):
            if os.fstat(stream.fileno()).st_size < end:
                raise changed(file)
            yield job_of_line(line, file, first + number - 1)


def jobs_of_rows(file: str, start: int, count: int) -> Iterator[Job]:
    """So many jobs from row `start`, from 0, of a Parquet file.

    Raises OSError, also where the file is no Parquet any more, and MissingExtraError without pyarrow.
    """
    parquet = needed("pyarrow.parquet", "frames")
    try:
        yield from _rows(parquet, file, start, count)
    except ValueError as error:  # That of pyarrow.
        raise changed(file) from error


def rows_of(file: str) -> int:
    """How many rows a Parquet file has.

    Raises OSError, MissingExtraError without pyarrow, and NoParquet for another file, or a damaged one.
    """
    parquet = needed("pyarrow.parquet", "frames")
    with Path(file).open("rb") as stream:
        try:
            return int(parquet.read_metadata(stream).num_rows)
        except (OSError, ValueError, NotImplementedError) as error:  # Those of pyarrow.
            raise NoParquet("it is no Parquet file, or is damaged") from error


def _rows(parquet: Any, file: str, start: int, count: int) -> Iterator[Job]:
    with parquet.ParquetFile(file) as table:
        sizes = [table.metadata.row_group(number).num_rows for number in range(table.num_row_groups)]
        # Of the groups before the first row nothing is read.
        begins = list(accumulate(sizes, initial=0))
        groups = [at for at, end in enumerate(begins[1:]) if end > start and begins[at] < start + count]
        batches = table.iter_batches(_BATCH, row_groups=groups) if groups else ()
        values = (value for batch in batches for value in batch.to_pylist())
        skipped = start - begins[groups[0]] if groups else 0
        for number, value in enumerate(islice(values, skipped, skipped + count), start + 1):
            yield job_of_value(value, file, number)


def job_of_file(file: str) -> Job:
    """The job that a file is. Of one that cannot be read the report says so."""
    try:
        data = Path(file).read_bytes()
    except OSError:
        return Job(file, None, None, Path(file), DEFAULT)
    return Job(file, None, None, data, kind_of(data))


def job_of_table(file: str) -> Job:
    """The job that a table is which could not be read as one, and whose report says so.

    Raises OSError where it can be by now.
    """
    job = job_of_file(file)
    if file.endswith(ROWS) and isinstance(job.source, bytes):
        try:
            rows_of(file)
        except NoParquet as error:
            return job._replace(source="", language=DEFAULT, unread=str(error))
        raise changed(file)
    return job


def job_of_line(line: bytes, file: str, number: int) -> Job:
    """The job on a line. A line that is no JSON is a job, too, whose report says what is wrong with it."""
    try:
        value = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError):
        return Job(file, number, None, line, kind_of(line))
    job = job_of_value(value, file, number)
    # Where the line is the input itself its report has places in the line.
    return job._replace(source=line) if job.source is value and not isinstance(value, str) else job


def job_of_value(value: Any, file: str, number: int) -> Job:
    """The job that a JSON value stands for: the input itself, or an object that holds it beside its `id`."""
    if not isinstance(value, dict):
        return Job(file, number, None, value, language_of(value)).readable()
    identity = value.get("id")
    if type(identity) not in (str, int):
        identity = None
    given = [name for name in MEMBERS if value.get(name) is not None]
    if _OWN & value.keys() or len(given) != 1:
        return Job(file, number, identity, value, kind_of_value(value), None, value)
    (name,) = given
    source, answer = value[name], value.get("answer")
    language = MEMBERS[name] or language_of(source)
    expected = str(answer) if isinstance(answer, str | int | float) else None
    # A claim is about the empty theory where none is named.
    theory = value.get("theory", {} if name == "claim" else None) if name in _WITH_THEORY else None
    return Job(file, number, identity, source, language, expected, value, theory).readable()


def language_of(source: Any) -> Kind:
    """The language of text, bytes or a JSON value."""
    if isinstance(source, bytes):
        return kind_of(source)
    return kind_of(source.encode("utf-8", "replace")) if isinstance(source, str) else kind_of_value(source)
