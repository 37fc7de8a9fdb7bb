"""What endpoints do, and what is done about it: each behaviour that is HTTP's or the protocol's."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from email.utils import formatdate
from typing import Any

import pytest
from chat_server import Answer, Behaviour, ChatServer, CutOff, Dropped, Raw, Script, Silence, Status

from potlang.models.endpoint import (
    Endpoint,
    EndpointError,
    Message,
    Usage,
    client,
    failures,
    system,
    user,
)
from potlang.models.endpoint.client import is_other_model
from potlang.models.endpoint.failures import StatedError
from potlang.models.endpoint.request import is_strict, next_step

TEXT = "The answer is \\boxed{4}, “four” — 四. 😀\n"
STRICT = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_FIRST_WAIT", 0.01)


@pytest.fixture(params=["openai", "azure", "anthropic"])
def provider(request: pytest.FixtureRequest) -> str:
    """Each provider."""
    name: str = request.param
    return name


def _url(server: ChatServer, provider: str) -> str:
    return {"openai": server.base_url, "azure": server.azure_url, "anthropic": server.root}[provider]


def _asked(
    script: Script,
    provider: str = "openai",
    *,
    messages: list[Message] | None = None,
    refuses: tuple[str, ...] = (),
    server_key: str | None = None,
    request: Mapping[str, Any] | None = None,
    **settings: Any,
) -> tuple[Any, ChatServer]:
    """The completion or the error, and the server."""
    settings = {"model": "m", "timeout": 20.0, **settings}
    with (
        ChatServer(script, key=server_key, refuses=refuses) as server,
        Endpoint(base_url=_url(server, provider), provider=provider, **settings) as model,  # type: ignore[arg-type]
    ):
        try:
            return model.complete(messages or [user("2 + 2?")], **(request or {})), server  # type: ignore[typeddict-item]
        except EndpointError as error:
            return error, server


# --- answers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
def test_all_parts_of_an_answer(provider: str, stream: bool) -> None:
    """[ENDPOINT-STREAM] [ENDPOINT-ANTHROPIC]: text, thoughts, the first call's arguments, tokens, model."""
    answer = Answer(
        TEXT, "stop", 11, 5, reasoning="Let me see.", model="m-2026", cached=4, arguments='{"a": 1}'
    )
    found, _ = _asked([answer], provider, stream=stream)
    assert (found.text, found.reasoning, found.finish_reason) == (TEXT, "Let me see.", "stop")
    assert json.loads(found.arguments) == {"a": 1}
    assert (found.usage.prompt, found.usage.completion, found.usage.cached) == (11, 5, 4)
    assert (found.model, found.tries, found.broken, found.cost) == ("m-2026", 1, (), None)


def test_tokens_of_thoughts_and_the_cost_are_kept() -> None:
    """[ENDPOINT-STREAM]."""
    found, _ = _asked([Answer("four", cached=3, thought=2, cost=0.25)])
    assert (found.usage, found.cost) == (Usage(11, 5, 3, 2), 0.25)


@pytest.mark.parametrize("stream", [True, False])
def test_a_refusal_is_an_answer(provider: str, stream: bool) -> None:
    """[ENDPOINT-DECLINED]: its text is kept, in a stream too, and nobody is asked again."""
    found, server = _asked([Answer("", refusal="I will not do that.")], provider, stream=stream)
    assert (found.refusal, found.text, len(server.received)) == ("I will not do that.", "", 1)


def test_a_filter_before_the_model_is_an_answer() -> None:
    """[ENDPOINT-DECLINED]: Azure refuses a prompt with a status, and says so."""
    refused = Status(400, "The prompt triggered the content policy.", error={"code": "content_filter"})
    found, server = _asked([refused], "azure")
    assert (found.finish_reason, len(server.received)) == ("content_filter", 1)
    assert "content policy" in found.refusal


def test_a_filter_in_the_stream_is_the_reason_of_its_end() -> None:
    """[ENDPOINT-DECLINED]."""
    found, _ = _asked([Answer("So far", "content_filter")])
    assert (found.text, found.finish_reason) == ("So far", "content_filter")


def test_the_reason_of_the_end_has_one_word() -> None:
    """[ENDPOINT-ANTHROPIC]: a limit is `length` whoever says so."""
    found, _ = _asked([Answer("four", "length")], "anthropic")
    assert found.finish_reason == "length"


def test_a_function_call_of_the_old_kind_and_arguments_that_are_an_object() -> None:
    """[ENDPOINT-STREAM]."""
    for message in (
        {"content": None, "function_call": {"name": "f", "arguments": '{"a": 1}'}},
        {"content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]},
    ):
        body = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
        found, _ = _asked([Raw(body.encode())])
        assert json.loads(found.arguments) == {"a": 1}


def test_parts_of_content_are_told_apart() -> None:
    """[ENDPOINT-STREAM]: texts, thoughts, a refusal."""
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "reasoning", "text": ", well"},
        {"type": "output_text", "text": "four"},
        {"type": "refusal", "refusal": "no"},
    ]
    body = json.dumps({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]})
    found, _ = _asked([Raw(body.encode())])
    assert (found.text, found.reasoning, found.refusal) == ("four", "hm, well", "no")


def test_events_under_another_name_are_read() -> None:
    """[ENDPOINT-STREAM]: a stream that calls itself JSON."""
    event = {"choices": [{"delta": {"content": "four"}, "finish_reason": "stop"}]}
    found, _ = _asked([Raw(f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode(), "application/json")])
    assert found.text == "four"


def test_another_model_is_noted() -> None:
    """[ENDPOINT-NOTES]: the answer counts, and who gave it is said."""
    with ChatServer([Answer("four", model="tiny-1"), "five"]) as server:
        model = Endpoint(model="large", base_url=server.base_url)
        assert model.complete([user("u")]).model == "tiny-1"
        model.complete([user("u")])
        (note,) = model.notes
        assert "large" in note and "tiny-1" in note
        model.close()


@pytest.mark.parametrize(
    "asked, said, other",
    [
        ("gpt-4o", "gpt-4o-2024-08-06", False),
        ("openai/gpt-4o", "gpt-4o", False),
        ("llama3:latest", "llama3", False),
        ("gpt-4o", "gpt-3.5-turbo", True),
    ],
)
def test_a_version_is_no_other_model(asked: str, said: str, other: bool) -> None:
    """[ENDPOINT-NOTES]."""
    assert is_other_model(asked, said) is other


# --- what is sent ------------------------------------------------------------------------------------


def test_each_provider_has_its_path_and_its_header(provider: str) -> None:
    """[ENDPOINT-HTTP] [ENDPOINT-AZURE] [ENDPOINT-ANTHROPIC]."""
    found, server = _asked(["four"], provider, key="sk-a-long-secret-key", server_key="sk-a-long-secret-key")
    assert found.text == "four"
    received = server.received[0]
    paths = {
        "openai": "/v1/chat/completions",
        "azure": "/openai/deployments/d/chat/completions?api-version=2024-10-21",
        "anthropic": "/v1/messages",
    }
    headers = {"openai": "authorization", "azure": "api-key", "anthropic": "x-api-key"}
    assert received.path == paths[provider]
    assert "sk-a-long-secret-key" in received.headers[headers[provider]]
    assert received.headers.get("anthropic-version") == ("2023-06-01" if provider == "anthropic" else None)


def test_the_key_is_in_no_error(provider: str) -> None:
    """[ENDPOINT-KEY]."""
    found, _ = _asked([], provider, key="sk-a-long-secret-key", server_key="another")
    assert found.reason == "unauthorized" and "sk-a-long" not in str(found)


def test_the_body_of_the_messages_protocol() -> None:
    """[ENDPOINT-ANTHROPIC]: system apart, a limit always, the schema as the format of the output, no seed."""
    talk = [system("s"), user("u"), Message("assistant", "a"), user("v")]
    settings = {"schema": STRICT, "temperature": 0.5, "seed": 3}
    _, server = _asked(["{}"], "anthropic", messages=talk, request=settings)
    body = dict(server.received[0].body)
    assert body.pop("max_tokens") > 1_000
    assert body == {
        "model": "m",
        "system": "s",
        "messages": [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": "a"},
            {"role": "user", "content": "v"},
        ],
        "temperature": 0.5,
        "stream": True,
        "output_config": {"format": {"type": "json_schema", "schema": STRICT}},
    }


# --- what is refused ---------------------------------------------------------------------------------

EVERYTHING = {"schema": STRICT, "temperature": 0.5, "max_tokens": 7, "seed": 3}


@pytest.mark.parametrize(
    "name", ["response_format", "stream_options", "max_tokens", "temperature", "seed", "stream"]
)
def test_a_refused_parameter_is_left_out_once_a_session(name: str) -> None:
    """[ENDPOINT-REFUSED]: asked again without it; further requests do not have it, and it is said."""
    with (
        ChatServer(["one", "two"], refuses=[name]) as server,
        Endpoint(model="m", base_url=server.base_url) as model,
    ):
        first = model.complete([user("u")], **EVERYTHING)  # type: ignore[typeddict-item]
        second = model.complete([user("u")], **EVERYTHING)  # type: ignore[typeddict-item]
        assert (first.text, first.tries, second.text, second.tries) == ("one", 2, "two", 1)
        assert any(name in note for note in model.notes)
    bodies = [each.body for each in server.received]
    assert [name in each for each in bodies] == [True, False, False]
    if name == "max_tokens":
        assert bodies[1]["max_completion_tokens"] == 7
    others = {"response_format", "temperature", "seed"} - {name}
    assert others <= bodies[1].keys()


def test_both_words_for_the_limit() -> None:
    """[ENDPOINT-REFUSED]: the other one, and back, and none where neither is taken."""
    found, server = _asked(
        ["four"],
        refuses=("max_completion_tokens",),
        request={"max_tokens": 7},
        limit_name="max_completion_tokens",
    )
    assert server.received[-1].body["max_tokens"] == 7
    found, server = _asked(
        ["four"], refuses=("max_completion_tokens", "max_tokens"), request={"max_tokens": 7}
    )
    assert (found.text, found.tries) == ("four", 3)


def test_several_refused_parameters_are_left_out_one_by_one() -> None:
    """[ENDPOINT-REFUSED]: these are no failures that are counted as tries again."""
    names = ("response_format", "stream_options", "max_tokens", "temperature", "seed")
    found, _ = _asked(["four"], refuses=names, request=EVERYTHING, retries=0)
    assert (found.text, found.tries) == ("four", 6)


def test_a_schema_is_strict_where_it_can_be() -> None:
    """[ENDPOINT-HTTP]."""
    _, server = _asked(["{}"], request={"schema": STRICT})
    assert server.received[0].body["response_format"]["json_schema"]["strict"] is True
    _, server = _asked(["{}"], request={"schema": {"type": "object"}})
    assert "strict" not in server.received[0].body["response_format"]["json_schema"]
    assert is_strict({"type": "array", "items": STRICT})
    assert not is_strict({"anyOf": [STRICT, {"type": "object", "properties": {"a": {}}}]})


@pytest.mark.parametrize(
    "message, kept",
    [
        ("Invalid schema for response_format 'answer': 'required' is needed", {"type": "json_schema"}),
        (
            "'response_format.type' must be one of: text, json_object, not json_schema",
            {"type": "json_object"},
        ),
        ("This response_format type is unavailable now", None),
    ],
)
def test_of_a_format_as_much_is_kept_as_is_taken(message: str, kept: dict[str, str] | None) -> None:
    """[ENDPOINT-REFUSED]: not strict, then any object, then nothing."""
    _, server = _asked([Status(400, message), "{}"], request={"schema": STRICT})
    found = server.received[-1].body.get("response_format")
    assert found is None if kept is None else found["type"] == kept["type"]
    assert "strict" not in str(found)


def test_anthropics_format_becomes_a_tool_that_has_to_be_used() -> None:
    """[ENDPOINT-ANTHROPIC]: and what the tool is given is the answer."""

    def script(body: Mapping[str, Any]) -> Behaviour:
        return Answer("", "tool_calls", arguments='{"answer": "four"}') if "tools" in body else "prose"

    for stream in (True, False):
        found, server = _asked(
            script, "anthropic", refuses=("output_config",), request={"schema": STRICT}, stream=stream
        )
        assert (json.loads(found.text), found.arguments, found.finish_reason) == (
            {"answer": "four"},
            "",
            "stop",
        )
        assert server.received[-1].body["tool_choice"] == {"type": "tool", "name": "answer"}
    found, server = _asked(
        script, "anthropic", refuses=("output_config", "tools"), request={"schema": STRICT}
    )
    assert (found.text, found.tries) == ("prose", 3)


def test_anthropics_limit_is_lowered_and_never_left_out() -> None:
    """[ENDPOINT-ANTHROPIC]."""
    too_many = Status(400, "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens")
    found, server = _asked([too_many, "four"], "anthropic")
    assert (found.text, server.received[-1].body["max_tokens"]) == ("four", 4096)


SENT: Mapping[str, Any] = {
    "messages": [],
    "temperature": 1,
    "seed": 3,
    "max_tokens": 7,
    "stream": True,
    "stream_options": {},
    "response_format": {"type": "json_schema", "json_schema": {"strict": True}},
}


@pytest.mark.parametrize(
    "stated, step",
    [
        (StatedError("no", "unsupported_parameter", "temperature"), "temperature"),
        (StatedError("Use 'max_completion_tokens' instead of `max_tokens`: unsupported"), "max_tokens"),
        (StatedError("Unrecognized request argument supplied: stream_options"), "stream_options"),
        (StatedError("Extra inputs are not permitted", param="seed"), "seed"),
        (StatedError("messages: at least one message is required"), None),
        (StatedError("the seed of the question is a word in it"), None),
        (StatedError("Invalid value", param="messages[0].content"), None),
        (StatedError("the model `x` is unavailable"), None),
        (StatedError("Bad Request"), "response_format"),
        (StatedError(), "response_format"),
    ],
    ids=str,
)
def test_what_an_error_is_about_is_read_from_it(stated: StatedError, step: str | None) -> None:
    """[ENDPOINT-REFUSED]: by its parameter or its words, and in order only where it says nothing."""
    assert next_step(stated, SENT, frozenset()) == step


def test_the_place_of_a_mistake_as_fastapi_has_it() -> None:
    """[ENDPOINT-REFUSED]."""
    detail = {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
    found, server = _asked([Raw(json.dumps(detail).encode(), code=422), "four"], request={"seed": 3})
    assert (found.text, "seed" in server.received[-1].body) == ("four", False)


def test_an_error_that_says_nothing_is_tried_in_one_order() -> None:
    """[ENDPOINT-REFUSED]: it ends, and a guess that did not help changes no later request."""
    with (
        ChatServer(lambda body: Status(400, "Bad Request")) as server,
        Endpoint(model="m", base_url=server.base_url) as model,
    ):
        with pytest.raises(EndpointError, match="rejected"):
            model.complete([user("u")], **EVERYTHING)  # type: ignore[typeddict-item]
        assert len(server.received) == 5 and model.notes == ()
        assert model.request([user("u")], {}).without == frozenset()


def test_threads_learn_from_each_other() -> None:
    """[ENDPOINT-REFUSED]: and no answer is lost by it."""
    with (
        ChatServer(lambda body: "four", refuses=["temperature", "seed"]) as server,
        Endpoint(model="m", base_url=server.base_url) as model,
    ):
        found: list[str] = []

        def work() -> None:
            for _ in range(5):
                found.append(model.complete([user("u")], temperature=0.1, seed=1).text)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert found == ["four"] * 40
        assert len(server.received) <= 40 + 2 * 8 and len(model.notes) == 2


# --- what fails, and what is kept --------------------------------------------------------------------


def test_a_dropped_connection_is_tried_again(provider: str) -> None:
    """[ENDPOINT-RETRY]."""
    found, _ = _asked([Dropped(), Dropped(), "four"], provider)
    assert (found.text, found.tries) == ("four", 3)


def test_a_stream_that_ends_before_its_answer_is_tried_again() -> None:
    """[ENDPOINT-RETRY]."""
    found, _ = _asked([CutOff("four", 0), "four"])
    assert (found.text, found.tries, found.broken) == ("four", 2, ())


def test_what_was_cut_off_is_kept(provider: str) -> None:
    """[ENDPOINT-KEPT]: and whoever asked decides what becomes of it."""
    found, server = _asked([CutOff("x" * 6_000, 5_000), "four"], provider)
    assert (found.reason, len(server.received)) == ("cut off", 1)
    assert (found.received.text, found.received.finish_reason) == ("x" * 5_000, "cut off")
    if provider == "anthropic":
        assert found.received.usage.prompt == 11


def _failing(text: str) -> Raw:
    events = [{"choices": [{"delta": {"content": text}}]}, {"error": {"message": "no memory"}}]
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in events)
    return Raw(body.encode(), "text/event-stream")


def test_an_answer_that_another_one_takes_the_place_of_is_kept() -> None:
    """[ENDPOINT-KEPT]: of each try, whether one succeeds or none."""
    found, _ = _asked([_failing("fir"), "four"])
    assert (found.text, found.tries) == ("four", 2)
    assert [(each.text, each.finish_reason) for each in found.broken] == [("fir", "server")]
    found, _ = _asked([_failing("fir"), _failing("seco")], retries=1)
    assert (found.reason, found.tries, found.received.text) == ("server", 2, "seco")
    assert [each.text for each in found.broken] == ["fir"]


def test_an_error_in_the_stream_leaves_what_came_before() -> None:
    """[ENDPOINT-KEPT]."""
    found, _ = _asked([_failing("So far")], retries=0)
    assert (found.reason, found.received.text, found.detail) == ("server", "So far", "no memory")


def test_an_overloaded_server_in_anthropics_stream() -> None:
    """[ENDPOINT-ANTHROPIC] [ENDPOINT-RETRY]."""
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    body = f"event: error\ndata: {json.dumps(error)}\n\n".encode()
    found, _ = _asked([Raw(body, "text/event-stream"), Status(529, "Overloaded", 0), "four"], "anthropic")
    assert (found.text, found.tries) == ("four", 3)


def test_html_with_200_is_kept_and_not_asked_again(provider: str) -> None:
    """[ENDPOINT-KEPT]: the page may say why."""
    found, server = _asked([Raw(b"<html>Log in</html>", "text/html")], provider)
    assert (found.reason, found.received.text, len(server.received)) == (
        "malformed",
        "<html>Log in</html>",
        1,
    )


def test_ten_megabytes_are_too_large(provider: str) -> None:
    """[ENDPOINT-BOUND] [ENDPOINT-KEPT]: of a stream what came is kept."""
    found, _ = _asked([Raw(b'{"choices": [{"message": {"content": "' + b"x" * 10_000_000)], provider)
    assert found.reason == "too large" and len(found.received.text) <= 100_000
    event = b'data: {"choices": [{"delta": {"content": "and "}}]}\n\n'
    found, _ = _asked([Raw(event * 200_000, "text/event-stream")])
    assert found.reason == "too large" and found.received.text.startswith("and and ")


def test_silence_ends_with_a_reason(provider: str) -> None:
    """[ENDPOINT-BOUND]."""
    start = time.monotonic()
    found, server = _asked([Silence()], provider, timeout=1.5)
    assert (found.reason, len(server.received)) == ("timeout", 1) and time.monotonic() - start < 30


TOO_LONG: list[Behaviour] = [
    Status(
        400, "This model's maximum context length is 8192 tokens.", error={"code": "context_length_exceeded"}
    ),
    Status(
        400, "prompt is too long: 210000 tokens > 200000 maximum", error={"type": "invalid_request_error"}
    ),
    Status(400, "the request exceeds the available context size, try increasing it"),
    Status(413, "Request too large"),
    Raw(b'{"error": {"code": "context_length_exceeded", "message": "too many tokens"}}'),
]


@pytest.mark.parametrize("behaviour", TOO_LONG, ids=lambda each: str(each)[:50])
def test_a_conversation_that_is_too_long_has_its_own_reason(behaviour: Behaviour) -> None:
    """[ENDPOINT-ERROR]: nothing is left out of it on a guess, and nobody is asked again."""
    found, server = _asked([behaviour], request=EVERYTHING)
    assert (found.reason, len(server.received)) == ("too long", 1)


def _in(seconds: float) -> dict[str, str]:
    # Any date will do, and the same one in each process that collects the tests.
    now = 1_800_000_000.0
    return {"retry-after": formatdate(now + seconds, usegmt=True), "date": formatdate(now, usegmt=True)}


@pytest.mark.parametrize(
    "headers, low, high",
    [
        ({"retry-after-ms": "300"}, 0.3, 0.3),
        ({"retry-after": "0.3"}, 0.3, 0.3),
        ({"retry-after": "7", "retry-after-ms": "20"}, 0.02, 0.02),
        (_in(5), 5, 5),
        (_in(-5), 0, 0),
        ({"retry-after": "9999"}, 60, 60),
    ],
    ids=str,
)
def test_how_long_a_server_wants_us_to_wait(headers: dict[str, str], low: float, high: float) -> None:
    """[ENDPOINT-RETRY]: in seconds, milliseconds, or until a date of its own clock; a minute at most."""
    found = failures.wait_of(headers)
    assert found is not None and low <= found <= high


def test_milliseconds_are_waited_for() -> None:
    """[ENDPOINT-RETRY]."""
    found, _ = _asked([Status(429, headers={"retry-after-ms": "200"}), "four"])
    assert (found.text, found.tries) == ("four", 2) and 0.2 <= found.seconds < 15


def test_a_server_may_say_whether_to_try_again() -> None:
    """[ENDPOINT-RETRY]."""
    found, server = _asked([Status(503, headers={"x-should-retry": "false"}), "four"])
    assert (found.reason, len(server.received)) == ("server", 1)
    found, _ = _asked([Status(409, headers={"x-should-retry": "true"}), "four"])
    assert found.text == "four"


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(status: int, provider: str) -> None:
    """[ENDPOINT-RETRY]."""
    found, _ = _asked([Status(status), "four"], provider)
    assert (found.text, found.tries) == ("four", 2)


@pytest.mark.parametrize(
    "status",
    [
        Status(429, "You exceeded your current quota", error={"code": "insufficient_quota"}),
        Status(402, "Insufficient credits"),
        Status(400, "Your credit balance is too low to access the API"),
    ],
    ids=str,
)
def test_no_waiting_fills_an_account(status: Status, provider: str) -> None:
    """[ENDPOINT-RETRY]."""
    found, server = _asked([status, "four"], provider)
    assert isinstance(found, EndpointError) and len(server.received) == 1
