"""Requests that are not carried out, each answered by a problem in JSON (RFC 9457, [SERVE-ERRORS])."""

from __future__ import annotations

import json
import math
from http import HTTPStatus
from typing import Any, Final, Literal

from starlette.responses import Response
from starlette.types import Send

Code = Literal[
    "bad_parameter",
    "bad_host",
    "bad_encoding",
    "cannot_answer",
    "unauthorized",
    "not_found",
    "wrong_method",
    "too_slow",
    "cancelled",
    "duplicate",
    "too_large",
    "timeout",
    "memory",
    "rate",
    "in_flight",
    "internal",
    "busy",
    "draining",
]
PROBLEM: Final = "application/problem+json"


class Refusal(Exception):
    """Why a request is not carried out, and how to mend it; `retry_after` are seconds."""

    def __init__(
        self,
        status: int,
        code: Code,
        detail: str,
        help_: str,
        retry_after: float | None = None,
        **headers: str,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.help = help_
        self.retry_after = retry_after
        self._headers = headers

    def to_dict(self) -> dict[str, Any]:
        """The problem as JSON values."""
        title = HTTPStatus(self.status).phrase
        return {
            "title": title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "help": self.help,
        }

    def response(self) -> Response:
        """The answer to the request."""
        headers = dict(self._headers)
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        if self.status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return Response(json.dumps(self.to_dict()), self.status, headers, PROBLEM)

    async def send(self, send: Send, *more: tuple[bytes, bytes], ends: bool = True) -> None:
        """Answer the request, with `more` headers; unless it `ends`, the last message is left to do."""
        made = self.response()
        start = {
            "type": "http.response.start",
            "status": made.status_code,
            "headers": [*made.raw_headers, *more],
        }
        await send(start)
        await send({"type": "http.response.body", "body": bytes(made.body), "more_body": not ends})
