"""How long batches take on many workers ([CLUSTER-SIZE], [CLUSTER-SHARD])."""

from __future__ import annotations

import random
import statistics
import sys
from itertools import accumulate, pairwise
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from sizing import Plan, makespan, reckoned, simulated


def one_by_one(shards: list[float], workers: int) -> float:
    """As `makespan`, without a heap: the worker that is free first takes the next shard."""
    ends = [0.0] * workers
    for seconds in shards:
        first = min(range(workers), key=lambda at: ends[at])
        ends[first] += seconds
    return max(ends)


@pytest.mark.parametrize("seed", range(20))
def test_the_simulation_is_that_of_workers_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    shards = [chance.expovariate(1) for _ in range(chance.randrange(1, 60))]
    workers = chance.randrange(1, 9)
    assert makespan(shards, workers) == pytest.approx(one_by_one(shards, workers))
    # Never earlier than all work shared out, and at most one shard later (Graham, 1966).
    least = max(sum(shards) / workers, max(shards))
    assert least <= makespan(shards, workers) * (1 + 1e-9)
    assert makespan(shards, workers) <= sum(shards) / workers + max(shards) + 1e-9


@pytest.mark.parametrize("hits", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("workers", "shard_jobs"), [(1, 50), (10, 50), (40, 500), (200, 100)])
def test_the_arithmetic_says_what_the_simulation_does(workers: int, shard_jobs: int, hits: float) -> None:
    """[CLUSTER-SIZE], of jobs with a long tail, where each worker has ten shards at least."""
    chance = random.Random(7)
    times = [0.002 + chance.lognormvariate(-5, 1) for _ in range(2_000)]
    plan = Plan(200_000, shard_jobs, workers, hits, 0.001)
    assert simulated(times, plan, 1, 0.1) == pytest.approx(reckoned(times, plan, 0.1), rel=0.1)


def test_long_shards_hardly_differ() -> None:
    """[CLUSTER-SHARD]: the relative deviation of a shard is that of a job over the root of their number."""
    chance = random.Random(3)
    times = [chance.expovariate(1) for _ in range(40_000)]
    ends = [0.0, *accumulate(times)][::100]
    shards = [end - begin for begin, end in pairwise(ends)]
    expected = statistics.pstdev(times) / statistics.fmean(times) / 10
    assert statistics.pstdev(shards) / statistics.fmean(shards) == pytest.approx(expected, rel=0.2)
