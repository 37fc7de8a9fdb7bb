"""`potc view FILE`: a page on a program, a trace or a solution, or a drawing of a trace or a solution."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import click

from potlang import api
from potlang.cli.answer import print_diagnostics, theory_program, verified_answer
from potlang.cli.common import ALL_ENTAILED, color_option, fail, output_option, read_input, write_output
from potlang.cli.helping import Command
from potlang.cli.options import (
    SolutionOptions,
    SolvingOptions,
    TraceOptions,
    config_option,
    note_options,
    solution_options,
    solving_options,
    trace_options,
    verify_options,
)
from potlang.drawing.draw import Form, ViewError

_ENDINGS: dict[str, Form] = {
    ".svg": "svg",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".gv": "graphviz",
    ".dot": "graphviz",
}


@click.command(cls=Command)
@click.argument("file")
@output_option
@click.option(
    "--to",
    "form",
    type=click.Choice(get_args(Form)),
    help="A page, or a drawing alone. [default: by the ending of the file that is written, else html]",
)
@trace_options
@solution_options
@solving_options
@config_option
@color_option
def view(
    file: str,
    output: Path | None,
    form: Form | None,
    trace: TraceOptions,
    solution: SolutionOptions,
    solving: SolvingOptions,
    color: str,
) -> None:
    """Draw a trace or a solution, or make a page on it or on a program.

    Exit code: 0 it is drawn, whatever was found; 2 there is nothing to draw.
    """
    theory = theory_program(trace.theory, "text", color)
    given = read_input(file)
    note_options(given)
    ending = "" if output is None else output.suffix.lower()
    answer, _ = verified_answer(given, verify_options(given.kind, solving, trace, solution, theory))
    try:
        text = api.view(answer.found, to=form or _ENDINGS.get(ending, "html"), name=given.name)
    except ViewError as error:
        print_diagnostics(answer.document, answer.diagnostics, color)
        fail(f"{given.name}: {error}")
    write_output(output, text)
    if not answer.is_whole:
        raise KeyboardInterrupt
    sys.exit(ALL_ENTAILED)
