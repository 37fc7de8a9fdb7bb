"""The client against a real HTTP server that speaks the protocol, and does not always behave."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from chat_server import (
    Answer,
    Behaviour,
    ChatServer,
    CutOff,
    Endless,
    Raw,
    Redirect,
    Script,
    Silence,
    Status,
)

from potlang.models.endpoint import (
    Endpoint,
    EndpointError,
    Failure,
    Usage,
    assistant,
    client,
    connection,
    system,
    user,
)

KEY = "sk-a-long-secret-key"
TEXT = "The answer is \\boxed{4}, “four” — 四. 😀\n"


def _asked(script: Script, *, server_key: str | None = None, **settings: Any) -> tuple[Any, ChatServer]:
    """The completion or the error, and the server."""
    settings = {"model": "m", "timeout": 20.0, **settings}
    with (
        ChatServer(script, key=server_key) as server,
        Endpoint(base_url=server.base_url, **settings) as model,
    ):
        try:
            return model.complete([user("2 + 2?")]), server
        except EndpointError as error:
            return error, server


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer(stream: bool) -> None:
    """[ENDPOINT-MODEL] [ENDPOINT-HTTP]: text, usage and reason arrive, in pieces or in one."""
    found, server = _asked([Answer(TEXT, "length")], key=KEY, server_key=KEY, stream=stream)
    assert (found.text, found.finish_reason, found.usage) == (TEXT, "length", Usage(11, 5))
    assert found.tries == 1 and found.seconds > 0
    assert bool(server.received[0].body.get("stream")) is stream


def test_the_time_to_import_the_library_is_not_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-BOUND]: the limit is on the reply."""
    passed = [0.0]
    clock, library = time.monotonic, connection._library

    def slowly() -> Any:
        passed[0] += 1_000.0
        return library()

    monkeypatch.setattr(connection, "_library", slowly)
    for module in (client, connection):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock() + passed[0]))
    found, _ = _asked([Answer(TEXT)])
    assert found.text == TEXT and found.seconds < 1_000


def test_what_is_sent() -> None:
    """[ENDPOINT-HTTP]: messages and settings; nothing of what is not set; lone surrogates are replaced."""
    schema = {"type": "object"}
    with (
        ChatServer(["a", "b", "c", "d"]) as server,
        Endpoint(model="m", base_url=server.base_url, limit_name="max_completion_tokens") as model,
        Endpoint(model="m", base_url=server.base_url, json_mode="object") as object_model,
        Endpoint(model="m", base_url=server.base_url, json_mode="none") as plain_model,
    ):
        model.complete([system("s"), user("\ud800é"), assistant("a")])
        model.complete([user("u")], schema=schema, temperature=0.5, max_tokens=7, seed=3)
        object_model.complete([user("u")], schema=schema)
        plain_model.complete([user("u")], schema=schema)
    plain, full, json_object, none = (each.body for each in server.received)
    roles = [{"role": "system", "content": "s"}, {"role": "user", "content": "?é"}]
    assert plain == {
        "model": "m",
        "messages": [*roles, {"role": "assistant", "content": "a"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert (full["temperature"], full["max_completion_tokens"], full["seed"]) == (0.5, 7, 3)
    assert full["response_format"]["json_schema"]["schema"] == schema
    assert json_object["response_format"] == {"type": "json_object"}
    assert "response_format" not in none


FAILURES: list[tuple[Behaviour, Failure]] = [
    (Status(401), "unauthorized"),
    (Status(403), "unauthorized"),
    (Status(404), "not found"),
    (Status(400), "rejected"),
    (Status(422), "rejected"),
    (Status(429, retry_after=0), "rate limit"),
    (Status(500, retry_after=0), "server"),
    (Status(503, retry_after=0), "server"),
    (CutOff(TEXT, 20), "cut off"),
    (CutOff(TEXT, 0), "cut off"),
    (Raw(b"<html>It works!</html>", "text/html"), "malformed"),
    (Raw(b"[1]"), "malformed"),
    (Raw(b"{}"), "malformed"),
    (Raw(b'{"choices": []}'), "malformed"),
    (Raw(b'{"choices": [{"message": {"content": 3}}]}'), "malformed"),
    (Raw(b"[" * 100_000), "malformed"),
    (Raw(b"\xff\xfe\x00"), "malformed"),
    (Raw(b'{"error": {"message": "no memory", "code": 1}}'), "server"),
    (Raw(b"data: {]\n\n", "text/event-stream"), "malformed"),
    (Raw(b'data: {"choices": 3}\n\n', "text/event-stream"), "malformed"),
    (Raw(b'data: {"error": "no memory"}\n\n', "text/event-stream"), "server"),
    (Raw(b": nothing\n\n", "text/event-stream"), "cut off"),
    (Raw(b'data: {"choices": [{"delta": {"content": 3}}]}\n\n', "text/event-stream"), "malformed"),
    (Raw(b'data: {"usage": null}\n\n', "text/event-stream"), "malformed"),
    (Status(307), "not found"),
    (Status(302), "not found"),
]


@pytest.mark.parametrize("behaviour, reason", FAILURES, ids=lambda each: str(each)[:40])
def test_a_failure_has_its_reason(behaviour: Behaviour, reason: Failure) -> None:
    """[ENDPOINT-ERROR]: each kind of misbehaviour is an error of its kind."""
    found, _ = _asked([behaviour] * 4, retries=1)
    assert isinstance(found, EndpointError), found
    assert found.reason == reason
    assert len(str(found)) < 500 and "\n" not in str(found)


def test_nobody_listens() -> None:
    """[ENDPOINT-ERROR]."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with Endpoint(model="m", base_url=url) as model, pytest.raises(EndpointError) as raised:
            model.complete([user("u")])
    assert raised.value.reason == "refused"


def test_another_path_is_not_found() -> None:
    """[ENDPOINT-ERROR]: a base URL without the path that the server has."""
    with (
        ChatServer(["x"]) as server,
        Endpoint(model="m", base_url=server.base_url + "/other") as model,
        pytest.raises(EndpointError) as raised,
    ):
        model.complete([user("u")])
    assert raised.value.reason == "not found"


ENDLESS: list[tuple[Behaviour, Failure]] = [
    (Silence(), "timeout"),
    (Endless(b": still here\n\n", 0.05), "timeout"),
    (Endless(b"x", 0.05, code=500), "server"),
    (Endless(b"x" * 10_000), "too large"),
    (Endless(b'data: {"choices": [{"delta": {"content": "and "}}]}\n\n'), "too large"),
]


@pytest.mark.parametrize("behaviour, reason", ENDLESS, ids=lambda each: str(each)[:40])
def test_an_answer_without_end_is_ended(behaviour: Behaviour, reason: Failure) -> None:
    """[ENDPOINT-BOUND]: neither silence, nor a trickle, nor a flood is waited for."""
    # A flood takes a while on a busy machine.
    timeout = 20.0 if reason == "too large" else 1.0
    found, _ = _asked([behaviour] * 4, timeout=timeout, largest_answer=200_000, retries=0)
    assert isinstance(found, EndpointError), found
    assert found.reason == reason


def test_a_flood_of_errors_is_ended() -> None:
    """[ENDPOINT-BOUND]: the body of an error is read no further than a message needs."""
    found, _ = _asked([Endless(b"x" * 10_000, code=500)], retries=0)
    assert (found.reason, found.detail[:10]) == ("server", "status 500")


def test_rate_limits_and_server_errors_are_tried_again() -> None:
    """[ENDPOINT-RETRY]: as often as allowed, and as late as the server wants it."""
    found, server = _asked([Status(429, retry_after=0.3), Status(500, retry_after=0), "four"])
    assert (found.text, found.tries, len(server.received)) == ("four", 3, 3)
    assert found.seconds >= 0.3


def test_tries_are_bounded() -> None:
    """[ENDPOINT-RETRY]."""
    found, server = _asked([Status(503, retry_after=0)] * 9, retries=2)
    assert (found.reason, found.tries, len(server.received)) == ("server", 3, 3)


@pytest.mark.parametrize("behaviour", [Status(401), Status(404), Status(400), CutOff("four", 2)], ids=str)
def test_what_waiting_does_not_mend_is_not_tried_again(behaviour: Behaviour) -> None:
    """[ENDPOINT-RETRY]."""
    found, server = _asked([behaviour, "four"])
    assert (found.tries, len(server.received)) == (1, 1)


def test_an_empty_account_is_not_tried_again() -> None:
    """[ENDPOINT-RETRY]."""
    found, server = _asked([Status(429, "insufficient_quota"), "four"])
    assert (found.reason, len(server.received)) == ("rate limit", 1)


def test_waiting_ends_with_the_time() -> None:
    """[ENDPOINT-RETRY]: a wait that is longer than what is left is not begun."""
    found, server = _asked([Status(429, retry_after=50), "four"], timeout=5.0)
    assert (found.reason, found.tries, len(server.received)) == ("rate limit", 1, 1)


@pytest.mark.parametrize("retry_after", ["Wed, 41 Oct 2026 07:28:00 GMT", "-1", "9" * 50, "nan", ""])
def test_a_header_that_says_no_wait_is_passed_over(retry_after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-RETRY]: the usual waits then."""
    monkeypatch.setattr("potlang.models.endpoint.client._FIRST_WAIT", 0.01)
    found, _ = _asked([Status(429, retry_after=retry_after), "four"])
    assert found.text == "four"


def test_the_key_is_nowhere() -> None:
    """[ENDPOINT-KEY]: the server says it back, and the error does not."""
    found, server = _asked([], key=KEY, server_key="another")
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert found.reason == "unauthorized"
    for text in (str(found), repr(found), found.detail, repr(Endpoint(model="m", key=KEY)), repr(found.args)):
        assert KEY not in text
    assert found.__cause__ is None and found.__suppress_context__


def test_settings_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-ENV]."""
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("POTLANG_MODEL", "small")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    usual = Endpoint.from_environment()
    assert (usual.model, usual.base_url, usual.key) == ("small", "https://api.openai.com/v1", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8080/v1")
    other = Endpoint.from_environment("large", timeout=3.0)
    assert (other.name, other.base_url, other.timeout) == ("large", "http://localhost:8080/v1", 3.0)
    monkeypatch.delenv("POTLANG_MODEL")
    with pytest.raises(ValueError, match="POTLANG_MODEL"):
        Endpoint.from_environment()


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "ftp://host/v1"},
        {"base_url": "localhost:8080"},
        {"base_url": "http://"},
        {"base_url": "http://me:secret@host/v1"},
        {"base_url": "http://host/v1\nx"},
        {"key": "two\nlines"},
        {"key": "ключ"},
        {"key": ""},
        {"model": ""},
        {"timeout": 0},
        {"retries": -1},
    ],
    ids=str,
)
def test_settings_of_no_endpoint(settings: dict[str, Any]) -> None:
    """[ENDPOINT-ENV]: said before anything is sent, and without what is secret."""
    with pytest.raises(ValueError) as raised:
        Endpoint(**{"model": "m", **settings})
    assert "secret" not in str(raised.value) and "two" not in str(raised.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_is_followed_elsewhere(status: int) -> None:
    """[ENDPOINT-REDIRECT]: neither the questions nor the key go to another address."""
    with ChatServer(["four"] * 9) as other:
        found, server = _asked([Redirect(f"{other.base_url}/chat/completions", status)], key=KEY)
        assert (found.reason, found.tries, len(server.received)) == ("not found", 1, 1)
        assert other.base_url in found.detail and "base URL" in found.detail
        assert not other.received


def test_content_in_parts() -> None:
    """[ENDPOINT-STREAM]: of a list of parts the texts count, and thoughts do not."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [thought, {"type": "text", "text": "fo"}, "?", {"type": "text"}, {"type": "text", "text": "ur"}]
    whole = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    found, _ = _asked([Raw(json.dumps(whole).encode())])
    assert found.text == "four"
    event = {"choices": [{"delta": {"content": parts}, "finish_reason": "stop"}]}
    found, _ = _asked([Raw(f"data: {json.dumps(event)}\n\n".encode(), "text/event-stream")])
    assert found.text == "four"


@pytest.mark.parametrize("message", [{"content": None}, {}, {"content": "", "reasoning_content": "four"}])
def test_no_content_is_an_empty_text(message: dict[str, Any]) -> None:
    """[ENDPOINT-STREAM]."""
    for key in ("message", "delta"):
        value = json.dumps({"choices": [{key: message, "finish_reason": "stop"}]})
        body = Raw(f"data: {value}\n\n".encode(), "text/event-stream") if key == "delta" else None
        found, _ = _asked([body or Raw(value.encode())])
        assert (found.text, found.finish_reason) == ("", "stop")


@pytest.mark.parametrize("last", [{}, {"choices": None}, {"choices": []}], ids=str)
def test_tokens_may_be_counted_in_an_event_of_their_own(last: dict[str, Any]) -> None:
    """[ENDPOINT-STREAM]: the answer before it is not lost."""
    counted = {**last, "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    events = [{"choices": [{"delta": {"content": "four"}, "finish_reason": "stop"}]}, counted]
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in events)
    found, _ = _asked([Raw(body.encode(), "text/event-stream")])
    assert (found.text, found.usage) == ("four", Usage(1, 2))


def test_a_byte_order_mark_is_passed_over() -> None:
    """[ENDPOINT-STREAM]."""
    choice = {"message": {"content": "four"}, "delta": {"content": "four"}, "finish_reason": "stop"}
    value = json.dumps({"choices": [choice]})
    for text, kind in ((value, "application/json"), (f"data: {value}\n\n", "text/event-stream")):
        found, _ = _asked([Raw(b"\xef\xbb\xbf" + text.encode(), kind)])
        assert found.text == "four"


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-HTTP]."""
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(ImportError, match="openai is needed: pip install "):
        Endpoint(model="m").complete([user("u")])


def test_an_endpoint_serves_again_after_a_failure_and_after_close() -> None:
    """[ENDPOINT-HTTP]."""
    script: Iterator[Behaviour] = iter([Status(400), "one", "two"])
    with ChatServer(script) as server:
        model = Endpoint(model="m", base_url=server.base_url)
        with pytest.raises(EndpointError):
            model.complete([user("u")])
        assert model.complete([user("u")]).text == "one"
        model.close()
        assert model.complete([user("u")]).text == "two"
        model.close()


def test_pieces_may_end_anywhere() -> None:
    """[ENDPOINT-STREAM]: within a character, within a line; lines may end with a carriage return too."""
    from potlang.models.endpoint.chat import CHAT
    from potlang.models.endpoint.stream import PartialAnswer, read_answer

    event = json.dumps({"choices": [{"delta": {"content": TEXT}, "finish_reason": None}]}, ensure_ascii=False)
    last = json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    for end in ("\n", "\r\n"):
        body = (
            f"event: x{end}: comment{end}data: {event}{end}{end}data:{last}{end}{end}data: [DONE]{end}{end}"
        )
        data = body.encode()
        for size in (1, 2, 3, 7, len(data)):
            chunks = [data[at : at + size] for at in range(0, len(data), size)]
            found = read_answer(PartialAnswer(), chunks, "text/event-stream", CHAT, len(data), lambda: None)
            assert (found.text, found.finish_reason) == (TEXT, "stop")
