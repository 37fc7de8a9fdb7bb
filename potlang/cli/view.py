"""`potc view FILE`: a page on a program, a trace or a solution, or a drawing of a trace or a solution."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from potlang import api
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import ALL_ENTAILED, INVALID, color_option, note_unused, read_input, write_text
from potlang.cli.shared_options import (
    FOR_SOLUTIONS,
    FOR_TRACES,
    chosen_limits,
    solution_options,
    solving_options,
    trace_options,
)
from potlang.cli.trace import theory_program
from potlang.drawing.draw import Form, ViewError, draw

if TYPE_CHECKING:
    from potlang.api import RouteName, Trust
    from potlang.languages.dot.read.records import Profile

_ENDINGS: dict[str, Form] = {
    ".svg": "svg",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".gv": "graphviz",
    ".dot": "graphviz",
}


@click.command()
@click.argument("file")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file.")
@click.option(
    "--to",
    "form",
    type=click.Choice(get_args(Form)),
    help="A page, or a drawing alone. [default: by the ending of the file that is written, else html]",
)
@trace_options
@solution_options
@solving_options
@color_option
def view(
    file: str,
    output: Path | None,
    form: Form | None,
    profile: Profile,
    theory: str | None,
    answer: str | None,
    no_steps: bool,
    route: RouteName,
    trust: Trust,
    timeout: float,
    total_timeout: float,
    memory: int,
    rlimit: int | None,
    color: str,
) -> None:
    """Draw a trace or a solution, or make a page on it or on a program.

    Exit code: 0 it is drawn, whatever was found; 2 there is nothing to draw.
    """
    limits = chosen_limits(timeout, total_timeout, memory, rlimit)
    space = theory_program(theory, "text", color)
    given = read_input(file)
    ending = "" if output is None else output.suffix.lower()
    wanted = form or _ENDINGS.get(ending, "html")
    options: api.VerifyOptions = {"trust": trust, "limits": limits}
    if given.kind == "dagmath":
        note_unused(f"{given.name} is a solution", ("route", *FOR_TRACES))
        options |= {"answer": answer, "steps": not no_steps}
    elif given.kind == "dot":
        note_unused(f"{given.name} is a trace", FOR_SOLUTIONS)
        options |= {"profile": profile, "theory": space, "route": route}
    else:
        note_unused(f"{given.name} is a program", (*FOR_TRACES, *FOR_SOLUTIONS))
        options |= {"route": route}
    report = api.verify(given.source, language=given.kind, name=given.name, **options)
    try:
        text = draw(report, wanted, given.name)
    except ViewError as error:
        document = api.check(given.source, language=given.kind, name=given.name).document
        print_diagnostics(document, report.diagnostics, color)
        click.echo(f"{given.name}: {error}", err=True)
        sys.exit(INVALID)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
    sys.exit(ALL_ENTAILED)
