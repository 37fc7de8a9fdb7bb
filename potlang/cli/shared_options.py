"""Options of several commands: who decides, within which limits, how traces and solutions are taken."""

from __future__ import annotations

from typing import get_args

import click

from potlang import api
from potlang.cli.common import Command
from potlang.report.results import Limits

_SECONDS = click.FloatRange(min=0.001, max=1_000_000)
_OPTIONS = (
    click.option(
        "--route",
        type=click.Choice(get_args(api.RouteName)),
        default="auto",
        show_default=True,
        help="Who decides; `auto` chooses by what the program is made of. `both`: two solvers, compared.",
    ),
    click.option(
        "--trust",
        type=click.Choice(["best", "solver"]),
        default="best",
        show_default=True,
        help="`solver`: take its word, skip what only strengthens the evidence.",
    ),
    click.option("--timeout", type=_SECONDS, default=10.0, show_default=True, help="Seconds for one check."),
    click.option(
        "--total-timeout", type=_SECONDS, default=60.0, show_default=True, help="Seconds for one input."
    ),
    click.option(
        "--memory",
        type=click.IntRange(min=1),
        default=4096,
        show_default=True,
        help="Megabytes for the solver.",
    ),
    click.option(
        "--rlimit", type=click.IntRange(min=1), help="The solver's own deterministic limit per check."
    ),
)


def solving_options(command: Command) -> Command:
    """Adds `route`, `trust`, `timeout`, `total_timeout`, `memory` and `rlimit`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def chosen_limits(timeout: float, total_timeout: float, memory: int, rlimit: int | None) -> Limits:
    """The limits that these options name."""
    return Limits(int(timeout * 1000), int(total_timeout * 1000), memory, rlimit)


profile_option = click.option(
    "--profile",
    type=click.Choice(["paper", "strict"]),
    default="paper",
    show_default=True,
    help="Of a trace: the grammar to the letter, or what the paper's own example needs as well.",
)
theory_option = click.option(
    "--theory",
    metavar="FILE",
    help="Of a trace: a PoT program whose declarations and assumptions it is read against.",
)


def trace_options(command: Command) -> Command:
    """Adds `profile` and `theory`."""
    return profile_option(theory_option(command))


answer_option = click.option(
    "--answer",
    metavar="TEXT",
    help="Of a solution: the expected answer, in LaTeX, whatever the input says of it.",
)
no_steps_option = click.option(
    "--no-steps", is_flag=True, help="Of a solution: do not check whether its steps follow."
)


def solution_options(command: Command) -> Command:
    """Adds `answer` and `no_steps`."""
    return answer_option(no_steps_option(command))


FOR_TRACES = ("profile", "theory")
"""Options that mean something for a trace alone."""
FOR_SOLUTIONS = ("answer", "no_steps")
"""Options that mean something for a solution alone."""
