"""`potc annotate FILE…`: a model writes what the steps of solutions say as formulas, which are checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    UNDECIDED,
    output_option,
    tell,
    write_lines,
    write_output,
)
from potlang.cli.helping import Command
from potlang.cli.journals import end_run, journal_errors
from potlang.cli.model_options import AskedModel, model_options
from potlang.models import annotation
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from potlang.models.annotation.formal_journal import Annotation, FormalJournal, NotRead, Unannotated


@click.command(cls=Command)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE…",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@output_option
@click.option(
    "--journal",
    "journal_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep all requests and replies here; a run with an existing journal continues it.",
)
@click.option("--batch", type=click.IntRange(1, 200), default=40, help="Steps in one request, at most.")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Solutions at a time.")
@model_options(accepted="one batch of steps")
def annotate(
    files: tuple[Path, ...],
    output: Path | None,
    journal_path: Path | None,
    batch: int,
    jobs: int,
    asked: AskedModel,
) -> None:
    """Have a model write what the steps of solutions say as formulas, the `formal` fields.

    A FILE has a solution in any form, in prose too, or one on each line. A formula that says something else
    than its step is asked for again, and left out in the end; no other part of a step is changed. One
    solution is written as JSON, several as JSON Lines. The exit code is 0, 1 if formulas are left out, 2 for
    what is no solution, 3 if the endpoint failed: with a journal, the same command goes on from there.
    """
    if output is not None and any(output.resolve() == each.resolve() for each in files):
        raise click.UsageError("--output is one of the files that are read")
    endpoint = asked.endpoint()
    codes: list[int] = []
    with (
        endpoint,
        journal_errors(journal_path or output, "--journal"),
        annotation.FormalJournal(journal_path) as journal,
    ):
        ended = annotation.run(
            _solutions(files, codes),
            journal,
            endpoint,
            batch=batch,
            sampling=asked.sampling(),
            jobs=jobs,
            progress=_tell,
        )
        _write(files, journal, output, codes)
    end_run(ended, codes)


def _read(files: Sequence[Path]) -> Iterator[Unannotated | NotRead]:
    for path in files:
        yield from annotation.solutions_in(str(path), path)


def _solutions(files: Sequence[Path], codes: list[int]) -> Iterator[Unannotated]:
    """The solutions in the files; what is none is told."""
    for each in _read(files):
        if isinstance(each, annotation.NotRead):
            codes.append(INVALID)
            tell(f"{each.name}: {each.reason}")
        else:
            yield each


def _tell(given: Unannotated, found: Annotation) -> None:
    steps = len(given.solution.steps)
    failed = f"; {found.reason}" if found.reason else ""
    tell(f"{given.name}: {steps} steps, {len(found.formals)} formulas written{failed}")
    for id_, why in found.left_out.items():
        tell(f"  step {id_} is left out: {why}")


def _write(files: Sequence[Path], journal: FormalJournal, output: Path | None, codes: list[int]) -> None:
    """Writes the solutions with their formulas, those of the journal too."""
    # Read once more: they are not kept in memory.
    found = (
        _annotated(each, journal, codes) for each in _read(files) if not isinstance(each, annotation.NotRead)
    )
    first = list(islice(found, 2))
    if len(first) == 1:
        write_output(output, f"{json_text(first[0])}\n")
    elif first:
        write_lines(output, (json_text(each, None) for each in chain(first, found)))


def _annotated(given: Unannotated, journal: FormalJournal, codes: list[int]) -> dict[str, object]:
    entry = journal.entries.get(given.key)
    if entry is None:
        # The run ended before it.
        codes.append(UNDECIDED)
        return given.with_formals({})
    codes.append(UNDECIDED if entry.failure else OTHER_ANSWER if entry.left_out else ALL_ENTAILED)
    return given.with_formals(entry.formals)
