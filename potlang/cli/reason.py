"""`potc reason QUESTION|FILE|-`: a model writes a program, a trace or a solution, and solvers decide it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal, NamedTuple

import click
from click.core import ParameterSource

from potlang import dagmath, dot, models
from potlang.cli.answer import theory_program
from potlang.cli.common import (
    ALL_ENTAILED,
    UNDECIDED,
    color_option,
    exit_code,
    format_option,
    tell,
    use_color,
    write_text,
)
from potlang.cli.helping import Command
from potlang.cli.model_options import (
    AskedModel,
    model_options,
    prompt_option,
    safe_fixes_option,
    second_look_option,
    strategy_option,
)
from potlang.cli.options import (
    SolvingOptions,
    grouped,
    profile_option,
    record_budget_option,
    solving_options,
    theory_option,
)
from potlang.diag.wording import visible
from potlang.models.loop.sampler import LONGEST_QUESTION
from potlang.utils.extra import MissingExtraError

if TYPE_CHECKING:
    from potlang.languages.dot.read.records import Profile
    from potlang.languages.pot.program import Program
    from potlang.models.endpoint import Model
    from potlang.models.loop.asking import Attempt
    from potlang.models.presets import StrategyName
    from potlang.models.programs.prompting import PromptSize
    from potlang.models.programs.reasoned import Reasoned
    from potlang.models.solutions.reasoned import ReasonedSolution
    from potlang.models.traces.reasoned import ReasonedTrace
    from potlang.models.traces.writer import RoundVerdicts

Language = Literal["pot", "dot", "dagmath"]


class Care(NamedTuple):
    """The work beyond asking: a second look, fixes without a call, several at a time."""

    second_look: bool
    safe_fixes: bool
    jobs: int | None


class ProgramQuestion(NamedTuple):
    """The request for a program."""

    strategy: StrategyName
    images: tuple[str, ...]
    options: tuple[str, ...]
    yes_or_no: bool | None
    prompt: PromptSize
    prose: str | None
    unique_names: bool
    closed_domain: bool


class TraceQuestion(NamedTuple):
    """How traces are asked for and read."""

    verdicts: RoundVerdicts
    profile: Profile
    theory: str | None
    budget: int | None


_MEANT_FOR: Final[Mapping[type[tuple[object, ...]], frozenset[Language]]] = {
    Care: frozenset({"pot", "dagmath"}),
    ProgramQuestion: frozenset({"pot"}),
    TraceQuestion: frozenset({"dot"}),
}
"""The languages that each group of options means something for."""

_care = grouped(
    "care",
    Care,
    "Programs and solutions",
    second_look_option,
    safe_fixes_option,
    click.option(
        "--jobs",
        type=click.IntRange(1, 64),
        help="Programs or solutions at a time. [default: 1, by self-consistency 5]",
    ),
)
_program_question = grouped(
    "program",
    ProgramQuestion,
    "Programs",
    strategy_option,
    click.option(
        "--image",
        "images",
        multiple=True,
        metavar="FILE|URL",
        help="An image beside the question: a file in PNG, JPEG, GIF or WebP, or https://… from where the "
        "endpoint takes it; may be repeated.",
    ),
    click.option(
        "--option",
        "options",
        multiple=True,
        metavar="LABEL",
        help="An answer to choose from, with a verification of its own; may be repeated.",
    ),
    click.option(
        "--yes-or-no/--or-uncertain",
        default=None,
        help="Whether an answer between yes and no is none. [default: as the question's words say]",
    ),
    prompt_option,
    click.option("--prose", metavar="TEXT", help="An answer in prose, to compare with the verdict."),
    click.option(
        "--unique-names", is_flag=True, help="Different constants denote different members of a sort."
    ),
    click.option("--closed-domain", is_flag=True, help="Sorts have no members but the named ones."),
)
_trace_question = grouped(
    "trace",
    TraceQuestion,
    "Traces",
    click.option(
        "--verdicts",
        type=click.Choice(["none", "offered", "placed"]),
        default="offered",
        help="For traces: the solver's verdicts are told between replies, or placed in a critic's block; or "
        "only what is wrong with the form is told.",
    ),
    profile_option,
    theory_option,
    record_budget_option,
)


@click.command(cls=Command)
@click.argument("question")
@click.option(
    "--as",
    "language",
    type=click.Choice(["pot", "dot", "dagmath"]),
    default="pot",
    help="The model writes a program, a trace, or a solution in steps.",
)
@model_options(accepted="one program, trace or solution")
@click.option(
    "--k",
    type=click.IntRange(1, 100),
    help="Programs or solutions to write, the most frequent answer counts; traces, until one is established. "
    "[default: 1, by self-consistency 5]",
)
@click.option(
    "--transcript",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all requests and replies to this file, as `--format json` prints them.",
)
@format_option("text", "json")
@_care
@_program_question
@_trace_question
@solving_options
@color_option
@click.pass_context
def reason(
    context: click.Context,
    question: str,
    language: Language,
    asked: AskedModel,
    k: int | None,
    transcript: Path | None,
    style: str,
    care: Care,
    program: ProgramQuestion,
    trace: TraceQuestion,
    solving: SolvingOptions,
    color: str,
) -> None:
    """Answer a question with what a model writes and repairs (`--as`), and solvers decide.

    QUESTION is the text itself, the name of a file that has it, or `-` for standard input. The endpoint is
    that of OPENAI_BASE_URL, its key OPENAI_API_KEY, the model POTLANG_MODEL, where options do not say
    otherwise. Exit codes are those of `verify`: 0 if all is entailed, an option elected, a trace
    established, or a solution accepted, 1 for another answer, 2 for a wrong call, 3 if the answer is
    unknown, be it that the model or its endpoint failed.
    """
    _refuse_others(context, language)
    text = given_text(question)
    found: Reasoned | ReasonedTrace | ReasonedSolution
    space = theory_program(trace.theory, style, color)
    endpoint = asked.endpoint()
    try:
        if language == "dot":
            found = _by_traces(text, endpoint, asked, k or 1, trace, space, solving)
        elif language == "dagmath":
            found = _by_solutions(text, endpoint, asked, k or 1, care, solving)
        else:
            found = _by_programs(text, endpoint, asked, k, care, program, solving)
    except (ValueError, MissingExtraError) as error:
        raise click.UsageError(str(error)) from error
    finally:
        endpoint.close()
    if style == "json":
        click.echo(found.to_json())
    else:
        click.echo(found.render(color=use_color(color)).rstrip("\n"), color=True)
    if transcript is not None:
        # Last: what was paid for is not lost where this cannot be written.
        write_text(transcript, found.to_json() + "\n")
    sys.exit(_exit_code(found))


def _refuse_others(context: click.Context, language: Language) -> None:
    """A usage error for an option of another language."""
    others = {
        field
        for group, languages in _MEANT_FOR.items()
        for field in getattr(group, "_fields", ())
        if language not in languages
    }
    if language == "dagmath":
        others.add("route")
    for each in context.command.params:
        given = context.get_parameter_source(each.name or "")
        if each.name in others and given is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{each.opts[0]} means nothing with `--as {language}`")


def _by_programs(
    question: str,
    endpoint: Model,
    asked: AskedModel,
    k: int | None,
    care: Care,
    program: ProgramQuestion,
    solving: SolvingOptions,
) -> Reasoned:
    chosen = {"unique_names": program.unique_names, "closed_domain": program.closed_domain}
    return models.reason(
        question,
        endpoint,
        strategy=program.strategy,
        images=program.images,
        k=k,
        semantics={name: True for name, wanted in chosen.items() if wanted},
        parallel=care.jobs,
        options=program.options,
        yes_or_no=program.yes_or_no,
        second_look=care.second_look,
        safe_fixes=care.safe_fixes,
        prompt=program.prompt,
        prose=program.prose,
        limits=solving.limits,
        route=solving.route,
        trust=solving.trust,
        **asked.reply_options(),
        progress=partial(tell_attempt, "a program"),
    )


def _by_traces(
    question: str,
    endpoint: Model,
    asked: AskedModel,
    k: int,
    trace: TraceQuestion,
    theory: Program | None,
    solving: SolvingOptions,
) -> ReasonedTrace:
    return dot.reason(
        question,
        endpoint,
        k=k,
        verdicts=trace.verdicts,
        theory=theory,
        profile=trace.profile,
        budget=trace.budget,
        limits=solving.limits,
        route=solving.route,
        trust=solving.trust,
        **asked.reply_options(),
        progress=partial(tell_attempt, "a trace"),
    )


def _by_solutions(
    problem: str, endpoint: Model, asked: AskedModel, k: int, care: Care, solving: SolvingOptions
) -> ReasonedSolution:
    return dagmath.reason(
        problem,
        endpoint,
        k=k,
        parallel=care.jobs or 1,
        second_look=care.second_look,
        safe_fixes=care.safe_fixes,
        limits=solving.limits,
        trust=solving.trust,
        **asked.reply_options(),
        progress=partial(tell_attempt, "a solution"),
    )


def given_text(given: str) -> str:
    """The text that the argument means."""
    if given == "-":
        return _read(sys.stdin.buffer)
    with suppress(OSError, ValueError):
        if os.path.isfile(given):  # noqa: PTH113 - a question may be no possible path at all
            with Path(given).open("rb") as file:
                return _read(file)
    return given


def _read(file: IO[bytes]) -> str:
    """No more than a question may have, and one character beyond."""
    return file.read(4 * (LONGEST_QUESTION + 1)).decode("utf-8", "replace")


def tell_attempt(accepted: str, attempt: Attempt) -> None:
    """One line on standard error, while the model works."""
    tokens = f", {attempt.completion_tokens} tokens" if attempt.completion_tokens is not None else ""
    outcome = visible(attempt.problem) or accepted
    if attempt.stage not in ("program", "trace"):
        outcome = f"{attempt.stage}: {visible(attempt.problem) or 'accepted'}"
    tell(f"{outcome} ({attempt.seconds:.1f} s{tokens})")


def _exit_code(found: Reasoned | ReasonedTrace | ReasonedSolution) -> int:
    if getattr(found, "elected", None) is not None:
        return ALL_ENTAILED
    return UNDECIDED if found.report is None else exit_code(found.report)
