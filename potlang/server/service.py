"""The HTTP interface: verbs on one input, batches, health, figures, its own description (`93-service.md`)."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from potlang.batch.jobs import Job
from potlang.batch.rows import lost_row
from potlang.batch.shards import GRACE_SECONDS, TRIES
from potlang.processes.frames import Message
from potlang.processes.process import Died
from potlang.server.bodies import BodyLine, Lines, Waiting, check_encoding, read_body
from potlang.server.callers import CallAllowance, Callers, reason_of
from potlang.server.gate import CallerState, Gone
from potlang.server.metrics import Metrics
from potlang.server.openapi import JSON_LINES, document
from potlang.server.parameters import read_options
from potlang.server.refusals import Code, Refusal
from potlang.server.tokens import CallerLimits
from potlang.server.turns import Caller, QueueFull
from potlang.server.verbs import INPUT
from potlang.utils.serialize import json_text

VERBS: Final = ("verify", "check", "fix", "compile", "view")
_BUSY_SECONDS: Final = 0.5
"""After which a line of a batch tries again to get into a queue that is full."""
_AHEAD: Final = 2
"""Lines of a batch that are asked for at once, for each place."""
_MOST_PATIENCE: Final = 60.0


class HttpService:
    """The routes over these callers. `is_draining` says whether batches shall read no further."""

    def __init__(
        self, callers: Callers, metrics: Metrics, usual: CallerLimits, is_draining: Callable[[], bool]
    ) -> None:
        self._callers = callers
        self._metrics = metrics
        self._is_draining = is_draining
        self._document = json_text(document(usual))

    def routes(self) -> list[BaseRoute]:
        """All but MCP's."""
        return [
            *(Route(f"/v1/{verb}", MethodApp("POST", self._verb)) for verb in VERBS),
            Route("/v1/batch", MethodApp("POST", self._batch)),
            Route("/v1/requests/{id}", MethodApp("DELETE", self._cancel)),
            Route("/health/live", MethodApp("GET", _live)),
            Route("/health/ready", MethodApp("GET", self._ready)),
            Route("/metrics", MethodApp("GET", self._figures)),
            Route("/openapi.json", MethodApp("GET", self._described)),
        ]

    # --- one input ------------------------------------------------------------------------------------

    async def _verb(self, scope: Scope, receive: Receive, send: Send) -> None:
        verb = scope["path"].rpartition("/")[2]
        caller: CallerState = scope["state"]["caller"]
        options = read_options(verb, Request(scope).query_params, caller.limits)
        body = await read_body(scope, receive, caller.limits.bytes)
        message = {"verb": verb, "input": b64encode(body).decode("ascii"), "options": options}
        answer: Message | None = None
        async with _while_connected(receive):
            answer = await self._answered(message, Caller(caller.origin), caller)
        if answer is None:
            raise Gone
        if "refused" in answer:
            raise Refusal(422, "cannot_answer", answer["refused"], "change the input or the parameters")
        if verb == "verify":
            self._metrics.verdicts.labels(answer["language"], answer["verdict"]).inc()
        await Response(answer["text"], media_type="application/json")(scope, receive, send)

    async def _answered(self, message: Message, turn: Caller, caller: CallerState) -> Message:
        """A child's answer. Raises Refusal."""
        try:
            return await self._tried(message, turn, caller)
        except QueueFull:
            wait = min(self._callers.expected_wait(), _MOST_PATIENCE)
            raise Refusal(503, "busy", "too many requests wait already", "ask again later", wait) from None
        except Died as died:
            code, detail = reason_of(died.reason, _allowance(message, caller))
            status = 500 if code == "internal" else 422
            known: Code = code if code in ("timeout", "memory") else "internal"
            raise Refusal(status, known, detail, "send a smaller input, or allow it more") from None

    async def _tried(self, message: Message, turn: Caller, caller: CallerState) -> Message:
        """As `_answered`; a fault is tried again, limits are not ([BATCH-FAULT]). Raises QueueFull, Died."""
        allowance = _allowance(message, caller)
        for _ in range(TRIES - 1):
            try:
                return await self._callers.ask(message, turn, allowance)
            except Died as died:
                if died.reason != "crash":
                    raise
        return await self._callers.ask(message, turn, allowance)

    # --- batches --------------------------------------------------------------------------------------

    async def _batch(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller: CallerState = scope["state"]["caller"]
        options = read_options("batch", Request(scope).query_params, caller.limits)
        check_encoding(scope)
        headers = [(b"content-type", JSON_LINES.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        lines = Lines(caller.limits.bytes)
        waiting = Waiting(caller.limits.bytes)
        sending = anyio.Lock()
        turn = Caller(caller.origin, scope["state"]["request_id"])
        left: list[int] = []
        """The first line that is left out, once lines are."""

        async def read() -> None:
            more = True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise Gone
                for line in lines.fed(message.get("body", b"")):
                    await waiting.add(line)
                more = message.get("more_body", False)
            for line in lines.end():
                await waiting.add(line)
            waiting.end()
            # What comes now is the end of the connection.
            await receive()
            raise Gone

        async def work() -> None:
            while (line := await waiting.take()) is not None:
                row = await self._row(line, options, turn, caller)
                async with sending:
                    await send({"type": "http.response.body", "body": row, "more_body": True})

        async def look() -> None:
            while not self._is_draining():
                await anyio.sleep(_BUSY_SECONDS)
            first = waiting.drop()
            if first is not None or not waiting.is_whole:
                left.append(lines.number if first is None else first)

        try:
            async with anyio.create_task_group() as around:
                around.start_soon(read)
                around.start_soon(look)
                async with anyio.create_task_group() as workers:
                    for _ in range(min(caller.limits.in_flight, _AHEAD * self._callers.count)):
                        workers.start_soon(work)
                around.cancel_scope.cancel()
        except BaseExceptionGroup as raised:
            is_gone = raised.subgroup(Gone) is not None
            if not is_gone:
                raise
        else:
            is_gone = False
        if is_gone:
            raise Gone
        last = _left_out(left[0]) if left else b""
        await send({"type": "http.response.body", "body": last})

    async def _row(self, line: BodyLine, options: dict[str, Any], turn: Caller, caller: CallerState) -> bytes:
        """The row of a line, which waits for as long as there is no room for it ([BATCH-ROW])."""
        while wait := caller.wait_for_rate():
            await anyio.sleep(wait)
        self._metrics.rows.labels(caller.name).inc()
        if line.text is None:
            return _lost(line, f"too_large: the line has more than {caller.limits.bytes:,} bytes")
        encoded = b64encode(line.text).decode("ascii")
        message = {"verb": "verify", "input": encoded, "line": line.number, "options": options}
        while True:
            try:
                answer = await self._tried(message, turn, caller)
            except QueueFull:
                await anyio.sleep(_BUSY_SECONDS)
            except Died as died:
                return _lost(line, f"{died.reason}: {reason_of(died.reason, _allowance(message, caller))[1]}")
            else:
                break
        if "refused" in answer:
            return _lost(line, f"cannot_answer: {answer['refused']}")
        self._metrics.verdicts.labels(answer["language"], answer["verdict"]).inc()
        return str(answer["text"]).encode()

    # --- about the server -----------------------------------------------------------------------------

    async def _cancel(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller: CallerState = scope["state"]["caller"]
        found = caller.open.get(scope["path_params"]["id"])
        if found is None:
            raise Refusal(
                404,
                "not_found",
                "you have no such request open",
                "name one by the X-Request-Id that it was sent with",
            )
        found.cancel(Refusal(409, "cancelled", "the request was cancelled", "send it again if it is wanted"))
        await Response(status_code=204)(scope, receive, send)

    async def _ready(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_draining():
            raise Refusal(503, "draining", "the server is about to end", "ask another one", 5.0)
        if not self._callers.is_ready():
            raise Refusal(503, "busy", "no process is ready", "ask again in a moment", 1.0)
        await JSONResponse({"status": "ready"})(scope, receive, send)

    async def _figures(self, scope: Scope, receive: Receive, send: Send) -> None:
        text, kind = self._metrics.text(Headers(scope=scope).get("accept", ""))
        await Response(text, headers={"Content-Type": kind})(scope, receive, send)

    async def _described(self, scope: Scope, receive: Receive, send: Send) -> None:
        await Response(self._document, media_type="application/json")(scope, receive, send)


class MethodApp:
    """A function as an application for one method."""

    def __init__(self, method: str, function: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._methods = {"GET", "HEAD"} if method == "GET" else {method}
        self._function = function

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in self._methods:
            allowed = ", ".join(sorted(self._methods))
            said = f"the address is for {allowed}"
            raise Refusal(405, "wrong_method", said, "see /openapi.json", Allow=allowed)
        await self._function(scope, receive, send)


async def _live(scope: Scope, receive: Receive, send: Send) -> None:
    await JSONResponse({"status": "live"})(scope, receive, send)


async def nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    """The answer of all other addresses. Raises Refusal."""
    raise Refusal(404, "not_found", "there is nothing at this address", "see /openapi.json")


@asynccontextmanager
async def _while_connected(receive: Receive) -> Any:
    """Cancels what is done inside when the client goes away."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        tasks.cancel_scope.cancel()

    caught: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        try:
            yield
        except (Refusal, Gone) as error:
            caught = error
        tasks.cancel_scope.cancel()
    if caught is not None:
        raise caught


def _allowance(message: Message, caller: CallerState) -> CallAllowance:
    """The bounds of a whole call: its limits, and time for what no limit stops."""
    limits = message["options"]["limits"]
    return CallAllowance(limits[1] / 1000 + GRACE_SECONDS, caller.limits.megabytes)


def _lost(line: BodyLine, fault: str) -> bytes:
    row = lost_row(Job(INPUT, line.number, None, None, "pot"), fault)
    return (json.dumps(row) + "\n").encode()


def _left_out(number: int) -> bytes:
    """The last line where the server ends before the batch does."""
    problem = Refusal(
        503, "draining", f"no line is answered from line {number} on", "send the rest to another server"
    )
    return (json.dumps({**problem.to_dict(), "line": number}) + "\n").encode()
