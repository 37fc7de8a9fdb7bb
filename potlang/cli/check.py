"""`potc check FILE…`: diagnostics alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import click

from potlang.cli.answer import (
    Answer,
    checked_answer,
    finished,
    linted_answer,
    print_findings,
    theory_program,
)
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    CommandFailure,
    Input,
    color_option,
    files_argument,
    format_option,
    read_input,
    worst_exit,
)
from potlang.cli.options import TraceOptions, note_options, trace_options
from potlang.linter.choice import LintChoice
from potlang.linter.linter import BUDGET_MS

if TYPE_CHECKING:
    from potlang.models.profiles import Profile


@click.command()
@files_argument
@format_option("text", "json", "sarif")
@trace_options
@click.option(
    "--schema",
    type=click.Choice(["pot", "openai", "anthropic", "gemini"]),
    help="Compare programs with this JSON Schema, and with nothing else.",
)
@click.option("--deep", is_flag=True, help="Run the rules of `potc lint` that ask a solver, too.")
@color_option
def check(
    files: tuple[str, ...], style: str, trace: TraceOptions, schema: str | None, deep: bool, color: str
) -> None:
    """List the errors and warnings of programs, traces and solutions, without solving.

    Of programs also what `potc lint` finds without a solver.

    Exit code: 0 no errors, 2 errors.
    """
    form = {"profile": trace.profile, "theory": theory_program(trace.theory, style, color)}
    answers: list[Answer] = []
    with finished(answers, style, named=True):
        for name in files:
            given = read_input(name)
            note_options(given)
            if schema is not None:
                answers.append(_by_schema(given, schema))
            elif given.kind == "pot":
                answers.append(linted_answer(given, LintChoice(), BUDGET_MS if deep else 0))
            else:
                answers.append(checked_answer(given, **(form if given.kind == "dot" else {})))
            if style == "text":
                print_findings(answers[-1], color)
    sys.exit(worst_exit(answer.code for answer in answers))


def _by_schema(given: Input, schema: str) -> Answer:
    """The misfits of a program and a provider's schema."""
    from potlang.languages.pot.schema import check_schema
    from potlang.models.profiles import program_schema

    if given.kind != "pot":
        raise CommandFailure(f"{given.name} is no program: the schemas are those of programs")
    rules = program_schema("json" if schema == "pot" else cast("Profile", schema))
    checked = check_schema(given.source, rules, schema, given.name)
    code = INVALID if checked.diagnostics else ALL_ENTAILED
    return Answer(given.name, checked.document, checked.diagnostics, checked, code)
