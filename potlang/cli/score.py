"""`potc score`: the metrics of DAG-MATH samples, with tables and plots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    CannotWriteFile,
    CommandFailure,
    color_option,
    fail,
    format_option,
    print_json,
    progress_bar,
    tell,
    use_color,
)
from potlang.cli.helping import Command
from potlang.cli.options import grouped
from potlang.drawing.layout import LayoutError
from potlang.drawing.solution import solution_figure
from potlang.languages.dagmath.check.graph import Graph
from potlang.report.table import tables_csv, to_json, to_latex, to_text
from potlang.score.plots import curves_figure, difficulty_figure, save
from potlang.score.references import read_references
from potlang.score.scoring import score as score_samples
from potlang.score.summary import malformed_lines, summary_csv, summary_text
from potlang.score.tables import Comparison, tables_of
from potlang.utils.extra import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from potlang.report.table import Table
    from potlang.score.references import References
    from potlang.score.scores import Scores

_LONG = 8 << 20
"""Bytes of input from which on a bar shows how far it is."""


class _Names(click.ParamType[Any]):
    """Names or numbers, separated by commas."""

    name = "LIST"

    def __init__(self, kind: type[str] | type[int]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        parts = tuple(part.strip() for part in value.split(",") if part.strip())
        if len(set(parts)) < len(parts):
            self.fail(f"{value!r} names one twice", param, ctx)
        if self.kind is str:
            return parts
        if not all(part.isascii() and part.isdigit() and 0 < len(part) < 10 and int(part) for part in parts):
            self.fail(f"{value!r} is not a list of numbers from 1", param, ctx)
        return tuple(map(int, parts))


class Compared(NamedTuple):
    """The conditions that are compared."""

    compare: tuple[str, ...]
    baseline: str | None
    margin: float

    def comparison(self, by: Sequence[str]) -> Comparison:
        """The comparison, beside the fields that make rows and columns; a usage error if there is none."""
        if len(self.compare) > 2 or set(self.compare) & set(by):
            raise click.BadParameter("one or two fields that are not in --by", param_hint="--compare")
        if not 0 < self.margin < 1:
            raise click.BadParameter("a share between 0 and 1", param_hint="--margin")
        if self.baseline is not None and not self.compare:
            raise click.BadParameter("there is nothing to compare", param_hint="--baseline")
        return Comparison(len(self.compare), self.baseline, self.margin)


_compared = grouped(
    "compared",
    Compared,
    "Comparison",
    click.option(
        "--compare",
        type=_Names(str),
        default=(),
        help="One or two fields whose values are conditions: tables 1 and 8 to 12 compare them.",
    ),
    click.option("--baseline", help="The condition that others are tested against."),
    click.option("--margin", default=0.10, help="Equivalence margin, as a share of the mean."),
)


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="SAMPLES…")
@click.option(
    "--by",
    type=_Names(str),
    default=(),
    help="Fields to group by: model, dataset, difficulty, file, any other. The first makes the rows of "
    "tables, the second the columns.",
)
@_compared
@click.option(
    "--answers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Expected answers, objects with problem_id and answer in JSON Lines or an array: they count in the "
    "place of what samples say.",
)
@click.option("--pass-k", type=_Names(int), default=(), help="Also PASS@k for each of these k.")
@click.option("--tables", is_flag=True, help="The paper's tables, as far as there are data for them.")
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write figures to this directory (SVG, PNG).",
)
@click.option("--gold", is_flag=True, help="Count gold-standard samples too: checks the whole format.")
@format_option("text", "json", "csv", "latex")
@color_option
def score(
    files: tuple[str, ...],
    by: tuple[str, ...],
    compared: Compared,
    answers: Path | None,
    pass_k: tuple[int, ...],
    tables: bool,
    plots: Path | None,
    gold: bool,
    style: str,
    color: str,
) -> None:
    """Score samples of DAG-MATH solutions: closeness, PASS@k, PRR, AUC.

    SAMPLES are JSON Lines, a solution on each line, arrays of solutions, or files of one solution, which may
    be plain text or Markdown; `-` is standard input.
    Exit code 0: all samples were read; 1: some are malformed, and count as not correct; 2: a file
    cannot be read, or there is no sample.
    """
    comparison = compared.comparison(by)
    references = None if answers is None else _references(answers)
    scores = _scored(files, (*by, *compared.compare), pass_k, gold, references)
    try:
        wanted = tables or style == "latex"
        _print(scores, _tables(scores, comparison) if wanted else None, style, use_color(color))
        if plots is not None:
            _plot(scores, plots)
    except MissingExtraError as error:
        raise CommandFailure(str(error)) from error
    sys.exit(_report(scores))


def _references(path: Path) -> References:
    try:
        return read_references(path)
    except OSError as error:
        fail(f"error[POT0006]: cannot read `{path}`: {error.strerror}")
    except ValueError as error:
        raise click.BadParameter(f"{path}: {error}", param_hint="--answers") from error


def _scored(
    files: Sequence[str],
    by: Sequence[str],
    pass_k: Sequence[int],
    gold: bool,
    references: References | None,
) -> Scores:
    sources: list[Path | BinaryIO] = [sys.stdin.buffer if name == "-" else Path(name) for name in files]
    try:
        with _progress(files) as progress:
            return score_samples(
                sources, by=by, pass_k=pass_k, gold=gold, references=references, progress=progress
            )
    except OSError as error:
        fail(f"error[POT0006]: cannot read `{error.filename}`: {error.strerror}")


@contextmanager
def _progress(files: Sequence[str]) -> Iterator[Callable[[int], object] | None]:
    """A progress bar over the bytes read, on a terminal, for long input."""
    sizes = [Path(name).stat().st_size if name != "-" and Path(name).is_file() else 0 for name in files]
    if not sys.stderr.isatty() or ("-" not in files and sum(sizes) < _LONG):
        yield None
        return
    with progress_bar("scoring", None if "-" in files else sum(sizes), in_bytes=True) as advance:
        yield lambda count: advance(count, None)


def _tables(scores: Scores, comparison: Comparison) -> list[Table]:
    if not scores.tally.problems:
        return []
    try:
        return tables_of(scores, comparison)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--baseline") from error


def _print(scores: Scores, tables: list[Table] | None, style: str, color: bool) -> None:
    """Prints the scores, and the tables if they are wanted; CSV and LaTeX have the tables in their place."""
    match style:
        case "json":
            value = scores.to_dict()
            print_json(value if tables is None else {**value, "tables": list(map(to_json, tables))})
        case "csv":
            click.echo(summary_csv(scores) if tables is None else tables_csv(tables), nl=False)
        case "latex":
            click.echo("\n".join(map(to_latex, tables or ())), nl=False)
        case _:
            parts = [summary_text(scores, color), *(to_text(each, color) for each in tables or ())]
            click.echo("\n".join(parts), nl=False)


def _plot(scores: Scores, directory: Path) -> None:
    """Writes the figures that there are data for."""
    figures = {
        "figure-3-difficulty": difficulty_figure(scores.tally),
        "figure-4-closeness": curves_figure(scores) if scores.tally.problems else None,
        "figure-6-unclosed": _example(scores),
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            for path in () if figure is None else save(figure, directory / name):
                tell(f"wrote {path}")
    except OSError as error:
        raise CannotWriteFile(directory, error) from error


def _example(scores: Scores) -> Figure | None:
    """The graph of the first imperfect sample."""
    if scores.example is None:
        return None
    steps = scores.example.steps
    graph = Graph.from_ids((step.id, sorted(step.parents or ())) for step in steps)
    try:
        return solution_figure(graph, [step.id for step in steps])
    except LayoutError as error:
        tell(f"note: the graph of the first imperfect sample is not drawn: {error}")
        return None


def _report(scores: Scores) -> int:
    """Says what is malformed, and the exit code."""
    for line in malformed_lines(scores):
        click.echo(line, err=True)
    if scores.samples == scores.malformed:
        if not scores.samples:
            click.echo("error[POT1003]: there is no sample", err=True)
        return INVALID
    return OTHER_ANSWER if scores.malformed else ALL_ENTAILED
