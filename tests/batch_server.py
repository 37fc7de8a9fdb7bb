"""A server with the batch interfaces of OpenAI and Anthropic, and what goes wrong with them.

with BatchServer(["four", Status(400, "no")], polls=2) as server:
    ...
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler
from typing import Any

from chat_server import Answer, Status, completion, message
from loopback_server import LoopbackServer

Outcome = str | Answer | Status
Outcomes = Sequence[Outcome] | Callable[[Mapping[str, Any]], Outcome | None]


class BatchServer(LoopbackServer):
    """Answers the requests of each batch with `outcomes`, after it was asked for `polls` times.

    These are in the order of the requests, or made of a request's body when it is handed in. Those without
    an outcome have none when a batch `ends` as expired or cancelled. `failed` is the reason of a batch that
    is not accepted. `fails` are statuses of the next calls, whatever they are. `batches` are the requests of
    each batch.
    """

    def __init__(
        self, outcomes: Outcomes, *, polls: int = 1, ends: str = "completed", failed: str = ""
    ) -> None:
        super().__init__(_handler(self))
        self.outcomes = outcomes
        self.polls = polls
        self.ends = ends
        self.failed = failed
        self.fails: list[int] = []
        self.calls: list[str] = []
        self.batches: list[list[dict[str, Any]]] = []
        self.canceled = False
        self._files: list[list[dict[str, Any]]] = []
        self._answers: list[list[Outcome | None]] = []
        self._left: list[int] = []

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests of the last batch."""
        return self.batches[-1]

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        """The status and the body for a call."""
        self.calls.append(f"{method} {path}")
        if self.fails:
            return self.fails.pop(0), b'{"error": {"message": "not now"}}'
        match method, *path.removeprefix("/v1").strip("/").split("/"):
            case "POST", "files":
                self._files.append(_lines_of_file(headers, body))
                return 200, _json({"id": f"file-{len(self._files)}"})
            case "POST", "batches":
                file = self._files[_number(json.loads(body)["input_file_id"])]
                return 200, _json({"id": self._begun(file), "status": "validating"})
            case "POST", "messages", "batches":
                requests = [{**each, "body": each["params"]} for each in json.loads(body)["requests"]]
                return 200, _json({"id": self._begun(requests), "processing_status": "in_progress"})
            case "POST", *_, batch, "cancel" if self._has(batch):
                self.canceled, self.ends = True, "cancelled"
                return 200, _json({"id": batch})
            case "GET", "batches", batch if self._has(batch):
                return 200, _json(self._openai_status(batch))
            case "GET", "messages", "batches", batch if self._has(batch):
                return 200, _json(self._anthropic_status(batch))
            case "GET", "files", name, "content":
                return 200, self._openai_lines(_number(name), errors=name.startswith("err"))
            case "GET", "messages", "batches", batch, "results" if self._has(batch):
                return 200, self._anthropic_lines(_number(batch))
        return 404, b'{"error": {"message": "no such path"}}'

    def _begun(self, requests: list[dict[str, Any]]) -> str:
        self.batches.append(requests)
        self._answers.append(self._outcomes(requests))
        self._left.append(self.polls)
        return f"batch_{len(self.batches)}"

    def _has(self, batch: str) -> bool:
        return batch.startswith("batch_") and 0 <= _number(batch) < len(self.batches)

    def _is_ended(self, batch: str) -> bool:
        at = _number(batch)
        # Who lowers `polls` meanwhile means the batches that there are, too.
        self._left[at] = min(self._left[at], self.polls) - 1
        return self.canceled or self._left[at] < 0

    def _outcomes(self, requests: list[dict[str, Any]]) -> list[Outcome | None]:
        if callable(self.outcomes):
            return [self.outcomes(each["body"]) for each in requests]
        return [*self.outcomes, *[None] * len(requests)][: len(requests)]

    def _openai_status(self, batch: str) -> dict[str, Any]:
        if self.failed:
            return {"id": batch, "status": "failed", "errors": {"data": [{"message": self.failed}]}}
        if not self._is_ended(batch):
            return {"id": batch, "status": "in_progress", "output_file_id": None}
        number = _number(batch) + 1
        files = {"output_file_id": f"out-{number}", "error_file_id": f"err-{number}"}
        return {"id": batch, "status": self.ends, **files, "request_counts": {"total": 2, "completed": 1}}

    def _anthropic_status(self, batch: str) -> dict[str, Any]:
        state = "ended" if self._is_ended(batch) else "in_progress"
        elsewhere = "http://127.0.0.1:1/results"
        return {"id": batch, "processing_status": state, "results_url": elsewhere}

    def _results(self, at: int) -> list[tuple[dict[str, Any], Outcome | None]]:
        return list(zip(self.batches[at], self._answers[at], strict=True))

    def _openai_lines(self, at: int, *, errors: bool) -> bytes:
        found = []
        # Results come in any order.
        for request, outcome in reversed(self._results(at)):
            if isinstance(outcome, Status) and errors:
                error = {"error": {"message": outcome.message, **outcome.error}}
                response = {"status_code": outcome.code, "body": error}
                found.append({"custom_id": request["custom_id"], "response": response, "error": None})
            elif isinstance(outcome, str | Answer) and not errors:
                answer = Answer(outcome) if isinstance(outcome, str) else outcome
                response = {"status_code": 200, "body": completion(answer, request["body"])}
                found.append({"custom_id": request["custom_id"], "response": response, "error": None})
            elif outcome is None and errors and self.ends == "expired":
                gone = {"code": "batch_expired", "message": "This request could not be executed in time."}
                found.append({"custom_id": request["custom_id"], "response": None, "error": gone})
        return b"\n".join(map(_json, found))

    def _anthropic_lines(self, at: int) -> bytes:
        found = []
        for request, outcome in self._results(at):
            result: dict[str, Any] = {"type": "expired" if self.ends == "expired" else "canceled"}
            if isinstance(outcome, Status):
                error = {"type": "invalid_request_error", "message": outcome.message, **outcome.error}
                result = {"type": "errored", "error": {"type": "error", "error": error}}
            elif outcome is not None:
                answer = Answer(outcome) if isinstance(outcome, str) else outcome
                result = {"type": "succeeded", "message": message(answer, request["body"])}
            found.append({"custom_id": request["custom_id"], "result": result})
        return b"\n".join(map(_json, reversed(found))) + b"\n"


def _number(name: str) -> int:
    """The index of a batch or a file by its name, which counts from 1."""
    digits = name.replace("_", "-").partition("-")[2]
    return int(digits) - 1 if digits.isdigit() else -1


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _lines_of_file(headers: Mapping[str, str], body: bytes) -> list[dict[str, Any]]:
    kind = headers["content-type"].encode()
    whole = BytesParser(policy=HTTP).parsebytes(b"content-type: " + kind + b"\r\n\r\n" + body)
    parts = {part.get_param("name", header="content-disposition"): part for part in whole.iter_parts()}
    assert parts["purpose"].get_payload(decode=True) == b"batch"
    return [json.loads(each) for each in parts["file"].get_payload(decode=True).decode().splitlines()]


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
