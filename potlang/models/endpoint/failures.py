"""The reasons for which a request failed, and whether to try again ([ENDPOINT-ERROR], [ENDPOINT-RETRY])."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple

from potlang.models.endpoint.model import Completion, EndpointError, Failure
from potlang.models.endpoint.stream import excerpt

RETRIED: Final[frozenset[Failure]] = frozenset({"rate limit", "server", "cut off"})
_LONGEST_WAIT: Final = 60.0
_AGAIN_LATER: Final = frozenset({408, 504})
"""Statuses of a server, or one before it, that gave up waiting: the next try may be quicker."""
_STATUSES: Final[Mapping[int, Failure]] = {
    401: "unauthorized",
    402: "unauthorized",
    403: "unauthorized",
    404: "not found",
    408: "timeout",
    413: "too long",
    429: "rate limit",
    504: "timeout",
}
_TOO_LONG = re.compile(
    r"context_length_exceeded|maximum context length|context (length|window|size)\b.{0,40}\bexceed"
    r"|exceed.{0,40}\bcontext (length|window|size)|prompt is too long|input is too long",
    re.IGNORECASE | re.DOTALL,
)
_NO_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance is too low", re.IGNORECASE
)
_KINDS: Final[Mapping[str, Failure]] = {
    "rate_limit_error": "rate limit",
    "rate_limit_exceeded": "rate limit",
    "authentication_error": "unauthorized",
    "permission_error": "unauthorized",
    "not_found_error": "not found",
    "request_too_large": "too long",
    "timeout_error": "timeout",
}
"""Names by which errors without a status of their own, as in a stream, call themselves."""


class StatedError(NamedTuple):
    """An error in its own words. `text` is all of it, where no message could be found."""

    message: str = ""
    code: str = ""
    param: str = ""
    kind: str = ""
    text: str = ""


class TryFailed(Exception):
    """A try has no answer; `again`: another one may help, after `wait` seconds.

    `stated` is the error of a request that was not accepted.
    """

    def __init__(
        self,
        reason: Failure,
        detail: str,
        *,
        again: bool = False,
        wait: float | None = None,
        stated: StatedError | None = None,
        received: Completion | None = None,
    ) -> None:
        self.reason: Failure = reason
        self.detail = detail
        self.again = again
        self.wait = wait
        self.stated = stated
        self.received = received
        super().__init__(detail)


def stated_error(value: Any) -> StatedError:
    """The error in a JSON value, as the servers of the protocol write it."""
    found = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(found, str):
        found = {"message": found}
    if not isinstance(found, dict):
        return StatedError(text=excerpt(str(found)))
    detail = found.get("detail")
    message, param = found.get("message"), found.get("param")
    if isinstance(detail, list) and detail and isinstance(detail[0], dict):
        # Servers written with FastAPI name the place of the first mistake.
        place = detail[0].get("loc")
        param = place[1] if isinstance(place, list) and len(place) > 1 else param
        message = detail[0].get("msg")
    elif isinstance(detail, str):
        message = detail
    return StatedError(*(_word(each) for each in (message, found.get("code"), param, found.get("type"))))


def _word(value: Any) -> str:
    return "" if value is None else str(value)[:2_000]


def error_in_body(value: Mapping[str, Any]) -> EndpointError:
    """The failure that an error in a body of status 200 states, as one of the server if it says no other."""
    stated = stated_error(value)
    shown = excerpt(stated.message or stated.text or str(value.get("error")))
    known = _KINDS.get(stated.kind) or _KINDS.get(stated.code)
    reason: Failure = "too long" if _is_too_long(stated) else known or "server"
    return EndpointError(reason, shown)


def _is_too_long(stated: StatedError) -> bool:
    return bool(_TOO_LONG.search(f"{stated.code} {stated.message}"))


def failed_by_status(status: int, body: str, headers: Mapping[str, str]) -> TryFailed:
    """The failure behind an error status, by what its body and its headers say."""
    reason: Failure = _STATUSES.get(status, "rejected" if status < 500 else "server")
    try:
        stated = stated_error(json.loads(body))
    except (ValueError, RecursionError):
        stated = StatedError(text=body)
    if reason == "rejected" and (_is_too_long(stated) or _TOO_LONG.search(stated.text)):
        reason = "too long"
    detail = f"status {status}: {excerpt(body)}" if body.strip() else f"status {status}"
    # Some endpoints answer so when the account is empty: waiting does not fill it.
    may_help = (reason in RETRIED or status in _AGAIN_LATER) and not _NO_QUOTA.search(body)
    wanted = headers.get("x-should-retry", "").strip().lower()
    again = {"true": True, "false": False}.get(wanted, may_help)
    return TryFailed(reason, detail, again=again, wait=wait_of(headers), stated=stated)


def wait_of(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait by the headers, at most a minute; None where they do not say."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return min(milliseconds / 1_000, _LONGEST_WAIT)
    given = headers.get("retry-after", "")
    seconds = _number(given)
    if seconds is None:
        seconds = _seconds_until(given, headers.get("date"))
    return None if seconds is None else min(seconds, _LONGEST_WAIT)


def _number(text: str | None) -> float | None:
    is_number = text is not None and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text.strip())
    return float(text) if text is not None and is_number else None


def _seconds_until(moment: str, now: str | None) -> float | None:
    """The seconds until an HTTP date, from the server's own time if it is known; none if it is past."""
    until = _timestamp(moment)
    if until is None:
        return None
    return max(0.0, until - (_timestamp(now or "") or time.time()))


def _timestamp(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def redirected(status: int, location: str | None) -> TryFailed:
    """The failure of a redirection: questions and a key are not sent to another address."""
    to = f" to {excerpt(location)}" if location else ""
    return TryFailed(
        "not found",
        f"status {status}: the base URL leads elsewhere{to}: give the address where the endpoint is",
    )
