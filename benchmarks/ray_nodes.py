"""A batch on Ray clusters of several nodes, one of which is killed: rows, and what a job costs beside.

    python benchmarks/ray_nodes.py CASES --count 2000 --nodes 2 --nodes 4 --check

The nodes are simulated: each is a Ray node of its own, with one processor, on this machine. The jobs are
those of `batch.py`. Beside each cluster runs the same batch in as many local processes.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE)]

from batch import jobs, rows  # noqa: E402
from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

from potlang.batch.local import answered_locally  # noqa: E402
from potlang.batch.on_ray import answered_on_ray  # noqa: E402
from potlang.batch.run import BatchOptions, BatchState, run_batch  # noqa: E402
from potlang.utils.extra import needed  # noqa: E402

_COLUMNS = ("nodes", "killed", "jobs", "jobs/s", "local jobs/s", "overhead %", "rows that differ", "lost")
_MOST_OVERHEAD = 15.0
"""Percent of the time of local processes."""


def timed(
    path: Path, out: Path, options: BatchOptions, runner: Any, workers: int | None
) -> tuple[BatchState, float]:
    """How a batch ended, and its seconds."""
    began = time.monotonic()
    state = run_batch([str(path)], out, options, workers=workers, runner=runner, shard_jobs=50)
    return state, time.monotonic() - began


class Nodes:
    """A cluster of nodes with a processor each, beside a head that has none."""

    def __init__(self, count: int) -> None:
        # The processes of Ray give way to all others by default, and local ones do not.
        os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
        self._ray = ray = needed("ray", "ray")
        made = needed("ray.cluster_utils", "ray").Cluster
        self._cluster = made(initialize_head=True, head_node_args={"num_cpus": 0})
        self._nodes = [self._cluster.add_node(num_cpus=1) for _ in range(count)]
        self._cluster.wait_for_nodes()
        ray.init(address=self._cluster.address, log_to_driver=False, configure_logging=False)

    def kill_one(self) -> None:
        """A node dies without warning."""
        self._cluster.remove_node(self._nodes.pop(), allow_graceful=False)

    def close(self) -> None:
        """End all nodes."""
        self._ray.shutdown()
        self._cluster.shutdown()


def clustered(
    path: Path, out: Path, options: BatchOptions, count: int, is_killed: bool, seconds: float
) -> tuple[BatchState, float]:
    """A batch on so many nodes, of which one dies when about half of the time is over."""
    nodes = Nodes(count)
    try:
        # The first task of each node starts its processes.
        warm = path.with_name("warm.jsonl")
        warm.write_text("".join(path.open(encoding="utf-8").readlines()[: 100 * count]), encoding="utf-8")
        run_batch(
            [str(warm)], out.with_name(f"{out.name}-warm"), options, runner=answered_on_ray, shard_jobs=10
        )
        timer = threading.Timer(seconds / 2, nodes.kill_one)
        if is_killed:
            timer.start()
        try:
            return timed(path, out, options, answered_on_ray, None)
        finally:
            timer.cancel()
            if is_killed:
                timer.join()
    finally:
        nodes.close()


@click.command()
@click.argument("cases", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--count", default=2_000, show_default=True, help="Jobs.")
@click.option("--nodes", "sizes", multiple=True, type=click.IntRange(2), default=(2, 4), show_default=True)
@click.option("--trust", type=click.Choice(["best", "solver"]), default="best", show_default=True)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit 1 if a row is lost or differs, or a job costs too much.")
def main(
    cases: Path, count: int, sizes: tuple[int, ...], trust: Any, json_path: Path | None, check: bool
) -> None:
    """Answer a batch on clusters, with and without the loss of a node."""
    folder = Path(tempfile.mkdtemp(prefix="ray-nodes-"))
    options = BatchOptions(trust=trust)
    found: list[list[Any]] = []
    failed: list[str] = []
    try:
        path = folder / "jobs.jsonl"
        path.write_text("".join(json.dumps(job) + "\n" for job in jobs(cases, count)), encoding="utf-8")
        for size in sizes:
            _, local = timed(path, folder / f"local-{size}", options, answered_locally, size)
            expected = rows(folder / f"local-{size}").splitlines()
            for is_killed in (False, True):
                out = folder / f"ray-{size}-{is_killed}"
                state, seconds = clustered(path, out, options, size, is_killed, local)
                got = rows(out).splitlines()
                differ = sum(one != other for one, other in zip(got, expected, strict=False)) + abs(
                    len(got) - count
                )
                overhead = 100 * (seconds - local) / local
                found.append(
                    [
                        size,
                        int(is_killed),
                        count,
                        count / seconds,
                        count / local,
                        overhead,
                        differ,
                        state.lost,
                    ]
                )
                if state.lost or len(got) != count or not state.is_whole:
                    failed.append(f"{size} nodes, killed {is_killed}: jobs are lost")
                if not is_killed and overhead > _MOST_OVERHEAD:
                    failed.append(f"{size} nodes: a job costs {overhead:.0f} % more")
        click.echo(table(_COLUMNS, found))
        figures = {f"{row[0]} {row[1]}": dict(zip(_COLUMNS, row, strict=True)) for row in found}
        finish("ray_nodes", figures, failed, json_path, check)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
