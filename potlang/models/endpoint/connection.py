"""Requests over HTTP, by the HTTP client of the official OpenAI library ([ENDPOINT-HTTP], [ENDPOINT-BOUND]).

Of the library only that client is used: it knows proxies and certificates. Bodies are read here, since the
library's own calls bound neither the size of an answer nor the time that it takes in all; and one way of
asking does for all providers.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from potlang.models.endpoint.failures import TryFailed, failed_by_status, redirected
from potlang.models.endpoint.stream import excerpt
from potlang.utils.closing import Closing
from potlang.utils.extra import needed

_LARGEST_ERROR: Final = 65_536
_LONGEST_READ_OF_ERROR: Final = 10.0


class Connection(Closing):
    """Connections to endpoints, from several threads. Opened when they are needed, also after `close`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: Any = None

    def open(self) -> Any:
        """The HTTP client, with its library imported. Raises MissingExtraError."""
        with self._lock:
            if self._client is None:
                self._client = _library().DefaultHttpxClient(follow_redirects=False)
            return self._client

    def close(self) -> None:
        """Close the connections, if there are any."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    @contextmanager
    def ask(
        self, method: str, url: str, headers: Mapping[str, str], end: float, **content: Any
    ) -> Iterator[Any]:
        """The response to a request, its body unread; the moment `end` ends each wait for it.

        Raises TryFailed for what is no answer, also while its body is read.
        """
        client = self.open()
        # A timeout of zero or less would mean none to the client.
        remaining = max(0.001, end - time.monotonic())
        try:
            with client.stream(method, url, headers=dict(headers), timeout=remaining, **content) as response:
                _check_status(response, end)
                yield response
        except Exception as error:
            raise _failed(error) from None


def json_content(body: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a request that is JSON; lone surrogates, which UTF-8 cannot hold, become `?`."""
    return {"content": json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")}


JSON_HEADERS: Final = {"content-type": "application/json"}


def _check_status(response: Any, end: float) -> None:
    """Raises TryFailed for an error or a redirection, of which no more is read than a message needs."""
    status: int = response.status_code
    if status < 300:
        return
    if status < 400:
        raise redirected(status, response.headers.get("location"))
    end = min(end, time.monotonic() + _LONGEST_READ_OF_ERROR)
    found = b""
    try:
        for chunk in response.iter_bytes():
            found += chunk
            if len(found) > _LARGEST_ERROR or time.monotonic() > end:
                break
    except Exception as error:
        # The status is there, whatever becomes of its explanation.
        if not _is_of_client(error):
            raise
    raise failed_by_status(status, found.decode("utf-8", "replace"), response.headers)


def _failed(error: Exception) -> Exception:
    """The failure behind an exception of the HTTP client; any other exception as it is."""
    if not _is_of_client(error):
        return error
    names = _names(error)
    if "TimeoutException" in names:
        return TryFailed("timeout", "no answer in time")
    detail = excerpt(str(error))
    if names & {"ConnectError", "UnsupportedProtocol", "ProxyError"}:
        return TryFailed("refused", detail)
    if names & {"TransportError", "StreamError", "DecodingError"}:
        return TryFailed("cut off", detail or "the connection broke", again=True)
    return TryFailed("malformed", detail)


def _is_of_client(error: Exception) -> bool:
    # By name: which library this is depends on the version of the library that brings it.
    return bool(_names(error) & {"HTTPError", "StreamError", "InvalidURL"})


def _names(error: Exception) -> set[str]:
    return {each.__name__ for each in type(error).__mro__}


def _library() -> Any:
    return needed("openai", "models")
