"""`potc check FILE…`: diagnostics alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from potlang.cli.answer import Answer, print_answers
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    color_option,
    files_argument,
    format_option,
    note_unused,
    print_json,
    read_input,
    use_color,
    worst_exit,
)
from potlang.cli.shared_options import FOR_TRACES, trace_options
from potlang.cli.solution import checked_solution
from potlang.cli.trace import checked_trace, theory_program
from potlang.languages.pot.check import check as check_program

if TYPE_CHECKING:
    from potlang.languages.dot.read.records import Profile


@click.command()
@files_argument
@format_option("text", "json", "sarif")
@trace_options
@color_option
def check(files: tuple[str, ...], style: str, profile: Profile, theory: str | None, color: str) -> None:
    """Report what is wrong or doubtful in programs, traces and solutions, without solving.

    Exit code: 0 no errors, 2 errors.
    """
    settings = {"profile": profile, "theory": theory_program(theory, style, color)}
    answers = [_answer(name, settings) for name in files]
    if style == "text":
        for answer in answers:
            _print_text(answer, color)
    elif style == "json":
        reports = [{"file": each.name, **each.to_dict()} for each in answers]
        print_json(reports[0] if len(reports) == 1 else reports)
    else:
        print_answers(answers, style)
    sys.exit(worst_exit(answer.code for answer in answers))


def _answer(name: str, settings: dict[str, Any]) -> Answer:
    given = read_input(name)
    if given.kind == "dot":
        return checked_trace(given, settings)
    what = "a solution" if given.kind == "dagmath" else "a program"
    note_unused(f"{given.name} is {what}", FOR_TRACES)
    if given.kind == "dagmath":
        return checked_solution(given)
    checked = check_program(given.source, name=given.name)

    def to_dict() -> dict[str, Any]:
        return {"diagnostics": list(checked.located())}

    code = INVALID if checked.program is None else ALL_ENTAILED
    return Answer(given.name, checked.document, checked.diagnostics, to_dict, None, code)


def _print_text(answer: Answer, color: str) -> None:
    from potlang.diag.render_text import render_text

    if answer.diagnostics:
        click.echo(render_text(answer.diagnostics, answer.document, color=use_color(color)), color=True)
    else:
        click.echo(f"{answer.name}: no errors, no warnings")
