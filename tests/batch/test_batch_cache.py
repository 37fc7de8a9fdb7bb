"""Batches with a cache: the same rows with and without, whatever becomes of it ([BATCH-CACHE])."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from batch_support import all_rows, ordinary, program, write_jobs
from postgres_server import PostgresServer, programs

import potlang
from potlang.batch.run import BatchOptions, run_batch
from potlang.prove.cache import Cache

FAST = BatchOptions(trust="solver")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_jobs(tmp_path_factory.mktemp("jobs") / "jobs.jsonl", ordinary(20))


@pytest.fixture(scope="module")
def whole(jobs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The rows without a cache."""
    directory = tmp_path_factory.mktemp("whole")
    run_batch([str(jobs)], directory, FAST, workers=1)
    return all_rows(directory)


def test_a_cache_changes_no_row(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """Filled, used, and with all certificates checked."""
    kept = Cache(tmp_path / "cache", checked=1)
    for number in range(2):
        state = run_batch([str(jobs)], tmp_path / f"out{number}", FAST, workers=2, cache=kept, shard_jobs=7)
        assert state.problems == ()
        assert all_rows(tmp_path / f"out{number}") == whole
    stats = kept.stats()
    assert stats.entries == stats.hits == 10


def test_another_cache_is_the_same_batch(jobs: Path, tmp_path: Path) -> None:
    """A run may be gone on with by one that has another cache, or none, and no credentials are kept."""
    secret = "postgresql://potlang:s3cret-word@127.0.0.1:1/base"
    state = run_batch([str(jobs)], tmp_path / "out", FAST, workers=1, cache=secret)
    (problem,) = state.problems
    assert problem.startswith("warning[POT6011]: the cache `postgresql://127.0.0.1:1/base` cannot be used")
    assert run_batch([str(jobs)], tmp_path / "out", FAST).is_whole
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any(b"s3cret-word" in path.read_bytes() for path in files)
    assert "s3cret-word" not in str(state)


@pytest.mark.slow
@pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
def test_rows_are_the_same_while_the_server_is_gone(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """[CACHE-FAULT] Stopped before a run, and started in the middle of the next."""
    pytest.importorskip("psycopg")
    with PostgresServer() as server:
        run_batch([str(jobs)], tmp_path / "filled", FAST, workers=1, cache=server.url)
        server.stop()
        state = run_batch([str(jobs)], tmp_path / "gone", FAST, workers=1, cache=server.url)
        assert len(state.problems) == 1
        server.start()
        again = run_batch([str(jobs)], tmp_path / "back", FAST, workers=1, cache=server.url)
        assert again.problems == ()
        assert Cache(server.url).stats().hits == 10
    for name in ("filled", "gone", "back"):
        assert all_rows(tmp_path / name) == whole


def test_verify_many_with_a_cache(tmp_path: Path) -> None:
    """[BATCH-MANY]"""
    sources = [program(f"{number} < 2") for number in range(4)]
    first, again = (list(potlang.verify_many(sources, FAST, workers=1, cache=tmp_path)) for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    assert Cache(tmp_path).stats().hits == 4
