"""A proxy on loopback that hands everything on, until it resets its connections."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from typing import Final

from potlang.utils.closing import Closing

_PIECE: Final = 65_536
_TURN_SECONDS: Final = 0.05
_RESET: Final = struct.pack("ii", 1, 0)
"""For SO_LINGER: the end of the connection is a reset, and what was not sent is lost."""


class Proxy(Closing):
    """Listens on a free port for connections to another one."""

    def __init__(self, target: int) -> None:
        self.connections = self.resets = 0
        self._target = target
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    near.close()
                    continue
                self.connections += 1
                with self._lock:
                    self._open += (near, far)
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._hand_on, args=pair, daemon=True).start()

    def _hand_on(self, source: socket.socket, sink: socket.socket) -> None:
        # One that waits without end is not freed when another thread closes the socket.
        with suppress(OSError):
            source.settimeout(_TURN_SECONDS)
            while True:
                try:
                    data = source.recv(_PIECE)
                except TimeoutError:
                    continue
                if not data:
                    break
                sink.sendall(data)
        with self._lock:
            self._open = [each for each in self._open if each not in (source, sink)]
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def reset(self, most: int | None = None) -> int:
        """End all connections with a reset, or so many, the oldest first; how many ends there were."""
        with self._lock:
            count = len(self._open) if most is None else 2 * most
            ends, self._open = self._open[:count], self._open[count:]
        for each in ends:
            with suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                each.close()
        self.resets += len(ends) // 2
        return len(ends)

    def close(self) -> None:
        """End all connections, and listen no more."""
        self._listening.close()
        self.reset()
