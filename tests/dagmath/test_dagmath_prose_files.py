"""Solutions in prose wherever a solution is read: files, standard input, messages ([DAG-PROSE-FILES])."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import potlang
from potlang.cli.commands import command_of
from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.read.prose import from_prose
from potlang.languages.dagmath.results import SolutionVerdict

TEXT = (
    "Tom has 12 eggs, and he buys 3 boxes with 6 eggs.\n"
    "So he buys 3 * 6 = 18 eggs. Then he has 12 + 18 = 30 eggs.\n\n"
    "The final answer is \\boxed{30}.\n"
)
PARENTS = [None, (1,), (1, 2), (3,)]


@pytest.mark.parametrize("suffix", ["txt", "md"])
def test_files(tmp_path: Path, suffix: str) -> None:
    """[DAG-PROSE-FILES]: each command reads it; the report shows how sure each link is."""
    path = tmp_path / f"solution.{suffix}"
    path.write_text(TEXT, encoding="utf-8")
    found = from_prose(TEXT)
    assert found.solution is not None and [step.parents for step in found.solution.steps] == PARENTS

    def run(command: str, *arguments: str, text: str | None = None) -> Result:
        return CliRunner().invoke(command_of(command), arguments, input=text)

    shown = run("verify", str(path))
    for link in found.links:
        assert f"{link.parent} ({link.confidence})" in shown.output
    assert "POT7035" in run("check", str(path)).output
    assert "high)" in run("view", str(path)).output
    assert run("check", str(path)).exit_code == 0
    scored = json.loads(run("score", str(path), "--format", "json").stdout)
    assert scored == json.loads(run("score", "-", "--format", "json", text=TEXT).stdout)
    assert "POT7035" in run("check", "-", text=TEXT).output


def test_the_report() -> None:
    """[DAG-PROSE-FILES] [DAG-LINKS]: JSON has the links, with their reasons; each step has its line."""
    report = potlang.verify(TEXT)
    steps = report.to_dict()["steps"]
    links = [(step["id"], link["parent"], link["confidence"]) for step in steps for link in step["links"]]
    assert links == [(each.step, each.parent, each.confidence) for each in from_prose(TEXT).links]
    assert [step["line"] for step in steps] == [1, 2, 2, 4]
    assert [each.code for each in report.diagnostics] == ["POT7035"]


def test_messages() -> None:
    """[DAG-PROSE-FILES]: a message, and a chat, whose question is the problem."""
    message = {"role": "assistant", "content": TEXT}
    chat = [{"role": "user", "content": "How many eggs has Tom?"}, message]
    for source in (message, chat, json.dumps(message), json.dumps(chat).encode()):
        found = check(source)
        assert found.solution is not None
        assert [step.parents for step in found.solution.steps] == PARENTS
        assert found.solution.problem == ("How many eggs has Tom?" if "How many" in str(source) else None)


def test_a_wrong_one() -> None:
    """[DAG-PROSE-FILES]: what it claims is checked."""
    report = potlang.verify(TEXT.replace("= 18", "= 19"))
    assert report.verdict is SolutionVerdict.REFUTED


def test_a_line_of_samples_is_never_prose(tmp_path: Path) -> None:
    """[DAG-PROSE-FILES]: a bad line of JSON Lines stays one."""
    path = tmp_path / "samples.jsonl"
    path.write_text("So he has 3 * 6 = 18 eggs.\n", encoding="utf-8")
    assert potlang.dagmath.score(path).malformed == 1
    stream = io.BufferedReader(io.BytesIO(b'so we have x = 3\n{"steps": []}\n'))
    assert potlang.dagmath.score(stream).malformed == 2
