"""A model behind an OpenAI-compatible HTTP endpoint, by the official client library ([ENDPOINT-HTTP]).

The library makes the request; its body is read here, since the library bounds neither the size of an
answer nor the time that it takes in all.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Unpack
from urllib.parse import urlsplit

from potlang.models.endpoint.model import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Settings,
    every_setting,
)
from potlang.models.endpoint.stream import excerpt, read_completion
from potlang.utils.closing import Closing
from potlang.utils.extra import needed

DEFAULT_URL: Final = "https://api.openai.com/v1"
_NO_KEY: Final = "none"
"""Sent where there is no key: servers on one's own machine want none, the library wants one."""
_LARGEST_ERROR: Final = 65_536
_LONGEST_WAIT: Final = 60.0
_FIRST_WAIT: Final = 0.5
_SHORTEST_SECRET: Final = 8
_RETRIED: Final[frozenset[Failure]] = frozenset({"rate limit", "server"})
_STATUSES: Final[Mapping[int, Failure]] = {
    401: "unauthorized",
    403: "unauthorized",
    404: "not found",
    408: "timeout",
    413: "rejected",
    429: "rate limit",
    504: "timeout",
}
_SEPARATORS = re.compile(r"[\x00-\x20\x7f]")

JsonMode = Literal["schema", "object", "none"]
"""The endpoint is asked for JSON of a schema, for any JSON object, or for neither."""


@dataclass(frozen=True, kw_only=True)
class Endpoint(Closing):
    """A model at an endpoint. `timeout` is in seconds and covers all tries of one completion.

    `json_mode`: how the schema of an answer is passed on. `limit_name`: the endpoint's word for the most
    tokens of an answer. `stream` off: the answer is asked for in one piece. Raises ValueError for settings
    that no endpoint has.
    """

    model: str
    base_url: str = DEFAULT_URL
    key: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    retries: int = 3
    largest_answer: int = 4_000_000
    json_mode: JsonMode = "schema"
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    stream: bool = True
    _clients: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or _SEPARATORS.search(self.base_url):
            raise ValueError("the endpoint's base URL must be http://… or https://…")
        # A user and a password in the URL would be sent, and shown in errors.
        if parts.username is not None or parts.password is not None:
            raise ValueError("the endpoint's base URL must hold no user and no password: give a key")
        if not self.model:
            raise ValueError("the endpoint needs the name of a model")
        if self.key is not None and (not self.key.isascii() or _SEPARATORS.search(self.key) or not self.key):
            raise ValueError("the endpoint's key is empty or has characters that no header can hold")
        if self.timeout <= 0 or self.retries < 0 or self.largest_answer < 1:
            raise ValueError("the endpoint's limits must be positive")

    @classmethod
    def from_environment(
        cls, model: str | None = None, *, base_url: str | None = None, **settings: Any
    ) -> Endpoint:
        """The endpoint of `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `POTLANG_MODEL` ([ENDPOINT-ENV]).

        What is given counts more than the environment. Raises ValueError, also where no model is named.
        """
        name = model or os.environ.get("POTLANG_MODEL", "").strip()
        if not name:
            raise ValueError("no model is named: give one, or set POTLANG_MODEL")
        url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or DEFAULT_URL
        key = os.environ.get("OPENAI_API_KEY", "").strip() or None
        return cls(model=name, base_url=url, key=key, **settings)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The next message. Raises EndpointError, and MissingExtraError without the library.

        After "rate limit" and "server" it waits and tries again, as long as time and `retries` allow.
        """
        chosen = every_setting(settings)
        body = self._body(messages, chosen)
        # It takes seconds to import the library on a busy machine: none of the model's.
        openai = _library()
        client = self._client(openai)
        start = time.monotonic()
        end = start + (self.timeout if chosen["timeout"] is None else chosen["timeout"])
        for tries in range(1, self.retries + 2):
            try:
                found = self._try(openai, client, body, end)
            except _Failed as failed:
                wait = failed.wait if failed.wait is not None else _FIRST_WAIT * 2 ** (tries - 1)
                now = time.monotonic()
                if not failed.again or tries > self.retries or now + wait >= end:
                    detail = self._without_key(failed.detail)
                    raise EndpointError(failed.reason, detail, tries=tries, seconds=now - start) from None
                time.sleep(wait)
            else:
                return found._replace(seconds=time.monotonic() - start, tries=tries)
        raise AssertionError("the last try ends the loop")

    def close(self) -> None:
        """Close the connections, if there are any; the endpoint can still be used."""
        while self._clients:
            self._clients.pop().close()

    # --- one try ---------------------------------------------------------------------------------

    def _body(self, messages: Sequence[Message], settings: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": each.role, "content": _encodable(each.content)} for each in messages],
            "temperature": settings["temperature"],
            self.limit_name: settings["max_tokens"],
            "seed": settings["seed"],
        }
        schema = settings["schema"]
        if schema is not None and self.json_mode == "schema":
            answer = {"name": "answer", "schema": dict(schema)}
            found["response_format"] = {"type": "json_schema", "json_schema": answer}
        elif schema is not None and self.json_mode == "object":
            found["response_format"] = {"type": "json_object"}
        if self.stream:
            found |= {"stream": True, "stream_options": {"include_usage": True}}
        return {name: value for name, value in found.items() if value is not None}

    def _try(self, openai: Any, client: Any, body: dict[str, Any], end: float) -> Completion:
        """One request. Raises _Failed."""

        def check_time() -> None:
            if time.monotonic() > end:
                raise EndpointError("timeout", "the answer takes too long")

        # A timeout of zero or less would mean none to the client library.
        remaining = max(0.001, end - time.monotonic())
        create = client.chat.completions.with_streaming_response.create
        try:
            with create(**body, timeout=remaining) as response:
                content_type = response.headers.get("content-type", "")
                return read_completion(response.iter_bytes(), content_type, self.largest_answer, check_time)
        except EndpointError as error:
            raise _Failed(error.reason, error.detail, again=error.reason in _RETRIED) from None
        except _Failed:
            raise
        except Exception as error:
            raise _failed(error, openai) from None

    def _client(self, openai: Any) -> Any:
        if not self._clients:
            http = openai.DefaultHttpxClient(
                event_hooks={"response": [self._check_status]}, follow_redirects=False
            )
            self._clients.append(
                openai.OpenAI(
                    api_key=self.key or _NO_KEY, base_url=self.base_url, max_retries=0, http_client=http
                )
            )
        return self._clients[0]

    def _check_status(self, response: Any) -> None:
        """Ends a request that is answered with an error, or sent elsewhere. Raises _Failed.

        The library would read the whole of such an answer, however long it is.
        """
        status: int = response.status_code
        if status < 300:
            return
        if status < 400:
            response.close()
            raise _Failed("not found", _redirected(status, response.headers.get("location")))
        end = time.monotonic() + min(self.timeout, 10.0)
        found = b""
        for chunk in response.iter_bytes():
            found += chunk
            if len(found) > _LARGEST_ERROR or time.monotonic() > end:
                break
        response.close()
        raise _of_status(status, found.decode("utf-8", "replace"), response.headers.get("retry-after"))

    def _without_key(self, text: str) -> str:
        # A short key occurs in ordinary words, and no server repeats it on purpose.
        if self.key is None or len(self.key) < _SHORTEST_SECRET:
            return text
        return text.replace(self.key, "…")


class _Failed(Exception):
    """A try has no answer; `again`: another one may help, after `wait` seconds."""

    def __init__(
        self, reason: Failure, detail: str, *, again: bool = False, wait: float | None = None
    ) -> None:
        self.reason = reason
        self.detail = detail
        self.again = again
        self.wait = wait
        super().__init__(detail)


def _of_status(status: int, body: str, retry_after: str | None) -> _Failed:
    reason = _STATUSES.get(status, "rejected" if status < 500 else "server")
    detail = f"status {status}: {excerpt(body)}" if body.strip() else f"status {status}"
    # Some endpoints answer so when the account is empty: waiting does not fill it.
    again = reason in _RETRIED and "insufficient_quota" not in body
    return _Failed(reason, detail, again=again, wait=_seconds(retry_after))


def _redirected(status: int, location: str | None) -> str:
    """The message for a redirection: questions and a key are not sent to another address."""
    to = f" to {excerpt(location)}" if location else ""
    return f"status {status}: the base URL leads elsewhere{to}: give the address where the endpoint is"


def _seconds(retry_after: str | None) -> float | None:
    """The seconds to wait by the header; None where it does not say so in seconds."""
    if retry_after is None or not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", retry_after.strip()):
        return None
    return min(float(retry_after), _LONGEST_WAIT)


def _failed(error: Exception, openai: Any) -> _Failed:
    """The failure behind an exception of the client library or of httpx. Raises any other exception."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _Failed):
            return cause
        cause = cause.__cause__ or cause.__context__
    # By name: httpx is the client library's dependency, not ours, and need not be importable.
    names = {each.__name__ for each in type(error).__mro__}
    if isinstance(error, openai.APITimeoutError) or "TimeoutException" in names:
        return _Failed("timeout", "no answer in time")
    if isinstance(error, openai.APIConnectionError):
        below = error.__cause__
        below_names = {each.__name__ for each in type(below).__mro__}
        detail = excerpt(str(below or error))
        if below_names & {"ConnectError", "UnsupportedProtocol", "ProxyError"}:
            return _Failed("refused", detail)
        return _Failed("cut off", detail)
    if names & {"TransportError", "StreamError", "DecodingError"}:
        return _Failed("cut off", excerpt(str(error)) or "the connection broke")
    if isinstance(error, openai.APIError):
        return _Failed("malformed", excerpt(str(error)))
    raise error


def _encodable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _library() -> Any:
    return needed("openai", "models")
