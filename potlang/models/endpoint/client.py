"""A model behind an HTTP endpoint ([ENDPOINT-HTTP]): waits, tries again, leaves out what is refused."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Unpack
from urllib.parse import urlsplit

from potlang.models.endpoint.connection import JSON_HEADERS, Connection, json_content
from potlang.models.endpoint.failures import RETRIED, TryFailed
from potlang.models.endpoint.model import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Settings,
    every_setting,
)
from potlang.models.endpoint.providers import (
    OPENAI_URL,
    PROTOCOLS,
    Provider,
    ProviderProtocol,
    address,
    azure_url,
    place_in_environment,
    provider_of,
)
from potlang.models.endpoint.request import JsonMode, LimitName, ModelRequest, is_guessed, next_step
from potlang.models.endpoint.stream import PartialAnswer, excerpt, read_answer
from potlang.utils.closing import Closing

_FIRST_WAIT: Final = 0.5
_SHORTEST_SECRET: Final = 8
_FILTERED: Final = "content_filter"
_SEPARATORS = re.compile(r"[\x00-\x20\x7f]")


class _LearntWays:
    """The ways of an endpoint, as far as it has shown them. Shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.without: frozenset[str] = frozenset()
        self.notes: tuple[str, ...] = ()

    def leave_out(self, names: frozenset[str]) -> None:
        with self._lock:
            self.without |= names
        for name in sorted(names):
            self.note(f"the endpoint does not take `{name}` as it was sent: asked without")

    def note(self, text: str) -> None:
        """Keeps a note, the same one once."""
        with self._lock:
            if text not in self.notes:
                self.notes += (text,)


@dataclass(frozen=True, kw_only=True)
class Endpoint(Closing):
    """A model at an endpoint. `timeout` is in seconds and covers all tries of one completion.

    `provider`: whose protocol it speaks; by default what the URL shows, and else OpenAI's. `json_mode`: how
    the schema of an answer is passed on. `limit_name`: the endpoint's word for the most tokens of an answer.
    `stream` off: the answer is asked for in one piece. What the endpoint refuses of these is left out or
    exchanged, for as long as this object is used ([ENDPOINT-REFUSED]). Raises ValueError for settings that
    no endpoint has.
    """

    model: str
    base_url: str = OPENAI_URL
    provider: Provider | None = None
    key: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    retries: int = 3
    largest_answer: int = 4_000_000
    json_mode: JsonMode = "schema"
    limit_name: LimitName = "max_tokens"
    stream: bool = True
    connection: Connection = field(default_factory=Connection, init=False, repr=False, compare=False)
    _session: _LearntWays = field(default_factory=_LearntWays, init=False, repr=False, compare=False)

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
        if self.provider is None:
            object.__setattr__(self, "provider", provider_of(self.base_url))
        if self.provider == "azure":
            version = os.environ.get("OPENAI_API_VERSION", "").strip()
            object.__setattr__(self, "base_url", azure_url(self.base_url, self.model, version))

    @classmethod
    def from_environment(
        cls,
        model: str | None = None,
        *,
        base_url: str | None = None,
        provider: Provider | None = None,
        **settings: Any,
    ) -> Endpoint:
        """The endpoint that the environment names, with its key and POTLANG_MODEL ([ENDPOINT-ENV]).

        What is given counts more than the environment. Raises ValueError, also where no model is named.
        """
        name = model or os.environ.get("POTLANG_MODEL", "").strip()
        if not name:
            raise ValueError("no model is named: give one (a command's `--model`), or set POTLANG_MODEL")
        place = place_in_environment(base_url, provider, name)
        return cls(model=name, **place._asdict(), **settings)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    @property
    def place(self) -> str:
        """All that an answer depends on beside the model and the request: provider, URL, form of requests."""
        return f"{self.provider} {self.base_url} {self.json_mode}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the answers so far, for whoever asked: settings left out, another model."""
        return self._session.notes

    @property
    def protocol(self) -> ProviderProtocol:
        """How the provider is spoken to."""
        assert self.provider is not None
        return PROTOCOLS[self.provider]

    def complete(self, messages: Sequence[Message], **settings: Unpack[Settings]) -> Completion:
        """The next message. Raises EndpointError, and MissingExtraError without the library.

        What may pass is tried again, as long as time and `retries` allow ([ENDPOINT-RETRY]).
        """
        chosen = every_setting(settings)
        request = self.request(messages, chosen)
        # It takes seconds to import the library on a busy machine: none of the model's.
        self.connection.open()
        start = time.monotonic()
        end = start + (self.timeout if chosen["timeout"] is None else chosen["timeout"])
        tries = failures = 0
        broken: list[Completion] = []
        while True:
            tries += 1
            body = self.protocol.body(request)
            try:
                found = self._try(body, end)
            except TryFailed as failed:
                if (step := _refused(failed, body, request)) is not None:
                    request = self._without(step, failed, body, request)
                    continue
                failures += 1
                wait = failed.wait if failed.wait is not None else _FIRST_WAIT * 2 ** (failures - 1)
                now = time.monotonic()
                if not failed.again or failures > self.retries or now + wait >= end:
                    raise self._error(failed, tries, now - start, broken) from None
                if failed.received is not None:
                    broken.append(failed.received)
                time.sleep(wait)
            else:
                self._session.leave_out(request.without - self._session.without)
                seconds = time.monotonic() - start
                return found._replace(seconds=seconds, tries=tries, broken=tuple(broken))

    def request(self, messages: Sequence[Message], settings: dict[str, Any]) -> ModelRequest:
        """The request that the endpoint is sent, as far as it is known what it takes. `settings` are all."""
        return ModelRequest(
            self.model,
            tuple(messages),
            settings,
            self.json_mode,
            self.limit_name,
            self.stream,
            self._session.without,
        )

    @property
    def left_out(self) -> frozenset[str]:
        """The parts of requests that the endpoint does not take, as far as it has said so."""
        return self._session.without

    def learn(self, failed: TryFailed, body: dict[str, Any], request: ModelRequest) -> None:
        """Leaves out of further requests what this one was refused for, if the endpoint names it."""
        step = _refused(failed, body, request)
        if step is not None and failed.stated is not None and not is_guessed(failed.stated, body):
            self._session.leave_out(frozenset({step}))

    @property
    def headers(self) -> dict[str, str]:
        """The headers of each request, with the key."""
        return {**JSON_HEADERS, **self.protocol.headers(self.key)}

    def address(self, path: str) -> str:
        """The URL of a path of the provider."""
        assert self.provider is not None
        return address(self.provider, self.base_url, path)

    def close(self) -> None:
        """Close the connections, if there are any; the endpoint can still be used."""
        self.connection.close()

    def without_key(self, text: str) -> str:
        """The text without the key, which some servers say back."""
        # A short key occurs in ordinary words, and no server repeats it on purpose.
        if self.key is None or len(self.key) < _SHORTEST_SECRET:
            return text
        return text.replace(self.key, "…")

    # --- one try ---------------------------------------------------------------------------------

    def _try(self, body: dict[str, Any], end: float) -> Completion:
        """One request. Raises TryFailed."""

        def check_time() -> None:
            if time.monotonic() > end:
                raise EndpointError("timeout", "the answer takes too long")

        answer = PartialAnswer()
        url = self.address(self.protocol.path)
        try:
            with self.connection.ask("POST", url, self.headers, end, **json_content(body)) as response:
                kind = response.headers.get("content-type", "")
                chunks = response.iter_bytes()
                dialect = self.protocol.dialect
                done = read_answer(answer, chunks, kind, dialect, self.largest_answer, check_time)
        except EndpointError as error:
            received = answer.received(error.reason)
            again = error.reason in RETRIED and _may_help(error.reason, received)
            raise TryFailed(error.reason, error.detail, again=again, received=received) from None
        except TryFailed as failed:
            if (filtered := filtered_answer(failed)) is not None:
                return filtered
            failed.received = answer.received(failed.reason)
            failed.again = failed.again and _may_help(failed.reason, failed.received)
            raise
        self._note_model(done.model)
        return self.protocol.finished(body, done)

    def _note_model(self, said: str) -> None:
        # A deployment of Azure has a name of its own.
        if said and self.provider != "azure" and is_other_model(self.model, said):
            self._session.note(f"asked for the model {self.model}, the endpoint says that {said} answered")

    def _without(
        self, step: str, failed: TryFailed, body: dict[str, Any], request: ModelRequest
    ) -> ModelRequest:
        """The request without what was refused; for all further ones too if the endpoint said what it was."""
        assert failed.stated is not None
        if not is_guessed(failed.stated, body):
            self._session.leave_out(frozenset({step}))
        return request._replace(without=request.without | {step})

    def _error(
        self, failed: TryFailed, tries: int, seconds: float, broken: list[Completion]
    ) -> EndpointError:
        return EndpointError(
            failed.reason,
            self.without_key(failed.detail),
            tries=tries,
            seconds=seconds,
            received=failed.received,
            broken=tuple(broken),
        )


def filtered_answer(failed: TryFailed) -> Completion | None:
    """The answer of a filter that looked at the question, which asking again would not change; else None."""
    if failed.stated is None or failed.stated.code != _FILTERED:
        return None
    return Completion("", finish_reason=_FILTERED, refusal=excerpt(failed.stated.message))


def _may_help(reason: Failure, received: Completion | None) -> bool:
    """False for an answer that broke off in the middle: it is paid for, and whoever asked decides."""
    return reason != "cut off" or received is None


def _refused(failed: TryFailed, body: dict[str, Any], request: ModelRequest) -> str | None:
    """The part of a request that the endpoint does not take; None if that is not why it failed."""
    if failed.reason != "rejected" or failed.stated is None:
        return None
    return next_step(failed.stated, body, request.without)


def is_other_model(asked: str, said: str) -> bool:
    """Whether a model is another than the one asked for, and not its version or its full name."""
    one, other = (each.lower().rpartition("/")[2] for each in (asked, said))
    return not (one.startswith(other) or other.startswith(one))
