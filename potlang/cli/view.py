"""`potc view FILE`: a drawing of a trace, or a page on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import click

from potlang import dot
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import ALL_ENTAILED, INVALID, color_option, read_input, write_text
from potlang.cli.shared_options import chosen_limits, solving_options, trace_options
from potlang.cli.trace import theory_program, trace_document

if TYPE_CHECKING:
    from potlang.api import RouteName, Trust
    from potlang.dot.report import TraceReport
    from potlang.languages.dot.records import Profile

Form = Literal["html", "mermaid", "graphviz", "svg"]
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
@solving_options
@color_option
def view(
    file: str,
    output: Path | None,
    form: Form | None,
    profile: Profile,
    theory: str | None,
    route: RouteName,
    trust: Trust,
    timeout: float,
    total_timeout: float,
    memory: int,
    rlimit: int | None,
    color: str,
) -> None:
    """Draw a DoT trace: its nodes by status and verdict, its edges and inclusions.

    Exit code: 0 it is drawn, whatever was found; 2 there is nothing to draw.
    """
    limits = chosen_limits(timeout, total_timeout, memory, rlimit)
    space = theory_program(theory, "text", color)
    given = read_input(file)
    report = dot.verify(
        given.source,
        profile=profile,
        theory=space,
        route=route,
        trust=trust,
        limits=limits,
        name=given.name,
    )
    if not report.nodes:
        print_diagnostics(trace_document(given), report.diagnostics, color)
        click.echo(f"{given.name}: there is no trace to draw", err=True)
        sys.exit(INVALID)
    ending = "" if output is None else output.suffix.lower()
    text = drawn(report, form or _ENDINGS.get(ending, "html"), given.name)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
    sys.exit(ALL_ENTAILED)


def drawn(report: TraceReport, form: Form, name: str) -> str:
    """The text of a page or a drawing."""
    from potlang.view.graph import graph_of

    match form:
        case "html":
            from potlang.view.page import page

            return page(report, name)
        case "mermaid":
            from potlang.view.mermaid import MOST_NODES, mermaid

            return mermaid(graph_of(report, MOST_NODES))
        case "graphviz":
            from potlang.view.graphviz import graphviz

            return graphviz(graph_of(report))
        case "svg":
            from potlang.view.svg import svg

            return svg(graph_of(report))
