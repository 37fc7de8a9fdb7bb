"""A batch on Ray ([BATCH-RAY])."""

from __future__ import annotations

from collections.abc import Generator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from batch_support import all_rows, ordinary, write_jobs

from potlang.batch.local import answered_locally
from potlang.batch.manifest import planned
from potlang.batch.on_ray import answered_on_ray
from potlang.batch.rows import ShardFiles
from potlang.batch.run import BatchOptions, run_batch
from potlang.batch.shards import News
from potlang.prove.cache import Cache

FAST = BatchOptions(trust="solver")


@pytest.mark.slow
def test_ray_gives_the_same_rows(tmp_path: Path) -> None:
    """Tasks of Ray answer as processes of this machine do, also from a cache ([BATCH-CACHE])."""
    pytest.importorskip("ray")
    path = write_jobs(tmp_path / "jobs.jsonl", ordinary())
    run_batch([str(path)], tmp_path / "local", FAST, shard_jobs=7)
    kept = Cache(tmp_path / "cache")
    for name in ("ray", "again"):
        options: Any = {"shard_jobs": 7, "runner": answered_on_ray, "cache": kept}
        state = run_batch([str(path)], tmp_path / name, FAST, **options)
        assert state.is_whole and not state.lost and not state.problems
        assert all_rows(tmp_path / name) == all_rows(tmp_path / "local")
    assert kept.stats().hits == kept.stats().entries == 20


def test_what_a_lost_node_has_not_told_is_counted(tmp_path: Path) -> None:
    """The state at the end is that of the rows ([BATCH-RAY])."""

    def forgetful(*given: Any) -> Generator[News, None, None]:
        yield from islice(answered_locally(*given), 1, None, 2)

    path = write_jobs(tmp_path / "jobs.jsonl", ordinary())
    whole = run_batch([str(path)], tmp_path / "whole", FAST, shard_jobs=7)
    assert run_batch([str(path)], tmp_path / "out", FAST, shard_jobs=7, runner=forgetful) == whole
    assert whole.done == 40 and sum(whole.verdicts.values()) == 40


def test_two_processes_never_write_to_one_shard(tmp_path: Path) -> None:
    """A node that was given up may be alive: who comes second is refused ([BATCH-RAY])."""
    path = write_jobs(tmp_path / "jobs.jsonl", ordinary(3))
    (shard,) = planned([str(path)], {}, 5).shards
    with ShardFiles(tmp_path / "out", shard), pytest.raises(OSError):
        ShardFiles(tmp_path / "out", shard)
