"""[SERVE-CONNECTIONS]: connections on which no request comes, on a real socket."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

import pytest

if any(find_spec(each) is None for each in ("mcp", "uvicorn")):
    pytest.skip("the extra `serve` is not installed", allow_module_level=True)

import uvicorn

from potlang.server.connections import BoundedConnection

Connect = Callable[..., socket.socket]
HEAD = b"GET / HTTP/1.1\r\nHost: here\r\n"
SLOW = b"GET /slow HTTP/1.1\r\nHost: here\r\n\r\n"


slow_began = threading.Semaphore(0)
may_answer = threading.Event()


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers `hello`, for `/slow` when it may."""
    if scope["path"] == "/slow":
        slow_began.release()
        while not may_answer.is_set():
            await asyncio.sleep(0.01)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


@contextmanager
def served(most: int, head_seconds: float) -> Iterator[int]:
    """The port of a server with these bounds."""

    class Bounded(BoundedConnection):
        pass

    Bounded.most, Bounded.head_seconds = most, head_seconds
    may_answer.clear()
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=Bounded, ws="none", lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        may_answer.set()
        server.should_exit = True
        thread.join(30)


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Connects to a port and sends something."""
    made: list[socket.socket] = []

    def connecting(port: int, sent: bytes = b"") -> socket.socket:
        made.append(socket.create_connection(("127.0.0.1", port), timeout=20))
        made[-1].sendall(sent)
        return made[-1]

    yield connecting
    for each in made:
        each.close()


def is_answered(connection: socket.socket) -> bool:
    """Whether the answer comes, in however many pieces."""
    read = b""
    while not read.endswith(b"hello") and (piece := connection.recv(1000)):
        read += piece
    return read.endswith(b"hello")


def is_closed(connection: socket.socket) -> bool:
    """Whether it ends without an answer."""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


def test_a_head_that_does_not_come_ends_its_connection(connect: Connect) -> None:
    with served(100, 1.0) as port:
        silent = connect(port)
        began, dripping = time.monotonic(), connect(port, b"GET ")
        with suppress(OSError):
            while time.monotonic() - began < 10:
                dripping.sendall(b"/")
                time.sleep(0.05)
        assert is_closed(dripping)
        assert is_closed(silent)
        # After an answer the same bound holds for the next head.
        again = connect(port, HEAD + b"\r\n")
        assert is_answered(again)
        again.sendall(b"GET / HT")
        assert is_closed(again)


def test_an_answer_takes_as_long_as_it_takes(connect: Connect) -> None:
    with served(100, 0.3) as port:
        slow = connect(port, SLOW)
        assert slow_began.acquire(timeout=20)
        time.sleep(0.6)
        may_answer.set()
        assert is_answered(slow)


def test_one_connection_too_many_closes_the_one_that_waits_for_longest(connect: Connect) -> None:
    with served(3, 30) as port:
        busy = connect(port, SLOW)
        assert slow_began.acquire(timeout=20)
        first, second = connect(port), connect(port)
        third = connect(port, HEAD + b"\r\n")
        assert is_closed(first)
        assert is_answered(third)
        may_answer.set()
        assert is_answered(busy)
        second.sendall(HEAD + b"\r\n")
        assert is_answered(second)


def test_where_all_are_answered_the_new_connection_is_closed(connect: Connect) -> None:
    with served(2, 30) as port:
        slow = [connect(port, SLOW) for _ in range(2)]
        assert all(slow_began.acquire(timeout=20) for _ in slow)
        assert is_closed(connect(port))
        may_answer.set()
        assert [is_answered(each) for each in slow] == [True, True]
