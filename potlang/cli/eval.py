"""`potc eval`: how often programs compile, and how often their verdicts are right (paper, appendix 7.1)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from potlang import api
from potlang.cli.common import (
    ALL_ENTAILED,
    OTHER_ANSWER,
    UNDECIDED,
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
from potlang.cli.model_options import AskedModel, model_options
from potlang.cli.options import SolvingOptions, grouped, solving_options
from potlang.diag.wording import counted
from potlang.report.results import Interrupted
from potlang.utils.extra import MissingExtraError
from potlang.utils.gc_pause import begin_input

if TYPE_CHECKING:
    from potlang.models.evaluation import (
        FamilySummary,
        LineProblem,
        Question,
        QuestionOutcome,
        Reasoner,
        Run,
        SolverSettings,
    )

_SHOWN = 20
_EVERY = 100


class Bootstrap(NamedTuple):
    """How the intervals of the rates are estimated."""

    seed: int
    resamples: int
    confidence: float


_bootstrap_options = grouped(
    "bootstrap",
    Bootstrap,
    "Intervals",
    click.option("--seed", default=0, help="Seed of the bootstrap."),
    click.option(
        "--resamples", type=click.IntRange(0, 100_000), default=1000, help="Samples of the bootstrap."
    ),
    click.option(
        "--confidence",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        help="Confidence level of the intervals.",
    ),
)


@click.command(cls=Command)
@click.argument("dataset", nargs=-1, required=True, metavar="DATASET…")
@click.option(
    "--programs",
    multiple=True,
    metavar="FILE",
    help="Recorded attempts: JSON Lines of `id` and `attempts`. [default: those in the data set]",
)
@click.option(
    "--results",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append the outcome of each question to this file; questions in it are not asked again.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Questions at a time.")
@_bootstrap_options
@click.option("--detailed", is_flag=True, help="All tables for each family.")
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the paper's figure 3 for all questions, as SVG and as PNG.",
)
@format_option("text", "json", "csv")
@model_options(cached=True)
@solving_options
@color_option
def eval_(
    dataset: tuple[str, ...],
    programs: tuple[str, ...],
    results: Path | None,
    jobs: int,
    bootstrap: Bootstrap,
    detailed: bool,
    picture: Path | None,
    style: str,
    solving: SolvingOptions,
    color: str,
    asked: AskedModel,
) -> None:
    """Evaluate programs on questions with known answers.

    DATASET is JSON Lines of `id`, `question`, `answer` (true, false, uncertain, or the label of one of
    `options`) and `family`; `-` is standard input. Tables show two readings of the answers: the paper's, in
    which SAT means true, and the verdict. With `--model` that model writes the programs, as in `potc reason`;
    without it the other options for models have no effect. Exit code 0: all questions were evaluated;
    1: some lines have no question; 2: a file cannot be read or written, or there is no question; 3: a call
    of the model failed.
    """
    from potlang.models.evaluation import (
        RecordedPrograms,
        SolverSettings,
        read_questions,
        read_recorded,
        summarize,
    )

    with _opened((*dataset, *programs)) as streams:
        questions, problems = read_questions(streams[: len(dataset)])
        recorded, more = read_recorded(streams[len(dataset) :])
    problems += more
    _print_problems(problems)
    if not questions:
        fail("error: there is no question")
    settings = SolverSettings(solving.route, solving.trust, solving.limits)
    is_whole = True
    try:
        if asked.model is None:
            found = _run(questions, RecordedPrograms(recorded), settings, results, jobs)
        elif programs:
            raise click.UsageError("--model writes the programs, --programs has them: give one of the two")
        else:
            with _writing(asked) as reasoner:
                found = _run(questions, reasoner, settings, results, jobs)
    except Interrupted as error:
        found, is_whole = error.known, False
        if not found.outcomes:
            raise
        finished = {each.id for each in found.outcomes}
        questions = [each for each in questions if each.id in finished]
    summaries = summarize(questions, found.outcomes, **bootstrap._asdict())
    _print(summaries, style, detailed, use_color(color))
    if not is_whole:
        raise KeyboardInterrupt
    if picture is not None:
        _draw(summaries[-1], picture)
    failed = any(each.failure for each in found.outcomes)
    sys.exit(UNDECIDED if failed else OTHER_ANSWER if problems else ALL_ENTAILED)


@contextmanager
def _writing(asked: AskedModel) -> Iterator[Reasoner]:
    """The model that the options name."""
    from potlang.models.evaluation.reasoners import WritingModel

    with asked.endpoint(cached=True) as endpoint:
        try:
            yield WritingModel(endpoint, asked.sampling(), place=endpoint.place)
        except MissingExtraError as error:
            raise click.UsageError(str(error)) from error


@contextmanager
def _opened(names: Sequence[str]) -> Iterator[list[tuple[str, BinaryIO]]]:
    with ExitStack() as stack:
        streams: list[tuple[str, BinaryIO]] = []
        for name in names:
            try:
                stream = sys.stdin.buffer if name == "-" else stack.enter_context(Path(name).open("rb"))
            except OSError as error:
                fail(f"error[POT0006]: cannot read `{name}`: {error.strerror}")
            streams.append((name, stream))
        yield streams


def _print_problems(problems: Sequence[LineProblem]) -> None:
    for each in problems[:_SHOWN]:
        tell(f"warning: {each}")
    if len(problems) > _SHOWN:
        tell(f"warning: {len(problems) - _SHOWN} more lines are passed over")


def _run(
    questions: Sequence[Question],
    reasoner: Reasoner,
    settings: SolverSettings,
    results: Path | None,
    jobs: int,
) -> Run:
    from potlang.models.evaluation import run

    try:
        with _progress(len(questions)) as progress:
            found = run(questions, reasoner, settings, results=results, jobs=jobs, progress=progress)
    except OSError as error:
        raise CannotWriteFile(results, error) from error
    except api.OptionError as error:
        raise click.BadParameter(str(error)) from error
    if found.unreadable:
        lines = counted(found.unreadable, "line was", "lines were")
        tell(f"note: {lines} passed over in {results}")
    return found


@contextmanager
def _progress(whole: int) -> Iterator[Callable[[QuestionOutcome], None]]:
    """Tells on standard error how far it is: a bar on a terminal, else a line now and then."""
    calls = done = 0

    def told() -> str:
        return f"{done} of {whole} questions, {counted(calls, 'call')}"

    if not sys.stderr.isatty():

        def tell(outcome: QuestionOutcome) -> None:
            nonlocal calls, done
            begin_input()
            done, calls = done + 1, calls + outcome.calls
            if done % _EVERY == 0 or done == whole:
                click.echo(told(), err=True)

        yield tell
        return
    with progress_bar(told(), whole) as bar:

        def advance(outcome: QuestionOutcome) -> None:
            nonlocal calls, done
            begin_input()
            done, calls = done + 1, calls + outcome.calls
            bar(1, told())

        yield advance


def _print(summaries: Sequence[FamilySummary], style: str, detailed: bool, color: bool) -> None:
    from potlang.models.evaluation.summary import to_json
    from potlang.models.evaluation.table import tables
    from potlang.report.table import tables_csv, to_text

    match style:
        case "json":
            print_json({"families": to_json(summaries)})
        case "csv":
            click.echo(tables_csv(tables(summaries)), nl=False)
        case _:
            parts = (to_text(each, color) for each in tables(summaries, detailed=detailed))
            click.echo("\n".join(parts), nl=False)


def _draw(summary: FamilySummary, path: Path) -> None:
    from potlang.models.evaluation.picture import dashboard
    from potlang.score.plots import save

    try:
        save(dashboard(summary), path.with_suffix("") if path.suffix in (".svg", ".png") else path)
    except MissingExtraError as error:
        raise CommandFailure(str(error)) from error
    except OSError as error:
        raise CannotWriteFile(path, error) from error
