"""Each behaviour of an endpoint, through the whole loop: how many requests it costs, and what comes of it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from email.utils import formatdate
from typing import Any, NamedTuple

import pytest
from chat_server import Answer, Behaviour, ChatServer, CutOff, Dropped, Raw, Silence, Status

import potlang
from potlang.models.endpoint import Endpoint, client
from potlang.models.programs.prompting import examples
from potlang.models.programs.reasoned import Reasoned

pytest.importorskip("openai")
EXAMPLE = examples()[0]
PROGRAM = json.dumps(EXAMPLE.program)
GOOD = PROGRAM
BAD = PROGRAM.replace("has_fur(rex)", "hasfur(rex)")
OTHER = BAD.replace('"verifications"', '"checks"')
SLOPPY = PROGRAM.replace("->", "=>").replace("not has_fur", "!has_fur")


class Row(NamedTuple):
    """What the server does, request by request; the requests that this takes, the verdict, the failure."""

    script: Sequence[Behaviour]
    requests: int = 1
    verdict: str = "refuted"
    failure: str | None = None
    said: str = ""
    attempts: int = 3


def _tool_call(arguments: Any) -> str:
    return json.dumps({"name": "potlang", "arguments": arguments})


def _curly(text: str) -> str:
    parts = text.split('"')
    return "".join(part + ("“" if at % 2 == 0 else "”") for at, part in enumerate(parts[:-1])) + parts[-1]


def _parts(text: str) -> Raw:
    content = [{"type": "text", "text": text[:50]}, {"type": "text", "text": text[50:]}]
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    return Raw(json.dumps({"choices": [choice]}).encode())


IN_ONE: dict[str, Behaviour] = {
    "plain": GOOD,
    "in a fence with words around": f"Here it is:\n```json\n{GOOD}\n```\nDone.",
    "a closed thought": f"<think>Rex is no dog.</think>\n{GOOD}",
    "an open thought": f"<think>So:\n{GOOD}",
    "another word for a thought": f"<thinking>{{…}}</thinking>{GOOD}",
    "the marks of a chat template": f"<|im_start|>assistant\n{GOOD}<|im_end|>",
    "a byte order mark": f"\ufeff{GOOD}",
    "content in parts": _parts(GOOD),
    "thoughts beside": Answer(GOOD, reasoning="Rex is an iguana."),
    "Chinese names": GOOD.replace("iguana", "鬣蜥"),
    "several fences, the last good": f"```json\n{BAD}\n```\nno:\n```json\n{GOOD}\n```",
    "several fences, the first good": f"```json\n{GOOD}\n```\nA typical mistake:\n```json\n{BAD}\n```",
    "Python's literals": repr(EXAMPLE.program),
    "a trailing comma": GOOD[:-1] + ",}",
    "a comment": GOOD.replace("[", "[ // all of them\n", 1),
    "typographic quotes": _curly(GOOD),
    "safe fixes in formulas": SLOPPY,
    "an object around": json.dumps({"program": EXAMPLE.program}),
    "a list around": f"[{GOOD}]",
    "a text in an object": json.dumps({"program": GOOD}),
    "an answer": json.dumps({"answer": EXAMPLE.program}),
    "a tool's arguments in the text": _tool_call({"program": EXAMPLE.program}),
    "a tool's arguments as text": _tool_call(GOOD),
    "a tool call in tags": f"<tool_call>\n{_tool_call(EXAMPLE.program)}\n</tool_call>",
    "a tool call beside": Answer("", "tool_calls", arguments=_tool_call(EXAMPLE.program)),
    "thoughts alone": Answer("", reasoning=f"I write\n{GOOD}"),
}
ROWS: dict[str, Row] = {
    **{name: Row([behaviour]) for name, behaviour in IN_ONE.items()},
    "prose alone": Row(["Rex has no fur.", GOOD], 2),
    "empty": Row(["", GOOD], 2),
    "YAML": Row(["sorts:\n  - name: Animal\n", GOOD], 2),
    "a refusal": Row([Answer("", refusal="I must not."), GOOD], 1, "unknown", "declined", "I must not."),
    "a content filter": Row([Answer("", "content_filter"), GOOD], 1, "unknown", "declined", "filter"),
    "cut by length once": Row([Answer(GOOD[:200], "length"), GOOD], 2),
    "cut by length always": Row([Answer(GOOD[:200], "length")] * 5, 3, "unknown", None, "greatest length"),
    "429 with seconds": Row([Status(429, retry_after=0), GOOD], 2),
    "429 with milliseconds": Row([Status(429, headers={"retry-after-ms": "5"}), GOOD], 2),
    "429 with a date": Row([Status(429, retry_after=formatdate(time.time(), usegmt=True)), GOOD], 2),
    "429 always": Row([Status(429, "slowly", retry_after=0)] * 9, 4, "unknown", "rate limit", "slowly"),
    "no quota": Row(
        [Status(429, "no credit", error={"code": "insufficient_quota"}), GOOD],
        1,
        "unknown",
        "rate limit",
        "no credit",
    ),
    "503 once": Row([Status(503, retry_after=0), GOOD], 2),
    "529 once": Row([Status(529, retry_after=0), GOOD], 2),
    "dropped before a byte": Row([Dropped(), GOOD], 2),
    "cut in the middle": Row([CutOff(GOOD, 100), GOOD], 2),
    "silence": Row([Silence(9.0)], 1, "unknown", "timeout", "time"),
    "HTML with 200": Row([Raw(b"<html>hello</html>", "text/html")], 1, "unknown", "malformed", "html"),
    "the conversation is too long": Row(
        [Status(400, "This model has 8192 tokens.", error={"code": "context_length_exceeded"})],
        1,
        "unknown",
        "too long",
        "8192",
    ),
    "ten megabytes": Row([Raw(b'{"choices": "' + b"x" * 10_000_000 + b'"}')] * 3, 3, "unknown", "too large"),
    "one misspelt name for ever": Row([BAD] * 9, 3, "unknown", None, "3 replies"),
    "a section under another name": Row([OTHER, GOOD], 2),
}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_FIRST_WAIT", 0.01)


def _reasoned(script: Sequence[Behaviour], **settings: Any) -> tuple[Reasoned, ChatServer]:
    timeout = 2.0 if any(isinstance(each, Silence) for each in script) else 20.0
    with (
        ChatServer(script, refuses=settings.pop("refuses", ())) as server,
        Endpoint(model="m", base_url=server.base_url, timeout=timeout, **settings) as model,
    ):
        return potlang.reason(EXAMPLE.question, model, trust="solver"), server


@pytest.mark.parametrize(
    "stream", [pytest.param(True, id="streamed"), pytest.param(False, id="whole", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_behaviour(row: Row, stream: bool) -> None:
    """[LOOP-REPLY], [LOOP-MEND], [LOOP-FAILURE], [ENDPOINT-RETRY]: and no reply that came is lost."""
    found, server = _reasoned(row.script, stream=stream)
    assert (found.verdict, len(server.received)) == (row.verdict, row.requests), found.reason
    assert found.failure == row.failure and row.said in found.reason
    if row.verdict == "refuted":
        assert found.report is not None and found.attempts[-1].problem == ""
    paid = [each.text if isinstance(each, Answer) else each for each in row.script[: row.requests]]
    kept = [each.reply for each in found.attempts]
    assert all(each in kept for each in paid if isinstance(each, str))


@pytest.mark.parametrize(
    "name", ["response_format", "stream_options", "max_tokens", "temperature", "seed", "stream"]
)
def test_a_parameter_that_is_refused(name: str) -> None:
    """[ENDPOINT-REFUSED]: asked again without it, once a session, which is no attempt of the model's."""
    with (
        ChatServer([BAD, GOOD], refuses=[name]) as server,
        Endpoint(model="m", base_url=server.base_url, timeout=20.0) as model,
    ):
        settings: dict[str, Any] = {"temperature": 0.5, "max_tokens": 900, "seed": 3}
        found = potlang.reason(EXAMPLE.question, model, trust="solver", attempts=2, **settings)
    assert found.verdict == "refuted" and len(found.attempts) == 2
    assert [name in each.body for each in server.received] == [True, False, False]
