"""`potc reason QUESTION|FILE|-`: a model writes and repairs a program for a question, solvers decide it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from potlang.cli.common import (
    UNDECIDED,
    color_option,
    exit_code,
    format_option,
    tell,
    use_color,
    write_text,
)
from potlang.cli.helping import Command
from potlang.cli.model_options import AskedModel, model_options
from potlang.cli.options import SolvingOptions, solving_options
from potlang.diag.wording import visible
from potlang.utils.extra import MissingExtraError

if TYPE_CHECKING:
    from potlang.models.asking import Attempt
    from potlang.models.reasoned import Reasoned


@click.command(cls=Command)
@click.argument("question")
@model_options()
@click.option(
    "--k",
    type=click.IntRange(1, 100),
    default=1,
    help="Programs to write; the most frequent verdict is the answer.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="LABEL",
    help="An answer to choose from, with a verification of its own; may be repeated.",
)
@click.option("--prose", metavar="TEXT", help="An answer in prose, to compare with the verdict.")
@click.option("--unique-names", is_flag=True, help="Different constants denote different members of a sort.")
@click.option("--closed-domain", is_flag=True, help="Sorts have no members but the named ones.")
@click.option(
    "--transcript",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all requests and replies to this file, as `--format json` prints them.",
)
@format_option("text", "json")
@solving_options
@color_option
def reason(
    question: str,
    asked: AskedModel,
    k: int,
    options: tuple[str, ...],
    prose: str | None,
    unique_names: bool,
    closed_domain: bool,
    transcript: Path | None,
    style: str,
    solving: SolvingOptions,
    color: str,
) -> None:
    """Answer a question with programs that a model writes and repairs and solvers decide.

    QUESTION is the text itself, the name of a file that has it, or `-` for standard input. The endpoint is
    that of OPENAI_BASE_URL, its key OPENAI_API_KEY, the model POTLANG_MODEL, where options do not say
    otherwise. Exit codes are those of `verify`: 0 if all is entailed, 1 for another answer, 2 for a wrong
    call, 3 if the answer is unknown, be it that the model or its endpoint failed.
    """
    from potlang.models.loop import reason as reason_about

    text = _question(question)
    endpoint = asked.endpoint()
    chosen = {"unique_names": unique_names, "closed_domain": closed_domain}
    try:
        found = reason_about(
            text,
            endpoint,
            attempts=asked.attempts,
            k=k,
            semantics={name: True for name, wanted in chosen.items() if wanted},
            options=options,
            prose=prose,
            limits=solving.limits,
            route=solving.route,
            trust=solving.trust,
            temperature=asked.temperature,
            max_tokens=asked.max_tokens,
            seed=asked.model_seed,
            progress=_tell,
        )
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


def _question(given: str) -> str:
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
    from potlang.models.loop import LONGEST_QUESTION

    return file.read(4 * (LONGEST_QUESTION + 1)).decode("utf-8", "replace")


def _tell(attempt: Attempt) -> None:
    """One line on standard error, while the model works."""
    tokens = f", {attempt.completion_tokens} tokens" if attempt.completion_tokens is not None else ""
    outcome = visible(attempt.problem) or "a program"
    tell(f"{outcome} ({attempt.seconds:.1f} s{tokens})")


def _exit_code(found: Reasoned) -> int:
    return UNDECIDED if found.report is None else exit_code(found.report)
