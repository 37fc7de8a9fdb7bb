"""What a results file keeps: replies are paid for once, whatever is decided about them later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chat_server import Answer, ChatServer

from potlang.models.endpoint import Completion, EndpointError, Message, Recorded, Sampling, Usage
from potlang.models.evaluation import (
    AnswerReading,
    Asks,
    Grade,
    LoopOptions,
    Option,
    Question,
    RecordedPrograms,
    SolverSettings,
    Truth,
    WritingModel,
    judge,
    read_results,
    run,
)
from potlang.report.results import Limits, Verdict


def program(*claims: str, facts: Sequence[str] = ()) -> str:
    """A program over one number; its claims are named A, B, C."""
    return json.dumps(
        {
            "constants": {"numbers": {"sort": "Int", "members": ["n"]}},
            "knowledge_base": list(facts),
            "verifications": [{"name": "ABC"[at], "constraint": claim} for at, claim in enumerate(claims)],
        }
    )


TRUE, FALSE = program("n > 1", facts=["n == 3"]), program("n > 1", facts=["n == 0"])
OPEN = program("n > 1")
CLASH = program("n > 1", facts=["n == 3", "n == 4"])
BROKEN = program("m > 1", facts=["n == 3"])


def asked(name: str, answer: Truth | str = Truth.TRUE, **more: Any) -> Question:
    return Question(name, f"The question {name}: is n large?", answer, "f", name, **more)


class Counted:
    """A model that counts its calls, by the question that is asked, and plays replies in their order."""

    name = "counted"

    def __init__(self, replies: Mapping[str, Sequence[str | EndpointError]]) -> None:
        self._replies = replies
        self.calls = Counter[str]()

    def complete(self, messages: Sequence[Message], **settings: Any) -> Completion:
        name = next(each for each in self._replies if f"The question {each}:" in messages[1].text)
        number = self.calls[name]
        self.calls[name] += 1
        reply = self._replies[name][number]
        if isinstance(reply, EndpointError):
            raise reply
        usage = Usage(prompt=100, completion=10, cached=64, reasoning=3)
        return Completion(reply, usage, 0.25, cost=0.002)


REPLIES = {
    "one": [TRUE],
    "repaired": ["No program.", BROKEN, TRUE],
    "clashing": [f"So be it. Done.\n{CLASH}", TRUE],
    "stays": [CLASH, "I stay with it."],
    "open": [OPEN, OPEN],
}
QUESTIONS = [asked(name) for name in REPLIES]


def test_all_that_was_paid_for_is_kept(tmp_path: Path) -> None:
    """[EVAL-KEPT]: messages, replies, programs, tokens, cost, stages, verdicts, votes."""
    path, model = tmp_path / "r.jsonl", Counted(REPLIES)
    found = run(QUESTIONS, WritingModel(model), results=path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    kinds = Counter(each["kind"] for each in lines)
    assert kinds == {"question": 5, "prompt": 1, "sample": 5, "outcome": 5}
    samples = {each["question"]: each["attempts"] for each in lines if each["kind"] == "sample"}
    assert {name: [each["reply"] for each in found] for name, found in samples.items()} == REPLIES
    assert [each["stage"] for each in samples["clashing"]] == ["program", "second look"]
    repaired = samples["repaired"]
    assert [bool(each["problem"]) for each in repaired] == [True, True, False]
    assert repaired[1]["diagnostics"][0]["code"] == "POT2001" and json.loads(repaired[2]["program"])
    assert all(each["messages"][0]["content"] for each in repaired)
    parts = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens", "cost", "seconds")
    assert [repaired[0][name] for name in parts] == [100, 10, 64, 3, 0.002, 0.25]
    (prompt,) = (each["text"] for each in lines if each["kind"] == "prompt")
    assert "verifications" in prompt
    outcome = next(each for each in found.outcomes if each.id == "repaired")
    assert (outcome.used, outcome.made, outcome.calls) == (3, 3, 3)
    assert (outcome.spent.prompt_tokens, outcome.spent.cached_tokens) == (300, 192)
    assert outcome.spent.dollars == pytest.approx(0.006)
    second = {each.id: each.samples[0].second_look for each in found.outcomes}
    assert second == {"one": "", "repaired": "", "clashing": "changed", "stays": "kept", "open": "kept"}


def test_other_limits_call_no_model(tmp_path: Path) -> None:
    """[EVAL-ASKED], [EVAL-RESUME]: nor do another route or trust; the verdicts are found anew."""
    path, model = tmp_path / "r.jsonl", Counted(REPLIES)
    first = run(QUESTIONS, WritingModel(model), results=path)
    calls = Counter(model.calls)
    for settings in (
        SolverSettings(limits=Limits(check_ms=7_000)),
        SolverSettings(route="z3"),
        SolverSettings(trust="best"),
    ):
        again = run(QUESTIONS, WritingModel(model), settings, results=path)
        assert (model.calls, again.reused) == (calls, 0)
        assert [each.claims for each in again.outcomes] == [each.claims for each in first.outcomes]
        assert [each.spent for each in again.outcomes] == [each.spent for each in first.outcomes]
        assert [each.samples for each in again.outcomes] == [each.samples for each in first.outcomes]
    assert run(QUESTIONS, WritingModel(model), results=path).reused == len(QUESTIONS)
    assert model.calls == calls


def test_a_second_look_that_was_not_made_is_not_made_later(tmp_path: Path) -> None:
    """[EVAL-RESUME]: the first program stands; a look that was made counts only if there is still a doubt."""
    path, model = tmp_path / "r.jsonl", Counted({"clashing": [CLASH, TRUE]})
    question = asked("clashing")
    run([question], WritingModel(model), results=path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for each in lines:
        if each["kind"] == "sample":
            del each["attempts"][1]
    kept = [each for each in lines if each["kind"] != "outcome"]
    path.write_text("".join(json.dumps(each) + "\n" for each in kept), "utf-8")
    (outcome,) = run([question], WritingModel(model), results=path).outcomes
    assert model.calls["clashing"] == 2
    assert outcome.claims[0][1].verdict is Verdict.INCONSISTENT


def test_what_is_asked_otherwise_is_asked(tmp_path: Path) -> None:
    """[EVAL-ASKED]"""
    path = tmp_path / "r.jsonl"
    question = asked("one")
    run([question], WritingModel(Counted(REPLIES)), results=path)
    for options, sampling in (
        (LoopOptions(second_look=False), Sampling(tries=3)),
        (LoopOptions(safe_fixes=False), Sampling(tries=3)),
        (LoopOptions(), Sampling(tries=3, temperature=0.5)),
        (LoopOptions(), Sampling(tries=2)),
    ):
        model = Counted(REPLIES)
        run([question], WritingModel(model, sampling, options), results=path)
        assert model.calls["one"] == 1
    model = Counted(REPLIES)
    run([question], WritingModel(model, Sampling(tries=3, timeout=7.0)), results=path)
    run([question._replace(answer=Truth.FALSE, family="g")], WritingModel(model), results=path)
    assert not model.calls
    assert read_results(path).questions["one"].answer is Truth.FALSE


def test_more_programs_ask_for_the_missing_ones(tmp_path: Path) -> None:
    """[EVAL-ASKED], [EVAL-VOTES]"""
    path, question = tmp_path / "r.jsonl", asked("one")
    model = Counted({"one": [TRUE, FALSE, FALSE]})
    (first,) = run([question], WritingModel(model), results=path).outcomes
    assert (model.calls["one"], dict(first.votes)) == (1, {"entailed": 1})
    (second,) = run([question], WritingModel(model, options=LoopOptions(k=3)), results=path).outcomes
    assert (model.calls["one"], dict(second.votes)) == (3, {"refuted": 2, "entailed": 1})
    assert second.claims[0][1][:2] == (Verdict.REFUTED, "UNSAT")
    assert [each.verdict for each in second.samples] == ["entailed", "refuted", "refuted"]


def test_readings_vote_for_themselves() -> None:
    """[EVAL-VOTES]: a tie of verdicts may be no tie of SAT and UNSAT."""
    question = asked("one", asks=Asks.THREE)
    model = Counted({"one": [TRUE, OPEN, FALSE]})
    (found,) = run([question], WritingModel(model, options=LoopOptions(k=3))).outcomes
    assert found.claims[0][1][:2] == (Verdict.UNKNOWN, "SAT")
    assert judge(question, found, AnswerReading.PAPER).status is Grade.RIGHT
    assert judge(question, found, AnswerReading.VERDICT).status is Grade.ABSTAINED


def test_votes_by_option_and_by_verdict() -> None:
    """[EVAL-VOTES]: two choose B, three have the verdict `refuted`."""
    options = tuple(Option(label, label, frozenset({Verdict.ENTAILED})) for label in "AB")
    question = asked("one", "B", options=options)
    choosing = {
        "A": program("n > 1", "n < 1", facts=["n == 3"]),
        "B": program("n > 1", "n < 1", facts=["n == 0"]),
    }
    replies = {"one": [choosing[each] for each in "ABB"]}
    for by_option, votes in ((True, {"B": 2, "A": 1}), (False, {"refuted": 3})):
        model = WritingModel(Counted(replies), options=LoopOptions(k=3, by_option=by_option))
        (found,) = run([question], model).outcomes
        assert dict(found.votes) == votes
        assert judge(question, found, AnswerReading.VERDICT).status is Grade.RIGHT


def test_yes_or_no_has_no_third_answer() -> None:
    """[EVAL-READINGS]"""
    (found,) = run([asked("open")], WritingModel(Counted(REPLIES))).outcomes
    for asks, grade in ((Asks.YES_NO, Grade.ABSTAINED), (Asks.THREE, Grade.WRONG), (None, Grade.WRONG)):
        assert judge(asked("open", asks=asks), found, AnswerReading.VERDICT).status is grade


def test_failed_calls_alone_are_made_again(tmp_path: Path) -> None:
    """[EVAL-RESUME], [EVAL-MODEL]: of three programs the failed one; a refusal is an answer."""
    path, question = tmp_path / "r.jsonl", asked("one")
    options = LoopOptions(k=3)
    model = Counted({"one": [TRUE, EndpointError("server", "down"), TRUE, TRUE]})
    (first,) = run([question], WritingModel(model, options=options), results=path).outcomes
    assert first.failure and model.calls["one"] == 2
    (second,) = run([question], WritingModel(model, options=options), results=path).outcomes
    assert (second.failure, model.calls["one"], dict(second.votes)) == ("", 4, {"entailed": 3})
    model = Counted({"one": [EndpointError("declined", "I will not")]})
    for _ in range(2):
        (refused,) = run([question], WritingModel(model, Sampling(1)), results=path).outcomes
    assert (refused.failure, refused.used, model.calls["one"]) == ("", None, 1)


def test_no_further_question_after_a_wrong_key(tmp_path: Path) -> None:
    """[EVAL-MODEL]: what was kept before is decided all the same."""
    path = tmp_path / "r.jsonl"
    run([asked("one")], WritingModel(Counted(REPLIES)), results=path)
    model = Counted({name: [EndpointError("unauthorized", "no")] for name in REPLIES})
    found = run(QUESTIONS, WritingModel(model), SolverSettings(route="z3"), results=path)
    assert sum(model.calls.values()) == 1
    assert [bool(each.failure) for each in found.outcomes] == [False, True, True, True, True]


@pytest.mark.parametrize("change", ["reply", "seconds", "cost", "prompt_tokens", "failure", "messages"])
def test_samples_that_are_none_are_passed_over(change: str, tmp_path: Path) -> None:
    """[EVAL-RESUME]"""
    path, model = tmp_path / "r.jsonl", Counted({"one": [TRUE, TRUE]})
    run([asked("one")], WritingModel(model), results=path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for each in lines:
        if each["kind"] == "sample":
            each["attempts"][0][change] = -7
    kept = [each for each in lines if each["kind"] != "outcome"]
    path.write_text("".join(json.dumps(each) + "\n" for each in kept), "utf-8")
    found = run([asked("one")], WritingModel(model), results=path)
    assert (found.unreadable, model.calls["one"]) == (1, 2)


FORMER = {
    "made": 1,
    "used": 1,
    "claims": [["A", "entailed", "SAT", None]],
    "errors": [],
    "calls": 2,
    "reasoning_ms": 4.0,
    "verifying_ms": 2.0,
    "failure": "",
}


def test_files_of_the_former_version_are_read(tmp_path: Path) -> None:
    """[EVAL-RESUME]: outcomes without a kind, votes and samples; under the key that they had then."""
    path = tmp_path / "r.jsonl"
    question = asked("one", recorded=(json.loads(FALSE),))
    (fresh,) = run([question], RecordedPrograms()).outcomes
    path.write_text(json.dumps({**FORMER, "id": "one", "key": fresh.key}) + "\n", "utf-8")
    found = run([question], RecordedPrograms(), results=path)
    assert (found.reused, found.unreadable, found.outcomes[0].calls) == (1, 0, 2)
    assert found.outcomes[0].claims[0][1].verdict is Verdict.ENTAILED


# --- killed and gone on with ----------------------------------------------------------------------------


def _reply(body: Mapping[str, Any]) -> Answer:
    """What a model replies about question number n: its programs depend on the messages alone."""
    text = body["messages"][1]["content"]
    number = int(text.split("number ")[1].split(":")[0])
    is_first = len(body["messages"]) == 2
    if number % 3 == 0 and is_first:
        return Answer(BROKEN)
    if number % 4 == 1 and is_first:
        return Answer(CLASH)
    return Answer((TRUE, FALSE, OPEN)[number % 3])


def _timeless(text: str) -> Any:
    families = json.loads(text)["families"]
    for each in families:
        del each["cost"]["reasoning_s"], each["cost"]["verifying_s"]
    return families


def check_killed(tmp_path: Path, count: int, kills: int, seed: int) -> None:
    """[EVAL-RESUME], [EVAL-KEPT]: the same table, and no sample that was kept is asked for again."""
    data, results = tmp_path / "questions.jsonl", tmp_path / "results.jsonl"
    rows = [
        {
            "id": f"q{at}",
            "question": f"Question number {at}: is n large?",
            "answer": at % 2 == 0,
            "family": "f",
        }
        for at in range(count)
    ]
    data.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    random = Random(seed)
    with ChatServer(_reply) as server:
        arguments = (
            "eval",
            data,
            "--model",
            "m",
            "--base-url",
            server.base_url,
            "--jobs",
            2,
            "--model-cache",
            "off",
        )
        command = [sys.executable, "-m", "potlang", *map(str, arguments), "--k", "2"]
        command += ["--format", "json", "--resamples", "20"]
        environment = {**os.environ, "OPENAI_API_KEY": "sk-x"}

        def started(path: Path) -> subprocess.Popen[str]:
            return subprocess.Popen(
                [*command, "--results", str(path)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )

        whole, _ = started(tmp_path / "whole.jsonl").communicate(timeout=240)
        for _ in range(kills):
            begun = len(server.received)
            process = started(results)
            wanted = begun + random.randint(1, 2 + 2 * count // kills)
            while process.poll() is None and len(server.received) < wanted:
                time.sleep(0.002)
            time.sleep(random.random() * 0.05)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kept = _kept(results)
            begun = len(server.received)
        process = started(results)
        last, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors
        again = Counter(
            int(each.body["messages"][1]["content"].split("number ")[1].split(":")[0])
            for each in server.received[begun:]
        )
        assert not {number for number, samples in kept.items() if samples == 2} & again.keys()
    assert _timeless(last) == _timeless(whole)


def _kept(path: Path) -> Counter[int]:
    """How many whole samples of each question a results file has."""
    kept = Counter[int]()
    for line in path.read_bytes().split(b"\n") if path.exists() else ():
        if line.startswith(b'{"kind": "sample"') and line.endswith(b"}"):
            value = json.loads(line)
            kept[int(value["question"][1:])] += 1
    return kept


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_killed_once(tmp_path: Path) -> None:
    """[EVAL-RESUME]"""
    check_killed(tmp_path, 4, 1, 7)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_killed_ten_times(tmp_path: Path) -> None:
    """[EVAL-RESUME]"""
    check_killed(tmp_path, 12, 10, 3)


def test_a_recorded_model_may_be_evaluated() -> None:
    """[EVAL-MODEL]: anything that completes conversations."""
    (found,) = run([asked("one")], WritingModel(Recorded([TRUE]))).outcomes
    assert found.claims[0][1].verdict is Verdict.ENTAILED


def test_a_strategy_is_kept_and_decided_anew(tmp_path: Path) -> None:
    """[EVAL-ASKED], [EVAL-RESUME]: criticism and rewriting too; another strategy is asked."""
    path, question = tmp_path / "r.jsonl", asked("one")
    refine = LoopOptions(strategy="self-refine", second_look=False)
    criticism = json.dumps({"findings": ["The number is not as stated."], "verdict": "wrong"})
    model = Counted({"one": [FALSE, criticism, TRUE, criticism, TRUE, *["No."] * 9]})
    (first,) = run([question], WritingModel(model, options=refine), results=path).outcomes
    calls = model.calls["one"]
    settings = SolverSettings(route="z3")
    (again,) = run([question], WritingModel(model, options=refine), settings, results=path).outcomes
    assert model.calls["one"] == calls and calls > 1
    assert (again.claims, again.samples, again.spent) == (first.claims, first.samples, first.spent)
    run([question], WritingModel(model), results=path)
    assert model.calls["one"] > calls
