"""`potc build-gold PROBLEMS --output JOURNAL`: gold-standard solutions by models, in three stages."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang.cli.common import tell, write_lines
from potlang.cli.journals import end_run, journal_errors, problem_file, problems_in, run_codes
from potlang.cli.model_options import AskedModel, Renamed, model_options
from potlang.models import gold as gold_standard
from potlang.score.samples import difficulty_label
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from potlang.models.gold.journal import GoldJournal, GoldRecord


@click.command(
    "build-gold",
    cls=Renamed,
    renamed={"--tries": "--attempts", "--timeout": "--model-timeout", "--seed": "--model-seed"},
)
@problem_file("Problems", "Most problems in this run.")
@click.option("--gold", type=click.Path(dir_okay=False, path_type=Path), help="Write the solutions alone.")
@click.option("--judge-model", help="A model that checks nodes and dependencies. [default: none]")
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
    budget = asked.budget()
    bad: list[str] = []
    records: list[GoldRecord] = []

    def progress(record: GoldRecord) -> None:
        records.append(record)
        detail = f": {record.reason}" if record.reason else ""
        tell(f"{record.id}: {record.outcome}{detail}")

    with ExitStack() as opened:
        endpoint = opened.enter_context(asked.endpoint(budget=budget))
        judge = None
        if judge_model is not None:
            judge = opened.enter_context(asked.endpoint(judge_model, budget=budget))
        models, sampling = gold_standard.Models.one(endpoint, judge), asked.sampling()
        opened.enter_context(journal_errors(output, "--output"))
        journal = opened.enter_context(gold_standard.GoldJournal(output))
        found = problems_in(
            opened.enter_context(file.open("rb")), bad, needed=("problem", "solution", "answer")
        )
        problems = islice((each for each in found if not journal.is_done(each)), limit)
        ended = gold_standard.run(
            problems,
            journal,
            lambda: gold_standard.Builder(models, sampling=sampling),
            jobs=jobs,
            progress=progress,
        )
        if gold is not None:
            write_lines(gold, (json_text(solution, None) for solution in journal.solutions()))
        _summary(journal)
    is_complete = all(each.outcome == "built" for each in journal.done.values())
    end_run(ended, run_codes(bad, [each.outcome for each in records], is_complete=is_complete))


def _summary(journal: GoldJournal) -> None:
    """Prints problems and built ones by difficulty (paper, table 2)."""
    click.echo("difficulty  total  built   rate")
    for row in gold_standard.success_by_difficulty(journal.done.values()):
        rate = row.built / row.total
        click.echo(f"{difficulty_label(row.level):<10}  {row.total:>5}  {row.built:>5}  {rate:>5.1%}")
