"""`potc build-gold PROBLEMS --output JOURNAL`: gold-standard solutions by models, in three stages."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    OTHER_ANSWER,
    UNDECIDED,
    CannotWriteFile,
    CommandFailure,
    tell,
    write_lines,
)
from potlang.cli.model_options import AskedModel, Renamed, model_options
from potlang.cli.problem_lines import problems_in
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from potlang.models.gold.journal import GoldJournal, GoldRecord


@click.command(
    "build-gold",
    cls=Renamed,
    renamed={"--tries": "--attempts", "--timeout": "--model-timeout", "--seed": "--model-seed"},
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The journal of the run; a run with an existing journal continues it.",
)
@click.option("--gold", type=click.Path(dir_okay=False, path_type=Path), help="Write the solutions alone.")
@click.option("--judge-model", help="A model that checks nodes and dependencies. [default: none]")
@click.option("--limit", type=click.IntRange(1), help="Most problems in this run.")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Problems at a time.")
@model_options(attempts=5, accepted="one stage")
def build_gold(
    file: Path,
    output: Path,
    gold: Path | None,
    judge_model: str | None,
    limit: int | None,
    jobs: int,
    asked: AskedModel,
) -> None:
    """Build gold-standard DAG-MATH solutions with models, from problems with known solutions.

    FILE has a problem on each line: `problem`, `solution`, `answer`, and `problem_id`, `difficulty`.
    The exit code is 0 if all problems are built, 1 if some are not, 2 for lines that are no problems, and 3
    if the endpoint failed: the same command goes on from there.
    """
    from potlang.models.gold.builder import Builder, Models
    from potlang.models.gold.journal import GoldJournal, run
    from potlang.models.loop.journal import BadJournal

    budget = asked.budget()
    endpoint = asked.endpoint(budget=budget)
    judge = None if judge_model is None else asked.endpoint(judge_model, budget=budget)
    models = Models.one(endpoint, judge)
    sampling = asked.sampling()
    bad: list[str] = []
    records: list[GoldRecord] = []

    def progress(record: GoldRecord) -> None:
        records.append(record)
        detail = f": {record.reason}" if record.reason else ""
        tell(f"{record.id}: {record.outcome}{detail}")

    try:
        with GoldJournal(output) as journal, file.open("rb") as stream:
            found = problems_in(stream, bad, needed=("problem", "solution", "answer"))
            problems = islice((each for each in found if not journal.is_done(each)), limit)
            ended = run(
                problems, journal, lambda: Builder(models, sampling=sampling), jobs=jobs, progress=progress
            )
            if gold is not None:
                _write_gold(journal, gold)
            _summary(journal)
    except BadJournal as error:
        raise click.BadParameter(str(error), param_hint="--output") from error
    except ImportError as error:
        raise CommandFailure(str(error)) from error
    except OSError as error:
        raise CannotWriteFile(error.filename or output, error) from error
    finally:
        endpoint.close()
        if judge is not None:
            judge.close()
    if ended:
        tell(f"ended early: {ended}")
    sys.exit(_exit_code(bad, records, journal))


def _write_gold(journal: GoldJournal, path: Path) -> None:
    write_lines(path, (json_text(solution, None) for solution in journal.solutions()))


def _summary(journal: GoldJournal) -> None:
    """Prints problems and built ones by difficulty (paper, table 2)."""
    from potlang.models.gold.journal import success_by_difficulty
    from potlang.score.samples import difficulty_label

    click.echo("difficulty  total  built   rate")
    for row in success_by_difficulty(journal.done.values()):
        rate = row.built / row.total
        click.echo(f"{difficulty_label(row.level):<10}  {row.total:>5}  {row.built:>5}  {rate:>5.1%}")


def _exit_code(bad: list[str], records: list[GoldRecord], journal: GoldJournal) -> int:
    if bad:
        return INVALID
    if any(record.outcome == "failed" for record in records):
        return UNDECIDED
    return ALL_ENTAILED if all(each.outcome == "built" for each in journal.done.values()) else OTHER_ANSWER
