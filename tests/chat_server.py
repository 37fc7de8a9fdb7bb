"""A server that speaks the chat-completions protocol and plays what it is given, also misbehaviour.

with ChatServer(["four", Status(429, retry_after=0)]) as server:
    Endpoint(model="m", base_url=server.base_url).complete([user("2 + 2?")])
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

_PATH: Final = "/v1/chat/completions"
_PIECE: Final = 7
"""Characters of an answer in one event of a stream."""


class Answer(NamedTuple):
    """A text, why it ends, and what it is said to have cost."""

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 11
    completion_tokens: int = 5


class Status(NamedTuple):
    """An error: a status, and what the body says of it."""

    code: int
    message: str = "no"
    retry_after: float | str | None = None


class Redirect(NamedTuple):
    """Another address to go to."""

    location: str
    code: int = 307


class Raw(NamedTuple):
    """A body as it is, with status 200."""

    body: bytes
    content_type: str = "application/json"


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


Behaviour = str | Answer | Status | Redirect | Raw | CutOff | Endless | Silence
Script = Iterable[Behaviour] | Callable[[Mapping[str, Any]], Behaviour]


class Received(NamedTuple):
    """A request: its path, its headers in lower case, and its JSON."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ChatServer:
    """Serves on a free port of this machine, in threads, from `with` on until its end.

    `script`: what to do, request by request (then status 500), or by a function of the request's JSON.
    `key`: the one that is wanted, any other gets 401. `received` are the requests so far.
    """

    def __init__(self, script: Script, *, key: str | None = None) -> None:
        self.key = key
        self.received: list[Received] = []
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._script = script if callable(script) else _in_order(script)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def base_url(self) -> str:
        """What a client is given."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def behaviour(self, received: Received) -> Behaviour:
        """What to do about a request."""
        with self._lock:
            self.received.append(received)
            if received.path != _PATH:
                return Status(404, f"no {received.path}")
            if self.key is not None and received.headers.get("authorization") != f"Bearer {self.key}":
                return Status(401, f"wrong key: {received.headers.get('authorization')}")
            return self._script(received.body)


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
                case Status(code, message, retry_after):
                    extra = {} if retry_after is None else {"retry-after": str(retry_after)}
                    self._whole(code, json.dumps({"error": {"message": message}}).encode(), extra=extra)
                case Redirect(location, code):
                    self._whole(code, b"", extra={"location": location})
                case Raw(content, content_type):
                    self._whole(200, content, content_type)
                case CutOff(text, characters):
                    self._stream(Answer(text[:characters]), is_whole=False)
                case Endless(piece, seconds, code):
                    self._endless(piece, seconds, code)
                case Silence(seconds):
                    server.stopped.wait(seconds)
                    self.close_connection = True
                case _:
                    answer = Answer(found) if isinstance(found, str) else found
                    if body.get("stream"):
                        self._stream(answer)
                    else:
                        self._whole(200, json.dumps(_completion(answer, body)).encode())

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

        def _stream(self, answer: Answer, *, is_whole: bool = True) -> None:
            """The events of an answer; if that is not all of it, the connection breaks behind its text."""
            self._start(200)
            for at in range(0, len(answer.text), _PIECE):
                content = answer.text[at : at + _PIECE]
                self._event({"choices": [{"delta": {"content": content}, "index": 0, "finish_reason": None}]})
            if not is_whole:
                self.close_connection = True
                return
            self._event({"choices": [{"delta": {}, "index": 0, "finish_reason": answer.finish_reason}]})
            self._event({"choices": [], "usage": _usage(answer)})
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")

        def _event(self, value: Mapping[str, Any]) -> None:
            event = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", **value}
            self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

        def _endless(self, piece: bytes, seconds: float, code: int) -> None:
            self._start(code)
            end = time.monotonic() + 60
            while time.monotonic() < end and not server.stopped.wait(seconds):
                self._chunk(piece)
            self.close_connection = True

    return Handler


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "total_tokens": answer.prompt_tokens + answer.completion_tokens,
    }


def _completion(answer: Answer, body: Mapping[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "m"),
        "choices": [choice],
        "usage": _usage(answer),
    }
