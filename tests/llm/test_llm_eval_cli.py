"""`potc eval` and `potc generate` as real processes: tables, picture, exit codes, resuming."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def potc(*args: str | Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", "/tmp")}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=240,
        cwd=ROOT,
        env=environment,
        check=False,
        input=text,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generated questions of two difficulties, and one that is wrong on purpose."""
    folder = tmp_path_factory.mktemp("eval")
    for level in (1, 4):
        done = potc(
            "generate", "--count", "8", "--difficulty", str(level), "--output", folder / f"{level}.jsonl"
        )
        assert done.returncode == 0
    lines = "".join((folder / f"{level}.jsonl").read_text("utf-8") for level in (1, 4))
    path = folder / "data.jsonl"
    path.write_text(lines, "utf-8")
    return path


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a pipe whose reader has gone is another error")
def test_whoever_reads_generated_programs_may_stop() -> None:
    """[GEN-SUPPORT]: as behind `| head`: no error is said."""
    command = [sys.executable, "-m", "potlang", "generate", "--count", "20000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    assert json.loads(process.stdout.readline())["id"] == "generated/3/0"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=60)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """[EVAL-EXIT]"""
    done = potc("generate", "--output", tmp_path / "none" / "x.jsonl")
    assert done.returncode == 2 and done.stderr.startswith("error[POT0009]: cannot write")


def test_generated_programs_have_their_verdicts(data: Path) -> None:
    """[GEN-VERDICT], [EVAL-SUMMARY]"""
    done = potc("eval", data, "--format", "json", "--resamples", "50")
    assert done.returncode == 0
    families = json.loads(done.stdout)["families"]
    assert [each["family"] for each in families] == ["generated/1", "generated/4", "all"]
    whole = families[-1]
    assert (whole["questions"], whole["expected"], whole["agreeing"]) == (16, 16, 16)
    assert whole["verdict"]["metrics"]["accuracy"]["value"] == 1
    assert whole["verdict"]["metrics"]["overclaimed"]["value"] == 0
    # What is open can be satisfied, and so is called true: a third of what is not true.
    assert whole["paper"]["metrics"]["overclaimed"]["value"] == 1 / 3
    assert "16 of 16 questions, 16 calls" in done.stderr


def test_tables(data: Path) -> None:
    """[EVAL-TABLES]: CSV has what JSON has."""
    text = potc("eval", data, "--resamples", "20")
    assert [line for line in text.stdout.splitlines() if line.startswith("The two-way reading")]
    done = potc("eval", data, "--format", "csv", "--resamples", "20")
    parts = dict(part.split("\n", 1) for part in done.stdout.removeprefix("# ").split("\n# "))
    found = json.loads(potc("eval", data, "--format", "json", "--resamples", "20").stdout)["families"]

    def rows(title: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(parts[title])))

    sides = [each for each in rows("The two-way reading and the verdicts") if each["family"] == "all"]
    for row in sides:
        expected = found[-1]["verdicts"][row["right answer"]]
        assert {verdict: int(row[f"verdict {verdict}"]) for verdict in expected} == expected
    metrics = [each for each in rows("Performance metrics") if each["family"] == "all"]
    accuracy = next(each for each in metrics if each["rate"] == "Accuracy")
    assert float(accuracy["verdict value"]) == found[-1]["verdict"]["metrics"]["accuracy"]["value"]
    low, high = found[-1]["paper"]["metrics"]["accuracy"]["interval"]
    assert (
        float(accuracy["paper's reading interval low"]),
        float(accuracy["paper's reading interval high"]),
    ) == (
        low,
        high,
    )


def test_results_are_reused_and_the_picture_is_the_same(data: Path, tmp_path: Path) -> None:
    """[EVAL-RESUME], [EVAL-PICTURE]"""
    arguments = ("eval", data, "--format", "json", "--resamples", "20", "--results", tmp_path / "r.jsonl")
    first = potc(*arguments, "--picture", tmp_path / "one", "--jobs", "2")
    size = (tmp_path / "r.jsonl").stat().st_size
    second = potc(*arguments, "--picture", tmp_path / "two.svg")
    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stdout == second.stdout
    assert (tmp_path / "r.jsonl").stat().st_size == size
    for ending in ("svg", "png"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


def test_recorded_attempts_take_precedence(data: Path, tmp_path: Path) -> None:
    """[EVAL-DATASET]"""
    ids = [json.loads(line)["id"] for line in data.read_text("utf-8").splitlines()]
    recorded = tmp_path / "recorded.jsonl"
    recorded.write_text("".join(json.dumps({"id": each, "attempts": ["no", "none"]}) + "\n" for each in ids))
    done = potc("eval", data, "--programs", recorded, "--format", "json", "--resamples", "0")
    whole: dict[str, Any] = json.loads(done.stdout)["families"][-1]
    assert (whole["compiled"], whole["cost"]["calls"], whole["agreeing"]) == (0, 32, 0)
    assert whole["verdict"]["counts"]["failed"] == 16


def test_exit_codes(data: Path, tmp_path: Path) -> None:
    """[EVAL-EXIT]"""
    line = data.read_text("utf-8").splitlines()[0]
    mixed = potc("eval", "-", "--resamples", "0", text=f"{line}\nnot json\n")
    assert mixed.returncode == 1
    assert "-:2: not JSON" in mixed.stderr
    assert potc("eval", "-", text="").returncode == 2
    assert potc("eval", tmp_path / "none.jsonl").returncode == 2
    unwritable = potc("eval", data, "--results", tmp_path / "no" / "such.jsonl")
    assert unwritable.returncode != 0 and "Traceback" not in unwritable.stderr


def test_generate_writes_json_lines() -> None:
    """[GEN-SUPPORT]"""
    first, second = (potc("generate", "--count", "4", "--seed", "9").stdout for _ in range(2))
    assert first == second
    found = [json.loads(line) for line in first.splitlines()]
    assert [each["verdict"] for each in found] == ["entailed", "refuted", "undetermined", "inconsistent"]
    assert [each["answer"] for each in found] == ["true", "false", "uncertain", "uncertain"]
