"""Commands of policies that are killed, or meet a full disk: nothing is lost, nothing half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from refund_texts import POLICY

from potlang.policy import Store, open_store
from potlang.policy.building.journal import KeptReplies

ROOT = Path(__file__).parents[2]
REFUND = ROOT / "examples" / "policies" / "refund"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits as Linux has them")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "store")


def started(folder: Path, *args: str | Path, most_bytes: int = 0) -> subprocess.Popen[str]:
    """A command of `potc policy` as a real process, whose files may have so many bytes."""
    limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most_bytes}, {most_bytes}));" if most_bytes else ""
    code = f"import resource, runpy;{limit}runpy.run_module('potlang', run_name='__main__')"
    settings = {
        **os.environ,
        "POTLANG_POLICIES": str(folder / "store"),
        "NO_COLOR": "1",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-c", code, "policy", *map(str, args)]
    return subprocess.Popen(
        command, cwd=folder, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=120)
    assert "Traceback" not in said
    return process.returncode, said


def version(folder: Path, days: int) -> Path:
    """A file with a policy that says so many days."""
    path = folder / f"{days}.json"
    path.write_text(json.dumps(POLICY).replace("<= 30", f"<= {days}"), "utf-8")
    return path


def whole(store: Store) -> list[int]:
    """The numbers of the versions, each of which can be used."""
    numbers = list(store.numbers("refund")) if "refund" in store.names() else []
    assert numbers == list(range(1, len(numbers) + 1))
    for number in numbers:
        store.version(f"refund@{number}").compile()
    return numbers


def kill_later(processes: list[subprocess.Popen[str]], seconds: float) -> None:
    time.sleep(seconds)
    for each in processes:
        each.kill()
        each.communicate()


@pytest.mark.slow
def test_versions_that_are_added_by_killed_processes_are_whole_or_not_there(
    tmp_path: Path, store: Store
) -> None:
    """[POLICY-STORE]: two at a time, killed at any moment."""
    random, known = Random(3), 0
    for round_ in range(12):
        days = 100 + 2 * round_
        files = [version(tmp_path, days), version(tmp_path, days + 1)]
        arguments = ["--name", "refund", "--force"]
        kill_later(
            [started(tmp_path, "add", each, *arguments) for each in files], 0.3 + random.random() * 1.5
        )
        numbers = whole(store)
        assert known <= len(numbers) <= known + 2
        known = len(numbers)
    assert finished(started(tmp_path, "add", version(tmp_path, 99), "--name", "refund", "--force"))[0] in (
        0,
        1,
    )
    assert len(whole(store)) == known + 1


@pytest.mark.slow
def test_tests_of_a_killed_judge_are_all_there_or_none(tmp_path: Path, store: Store) -> None:
    """[POLICY-STORE], [POLICY-JUDGE]"""
    store.add("refund", version(tmp_path, 30).read_text("utf-8"))
    with started(tmp_path, "suggest", "refund", "--format", "json") as process:
        suggested = json.loads(process.communicate(timeout=120)[0])
    for each in suggested["tests"]:
        each["decision"] = "accept"
    rows = tmp_path / "rows.json"
    rows.write_text(json.dumps(suggested), "utf-8")
    random = Random(4)
    for _ in range(8):
        kill_later([started(tmp_path, "judge", "refund", rows)], 0.3 + random.random() * 1.5)
        tests = store.version("refund").tests
        assert len(tests) in (0, len(suggested["tests"]))
    assert finished(started(tmp_path, "judge", "refund", rows))[0] == 0
    assert len(store.version("refund").tests) == len(suggested["tests"]) and len(whole(store)) <= 2


@pytest.mark.slow
def test_a_journal_of_a_killed_build_has_whole_replies_and_goes_on(tmp_path: Path) -> None:
    """[BUILD-JOURNAL]"""
    replies, journal = REFUND / "replies.jsonl", tmp_path / "journal.jsonl"
    build = ["build", REFUND / "document.md", "--journal", journal]
    lines = replies.read_bytes().splitlines(keepends=True)
    random = Random(5)
    for at in range(1, len(lines)):
        # What a killed process leaves: some replies, and a part of the next.
        begun = lines[at][: random.randrange(len(lines[at]))]
        journal.write_bytes(b"".join(lines[:at]) + begun)
        rest = tmp_path / "rest.jsonl"
        rest.write_bytes(b"".join(lines[at:]))
        code, said = finished(started(tmp_path, *build, "--replies", rest))
        assert code == 0, said
        KeptReplies().add(journal)


BUILD: list[str | Path] = ["build", REFUND / "document.md", "--replies", REFUND / "replies.jsonl"]


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["add", "30.json", "--name", "refund"], id="add"),
        pytest.param([*BUILD, "--output", "out"], id="output"),
        pytest.param([*BUILD, "--report", "out"], id="report", marks=pytest.mark.slow),
        pytest.param([*BUILD, "--html", "out"], id="html", marks=pytest.mark.slow),
        pytest.param([*BUILD, "--name", "refund"], id="name", marks=pytest.mark.slow),
    ],
)
def test_a_disk_that_is_full_leaves_nothing_half_written(
    tmp_path: Path, store: Store, args: list[str | Path]
) -> None:
    """[POLICY-STORE]"""
    version(tmp_path, 30)
    (tmp_path / "out").write_text("what stood here before", "utf-8")
    code, said = finished(started(tmp_path, *args, most_bytes=300))
    assert code == 2 and ("cannot write" in said or "cannot be used: File too large" in said), said
    assert (tmp_path / "out").read_text("utf-8") == "what stood here before"
    assert whole(store) == []
    assert [each.name for each in (tmp_path / "store").rglob("*") if each.is_file()] == []
