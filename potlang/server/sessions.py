"""Sessions over HTTP within their bounds: an idle one makes room for a new one ([MCP-SESSIONS]).

The library ends sessions that are idle for long, and refuses new ones beyond a bound. So whoever opened
sessions and went away would keep others out until then. This stands before it, and ends the session that has
been idle longest by the protocol's own request for that.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, NamedTuple

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSION_HEADER: Final = "mcp-session-id"
_VERSION_HEADER: Final = "mcp-protocol-version"
_NETWORK_BITS: Final = 64
"""Of an address of IPv6: whoever has one has all of its network."""


class SessionLimits(NamedTuple):
    """The most open sessions, of all and of one token or address, and the time that an idle one lasts."""

    most: int
    most_each: int
    idle_seconds: float


class SessionBounds:
    """Requests of sessions within their limits reach `app`, which ends those that are idle for long.

    A session is idle while none of its requests is open.
    """

    def __init__(self, app: ASGIApp, limits: SessionLimits) -> None:
        self._app = app
        self._limits = limits
        self._open: dict[str, _OpenSession] = {}
        self._opening: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        session = headers.get(SESSION_HEADER)
        if session in self._open:
            await self._within(session, scope, receive, send)
        elif _opens(scope, headers):
            await self._opened(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _within(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        with self._open[session].busy():
            status, _ = await _answered(self._app, scope, receive, send)
        # It was ended by this request, or had ended by itself.
        if status == 404 or (scope["method"] == "DELETE" and status < 400):
            self._open.pop(session, None)

    async def _opened(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request that opens a session, if it is a good one."""
        origin = origin_of(scope)
        self._forget_ended()
        if not self._has_room(origin):
            refusal = {"code": -32603, "message": "Too many open sessions, of which none is idle"}
            response = JSONResponse({"jsonrpc": "2.0", "id": None, "error": refusal}, 503)
            await response(scope, receive, send)
            return
        self._opening[origin] += 1
        try:
            status, session = await _answered(self._app, scope, receive, send)
        finally:
            self._opening[origin] -= 1
        if session is not None and status < 400:
            self._open[session] = _OpenSession(origin, scope)
            # What was refused above has ended nobody's session.
            await self._make_room(origin)

    def _has_room(self, origin: str) -> bool:
        """Whether a session may be opened, since there is room or an idle one to end."""
        busy = Counter(each.origin for each in self._open.values() if each.requests)
        taken = busy + self._opening
        return taken.total() < self._limits.most and taken[origin] < self._limits.most_each

    async def _make_room(self, newcomer: str) -> None:
        """End sessions that are too many: those of an origin by its own, all by whose are the most."""
        while (many := Counter(each.origin for each in self._open.values()))[
            newcomer
        ] > self._limits.most_each:
            if not await self._end_one(newcomer):
                break
        while many.total() > self._limits.most:
            idle = {each.origin for each in self._open.values() if not each.requests}
            if not idle or not await self._end_one(max(idle, key=many.__getitem__)):
                break
            many = Counter(each.origin for each in self._open.values())

    async def _end_one(self, origin: str) -> bool:
        """End the session of an origin that has been idle longest; whether there was one."""
        idle = [name for name, each in self._open.items() if each.origin == origin and not each.requests]
        if not idle:
            return False
        # The newest is last, and was used last.
        session = min(idle, key=lambda name: self._open[name].used)
        scope = self._open.pop(session).ending(session)
        await _answered(self._app, scope, _nothing_received, _nothing_sent)
        return True

    def _forget_ended(self) -> None:
        until = monotonic() - self._limits.idle_seconds
        ended = [name for name, each in self._open.items() if not each.requests and each.used < until]
        for name in ended:
            del self._open[name]


@dataclass
class _OpenSession:
    """An open session: its owner, the request that opened it, its open requests, and when one last was."""

    origin: str
    scope: Scope
    requests: int = 0
    used: float = 0.0

    def __post_init__(self) -> None:
        self.used = monotonic()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """While a request of it is open."""
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1
            self.used = monotonic()

    def ending(self, session: str) -> Scope:
        """The request that ends it: of who opened it, by the name of this machine that was used there."""
        kept = [pair for pair in self.scope["headers"] if pair[0] in (b"host", b"authorization")]
        headers = [*kept, (SESSION_HEADER.encode(), session.encode())]
        return {**self.scope, "method": "DELETE", "headers": headers}


def origin_of(scope: MutableMapping[str, Any]) -> str:
    """The sender of a request: the token's name or, without one, the network address."""
    user = scope.get("user")
    if user is not None:
        return str(user.display_name)
    host = str(scope["client"][0]) if scope.get("client") else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 6 and address.ipv4_mapped is None and not address.is_loopback:
        return str(ipaddress.ip_network((address, _NETWORK_BITS), strict=False))
    return host


def _opens(scope: Scope, headers: Headers) -> bool:
    """Whether a request may open a session; from 2026 on the protocol has none."""
    if scope["type"] != "http" or scope["method"] != "POST" or SESSION_HEADER in headers:
        return False
    return headers.get(_VERSION_HEADER, HANDSHAKE_PROTOCOL_VERSIONS[0]) in HANDSHAKE_PROTOCOL_VERSIONS


async def _answered(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> tuple[int, str | None]:
    """The status and the session of the answer; 500 where there is none."""
    found: tuple[int, str | None] = (500, None)

    async def watched(message: Message) -> None:
        nonlocal found
        if message["type"] == "http.response.start":
            found = message["status"], Headers(raw=message["headers"]).get(SESSION_HEADER)
        await send(message)

    await app(scope, receive, watched)
    return found


async def _nothing_received() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nothing_sent(_: Message) -> None:
    return None
