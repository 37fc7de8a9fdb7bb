"""`potc sample PROBLEMS --n N --output JOURNAL`: DAG-MATH solutions of a data set, N of each problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from potlang.cli.common import fail, tell, write_lines
from potlang.cli.helping import Command
from potlang.cli.journals import end_run, journal_errors, problem_file, problems_in, run_codes
from potlang.cli.model_options import AskedModel, model_options
from potlang.diag.wording import visible
from potlang.languages.dagmath.read.samples import read_lines, read_sample
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from potlang.languages.dagmath.read.records import Solution
    from potlang.models.solutions.sampling import SampleJournal, SampleRecord


@click.command(cls=Command)
@problem_file("Samples", "Only so many problems, from the first on.")
@click.option("--n", type=click.IntRange(1, 1_000), default=1, help="Samples of each problem.")
@click.option(
    "--solutions",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the samples alone, for `potc score`.",
)
@click.option(
    "--demonstrations",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Solutions to show in the prompt, JSON Lines. [default: potlang's own two]",
)
@model_options(attempts=3, accepted="one sample")
def sample(
    file: Path,
    n: int,
    output: Path,
    solutions: Path | None,
    demonstrations: Path | None,
    limit: int | None,
    jobs: int,
    asked: AskedModel,
) -> None:
    """Have a model solve problems in steps, several times each, for `potc score`.

    FILE has a problem on each line: `problem`, and `problem_id`, `answer`, `difficulty`, `dataset`. A reply
    that is no solution is asked for anew, one that breaks off is gone on with. The exit code is 0 if all
    samples are there, 1 if some are none after all tries (they count as malformed), 2 for lines that are no
    problems, and 3 if the endpoint failed: the same command goes on from there.
    """
    from potlang.models.solutions.sampling import SampleJournal, run
    from potlang.models.solutions.writer import SolutionAsking, SolutionWriter

    shown = None if demonstrations is None else _demonstrations(demonstrations)
    endpoint = asked.endpoint()
    asking = SolutionAsking(asked.sampling(), shown, needs_answer=False, repairs=False)
    bad: list[str] = []
    records: list[SampleRecord] = []

    def progress(record: SampleRecord) -> None:
        records.append(record)
        detail = f": {record.reason}" if record.reason else ""
        tell(f"{record.problem_id}, sample {record.sample}: {record.outcome}{detail}")

    with (
        endpoint,
        journal_errors(output, "--output"),
        SampleJournal(output) as journal,
        file.open("rb") as stream,
    ):
        problems = islice(problems_in(stream, bad, needed=("problem",)), limit)
        writer = SolutionWriter(endpoint, asking)
        ended = run(problems, journal, writer, n=n, jobs=jobs, progress=progress)
        if solutions is not None:
            write_lines(solutions, (json_text(each, None) for each in journal.samples()))
        _summary(journal)
    is_complete = all(each.outcome == "written" for each in journal.entries.values())
    end_run(ended, run_codes(bad, [each.outcome for each in records], is_complete=is_complete))


def _demonstrations(path: Path) -> Sequence[Solution]:
    """The solutions in a file; a line that is none ends the command."""
    found = []
    with path.open("rb") as stream:
        for number, line in read_lines(stream):
            read = read_sample(line, number)
            if read.solution is None:
                fail(f"{path}:{number}: {read.problems[0].message}")
            found.append(read.solution)
    return found


def _summary(journal: SampleJournal) -> None:
    """Prints how many samples of each model there are, by their outcome."""
    counts = Counter((each.model, each.outcome) for each in journal.entries.values())
    for model in dict.fromkeys(model for model, _ in counts):
        parts = [f"{counts[model, each]} {each}" for each in ("written", "given up", "failed")]
        click.echo(f"{visible(model)}: {', '.join(parts)}")
