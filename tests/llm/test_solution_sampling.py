"""Solutions of a data set sampled from models, and their journal."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Behaviour, ChatServer, Status
from click.testing import CliRunner, Result
from solution_replies import CYCLIC, GOOD, PROBLEM, UNUSED, WRONG, solution

from potlang.cli.commands import command_of
from potlang.dagmath import Problem, score
from potlang.models.endpoint import Completion, EndpointError, Recorded, Sampling
from potlang.models.loop.journal import BadJournal
from potlang.models.solutions.problems import BadProblem, read_problems
from potlang.models.solutions.sampling import SampleJournal, run
from potlang.models.solutions.writer import SolutionAsking, SolutionWriter

pytest.importorskip("openai")
ASKING = SolutionAsking(Sampling(3, seed=5), needs_answer=False, repairs=False)
PROBLEMS = [Problem("a", PROBLEM, "", "10", 1.5, "own"), Problem("b", f"{PROBLEM} Say it.", "", "10")]


def sampled(
    path: Path, model: Recorded, n: int = 2, jobs: int = 1, problems: list[Problem] = PROBLEMS
) -> str:
    with SampleJournal(path) as journal:
        return run(problems, journal, SolutionWriter(model, ASKING), n=n, jobs=jobs)


def samples(path: Path) -> list[dict[str, Any]]:
    with SampleJournal(path) as journal:
        return list(journal.samples())


def test_samples_are_scored(tmp_path: Path) -> None:
    """[SAMPLE-RUN]: what the metrics say of them; what is no solution after all tries is malformed."""
    path = tmp_path / "run.jsonl"
    script = [GOOD, WRONG, UNUSED, *["Ten."] * 3]
    assert sampled(path, Recorded(script)) == ""
    found = samples(path)
    assert [(each["problem_id"], each["sample"], len(each["steps"])) for each in found] == [
        ("a", 0, 6),
        ("a", 1, 6),
        ("b", 0, 6),
        ("b", 1, 0),
    ]
    assert found[0]["model"] == "recorded" and found[0]["dataset"] == "own" and found[0]["answer"] == "10"
    lines = tmp_path / "samples.jsonl"
    lines.write_text("".join(f"{json.dumps(each)}\n" for each in found), encoding="utf-8")
    scores = score(lines, by=["model"])["recorded"]
    assert (scores.samples, scores.malformed) == (4, 1)
    assert scores.pass_1 == Fraction(1, 2) and scores.prr == Fraction(1, 4)


def test_what_is_no_solution_is_asked_for_anew_and_what_is_one_is_left_alone(tmp_path: Path) -> None:
    """[SAMPLE-RUN]: samples stay independent of each other and of diagnostics; no words are changed."""
    model = Recorded([CYCLIC, "no", UNUSED])
    sampled(tmp_path / "run.jsonl", model, n=1, problems=PROBLEMS[:1])
    assert len({each.messages for each in model.asked}) == 1
    assert [each.settings["seed"] for each in model.asked] == [5, 6, 7]
    assert samples(tmp_path / "run.jsonl")[0]["steps"] == json.loads(UNUSED)["steps"]


def test_a_sample_that_breaks_off_is_gone_on_with(tmp_path: Path) -> None:
    """[SAMPLE-RUN] [LOOP-DAG-PARTS]"""
    model = Recorded([Completion(GOOD[:700], finish_reason="length"), solution(5)])
    sampled(tmp_path / "run.jsonl", model, n=1, problems=PROBLEMS[:1])
    assert samples(tmp_path / "run.jsonl")[0]["steps"] == json.loads(GOOD)["steps"]


def test_a_run_goes_on_and_asks_nothing_again(tmp_path: Path) -> None:
    """[SAMPLE-JOURNAL]: what failed is tried again; its samples have the seeds that they would have had."""
    path = tmp_path / "run.jsonl"
    model = Recorded([GOOD, GOOD, EndpointError("unauthorized", "no")])
    assert sampled(path, model) == "unauthorized: no"
    assert len(samples(path)) == 2
    model = Recorded(lambda messages: GOOD)
    assert sampled(path, model, jobs=2) == "" and len(model.asked) == 2
    assert sorted(each.settings["seed"] for each in model.asked) == [5 + 3_000, 5 + 3_003]
    assert len(samples(path)) == 4
    # More samples, or another model: only what is not there.
    model = Recorded(lambda messages: GOOD)
    sampled(path, model, n=3)
    assert sorted(each.settings["seed"] for each in model.asked) == [5 + 6, 5 + 3_006]
    sampled(path, other := Recorded(lambda messages: GOOD, name="other"), n=1)
    assert len(other.asked) == 2 and len(samples(path)) == 8
    # A line that was not finished is cut off.
    path.write_bytes(path.read_bytes()[:-30])
    sampled(path, model := Recorded(lambda messages: GOOD, name="other"), n=1)
    assert len(model.asked) == 1 and len(samples(path)) == 8


def test_every_reply_is_kept(tmp_path: Path) -> None:
    """[SAMPLE-JOURNAL]: also of samples that failed."""
    path = tmp_path / "run.jsonl"
    sampled(path, Recorded(["first", "second", EndpointError("server", "down")]), n=1, problems=PROBLEMS[:1])
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert [each["reply"] for each in json.loads(line)["attempts"]] == ["first", "second", ""]
    assert json.loads(line)["outcome"] == "failed" and not samples(path)


def test_a_model_that_declines_has_given_its_answer(tmp_path: Path) -> None:
    """[SAMPLE-RUN]"""
    path = tmp_path / "run.jsonl"
    sampled(path, Recorded([Completion("", refusal="No.")]), n=1, problems=PROBLEMS[:1])
    assert samples(path)[0]["steps"] == []
    sampled(path, model := Recorded([]), n=1, problems=PROBLEMS[:1])
    assert not model.asked


@pytest.mark.parametrize("content", ["{}\n", '{"problem_id": "a", "outcome": "built"}\n', "text\n"])
def test_other_files_are_left_alone(tmp_path: Path, content: str) -> None:
    """[SAMPLE-JOURNAL]"""
    path = tmp_path / "run.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadJournal):
        SampleJournal(path)
    assert path.read_text(encoding="utf-8") == content


def test_problems_for_samples(tmp_path: Path) -> None:
    """[SAMPLE-PROBLEMS]"""
    path = tmp_path / "problems.jsonl"
    path.write_text(
        '{"id": 7, "question": "q", "answer": 4}\n{"problem": "p"}\n{"answer": 1}\n', encoding="utf-8"
    )
    with path.open("rb") as stream:
        found = list(read_problems(stream, needed=("problem",)))
    assert found == [
        Problem("7", "q", "", "4"),
        Problem("line 2", "p", "", ""),
        BadProblem(3, "the problem has no `problem`"),
    ]


# --- the command -------------------------------------------------------------------------------------


def potc(*args: str | Path, script: list[Behaviour]) -> Result:
    with ChatServer(script) as server:
        end = ["--model", "m", "--base-url", server.base_url]
        return CliRunner().invoke(command_of("sample"), [*map(str, args), *end])


def test_the_command(tmp_path: Path) -> None:
    """[SAMPLE-CLI]"""
    problems, journal, out = (tmp_path / name for name in ("problems.jsonl", "run.jsonl", "samples.jsonl"))
    problems.write_text(json.dumps({"problem_id": "a", "problem": PROBLEM, "answer": "10"}) + "\n", "utf-8")
    args = (problems, "--n", "2", "-o", journal, "--solutions", out)
    done = potc(*args, script=[GOOD, Status(401)])
    assert done.exit_code == 3 and "ended early: unauthorized" in done.stderr
    assert "m: 1 written, 0 given up, 1 failed" in done.stdout
    done = potc(*args, script=[Answer(GOOD)])
    assert done.exit_code == 0 and "m: 2 written, 0 given up, 0 failed" in done.stdout
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2
    done = potc(problems, "--n", "3", "-o", journal, "--attempts", "1", script=["Ten."])
    assert done.exit_code == 1
    scored = CliRunner().invoke(command_of("score"), [str(out), "--format", "json"])
    assert json.loads(scored.stdout)["groups"][0]["prr"] == 1.0


def test_wrong_calls(tmp_path: Path) -> None:
    """[SAMPLE-CLI]"""
    problems, journal = tmp_path / "problems.jsonl", tmp_path / "run.jsonl"
    problems.write_text('{"answer": 1}\n', encoding="utf-8")
    assert potc(problems, "-o", journal, script=[]).exit_code == 2
    assert potc(problems, "-o", problems, script=[]).exit_code == 2
    shown = tmp_path / "shown.jsonl"
    shown.write_text('{"steps": []}\n', encoding="utf-8")
    done = potc(problems, "-o", journal, "--demonstrations", shown, script=[])
    assert done.exit_code == 2 and "shown.jsonl:1:" in done.stderr


def test_demonstrations_are_shown(tmp_path: Path) -> None:
    """[SAMPLE-CLI] [DAG-PROMPT-3]"""
    problems, shown = tmp_path / "problems.jsonl", tmp_path / "shown.jsonl"
    problems.write_text(json.dumps({"problem": PROBLEM}) + "\n", encoding="utf-8")
    shown.write_text(json.dumps({"problem": "What about Zed?", **json.loads(GOOD)}) + "\n", encoding="utf-8")
    with ChatServer([GOOD]) as server:
        args = [str(problems), "-o", str(tmp_path / "run"), "--demonstrations", str(shown)]
        end = ["--model", "m", "--base-url", server.base_url]
        assert CliRunner().invoke(command_of("sample"), [*args, *end]).exit_code == 0
    assert "What about Zed?" in server.received[0].body["messages"][0]["content"]
