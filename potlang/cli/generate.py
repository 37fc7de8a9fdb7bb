"""`potc generate`: programs with known verdicts, as JSON Lines that `potc eval` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from potlang.cli.common import output_option, write_lines
from potlang.cli.model_options import Renamed
from potlang.generate.programs import ProgramDifficulty, generate_many

_MOST: Final = 1_000_000
_ANSWERS: Final = {"entailed": "true", "refuted": "false"}


@click.command(cls=Renamed, renamed={"--out": "--output"})
@click.option("--count", type=click.IntRange(1, _MOST), default=1, help="Number of programs.")
@click.option(
    "--difficulty",
    type=click.IntRange(1, 50),
    default=3,
    help="1: one implication; more: a longer chain, more shapes of rules, more noise.",
)
@click.option("--seed", default=0, help="Seed of the first program; each further program has the next seed.")
@output_option
def generate(count: int, difficulty: int, seed: int, output: Path | None) -> None:
    """Generate programs with known verdicts, each verdict equally often.

    Each line has `id`, `family`, `program`, `verdict` and `support`, the names of the facts and rules that
    the verdict needs.
    """
    write_lines(output, _lines(count, difficulty, seed))


def _lines(count: int, difficulty: int, seed: int) -> Iterator[str]:
    """Each program as a line of a data set, without its end."""
    for each in generate_many(count, seed, ProgramDifficulty.of_level(difficulty)):
        line = {
            "id": f"generated/{difficulty}/{each.seed}",
            "family": f"generated/{difficulty}",
            "answer": _ANSWERS.get(str(each.verdict), "uncertain"),
            "verdict": str(each.verdict),
            "support": sorted(each.support),
            "program": each.program,
        }
        yield json.dumps(line)
