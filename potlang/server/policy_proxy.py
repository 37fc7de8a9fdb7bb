"""A proxy in front of an MCP server over standard input and output: a guard decides each call of a tool.

All messages pass, as they were read, so that what is decided is what the server reads. A denied call is
answered with the reason as an error of the tool; where people have to be asked, the client asks them.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any, Final

from potlang.policy.guard import GuardSession, Permission

_LONGEST: Final = 64 << 20
_ENDS_SECONDS: Final = 5.0
_ASKED: Final = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Allow this call"}},
    "required": ["allow"],
}
Json = dict[str, Any]


class PolicyProxy:
    """Messages between one client and one server; `to_client` and `to_server` send one on."""

    def __init__(
        self, session: GuardSession, to_client: Callable[[Json], None], to_server: Callable[[Json], None]
    ) -> None:
        self._session = session
        self._to_client = to_client
        self._to_server = to_server
        self._can_ask = False
        self._running: dict[Any, int] = {}
        """By the ids of calls that the server works on the numbers of their events."""
        self._asked: dict[str, tuple[Json, int]] = {}
        """By the ids of questions to the client the calls that wait for an answer, and their events."""

    # --- from the client ---

    def from_client(self, line: bytes) -> None:
        """Takes a line of the client, which may be a list of messages."""
        try:
            value = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError):
            error = {"code": -32700, "message": "this is no JSON"}
            self._to_client({"jsonrpc": "2.0", "id": None, "error": error})
            return
        for message in value if isinstance(value, list) else [value]:
            if isinstance(message, dict):
                self._client_message(message)

    def _client_message(self, message: Json) -> None:
        method, id = message.get("method"), message.get("id")
        if method == "tools/call":
            self._call(message)
        elif method is None and isinstance(id, str) and id in self._asked:
            self._answered(*self._asked.pop(id), message)
        else:
            if method == "initialize":
                capabilities = _object(_object(message.get("params")).get("capabilities"))
                self._can_ask = isinstance(capabilities.get("elicitation"), dict)
            self._to_server(message)

    def _call(self, message: Json) -> None:
        id = message.get("id")
        # A call without an id has no answer, and one with an id in use would have another's.
        waiting = [message["id"] for message, _ in self._asked.values()]
        if isinstance(id, bool) or not isinstance(id, str | int) or id in self._running or id in waiting:
            return
        params = _object(message.get("params"))
        decision = self._session.check(params.get("name"), params.get("arguments") or {})
        number = decision.state.count
        if decision.allowed:
            self._running[id] = number
            self._to_server(message)
        elif decision.permission is Permission.ASK and self._can_ask:
            self._ask(message, number, decision.reason)
        else:
            hint = " (people would have to be asked)" if decision.permission is Permission.ASK else ""
            self._deny(id, decision.reason + hint)

    def _ask(self, message: Json, number: int, reason: str) -> None:
        # A server that guessed it could have another question answered with it.
        id = f"potlang-guard-{secrets.token_hex(16)}"
        self._asked[id] = message, number
        params = _object(message.get("params"))
        shown = json.dumps(params.get("arguments") or {}, ensure_ascii=False)[:2_000]
        text = f"May the tool {params.get('name')} be called with {shown}? {reason}"
        question = {"message": text, "requestedSchema": _ASKED}
        self._to_client({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": question})

    def _answered(self, message: Json, number: int, answer: Json) -> None:
        result = _object(answer.get("result"))
        accepts = result.get("action") == "accept" and _object(result.get("content")).get("allow") is True
        kept = self._session.answered(number, Permission.ALLOW if accepts else Permission.DENY)
        if accepts and kept:
            self._running[message["id"]] = number
            self._to_server(message)
        else:
            self._deny(message["id"], "the call was not allowed by whom was asked")

    def _deny(self, id: Any, reason: str) -> None:
        content = [{"type": "text", "text": f"denied: {reason}"}]
        self._to_client({"jsonrpc": "2.0", "id": id, "result": {"content": content, "isError": True}})

    # --- from the server ---

    def from_server(self, line: bytes) -> None:
        """Takes a line of the server."""
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return
        for message in value if isinstance(value, list) else [value]:
            if not isinstance(message, dict):
                continue
            id = message.get("id")
            if "method" not in message and isinstance(id, str | int) and id in self._running:
                failed = "error" in message or _object(message.get("result")).get("isError") is True
                self._session.ended(self._running.pop(id), succeeded=not failed)
            self._to_client(message)


def serve_proxy(session: GuardSession, command: Sequence[str]) -> int:
    """Runs a server behind a guard until the client or the server ends; the server's exit code.

    Raises OSError where the command cannot be started.
    """
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None and server.stdout is not None
    proxy = PolicyProxy(session, _sender(sys.stdout.buffer), _sender(server.stdin))
    client = threading.Thread(
        target=_client, args=(sys.stdin.buffer, proxy, server.stdin), name="client", daemon=True
    )
    client.start()
    try:
        while line := server.stdout.readline(_LONGEST):
            proxy.from_server(line)
        return server.wait(_ENDS_SECONDS)
    except (subprocess.TimeoutExpired, BrokenPipeError):
        return 1
    finally:
        if server.poll() is None:
            server.kill()


def _client(lines: IO[bytes], proxy: PolicyProxy, server: IO[bytes]) -> None:
    """Takes all lines of the client; the server's input ends with them."""
    try:
        while line := lines.readline(_LONGEST):
            if line.strip():
                proxy.from_client(line)
        server.close()
    except (BrokenPipeError, OSError, ValueError):
        # The server has ended, which its output tells.
        return


def _sender(file: IO[bytes]) -> Callable[[Json], None]:
    turn = threading.Lock()

    def send(message: Json) -> None:
        # Without line ends, and without characters that others take for some.
        text = json.dumps(message, ensure_ascii=True, separators=(",", ":"))
        with turn:
            file.write(text.encode("ascii") + b"\n")
            file.flush()

    return send


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")
