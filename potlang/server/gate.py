"""The gate of every request, those of MCP too: host, token, limits of its caller, drain ([SERVE-LIMITS])."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

import anyio
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from potlang.server.metrics import Metrics
from potlang.server.refusals import Refusal
from potlang.server.sessions import origin_of
from potlang.server.tokens import BearerToken, BearerTokens, CallerLimits

OPERATIONS: Final[Mapping[str, str]] = {
    "/v1/verify": "verify",
    "/v1/check": "check",
    "/v1/fix": "fix",
    "/v1/compile": "compile",
    "/v1/view": "view",
    "/v1/batch": "batch",
    "/mcp": "mcp",
    "/metrics": "metrics",
    "/openapi.json": "openapi",
    "/health/live": "health",
    "/health/ready": "health",
}
"""Addresses, and what metrics and logs call them."""
_FREE: Final = frozenset({"health", "openapi", "page"})
"""They need no token and are never refused."""
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,80}")
_MOST_CALLERS: Final = 10_000
_HELD: Final = frozenset({"rate", "in_flight", "too_large"})
_HOLD_SECONDS: Final = 1.0
"""As soon as a client that was refused may try again, by `Retry-After`."""
_MOST_HELD: Final = 100
_STALLED_SECONDS: Final = 60.0
"""For which a client may take none of its answer."""
_PIECE: Final = 65_536
_LINGER_SECONDS: Final = 1.0
_LINGER_BYTES: Final = 1024 * 1024
_LOCAL_HOSTS: Final = ("127.0.0.1", "localhost", "::1")
_CLOSE: Final = (b"connection", b"close")


class Gone(Exception):
    """The client has gone away, or takes nothing of its answer."""


@dataclass
class OpenRequest:
    """A request that is being answered; who cancels it says why."""

    id: str
    scope: anyio.CancelScope
    reason: Refusal | None = None

    def cancel(self, reason: Refusal) -> None:
        """End it with this answer, if none has begun."""
        self.reason = reason
        self.scope.cancel()


@dataclass
class CallerState:
    """A caller: its name in metrics and logs, its limits, its open requests, and what it may send now."""

    origin: str
    name: str
    limits: CallerLimits
    open: dict[str, OpenRequest] = field(default_factory=dict)
    held: int = 0
    """Its refusals that are held back."""
    refused_at: float = -1e9
    _allowed: float = 0.0
    _at: float = -1e9

    def wait_for_rate(self) -> float:
        """Take one request from the rate, or the seconds after which there is one (token bucket)."""
        rate = self.limits.rate
        if not rate:
            return 0.0
        now = monotonic()
        most = max(1.0, rate)
        self._allowed = min(most, self._allowed + (now - self._at) * rate)
        self._at = now
        if self._allowed >= 1:
            self._allowed -= 1
            return 0.0
        return (1 - self._allowed) / rate


class Gate:
    """Lets requests through to `app`, which finds the `CallerState` in the request's state as `caller`.

    `draining` refuses what comes from now on; `open` counts what was let in and is not answered yet.
    `pages` says of an address whether it is of a page, which needs no token.
    """

    def __init__(
        self,
        metrics: Metrics,
        host: str,
        tokens: Sequence[BearerToken],
        usual: CallerLimits,
        *,
        log: bool = False,
        pages: Callable[[str], bool] = lambda path: False,
    ) -> None:
        self.app: ASGIApp = _nothing
        self._metrics = metrics
        self._security = TransportSecurityMiddleware(_security(host))
        self._tokens = BearerTokens(tokens)
        self._backend = BearerAuthBackend(self._tokens) if tokens else None
        self._usual = usual
        self._log = log
        self._pages = pages
        self._callers: OrderedDict[str, CallerState] = OrderedDict()
        self.open = 0
        self.draining = False

    def drain(self) -> None:
        """From now on nothing is let in."""
        self.draining = True
        self._metrics.draining.set(1)

    def end_all(self) -> None:
        """Refuse what is still open."""
        for caller in list(self._callers.values()):
            for each in list(caller.open.values()):
                each.cancel(_draining())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        passage = _Passage(scope, receive, send)
        if self._pages(scope["path"]):
            passage.operation = "page"
        try:
            await self._passed(passage)
        except Refusal as refusal:
            if refusal.code in _HELD:
                await _held(scope["state"]["caller"])
            await passage.refuse(refusal)
            if passage.operation not in _FREE:
                self._metrics.refused.labels(refusal.code, passage.name).inc()
        except Gone:
            passage.status = 499
            # The connection is of no more use; where nothing was sent of an answer there is none any more.
            if passage.is_started:
                raise
        except asyncio.CancelledError:
            # The server ends at once: without an answer of ours the library would send a 500.
            if not passage.is_started:
                await passage.refuse(_draining())
            raise
        except Exception as error:
            _tell(f"error[POT0001]: internal error: {type(error).__name__}: {error}")
            await passage.refuse(_bug())
        finally:
            self._count(passage)

    async def _passed(self, passage: _Passage) -> None:
        scope = passage.scope
        refused = await self._security.validate_request(Request(scope))
        if refused is not None:
            wrong = "origin" if refused.status_code == 403 else "host"
            raise Refusal(
                refused.status_code,
                "bad_host",
                f"the request names another {wrong}",
                "this server is for this machine alone: call it by 127.0.0.1 or localhost, with the port",
            )
        if passage.operation in _FREE:
            scope["state"]["draining"] = self.draining
            await self.app(scope, passage.receive, passage.send)
            return
        if not passage.is_named_well:
            said = "X-Request-Id is 1 to 80 letters, digits and ._:-"
            raise Refusal(400, "bad_parameter", said, "choose another, or none")
        caller = await self._caller(scope)
        passage.name = caller.name
        scope["state"]["caller"] = caller
        with self._admitted(caller, passage) as request:
            with request.scope:
                await self.app(scope, passage.receive, passage.send)
            if request.scope.cancelled_caught and request.reason is not None:
                raise request.reason

    @contextmanager
    def _admitted(self, caller: CallerState, passage: _Passage) -> Iterator[OpenRequest]:
        """The request while it is open. Raises Refusal where it is one too many."""
        request = OpenRequest(passage.id, anyio.CancelScope())
        if passage.method in ("GET", "DELETE"):
            # What is listened to goes on until the end; and to cancel must always be possible.
            yield request
            return
        if self.draining:
            raise _draining()
        if passage.id in caller.open:
            raise Refusal(409, "duplicate", "an open request has this X-Request-Id", "choose another")
        limits = caller.limits
        if len(caller.open) >= limits.in_flight:
            raise Refusal(
                429, "in_flight", f"{limits.in_flight} requests are open already", "wait for an answer", 1.0
            )
        wait = caller.wait_for_rate()
        if wait:
            raise Refusal(429, "rate", f"more than {limits.rate:g} requests a second", "send fewer", wait)
        caller.open[passage.id] = request
        self.open += 1
        self._metrics.open.inc()
        try:
            yield request
        finally:
            del caller.open[passage.id]
            self.open -= 1
            self._metrics.open.dec()

    async def _caller(self, scope: Scope) -> CallerState:
        """Who sends this. Raises Refusal where tokens are needed, and this is none."""
        name, limits = "", self._usual
        if self._backend is not None:
            found = await self._backend.authenticate(HTTPConnection(scope))
            if found is None:
                raise Refusal(401, "unauthorized", "a token is needed", "send `Authorization: Bearer TOKEN`")
            scope["auth"], scope["user"] = found
            token = self._tokens.find(found[1].access_token.token)
            assert token is not None
            name, limits = token.name, token.limits
        origin = origin_of(scope)
        state = self._callers.setdefault(origin, CallerState(origin, name, limits))
        self._callers.move_to_end(origin)
        # Of those that have nothing open the first has sent nothing for longest.
        while len(self._callers) > _MOST_CALLERS:
            idle = next((key for key, each in self._callers.items() if not each.open), None)
            if idle is None:
                break
            del self._callers[idle]
        return state

    def _count(self, passage: _Passage) -> None:
        seconds = monotonic() - passage.began
        status = str(passage.status)
        self._metrics.requests.labels(passage.operation, status, passage.name).inc()
        if passage.operation != "mcp":
            # Streams of sessions are open for as long as somebody listens.
            self._metrics.seconds.labels(passage.operation).observe(seconds)
        if self._log and passage.operation != "health":
            line = {
                "id": passage.id,
                "caller": passage.name,
                "method": passage.method,
                "operation": passage.operation,
                "status": passage.status,
                "ms": round(seconds * 1000, 1),
                "bytes_in": passage.bytes_in,
                "bytes_out": passage.bytes_out,
            }
            _tell(json.dumps(line))


async def _held(caller: CallerState) -> None:
    """Who is refused again before it may try again waits: to refuse takes time that others could have.

    Its connection waits with it, and what it sends is not read meanwhile.
    """
    now = monotonic()
    is_soon, caller.refused_at = now < caller.refused_at + _HOLD_SECONDS, now
    if is_soon and caller.held < _MOST_HELD:
        caller.held += 1
        try:
            await anyio.sleep(_HOLD_SECONDS)
        finally:
            caller.held -= 1
            caller.refused_at = monotonic()


class _Passage:
    """One request on its way: what was received and sent of it."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        headers = Headers(scope=scope)
        given = headers.get("x-request-id")
        self.is_named_well = given is None or _REQUEST_ID.fullmatch(given) is not None
        self.id = given if given and self.is_named_well else uuid.uuid4().hex
        self.method: str = scope["method"]
        self.operation = OPERATIONS.get(scope["path"], "other")
        if scope["path"].startswith("/v1/requests/"):
            self.operation = "cancel"
        self.name = ""
        self.status = 499
        """As nginx calls a request whose client went away before there was an answer."""
        self.began = monotonic()
        self.bytes_in = self.bytes_out = 0
        self._is_read = False
        self.is_started = False
        scope.setdefault("state", {})["request_id"] = self.id

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self.bytes_in += len(message.get("body", b""))
            self._is_read = not message.get("more_body", False)
        else:
            self._is_read = True
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.is_started = True
            self.status = message["status"]
            message = {**message, "headers": [*message["headers"], (b"x-request-id", self.id.encode())]}
            await self._send(message)
            return
        body = message.get("body", b"")
        self.bytes_out += len(body)
        # In pieces, so that of an answer that nobody takes little is held by the connection.
        for at in range(0, len(body) or 1, _PIECE):
            is_last = at + _PIECE >= len(body)
            piece = {
                **message,
                "body": body[at : at + _PIECE],
                "more_body": message.get("more_body", False) or not is_last,
            }
            with anyio.move_on_after(_STALLED_SECONDS) as sending:
                await self._send(piece)
            if sending.cancelled_caught:
                raise Gone

    async def refuse(self, refusal: Refusal) -> None:
        """Answer so, if nothing was; what the client still sends is let run out for a moment."""
        if self.is_started:
            raise Gone
        with anyio.CancelScope(shield=True):
            if self._is_read or not _has_body(self.scope):
                await refusal.send(self.send)
                return
            # A connection that is closed under a client that sends has it miss the answer (RFC 9112, 9.6).
            await refusal.send(self.send, _CLOSE, ends=False)
            with anyio.move_on_after(_LINGER_SECONDS):
                while not self._is_read and self.bytes_in < _LINGER_BYTES:
                    await self.receive()
            await self.send({"type": "http.response.body", "body": b""})


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _security(host: str) -> TransportSecuritySettings:
    """Which hosts and origins requests may name: this machine's own where it is served alone."""
    if host not in _LOCAL_HOSTS:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = ("127.0.0.1:*", "localhost:*", "[::1]:*")
    return TransportSecuritySettings(
        allowed_hosts=[*names], allowed_origins=[f"http://{name}" for name in names]
    )


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """Before there is an application."""


def _draining() -> Refusal:
    return Refusal(503, "draining", "the server is about to end", "ask another one, or this one later", 5.0)


def _bug() -> Refusal:
    return Refusal(500, "internal", "this is a bug in potlang", "report it, with the input")


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def quieten() -> None:
    """Libraries log what callers send; the log is ours ([SERVE-LOG])."""
    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
