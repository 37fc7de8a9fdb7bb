"""`potc generate`: programs with known verdicts, as JSON Lines that `potc eval` reads."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from potlang.cli.common import CannotWriteFile

_MOST = 1_000_000


@click.command()
@click.option("--count", type=click.IntRange(1, _MOST), default=1, show_default=True, help="How many.")
@click.option(
    "--difficulty",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    help="1: one implication; more: a longer chain, more shapes of rules, more noise.",
)
@click.option("--seed", default=0, show_default=True, help="Of the first program; each has the next one.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
def generate(count: int, difficulty: int, seed: int, out: Path | None) -> None:
    """Generate programs with known verdicts, all verdicts equally often.

    Each line has `id`, `family`, `program`, `verdict` and `support`, the names of the facts and rules that
    the verdict needs.
    """
    from potlang.llm.generator import Difficulty, generate_many

    try:
        stream = sys.stdout if out is None else out.open("w", encoding="ascii", newline="\n")
        try:
            for each in generate_many(count, seed, Difficulty.of_level(difficulty)):
                line = {
                    "id": f"generated/{difficulty}/{each.seed}",
                    "family": f"generated/{difficulty}",
                    "answer": _ANSWERS.get(str(each.verdict), "uncertain"),
                    "verdict": str(each.verdict),
                    "support": sorted(each.support),
                    "program": each.program,
                }
                stream.write(json.dumps(line) + "\n")
        finally:
            if out is not None:
                stream.close()
    except OSError as error:
        raise CannotWriteFile(out or "-", error) from error


_ANSWERS = {"entailed": "true", "refuted": "false"}
