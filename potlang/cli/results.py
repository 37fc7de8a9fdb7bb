"""`potc results DIRECTORY`: what a batch has answered, counted ([BATCH-RESULTS])."""

from __future__ import annotations

from pathlib import Path

import click

from potlang.batch.manifest import BatchError
from potlang.batch.results import results_tables
from potlang.cli.common import CommandFailure, color_option, format_option, print_json, use_color
from potlang.cli.helping import Command
from potlang.report.table import tables_csv, to_json, to_text
from potlang.utils.extra import MissingExtraError


@click.command(cls=Command)
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--split", metavar="NAME", help="Split by this member of rows, such as file.")
@format_option("text", "json", "csv")
@color_option
def results(directory: Path, split: str | None, style: str, color: str) -> None:
    """Count the results of `potc batch` in DIRECTORY: verdicts, routes, tiers, diagnostics, times.

    A batch that is under way is counted as far as its shards are done.
    """
    try:
        tables = results_tables(directory, split)
    except (BatchError, MissingExtraError) as error:
        raise CommandFailure(str(error)) from error
    except OSError as error:
        raise CommandFailure(f"cannot read `{error.filename}`: {error.strerror}") from error
    if style == "json":
        print_json([to_json(table) for table in tables])
    elif style == "csv":
        click.echo(tables_csv(tables), nl=False)
    else:
        click.echo("\n".join(to_text(table, use_color(color)) for table in tables), nl=False)
