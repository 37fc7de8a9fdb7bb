"""The runner of a Ray cluster whose machines share the directory: a task for each shard ([BATCH-RAY])."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from potlang.batch.manifest import Shard
from potlang.batch.shards import SERVICE, News, answer_shard
from potlang.processes.child import Child
from potlang.utils.extra import needed

_TRIES: Final = 10
"""How often a shard is begun again on another node when its node is lost."""
_AHEAD: Final = 2
"""Shards that wait for each processor."""


def answered_on_ray(
    directory: Path, shards: Sequence[Shard], options: Mapping[str, Any], workers: int | None
) -> Generator[News, None, None]:
    """As `answer_shard`, of all shards, by a cluster: that of `RAY_ADDRESS`, or one on this machine.

    `workers` bounds the tasks at a time. A task has a child process that is killed at the limits, since Ray
    has none for a task; a shard whose node is lost goes on elsewhere from the rows that there are. Raises
    MissingExtraError without Ray, and what a task raises.
    """
    ray = needed("ray", "ray")
    is_ours = not ray.is_initialized()
    if is_ours:
        ray.init(log_to_driver=False, configure_logging=False)
    try:
        answer = ray.remote(num_cpus=1, max_retries=_TRIES)(_answered)
        most = workers or max(1, int(ray.cluster_resources().get("CPU", 1))) * _AHEAD
        left = iter(shards)
        running: list[Any] = []
        place, asked = str(directory.resolve()), dict(options)
        while True:
            for shard in left:
                running.append(answer.remote(place, shard, asked))
                if len(running) >= most:
                    break
            if not running:
                return
            done, running = ray.wait(running)
            for verdicts, lost, problems in ray.get(done):
                yield News(verdicts, lost, problems)
    finally:
        if is_ours:
            ray.shutdown()


def _answered(
    directory: str, shard: Shard, options: Mapping[str, Any]
) -> tuple[dict[str, int], int, tuple[str, ...]]:
    """One task: what was answered of a shard, and lost, and its warnings."""
    verdicts: Counter[str] = Counter()
    lost = 0
    problems: list[str] = []
    for news in answer_shard(_child(), Path(directory), shard, options):
        verdicts.update(news.verdicts)
        lost += news.lost
        problems += news.problems
    return dict(verdicts), lost, tuple(problems)


@functools.cache
def _child() -> Child:
    """The child of a process of Ray, which has one task at a time and many one after the other."""
    return Child(SERVICE)
