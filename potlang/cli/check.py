"""`potc check FILE…`: diagnostics alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from potlang.cli.answer import Answer, checked_answer, linted_answer, theory_program
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    CommandFailure,
    Input,
    color_option,
    files_argument,
    format_option,
    read_input,
)
from potlang.cli.helping import Command
from potlang.cli.options import (
    RuleOptions,
    RunOptions,
    TraceOptions,
    config_option,
    note_options,
    rule_options,
    run_options,
    sources_option,
    trace_options,
)
from potlang.cli.run import run_checks
from potlang.linter.linter import BUDGET_MS

if TYPE_CHECKING:
    from potlang.languages.pot.profiles import Profile


@click.command(cls=Command)
@files_argument
@format_option("text", "json", "sarif")
@run_options
@trace_options
@click.option(
    "--stream", is_flag=True, help="Read traces as they are written, and stop at the first violation."
)
@click.option(
    "--schema",
    type=click.Choice(["pot", "openai", "anthropic", "gemini"]),
    help="Compare programs with this JSON Schema, and with nothing else.",
)
@rule_options
@sources_option
@click.option("--deep", is_flag=True, help="Run the rules of `potc lint` that ask a solver, too.")
@config_option
@color_option
def check(
    files: tuple[str, ...],
    style: str,
    running: RunOptions,
    trace: TraceOptions,
    stream: bool,
    schema: str | None,
    rules: RuleOptions,
    deep: bool,
    color: str,
) -> None:
    """List the errors and warnings of programs, traces and solutions, without solving.

    Of programs also what `potc lint` finds without a solver. FILE is a file, a directory, a pattern such as
    `"rules/**/*.json"`, or `-` for standard input. A solution may be plain text, Markdown or a chat.

    Exit code: 0 no errors, 2 errors.
    """
    choice = rules.choice()
    form = trace.form(theory_program(trace.theory, style, color))

    def checked(name: str) -> Answer:
        if stream:
            from potlang.cli.streaming import streamed_answer

            return streamed_answer(name, form)
        given = read_input(name)
        note_options(given)
        if schema is not None:
            return _by_schema(given, schema)
        if given.kind == "pot":
            return linted_answer(given, choice, BUDGET_MS if deep else 0)
        return checked_answer(given, **(form if given.kind == "dot" else {}))

    run_checks(files, checked, running, style, color)


def _by_schema(given: Input, schema: str) -> Answer:
    """The misfits of a program and a provider's schema."""
    from potlang.languages.pot.profiles import program_schema
    from potlang.languages.pot.schema import check_schema

    if given.kind != "pot":
        raise CommandFailure(f"{given.name} is no program: the schemas are those of programs")
    rules = program_schema("json" if schema == "pot" else cast("Profile", schema))
    checked = check_schema(given.source, rules, schema, given.name)
    code = INVALID if checked.diagnostics else ALL_ENTAILED
    return Answer(given.name, checked.document, checked.diagnostics, checked, code)
