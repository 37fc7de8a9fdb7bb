"""The manifest of a batch: its inputs in shards, each with a file for its results ([BATCH-SHARD])."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from potlang.batch.jobs import (
    ROWS,
    Job,
    NoParquet,
    changed,
    job_of_table,
    jobs_of_lines,
    jobs_of_rows,
    rows_of,
)
from potlang.languages.dagmath.read.samples import read_lines
from potlang.reading.json_text import LINES
from potlang.source import DEFAULT_LIMITS
from potlang.version import __version__

FORMAT: Final = 2
NAME: Final = "manifest.json"
Form = Literal["lines", "rows", "files"]


class BatchError(ValueError):
    """A directory or an input cannot be used for a batch; the message says why."""


class Shard(NamedTuple):
    """A part of the inputs whose results are one file: so many `jobs`.

    Of `lines` they are between the bytes `start` and `end` of the first file, and begin with line `first`; of
    `rows` `start` is that row from 0; of `files` each is a job.
    """

    number: int
    form: Form
    files: tuple[str, ...]
    start: int
    end: int
    first: int
    jobs: int

    @property
    def name(self) -> str:
        """The name of its files, without suffix."""
        return f"{self.number:06d}"

    def read(self) -> Iterator[Job]:
        """Its jobs in order. Raises OSError, and MissingExtraError for rows without pyarrow."""
        count = 0
        for job in self._read():
            count += 1
            yield job
        if count < self.jobs:
            raise changed(self.files[0])

    def _read(self) -> Iterator[Job]:
        match self.form:
            case "lines":
                yield from jobs_of_lines(self.files[0], self.start, self.end, self.first, self.jobs)
            case "rows":
                yield from jobs_of_rows(self.files[0], self.start, self.jobs)
            case "files":
                yield from map(job_of_table, self.files)


class Manifest(NamedTuple):
    """The shards of a batch, the options that all its jobs have, and a digest of the inputs."""

    version: str
    options: dict[str, Any]
    digest: str
    shards: tuple[Shard, ...]

    @property
    def jobs(self) -> int:
        """How many jobs there are."""
        return sum(shard.jobs for shard in self.shards)

    def to_dict(self) -> dict[str, Any]:
        """The manifest as JSON values."""
        shards = [shard._asdict() for shard in self.shards]
        return {
            "format": FORMAT,
            "potlang": self.version,
            "options": self.options,
            "digest": self.digest,
            "shards": shards,
        }


def planned(files: Sequence[str], options: dict[str, Any], shard_jobs: int) -> Manifest:
    """The manifest of these inputs, each read once for its lines and once for the digest.

    An input that cannot be read is a job, whose report says so. Raises BatchError where there is no other.
    """
    digest = hashlib.blake2b(digest_size=16)
    parts: list[tuple[Form, tuple[str, ...], int, int, int, int]] = []
    unread: list[str] = []
    for is_table, group in groupby(files, lambda file: file.endswith((*LINES, *ROWS))):
        names = list(group)
        for file in names:
            # The name tells where in the results the input is.
            digest.update(file.encode("utf-8", "surrogateescape") + b"\0")
            try:
                with Path(file).open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "blake2b").digest())
                if is_table:
                    form: Form = "lines" if file.endswith(LINES) else "rows"
                    cuts = _cut_lines if form == "lines" else _cut_rows
                    parts += [(form, (file,), *cut) for cut in cuts(file, shard_jobs)]
            except (OSError, NoParquet) as error:
                reason = error.strerror if isinstance(error, OSError) else None
                unread.append(f"cannot read `{file}`: {reason or error}")
                if is_table:
                    parts.append(("files", (file,), 0, 0, 1, 1))
        if not is_table:
            pieces = (tuple(names[at : at + shard_jobs]) for at in range(0, len(names), shard_jobs))
            parts += (("files", each, 0, 0, 1, len(each)) for each in pieces)
    if len(unread) == sum(part[-1] for part in parts):
        raise BatchError(unread[0] if unread else "there is no job in the inputs")
    shards = tuple(Shard(number, *part) for number, part in enumerate(parts))
    return Manifest(__version__, options, digest.hexdigest(), shards)


_Cut = tuple[int, int, int, int]
"""Start, end, number of the first line, jobs."""


def _cut_lines(file: str, most: int) -> Iterator[_Cut]:
    with Path(file).open("rb") as stream:
        start, first, jobs = 0, 1, 0
        for number, _ in read_lines(stream, DEFAULT_LIMITS):
            jobs += 1
            if jobs == most:
                yield start, stream.tell(), first, jobs
                start, first, jobs = stream.tell(), number + 1, 0
        end = stream.tell()
    if jobs:
        yield start, end, first, jobs


def _cut_rows(file: str, most: int) -> Iterator[_Cut]:
    rows = rows_of(file)
    for start in range(0, rows, most):
        yield start, 0, start + 1, min(most, rows - start)


def agreed(directory: Path, wanted: Manifest) -> Manifest:
    """The manifest of a directory: the one that is there, of the same batch, or else the wanted one, written.

    Raises BatchError where the directory has another batch, or one of another version, and OSError.
    """
    path = directory / NAME
    if not path.exists():
        directory.mkdir(parents=True, exist_ok=True)
        unfinished = directory / f"{NAME}.{os.getpid()}.part"
        unfinished.write_text(json.dumps(wanted.to_dict(), ensure_ascii=True), encoding="ascii")
        # Of several runs that begin at once the last one's stays: they have the same bytes.
        unfinished.replace(path)
    found = read_manifest(path)
    for name, mine, theirs in (
        ("potlang", wanted.version, found.version),
        ("options", wanted.options, found.options),
        ("inputs", wanted.digest, found.digest),
    ):
        if mine != theirs:
            raise BatchError(f"`{directory}` has the results of another batch: {name} differ; name another")
    return found


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file. Raises BatchError for another file, and OSError."""
    try:
        value = json.loads(path.read_bytes())
        if value["format"] != FORMAT:
            raise BatchError(f"`{path}` is a manifest of format {value['format']}, not {FORMAT}")
        shards = tuple(Shard(**{**each, "files": tuple(each["files"])}) for each in value["shards"])
        return Manifest(str(value["potlang"]), dict(value["options"]), str(value["digest"]), shards)
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, BatchError):
            raise
        raise BatchError(f"`{path}` is no manifest of a batch") from error
