"""Runs over data sets: the journal, going on after an end, several at a time, and the command."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from building_support import GOOD, NATASCHA, PROBLEM
from chat_server import Behaviour, ChatServer, Status

from potlang.languages.dagmath.read.samples import LONGEST_LINE
from potlang.models.endpoint import EndpointError, Recorded, Sampling
from potlang.models.gold.builder import Builder, Built, Models, Problem
from potlang.models.gold.journal import GoldJournal, GoldRecord, Success, run, success_by_difficulty
from potlang.models.loop.journal import BadJournal
from potlang.models.solutions.problems import BadProblem, read_problems

LINE = {"problem_id": "a", "problem": "p", "solution": "s", "answer": "4", "difficulty": 2}


def _read(*lines: bytes | Mapping[str, Any]) -> list[Problem | BadProblem]:
    data = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
    return list(read_problems(io.BytesIO(b"\n".join(data))))


def test_problems() -> None:
    """[DAG-BUILD-6]: other words for the same, numbers as answers, blank lines, no id."""
    omni = {"problem": "q", "solution": "t", "answer": 5, "domain": ["Algebra"], "source": "x"}
    assert _read(LINE, b"", omni) == [
        Problem("a", "p", "s", "4", 2.0),
        Problem("line 3", "q", "t", "5"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[1]", "an object"),
        (b'{"problem": "\xff"}', "UTF-8"),
        ({**LINE, "answer": ""}, "no `answer`"),
        ({**LINE, "solution": ["x"]}, "no `solution`"),
        ({**LINE, "difficulty": "hard"}, "difficulty"),
        ({**LINE, "difficulty": [1]}, "difficulty"),
        (b"[" * 100_000, "nested"),
    ],
    ids=str,
)
def test_lines_that_are_no_problems(line: Any, reason: str) -> None:
    """[DAG-BUILD-6]: each is reported with its number, and the rest is read."""
    first, second = _read(line, LINE)
    assert isinstance(first, BadProblem) and first.line == 1 and reason in first.reason, first
    assert isinstance(second, Problem)


def test_a_line_that_is_too_long_is_one_line() -> None:
    """[DAG-BUILD-6]: it is reported once, and the lines behind it have their own numbers."""
    long, after = _read(
        json.dumps({**LINE, "problem": "x" * (2 * LONGEST_LINE)}).encode(), {**LINE, "problem_id": None}
    )
    assert isinstance(long, BadProblem) and long.line == 1
    assert isinstance(after, Problem) and after.id == "line 2"


def test_an_id_names_one_problem() -> None:
    """[DAG-BUILD-6]."""
    assert isinstance(_read(LINE, LINE)[1], BadProblem)


def _problems(count: int) -> list[Problem]:
    return [PROBLEM._replace(id=f"p{at}", difficulty=float(at)) for at in range(count)]


def _built(outcome: str) -> Built:
    if outcome == "built":
        return Built(NATASCHA, ())
    return Built(None, (), "why", "timeout" if outcome == "failed" else None)


def test_the_last_record_of_a_problem_counts(tmp_path: Path) -> None:
    """[DAG-BUILD-6]: what failed is not done; what was built later is there once."""
    path = tmp_path / "journal.jsonl"
    one, two, three = _problems(3)
    with GoldJournal(path) as journal:
        for problem, outcome in ((one, "failed"), (two, "built"), (three, "given up"), (one, "built")):
            journal.add(problem, _built(outcome))
    with GoldJournal(path) as journal:
        assert {id_: record.outcome for id_, record in journal.done.items()} == {
            "p1": "built", "p2": "given up", "p0": "built",
        }  # fmt: skip
        assert len(list(journal.solutions())) == 2


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_line_that_was_not_finished_is_cut_off(cut: int, tmp_path: Path) -> None:
    """[DAG-BUILD-6]: as when the machine went down; the journal then goes on."""
    path = tmp_path / "journal.jsonl"
    one, two, _ = _problems(3)
    with GoldJournal(path) as journal:
        journal.add(one, _built("built"))
        journal.add(two, _built("built"))
    path.write_bytes(path.read_bytes()[:-cut])
    with GoldJournal(path) as journal:
        assert list(journal.done) == ["p0"]
        journal.add(two, _built("given up"))
    with GoldJournal(path) as journal:
        assert list(journal.done) == ["p0", "p1"]


@pytest.mark.parametrize(
    "content",
    [
        *(b"x\n", b"[1]\n", b'{"problem_id": 3}\n', b"[" * 10_000 + b"\n", b"\xff\n"),
        *(b"x", b'{"problem": "of a data set"}', b"x\n{"),
        *(
            b'{"problem_id": "a", "outcome": %b, "difficulty": %b, "reason": "", "solution": null}\n' % parts
            for parts in (
                (b'"built"', b'"hard"'),
                (b'"built"', b'""'),
                (b'"built"', b"NaN"),
                (b'"lost"', b"1"),
            )
        ),
    ],
)
def test_another_file_is_no_journal(content: bytes, tmp_path: Path) -> None:
    """[DAG-BUILD-6]: and it is left alone."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadJournal, match="line 1"):
        GoldJournal(path)
    assert path.read_bytes() == content


def test_success_by_difficulty() -> None:
    """[DAG-BUILD-7]: difficulty k stands for (k − 1, k], as in table 2; failures count nowhere."""
    rows = [
        ("a", "built", 0.5),
        ("b", "given up", 1.0),
        ("c", "built", 1.5),
        ("d", "failed", 1.5),
        ("e", "built", None),
    ]
    records = [GoldRecord(id_, outcome, level, "") for id_, outcome, level in rows]  # type: ignore[arg-type]
    assert success_by_difficulty(records) == [Success(1, 2, 1), Success(2, 1, 1), Success(None, 1, 1)]


def _by_stage(messages: Any) -> str:
    """A model that answers by what it is asked."""
    text = messages[-1].content
    return GOOD[0 if "# Take" in text else 1 if "# Say which" in text else 2]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_run_goes_on(jobs: int, tmp_path: Path) -> None:
    """[DAG-BUILD-6]: nothing is built twice and nothing is left out, however many at a time."""
    path = tmp_path / "journal.jsonl"
    problems = _problems(7)
    model = Recorded(_by_stage)
    seen: list[str] = []
    for part in (problems[:3], problems):
        with GoldJournal(path) as journal:
            make = lambda: Builder(Models.one(model))  # noqa: E731
            ended = run(part, journal, make, jobs=jobs, progress=lambda record: seen.append(record.id))
            assert ended == ""
    assert sorted(seen) == [each.id for each in problems]
    assert len(model.asked) == 3 * 7
    with GoldJournal(path) as journal:
        assert {each.outcome for each in journal.done.values()} == {"built"}


def test_a_failure_that_is_one_for_all_ends_the_run(tmp_path: Path) -> None:
    """[DAG-BUILD-6]: a wrong key is not tried a thousand times."""
    model = Recorded([*GOOD, EndpointError("timeout", ""), EndpointError("unauthorized", "key"), *GOOD])
    with GoldJournal(tmp_path / "j") as journal:
        ended = run(_problems(9), journal, lambda: Builder(Models.one(model), sampling=Sampling(1)))
        assert ended == "unauthorized: key"
        assert list(journal.done) == ["p0"]
    assert len(model.asked) == 5


# --- the command --------------------------------------------------------------------------------------


def _potc(arguments: list[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENAI", "POTLANG_MODEL"))
    }
    return subprocess.run(
        [sys.executable, "-m", "potlang", "build-gold", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**plain, "NO_PROXY": "127.0.0.1", "PYTHONIOENCODING": "utf-8", **environment},
    )


def _write(path: Path, problems: list[Problem]) -> Path:
    lines = [json.dumps({"problem_id": each.id, **each._asdict()}) for each in problems]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _serve(body: Mapping[str, Any]) -> Behaviour:
    return _by_stage([type("M", (), {"content": body["messages"][-1]["content"]})])


@pytest.mark.slow
def test_the_command_end_to_end(tmp_path: Path) -> None:
    """[DAG-BUILD-6] [DAG-BUILD-7]: over HTTP, twice: the second time nothing is left to do."""
    problems = _write(tmp_path / "problems.jsonl", _problems(3))
    journal, gold = tmp_path / "journal.jsonl", tmp_path / "gold.jsonl"
    arguments = [problems, "--output", journal, "--gold", gold, "--jobs", "2", "--base-url"]
    with ChatServer(_serve, key="secret-key-1") as server:
        done = _potc([*arguments, server.base_url], OPENAI_API_KEY="secret-key-1", POTLANG_MODEL="m")
        assert done.returncode == 0, done.stderr
        assert "p1: built" in done.stderr
        assert done.stdout.split("\n")[1].split() == ["(-1,", "0]", "1", "1", "100.0%"]
        assert len(server.received) == 9
        again = _potc([*arguments, server.base_url, "--model", "m"], OPENAI_API_KEY="secret-key-1")
        assert (again.returncode, again.stdout) == (0, done.stdout)
        assert len(server.received) == 9
    solutions = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    assert sorted(each["problem_id"] for each in solutions) == ["p0", "p1", "p2"]
    for path in (journal, gold):
        assert "secret" not in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_the_command_cannot_do(tmp_path: Path) -> None:
    """[DAG-BUILD-6]: exit codes 1 to 3 and their reasons, never a traceback."""
    problems = _write(tmp_path / "problems.jsonl", _problems(2))
    journal = tmp_path / "journal.jsonl"
    with ChatServer([Status(401)] * 9) as server:
        done = _potc([problems, "-o", journal, "--model", "m", "--base-url", server.base_url])
        assert done.returncode == 3 and "ended early: unauthorized" in done.stderr
        assert len(server.received) == 1
    with ChatServer(["no JSON"] * 9) as server:
        arguments = [problems, "-o", journal, "--model", "m", "--base-url", server.base_url]
        done = _potc([*arguments, "--limit", "1", "--attempts=2"])
        assert done.returncode == 1 and "warning" not in done.stderr
        assert "p0: given up" in done.stderr and "p1" not in done.stderr
    with problems.open("a", encoding="utf-8") as file:
        file.write("{}\n")
    with ChatServer(["no JSON"] * 9) as server:
        done = _potc([problems, "-o", journal, "--model", "m", "--tries", "2", "--base-url", server.base_url])
        assert done.returncode == 2 and "line 3: the problem has no `problem`" in done.stderr
        assert "warning: --tries is now called --attempts" in done.stderr
    for arguments, said in (
        ([problems, "-o", journal], "POTLANG_MODEL"),
        ([problems, "-o", journal, "--model", "m", "--base-url", "ftp://x"], "base URL"),
        ([problems, "-o", problems, "--model", "m"], "no record of a journal"),
        ([problems, "-o", tmp_path / "none" / "x", "--model", "m"], "No such file"),
        ([tmp_path / "none", "-o", journal], "does not exist"),
    ):
        done = _potc(list(arguments))
        assert done.returncode in (1, 2) and said in done.stderr and "Traceback" not in done.stderr, (
            done.stderr
        )
