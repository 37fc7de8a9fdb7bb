"""`potc view FILE`: a drawing of a trace or a solution, or a page on it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

import click

from potlang import dot
from potlang.cli.answer import print_diagnostics
from potlang.cli.common import ALL_ENTAILED, INVALID, Input, color_option, note_unused, read_input, write_text
from potlang.cli.shared_options import (
    FOR_SOLUTIONS,
    FOR_TRACES,
    chosen_limits,
    solution_options,
    solving_options,
    trace_options,
)
from potlang.cli.trace import theory_program

if TYPE_CHECKING:
    from potlang.api import RouteName, Trust
    from potlang.languages.dagmath.report import SolutionReport
    from potlang.languages.dot.read.records import Profile
    from potlang.languages.dot.report import TraceReport
    from potlang.view.graph import Graph

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
    """Draw a DoT trace or a DAG-MATH solution: nodes or steps by verdict, edges, inclusions.

    Exit code: 0 it is drawn, whatever was found; 2 there is nothing to draw.
    """
    limits = chosen_limits(timeout, total_timeout, memory, rlimit)
    space = theory_program(theory, "text", color)
    given = read_input(file)
    ending = "" if output is None else output.suffix.lower()
    wanted = form or _ENDINGS.get(ending, "html")
    settings: dict[str, Any] = {"trust": trust, "limits": limits}
    if given.kind == "dagmath":
        note_unused(f"{given.name} is a solution", ("route", *FOR_TRACES))
        text = _solution(given, {**settings, "answer": answer, "steps": not no_steps}, wanted, color)
    else:
        note_unused(f"{given.name} is a trace", FOR_SOLUTIONS)
        settings |= {"profile": profile, "theory": space, "route": route}
        text = _trace(given, settings, wanted, color)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)
    sys.exit(ALL_ENTAILED)


def _trace(given: Input, settings: dict[str, Any], form: Form, color: str) -> str:
    """The drawing of a trace; one without nodes ends the command."""
    from potlang.view.graph import graph_of
    from potlang.view.page import page

    report = dot.verify(given.source, name=given.name, **settings)
    if not report.nodes:
        _nothing(given, report, color)
    return page(report, given.name) if form == "html" else _drawing(partial(graph_of, report), form)


def _solution(given: Input, settings: dict[str, Any], form: Form, color: str) -> str:
    """The drawing of a solution; what is no graph ends the command."""
    from potlang.languages.dagmath.solve.verify import verify
    from potlang.view.page import solution_page
    from potlang.view.steps import graph_of_solution

    report = verify(given.source, name=given.name, **settings)
    if report.graph is None:
        _nothing(given, report, color)
    if form == "html":
        return solution_page(report, given.name)
    return _drawing(partial(graph_of_solution, report), form)


def _nothing(given: Input, report: TraceReport | SolutionReport, color: str) -> NoReturn:
    print_diagnostics(report.document, report.diagnostics, color)
    what = "solution" if given.kind == "dagmath" else "trace"
    click.echo(f"{given.name}: there is no {what} to draw", err=True)
    sys.exit(INVALID)


def _drawing(graph: Callable[[int], Graph], form: Literal["mermaid", "graphviz", "svg"]) -> str:
    """The text of a drawing; `graph` gives the graph of at most so many vertices."""
    from potlang.view import graph as graphs

    match form:
        case "mermaid":
            from potlang.view.mermaid import MOST_NODES, mermaid

            return mermaid(graph(MOST_NODES))
        case "graphviz":
            from potlang.view.graphviz import graphviz

            return graphviz(graph(graphs.MOST_NODES))
        case "svg":
            from potlang.view.svg import svg

            return svg(graph(graphs.MOST_NODES))
