"""Connections: how many there may be, and how long the head of a request may take ([SERVE-CONNECTIONS])."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

_MOST: Final = 4_000
_OTHER_FILES: Final = 200
"""Files that are no connections: pipes to workers, caches, tables."""
_HEAD_SECONDS: Final = 10.0


class BoundedConnection(H11Protocol):
    """One of at most `most` connections; it is closed where a head has not come within `head_seconds`.

    The library bounds what is idle after an answer alone: who sends nothing, or a head byte by byte, would
    keep others from connecting.
    """

    most: int = 0
    """0: as many as the process may have files open, and at most 4,000."""
    head_seconds: float = _HEAD_SECONDS
    _head_timer: asyncio.TimerHandle | None = None
    _since: float = 0.0
    """When it was made, or something came on it last."""

    @property
    def is_waiting(self) -> bool:
        """No request is being answered on it."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As the protocol; what is one connection too many has another one closed, or itself."""
        super().connection_made(transport)
        self._watch_head()
        if len(self.connections) > (self.most or _most_connections()):
            self._to_close().transport.abort()

    def data_received(self, data: bytes) -> None:
        """As the protocol."""
        super().data_received(data)
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """As the protocol."""
        super().connection_lost(exc)
        self._forget_head()

    def _watch_head(self) -> None:
        self._since = self.loop.time()
        if not self.is_waiting:
            self._forget_head()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._end_head)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _end_head(self) -> None:
        # A pipelined request may have begun since the last bytes came.
        if self.is_waiting:
            self.transport.abort()

    def _to_close(self) -> BoundedConnection:
        """Of the address with the most connections the one that waits for longest; this one if none waits."""
        shares = Counter(_address(each) for each in self.connections)
        waiting = [
            each
            for each in self.connections
            if isinstance(each, BoundedConnection) and each.is_waiting and each is not self
        ]
        return max(waiting, key=lambda each: (shares[_address(each)], -each._since), default=self)


def _address(connection: object) -> str:
    client = connection.client if isinstance(connection, H11Protocol) else None
    return client[0] if client else ""


def _most_connections() -> int:
    """All but some of the files that this process may have open: tables, caches and children need theirs."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if soft == resource.RLIM_INFINITY else max(1, min(_MOST, soft - _OTHER_FILES))
