"""A client of the language server that writes and reads the frames itself, as an editor's would."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WAIT = 60.0
"""Seconds that a test waits for an answer, on however busy a machine."""


class ServerError(Exception):
    """The server answers with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class EditorClient:
    """One editor: it has documents open, asks, and keeps what the server publishes."""

    def __init__(self, *arguments: str, stderr: Any = None) -> None:
        command = [sys.executable, "-m", "potlang", "lsp", "--stdio", *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        self.messages: list[dict[str, Any]] = []
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._published: queue.Queue[dict[str, Any]] = queue.Queue()
        self._count = 0
        self._versions: dict[str, int] = {}
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while (line := stream.readline()) != b"":
            size = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    size = int(value)
                line = stream.readline()
            message = json.loads(stream.read(size))
            if "id" in message and "method" not in message:
                self._answers[message["id"]].put(message)
            elif message.get("method") == "textDocument/publishDiagnostics":
                self._published.put(message["params"])
            else:
                self.messages.append(message)

    def send(self, message: dict[str, Any]) -> None:
        """Writes one frame."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send_bytes(self, data: bytes) -> None:
        """Writes bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        """Sends what has no answer."""
        self.send({"method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        """Sends a request, and returns its id."""
        self._count += 1
        self._answers[self._count] = queue.Queue()
        self.send({"id": self._count, "method": method, "params": params})
        return self._count

    def end(self, id_: int, timeout: float = WAIT) -> Any:
        """The answer to a request. Raises ServerError for an error, and queue.Empty without one in time."""
        answer = self._answers[id_].get(timeout=timeout)
        del self._answers[id_]
        if "error" in answer:
            raise ServerError(answer["error"])
        return answer.get("result")

    def ask(self, method: str, params: Any) -> Any:
        """The answer to a request. Raises as `end` does."""
        return self.end(self.begin(method, params))

    # --- documents -------------------------------------------------------------------------------

    def initialize(self, encodings: list[str] | None = None, options: Any = None) -> Any:
        """Begins, and returns what the server offers."""
        general = {"positionEncodings": encodings} if encodings is not None else {}
        params = {"processId": None, "rootUri": None, "capabilities": {"general": general}}
        answer = self.ask("initialize", {**params, "initializationOptions": options})
        self.notify("initialized", {})
        return answer["capabilities"]

    def open(self, uri: str, text: str, language: str = "json") -> list[dict[str, Any]]:
        """Opens a document, and waits for its diagnostics."""
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return self.diagnostics(uri)

    def change(self, uri: str, *changes: dict[str, Any]) -> int:
        """Sends changes, and returns the new version."""
        self._versions[uri] += 1
        params = {
            "textDocument": {"uri": uri, "version": self._versions[uri]},
            "contentChanges": list(changes),
        }
        self.notify("textDocument/didChange", params)
        return self._versions[uri]

    def replace(self, uri: str, text: str) -> list[dict[str, Any]]:
        """Gives a document another text, and waits for its diagnostics."""
        self.change(uri, {"text": text})
        return self.diagnostics(uri)

    def diagnostics(self, uri: str, timeout: float = WAIT) -> list[dict[str, Any]]:
        """The diagnostics of the newest version of a document, when they have come."""
        while True:
            found = self._published.get(timeout=timeout)
            if found["uri"] == uri and found.get("version") == self._versions[uri]:
                listed: list[dict[str, Any]] = found["diagnostics"]
                return listed

    def published(self, timeout: float = WAIT) -> dict[str, Any]:
        """The next diagnostics that are published, of whichever document."""
        return self._published.get(timeout=timeout)

    def at(self, uri: str, line: int, character: int) -> dict[str, Any]:
        """A document and a position in it."""
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}

    def close(self) -> int:
        """Says that it is done, and returns the server's exit code."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=WAIT)

    def end_server(self) -> None:
        """Ends the server, whatever it is at."""
        self.process.kill()
        self.process.wait()
        self._listener.join()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@contextmanager
def editor(
    encodings: list[str] | None = None, options: Any = None, *arguments: str
) -> Iterator[EditorClient]:
    """A client that has begun; its server is ended, whatever happens."""
    client = EditorClient(*arguments)
    try:
        client.initialize(encodings, options)
        yield client
    finally:
        client.end_server()


def position_of(text: str, part: str, number: int = 0, inside: int = 0) -> tuple[int, int]:
    """The line and the column, in UTF-16 units, of the `number`-th occurrence of a part of a text."""
    at = -1
    for _ in range(number + 1):
        at = text.index(part, at + 1)
    before = text[: at + inside]
    line = before.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    last = before.replace("\r\n", "\n").replace("\r", "\n").rsplit("\n", 1)[-1]
    return line, len(last.encode("utf-16-le")) // 2
