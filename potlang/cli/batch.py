"""`potc batch JOBS… --out DIRECTORY`: many inputs, in shards, each answered once ([BATCH-RUN])."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn

import click

from potlang.batch.jobs import ROWS
from potlang.batch.local import answered_locally
from potlang.batch.manifest import BatchError
from potlang.batch.on_ray import answered_on_ray
from potlang.batch.run import BatchOptions, ShardChoice, run_batch
from potlang.cli import stopping
from potlang.cli.common import (
    ALL_ENTAILED,
    UNDECIDED,
    fail,
    format_option,
    print_json,
    progress_bar,
    tell,
)
from potlang.cli.helping import Command
from potlang.cli.inputs import expanded
from potlang.cli.options import (
    CacheOptions,
    SolvingOptions,
    allowed_directories,
    cache_options,
    exclude_option,
    models_option,
    solving_options,
    sources_option,
)
from potlang.diag.register import CODES
from potlang.diag.wording import visible
from potlang.prove.options import Models
from potlang.reading.json_text import LINES, SUFFIXES
from potlang.utils.extra import MissingExtraError

if TYPE_CHECKING:
    from potlang.batch.run import BatchState, OutFormat


class _PartOf(click.ParamType[Any]):
    """`3/16`: the third of sixteen."""

    name = "I/N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ShardChoice:
        if isinstance(value, ShardChoice):
            return value
        number, _, of = str(value).partition("/")
        if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
            self.fail(f"{value!r} is not a part such as 3/16, from 1/16 to 16/16", param, ctx)
        return ShardChoice(int(number), int(of))


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="JOBS…")
@click.option(
    "--out",
    "-o",
    "directory",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The directory of the results.",
)
@click.option(
    "--workers", "-j", type=click.IntRange(1, 1024), help="Processes. [default: one for each processor]"
)
@click.option(
    "--shard",
    "part",
    type=_PartOf(),
    default="1/1",
    help="Only each N-th shard from the I-th on: runs with 1/N to N/N share the work, on any machines that "
    "share the directory.",
)
@click.option(
    "--runner",
    type=click.Choice(["local", "ray"]),
    default="local",
    help="Processes of this machine, or a Ray cluster whose machines share the directory (`RAY_ADDRESS`).",
)
@click.option(
    "--out-format",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    help="Of the rows: JSON Lines, or Parquet (extra `frames`).",
)
@click.option("--shard-jobs", type=click.IntRange(1, 1_000_000), default=200, help="Jobs of one shard.")
@click.option(
    "--carry",
    multiple=True,
    metavar="NAME",
    help="A member of jobs that rows have too. May be repeated.",
)
@exclude_option
@solving_options
@sources_option
@models_option("found")
@click.option("--no-steps", is_flag=True, help="Of solutions, do not check whether each step follows.")
@cache_options
@format_option("text", "json")
def batch(
    files: tuple[str, ...],
    directory: Path,
    workers: int | None,
    part: ShardChoice,
    runner: str,
    out_format: OutFormat,
    shard_jobs: int,
    carry: tuple[str, ...],
    exclude: tuple[str, ...],
    solving: SolvingOptions,
    models: Models,
    no_steps: bool,
    cached: CacheOptions,
    style: str,
) -> None:
    """Verify many programs, traces and solutions, each once, into files of a directory.

    JOBS are JSON Lines or Parquet, a job on each line or row, and files or directories of single inputs. A
    job is the input itself, or an object with its `id` and the input as `program`, `trace`, `solution` or
    `source`, and the `answer` that a solution should have. Of a `theory` that many jobs share, a job has a
    `claim` or a `trace`. Results are JSON Lines in DIRECTORY/rows, in the
    order of the jobs. A run that was stopped goes on with the same command.

    Exit code: 0 each job of this run is answered, whatever the verdicts; 3 some are lost, since their
    process died three times; 2 the batch cannot be run. Ctrl-C: 130.
    """
    sources = allowed_directories()
    options = BatchOptions(
        solving.trust, solving.route, solving.limits, not no_steps, carry, sources, out_format, models
    )
    names = expanded(files, exclude, (*SUFFIXES, *LINES, *ROWS))
    if "-" in names:
        raise click.BadParameter("standard input cannot be gone on with: name a file", param_hint="JOBS")
    began = monotonic()
    shown = _Shown(began, directory)
    with shown, stopping.known(shown.tell_stopped):
        try:
            state = run_batch(
                names,
                directory,
                options,
                workers=workers,
                part=part,
                cache=cached.open(),
                runner=answered_on_ray if runner == "ray" else answered_locally,
                shard_jobs=shard_jobs,
                progress=shown.update,
            )
        except (BatchError, MissingExtraError) as error:
            _refuse(str(error))
        except OSError as error:
            _refuse(f"{error.filename or directory}: {error.strerror or error}")
    if style == "json":
        print_json({**state._asdict(), "seconds": round(monotonic() - began, 3)})
    else:
        click.echo(_text(state, directory, shown, monotonic() - began))
    sys.exit(UNDECIDED if state.lost else ALL_ENTAILED)


class _Shown:
    """A bar on a terminal, with the rate of this run."""

    def __init__(self, began: float, directory: Path) -> None:
        self._began = began
        self._directory = directory
        self._jobs = 0
        self._bar: Any = nullcontext()
        self._advance: Any = None
        self.before = self._done = 0
        self._problems: tuple[str, ...] = ()

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *error: Any) -> None:
        self._bar.__exit__(*error)
        if isinstance(error[1], KeyboardInterrupt):
            self.tell_stopped()

    def tell_stopped(self) -> None:
        """Say on standard error how far an interrupted run is."""
        if self._advance is not None:
            done = f"{self._done:,} of {self._jobs:,} jobs are answered"
            tell(f"note: {done} in {self._directory}; the same command goes on from there")

    def update(self, state: BatchState) -> None:
        """The first time what was there before; then each change."""
        for problem in state.problems[len(self._problems) :]:
            tell(visible(problem))
        self._problems = state.problems
        if self._advance is None:
            self.before, self._done, self._jobs = state.done, state.done, state.jobs
            self._advance = lambda count, doing: None
            if sys.stderr.isatty():
                self._bar = progress_bar("answering", state.jobs)
                self._advance = self._bar.__enter__()
                self._advance(state.done, None)
            return
        rate = (state.done - self.before) / max(monotonic() - self._began, 0.001)
        self._advance(state.done - self._done, f"{state.done:,} of {state.jobs:,}, {rate:,.0f} a second")
        self._done = state.done


def _text(state: BatchState, directory: Path, shown: _Shown, seconds: float) -> str:
    done = state.done - shown.before
    before = f", {shown.before:,} of them before" if shown.before else ""
    verdicts = ", ".join(f"{verdict} {count:,}" for verdict, count in state.verdicts.items())
    lines = [
        f"{state.done:,} of {state.jobs:,} jobs answered{before}; {seconds:.1f} s, "
        f"{done / max(seconds, 0.001):,.0f} a second",
        f"  {verdicts}",
        f"  rows: {visible(str(directory / 'rows'))}",
    ]
    if state.lost:
        lines.insert(
            2, f"  lost {state.lost:,}: their process died three times; `fault` in their rows says why"
        )
    return "\n".join(lines)


def _refuse(problem: str) -> NoReturn:
    fail(f"error[POT0014]: {visible(CODES['POT0014'].headline.format(problem=problem))}")
