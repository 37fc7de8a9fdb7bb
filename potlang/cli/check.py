"""`potc check FILE…`: diagnostics alone."""

from __future__ import annotations

import sys

import click

from potlang.cli.answer import Answer, checked_answer, print_answers, print_diagnostics, theory_program
from potlang.cli.common import color_option, files_argument, format_option, read_input, worst_exit
from potlang.cli.options import TraceOptions, note_options, trace_options


@click.command()
@files_argument
@format_option("text", "json", "sarif")
@trace_options
@color_option
def check(files: tuple[str, ...], style: str, trace: TraceOptions, color: str) -> None:
    """List the errors and warnings of programs, traces and solutions, without solving.

    Exit code: 0 no errors, 2 errors.
    """
    form = {"profile": trace.profile, "theory": theory_program(trace.theory, style, color)}
    answers = []
    for name in files:
        given = read_input(name)
        note_options(given)
        answers.append(checked_answer(given, **(form if given.kind == "dot" else {})))
    if style == "text":
        for answer in answers:
            _print_text(answer, color)
    print_answers(answers, style, named=True)
    sys.exit(worst_exit(answer.code for answer in answers))


def _print_text(answer: Answer, color: str) -> None:
    if answer.diagnostics:
        print_diagnostics(answer.document, answer.diagnostics, color, err=False)
    else:
        click.echo(f"{answer.name}: no errors, no warnings")
