"""How fast the steps of real solutions are checked, on one core: `python benchmarks/step_times.py DIR`.

DIR is that of `steps.py`. Each set is one process, with its solvers, from its start to its end.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from outcome import finish  # noqa: E402
from steps import chain, paths_of, rows_of, solution  # noqa: E402
from tables import table  # noqa: E402

from potlang import dagmath  # noqa: E402
from potlang.languages.dagmath.results import StepResult  # noqa: E402
from potlang.languages.dagmath.solve import identities  # noqa: E402
from potlang.languages.dagmath.solve.checking import _Checking  # noqa: E402
from potlang.processes.pool import default_workers  # noqa: E402

COMPETITION = (
    "math500_reference",
    "processbench_math",
    "processbench_olympiadbench",
    "processbench_omnimath",
)
FEWEST = 200
"""Steps a second on one core, of competition mathematics."""
LONGEST = 2.0
"""Seconds of a step."""
_COLUMNS = (
    "set",
    "chains",
    "steps",
    "steps/s",
    "steps/s of CPU",
    "p99 ms",
    "slowest step s",
    "slowest chain s",
)


class Times(NamedTuple):
    """The seconds of each step and each chain of a set, and of its process by the clock and of its cores."""

    steps: list[float]
    chains: list[float]
    clock: float
    cpu: float

    def row(self, name: str) -> list[Any]:
        """The line of the table."""
        count, ordered = len(self.steps), sorted(self.steps)
        return [
            name, len(self.chains), count, count / self.clock, count / self.cpu,
            1000 * ordered[int(0.99 * (count - 1))], ordered[-1], max(self.chains),
        ]  # fmt: skip


def timed(path: Path, problems: int) -> Times:
    """A set in a process of its own, on one core."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_timed, args=(str(path), problems, there))
    before, began = _children_cpu(), time.perf_counter()
    process.start()
    there.close()  # So that a process that ends early is not waited for.
    steps, chains = here.recv()
    process.join()
    return Times(steps, chains, time.perf_counter() - began, _children_cpu() - before)


def _timed(path: str, problems: int, pipe: Connection) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    steps: list[float] = []
    chains: list[float] = []
    judge = _Checking._step

    def clocked(self: _Checking, *step: Any) -> StepResult:
        began = time.perf_counter()
        try:
            return judge(self, *step)
        finally:
            steps.append(time.perf_counter() - began)

    _Checking._step = clocked  # type: ignore[method-assign, assignment]
    for row in rows_of(Path(path), problems):
        made = solution(chain(row))
        began = time.perf_counter()
        dagmath.verify(made)
        chains.append(time.perf_counter() - began)
    # What the solvers took counts when they are waited for.
    default_workers().close()
    identities.shared_children().close()
    pipe.send((steps, chains))


def _children_cpu() -> float:
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--set", "only", multiple=True, help="Only this set; repeatable.")
@click.option("--problems", default=100_000, show_default=True, help="At most so many problems of each set.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit 1 if it is too slow.")
def main(directory: Path, only: tuple[str, ...], problems: int, json_path: Path | None, check: bool) -> None:
    """Steps a second of each set, as one process on one core, the slowest step and the slowest chain.

    `steps/s of CPU` is what the clock shows on a core that nobody else uses.
    """
    rows, failed = [], []
    for path in paths_of(directory, only):
        rows.append(row := timed(path, problems).row(path.stem))
        figures = dict(zip(_COLUMNS, row, strict=True))
        if path.stem in COMPETITION and figures["steps/s of CPU"] < FEWEST:
            failed.append(f"{path.stem}: fewer than {FEWEST} steps a second")
        if figures["slowest step s"] > LONGEST:
            failed.append(f"{path.stem}: a step takes more than {LONGEST:g} s")
    click.echo(table(_COLUMNS, rows))
    found = {str(row[0]): dict(zip(_COLUMNS[1:], row[1:], strict=True)) for row in rows}
    finish("step_times", found, failed, json_path, check)


if __name__ == "__main__":
    main()
