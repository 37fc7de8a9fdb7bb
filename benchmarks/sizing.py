"""How long a batch takes on how many workers: arithmetic, a simulation, and measured runs beside them.

    python benchmarks/sizing.py CASES --count 2000 --jobs 1e9 --check

The jobs are those of `batch.py`. First they are answered by one and by two processes, in shards of two
sizes; each run is simulated from the times of its own jobs, and has to take as long as the simulation says.
Then the arithmetic of `spec/94-clusters.md` and the simulation say what many more jobs take on many more
workers.
"""

from __future__ import annotations

import heapq
import json
import math
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE)]

from batch import jobs  # noqa: E402
from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

from potlang.batch.run import BatchOptions, run_batch  # noqa: E402

_DRAWN = 1_000_000
"""Jobs that are drawn for the shards of a simulation, which are drawn in turn."""
_NEAR = 0.1
"""The share by which a simulation may differ from what it simulates."""
_MOST_OVERHEAD = 0.15
"""Of the time of its jobs, what a run takes beside."""


class JobTimes(NamedTuple):
    """The jobs of a batch as they were answered: their seconds by shard, and the bytes of a row."""

    shards: list[list[float]]
    row_bytes: float

    @property
    def seconds(self) -> list[float]:
        """Those of all jobs."""
        return [each for shard in self.shards for each in shard]


class Plan(NamedTuple):
    """Many jobs: how many in all, in a shard, and side by side; the share that a cache has, and its cost."""

    jobs: int
    shard_jobs: int
    workers: int
    hits: float = 0.0
    hit_seconds: float = 0.0


def read_times(directory: Path) -> JobTimes:
    """The times of a batch that is done."""
    files = sorted((directory / "times").glob("*.jsonl"))
    shards = [[json.loads(line)[1] / 1000 for line in path.open(encoding="utf-8")] for path in files]
    size = sum(path.stat().st_size for path in (directory / "rows").glob("*.jsonl"))
    return JobTimes(shards, size / sum(map(len, shards)))


def makespan(shards: Iterable[float], workers: int) -> float:
    """The seconds until the last worker is done, each of which takes the next shard when it has none."""
    ends = [0.0] * workers
    for seconds in shards:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def simulated(times: Sequence[float], plan: Plan, seed: int, overhead: float) -> float:
    """The hours of a plan whose jobs take as long as those that were measured, drawn at random."""
    chance = random.Random(seed)

    def shard() -> float:
        found = sum(chance.random() < plan.hits for _ in range(plan.shard_jobs)) if plan.hits else 0
        drawn = chance.choices(times, k=plan.shard_jobs - found)
        return (sum(drawn) + found * plan.hit_seconds) * (1 + overhead)

    drawn = [shard() for _ in range(max(100, _DRAWN // plan.shard_jobs))]
    count = math.ceil(plan.jobs / plan.shard_jobs)
    return makespan((chance.choice(drawn) for _ in range(count)), plan.workers) / 3600


def reckoned(times: Sequence[float], plan: Plan, overhead: float) -> float:
    """The hours of a plan by arithmetic: each worker has as many shards of the mean length as any other."""
    mean = (1 - plan.hits) * statistics.fmean(times) + plan.hits * plan.hit_seconds
    rounds = math.ceil(math.ceil(plan.jobs / plan.shard_jobs) / plan.workers)
    return rounds * plan.shard_jobs * mean * (1 + overhead) / 3600


def run_once(path: Path, out: Path, trust: Any, workers: int, shard_jobs: int) -> tuple[float, JobTimes]:
    """The seconds of a run, from its first answer on, and its jobs' times."""
    began: list[float] = []

    def started(state: Any) -> None:
        if len(began) < 2:
            began.append(time.monotonic())

    run_batch(
        [str(path)], out, BatchOptions(trust=trust), workers=workers, shard_jobs=shard_jobs, progress=started
    )
    return time.monotonic() - began[0], read_times(out)


@click.command()
@click.argument("cases", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--count", default=2_000, show_default=True, help="Jobs that are measured.")
@click.option("--jobs", "wanted", default=1e9, show_default=True, help="Jobs that are planned for.")
@click.option("--hits", default=0.5, show_default=True, help="The share that a cache has, in the last rows.")
@click.option("--hit-ms", default=1.0, show_default=True, help="Milliseconds of what a cache has.")
@click.option("--trust", type=click.Choice(["best", "solver"]), default="best", show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit 1 if a run takes otherwise than the simulation says.")
def main(
    cases: Path, count: int, wanted: float, hits: float, hit_ms: float, trust: str, seed: int,
    json_path: Path | None, check: bool,
) -> None:  # fmt: skip
    """Measure, simulate, and reckon how long batches take."""
    folder = Path(tempfile.mkdtemp(prefix="sizing-"))
    failed: list[str] = []
    figures: dict[str, Any] = {}
    try:
        path = folder / "jobs.jsonl"
        path.write_text("".join(json.dumps(job) + "\n" for job in jobs(cases, count)), encoding="utf-8")
        measured: list[list[Any]] = []
        times, ratios = JobTimes([], 0), []
        for workers, shard_jobs in ((1, 50), (2, 50), (2, 200)):
            out = folder / f"{workers}-{shard_jobs}"
            seconds, times = run_once(path, out, trust, workers, shard_jobs)
            said = makespan(map(sum, times.shards), workers)
            ratios.append(seconds / said - 1)
            idle = seconds * workers / sum(times.seconds) - 1
            measured.append([f"{workers} by {shard_jobs}", seconds, said, 100 * ratios[-1], 100 * idle])
            if not -_NEAR < ratios[-1] < _MOST_OVERHEAD:
                failed.append(f"{workers} workers: {seconds:.1f} s, simulated {said:.1f} s")
        click.echo(table(("workers by shard", "s", "simulated s", "beside %", "beside and idle %"), measured))
        beside = max(0.0, ratios[0])
        mean = statistics.fmean(times.seconds)
        spread, longest = statistics.pstdev(times.seconds), max(times.seconds)
        click.echo(
            f"\na job: {1000 * mean:.1f} ms, deviation {1000 * spread:.1f}, longest {1000 * longest:.0f}; "
            f"a row: {times.row_bytes:.0f} bytes; beside: {100 * beside:.0f} %\n"
        )
        rows = []
        for share in (0.0, hits):
            for workers, shard_jobs in ((100, 200), (1_000, 200), (10_000, 200), (10_000, 10_000)):
                plan = Plan(int(wanted), shard_jobs, workers, share, hit_ms / 1000)
                by_sum = reckoned(times.seconds, plan, beside)
                by_steps = simulated(times.seconds, plan, seed, beside)
                rows.append(
                    [
                        f"{workers:,} by {shard_jobs:,}", 100 * share, by_sum, by_steps,
                        wanted * times.row_bytes / 1e12, math.ceil(wanted / shard_jobs),
                    ]
                )  # fmt: skip
                if abs(by_steps / by_sum - 1) > _NEAR:
                    failed.append(f"{workers} workers: {by_sum:.1f} h reckoned, {by_steps:.1f} simulated")
        head = ("workers by shard", "hits %", "hours", "simulated hours", "TB of rows", "shards")
        click.echo(table(head, rows))
        figures = {
            "measured": measured, "planned": rows, "job seconds": mean, "row bytes": times.row_bytes,
        }  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    finish("sizing", figures, failed, json_path, check)


if __name__ == "__main__":
    main()
