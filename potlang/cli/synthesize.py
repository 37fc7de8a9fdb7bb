"""`potc synthesize`: synthetic traces with labels, a JSON object a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from potlang.cli.common import output_option, write_lines
from potlang.cli.helping import Command
from potlang.cli.options import profile_option

if TYPE_CHECKING:
    from potlang.languages.dot.read.records import Profile


@click.command(cls=Command)
@click.option("--count", type=int, default=100, help="Number of traces.")
@click.option("--seed", type=int, default=0, help="The same seed gives the same bytes.")
@click.option(
    "--kind",
    type=click.Choice(["mixed", "horn", "arithmetic"]),
    default="mixed",
    help="Kind of the problems.",
)
@click.option("--depth", type=int, default=3, help="Layers in a derivation.")
@click.option("--width", type=int, default=3, help="Most steps in a layer.")
@click.option("--wrong", type=float, default=0.3, help="Share of steps that have a wrong proposal.")
@click.option("--refine", type=float, default=0.7, help="Share of wrong proposals that are refined.")
@profile_option
@output_option
def synthesize(
    count: int,
    seed: int,
    kind: Literal["mixed", "horn", "arithmetic"],
    depth: int,
    width: int,
    wrong: float,
    refine: float,
    profile: Profile,
    output: Path | None,
) -> None:
    """Generate traces as training data: derivations with wrong proposals, critiques and refinements.

    Each line is an object with the trace, its hash, the problem, the labels of its nodes, and the literals
    that its summary entails.
    """
    from potlang import dot

    difficulty = dot.Difficulty(depth, width, wrong, refine)
    try:
        made = dot.synthesize(count, seed, kind=kind, difficulty=difficulty, profile=profile)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    write_lines(output, (each.to_json() for each in made))
