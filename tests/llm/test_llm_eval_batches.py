"""Evaluations by the batch interfaces: a batch for each round of requests, none paid for twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from chat_server import Status
from test_llm_eval_kept import REPLIES, TRUE, Counted, asked

from potlang.models.baselines import AnsweringModel, SearchBounds
from potlang.models.endpoint import Endpoint, MeteredModel, ModelBudget, Prices, Sampling
from potlang.models.endpoint.cached import CachedModel
from potlang.models.endpoint.metered import Price
from potlang.models.evaluation import LoopOptions, Question, Run, SolverSettings, WritingModel, run
from potlang.models.loop import batched
from potlang.models.loop.batched import AwaitsBatch, BatchedModel
from potlang.report.results import Interrupted, Limits, Verdict

QUESTIONS = [asked(name) for name in REPLIES]
ROUNDS = [5, 4, 1]
"""The questions of which a first, a second and a third reply is asked for."""
_PLAIN, _THREE = LoopOptions(), Sampling(3)
Replies = Mapping[str, Sequence[Any]]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batched.time, "sleep", lambda seconds: None)


class Played:
    """Plays the replies to each question in their order; one more than there are is an error."""

    def __init__(self, replies: Replies) -> None:
        self._replies = replies
        self.calls = Counter[str]()

    def __call__(self, body: Mapping[str, Any]) -> Any:
        text = json.dumps(body["messages"])
        name = next(each for each in self._replies if f"The question {each}:" in text)
        self.calls[name] += 1
        return self._replies[name][self.calls[name] - 1]


def _endpoint(server: BatchServer, provider: Any = "openai") -> Endpoint:
    url = server.root if provider == "anthropic" else f"{server.root}/v1"
    return Endpoint(model="m", base_url=url, provider=provider)


def _batched(server: BatchServer, provider: Any = "openai", told: Any = lambda line: None) -> BatchedModel:
    return BatchedModel(_endpoint(server, provider), told, every=0.01)


def _run(
    model: BatchedModel,
    path: Path | None = None,
    questions: Sequence[Question] = QUESTIONS,
    options: LoopOptions = _PLAIN,
    sampling: Sampling = _THREE,
    **more: Any,
) -> Run:
    with model:
        reasoner = WritingModel(model, sampling, options, place=model.place)
        return run(questions, reasoner, results=path, batches=model, **more)


def _decided(found: Run) -> list[Any]:
    return [(each.id, each.used, each.claims, each.samples, each.failure) for each in found.outcomes]


@pytest.mark.parametrize(("provider", "jobs"), [("openai", 1), ("anthropic", 4)])
def test_a_round_of_requests_is_a_batch(provider: Any, jobs: int, tmp_path: Path) -> None:
    """[EVAL-BATCH]: repairs and second looks are the next ones; the outcomes are those of single calls."""
    single = run(QUESTIONS, WritingModel(Counted(REPLIES), Sampling(3)))
    with BatchServer(Played(REPLIES)) as server:
        found = _run(_batched(server, provider), tmp_path / "r.jsonl", jobs=jobs)
        again = _run(_batched(server, provider), tmp_path / "r.jsonl", jobs=jobs)
    assert _decided(found) == _decided(single)
    assert [len(each) for each in server.batches] == ROUNDS
    assert again.reused == len(QUESTIONS)
    spent = {each.id: each.spent for each in found.outcomes}
    assert (spent["repaired"].calls, spent["repaired"].prompt_tokens) == (3, 33)


def test_first_requests_for_all_programs_are_one_batch() -> None:
    """[EVAL-BATCH]: of each question as many as vote."""
    with BatchServer(Played({"one": [TRUE] * 3, "two": [TRUE] * 3})) as server:
        found = _run(_batched(server), questions=[asked("one"), asked("two")], options=LoopOptions(k=3))
    assert [len(each) for each in server.batches] == [6]
    assert [dict(each.votes) for each in found.outcomes] == [{"entailed": 3}] * 2


def test_chains_that_vote_are_one_batch(tmp_path: Path) -> None:
    """[EVAL-BATCH]: baselines, too."""
    with BatchServer(Played({"one": ["Answer: yes", "No answer.", "Answer: no", "Answer: yes"]})) as server:
        model = _batched(server)
        reasoner = AnsweringModel(model, "cot-sc", bounds=SearchBounds(k=3), place=model.place)
        found = run([asked("one")], reasoner, results=tmp_path / "r.jsonl", batches=model)
        model.close()
    assert [len(each) for each in server.batches] == [3, 1]
    assert dict(found.outcomes[0].votes) == {"true": 2, "false": 1}


class Stopped:
    """Interrupts a run at the line with this number that it tells of its batches."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, line: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def check_interrupted(provider: Any, stops: Sequence[int], tmp_path: Path) -> None:
    """[EVAL-BATCH]: behind the lines of these numbers, of the nine that are told of the three batches."""
    with BatchServer(Played(REPLIES)) as server:
        whole = _run(_batched(server, provider))
    for at in stops:
        path = tmp_path / f"r{at}.jsonl"
        # A reply to a request that was made before would be one more than there are.
        with BatchServer(Played(REPLIES), polls=1) as server:
            with pytest.raises(Interrupted):
                _run(_batched(server, provider, Stopped(at)), path)
            assert [len(each) for each in server.batches] == ROUNDS[: at // 3 + 1]
            found = _run(_batched(server, provider), path)
            assert [len(each) for each in server.batches] == ROUNDS
        assert _decided(found) == _decided(whole)


def test_interrupted_nothing_is_handed_in_twice(tmp_path: Path) -> None:
    """[EVAL-BATCH]"""
    check_interrupted("openai", [3], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_interrupted_anywhere_nothing_is_handed_in_twice(provider: Any, tmp_path: Path) -> None:
    """[EVAL-BATCH]"""
    check_interrupted(provider, range(9), tmp_path)


def test_interrupted_among_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[EVAL-BATCH]: those that came are kept, and the others still had."""
    path = tmp_path / "r.jsonl"
    real: Any = BatchedModel._take
    taken: list[str] = []

    def take(self: BatchedModel, name: str, *rest: Any) -> None:
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(name)
        real(self, name, *rest)

    with BatchServer(Played(REPLIES)) as server:
        with monkeypatch.context() as patched, pytest.raises(Interrupted):
            patched.setattr(BatchedModel, "_take", take)
            _run(_batched(server), path)
        found = _run(_batched(server), path)
    assert [len(each) for each in server.batches] == ROUNDS
    assert not any(each.failure for each in found.outcomes)
    kinds = Counter(json.loads(line)["kind"] for line in path.read_text("utf-8").splitlines())
    assert (kinds["batch"], kinds["reply"], kinds["sample"]) == (3, sum(ROUNDS), 5)


def test_a_request_that_fails_is_its_questions_failed_call(tmp_path: Path) -> None:
    """[EVAL-BATCH]: the others have their programs, and the next run asks for that one alone."""
    path = tmp_path / "r.jsonl"
    busy = Status(500, "busy")
    with BatchServer(Played({**REPLIES, "one": [busy, TRUE]})) as server:
        first = _run(_batched(server), path)
        assert {each.id: bool(each.failure) for each in first.outcomes} == {
            name: name == "one" for name in REPLIES
        }
        second = _run(_batched(server), path)
        assert not any(each.failure for each in second.outcomes)
        assert [len(each) for each in server.batches] == [*ROUNDS, 1]


def test_what_a_batch_does_not_do_in_time(tmp_path: Path) -> None:
    """[EVAL-BATCH]"""
    path = tmp_path / "r.jsonl"
    late = Played({name: [TRUE] for name in REPLIES})
    some = BatchServer(lambda body: None if "question open" in str(body) else late(body), ends="expired")
    with some as server:
        found = _run(_batched(server), path)
        failures = {each.id: each.failure for each in found.outcomes}
        assert "expired" in failures.pop("open") and not any(failures.values())
        server.outcomes, server.ends = late, "completed"
        assert not any(each.failure for each in _run(_batched(server), path).outcomes)
        assert [len(each) for each in server.batches] == [5, 1]


def test_a_batch_that_is_not_accepted_or_not_known(tmp_path: Path) -> None:
    """[EVAL-BATCH]: says so, and all is asked again by the next run."""
    path = tmp_path / "r.jsonl"
    with BatchServer(Played({name: [TRUE] * 2 for name in REPLIES}), failed="too many tokens") as server:
        found = _run(_batched(server), path)
        assert all("too many tokens" in each.failure for each in found.outcomes)
        server.failed = ""
        assert not any(each.failure for each in _run(_batched(server), path).outcomes)
        assert [len(each) for each in server.batches] == [5, 5]
    path.unlink()
    with BatchServer(Played({name: [TRUE] * 2 for name in REPLIES}), polls=9) as server:
        with pytest.raises(Interrupted):
            _run(_batched(server, told=Stopped(1)), path)
        # A new server knows nothing of it.
        server.batches.clear()
        found = _run(_batched(server), path)
        assert all("has no batch" in each.failure for each in found.outcomes) and not server.batches
        server.polls = 0
        assert not any(each.failure for each in _run(_batched(server), path).outcomes)


def test_an_endpoint_that_is_gone_while_a_batch_runs(tmp_path: Path) -> None:
    """[EVAL-BATCH]: ends the run; the next one has the replies."""
    path = tmp_path / "r.jsonl"
    with BatchServer(Played({name: [TRUE] for name in REPLIES})) as server:
        server.fails = []

        lines: list[str] = []

        def told(line: str) -> None:
            lines.append(line)
            server.fails = [401] * 9

        found = _run(_batched(server, told=told), path)
        assert all(each.failure for each in found.outcomes)
        assert lines[-1].startswith("nothing more is asked: unauthorized: ")
        server.fails = []
        assert not any(each.failure for each in _run(_batched(server), path).outcomes)
        assert [len(each) for each in server.batches] == [5]


def test_a_refused_part_of_requests_is_left_out_of_the_next_batch(tmp_path: Path) -> None:
    """[EVAL-BATCH]: where the endpoint names it, and it costs no attempt."""

    def outcome(body: Mapping[str, Any]) -> Any:
        if "temperature" in body:
            return Status(400, "Unsupported value: temperature", error={"param": "temperature"})
        return TRUE

    with BatchServer(outcome) as server:
        found = _run(_batched(server), tmp_path / "r.jsonl", sampling=Sampling(1, temperature=0.5))
    assert [each.used for each in found.outcomes] == [1] * 5
    assert [len(each) for each in server.batches] == [5, 5]


def test_no_schema_for_an_endpoint_that_takes_none() -> None:
    """[EVAL-BATCH]: a request that is refused with a schema is made without it in the next batch."""

    def outcome(body: Mapping[str, Any]) -> Any:
        return Status(400, "I do not like this") if "response_format" in body else TRUE

    with BatchServer(outcome) as server:
        found = _run(_batched(server), sampling=Sampling(1))
    assert all(each.claims and not each.failure for each in found.outcomes)
    assert [len(each) for each in server.batches] == [5, 5]


def test_replies_in_the_cache_are_in_no_batch(tmp_path: Path) -> None:
    """[EVAL-BATCH]: those of a batch are kept there, each sample for itself."""
    cache = tmp_path / "replies.sqlite3"
    replies = {"one": [TRUE, "No program.", TRUE], "two": [TRUE, TRUE]}
    questions, options = [asked("one"), asked("two")], LoopOptions(k=2)
    with BatchServer(Played(replies)) as server:
        runs = []
        for name in ("a.jsonl", "b.jsonl"):
            model = BatchedModel(CachedModel(_endpoint(server), cache), every=0.01)
            runs.append(_run(model, tmp_path / name, questions, options))
    assert [len(each) for each in server.batches] == [4, 1]
    assert _decided(runs[0]) == _decided(runs[1])


def test_a_budget_is_for_all_requests_of_a_batch(tmp_path: Path) -> None:
    """[EVAL-BATCH]: those without room are not handed in; what it cost is counted once it has ended."""
    path = tmp_path / "r.jsonl"
    with BatchServer(Played({name: [TRUE] for name in REPLIES})) as server:
        budget = ModelBudget(tokens=10_000)
        metered = MeteredModel(_endpoint(server), Prices({"*": Price(1, 2)}), budget)
        model = BatchedModel(metered, every=0.01)
        found = _run(model, path)
        failed = [each.id for each in found.outcomes if "budget" in each.failure]
        (batch,) = server.batches
        assert 0 < len(batch) == 5 - len(failed) < 5
        spent = [each.spent for each in found.outcomes if each.id not in failed]
        counts = [(each.prompt_tokens or 0) + (each.completion_tokens or 0) for each in spent]
        assert 0 < budget.spent.tokens == sum(counts)
        assert sum(each.dollars or 0 for each in spent) == pytest.approx(budget.spent.dollars)
        assert not any(each.failure for each in _run(_batched(server), path).outcomes)
        assert sum(map(len, server.batches)) == 5


def test_other_limits_need_no_batch(tmp_path: Path) -> None:
    """[EVAL-ASKED]: nor does what is decided anew."""
    path = tmp_path / "r.jsonl"
    with BatchServer(Played(REPLIES)) as server:
        _run(_batched(server), path)
        again = _run(_batched(server), path, settings=SolverSettings(limits=Limits(check_ms=7_000)))
        assert [len(each) for each in server.batches] == ROUNDS
    assert again.outcomes[0].claims[0][1].verdict is Verdict.ENTAILED


def test_lines_that_are_no_batch_are_passed_over(tmp_path: Path) -> None:
    """[EVAL-RESUME]"""
    path = tmp_path / "r.jsonl"
    with BatchServer(Played(REPLIES)) as server:
        _run(_batched(server), path)
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for each in lines:
            if each["kind"] == "batch":
                each["requests"] = "all"
            if each["kind"] == "reply":
                each["completion"]["text"] = 7
        path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
        found = _run(_batched(server), path)
    assert (found.unreadable, found.reused) == (3 + sum(ROUNDS), 5)


def test_whoever_asks_has_to_wait() -> None:
    """[EVAL-BATCH]: and nobody else can be asked in batches."""
    with BatchServer([]) as server, _batched(server) as model, pytest.raises(ValueError, match="record"):
        model.complete([])
    with pytest.raises(ValueError, match="endpoint"):
        BatchedModel(Counted({}))
    assert issubclass(AwaitsBatch, Exception)


# --- the command --------------------------------------------------------------------------------------


def _potc(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", "eval", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_killed_while_the_batch_runs(tmp_path: Path) -> None:
    """[EVAL-BATCH]: the same command goes on with it, and prints the table of an uninterrupted run."""
    data, results = tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    rows = [
        {"id": n, "question": f"The question {n}: is n large?", "answer": True, "family": "f"}
        for n in REPLIES
    ]
    data.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    more = (
        "--batch-api",
        "--results",
        results,
        "--model-cache",
        "off",
        "--format",
        "json",
        "--resamples",
        "9",
    )
    with BatchServer(Played(REPLIES), polls=10_000) as server:
        arguments = [str(each) for each in (data, "--model", "m", "--base-url", f"{server.root}/v1", *more)]
        command = [sys.executable, "-m", "potlang", "eval", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not any(each == "GET /v1/batches/batch_1" for each in server.calls) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        server.polls = 0
        done = _potc(*arguments)
        assert [len(each) for each in server.batches] == ROUNDS
    assert done.returncode == 0, done.stderr
    assert "batch_1: completed" in done.stderr and "5 of 5 questions, 10 calls" in done.stderr
    assert json.loads(done.stdout)["families"][-1]["questions"] == 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "needs --results"),
        (("--results", "r.jsonl", "--provider", "azure", "--base-url", "https://x.openai.azure.com?api-version=1"),
         "Azure"),
    ],
)  # fmt: skip
def test_where_there_are_no_batches(options: Sequence[str], said: str, tmp_path: Path) -> None:
    """[EVAL-BATCH]: a usage error with the reason, before anything is asked."""
    data = tmp_path / "q.jsonl"
    data.write_text(json.dumps({"id": "a", "question": "?", "answer": True, "family": "f"}) + "\n", "utf-8")
    done = _potc(data, "--model", "m", "--batch-api", *options)
    assert done.returncode == 2 and said in done.stderr
