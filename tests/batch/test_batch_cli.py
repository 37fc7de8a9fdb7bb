"""`potc batch`: what it prints, its exit codes, how it is stopped ([BATCH-RUN])."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from batch_support import all_rows, ordinary, parsed, program, write_jobs
from click.testing import CliRunner, Result

from potlang.batch import shards as working
from potlang.cli.commands import command_of

POTC = (sys.executable, "-m", "potlang", "batch")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command_of("batch"), [str(each) for each in arguments])


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    return write_jobs(tmp_path / "jobs.jsonl", ordinary(8))


def test_what_is_said(jobs: Path, tmp_path: Path) -> None:
    """The counts, the verdicts, and where the rows are."""
    first = run(jobs, "--out", tmp_path / "out", "--trust", "solver")
    assert first.exit_code == 0, first.output
    assert "8 of 8 jobs answered;" in first.output
    assert "accepted 3, entailed 3, refuted 1, wrong 1" in first.output
    again = run(jobs, "--out", tmp_path / "out", "--trust", "solver", "--format", "json")
    value = json.loads(again.stdout)
    assert (value["jobs"], value["done"], value["lost"]) == (8, 8, 0)
    assert "8 of them before" in run(jobs, "--out", tmp_path / "out", "--trust", "solver").output


def test_lost_jobs(jobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are named, and the exit code is 3 ([BATCH-FAULT])."""
    monkeypatch.setattr(working, "SERVICE", ("batch_support:DyingService",))
    path = write_jobs(tmp_path / "deadly.jsonl", [{"id": "deadly", "program": program("1 < 2")}])
    done = run(path, "--out", tmp_path / "out", "-j", 1)
    assert done.exit_code == 3 and "lost 1" in done.output


@pytest.mark.parametrize("part", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2"])
def test_wrong_parts(jobs: Path, tmp_path: Path, part: str) -> None:
    done = run(jobs, "--out", tmp_path / "out", f"--shard={part}")
    assert done.exit_code == 2 and "3/16" in done.output


def test_refusals(jobs: Path, tmp_path: Path) -> None:
    """Each is POT0014 with its reason, and standard input a usage error."""
    missing = run(tmp_path / "none.jsonl", "--out", tmp_path / "out")
    assert missing.exit_code == 2 and "error[POT0014]" in missing.output and "cannot read" in missing.output
    piped = run("-", "--out", tmp_path / "out")
    assert piped.exit_code == 2 and "standard input" in piped.output
    assert run(jobs, "--out", tmp_path / "out", "--trust", "solver").exit_code == 0
    other = run(jobs, "--out", tmp_path / "out")
    assert other.exit_code == 2 and "options differ" in other.output


def test_a_directory_of_jobs(jobs: Path, tmp_path: Path) -> None:
    """Its JSON Lines count beside its single inputs, sorted; what is left out is not there."""
    folder = tmp_path / "all"
    folder.mkdir()
    write_jobs(folder / "b.jsonl", [program("1 < 2"), program("2 < 1")])
    for name in ("a.json", "c.json"):
        (folder / name).write_text(json.dumps(program("1 < 2")))
    done = run(folder, "--out", tmp_path / "out", "--exclude", "c.json", "--trust", "solver")
    assert done.exit_code == 0, done.output
    names = [(Path(row["file"]).name, row.get("line")) for row in parsed(tmp_path / "out")]
    assert names == [("a.json", None), ("b.jsonl", 1), ("b.jsonl", 2)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        signal.SIGKILL,
    ],
)
def test_stopped_and_gone_on_with(tmp_path: Path, number: signal.Signals) -> None:
    """Whatever ends a run, its processes end, and the same command gives the same rows ([BATCH-RESUME])."""
    path = write_jobs(tmp_path / "jobs.jsonl", ordinary(400))
    out = tmp_path / "out"
    command = [*POTC, str(path), "--out", str(out), "--trust", "solver", "--shard-jobs", "150", "-j", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    began = time.monotonic()
    while not any(each.stat().st_size for each in out.glob("times/*")) and time.monotonic() - began < 60:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == (-9 if number is signal.SIGKILL else 128 + number)
    if number is not signal.SIGKILL:
        assert "the same command goes on" in said
    while _processes_with(str(out)) and time.monotonic() - began < 60:
        time.sleep(0.01)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
    rows = parsed(out)
    assert [row["line"] for row in rows] == list(range(1, 401))
    again = tmp_path / "again"
    subprocess.run([each if each != str(out) else str(again) for each in command], check=True, stdout=-3)
    assert all_rows(again) == all_rows(out)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of the system")
def test_a_full_disk(tmp_path: Path) -> None:
    """What was answered stays, and a run with more room goes on ([BATCH-RESUME])."""
    path = write_jobs(tmp_path / "jobs.jsonl", ordinary(200))
    out = tmp_path / "out"
    command = [*POTC, str(path), "--out", str(out), "--trust", "solver", "-j", "1"]
    limited = ["/bin/sh", "-c", 'ulimit -f 64; exec "$@"', "sh", *command]
    full = subprocess.run(limited, capture_output=True, text=True, timeout=120)
    assert full.returncode == 2, full.stderr
    assert "error[POT0014]" in full.stderr and "too large" in full.stderr
    assert (out / "rows" / "000000.jsonl.part").stat().st_size > 10_000
    whole = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "of them before" in whole.stdout
    assert [row["line"] for row in parsed(out)] == list(range(1, 201))


def _processes_with(text: str) -> list[int]:
    """Processes that have a file below this directory open."""
    found = []
    for each in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(each.readlink()).startswith(text):
                found.append(int(each.parts[2]))
        except OSError:
            continue
    return found
