"""Many requests at once, for half the price, some hours later ([ENDPOINT-BATCH]).

with Endpoint(model="m") as endpoint:
    for index, found in Batches(endpoint).complete_many(requests, saved=Path("batch.json")):
        ...
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from potlang.models.endpoint.client import Endpoint, filtered_answer
from potlang.models.endpoint.connection import json_content
from potlang.models.endpoint.failures import RETRIED, TryFailed, error_in_body, failed_by_status, stated_error
from potlang.models.endpoint.model import Completion, EndpointError, Message, Settings, every_setting
from potlang.models.endpoint.request import ModelRequest
from potlang.models.endpoint.stream import PartialAnswer, excerpt

MOST_REQUESTS: Final = 50_000
LARGEST_BATCH: Final = 200_000_000
"""Requests and bytes of a batch; one of the providers takes more."""
_MOST_AROUND: Final = 200
_ID = re.compile(r"[A-Za-z0-9_.-]{1,200}")
_NAME: Final = "request-"
_CALL_SECONDS: Final = 120.0
_LONGEST_WAIT: Final = 30.0
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled", "ended"})
_PASSING: Final = frozenset({*RETRIED, "refused", "timeout"})
_MOST_SILENT: Final = 20
"""Questions about a batch, one after the other, without an answer."""
_CHAT_URL: Final = "/v1/chat/completions"

Result = Completion | EndpointError


class BatchRequest(NamedTuple):
    """One request of a batch; a `timeout` among its settings means nothing."""

    messages: Sequence[Message]
    settings: Settings = Settings()


class BatchStatus(NamedTuple):
    """How far a batch is. `state` is the provider's word, `done` counts requests with a result."""

    state: str
    done: int
    is_ended: bool
    value: dict[str, Any]


class Batches:
    """Batches of requests at an endpoint of OpenAI's interface or Anthropic's.

    Raises ValueError for Azure's classic form, which has them elsewhere.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        if endpoint.provider == "azure":
            raise ValueError("Azure's classic form has no batches: give its address below /openai/v1")
        self._endpoint = endpoint
        self._is_anthropic = endpoint.provider == "anthropic"
        self._path = "/messages/batches" if self._is_anthropic else "/batches"

    def complete_many(
        self,
        requests: Sequence[BatchRequest],
        *,
        saved: Path | None = None,
        every: float = _LONGEST_WAIT,
        timeout: float = 90_000.0,
    ) -> Iterator[tuple[int, Result]]:
        """The result of each request with its index, in any order, each once; a request may have failed by
        itself.

        The batch's id is kept in the file `saved`: a call with the same requests goes on with that batch, or
        has its results once more. `every` so many seconds it is asked for, the first times sooner. Raises
        EndpointError, "timeout" after so many seconds, while the batch goes on; ValueError for requests that
        are no batch, or not that of the file; OSError.
        """
        if not requests:
            return
        batch = self._saved(saved, requests)
        if batch is None:
            batch = self.submit(requests)
            if saved is not None:
                saved.write_text(json.dumps({"batch": batch, "requests": self._digest(requests)}))
        self.wait(batch, every=every, timeout=timeout)
        yield from self.results(batch, requests)

    def submit(self, requests: Sequence[BatchRequest]) -> str:
        """Hands the requests in; the id of their batch. Raises EndpointError and ValueError.

        What becomes of it is not known where the answer is lost: it is not handed in again by itself.
        """
        if self._is_anthropic:
            lines = (json.dumps({"custom_id": name, "params": body}) for name, body in self._bodies(requests))
            text = _bounded(lines, len(requests), ",")
            content: dict[str, Any] = {"content": f'{{"requests":[{text}]}}'.encode()}
        else:
            content = json_content(
                {
                    "input_file_id": self._upload(requests),
                    "endpoint": _CHAT_URL,
                    "completion_window": "24h",
                }
            )
        return _id_in(self._call("POST", self._path, again=("rate limit",), **content))

    def status(self, batch: str) -> BatchStatus:
        """How far a batch is. Raises EndpointError."""
        value = self._call("GET", f"{self._path}/{quote(batch, safe='')}")
        state = str(value.get("processing_status" if self._is_anthropic else "status"))
        counts = value.get("request_counts")
        numbers = counts.items() if isinstance(counts, dict) else ()
        done = sum(
            each for name, each in numbers if isinstance(each, int) and name not in ("processing", "total")
        )
        return BatchStatus(state, done, state in _ENDED, value)

    def wait(
        self,
        batch: str,
        *,
        every: float = _LONGEST_WAIT,
        timeout: float = 90_000.0,
        told: Callable[[BatchStatus], object] = lambda status: None,
    ) -> BatchStatus:
        """Waits for the end of a batch. Raises EndpointError, "timeout" after so many seconds.

        `told` is called with each status. An endpoint that does not answer for a while is asked again.
        """
        start = time.monotonic()
        pause = min(1.0, every)
        silent = 0
        state = "not known"
        while True:
            try:
                found = self.status(batch)
            except EndpointError as error:
                silent += 1
                if error.reason not in _PASSING or silent > _MOST_SILENT:
                    raise
            else:
                silent, state = 0, found.state
                told(found)
                if found.is_ended:
                    return found
            if time.monotonic() - start + pause > timeout:
                raise EndpointError("timeout", f"the batch {batch} is not done: {state}")
            time.sleep(pause)
            pause = min(2 * pause, every)

    def parts(self, requests: Sequence[BatchRequest]) -> Iterator[range]:
        """The indices of the requests that fit into a batch each, in order."""
        start = size = 0
        for at, each in enumerate(requests):
            # Beside the body there is its name, and where it goes.
            more = len(json.dumps(self._body(each))) + _MOST_AROUND
            if at > start and (at - start == MOST_REQUESTS or size + more > LARGEST_BATCH):
                yield range(start, at)
                start, size = at, 0
            size += more
        if requests:
            yield range(start, len(requests))

    def cancel(self, batch: str) -> None:
        """Takes a batch back; what was done by then has results. Raises EndpointError."""
        self._call("POST", f"{self._path}/{quote(batch, safe='')}/cancel")

    def results(self, batch: str, requests: Sequence[BatchRequest | None]) -> Iterator[tuple[int, Result]]:
        """The results of a batch that has ended, each index once; None for a request whose result is not
        wanted. Raises EndpointError.
        """
        status = self.status(batch)
        open_ones = {at: request for at, request in enumerate(requests) if request is not None}
        for path in self._result_paths(batch, status.value):
            for line in self._lines(path):
                request = open_ones.pop(_index(line.get("custom_id")), None)
                if request is not None:
                    yield _index(line.get("custom_id")), self._result(line, request)
        for index in sorted(open_ones):
            yield index, _without_result(status)

    # --- requests ---

    def _bodies(self, requests: Sequence[BatchRequest]) -> Iterator[tuple[str, dict[str, Any]]]:
        for at, each in enumerate(requests):
            yield f"{_NAME}{at}", self._body(each)

    def _body(self, request: BatchRequest) -> dict[str, Any]:
        return self._endpoint.protocol.body(self._request(request))

    def _request(self, request: BatchRequest) -> ModelRequest:
        made = self._endpoint.request(request.messages, every_setting(request.settings))
        return made._replace(stream=False)

    def _digest(self, requests: Sequence[BatchRequest]) -> str:
        state = hashlib.sha256(self._endpoint.place.encode())
        for each in requests:
            # Not the body: what the endpoint refuses of that may have been learnt since.
            parts = [self._endpoint.model, [m.to_dict() for m in each.messages], dict(each.settings)]
            state.update(json.dumps(parts, sort_keys=True).encode() + b"\n")
        return state.hexdigest()

    def _saved(self, path: Path | None, requests: Sequence[BatchRequest]) -> str | None:
        """The batch in a file; None if there is none yet. Raises ValueError for one of other requests."""
        if path is None or not path.exists():
            return None
        try:
            value = json.loads(path.read_bytes()[:10_000])
            batch, digest = value["batch"], value["requests"]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{path} is no record of a batch") from None
        if digest != self._digest(requests) or not isinstance(batch, str) or not _ID.fullmatch(batch):
            raise ValueError(f"{path} is the record of other requests")
        return batch

    def _upload(self, requests: Sequence[BatchRequest]) -> str:
        lines = (
            json.dumps({"custom_id": name, "method": "POST", "url": _CHAT_URL, "body": body})
            for name, body in self._bodies(requests)
        )
        data = _bounded(lines, len(requests), "\n").encode() + b"\n"
        file = ("batch.jsonl", data, "application/jsonl")
        return _id_in(self._call("POST", "/files", data={"purpose": "batch"}, files={"file": file}))

    # --- results ---

    def _result_paths(self, batch: str, value: dict[str, Any]) -> list[str]:
        if self._is_anthropic:
            # Not the URL that the answer gives: the key goes to no other address.
            return [f"{self._path}/{quote(batch, safe='')}/results"]
        files = (value.get(name) for name in ("output_file_id", "error_file_id"))
        return [f"/files/{quote(each, safe='')}/content" for each in files if isinstance(each, str) and each]

    def _result(self, line: dict[str, Any], request: BatchRequest) -> Result:
        try:
            if self._is_anthropic:
                return self._of_anthropic(line, request)
            return self._of_openai(line, request)
        except TryFailed as failed:
            if (filtered := filtered_answer(failed)) is not None:
                return filtered
            self._endpoint.learn(failed, self._body(request), self._request(request))
            return EndpointError(failed.reason, self._endpoint.without_key(failed.detail))
        except EndpointError as error:
            return error

    def _of_openai(self, line: dict[str, Any], request: BatchRequest) -> Completion:
        response = line.get("response")
        if not isinstance(response, dict):
            stated = stated_error(line)
            if stated.code in _OPEN_ENDS:
                raise EndpointError(*_OPEN_ENDS[stated.code])
            raise error_in_body(line)
        status, body = response.get("status_code"), response.get("body")
        if isinstance(status, int) and status >= 300:
            raise failed_by_status(status, json.dumps(body), {})
        return self._completion(body, request)

    def _of_anthropic(self, line: dict[str, Any], request: BatchRequest) -> Completion:
        result = line.get("result")
        kind = result.get("type") if isinstance(result, dict) else None
        if not isinstance(result, dict) or kind not in ("succeeded", "errored", "expired", "canceled"):
            raise EndpointError("malformed", f"no result: {excerpt(json.dumps(line))}")
        if kind == "succeeded":
            return self._completion(result.get("message"), request)
        if kind != "errored":
            raise EndpointError(*_OPEN_ENDS[kind])
        error = result.get("error")
        # The error is a whole answer with an error in it.
        inner = error if isinstance(error, dict) and "error" in error else {"error": error}
        stated = stated_error(inner)
        if stated.kind == "invalid_request_error":
            raise failed_by_status(400, json.dumps(inner), {})
        raise error_in_body(inner)

    def _completion(self, value: Any, request: BatchRequest) -> Completion:
        if not isinstance(value, dict):
            raise EndpointError("malformed", "the result is no answer")
        protocol = self._endpoint.protocol
        if value.get("error") is not None:
            raise protocol.dialect.error(value)
        answer = PartialAnswer()
        protocol.dialect.whole(answer, value)
        return protocol.finished(self._body(request), answer.completion(answer.finish or "stop"))

    # --- calls ---

    def _call(self, method: str, path: str, *, again: Iterable[str] = (), **content: Any) -> dict[str, Any]:
        """The JSON object that a call gives; tried again like a completion, if it is for one of these reasons
        or no reasons are given.
        """
        reasons = frozenset(again)
        tries = 0
        while True:
            tries += 1
            try:
                return self._once(method, path, content)
            except TryFailed as failed:
                may_help = failed.again and (not reasons or failed.reason in reasons)
                if not may_help or tries > self._endpoint.retries:
                    detail = self._endpoint.without_key(failed.detail)
                    raise EndpointError(failed.reason, detail, tries=tries) from None
                time.sleep(failed.wait if failed.wait is not None else 0.5 * 2**tries)

    def _once(self, method: str, path: str, content: dict[str, Any]) -> dict[str, Any]:
        end = time.monotonic() + _CALL_SECONDS
        headers = self._endpoint.headers
        if "files" in content:
            # The client names the boundary between the parts.
            del headers["content-type"]
        url = self._endpoint.address(path)
        with self._endpoint.connection.ask(method, url, headers, end, **content) as response:
            body = b""
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > self._endpoint.largest_answer or time.monotonic() > end:
                    raise EndpointError("too large", "the answer about the batch takes too much")
        return _object(body)

    def _lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The objects of a file of JSON Lines, one in memory at a time. Raises EndpointError."""
        end = time.monotonic() + 10 * _CALL_SECONDS
        url = self._endpoint.address(path)
        rest = b""
        try:
            with self._endpoint.connection.ask("GET", url, self._endpoint.headers, end) as response:
                for chunk in response.iter_bytes():
                    *lines, rest = (rest + chunk).split(b"\n")
                    yield from (_object(each) for each in lines if each.strip())
                    if len(rest) > self._endpoint.largest_answer:
                        raise EndpointError("too large", "a result is longer than allowed")
                    if time.monotonic() > end:
                        raise EndpointError("timeout", "the results take too long")
        except TryFailed as failed:
            raise EndpointError(failed.reason, self._endpoint.without_key(failed.detail)) from None
        if rest.strip():
            yield _object(rest)


_OPEN_ENDS: Final[dict[str, tuple[Any, str]]] = {
    "batch_expired": ("timeout", "the batch expired before this request was answered"),
    "expired": ("timeout", "the batch expired before this request was answered"),
    "batch_cancelled": ("canceled", "the batch was taken back"),
    "canceled": ("canceled", "the batch was taken back"),
    "cancelled": ("canceled", "the batch was taken back"),
}


def _without_result(status: BatchStatus) -> EndpointError:
    """Why a request of an ended batch has no result."""
    if status.state in _OPEN_ENDS:
        return EndpointError(*_OPEN_ENDS[status.state])
    errors = status.value.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    if status.state == "failed":
        first = listed[0] if isinstance(listed, list) and listed else {}
        return EndpointError("rejected", excerpt(stated_error(first).message) or "the batch failed")
    return EndpointError("cut off", "the batch has no result for this request")


def _bounded(lines: Iterable[str], count: int, separator: str) -> str:
    if count > MOST_REQUESTS:
        raise ValueError(f"a batch has at most {MOST_REQUESTS:,} requests")
    kept: list[str] = []
    size = 0
    for each in lines:
        size += len(each) + 1
        if size > LARGEST_BATCH:
            raise ValueError(f"a batch has at most {LARGEST_BATCH:,} bytes")
        kept.append(each)
    return separator.join(kept)


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise EndpointError(
            "malformed", f"no JSON object: {excerpt(body[:1_000].decode('utf-8', 'replace'))}"
        )
    return value


def _id_in(value: dict[str, Any]) -> str:
    found = value.get("id")
    if not isinstance(found, str) or not _ID.fullmatch(found):
        raise EndpointError("malformed", "the answer has no id")
    return found


def _index(name: Any) -> int:
    """The index of the request with this name; -1 for no name of ours."""
    digits = name.removeprefix(_NAME) if isinstance(name, str) and name.startswith(_NAME) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1
