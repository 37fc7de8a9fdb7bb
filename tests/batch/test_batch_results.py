"""`potc results` counts what a batch has answered ([BATCH-RESULTS])."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from batch_support import ordinary, parsed, program, write_jobs
from click.testing import CliRunner, Result

from potlang.batch.manifest import BatchError
from potlang.batch.results import results_tables
from potlang.batch.run import BatchOptions, run_batch
from potlang.cli.commands import command_of

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    jobs = [{**job, "kind": f"it's {at % 2}"} if "id" in job else job for at, job in enumerate(ordinary())]
    jobs += [{"program": {"nonsense": 1}, "id": "bad"}, program("1 <")]
    run_batch(
        [str(write_jobs(folder / "jobs.jsonl", jobs))],
        folder / "out",
        BatchOptions(trust="solver", carry=("kind",)),
        shard_jobs=9,
    )
    return folder / "out"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command_of("results"), [str(each) for each in arguments])


def test_counts_are_those_of_the_rows(answered: Path) -> None:
    """Each table says what counting the rows in Python gives ([BATCH-RESULTS])."""
    rows = parsed(answered)
    tables = {table.name: table.rows for table in results_tables(answered)}
    verdicts = Counter((row["language"], row["verdict"]) for row in rows)
    assert tables["verdicts"] == tuple((*key, count) for key, count in sorted(verdicts.items()))
    claims = Counter(
        (claim["route"], claim["trust"], claim["verdict"])
        for row in rows
        if row["language"] == "pot"
        for claim in row["report"]["results"]
    )
    assert {row[:3]: row[3] for row in tables["claims"]} == claims
    steps = Counter(
        (step["result"]["verdict"], step["result"]["by"])
        for row in rows
        if row["language"] == "dagmath"
        for step in row["report"]["steps"]
    )
    assert {row[:2]: row[2] for row in tables["steps"]} == steps
    codes = Counter(each["code"] for row in rows for each in row["report"]["diagnostics"])
    assert {row[0]: row[2] for row in tables["diagnostics"]} == codes
    assert sum(int(str(row[1])) for row in tables["times"]) == len(rows)


def test_split_by_a_member(answered: Path) -> None:
    """Rows have the members that are kept, and are counted by them ([BATCH-ROW])."""
    rows = parsed(answered)
    kinds = Counter((row.get("kind"), row["language"], row["verdict"]) for row in rows)
    (table,) = [table for table in results_tables(answered, "kind") if table.name == "verdicts"]
    assert {row[:3]: row[3] for row in table.rows} == kinds
    strange = "\"] it's $ \\ nothing"
    assert {row[0] for row in results_tables(answered, strange)[0].rows} == {None}


def test_the_command(answered: Path, tmp_path: Path) -> None:
    assert "Jobs by verdict" in run(answered).output
    names = [table["name"] for table in json.loads(run(answered, "--format", "json").stdout)]
    assert names == ["verdicts", "claims", "steps", "diagnostics", "times"]
    assert "language,verdict,jobs" in run(answered, "--format", "csv").stdout
    refused = run(tmp_path)
    assert refused.exit_code == 2 and "cannot read" in refused.output


def test_what_is_kept(tmp_path: Path) -> None:
    """No member that rows have themselves can be kept ([BATCH-ROW])."""
    with pytest.raises(BatchError, match="of their own"):
        run_batch([str(tmp_path)], tmp_path / "out", BatchOptions(carry=("verdict",)))


def test_text_that_is_no_unicode(tmp_path: Path) -> None:
    """One job with half a character in its id or its text hinders no table ([BATCH-RESULTS])."""
    lines = [
        r'{"id": "\ud800", "program": {}}',
        r'{"verifications": [{"constraint": "1 < 2", "name": "\\\udc00"}]}',
    ]
    path = tmp_path / "jobs.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    run_batch([str(path)], tmp_path / "out", BatchOptions(trust="solver"), workers=1)
    tables = {table.name: table.rows for table in results_tables(tmp_path / "out", "id")}
    assert sum(row[-1] for row in tables["verdicts"]) == 2
    assert {row[0] for row in tables["verdicts"]} == {None, "\ufffd"}


@pytest.mark.slow
def test_parquet_is_counted_as_lines_are(tmp_path: Path) -> None:
    """[BATCH-PARQUET] [BATCH-RESULTS]"""
    pytest.importorskip("pyarrow")
    jobs = [{**job, "kind of": {"a": [at % 2]}} for at, job in enumerate(ordinary()) if "id" in job]
    path = write_jobs(tmp_path / "jobs.jsonl", [*jobs, {"program": {"nonsense": "\ud800"}, "id": "bad"}])
    found = []
    for form in ("jsonl", "parquet"):
        options = BatchOptions(trust="solver", carry=("kind of",), out_format=form)
        run_batch([str(path)], tmp_path / form, options, shard_jobs=9)
        for split in (None, "kind of", "id", "line"):
            tables = results_tables(tmp_path / form, split)
            found.append([(each.name, each.rows) for each in tables if each.name != "times"])
    assert found[:4] == found[4:]
