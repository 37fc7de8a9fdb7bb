"""Batches: each job answered once, whatever happens in between ([BATCH-SHARD], [BATCH-RUN])."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from batch_support import TRACE, all_rows, ordinary, parsed, program, write_jobs

import potlang
from potlang.batch import run as running
from potlang.batch import shards as working
from potlang.batch.jobs import job_of_line
from potlang.batch.manifest import BatchError, planned, read_manifest
from potlang.batch.rows import row_of
from potlang.batch.run import BatchOptions, BatchState, ShardChoice, run_batch

FAST = BatchOptions(trust="solver")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_jobs(tmp_path_factory.mktemp("jobs") / "jobs.jsonl", ordinary())


@pytest.fixture(scope="module")
def whole(jobs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The rows of an uninterrupted run by one process."""
    directory = tmp_path_factory.mktemp("whole")
    run_batch([str(jobs)], directory, FAST, workers=1, shard_jobs=7)
    return all_rows(directory)


def test_rows_are_the_reports(jobs: Path, whole: bytes) -> None:
    """A row has the id or the line, the verdict and the report that `verify` gives ([BATCH-ROW])."""
    rows = [json.loads(line) for line in whole.splitlines()]
    assert [row["line"] for row in rows] == list(range(1, 41))
    assert [row.get("id") for row in rows[:4]] == ["p0", 1, "s2", None]
    assert [row["language"] for row in rows[:4]] == ["pot", "dot", "dagmath", "pot"]
    for row, line in zip(rows, jobs.read_bytes().splitlines(), strict=True):
        job = job_of_line(line, row["file"], row["line"])
        asked: dict[str, Any] = {"answer": job.answer} if job.language == "dagmath" else {}
        report = potlang.verify(job.source, language=job.language, name=job.name, trust="solver", **asked)
        assert json.loads(json.dumps(row_of(job, report.to_dict()))) == row
    assert {row["verdict"] for row in rows if row["language"] == "dagmath"} == {"accepted", "wrong"}


@pytest.mark.slow
def test_parts_in_any_order_give_the_same_bytes(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """Runs that share a directory answer each job once ([BATCH-PART])."""
    order = [*range(1, 5)]
    random.Random(3).shuffle(order)
    states = [
        run_batch([str(jobs)], tmp_path, FAST, part=ShardChoice(each, 4), shard_jobs=7) for each in order
    ]
    assert all_rows(tmp_path) == whole
    assert sum(state.done for state in states) == 40
    assert all(state.is_whole for state in states)


def test_a_run_goes_on_wherever_it_was_stopped(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """What a run that ended in the middle has left is gone on with, half a line cut off ([BATCH-RESUME])."""
    run_batch([str(jobs)], tmp_path, FAST, workers=1, shard_jobs=40)
    rows, times = tmp_path / "rows" / "000000.jsonl", tmp_path / "times" / "000000.jsonl"
    data, told = rows.read_bytes(), times.read_bytes()
    chance = random.Random(5)
    for _ in range(3):
        rows.unlink(missing_ok=True)
        times.unlink(missing_ok=True)
        # Rows are written before what is told of them: any two places may be where writing ended.
        (tmp_path / "rows" / "000000.jsonl.part").write_bytes(data[: chance.randrange(len(data))])
        (tmp_path / "times" / "000000.jsonl.part").write_bytes(told[: chance.randrange(len(told))])
        before: list[BatchState] = []
        state = run_batch([str(jobs)], tmp_path, FAST, workers=1, shard_jobs=40, progress=before.append)
        assert state.is_whole and sum(state.verdicts.values()) == 40
        assert before[0].done < 40
        assert all_rows(tmp_path) == whole


def test_a_run_that_ended_while_a_shard_was_finished(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """Between the names of its two files: the rows that there are count once ([BATCH-RESUME])."""
    run_batch([str(jobs)], tmp_path, FAST, shard_jobs=7)
    rows = tmp_path / "rows" / "000002.jsonl"
    rows.rename(rows.with_name("000002.jsonl.part"))
    before: list[BatchState] = []
    state = run_batch([str(jobs)], tmp_path, FAST, shard_jobs=7, progress=before.append)
    assert (before[0].done, state.done, all_rows(tmp_path)) == (40, 40, whole)
    assert not [*tmp_path.rglob("*.part")]


def test_a_finished_batch_is_not_done_again(jobs: Path, tmp_path: Path) -> None:
    first = run_batch([str(jobs)], tmp_path, FAST)
    times = [path.stat().st_mtime_ns for path in sorted((tmp_path / "rows").iterdir())]
    assert run_batch([str(jobs)], tmp_path, FAST) == first
    assert [path.stat().st_mtime_ns for path in sorted((tmp_path / "rows").iterdir())] == times


def test_a_job_that_kills_its_process_harms_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault is tried again twice; then the job is lost, and said to be ([BATCH-FAULT])."""
    monkeypatch.setattr(working, "SERVICE", ("batch_support:DyingService",))
    monkeypatch.setenv("POTLANG_TEST_MARKS", str(tmp_path))
    names = ["a", "deadly", "b", "once", "c", "once more", "deadly too"]
    path = write_jobs(tmp_path / "jobs.jsonl", [{"id": name, "program": program("1 < 2")} for name in names])
    state = run_batch([str(path)], tmp_path / "out", FAST, workers=2, shard_jobs=5)
    assert state == BatchState(7, 7, 2, {"entailed": 5, "unknown": 2})
    rows = parsed(tmp_path / "out")
    assert [row["id"] for row in rows] == names
    assert [row["id"] for row in rows if "fault" in row] == ["deadly", "deadly too"]
    assert rows[1]["verdict"] == "unknown" and "SIGKILL" in rows[1]["fault"]
    assert run_batch([str(path)], tmp_path / "out", FAST).lost == 2


def test_processes_that_are_ended_while_they_start_cost_no_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ends a process before it has a job is not the job's fault ([BATCH-FAULT])."""
    monkeypatch.setattr(working, "SERVICE", ("batch_support:LateService",))
    monkeypatch.setenv("POTLANG_TEST_MARKS", str(tmp_path))
    path = write_jobs(tmp_path / "jobs.jsonl", [program("1 < 2")])
    assert run_batch([str(path)], tmp_path / "out", FAST, workers=1).lost == 0
    assert len(list(tmp_path.glob("start*"))) == 4


def test_an_input_that_shrinks_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run ends, and goes on when the input is what it was ([BATCH-RESUME])."""
    monkeypatch.setattr(working, "SERVICE", ("batch_support:ShrinkingService",))
    path = write_jobs(
        tmp_path / "jobs.jsonl", [{"id": each, "program": program("1 < 2")} for each in range(9)]
    )
    data = path.read_bytes()
    for at in (len(data) // 2, data.index(b"\n", len(data) // 2) + 1):
        monkeypatch.setenv("POTLANG_TEST_SIZE", str(at))
        with pytest.raises(BatchError, match="the input is not what it was"):
            run_batch([str(path)], tmp_path / f"out{at}", FAST, workers=1)
        path.write_bytes(data)
        monkeypatch.setenv("POTLANG_TEST_SIZE", "")
        assert run_batch([str(path)], tmp_path / f"out{at}", FAST, workers=1).verdicts == {"entailed": 9}
        assert [row["id"] for row in parsed(tmp_path / f"out{at}")] == [*range(9)]


def test_no_process_at_all(jobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be kept the batch ends, and no job is blamed ([BATCH-FAULT])."""
    monkeypatch.setattr(working, "SERVICE", ("batch_support:SilentService",))
    with pytest.raises(BatchError, match="no process can be kept"):
        run_batch([str(jobs)], tmp_path, FAST, workers=1)
    assert all_rows(tmp_path) == b""


BROKEN: dict[bytes, str] = {
    b"{": "POT1001",
    b"no json": "POT1001",
    b"17": "POT1010",
    b"null": "POT1010",
    b'{"id": 1, "program": 5}': "POT1010",
    b'{"id": 1, "program": "{"}': "POT1001",
    b"[" * 3000: "POT0003",
    b'{"verifications": [{"constraint": "1 <"}]}': "POT1020",
    b"\xff\xfe{": "POT1002",
}


def test_broken_lines_have_rows_of_their_own(tmp_path: Path) -> None:
    """A line that is no input is rejected with what is wrong with it, and the rest goes on ([BATCH-JOB])."""
    path = tmp_path / "jobs.jsonl"
    good = json.dumps(program("1 < 2")).encode()
    path.write_bytes(b"\n".join([good, b"", b"  ", *BROKEN, good]))
    state = run_batch([str(path)], tmp_path / "out", FAST)
    rows = parsed(tmp_path / "out")
    assert (state.jobs, state.lost) == (len(BROKEN) + 2, 0)
    assert [row["line"] for row in rows] == [1, *range(4, 5 + len(BROKEN))]
    for row, (line, code) in zip(rows[1:-1], BROKEN.items(), strict=True):
        codes = [each["code"] for each in row["report"]["diagnostics"]]
        assert row["verdict"] == "rejected" and code in codes, (line[:40], codes)
    assert rows[0]["verdict"] == rows[-1]["verdict"] == "entailed"


def test_files_and_lines_together(tmp_path: Path) -> None:
    """Files of one input each stand beside JSON Lines, in the order of the arguments ([BATCH-JOB])."""
    (tmp_path / "a.dot.txt").write_text(TRACE, encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps(program("2 < 1")), encoding="utf-8")
    lines = write_jobs(tmp_path / "c.jsonl", [program("1 < 2"), TRACE])
    names = [str(tmp_path / "a.dot.txt"), str(tmp_path / "b.json"), str(lines), str(tmp_path / "b.json")]
    run_batch(names, tmp_path / "out", FAST)
    rows = parsed(tmp_path / "out")
    assert [Path(row["file"]).name for row in rows] == ["a.dot.txt", "b.json", "c.jsonl", "c.jsonl", "b.json"]
    assert [row.get("line") for row in rows] == [None, None, 1, 2, None]
    assert [row["language"] for row in rows] == ["dot", "pot", "pot", "dot", "pot"]
    assert rows[1]["verdict"] == rows[4]["verdict"] == "refuted"


def test_exact_numbers(tmp_path: Path) -> None:
    """Numbers inside a job's object stay what they are ([BATCH-JOB])."""
    line = b'{"id": 1, "program": {"constants": {"x": {"sort": "Real", "members": []}}}}'
    job = job_of_line(line.replace(b"[]", b"0.1000000000000000055"), "f", 1)
    assert "0.1000000000000000055" in str(job.source)


# --- what is refused ---------------------------------------------------------------------------------


def test_another_batch_is_refused(jobs: Path, tmp_path: Path) -> None:
    """A directory has one batch: its inputs, its options, one version ([BATCH-SHARD])."""
    out = tmp_path / "out"
    run_batch([str(jobs)], out, FAST)
    with pytest.raises(BatchError, match="options differ"):
        run_batch([str(jobs)], out, FAST._replace(route="z3"))
    other = write_jobs(tmp_path / "other.jsonl", ordinary(3))
    with pytest.raises(BatchError, match="inputs differ"):
        run_batch([str(other)], out, FAST)
    manifest = out / "manifest.json"
    value = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps({**value, "potlang": "9.9"}))
    with pytest.raises(BatchError, match="potlang differ"):
        run_batch([str(jobs)], out, FAST)
    for wrong, said in (
        ({**value, "format": 1}, "format 1"),
        ({"format": 2}, "no manifest"),
        ([], "no manifest"),
    ):
        manifest.write_text(json.dumps(wrong))
        with pytest.raises(BatchError, match=said):
            run_batch([str(jobs)], out, FAST)


def test_two_runs_in_one_directory(jobs: Path, tmp_path: Path) -> None:
    """A second run is refused while another is at work, and so is the same part ([BATCH-SHARD])."""
    with running._locked(tmp_path, ShardChoice()), pytest.raises(BatchError, match="another run"):
        run_batch([str(jobs)], tmp_path, FAST)
    with running._locked(tmp_path, ShardChoice(1, 2)):
        with pytest.raises(BatchError, match="another run"):
            run_batch([str(jobs)], tmp_path, FAST, part=ShardChoice(1, 2))
        with pytest.raises(BatchError, match="another run"):
            run_batch([str(jobs)], tmp_path, FAST)
        assert run_batch([str(jobs)], tmp_path, FAST, part=ShardChoice(2, 2), shard_jobs=20).done == 20


def test_inputs_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BatchError, match="cannot read"):
        planned([str(tmp_path / "none.jsonl")], {}, 5)
    (tmp_path / "empty.jsonl").write_bytes(b"\n\n")
    with pytest.raises(BatchError, match="no job"):
        planned([str(tmp_path / "empty.jsonl")], {}, 5)


@pytest.mark.parametrize("size", [1, 3, 40, 100])
def test_shards_cover_all_lines(jobs: Path, tmp_path: Path, size: int) -> None:
    """The shards have all jobs, each once, in order ([BATCH-SHARD])."""
    spaced = tmp_path / "jobs.jsonl"
    spaced.write_bytes(b"\n\n" + jobs.read_bytes().replace(b"\n", b"\r\n \n", 9)[:-1])
    manifest = planned([str(spaced)], {}, size)
    read = [job for shard in manifest.shards for job in shard.read()]
    lines = spaced.read_bytes().split(b"\n")
    assert [job.line for job in read] == [at for at, line in enumerate(lines, 1) if line.strip()]
    assert [shard.jobs for shard in manifest.shards] == [len([*shard.read()]) for shard in manifest.shards]


def test_parquet(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """Rows of Parquet are jobs as lines are ([BATCH-JOB])."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    sources = [job.get("trace") or job.get("program") or job.get("solution") or job for job in ordinary()]
    texts = [
        {"id": str(at), "source": each if isinstance(each, str) else json.dumps(each)}
        for at, each in enumerate(sources)
    ]
    path = tmp_path / "jobs.parquet"
    parquet.write_table(arrow.Table.from_pylist(texts), path, row_group_size=6)
    run_batch([str(path)], tmp_path / "out", FAST, shard_jobs=7)
    rows = parsed(tmp_path / "out")
    assert [row["id"] for row in rows] == [str(at) for at in range(40)]
    expected = [json.loads(line) for line in whole.splitlines()]
    assert [row["language"] for row in rows] == [row["language"] for row in expected]
    assert [row["verdict"] for row in rows if row["language"] != "dagmath"] == [
        row["verdict"] for row in expected if row["language"] != "dagmath"
    ]
    assert read_manifest(tmp_path / "out" / "manifest.json").jobs == 40


def test_what_is_no_parquet_is_a_job(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """The rest goes on, and so does another run ([BATCH-JOB])."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    good = tmp_path / "good.parquet"
    parquet.write_table(arrow.Table.from_pylist([{"id": "one", "source": TRACE}]), good)
    data = good.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little") + 8
    wrong = {
        "cut.parquet": data[: len(data) // 2],
        "empty.parquet": b"",
        "footer.parquet": data[:-footer] + b"\xff" * (footer - 8) + data[-8:],
        "text.parquet": json.dumps(program("1 < 2")).encode(),
    }
    for name, content in wrong.items():
        (tmp_path / name).write_bytes(content)
    files = [str(tmp_path / name) for name in wrong]
    for part in (ShardChoice(1, 2), ShardChoice()):
        state = run_batch([str(jobs), *files, str(good)], tmp_path / "out", FAST, part=part, shard_jobs=40)
    assert state.is_whole and state.jobs == 45
    rows = parsed(tmp_path / "out")
    assert rows[:40] == [json.loads(line) for line in whole.splitlines()] and rows[-1]["id"] == "one"
    for file, row in zip(files, rows[40:44], strict=True):
        (found,) = row["report"]["diagnostics"]
        assert (row["file"], row["verdict"], found["code"]) == (file, "rejected", "POT0006")
        assert found["message"] == f"cannot read `{file}`: it is no Parquet file, or is damaged"
    with pytest.raises(BatchError, match="no Parquet"):
        planned(files, {}, 7)
    (shard, _) = planned([files[0], str(jobs)], {}, 40).shards
    (tmp_path / "cut.parquet").write_bytes(data)
    with pytest.raises(OSError, match="not what it was"):
        list(shard.read())


# --- what is written ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_summary_when_all_is_answered(jobs: Path, tmp_path: Path) -> None:
    """[BATCH-SUMMARY] It is there when each job has its row, with the same bytes however that came about."""
    run_batch([str(jobs)], tmp_path / "one", FAST, shard_jobs=7)
    for number in (2, 1, 3):
        assert not (tmp_path / "parts" / "summary.json").exists()
        run_batch([str(jobs)], tmp_path / "parts", FAST, part=ShardChoice(number, 3), shard_jobs=7)
    one, parts = ((tmp_path / name / "summary.json").read_bytes() for name in ("one", "parts"))
    assert one == parts
    value = json.loads(one)
    assert (value["jobs"], value["lost"], sum(value["verdicts"].values())) == (40, 0, 40)


@pytest.mark.slow
def test_rows_as_parquet(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """[BATCH-PARQUET] The same rows, the same bytes each time, also of a run that was stopped."""
    parquet = pytest.importorskip("pyarrow.parquet")
    options = FAST._replace(out_format="parquet", carry=("answer",))
    for name in ("one", "other"):
        run_batch([str(jobs)], tmp_path / name, options, shard_jobs=7)
    files = [sorted((tmp_path / name / "rows").iterdir()) for name in ("one", "other")]
    assert [path.name for path in files[0]] == [f"{number:06d}.parquet" for number in range(6)]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    rows = [row for path in files[0] for row in parquet.read_table(path).to_pylist()]
    for row, line in zip(rows, whole.splitlines(), strict=True):
        expected = json.loads(line)
        assert json.loads(row["report"]) == expected["report"]
        assert row["id"] == (None if "id" not in expected else str(expected["id"]))
        assert [row[name] for name in ("file", "line", "language", "verdict", "fault")] == [
            *(expected[name] for name in ("file", "line", "language", "verdict")),
            None,
        ]
    assert {row["answer"] for row in rows} > {None, "3"}
    # It ended when the Parquet file was there and the lines were not yet removed, or before.
    left = tmp_path / "other" / "rows" / "000002.jsonl.part"
    left.write_bytes(b"{}\n")
    lines = [line + b"\n" for line in whole.splitlines()]
    files[1][4].unlink()
    (tmp_path / "other" / "rows" / "000004.parquet.part").write_bytes(b"PAR1")
    (tmp_path / "other" / "rows" / "000004.jsonl.part").write_bytes(b"".join(lines[28:31]))
    assert run_batch([str(jobs)], tmp_path / "other", options, shard_jobs=7).is_whole
    assert sorted(path.name for path in (tmp_path / "other" / "rows").iterdir()) == [
        path.name for path in files[0]
    ]
    for carried in (("Report",), ("x", "X")):
        with pytest.raises(BatchError, match="in whatever case"):
            run_batch([str(jobs)], tmp_path / "never", options._replace(carry=carried))


def test_an_input_that_cannot_be_read_is_a_job(jobs: Path, whole: bytes, tmp_path: Path) -> None:
    """The rest goes on ([BATCH-JOB])."""
    missing = [str(tmp_path / "missing.json"), str(tmp_path / "missing.jsonl")]
    state = run_batch([missing[0], str(jobs), missing[1]], tmp_path / "out", FAST, shard_jobs=7)
    assert state.is_whole and state.jobs == 42
    rows = parsed(tmp_path / "out")
    assert [row["file"] for row in (rows[0], rows[-1])] == missing
    assert [row["report"]["diagnostics"][0]["code"] for row in (rows[0], rows[-1])] == ["POT0006"] * 2
    assert rows[1:-1] == [json.loads(line) for line in whole.splitlines()]
    with pytest.raises(BatchError, match="cannot read"):
        planned(missing, {}, 7)
