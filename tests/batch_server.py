"""A server with the batch interfaces of OpenAI and Anthropic, and what goes wrong with them.

with BatchServer(["four", Status(400, "no")], polls=2) as server:
    ...
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from chat_server import Answer, Status, completion, message

Outcome = str | Answer | Status


class BatchServer:
    """Answers the requests of a batch with `outcomes`, in order, after it was asked for `polls` times.

    Those without an outcome have none when it `ends` as expired or cancelled. `failed` is the reason of a
    batch that is not accepted. `fails` are statuses of the next calls, whatever they are.
    """

    def __init__(
        self, outcomes: Sequence[Outcome], *, polls: int = 1, ends: str = "completed", failed: str = ""
    ) -> None:
        self.outcomes = outcomes
        self.polls = polls
        self.ends = ends
        self.failed = failed
        self.fails: list[int] = []
        self.calls: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.canceled = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def root(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> BatchServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        """The status and the body for a call."""
        self.calls.append(f"{method} {path}")
        if self.fails:
            return self.fails.pop(0), b'{"error": {"message": "not now"}}'
        match method, path.removeprefix("/v1"):
            case "POST", "/files":
                self._take_file(headers, body)
                return 200, b'{"id": "file-1"}'
            case "POST", "/batches":
                assert json.loads(body)["input_file_id"] == "file-1"
                return 200, b'{"id": "batch_1", "status": "validating"}'
            case "POST", "/messages/batches":
                self.requests = [{**each, "body": each["params"]} for each in json.loads(body)["requests"]]
                return 200, b'{"id": "batch_1", "processing_status": "in_progress"}'
            case "POST", "/batches/batch_1/cancel" | "/messages/batches/batch_1/cancel":
                self.canceled, self.ends = True, "cancelled"
                return 200, b'{"id": "batch_1"}'
            case "GET", "/batches/batch_1":
                return 200, json.dumps(self._openai_status()).encode()
            case "GET", "/messages/batches/batch_1":
                return 200, json.dumps(self._anthropic_status()).encode()
            case "GET", "/files/out/content":
                return 200, self._openai_lines(errors=False)
            case "GET", "/files/err/content":
                return 200, self._openai_lines(errors=True)
            case "GET", "/messages/batches/batch_1/results":
                return 200, self._anthropic_lines()
        return 404, b'{"error": {"message": "no such path"}}'

    def _take_file(self, headers: Mapping[str, str], body: bytes) -> None:
        kind = headers["content-type"].encode()
        whole = BytesParser(policy=HTTP).parsebytes(b"content-type: " + kind + b"\r\n\r\n" + body)
        parts = {part.get_param("name", header="content-disposition"): part for part in whole.iter_parts()}
        assert parts["purpose"].get_payload(decode=True) == b"batch"
        lines = parts["file"].get_payload(decode=True).decode().splitlines()
        self.requests = [json.loads(each) for each in lines]

    def _is_ended(self) -> bool:
        self.polls -= 1
        return self.canceled or self.polls < 0

    def _openai_status(self) -> dict[str, Any]:
        if self.failed:
            return {"id": "batch_1", "status": "failed", "errors": {"data": [{"message": self.failed}]}}
        if not self._is_ended():
            return {"id": "batch_1", "status": "in_progress", "output_file_id": None}
        files = {"output_file_id": "out", "error_file_id": "err"}
        return {"id": "batch_1", "status": self.ends, **files, "request_counts": {"total": 2, "completed": 1}}

    def _anthropic_status(self) -> dict[str, Any]:
        state = "ended" if self._is_ended() else "in_progress"
        elsewhere = "http://127.0.0.1:1/results"
        return {"id": "batch_1", "processing_status": state, "results_url": elsewhere}

    def _openai_lines(self, *, errors: bool) -> bytes:
        found = []
        # Results come in any order.
        for request, outcome in reversed(list(zip(self.requests, self.outcomes, strict=False))):
            if isinstance(outcome, Status) is not errors:
                continue
            if isinstance(outcome, Status):
                error = {"error": {"message": outcome.message, **outcome.error}}
                response = {"status_code": outcome.code, "body": error}
            else:
                answer = Answer(outcome) if isinstance(outcome, str) else outcome
                response = {"status_code": 200, "body": completion(answer, request["body"])}
            found.append({"custom_id": request["custom_id"], "response": response, "error": None})
        if errors and self.ends == "expired":
            for request in self.requests[len(self.outcomes) :]:
                error = {"code": "batch_expired", "message": "This request could not be executed in time."}
                found.append({"custom_id": request["custom_id"], "response": None, "error": error})
        return b"\n".join(json.dumps(each).encode() for each in found)

    def _anthropic_lines(self) -> bytes:
        found = []
        for at, request in enumerate(self.requests):
            result: dict[str, Any] = {"type": "expired" if self.ends == "expired" else "canceled"}
            if at < len(self.outcomes):
                outcome = self.outcomes[at]
                if isinstance(outcome, Status):
                    error = {"type": "invalid_request_error", "message": outcome.message, **outcome.error}
                    result = {"type": "errored", "error": {"type": "error", "error": error}}
                else:
                    answer = Answer(outcome) if isinstance(outcome, str) else outcome
                    result = {"type": "succeeded", "message": message(answer, request["body"])}
            found.append({"custom_id": request["custom_id"], "result": result})
        return b"\n".join(json.dumps(each).encode() for each in reversed(found)) + b"\n"


def _handler(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            code, found = server.answer(self.command, self.path, headers, body)
            self.send_response(code)
            self.send_header("content-length", str(len(found)))
            self.end_headers()
            self.wfile.write(found)

        do_GET = do_POST = _do  # noqa: N815 - the names that the library calls

    return Handler
