"""A server that speaks the protocols of OpenAI and Anthropic and plays what it is given, also misbehaviour.

with ChatServer(["four", Status(429, retry_after=0)]) as server:
    Endpoint(model="m", base_url=server.base_url).complete([user("2 + 2?")])
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, NamedTuple

from loopback_server import LoopbackServer

_MESSAGES: Final = "/v1/messages"
_AZURE: Final = "/openai/deployments/d"
_PATHS: Final = ("/v1/chat/completions", f"{_AZURE}/chat/completions", _MESSAGES)
_ENDS: Final = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
_PIECE: Final = 7
"""Characters of an answer in one event of a stream."""


class Answer(NamedTuple):
    """A text, why it ends, what it is said to have cost, and what is beside it. `model`: by default as asked.

    `cached` of the prompt's tokens and `thought` of the others are counted apart.
    """

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 11
    completion_tokens: int = 5
    reasoning: str = ""
    refusal: str = ""
    arguments: str = ""
    model: str = ""
    cached: int = 0
    thought: int = 0
    cost: float | None = None


class Status(NamedTuple):
    """An error: a status, and what the body says of it, with more keys of the error, and more headers."""

    code: int
    message: str = "no"
    retry_after: float | str | None = None
    error: Mapping[str, Any] = {}
    headers: Mapping[str, str] = {}


class Redirect(NamedTuple):
    """Another address to go to."""

    location: str
    code: int = 307


class Raw(NamedTuple):
    """A body as it is."""

    body: bytes
    content_type: str = "application/json"
    code: int = 200


class CutOff(NamedTuple):
    """The first `characters` of an answer, and then the connection breaks. `text` is all of it."""

    text: str
    characters: int


class Endless(NamedTuple):
    """An answer that never ends: `piece` over and over, every `seconds`, with status `code`."""

    piece: bytes
    seconds: float = 0.0
    code: int = 200


class Silence(NamedTuple):
    """No answer at all, for at most `seconds`; then the connection is closed."""

    seconds: float = 60.0


class Dropped(NamedTuple):
    """The connection is closed without a byte."""


Behaviour = str | Answer | Status | Redirect | Raw | CutOff | Endless | Silence | Dropped
Script = Iterable[Behaviour] | Callable[[Mapping[str, Any]], Behaviour]


class Received(NamedTuple):
    """A request: its path, its headers in lower case, and its JSON."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ChatServer(LoopbackServer):
    """Serves what a script says.

    `script`: what to do, request by request (then status 500), or by a function of the request's JSON.
    `key`: the one that is wanted, any other gets 401. `refuses`: parameters that are refused by name, with
    status 400; the script has no part in these. `received` are the requests so far.
    """

    def __init__(self, script: Script, *, key: str | None = None, refuses: Sequence[str] = ()) -> None:
        super().__init__(_handler(self))
        self.key = key
        self.refuses = refuses
        self.received: list[Received] = []
        self._lock = threading.Lock()
        self._script = script if callable(script) else _in_order(script)

    @property
    def azure_url(self) -> str:
        """The same server as a deployment of Azure."""
        return f"{self.root}{_AZURE}?api-version=2024-10-21"

    def behaviour(self, received: Received) -> Behaviour:
        """What to do about a request."""
        with self._lock:
            self.received.append(received)
            if received.path.partition("?")[0] not in _PATHS:
                return Status(404, f"no {received.path}")
            if received.path.startswith(_AZURE) and "api-version=" not in received.path:
                return Status(404, "Resource not found")
            if self.key is not None and _key(received.headers) != self.key:
                return Status(401, f"wrong key: {_key(received.headers)}")
            for name in self.refuses:
                if name in received.body:
                    message = f"Unsupported parameter: '{name}' is not supported with this model."
                    return Status(400, message, error={"param": name, "code": "unsupported_parameter"})
            return self._script(received.body)


def _key(headers: Mapping[str, str]) -> str:
    """The key in the headers, in each provider's place."""
    found = headers.get("api-key") or headers.get("x-api-key") or headers.get("authorization", "")
    return found.removeprefix("Bearer ")


def _in_order(script: Iterable[Behaviour]) -> Callable[[Mapping[str, Any]], Behaviour]:
    rest = iter(script)
    return lambda body: next(rest, Status(500, "the script has ended"))


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(size) or b"{}")
            headers = {name.lower(): value for name, value in self.headers.items()}
            found = server.behaviour(Received(self.path, headers, body))
            try:
                self._do(found, body)
            except OSError:
                self.close_connection = True

        def _do(self, found: Behaviour, body: Mapping[str, Any]) -> None:
            match found:
                case Status(code, said, retry_after, error, more):
                    extra = {} if retry_after is None else {"retry-after": str(retry_after)}
                    text = json.dumps({"error": {"message": said, **error}})
                    self._whole(code, text.encode(), extra={**extra, **more})
                case Redirect(location, code):
                    self._whole(code, b"", extra={"location": location})
                case Raw(content, content_type, code):
                    self._whole(code, content, content_type)
                case CutOff(text, characters):
                    self._stream(Answer(text[:characters]), body, is_whole=False)
                case Dropped():
                    self.close_connection = True
                case Endless(piece, seconds, code):
                    self._endless(piece, seconds, code)
                case Silence(seconds):
                    server.stopped.wait(seconds)
                    self.close_connection = True
                case _:
                    answer = Answer(found) if isinstance(found, str) else found
                    if body.get("stream"):
                        self._stream(answer, body)
                    else:
                        shape = message if self._is_anthropic() else completion
                        self._whole(200, json.dumps(shape(answer, body)).encode())

        def _is_anthropic(self) -> bool:
            return self.path == _MESSAGES

        def _whole(
            self,
            code: int,
            body: bytes,
            content_type: str = "application/json",
            extra: Mapping[str, str] | None = None,
        ) -> None:
            self.send_response(code)
            headers = {"content-type": content_type, "content-length": str(len(body))} | dict(extra or {})
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _start(self, code: int) -> None:
            self.send_response(code)
            self.send_header("content-type", "text/event-stream; charset=utf-8")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()

        def _stream(self, answer: Answer, body: Mapping[str, Any], *, is_whole: bool = True) -> None:
            """The events of an answer; if that is not all of it, the connection breaks behind its text."""
            self._start(200)
            events = _message_events if self._is_anthropic() else _completion_events
            for event in events(answer, body, is_whole):
                name = f"event: {event['type']}\n".encode() if self._is_anthropic() else b""
                self._chunk(name + b"data: " + json.dumps(event).encode() + b"\n\n")
            if not is_whole:
                self.close_connection = True
                return
            if not self._is_anthropic():
                self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

        def _endless(self, piece: bytes, seconds: float, code: int) -> None:
            self._start(code)
            end = time.monotonic() + 60
            while time.monotonic() < end and not server.stopped.wait(seconds):
                self._chunk(piece)
            self.close_connection = True

    return Handler


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


# --- OpenAI ------------------------------------------------------------------------------------------


def _completion_events(answer: Answer, body: Mapping[str, Any], is_whole: bool) -> Iterator[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"reasoning_content": each} for each in _pieces(answer.reasoning)]
    deltas += [{"content": each} for each in _pieces(answer.text)]
    deltas += [{"refusal": each} for each in _pieces(answer.refusal)]
    for each in _pieces(answer.arguments):
        deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": each}}]})
    if answer.arguments:
        deltas.append({"tool_calls": [{"index": 1, "function": {"arguments": "{}"}}]})
    choices: list[dict[str, Any]] = [{"delta": each, "index": 0, "finish_reason": None} for each in deltas]
    if is_whole:
        choices.append({"delta": {}, "index": 0, "finish_reason": answer.finish_reason})
    head = {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": answer.model or body.get("model", "m"),
    }
    yield from ({**head, "choices": [each]} for each in choices)
    if is_whole:
        yield {**head, "choices": [], "usage": _usage(answer)}


def _usage(answer: Answer) -> dict[str, Any]:
    found: dict[str, Any] = {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "total_tokens": answer.prompt_tokens + answer.completion_tokens,
    }
    if answer.cached or answer.thought:
        found["prompt_tokens_details"] = {"cached_tokens": answer.cached}
        found["completion_tokens_details"] = {"reasoning_tokens": answer.thought}
    return found if answer.cost is None else {**found, "cost": answer.cost}


def completion(answer: Answer, body: Mapping[str, Any]) -> dict[str, Any]:
    """The answer in one piece, as OpenAI has it."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.refusal:
        message |= {"refusal": answer.refusal, "content": None}
    if answer.arguments:
        calls = [{"function": {"name": "f", "arguments": each}} for each in (answer.arguments, "{}")]
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": answer.model or body.get("model", "m"),
        "choices": [choice],
        "usage": _usage(answer),
    }


# --- Anthropic ---------------------------------------------------------------------------------------


def _blocks(answer: Answer) -> list[tuple[dict[str, Any], str, str, str]]:
    """Each block as it begins, and the kind, the key and the text of what is added to it."""
    found: list[tuple[dict[str, Any], str, str, str]] = []
    block: dict[str, Any]
    if answer.reasoning:
        block = {"type": "thinking", "thinking": "", "signature": ""}
        found.append((block, "thinking_delta", "thinking", answer.reasoning))
    if answer.text:
        found.append(({"type": "text", "text": ""}, "text_delta", "text", answer.text))
    for arguments in (answer.arguments, "{}") if answer.arguments else ():
        block = {"type": "tool_use", "id": "t", "name": "answer", "input": {}}
        found.append((block, "input_json_delta", "partial_json", arguments))
    return found


def _stop(answer: Answer) -> dict[str, Any]:
    if answer.refusal:
        return {"stop_reason": "refusal", "stop_details": {"type": "refusal", "explanation": answer.refusal}}
    return {"stop_reason": _ENDS.get(answer.finish_reason, answer.finish_reason), "stop_sequence": None}


def _message_events(answer: Answer, body: Mapping[str, Any], is_whole: bool) -> Iterator[dict[str, Any]]:
    start = message(answer, body) | {"content": [], "stop_reason": None}
    start["usage"] = {**start["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    for at, (block, kind, key, text) in enumerate(_blocks(answer)):
        yield {"type": "content_block_start", "index": at, "content_block": block}
        for each in _pieces(text):
            yield {"type": "content_block_delta", "index": at, "delta": {"type": kind, key: each}}
        if is_whole:
            yield {"type": "content_block_stop", "index": at}
    if is_whole:
        usage = {"output_tokens": answer.completion_tokens}
        yield {"type": "message_delta", "delta": _stop(answer), "usage": usage}
        yield {"type": "message_stop"}


def message(answer: Answer, body: Mapping[str, Any]) -> dict[str, Any]:
    """The answer in one piece, as Anthropic has it."""
    content = []
    for block, _, key, text in _blocks(answer):
        content.append(
            {**block, "input": json.loads(text)} if block["type"] == "tool_use" else {**block, key: text}
        )
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": answer.model or body.get("model", "m"),
        "content": content,
        **_stop(answer),
        "usage": {
            "input_tokens": answer.prompt_tokens - answer.cached,
            "cache_read_input_tokens": answer.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": answer.completion_tokens,
        },
    }
