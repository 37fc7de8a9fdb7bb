"""Bodies of requests, within their bounds: at once, or line by line ([SERVE-BODY])."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from potlang.server.gate import CallerState, Gone
from potlang.server.refusals import Refusal

_BODY_SECONDS: Final = 60.0


async def read_body(scope: Scope, receive: Receive, most: int) -> bytes:
    """The whole body. Raises Refusal for one that is too large or does not come, Gone without its client."""
    check_encoding(scope)
    declared = Headers(scope=scope).get("content-length", "0")
    if declared.isdigit() and int(declared) > most:
        raise _too_large(most)
    body = bytearray()
    with anyio.move_on_after(_BODY_SECONDS) as reading:
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise Gone
            body += message.get("body", b"")
            if len(body) > most:
                raise _too_large(most)
            more = message.get("more_body", False)
    if reading.cancelled_caught:
        raise Refusal(
            408, "too_slow", f"the body was not there after {_BODY_SECONDS:.0f} seconds", "send it faster"
        )
    return bytes(body)


def check_encoding(scope: Scope) -> None:
    """Raises Refusal for a body that is packed: what it would be unpacked is not known before."""
    encoding = Headers(scope=scope).get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise Refusal(415, "bad_encoding", "the body is packed", "send it without Content-Encoding")


def _too_large(most: int) -> Refusal:
    return Refusal(413, "too_large", f"the body has more than {most:,} bytes", "send less")


class WholeBodies:
    """Has `app` find the whole body there, which keeps to the caller's bound."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        caller: CallerState = scope["state"]["caller"]
        read = [await read_body(scope, receive, caller.limits.bytes)]

        async def replay() -> Message:
            if read:
                return {"type": "http.request", "body": read.pop(), "more_body": False}
            return await receive()

        await self._app(scope, replay, send)


class BodyLine(NamedTuple):
    """A line of a body by its number from 1; no text for one that is too long."""

    number: int
    text: bytes | None

    @property
    def size(self) -> int:
        """How much memory it takes, about."""
        return len(self.text or b"")


class Lines:
    """Cuts what comes in into lines that are not blank, of which none is held that is longer than `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._number = 1
        self._begun = bytearray()
        self._is_too_long = False

    @property
    def number(self) -> int:
        """Of the line that is not whole yet."""
        return self._number

    def fed(self, data: bytes) -> Iterator[BodyLine]:
        """The lines that are whole with this."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield from self._cut()
        self._add(rest)

    def end(self) -> Iterator[BodyLine]:
        """The last line, if it is without a line end."""
        yield from self._cut()

    def _add(self, piece: bytes) -> None:
        if self._is_too_long or len(self._begun) + len(piece) > self._most:
            self._is_too_long = True
            self._begun.clear()
        else:
            self._begun += piece

    def _cut(self) -> Iterator[BodyLine]:
        text, number = bytes(self._begun), self._number
        self._number += 1
        self._begun.clear()
        is_too_long, self._is_too_long = self._is_too_long, False
        if is_too_long:
            yield BodyLine(number, None)
        elif text.strip():
            yield BodyLine(number, text)


class Waiting:
    """Lines that wait for their turn, so many bytes of them: whoever adds more has to wait."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lines: deque[BodyLine] = deque()
        self._bytes = 0
        self._changed = anyio.Event()
        self._is_ended = False
        self.is_whole = False
        """Whether the last line was added."""

    async def add(self, line: BodyLine) -> None:
        """Add a line when there is room; none is added any more after the end."""
        while self._lines and self._bytes + line.size > self._most and not self._is_ended:
            await self._changed.wait()
        if not self._is_ended:
            self._lines.append(line)
            self._bytes += line.size
            self._tell()

    async def take(self) -> BodyLine | None:
        """The next line; None when there are no more."""
        while not self._lines and not self._is_ended:
            await self._changed.wait()
        if not self._lines:
            return None
        line = self._lines.popleft()
        self._bytes -= line.size
        self._tell()
        return line

    def end(self) -> None:
        """Say that the last line was added."""
        self.is_whole = not self._is_ended
        self._is_ended = True
        self._tell()

    def drop(self) -> int | None:
        """End with the lines that wait left out; the number of the first, if there is one."""
        first = self._lines[0].number if self._lines else None
        self._lines.clear()
        self._is_ended = True
        self._tell()
        return first

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
