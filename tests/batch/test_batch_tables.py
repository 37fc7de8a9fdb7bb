"""Tables that change between the runs of a batch, or while one is at work ([BATCH-TABLES])."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from batch_support import parsed, write_jobs

from potlang.batch import run as running
from potlang.batch.jobs import job_of_value
from potlang.batch.manifest import BatchError
from potlang.batch.run import BatchOptions, ShardChoice, run_batch
from potlang.batch.tables import ReadTable, TableDigests, changed_table
from potlang.batch.theories import Theories
from potlang.report.results import Limits
from potlang.tables.access import allowed, allowing, noting

pytest.importorskip("duckdb")

ADULTS = "id,age\nann,30\nbob,18\n"
CHILDREN = "id,age\nann,30\nbob,17\n"


def over(file: str) -> dict[str, Any]:
    """A program whose facts are in a table."""
    function = {"name": "age", "arguments": ["id"], "value": "age"}
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [{"name": "age", "domain": ["Person"], "range": "Int"}],
        "sources": [{"file": file, "members": [{"sort": "Person", "column": "id"}], "functions": [function]}],
        "verifications": [{"constraint": "ForAll([p: Person], age(p) >= 18)"}],
    }


@pytest.fixture
def batch(tmp_path: Path) -> tuple[list[str], BatchOptions, Path]:
    """Inputs of two shards, options that allow a table, and the table."""
    (tmp_path / "tables").mkdir()
    table = tmp_path / "tables" / "people.csv"
    table.write_text(ADULTS)
    jobs = write_jobs(tmp_path / "jobs.jsonl", [over("people.csv"), over("people.csv")])
    return [str(jobs)], BatchOptions(sources=(str(table.parent),)), table


def test_a_table_that_changes_between_runs_is_noticed(
    batch: tuple[list[str], BatchOptions, Path], tmp_path: Path
) -> None:
    """The same content is the same table, whenever it was written."""
    files, options, table = batch
    out = tmp_path / "out"
    assert run_batch(files, out, options, workers=1, part=ShardChoice(1, 2), shard_jobs=1).done == 1
    kept = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    table.write_text(CHILDREN)
    with pytest.raises(BatchError, match=r"`people\.csv` as it was before it changed"):
        run_batch(files, out, options, workers=1, shard_jobs=1)
    assert {path: path.read_bytes() for path in kept} == kept
    assert not (out / "rows" / "000001.jsonl").exists()
    table.unlink()
    with pytest.raises(BatchError, match="people"):
        run_batch(files, out, options, workers=1, shard_jobs=1)
    table.write_text(ADULTS)
    os.utime(table, (1, 1))
    assert run_batch(files, out, options, workers=1, shard_jobs=1).is_whole
    assert [row["verdict"] for row in parsed(out)] == ["entailed"] * 2
    # A batch that is done is one of these tables, too.
    table.write_text(CHILDREN)
    with pytest.raises(BatchError, match="people"):
        run_batch(files, out, options, workers=1, shard_jobs=1)


def test_a_table_that_changes_during_a_run_is_noticed(
    batch: tuple[list[str], BatchOptions, Path], tmp_path: Path
) -> None:
    """Rows are not told to be whole where they rest on two states of a table."""
    files, options, table = batch

    def change(state: running.BatchState) -> None:
        if state.done == 1:
            table.write_text(CHILDREN)

    with pytest.raises(BatchError, match="people"):
        run_batch(files, tmp_path / "out", options, workers=1, shard_jobs=1, progress=change)
    assert not (tmp_path / "out" / "summary.json").exists()


def test_a_table_that_was_missing_and_is_there_has_changed(
    batch: tuple[list[str], BatchOptions, Path], tmp_path: Path
) -> None:
    files, options, table = batch
    table.unlink()
    out = tmp_path / "out"
    assert run_batch(files, out, options, workers=1).verdicts == {"rejected": 2}
    assert run_batch(files, out, options, workers=1).is_whole
    times = [json.loads(line) for line in (out / "times" / "000000.jsonl").read_bytes().splitlines()]
    assert [each[3] for each in times] == [[["people.csv", 0, 0, None]]] * 2
    table.write_text(ADULTS)
    with pytest.raises(BatchError, match="people"):
        run_batch(files, out, options, workers=1)


def test_rows_that_rest_on_two_states_of_a_table(tmp_path: Path) -> None:
    """Also where one of them is the present one, and where a file changed before it had a digest."""
    path = tmp_path / "t.csv"
    path.write_text("one")
    digests = TableDigests()
    with allowing(tmp_path), noting() as noted:
        allowed().file("t.csv")
    (one,) = digests.tables(noted)
    assert changed_table([one, one], [str(tmp_path)]) is None
    assert changed_table([one, one._replace(digest="other")], [str(tmp_path)]) == "t.csv"
    path.write_text("other")
    # What is known of that state is not asked of the file again.
    assert digests.tables(noted) == (one,)
    (late,) = TableDigests().tables(noted)
    assert late.digest == ""
    assert changed_table([late], [str(tmp_path)]) == "t.csv"
    assert changed_table([ReadTable("missing.csv")], [str(tmp_path)]) is None


def test_all_jobs_of_a_theory_rest_on_its_tables(tmp_path: Path) -> None:
    """It is compiled once, and reads them once."""
    (tmp_path / "people.csv").write_text(ADULTS)
    theories = Theories()
    job = job_of_value({"claim": "ForAll([p: Person], age(p) > 1)", "theory": over("people.csv")}, "f", 1)
    states = []
    for _ in range(2):
        with allowing(tmp_path), noting() as noted:
            assert str(theories.report(job, "auto", "best", Limits(), "found").verdict) == "entailed"
        states.append(noted)
    assert states[0] == states[1] and list(states[0]) == ["people.csv"] and states[0]["people.csv"]
