"""The page on a question of a results file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_llm_eval_kept import FALSE, REPLIES, TRUE, Counted, asked

from potlang.cli.commands import command_of
from potlang.models.baselines import AnsweringModel
from potlang.models.evaluation import LoopOptions, Option, RecordedPrograms, Truth, WritingModel, run
from potlang.models.evaluation.question_transcript import question_transcript
from potlang.models.loop.transcripts import BadTranscript
from potlang.report.results import Verdict

VOTING = {"vote": [TRUE, "No.", FALSE, FALSE]}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results file of several runs: programs, one of three that vote, an answer in prose."""
    path = tmp_path_factory.mktemp("results") / "r.jsonl"
    run([asked(name) for name in REPLIES], WritingModel(Counted(REPLIES)), results=path)
    run([asked("vote", Truth.FALSE)], WritingModel(Counted(VOTING), options=LoopOptions(k=3)), results=path)
    prose = AnsweringModel(Counted({"prose": ["I think so. Answer: yes"]}), "cot")
    run([asked("prose", Truth.FALSE)], prose, results=path)
    return path


def potc(*args: str | Path) -> Result:
    return CliRunner().invoke(command_of("view"), [*map(str, args)])


def test_all_of_a_question(results: Path) -> None:
    """[VIEW-QUESTION]"""
    found = question_transcript(results, "clashing")
    assert [each.stage for each in found.attempts] == ["program", "second look"]
    assert (found.written, found.verdict, found.chosen, found.model) == ("program", "entailed", 0, "counted")
    assert found.question == "The question clashing: is n large?" and "verifications" in found.system
    assert found.samples[0].written == TRUE and found.samples[0].findings[0].verdict == "entailed"
    assert found.expected == "The right answer is true; the run is right."


def test_the_program_that_stands(results: Path) -> None:
    """[VIEW-QUESTION]: not that of a second look that was no better."""
    kept = question_transcript(results, "stays")
    assert kept.samples[0].written == REPLIES["stays"][0] and kept.verdict == "inconsistent"
    found = question_transcript(results, "vote")
    assert [each.verdict for each in found.samples] == ["entailed", "refuted", "refuted"]
    assert (found.chosen, [each.votes for each in found.votes]) == (1, [2, 1])
    assert found.samples[1].written == FALSE and not found.samples[0].findings


def test_an_answer_in_prose(results: Path) -> None:
    """[VIEW-QUESTION]: of a baseline, which was told nothing of programs."""
    found = question_transcript(results, "prose")
    assert (found.written, found.verdict, found.system) == ("answer", "entailed", "")
    assert found.expected == "The right answer is false; the run is wrong."


def test_options_and_fewer_programs_than_before(tmp_path: Path) -> None:
    """[VIEW-QUESTION]: those that voted last."""
    path = tmp_path / "r.jsonl"
    options = (
        Option("yes", "A", frozenset({Verdict.ENTAILED})),
        Option("no", "B", frozenset({Verdict.ENTAILED})),
    )
    question = asked("one", "no", options=options)
    both = json.loads(TRUE)
    both["verifications"].append({"name": "B", "constraint": "n < 1"})
    model = Counted({"one": [json.dumps(both)] * 2})
    for k in (2, 1):
        run([question], WritingModel(model, options=LoopOptions(k=k)), results=path)
    found = question_transcript(path, "one")
    assert (found.answer, len(found.samples), model.calls["one"]) == ("yes", 1, 2)
    assert found.expected == "The right answer is no; the run is wrong."


def test_the_command(results: Path, tmp_path: Path) -> None:
    """[VIEW-QUESTION]: a page, or a usage error or the reason with exit code 2."""
    page = tmp_path / "page.html"
    for name in (*REPLIES, "vote", "prose"):
        assert potc(results, "--question", name, "-o", page).exit_code == 0
        assert f"The question {name}: is n large?" in page.read_text("utf-8")
    for args, said in (
        ([results, "--question", "voted"], "did you mean `vote`?"),
        ([results, "--question", "0" * 20], "among `one`, `repaired`"),
        ([results, "--question", "one", "--to", "svg"], "a page and no drawing"),
        ([results, "--question", "one", "--topos"], "only a trace"),
        ([results], "name a question by --question"),
        ([tmp_path / "no.jsonl", "--question", "one"], "cannot read"),
    ):
        done = potc(*args)
        assert done.exit_code == 2 and said in done.stderr, done.stderr


def test_what_has_no_replies(tmp_path: Path) -> None:
    """[VIEW-QUESTION]"""
    path = tmp_path / "r.jsonl"
    run([asked("one", recorded=(json.loads(TRUE),))], RecordedPrograms(), results=path)
    with pytest.raises(BadTranscript, match="no model was asked"):
        question_transcript(path, "one")
    path.write_bytes(b'[1]\n{"kind": "sample", "question": "one"}\n\xff\n{"kind": "prompt"}\n{}\n')
    with pytest.raises(BadTranscript, match="among none"):
        question_transcript(path, "one")


def test_files_of_a_former_form(results: Path, tmp_path: Path) -> None:
    """[VIEW-QUESTION]: without the text of questions, the chosen sample and what belongs to which prompt."""
    path = tmp_path / "r.jsonl"
    lines = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    for each in lines:
        for name in ("text", "chosen", "prompt"):
            each.pop(name, None) if each["kind"] != "prompt" else None
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    found = question_transcript(path, "vote")
    assert (found.question, found.chosen, found.system) == ("vote", None, "")
    assert found.verdict == "unknown" and question_transcript(path, "one").verdict == "entailed"
