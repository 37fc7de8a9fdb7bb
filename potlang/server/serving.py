"""Listening, serving and ending: one process for the HTTP interface and MCP ([SERVE-DRAIN])."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from time import monotonic
from typing import Final, NamedTuple

import uvicorn
from starlette.routing import Route, Router

from potlang import tool
from potlang.server.bodies import WholeBodies
from potlang.server.callers import MOST_WAITING, Callers
from potlang.server.connections import BoundedConnection
from potlang.server.gate import Gate, quieten
from potlang.server.mcp import PATH, interruptible, mcp_app
from potlang.server.metrics import Metrics
from potlang.server.playground.pages import Playground, is_page
from potlang.server.service import HttpService, nothing_here
from potlang.server.sessions import SessionBounds, SessionLimits
from potlang.server.tokens import BearerToken, CallerLimits

_CLOSE_SECONDS: Final = 2
"""For connections on which nothing is answered any more, as the streams of sessions."""


class Serving(NamedTuple):
    """How a server works: its places and queue, who may call, and what is served.

    `sources` are the directories, absolute, whose tables programs may read ([SRC-ALLOWED]). `proxies` are
    addresses whose word is taken for whom a request comes from. `drain_seconds` is the time for what is open
    when the server is told to end. Without `verbs` MCP alone is served. With a `playground`, whose
    tokens have to be among `tokens`, so are its pages.
    """

    sessions: SessionLimits
    workers: int | None = None
    budget: int = tool.DEFAULT_BUDGET
    queue: int = MOST_WAITING
    tokens: Sequence[BearerToken] = ()
    usual: CallerLimits = CallerLimits()
    proxies: str = ""
    drain_seconds: float = 120.0
    log: bool = False
    verbs: bool = True
    sources: Sequence[str] = ()
    playground: Playground | None = None


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at all addresses of a host that this machine has. Raises OSError for none."""
    found: list[socket.socket] = []
    problem: OSError | None = None
    for family, *_, address in dict.fromkeys(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)):
        try:
            found.append(socket.create_server(address, family=family))
        except OSError as error:
            problem = error
            # A machine may be without one of the two families; whatever else is wrong is wrong.
            if error.errno not in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
                break
    else:
        if found:
            return found
    for each in found:
        each.close()
    raise problem or OSError("no such host")


def is_local(listeners: Sequence[socket.socket]) -> bool:
    """Whether this machine alone can reach these sockets."""
    return all(
        ipaddress.ip_address(each.getsockname()[0].partition("%")[0]).is_loopback for each in listeners
    )


def serve(
    host: str,
    listeners: Sequence[socket.socket],
    serving: Serving,
    on_end: Callable[[Callable[[], None]], object] = lambda drain: None,
) -> None:
    """Serves any number of clients until the process is told to end.

    `listeners` are those of `listen(host, …)`; where the host is this machine's own, requests that name
    another one are refused. `on_end` is given what begins the end: nothing more is let in, what is open is
    answered.
    """
    interruptible(_serve, host, listeners, serving, on_end)


async def _serve(
    host: str,
    listeners: Sequence[socket.socket],
    serving: Serving,
    on_end: Callable[[Callable[[], None]], object],
) -> None:
    quieten()
    metrics = Metrics()
    given = (serving.workers, serving.budget, serving.queue, metrics, serving.sources)
    with closing(Callers(*given)) as callers:
        gate = application(callers, metrics, host, serving)
        config = uvicorn.Config(
            gate,
            log_level="critical",
            access_log=False,
            lifespan="on",
            http=BoundedConnection,
            ws="none",
            proxy_headers=bool(serving.proxies),
            forwarded_allow_ips=serving.proxies,
            server_header=False,
            timeout_graceful_shutdown=_CLOSE_SECONDS,
        )
        on_end(gate.drain)
        await _Server(config, gate, serving.drain_seconds).serve(sockets=list(listeners))


def application(callers: Callers, metrics: Metrics, host: str, serving: Serving) -> Gate:
    """All that is served over these callers."""
    mcp = mcp_app(callers, serving.sessions)
    metrics.watch(callers)
    playground = serving.playground
    pages = {} if playground is None else {"pages": is_page}
    gate = Gate(metrics, host, serving.tokens, serving.usual, log=serving.log, **pages)
    service = HttpService(callers, metrics, serving.usual, lambda: gate.draining)
    routes = [
        Route(PATH, SessionBounds(WholeBodies(mcp), serving.sessions)),
        *(service.routes() if serving.verbs else ()),
        *(playground.routes() if playground is not None else ()),
    ]
    gate.app = Router(
        routes, redirect_slashes=False, default=nothing_here, lifespan=mcp.router.lifespan_context
    )
    return gate


class _Server(uvicorn.Server):
    """The library's server, which goes on while what is open is answered; signals are the command's."""

    def __init__(self, config: uvicorn.Config, gate: Gate, drain_seconds: float) -> None:
        super().__init__(config)
        self._gate = gate
        self._drain_seconds = drain_seconds
        self._until: float | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def on_tick(self, counter: int) -> bool:
        if self._gate.draining:
            self._until = self._until or monotonic() + self._drain_seconds
            if monotonic() > self._until:
                self._gate.end_all()
            # A little more than nothing is open: an answer may be on its way to its connection.
            self.should_exit = not self._gate.open
        return await super().on_tick(counter)
