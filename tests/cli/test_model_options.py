"""The options of commands that ask models: provider, cache, prices, budget."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Behaviour, ChatServer, CutOff, Status

import potlang
from potlang.models.endpoint import Endpoint, Recorded, user
from potlang.models.endpoint.model import Completion, EndpointError

GOOD = '{"verifications": [{"name": "c", "constraint": "3 < 5"}]}'
QUESTION = "Is 3 less than 5?"


def potc(*args: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command, with nothing of a model in its environment but what is given."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI", "AZURE", "ANTHROPIC")) and "proxy" not in name.lower()
    }
    return subprocess.run(
        [sys.executable, "-m", "potlang", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**kept, "NO_COLOR": "1", **environment},
        check=False,
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.jsonl"
    lines = [{"id": str(at), "question": f"{QUESTION} ({at})", "answer": True} for at in range(3)]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def _evaluated(data: Path, server: ChatServer, *more: str | Path) -> subprocess.CompletedProcess[str]:
    model = ("--model", "m", "--base-url", server.base_url)
    return potc("eval", data, "--format", "json", "--resamples", "0", *model, *more)


@pytest.mark.slow
def test_a_second_evaluation_asks_nobody(data: Path, tmp_path: Path) -> None:
    """[ENDPOINT-CLI] [ENDPOINT-CACHE]: also with other limits; with `off` it asks again."""
    cache = tmp_path / "replies.sqlite3"
    with ChatServer(lambda body: Answer(GOOD)) as server:
        first = _evaluated(data, server, "--model-cache", cache)
        assert first.returncode == 0, first.stderr
        assert len(server.received) == 3
        again = _evaluated(data, server, "--model-cache", cache, "--timeout", "3")
        assert (again.returncode, len(server.received)) == (0, 3)
        assert "3 of 3 replies are from the model cache, with 33 + 15 tokens" in again.stderr
        families = [json.loads(each.stdout)["families"][-1] for each in (first, again)]
        assert families[0]["verdict"] == families[1]["verdict"]
        _evaluated(data, server, "--model-cache", "off")
        assert len(server.received) == 6


def test_the_cache_of_evaluations_is_in_the_users_directory(data: Path, tmp_path: Path) -> None:
    """[ENDPOINT-CLI]: a damaged one costs a note."""
    with ChatServer(lambda body: Answer(GOOD)) as server:
        model = ("--model", "m", "--base-url", server.base_url)
        arguments = ("eval", data, "--format", "json", "--resamples", "0", *model)
        place = {"POTLANG_MODEL_CACHE": str(tmp_path / "cache")}
        assert potc(*arguments, **place).returncode == 0
        file = tmp_path / "cache" / "replies.sqlite3"
        file.write_bytes(b"x" * 10_000)
        done = potc(*arguments, **place)
        assert done.returncode == 0 and "set aside" in done.stderr
        assert len(server.received) == 6


def test_an_evaluation_by_a_baseline(data: Path) -> None:
    """[LOOP-BASELINE-EVAL]: answers in prose, in the same tables."""
    with ChatServer(lambda body: "It has none.\nAnswer: no") as server:
        done = _evaluated(data, server, "--reasoning", "cot", "--format", "json", "--resamples", "0")
    (family,) = json.loads(done.stdout)["families"]
    assert done.returncode == 0 and family["compiled"] == family["questions"] == len(server.received)


def test_a_budget_ends_the_evaluation(data: Path, tmp_path: Path) -> None:
    """[ENDPOINT-CLI] [ENDPOINT-BUDGET]: with what was answered by then, exit code 3, and the reason."""
    results = tmp_path / "results.jsonl"
    off = ("--model-cache", "off", "--results", results)
    with ChatServer(lambda body: Answer(GOOD, prompt_tokens=4_000, completion_tokens=40)) as server:
        done = _evaluated(data, server, "--budget-tokens", "6000", *off)
    assert done.returncode == 3 and len(server.received) == 1
    assert "spent of the budget: 4040 tokens" in done.stderr
    lines = [json.loads(each) for each in results.read_text().splitlines()]
    outcomes = [each for each in lines if each["kind"] == "outcome"]
    assert len(outcomes) == 3 and "budget" in json.dumps(outcomes[1:])


def test_a_budget_of_dollars(tmp_path: Path) -> None:
    """[ENDPOINT-CLI] [ENDPOINT-PRICE]."""
    prices = tmp_path / "prices.json"
    prices.write_text('{"m": [1000, 1000]}')
    with ChatServer(lambda body: Answer("prose", prompt_tokens=4_000, completion_tokens=40)) as server:
        place = ("--model", "m", "--base-url", server.base_url)
        done = potc("reason", QUESTION, *place, "--price", prices, "--budget-dollars", "6")
    assert done.returncode == 3 and len(server.received) == 1
    assert "budget" in done.stdout and "$4.0400" in done.stderr


@pytest.mark.parametrize(
    "wrong",
    [("--price", "1"), ("--price", "none.json"), ("--budget-tokens", "0"), ("--provider", "azure")],
    ids=str,
)
def test_wrong_options_are_usage_errors(wrong: tuple[str, str]) -> None:
    """[ENDPOINT-CLI]."""
    done = potc("reason", QUESTION, "--model", "m", *wrong)
    assert done.returncode == 2 and "Traceback" not in done.stderr and "rror" in done.stderr


def test_a_provider_is_chosen_and_what_it_refuses_is_said() -> None:
    """[ENDPOINT-CLI] [ENDPOINT-ENV] [ENDPOINT-NOTES]."""
    with ChatServer(lambda body: Answer(GOOD, model="tiny"), refuses=["temperature"]) as server:
        environment = {"ANTHROPIC_API_KEY": "sk-ant-a-long-key", "ANTHROPIC_BASE_URL": server.root}
        done = potc("reason", QUESTION, "--model", "m-large", "--temperature", "0.5", **environment)
    assert done.returncode == 0, done.stderr
    assert server.received[0].path == "/v1/messages"
    assert "asked without" in done.stderr and "tiny answered" in done.stderr
    assert "sk-ant" not in done.stdout + done.stderr


# --- what was paid for is among the attempts ----------------------------------------------------------


def _reasoned(script: Any, **options: Any) -> Any:
    with ChatServer(script) as server, Endpoint(model="m", base_url=server.base_url, timeout=20.0) as model:
        return potlang.reason(QUESTION, model, **options)


def test_what_came_of_a_reply_that_broke_off_is_in_the_transcript() -> None:
    """[ENDPOINT-KEPT]: its text and its reason, and the next attempt's program is the answer."""
    found = _reasoned([CutOff("x" * 6_000, 5_000), GOOD])
    assert found.verdict == "entailed"
    assert [(each.failure, len(each.reply)) for each in found.attempts] == [
        ("cut off", 5_000),
        (None, len(GOOD)),
    ]


def test_what_another_try_took_the_place_of_is_in_the_transcript() -> None:
    """[ENDPOINT-KEPT]."""
    broken = Completion("so far", finish_reason="server")
    model = Recorded([Completion(GOOD, broken=(broken,))])
    found = potlang.reason(QUESTION, model)
    assert [each.reply for each in found.attempts] == ["so far", GOOD]
    assert "server" in found.attempts[0].problem and found.verdict == "entailed"


def test_a_question_that_is_too_long_is_asked_once() -> None:
    """[ENDPOINT-ERROR] [LOOP-FAILURE]."""
    too_long = Status(400, "too many", error={"code": "context_length_exceeded"})
    found = _reasoned([too_long] * 5)
    assert found.failure == "too long" and len(found.attempts) == 1


def test_several_samples_pay_for_a_refused_parameter_once() -> None:
    """[ENDPOINT-REFUSED]: the loop does not notice."""

    def script(body: Mapping[str, Any]) -> Behaviour:
        if "response_format" in body:
            return Status(400, "response_format is not supported", error={"param": "response_format"})
        return GOOD

    with ChatServer(script) as server, Endpoint(model="m", base_url=server.base_url) as model:
        found = potlang.reason(QUESTION, model, k=3)
    assert found.votes == {"entailed": 3} and len(server.received) == 4


def test_a_budget_keeps_the_attempts() -> None:
    """[ENDPOINT-BUDGET] [LOOP-FAILURE]."""
    model = Recorded(["prose", EndpointError("budget", "all of it")])
    found = potlang.reason(QUESTION, model)
    assert (found.failure, len(found.attempts)) == ("budget", 2) and "budget" in found.reason
    assert model.asked[0].messages[-1] != user("")
