"""`potc eval`: how often programs compile, and how often their verdicts are right (paper, appendix 7.1)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple

import click

from potlang import api, models
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
from potlang.cli.model_options import (
    AskedEndpoint,
    AskedModel,
    model_options,
    prompt_option,
    safe_fixes_option,
    second_look_option,
    strategy_option,
)
from potlang.cli.options import SolvingOptions, grouped, solving_options
from potlang.diag.wording import counted
from potlang.models import evaluation
from potlang.models.loop.journal import BadJournal
from potlang.models.presets import preset
from potlang.report.results import Interrupted
from potlang.report.table import tables_csv, to_text
from potlang.score.plots import save
from potlang.utils.extra import MissingExtraError
from potlang.utils.gc_pause import begin_input

if TYPE_CHECKING:
    from potlang.models.baselines import Baseline
    from potlang.models.evaluation import (
        Answerer,
        DataFiles,
        FamilySummary,
        KeptRun,
        LineProblem,
        Question,
        QuestionOutcome,
        Reasoner,
        Run,
        SolverSettings,
    )
    from potlang.models.loop.batched import BatchedModel
    from potlang.models.presets import StrategyName
    from potlang.models.programs.prompting import PromptSize
    from potlang.report.table import Table

_SHOWN = 20
_EVERY = 100
_DATA_SETS = (
    *("strategyqa", "folio", "proofwriter", "prontoqa", "conditionalqa", "ar-lsat", "logicaldeduction"),
    "potlang",
)


class Bootstrap(NamedTuple):
    """How the intervals of the rates are estimated."""

    seed: int
    resamples: int
    confidence: float


class Programs(NamedTuple):
    """How the loop writes programs for a question, and how they vote; or a baseline, which writes none."""

    reasoning: Literal["programs"] | Baseline
    k: int | None
    second_look: bool
    safe_fixes: bool
    by_option: bool
    prompt: PromptSize
    strategy: StrategyName


class Shown(NamedTuple):
    """The parts of the results that are shown, and where."""

    detailed: bool
    picture: Path | None
    folder: Path | None


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
_program_options = grouped(
    "loop",
    Programs,
    "Programs of the model",
    click.option(
        "--reasoning",
        type=click.Choice(["programs", "cot", "cot-sc", "tot", "got"]),
        default="programs",
        show_default=True,
        help="The model writes programs, or answers in prose: by a chain of thought, with votes, by a tree "
        "or a graph of thoughts. Of the options of programs --k alone then means something.",
    ),
    click.option(
        "--k",
        type=click.IntRange(1, 100),
        help="Programs for each question, which vote. [default: 1, by self-consistency 5, of a baseline 5]",
    ),
    second_look_option,
    safe_fixes_option,
    click.option(
        "--option-votes/--verdict-votes",
        "by_option",
        default=True,
        show_default=True,
        help="Programs for a question with options vote for one of these, or by their verdicts.",
    ),
    prompt_option,
    strategy_option,
)
_shown_options = grouped(
    "shown",
    Shown,
    "Output",
    click.option("--detailed", is_flag=True, help="All tables for each family."),
    click.option(
        "--picture",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Draw the paper's figure 3 for all questions, as SVG and as PNG.",
    ),
    click.option(
        "--report",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write all tables as Markdown, CSV and JSON, and the pictures, to this folder.",
    ),
)


@click.command(cls=Command)
@click.argument("dataset", nargs=-1, metavar="DATASET…")
@click.option(
    "--as",
    "data_set",
    type=click.Choice(_DATA_SETS),
    help="The published data set of which the files are. [default: as their columns say]",
)
@click.option(
    "--programs",
    multiple=True,
    metavar="FILE",
    help="Recorded attempts: JSON Lines of `id` and `attempts`. [default: those in the data set]",
)
@click.option(
    "--results",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append replies and outcomes to this file; what it has is not asked for again.",
)
@click.option(
    "--compare",
    nargs=2,
    metavar="FILE FILE",
    help="Compare the runs of two results files, with the right answers of DATASET if it is given.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Questions at a time.")
@click.option(
    "--batch-api",
    is_flag=True,
    help="Ask by the endpoint's batches, for half the price, within hours: the first requests for all "
    "questions are one batch, those that follow from the replies the next. Needs --results.",
)
@_bootstrap_options
@_shown_options
@format_option("text", "json", "csv")
@model_options(cached=True)
@_program_options
@solving_options
@color_option
def eval_(
    dataset: tuple[str, ...],
    data_set: str | None,
    programs: tuple[str, ...],
    results: Path | None,
    compare: tuple[str, str] | None,
    jobs: int,
    batch_api: bool,
    bootstrap: Bootstrap,
    shown: Shown,
    style: str,
    solving: SolvingOptions,
    color: str,
    asked: AskedModel,
    loop: Programs,
) -> None:
    """Evaluate programs on questions with known answers.

    DATASET is JSON Lines of `id`, `question`, `answer` (true, false, uncertain, or the label of one of
    `options`) and `family`, or a file of StrategyQA, FOLIO, ProofWriter, ProntoQA, ConditionalQA, AR-LSAT or
    LogicalDeduction as it is published; `-` is standard input. Tables show two readings of the answers: the
    paper's, in which SAT means true, and the verdict. With `--model` that model writes the programs, as in
    `potc reason`, or answers by a baseline; without it the options for models have no effect. Exit code 0:
    all questions were evaluated; 1: some lines have no question; 2: a file cannot be read or written, or
    there is no question; 3: a call of the model failed.
    """
    if compare is not None:
        corrected = _read(dataset, data_set, ())[0].questions if dataset else []
        _compare(compare, corrected, bootstrap, shown, style, use_color(color))
        return
    if not dataset:
        raise click.UsageError("there is no DATASET")
    data, recorded = _read(dataset, data_set, programs)
    questions = data.questions
    settings = evaluation.SolverSettings(solving.route, solving.trust, solving.limits)
    is_whole = True
    try:
        if asked.model is None:
            found = _run(questions, evaluation.RecordedPrograms(recorded), settings, results, jobs)
        elif programs:
            raise click.UsageError("--model writes the programs, --programs has them: give one of the two")
        elif batch_api and results is None:
            raise click.UsageError("--batch-api needs --results, where the ids of batches are kept")
        else:
            with asked.endpoint(cached=True) as endpoint:
                batches = endpoint.batches() if batch_api else None
                reasoner = _reasoner(batches or endpoint, asked, loop)
                found = _run(questions, reasoner, settings, results, jobs, batches)
    except Interrupted as error:
        found, is_whole = error.known, False
        if not found.outcomes:
            raise
        finished = {each.id for each in found.outcomes}
        questions = [each for each in questions if each.id in finished]
    summaries = evaluation.summarize(questions, found.outcomes, **bootstrap._asdict())
    _print(summaries, style, shown.detailed, use_color(color))
    if not is_whole:
        raise KeyboardInterrupt
    _write(summaries, data, shown)
    failed = any(each.failure for each in found.outcomes)
    sys.exit(UNDECIDED if failed else OTHER_ANSWER if data.problems else ALL_ENTAILED)


def _read(
    dataset: Sequence[str], data_set: str | None, programs: Sequence[str]
) -> tuple[DataFiles, dict[str, tuple[Any, ...]]]:
    """The questions and the recorded attempts; lines without any are told."""
    with _opened((*dataset, *programs)) as streams:
        try:
            data = evaluation.read_questions(streams[: len(dataset)], data_set)
        except evaluation.OtherColumns as error:
            fail(f"error: {error}")
        recorded, more = evaluation.read_recorded(streams[len(dataset) :])
    data = data._replace(problems=data.problems + more)
    _print_problems(data.problems)
    for reason, count in data.apart.items():
        tell(f"note: {counted(count, 'question')} apart, which no verdict answers: {reason}")
    if not data.questions:
        fail("error: there is no question")
    return data, recorded


def _reasoner(model: AskedEndpoint | BatchedModel, asked: AskedModel, loop: Programs) -> Reasoner | Answerer:
    """The model as the options say it reasons."""
    sampling = asked.sampling()
    if loop.reasoning != "programs":
        bounds = (
            models.baselines.SearchBounds() if loop.k is None else models.baselines.SearchBounds(k=loop.k)
        )
        return models.baselines.AnsweringModel(
            model, loop.reasoning, sampling, bounds=bounds, place=model.place
        )
    usual = preset(loop.strategy)
    _, k, second_look, safe_fixes, by_option, prompt, strategy = loop
    k = usual.k if k is None else k
    options = evaluation.LoopOptions(k, second_look, safe_fixes, by_option, prompt, strategy)
    if sampling.temperature is None:
        sampling = sampling._replace(temperature=usual.temperature)
    return evaluation.WritingModel(model, sampling, options, place=model.place)


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
    reasoner: Reasoner | Answerer,
    settings: SolverSettings,
    results: Path | None,
    jobs: int,
    batches: BatchedModel | None = None,
) -> Run:
    try:
        with _progress(len(questions)) as progress:
            found = evaluation.run(
                questions,
                reasoner,
                settings,
                results=results,
                jobs=jobs,
                progress=progress,
                batches=batches,
            )
    except BadJournal as error:
        fail(f"error: {error}")
    except OSError as error:
        raise CannotWriteFile(results, error) from error
    except api.OptionError as error:
        raise click.BadParameter(str(error)) from error
    except MissingExtraError as error:
        raise click.UsageError(str(error)) from error
    _tell_unreadable(found.unreadable, results)
    return found


def _tell_unreadable(count: int, path: Path | None) -> None:
    if count:
        tell(f"note: {counted(count, 'line was', 'lines were')} passed over in {path}")


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
    _print_tables(
        evaluation.table.tables(summaries, detailed=detailed or style == "csv"),
        {"families": evaluation.to_json(summaries)},
        style,
        color,
    )


def _print_tables(tables: Sequence[Table], values: dict[str, Any], style: str, color: bool) -> None:
    match style:
        case "json":
            print_json(values)
        case "csv":
            click.echo(tables_csv(tables), nl=False)
        case _:
            click.echo("\n".join(to_text(each, color) for each in tables), nl=False)


def _write(summaries: Sequence[FamilySummary], data: DataFiles, shown: Shown) -> None:
    """The picture and the folder that the options ask for."""
    if shown.picture is not None:
        _draw(summaries[-1], shown.picture)
    if shown.folder is None:
        return
    values = {"families": evaluation.to_json(summaries), "apart": dict(data.apart)}
    try:
        evaluation.report_folder.write_report(shown.folder, evaluation.table.tables(summaries), values)
        evaluation.report_folder.write_pictures(shown.folder, summaries)
    except MissingExtraError as error:
        raise CommandFailure(str(error)) from error
    except OSError as error:
        raise CannotWriteFile(shown.folder, error) from error


def _draw(summary: FamilySummary, path: Path) -> None:
    try:
        save(
            evaluation.picture.dashboard(summary),
            path.with_suffix("") if path.suffix in (".svg", ".png") else path,
        )
    except MissingExtraError as error:
        raise CommandFailure(str(error)) from error
    except OSError as error:
        raise CannotWriteFile(path, error) from error


# --- runs compared ---------------------------------------------------------------------------------


def _compare(
    names: tuple[str, str],
    corrected: Sequence[Question],
    bootstrap: Bootstrap,
    shown: Shown,
    style: str,
    color: bool,
) -> None:
    """Compares the runs of two results files; `corrected` questions take the place of those in the files."""
    first, second = (_kept_run(Path(name)) for name in names)
    titles = names if names[0] != names[1] else (f"1 {names[0]}", f"2 {names[1]}")
    questions = {each.id: each for each in corrected} or {**second.questions, **first.questions}
    settings = bootstrap._asdict()
    found = evaluation.compare_runs(questions, first.outcomes, second.outcomes, **settings)
    if not found.families[-1].questions:
        fail("error: the runs share no question with a right answer")
    if found.only_first or found.only_second:
        tell(
            f"note: {found.only_first} questions are in {titles[0]} alone, {found.only_second} in {titles[1]}"
        )
    summaries = {}
    for title, run in zip(titles, (first, second), strict=True):
        known = [key for key in run.outcomes if key in questions]
        summaries[title] = evaluation.summarize(
            [questions[key] for key in known], [run.outcomes[key] for key in known], **settings
        )
    tables = [
        evaluation.compared_tables.runs_table(summaries),
        *evaluation.compared_tables.comparison_tables(*titles, found),
    ]
    values = {"first": titles[0], "second": titles[1], **evaluation.comparing.to_json(found)}
    _print_tables(tables, values, style, color)
    if shown.folder is not None:
        try:
            evaluation.report_folder.write_report(shown.folder, tables, values)
        except OSError as error:
            raise CannotWriteFile(shown.folder, error) from error


def _kept_run(path: Path) -> KeptRun:
    """The questions of a results file, and their last outcomes."""
    try:
        found = evaluation.read_results(path)
    except BadJournal as error:
        fail(f"error: {error}")
    except OSError as error:
        fail(f"error[POT0006]: cannot read `{path}`: {error.strerror}")
    _tell_unreadable(found.unreadable, path)
    return found
