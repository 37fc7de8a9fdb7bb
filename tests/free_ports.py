"""Ports for servers that are told where to listen."""

from __future__ import annotations

import socket
from contextlib import suppress
from random import SystemRandom


def free_port() -> int:
    """A port of this machine that nobody has.

    It is none of those that the system gives to whoever asks for any: other tests do so all the time, and
    the server that gets this one has yet to start.
    """
    while True:
        port = SystemRandom().randrange(10_000, 30_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
