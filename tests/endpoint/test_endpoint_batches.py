"""Batches against a server that has both interfaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from chat_server import Answer, Status

from potlang.models.endpoint import Endpoint, EndpointError, Image, batches, user
from potlang.models.endpoint.batches import Batches, BatchRequest

STRICT = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
REQUESTS = [BatchRequest([user(each)], {"max_tokens": 9}) for each in ("a", "b", "c")]


@pytest.fixture(params=["openai", "anthropic"])
def provider(request: pytest.FixtureRequest) -> Any:
    """Each provider that has batches."""
    return request.param


def _endpoint(server: BatchServer, provider: Any) -> Endpoint:
    url = server.root if provider == "anthropic" else f"{server.root}/v1"
    return Endpoint(model="m", base_url=url, provider=provider)


def _all(
    server: BatchServer, provider: Any, requests: list[BatchRequest] = REQUESTS, **options: Any
) -> dict[int, Any]:
    with _endpoint(server, provider) as endpoint:
        found = list(Batches(endpoint).complete_many(requests, every=0.01, **options))
    assert len(found) == len(dict(found))
    return dict(found)


def test_each_request_has_its_result(provider: Any) -> None:
    """[ENDPOINT-BATCH]: whatever the order in which they come back."""
    with BatchServer(["one", Answer("two", "length", cached=3), "three"], polls=3) as server:
        found = _all(server, provider)
    assert [found[at].text for at in range(3)] == ["one", "two", "three"]
    assert (found[1].finish_reason, found[1].usage.cached, found[1].usage.prompt) == ("length", 3, 11)
    body = server.requests[0]["body"]
    assert body["messages"] == [{"role": "user", "content": "a"}] and body["max_tokens"] == 9
    assert "stream" not in body
    if provider == "openai":
        assert server.requests[0]["url"] == "/v1/chat/completions" and server.requests[0]["method"] == "POST"


def test_one_request_may_fail_by_itself(provider: Any) -> None:
    """[ENDPOINT-BATCH]: with its own reason."""
    too_long = Status(400, "prompt is too long: 9 tokens > 8 maximum")
    with BatchServer(["one", too_long, Status(400, "no such thing")]) as server:
        found = _all(server, provider)
    assert found[0].text == "one"
    assert [found[at].reason for at in (1, 2)] == ["too long", "rejected"]


def test_what_was_not_done_in_time_is_said(provider: Any) -> None:
    """[ENDPOINT-BATCH]: what was done by then has its result."""
    with BatchServer(["one"], ends="expired") as server:
        found = _all(server, provider)
    assert found[0].text == "one"
    assert [found[at].reason for at in (1, 2)] == ["timeout", "timeout"]


def test_a_batch_is_taken_back(provider: Any) -> None:
    """[ENDPOINT-BATCH]."""
    with BatchServer(["one"], polls=1_000) as server, _endpoint(server, provider) as endpoint:
        client = Batches(endpoint)
        batch = client.submit(REQUESTS)
        assert not client.status(batch).is_ended
        client.cancel(batch)
        assert client.status(batch).is_ended
        found = dict(client.results(batch, REQUESTS))
    assert found[0].text == "one" and {found[1].reason, found[2].reason} == {"canceled"}  # type: ignore[union-attr]


def test_a_run_goes_on_with_the_batch_that_it_began(provider: Any, tmp_path: Path) -> None:
    """[ENDPOINT-BATCH]: nothing is handed in, or paid for, twice."""
    saved = tmp_path / "batch.json"
    with BatchServer(["one", "two", "three"], polls=10_000) as server:
        with pytest.raises(EndpointError, match="timeout"):
            _all(server, provider, saved=saved, timeout=0.05)
        server.polls = 0
        first = _all(server, provider, saved=saved)
        again = _all(server, provider, saved=saved)
        assert [each.text for each in first.values()] == [each.text for each in again.values()]
        assert sum(each in ("POST /v1/batches", "POST /v1/messages/batches") for each in server.calls) == 1
        with pytest.raises(ValueError, match="other requests"):
            _all(server, provider, REQUESTS[:1], saved=saved)
        saved.write_text("[]")
        with pytest.raises(ValueError, match="no record"):
            _all(server, provider, saved=saved)


def test_a_batch_that_is_not_accepted_has_the_reason() -> None:
    """[ENDPOINT-BATCH]."""
    with BatchServer([], failed="line 1 has no custom_id") as server:
        found = _all(server, "openai")
    assert {each.reason for each in found.values()} == {"rejected"} and "custom_id" in found[0].detail


def test_calls_are_tried_again_but_no_batch_is_made_twice(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ENDPOINT-BATCH]: what became of one whose answer is lost is not known."""
    monkeypatch.setattr(batches.time, "sleep", lambda seconds: None)
    with BatchServer(["one", "two", "three"]) as server, _endpoint(server, provider) as endpoint:
        client = Batches(endpoint)
        batch = client.submit(REQUESTS)
        server.fails = [503, 503]
        client.wait(batch)
        server.fails = [500]
        if provider == "anthropic":
            with pytest.raises(EndpointError, match="server"):
                client.submit(REQUESTS)


def test_an_answer_by_the_forced_tool_and_images(provider: Any) -> None:
    """[ENDPOINT-BATCH]: requests are those of the endpoint in all but the stream."""
    image = Image(b"\x89PNG\r\n\x1a\n", "image/png")
    with BatchServer(["{}"]) as server:
        found = _all(server, provider, [BatchRequest([user(("What?", image))], {"schema": STRICT})])
    assert found[0].text == "{}"
    body = server.requests[0]["body"]
    assert ("response_format" if provider == "openai" else "output_config") in body
    assert len(body["messages"][0]["content"]) == 2


def test_what_is_no_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-BATCH]: said before anything is sent."""
    with pytest.raises(ValueError, match="Azure"):
        Batches(Endpoint(model="m", base_url="https://x.openai.azure.com?api-version=1"))
    with BatchServer([]) as server, _endpoint(server, "anthropic") as endpoint:
        assert list(Batches(endpoint).complete_many([])) == []
        monkeypatch.setattr(batches, "MOST_REQUESTS", 2)
        with pytest.raises(ValueError, match="at most 2"):
            Batches(endpoint).submit(REQUESTS)
        monkeypatch.setattr(batches, "MOST_REQUESTS", 9)
        monkeypatch.setattr(batches, "LARGEST_BATCH", 99)
        with pytest.raises(ValueError, match="99"):
            Batches(endpoint).submit(REQUESTS)
        assert server.calls == []


@pytest.mark.slow
def test_an_endpoint_that_is_silent_for_a_while(provider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-BATCH]: is asked again; one that stays so, or that takes no key any more, is not."""
    monkeypatch.setattr(batches.time, "sleep", lambda seconds: None)
    with BatchServer(["one", "two", "three"]) as server, _endpoint(server, provider) as endpoint:
        client, told = Batches(endpoint), list[batches.BatchStatus]()
        batch = client.submit(REQUESTS)
        server.fails = [503] * 40
        assert client.wait(batch, told=told.append).is_ended and told[-1].is_ended
        for fails, reason in (([503] * 200, "server"), ([401], "unauthorized")):
            server.fails = fails
            with pytest.raises(EndpointError, match=reason):
                client.wait(batch)


def test_what_a_filter_says_is_an_answer(provider: Any) -> None:
    """[ENDPOINT-BATCH]: as it is to a single request."""
    filtered = Status(400, "Not this.", error={"code": "content_filter"})
    with BatchServer([filtered, "two", "three"]) as server:
        found = _all(server, provider)
    assert (found[0].finish_reason, found[0].refusal) == ("content_filter", "Not this.")


def test_what_is_refused_is_left_out_of_the_next_batch(provider: Any) -> None:
    """[ENDPOINT-BATCH]: the requests of this one have failed."""
    refused = Status(400, "Unsupported value: temperature", error={"param": "temperature"})
    requests = [each._replace(settings={"temperature": 0.5}) for each in REQUESTS]
    with BatchServer([refused, "two", "three"]) as server, _endpoint(server, provider) as endpoint:
        client = Batches(endpoint)
        first = dict(client.complete_many(requests, every=0.01))
        assert isinstance(first[0], EndpointError) and first[0].reason == "rejected"
        assert "temperature" in server.requests[0]["body"]
        client.submit(requests)
        assert not any("temperature" in each["body"] for each in server.requests)


def test_requests_are_parted_by_count_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-BATCH]: each part is a batch that is taken; one that alone is too large stays alone."""
    many = [BatchRequest([user("x" * size)]) for size in (10, 10, 10, 900, 10, 10)]
    with BatchServer([]) as server, _endpoint(server, "openai") as endpoint:
        client = Batches(endpoint)
        assert [list(each) for each in client.parts(many)] == [[0, 1, 2, 3, 4, 5]]
        monkeypatch.setattr(batches, "MOST_REQUESTS", 2)
        assert [list(each) for each in client.parts(many)] == [[0, 1], [2, 3], [4, 5]]
        monkeypatch.setattr(batches, "LARGEST_BATCH", 1_000)
        parts = [list(each) for each in client.parts(many)]
        assert parts == [[0, 1], [2], [3], [4, 5]] and list(client.parts([])) == []
        for part in parts:
            if part != [3]:
                client.submit([many[at] for at in part])
